/**
 * What import sends and what the lab profiles is the same, item by item, and both complain about
 * the same places of a file in the same words: for files as people and programs write them, whole
 * and damaged, and cut into chunks anywhere.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { placementOf } from "../../src/cli/import/placement.ts";
import { shaperOf } from "../../src/cli/import/shaping.ts";
import type { InputFile } from "../../src/cli/input/inputFile.ts";
import { ItemSource } from "../../src/cli/input/itemSource.ts";
import { readItems } from "../../src/cli/lab/inputItems.ts";
import { INPUT_FORMATS, type InputFormat } from "../../src/itemFile/itemFormat.ts";
import { placeOf } from "../../src/itemFile/parsedItem.ts";
import { realClock } from "../../src/server/surroundings/realWorld.ts";

interface Reading {
  readonly items: readonly unknown[];
  readonly problems: readonly string[];
}

/** An input that gives `bytes` in pieces of these lengths, again and again. */
function inputOf(bytes: Buffer, cuts: readonly number[]): InputFile {
  return {
    name: "input",
    totalBytes: bytes.length,
    unzippedBytes: bytes.length,
    readBytes: () => bytes.length,
    async *chunks() {
      for (let [from, turn] = [0, 0]; from < bytes.length; turn++) {
        const length = cuts[turn % cuts.length]!;
        yield bytes.subarray(from, from + length);
        from += length;
      }
    },
  };
}

const shaper = shaperOf(placementOf({ paths: ["/id"], kind: "Hash", version: 2 }), {
  id: undefined,
  settings: [],
  draw: { random: () => 0, turn: () => 0 },
});

async function imported(input: InputFile, format: InputFormat): Promise<Reading> {
  const items: unknown[] = [];
  const problems: string[] = [];
  const tell = (text: string): void => void problems.push(text);
  const source = new ItemSource(input, { format, delimiter: undefined, areAllTexts: false });
  for await (const records of source.records()) {
    for (const record of records) {
      if (record.kind === "broken") tell(`${record.line}:${record.column} ${record.reason}`);
      else {
        const shaped = shaper(record);
        if (shaped.ok) items.push(JSON.parse(shaped.value.bytes.toString("utf8")));
        else {
          const { line, column } = placeOf(record, shaped.error);
          tell(`${line}:${column} ${shaped.error.reason}`);
        }
      }
    }
  }
  return { items, problems };
}

async function profiled(input: InputFile, format: InputFormat): Promise<Reading> {
  const items: unknown[] = [];
  const problems: string[] = [];
  await readItems(
    input,
    {
      get itemCount() {
        return items.length;
      },
      get problemCount() {
        return problems.length;
      },
      add: (item) => void items.push(JSON.parse(JSON.stringify(item))),
      problem: (place, text) => {
        const [, line, column = "1"] = /^line (\d+)(?:, column (\d+))?$/.exec(place)!;
        problems.push(`${line}:${column} ${text}`);
      },
    },
    {
      format,
      sample: undefined,
      isStrict: false,
      isStopped: () => false,
      onProgress: () => undefined,
      clock: realClock,
    },
  );
  return { items, problems };
}

const cell = fc.oneof(
  fc.constantFrom("", " ", "0", "-1.5", "007", "1e3", "true", "false", "null", "2026-01-31", "ä"),
  fc.string({ unit: fc.constantFrom("a", '"', ",", ";", "\n", "\r\n", " ", "7", "🚀") }),
);
const quoted = (text: string): string =>
  /["\n,;]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
const lineEnd = fc.constantFrom("\n", "\r\n");
const mark = fc.constantFrom("", "\uFEFF");

const csvText = fc
  .tuple(mark, lineEnd, fc.array(fc.tuple(cell, cell, cell), { maxLength: 20 }))
  .map(([begin, end, rows]) => {
    const lines = rows.map((row, at) => [`i${at}`, ...row.map(quoted)].join(","));
    return `${begin}${["id,a,b.c,b.d", ...lines].join(end)}${end}`;
  });

const item = fc.dictionary(fc.constantFrom("a", "b", "ä", "_ts"), fc.jsonValue({ maxDepth: 1 }));
const jsonText = fc
  .tuple(mark, lineEnd, fc.array(item, { maxLength: 8 }), fc.boolean(), fc.boolean())
  .map(([begin, end, items, isList, isWide]) => {
    const texts = items.map((each, at) =>
      JSON.stringify({ ...each, id: `i${at}` }, null, isWide && isList ? 2 : 0),
    );
    return `${begin}${isList ? `[${texts.join(`,${end}`)}]` : texts.join(end)}${end}`;
  });

/** Bytes are changed, or the end is missing. */
const damage = fc.array(fc.tuple(fc.nat(2000), fc.nat(255)), { maxLength: 3 });
const cuts = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 4 });

function damaged(
  text: string,
  places: readonly (readonly [number, number])[],
  end: number,
): Buffer {
  const bytes = Buffer.from(text).subarray(0, end);
  // The row of names stays whole: without it there is nothing to compare.
  for (const [at, byte] of places) if (at > 16 && at < bytes.length) bytes[at] = byte;
  return bytes;
}

describe.each(INPUT_FORMATS)("import and profile read %s alike", (format) => {
  test("items, and problems with their places", async () => {
    const text = format === "csv" ? csvText : jsonText;
    const end = fc.oneof(
      { weight: 3, arbitrary: fc.constant(1e9) },
      { arbitrary: fc.nat(600), weight: 1 },
    );
    await fc.assert(
      fc.asyncProperty(text, damage, end, cuts, cuts, async (whole, places, last, one, other) => {
        const bytes = damaged(whole, places, Math.max(last, 20));
        const sent = await imported(inputOf(bytes, one), format);
        const seen = await profiled(inputOf(bytes, other), format);
        const isIdentity = (problem: string): boolean => /\bid\b/.test(problem);
        // Only import asks what an id looks like; damage may have hit one.
        const refused = sent.problems.filter(isIdentity).length;
        expect(seen.items.length).toBe(sent.items.length + refused);
        if (refused === 0) expect(seen.items).toEqual(sent.items);
        expect(seen.problems).toEqual(sent.problems.filter((each) => !isIdentity(each)));
      }),
      { numRuns: 60, endOnFailure: true },
    );
  });
});
