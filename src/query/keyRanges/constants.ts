/**
 * Expressions whose value is known before any item is read: literals, parameters, and what is made
 * of them without calling a function. An expression that is not folded here makes the search wider,
 * and has no other effect.
 */
import { equalValues } from "../../json/compare.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import type { Binary, Expression, ObjectLiteral } from "../language/ast.ts";

/**
 * Values of parameters by name. A parameter that is here without a value is undefined; one that is
 * missing is unknown.
 */
export type KnownParameters = ReadonlyMap<string, JsonValue | undefined>;

/** A known value, which may be the query language's own undefined. */
interface Constant {
  readonly value: JsonValue | undefined;
}

export function constantOf(
  expression: Expression,
  parameters: KnownParameters,
): Constant | undefined {
  switch (expression.kind) {
    case "number":
    case "string":
    case "word":
      return { value: expression.value };
    case "parameter":
      return parameters.has(expression.name)
        ? { value: parameters.get(expression.name) }
        : undefined;
    case "array":
      return constantArray(expression.elements, parameters);
    case "object":
      return constantObject(expression, parameters);
    case "unary": {
      const operand = constantOf(expression.operand, parameters);
      if (typeof operand?.value !== "number") return undefined;
      if (expression.operator === "-") return { value: -operand.value };
      return expression.operator === "+" ? operand : undefined;
    }
    case "binary":
      return constantEquality(expression, parameters);
    default:
      return undefined;
  }
}

function constantArray(
  elements: readonly Expression[],
  parameters: KnownParameters,
): Constant | undefined {
  const values: JsonValue[] = [];
  for (const element of elements) {
    const constant = constantOf(element, parameters);
    if (constant === undefined) return undefined;
    if (constant.value !== undefined) values.push(constant.value);
  }
  return { value: values };
}

function constantObject(
  { members }: ObjectLiteral,
  parameters: KnownParameters,
): Constant | undefined {
  const entries: [string, JsonValue][] = [];
  for (const { name, value } of members) {
    const constant = constantOf(value, parameters);
    if (constant === undefined) return undefined;
    if (constant.value !== undefined) entries.push([name, constant.value]);
  }
  const object: JsonObject = Object.fromEntries(entries);
  return { value: object };
}

/** Folds `1 = 1` and `1 = 0`, which programs write for filters that select all or nothing. */
function constantEquality(
  { operator, left, right }: Binary,
  parameters: KnownParameters,
): Constant | undefined {
  if (operator !== "=" && operator !== "!=") return undefined;
  const a = constantOf(left, parameters);
  const b = constantOf(right, parameters);
  if (a === undefined || b === undefined) return undefined;
  if (a.value === undefined || b.value === undefined) return { value: undefined };
  return { value: equalValues(a.value, b.value) === (operator === "=") };
}
