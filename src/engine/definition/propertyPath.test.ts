/** Which paths name one property, and where the others go wrong. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseKeyPath } from "../../partition/partitionKeyOf.ts";
import { faultPositionOf } from "./propertyPath.ts";

/** Path, position of the fault counted from one, or fine. */
const RULES: readonly (readonly [path: string, position: number | "fine"])[] = [
  ["/id", "fine"],
  ["/_partitionKey", "fine"],
  ["/a/b2/c_3", "fine"],
  ["/straße/地址", "fine"],
  ['/"first name"/given', "fine"],
  ["/'a-b'", "fine"],
  ['/"a/b"', "fine"],
  ['/"say \\"hi\\""', "fine"],
  ["", 1],
  ["id", 1],
  ["/", 2],
  ["/a/", 4],
  ["//a", 2],
  ["/a//b", 4],
  ["/a b", 3],
  ["/asdwqr31 @#$#$WRadf", 10],
  ["/a/*", 4],
  ["/a/?", 4],
  ["/a/[]/b", 4],
  ["/a-b", 3],
  ['/"a', 2],
  ['/"a"b', 2],
  ['/""', 3],
];

describe("property paths", () => {
  test.each(RULES)("%s: %s", (path, position) => {
    expect(faultPositionOf(path) ?? "fine").toBe(position);
  });

  test("whatever is accepted can be read, and what cannot be read is refused", () => {
    const anyPath = fc
      .array(fc.constantFrom("/", "a", "_", '"', "'", "\\", " ", "-", "*", "é"), { maxLength: 12 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(anyPath, (path) => {
        const position = faultPositionOf(path);
        if (position === undefined) {
          expect(parseKeyPath(path)).toBeDefined();
        } else {
          expect(position).toBeGreaterThanOrEqual(1);
          expect(position).toBeLessThanOrEqual(path.length + 1);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
