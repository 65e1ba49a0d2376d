/**
 * Properties that are not stored but computed by a query over the item: `SELECT VALUE` of one
 * expression that has the same value whenever it is computed. The expression sees stored
 * properties, and no other computed property.
 */
import { SYSTEM_PROPERTIES } from "../../base/systemProperties.ts";
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
import { bindProgram } from "../../query/bind/bind.ts";
import { AGGREGATE_NAMES, builtInOf } from "../../query/functions/registry.ts";
import { parseQuery } from "../../query/language/parser.ts";
import { walkExpression } from "../../query/language/visitor.ts";

export type ComputedProperty = { readonly name: string; readonly query: string };

/** Names that every item already has from the system. */
const SYSTEM_NAMES: ReadonlySet<string> = new Set(["id", ...SYSTEM_PROPERTIES]);

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
  const problem = computedQueryProblem(query);
  if (problem !== undefined) refuse(`The query of the computed property '${name}' ${problem}`);
  return { name, query };
}

function computedQueryProblem(text: string): string | undefined {
  const parsed = parseQuery(text);
  if (!parsed.ok) {
    const { error } = parsed;
    const message = error.kind === "refused" ? error.message : error.diagnostics[0]!.message;
    return `is not a query: ${message}`;
  }
  const { select, from, where, groupBy, orderBy, offsetLimit } = parsed.value;
  if (select.selection.kind !== "value") return "must begin with SELECT VALUE.";
  const isPlainFrom =
    from?.kind === "collection" &&
    from.collection.kind === "path" &&
    from.collection.steps.length === 0;
  if (!isPlainFrom) return "must be over the item alone: FROM and a name.";
  const hasMore = where ?? groupBy ?? orderBy ?? offsetLimit ?? select.top;
  if (hasMore !== undefined || select.isDistinct) {
    return "must have no other clauses than SELECT VALUE and FROM.";
  }
  let problem: string | undefined;
  walkExpression(select.selection.expression, (expression) => {
    if (expression.kind === "subquery") problem ??= "must not have subqueries.";
    if (expression.kind === "parameter") problem ??= "must not have parameters.";
    if (expression.kind !== "call") return;
    const isAggregate = AGGREGATE_NAMES.has(expression.name.toUpperCase());
    if (isAggregate) problem ??= "must not have aggregates.";
    if (expression.isUdf) problem ??= "must not call user-defined functions.";
    if (/^ST_/i.test(expression.name)) problem ??= "must not call spatial functions.";
    if (builtInOf(expression.name)?.isPure === false) {
      problem ??= `must not call ${expression.name}, which is another each time.`;
    }
  });
  if (problem !== undefined) return problem;
  const bound = bindProgram(parsed.value, { computed: new Map() });
  if (bound.ok) return undefined;
  const { error } = bound;
  return `is refused: ${error.kind === "refused" ? error.message : error.diagnostics[0]!.message}`;
}
