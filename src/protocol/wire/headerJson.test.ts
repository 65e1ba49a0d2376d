/** JSON in a header: safe to send, and the same value however a client decodes it. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonValue } from "../../json/value.ts";
import { headerJson } from "./headerJson.ts";

test("whatever the value, it is plain ASCII and reads back, decoded as a URL or not", () => {
  const value = fc.jsonValue({ stringUnit: "binary", maxDepth: 2 }) as fc.Arbitrary<JsonValue>;
  fc.assert(
    fc.property(value, (written) => {
      const text = headerJson(written);
      expect(text).toMatch(/^[\x20-\x7e]*$/);
      const plain = JSON.parse(JSON.stringify(written)) as JsonValue;
      expect(JSON.parse(text)).toEqual(plain);
      expect(JSON.parse(decodeURIComponent(text.replaceAll("+", " ")))).toEqual(plain);
    }),
  );
});
