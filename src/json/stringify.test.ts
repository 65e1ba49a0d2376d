/** Like `JSON.stringify`, but for negative zeros. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { stringifyKeepingDigits } from "./stringify.ts";
import type { JsonValue } from "./value.ts";

test("keeps the sign of a zero, wherever it is", () => {
  expect(stringifyKeepingDigits({ a: -0, b: [0, -0], "": { c: -0 } })).toBe(
    '{"a":-0,"b":[0,-0],"":{"c":-0}}',
  );
});

test("reads back as the very same value, odd keys included", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const value = JSON.parse(text) as JsonValue;
      const written = stringifyKeepingDigits(value);
      expect(JSON.parse(written)).toEqual(value);
      if (!text.includes("-0")) expect(written).toBe(JSON.stringify(value));
    }),
  );
  expect(stringifyKeepingDigits(JSON.parse('{"__proto__":-0}'))).toBe('{"__proto__":-0}');
});
