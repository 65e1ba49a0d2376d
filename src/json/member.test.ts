/** Every name makes a member, as it would in JSON text. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { setMember } from "./member.ts";
import type { JsonValue } from "./value.ts";

const anyName = fc.oneof(
  fc.string(),
  fc.constantFrom("__proto__", "constructor", "toString", "hasOwnProperty", "0"),
);

test("every name makes an own member, and the last value stays", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(anyName, fc.nat())), (members) => {
      const target: Record<string, JsonValue> = {};
      for (const [name, value] of members) setMember(target, name, value);
      expect(Object.getPrototypeOf(target)).toBe(Object.prototype);
      const expected = new Map(members);
      expect(Object.keys(target).sort()).toEqual([...expected.keys()].sort());
      for (const [name, value] of expected) {
        expect(Object.getOwnPropertyDescriptor(target, name)?.value).toBe(value);
      }
    }),
  );
});
