/** What readers find in an input, however it is cut into chunks. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { itemOfCells } from "./csvColumns.ts";
import { CsvRecords } from "./csvRecords.ts";
import { JsonRecords } from "./jsonRecords.ts";
import { LineRecords } from "./lineRecords.ts";
import type { FoundRecord, RecordReader } from "./record.ts";
import { RECORD_BYTES_MAX } from "./record.ts";

/** All that a reader finds when the input comes in pieces of these lengths, again and again. */
function found(reader: RecordReader, text: string | Buffer, cuts: readonly number[] = [1 << 30]) {
  const bytes = Buffer.from(text);
  const records: FoundRecord[] = [];
  for (let [from, turn] = [0, 0]; from < bytes.length; turn++) {
    const length = cuts[turn % cuts.length]!;
    records.push(...reader.push(bytes.subarray(from, from + length)));
    from += length;
  }
  records.push(...reader.end());
  return records.map(({ bytes: held, ...record }) => ({ ...record, text: held?.toString() }));
}

const csv = (): CsvRecords =>
  new CsvRecords({ delimiter: undefined, areAllTexts: false, name: "f.csv" });

describe("rules", () => {
  test.each<[string, string, readonly [number, number, string | undefined][]]>([
    [
      "a record for each line",
      "{}\n[1]\n",
      [
        [1, 1, "{}"],
        [2, 1, "[1]"],
      ],
    ],
    ["blank lines are counted, and nothing else", "\n  \r\n{}\r\n", [[3, 1, "{}"]]],
    [
      "the last line needs no end",
      "{}\n7",
      [
        [1, 1, "{}"],
        [2, 1, "7"],
      ],
    ],
    ["a mark of byte order is passed over", "\uFEFF{}\n", [[1, 1, "{}"]]],
  ])("lines: %s", (_, text, expected) => {
    expect(found(new LineRecords(), text).map((r) => [r.line, r.column, r.text])).toEqual(expected);
  });

  test.each<[string, string, readonly [number, number, string | undefined][]]>([
    [
      "the elements of an array",
      "[{},\n {}]",
      [
        [1, 2, "{}"],
        [2, 2, "{}"],
      ],
    ],
    [
      "values one after the other",
      '{}{"a":[]}\n 5',
      [
        [1, 1, "{}"],
        [1, 3, '{"a":[]}'],
        [2, 2, "5"],
      ],
    ],
    ["brackets in texts do not count", '[{"a":"}]\\""}]', [[1, 2, '{"a":"}]\\""}']]],
    [
      "an array in an array is a value",
      "[[1],2]",
      [
        [1, 2, "[1]"],
        [1, 6, "2"],
      ],
    ],
    [
      "two arrays",
      "[1][2]",
      [
        [1, 2, "1"],
        [1, 5, "2"],
      ],
    ],
    [
      "what is broken inside ends where it would",
      "[{x},{}]",
      [
        [1, 2, "{x}"],
        [1, 6, "{}"],
      ],
    ],
    [
      "a stray bracket is a value",
      "} {}",
      [
        [1, 1, "}"],
        [1, 3, "{}"],
      ],
    ],
    ["a value that is cut off", '[{"a":', [[1, 2, '{"a":']]],
    [
      "an array without its end",
      "[{}",
      [
        [1, 2, "{}"],
        [1, 4, undefined],
      ],
    ],
  ])("values: %s", (_, text, expected) => {
    expect(found(new JsonRecords(), text).map((r) => [r.line, r.column, r.text])).toEqual(expected);
  });

  test("what is too long is told, and what follows is read", () => {
    const long = `"${"x".repeat(RECORD_BYTES_MAX)}"`;
    for (const reader of [new LineRecords(), new JsonRecords()]) {
      const records = found(reader, `1\n${long}\n2\n`, [65_536]);
      expect(records.map(({ kind, line, text }) => [kind, line, text])).toEqual([
        ["json", 1, "1"],
        ["broken", 2, undefined],
        ["json", 3, "2"],
      ]);
    }
  });
});

const piece = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });

describe("however the input is cut", () => {
  test("lines are those of a split", () => {
    const line = fc.string({ unit: "grapheme" }).map((text) => text.replace(/[\n\r]/g, ""));
    fc.assert(
      fc.property(fc.array(line), piece, (lines, cuts) => {
        const text = lines.join("\n");
        const all = text.replace(/^\uFEFF/, "").split("\n");
        const expected = all.flatMap((part, at) =>
          [...Buffer.from(part)].some((byte) => byte > 32) ? [[at + 1, part]] : [],
        );
        expect(found(new LineRecords(), text, cuts).map((r) => [r.line, r.text])).toEqual(expected);
      }),
    );
  });

  test("values are those that were written, at the offsets where they end", () => {
    // As texts have them: a minus before a zero is not written.
    const value = fc
      .jsonValue()
      .filter((json) => typeof json === "object" && json !== null)
      .map((json) => JSON.parse(JSON.stringify(json)) as typeof json);
    fc.assert(
      fc.property(
        fc.array(value),
        piece,
        fc.boolean(),
        fc.boolean(),
        (values, cuts, isList, isWide) => {
          const texts = values.map((json) => JSON.stringify(json, null, isWide ? 2 : 0));
          const text = isList ? `[${texts.join(",\n")}]` : texts.join("\n");
          // An array at the top is read as its elements.
          const flat = isList
            ? values
            : values.flatMap((json) => (Array.isArray(json) ? json : [json]));
          const records = found(new JsonRecords(), text, cuts);
          expect(records.map((r) => JSON.parse(r.text!))).toEqual(flat);
          const bytes = Buffer.from(text);
          for (const record of records) {
            const own = Buffer.from(record.text!);
            expect(bytes.subarray(record.end - own.length, record.end).toString()).toBe(
              record.text,
            );
          }
        },
      ),
    );
  });

  test("rows are those that were written", () => {
    const cell = fc.string({ unit: fc.constantFrom("a", '"', ",", "\n", " ", "ä") });
    const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell)), piece, (rows, cuts) => {
        const text = ["x,y", ...rows.map((row) => row.map(quoted).join(","))].join("\n");
        const items = found(csv(), text, cuts).map((r) =>
          r.kind === "row" ? itemOfCells(r.columns, r.cells) : r,
        );
        const own = ([x, y]: readonly [string, string]) => ({
          ...(x !== "" && { x }),
          ...(y !== "" && { y }),
        });
        expect(items).toEqual(rows.map(own));
      }),
    );
  });
});
