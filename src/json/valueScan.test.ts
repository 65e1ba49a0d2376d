/** Values that stand one after the other are told apart, however the bytes are cut. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { ValueScan } from "./valueScan.ts";

/** The values of a text with white space between them, read in pieces of these sizes. */
function valuesIn(text: string, sizes: readonly number[]): readonly string[] {
  const bytes = Buffer.from(text);
  const scan = new ValueScan();
  const values: string[] = [];
  let value: Buffer[] | undefined;
  for (let from = 0, round = 0; from < bytes.length; round++) {
    const piece = bytes.subarray(from, from + sizes[round % sizes.length]!);
    from += piece.length;
    for (let at = 0; at < piece.length; ) {
      if (value === undefined) {
        if (piece[at]! <= 32) {
          at++;
          continue;
        }
        scan.begin();
        value = [];
      }
      const end = scan.endIn(piece, at);
      value.push(piece.subarray(at, end === -1 ? piece.length : end));
      if (end === -1) break;
      values.push(Buffer.concat(value).toString());
      value = undefined;
      at = end;
    }
  }
  if (value !== undefined && scan.isClosed) values.push(Buffer.concat(value).toString());
  return values;
}

test.each<[string, readonly string[]]>([
  ["1 2", ["1", "2"]],
  ['{"a":"}"} [1,[2]]', ['{"a":"}"}', "[1,[2]]"]],
  ['"a\\"b" null', ['"a\\"b"', "null"]],
  // Broken inside, and no trouble for the next one.
  ['{"a":nonsense} 3', ['{"a":nonsense}', "3"]],
  ["} 3", ["}", "3"]],
  ["1] 3", ["1", "]", "3"]],
  ['{"a": 1', []],
])("%s", (text, values) => {
  for (const size of [1, 2, 100]) expect(valuesIn(text, [size])).toEqual(values);
});

test("any values, cut anywhere", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.array(fc.json(), { maxLength: 5 }), sizes, (values, pieces) => {
      expect(valuesIn(values.join("\n"), pieces)).toEqual(values);
    }),
  );
});
