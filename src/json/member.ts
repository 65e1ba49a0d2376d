/** Writing a member whose name a user chose. `value.ts` is about reading one. */
import type { JsonValue } from "./value.ts";

/** Defined where assigning would not do: to assign `__proto__` makes no member. */
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
