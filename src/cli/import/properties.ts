/** Putting values into items that are being made. A property may have any name, `__proto__` too. */
import type { JsonValue } from "../../json/value.ts";

type Growing = Record<string, JsonValue>;

/**
 * Puts a value at the end of a way, with objects made as they are needed. False, and nothing has
 * changed, when something on the way is there already and no object.
 */
export function put(item: Growing, steps: readonly string[], value: JsonValue): boolean {
  const last = steps.length - 1;
  let holder = item;
  for (const [depth, step] of steps.entries()) {
    if (depth === last) break;
    const next = Object.hasOwn(holder, step) ? holder[step] : undefined;
    if (next === undefined) {
      const made: Growing = {};
      put(made, steps.slice(depth + 1), value);
      define(holder, step, made);
      return true;
    }
    if (typeof next !== "object" || next === null || Array.isArray(next)) return false;
    holder = next as Growing;
  }
  define(holder, steps[last]!, value);
  return true;
}

function define(holder: Growing, name: string, value: JsonValue): void {
  if (name !== "__proto__") holder[name] = value;
  else {
    const descriptor = { value, writable: true, enumerable: true, configurable: true };
    Object.defineProperty(holder, name, descriptor);
  }
}
