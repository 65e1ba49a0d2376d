/** The text of a query and its parameters, as requests and scripts send them. */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import { carriedAt, noteDigits } from "../../json/digits.ts";
import type { JsonValue } from "../../json/value.ts";
import { isObject, property } from "../../json/value.ts";
import type { Refusal } from "../refusal.ts";
import { badRequest } from "../refusal.ts";

/** What a client asks in the query language, before anybody has looked at the text. */
export interface QueryText {
  readonly text: string;
  readonly parameters: ReadonlyMap<string, JsonValue>;
  /** The names of all parameters that were given; those without a value are undefined. */
  readonly parameterNames: ReadonlySet<string>;
}

/** Reads the body of a query, `{query, parameters}`. */
export function parseQueryBody(body: JsonValue): Result<QueryText, Refusal> {
  const text = isObject(body) ? property(body, "query") : undefined;
  if (!isObject(body) || typeof text !== "string") {
    return no(badRequest("The body of a query must be an object with the text as member 'query'."));
  }
  const list = property(body, "parameters") ?? [];
  if (!Array.isArray(list)) return no(badRequest("The member 'parameters' must be a list."));
  const parameters = new Map<string, JsonValue>();
  const names = new Set<string>();
  for (const entry of list as readonly JsonValue[]) {
    const name = isObject(entry) ? property(entry, "name") : undefined;
    if (!isObject(entry) || typeof name !== "string" || !/^@[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      return no(badRequest("A parameter must have a name: an '@' and an identifier."));
    }
    if (names.has(name)) {
      const message = `Invalid query. Specified duplicate parameter name '${name}'.`;
      return no({ kind: "queryRefused", message });
    }
    const value = property(entry, "value");
    names.add(name);
    if (value === undefined) continue;
    parameters.set(name, value);
    noteDigits(parameters, name, carriedAt(entry, "value", value));
  }
  return ok({ text, parameters, parameterNames: names });
}
