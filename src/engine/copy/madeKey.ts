/**
 * The key of a copy: levels that are paths are properties the item has, and other levels are
 * written into the copy as properties of their own.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import { withDigits } from "../../json/parse.ts";
import { stringifyKeepingDigits } from "../../json/stringify.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { isObject } from "../../json/value.ts";
import type { Draw } from "../../keys/component.ts";
import { componentOf } from "../../keys/component.ts";
import type { KeyExpression } from "../../keys/expression.ts";
import { parseKeyExpression, printKeyExpression } from "../../keys/expressionText.ts";
import { pathText, valueAt } from "../../keys/paths.ts";
import type { PartitionKeyDefinition } from "../../model/partitionKey.ts";

/** One level of a new key. `property` is where it is written, unless it is a path alone. */
export interface KeyLevel {
  readonly expression: KeyExpression;
  readonly property?: readonly string[] | undefined;
}

/** The levels of a key, or what is wrong with what was asked for. */
export function readKeyLevels(
  key: readonly string[],
  keyProperties: readonly string[],
): Result<readonly KeyLevel[], string> {
  const levels: KeyLevel[] = [];
  const left = [...keyProperties];
  for (const text of key) {
    const parsed = parseKeyExpression(text);
    if (!parsed.ok) return no(`The key '${text}' cannot be read: ${parsed.error.message}`);
    const expression = parsed.value;
    if (expression.kind === "path") {
      levels.push({ expression });
      continue;
    }
    const given = left.shift() ?? defaultProperty(levels);
    const property = parseKeyExpression(given);
    if (!property.ok || property.value.kind !== "path") {
      return no(`'${given}' is not the path of a property, such as /partitionKey.`);
    }
    if (property.value.steps[0] === "id") return no("A key cannot be written over the id.");
    levels.push({ expression, property: property.value.steps });
  }
  if (left.length > 0) {
    return no(
      `There are more properties for the key than levels to be written: '${left[0]}' is left. A ` +
        "level that is a path alone needs none.",
    );
  }
  const paths = levels.map(pathOf);
  if (new Set(paths).size < paths.length) return no("Two levels of the key are the same property.");
  return ok(levels);
}

function defaultProperty(levels: readonly KeyLevel[]): string {
  const count = levels.filter(({ property }) => property !== undefined).length;
  return count === 0 ? "/partitionKey" : `/partitionKey${count + 1}`;
}

/** The path of the property that has the level in the copies. */
function pathOf({ expression, property }: KeyLevel): string {
  if (property !== undefined) return pathText({ kind: "path", steps: property });
  return printKeyExpression(expression);
}

export function keyDefinitionOf(levels: readonly KeyLevel[]): PartitionKeyDefinition {
  const paths = levels.map(pathOf);
  return { paths, kind: paths.length > 1 ? "MultiHash" : "Hash", version: 2 };
}

/** An item with its key written in, or why it has none. */
type Keyed =
  | { readonly kind: "keyed"; readonly object: JsonObject; readonly text: Buffer }
  | { readonly kind: "missing"; readonly reason: string }
  | { readonly kind: "occupied"; readonly reason: string };

/**
 * Writes the made-up levels into an item. An item without some level is as it was if `mayLack`. A
 * property that is there already, with another value, is not written over.
 */
export function withKey(
  levels: readonly KeyLevel[],
  item: { readonly object: JsonObject; readonly text: Buffer; readonly number: number },
  mayLack: boolean,
): Keyed {
  let { object, text } = item;
  const draw = drawOf(item.number);
  for (const { expression, property } of levels) {
    const component = componentOf(expression, item.object, draw);
    if (component === undefined) {
      if (mayLack) continue;
      const name = printKeyExpression(expression);
      return { kind: "missing", reason: `The item has no value for ${name}.` };
    }
    if (property === undefined) continue;
    const present = valueAt(object, property);
    if (present === component) continue;
    if (present !== undefined) {
      const path = pathText({ kind: "path", steps: property });
      return {
        kind: "occupied",
        reason: `The item has a property ${path} of its own, where its key is to be written.`,
      };
    }
    text = withMember(text, property, component);
    object = JSON.parse(text.toString("utf8")) as JsonObject;
  }
  return { kind: "keyed", object, text };
}

/** An item without the properties that `withKey` writes. */
export function withoutKey(levels: readonly KeyLevel[], object: JsonObject, text: Buffer): Buffer {
  const written = levels.flatMap(({ property }) => (property === undefined ? [] : [property]));
  const present = written.filter((steps) => valueAt(object, steps) !== undefined);
  if (present.length === 0) return text;
  let exact = withDigits(text.toString("utf8"));
  for (const steps of present) exact = removed(exact, steps);
  return Buffer.from(stringifyKeepingDigits(exact));
}

/**
 * Where an expression draws, the number of the item decides: each time the same, and spread like
 * chance.
 */
function drawOf(number: number): Draw {
  return {
    random: () => ((Math.imul(number % 2 ** 32, 0x9e3779b1) >>> 0) + 0.5) / 2 ** 32,
    turn: () => number % 2 ** 32,
  };
}

function withMember(text: Buffer, steps: readonly string[], value: JsonValue): Buffer {
  if (steps.length === 1) {
    const tail = Buffer.from(`,${JSON.stringify(steps[0])}:${JSON.stringify(value)}}`);
    return Buffer.concat([text.subarray(0, -1), tail]);
  }
  const exact = withDigits(text.toString("utf8")) as Record<string, JsonValue>;
  let holder = exact;
  for (const step of steps.slice(0, -1)) {
    const inner = Object.hasOwn(holder, step) ? holder[step] : undefined;
    // A scalar in the way is left alone, and the item has no key then.
    if (inner !== undefined && !isObject(inner)) return text;
    if (inner === undefined) holder[step] = {};
    holder = holder[step] as Record<string, JsonValue>;
  }
  holder[steps.at(-1)!] = value;
  return Buffer.from(stringifyKeepingDigits(exact));
}

function removed(value: JsonValue, [step, ...rest]: readonly string[]): JsonValue {
  const object = value as Record<string, JsonValue>;
  if (rest.length > 0) removed(object[step!]!, rest);
  else delete object[step!];
  return object;
}
