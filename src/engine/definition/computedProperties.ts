/**
 * Properties that are not stored but computed by a query over the item.
 *
 * The check of the query is shallow on purpose: it must begin with `SELECT VALUE`. What else it
 * must not hold (joins, filters, aggregates, other computed properties) takes a parser, and is
 * not checked here.
 */
import {
  invalidInput,
  listOf,
  member,
  objectOf,
  refuse,
  repeated,
  textOf,
} from "../../json/reading.ts";
import type { JsonValue } from "../../json/value.ts";
import type { Limits } from "../../model/limits.ts";

export type ComputedProperty = { readonly name: string; readonly query: string };

/** Names that every item already has from the system. */
const SYSTEM_NAMES: ReadonlySet<string> = new Set([
  "id",
  "_rid",
  "_self",
  "_etag",
  "_ts",
  "_attachments",
]);

export function readComputedProperties(
  value: JsonValue | undefined,
  limits: Limits,
): readonly ComputedProperty[] | undefined {
  if (value === undefined) return undefined;
  const list = listOf(value, invalidInput("the member 'computedProperties'"));
  const properties = list.map(readComputedProperty);
  if (properties.length > limits.computedPropertiesMax) {
    refuse(`A container has at most ${limits.computedPropertiesMax} computed properties.`);
  }
  const twice = repeated(properties.map(({ name }) => name));
  if (twice !== undefined) refuse(`The computed property '${twice}' is defined twice.`);
  return properties;
}

function readComputedProperty(value: JsonValue): ComputedProperty {
  const property = objectOf(value, invalidInput("a computed property"));
  const name = textOf(member(property, "name"), invalidInput("the name of a computed property"));
  const query = textOf(
    member(property, "query"),
    invalidInput(`the query of the computed property '${name}'`),
  );
  if (name === "") refuse("The name of a computed property must not be empty.");
  if (SYSTEM_NAMES.has(name)) {
    refuse(`A computed property cannot be called '${name}': that is a system property.`);
  }
  if (!/^\s*SELECT\s+VALUE\b/i.test(query)) {
    refuse(`The query of the computed property '${name}' must begin with SELECT VALUE.`);
  }
  return { name, query };
}
