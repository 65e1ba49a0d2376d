/** Writes a member whose name a user chose; `value.ts` reads one. */
import type { JsonValue } from "./value.ts";

/**
 * Sets a member. An assignment to `__proto__` would make no member, so that name is defined
 * instead.
 */
export function setMember(target: Record<string, JsonValue>, name: string, value: JsonValue): void {
  if (name !== "__proto__") {
    target[name] = value;
    return;
  }
  Object.defineProperty(target, name, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}
