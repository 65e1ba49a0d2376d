/** Readers of NDJSON, JSON and CSV: cut anywhere, broken anywhere, and what was read is kept. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CsvRows } from "../../src/itemFile/csvRows.ts";
import { ITEM_BYTES_MAX, type ItemReader, type ItemSink } from "../../src/itemFile/itemReader.ts";
import { JsonLines } from "../../src/itemFile/jsonLines.ts";
import { JsonValues } from "../../src/itemFile/jsonValues.ts";
import type { JsonObject } from "../../src/json/value.ts";

type Make = (sink: ItemSink) => ItemReader;

const lines: Make = (sink) => new JsonLines(sink);
const values: Make = (sink) => new JsonValues(sink);
const csv: Make = (sink) => new CsvRows(sink);

interface Read {
  readonly items: readonly JsonObject[];
  readonly problems: readonly string[];
  readonly bytes: number;
  readonly remarks: readonly string[];
}

/** `cuts`: where the bytes are cut into chunks. */
function read(make: Make, input: string | Uint8Array, cuts: readonly number[] = []): Read {
  const items: JsonObject[] = [];
  const problems: string[] = [];
  let bytes = 0;
  const reader = make({
    wants: () => true,
    item: (item, itemBytes) => {
      items.push(item);
      bytes += itemBytes;
    },
    problem: (place, text) => problems.push(`${place} ${text}`),
  });
  const all = typeof input === "string" ? Buffer.from(input) : Buffer.from(input);
  const places = [0, ...[...cuts].sort((a, b) => a - b), all.length];
  // Chunks are overwritten after they were given, as buffers that are used again are.
  for (let at = 1; at < places.length; at++) {
    const chunk = Buffer.from(all.subarray(places[at - 1], places[at]));
    reader.push(chunk);
    chunk.fill(0x7b);
  }
  reader.end();
  return { items, problems, bytes, remarks: reader.remarks };
}

function everyCut(make: Make, text: string): readonly Read[] {
  const { length } = Buffer.from(text);
  return Array.from({ length: length + 1 }, (_, at) => read(make, text, [at]));
}

describe("lines", () => {
  test.each<[string, string, readonly JsonObject[]]>([
    ["each an item", '{"a":1}\n{"a":2}\n', [{ a: 1 }, { a: 2 }]],
    ["the last one without its end", '{"a":1}\n{"a":2}', [{ a: 1 }, { a: 2 }]],
    ["carriage returns", '{"a":1}\r\n{"a":2}\r\n', [{ a: 1 }, { a: 2 }]],
    ["blank lines", '\n{"a":1}\n\n  \r\n{"a":2}\n\n', [{ a: 1 }, { a: 2 }]],
    ["a mark of byte order", '\uFEFF{"a":1}\n', [{ a: 1 }]],
    ["characters of several bytes", '{"ä":"日本 🚀"}\n', [{ ä: "日本 🚀" }]],
    ["a text with a line end in it", '{"a":"x\\ny"}\n', [{ a: "x\ny" }]],
    [
      "names that objects have anyway",
      '{"__proto__":1,"constructor":2}\n',
      [JSON.parse('{"__proto__":1,"constructor":2}')],
    ],
  ])("%s, cut at every byte", (_, text, items) => {
    for (const found of everyCut(lines, text)) {
      expect(found.items).toEqual(items);
      expect(found.problems).toEqual([]);
    }
  });

  test.each([
    ['{"a":1}\n{"a":\n{"a":3}', "line 2 is no JSON: it ends in the middle"],
    ['{"a":1}\nnonsense\n{"a":3}', "line 2 is no JSON: 'o' is not expected in 'nonsense'"],
    ['{"a":1}\n[1]\n{"a":3}', "line 2 is an array, not an object"],
    ['{"a":1}\nnull\n{"a":3}', "line 2 is null, not an object"],
    ['{"a":1}\n"x"\n{"a":3}', "line 2 is a text, not an object"],
    ['{"a":1}\n7\n{"a":3}', "line 2 is a number, not an object"],
    ['{"a":1}\ntrue\n{"a":3}', "line 2 is a boolean, not an object"],
  ])("%j: the others are read", (text, problem) => {
    for (const found of everyCut(lines, text)) {
      expect(found.items).toEqual([{ a: 1 }, { a: 3 }]);
      expect(found.problems).toEqual([problem]);
    }
  });

  test("one that ends in the middle at the end", () => {
    const found = read(lines, '{"a":1}\n{"a":2');
    expect(found.items).toEqual([{ a: 1 }]);
    expect(found.problems).toEqual(["line 2 is no JSON: it ends in the middle"]);
  });

  test("one that is too long is passed over, whether it comes at once or in parts", () => {
    const long = `{"a":"${"x".repeat(ITEM_BYTES_MAX)}"}`;
    for (const cuts of [[], [10, 5_000_000, ITEM_BYTES_MAX, ITEM_BYTES_MAX + 3]]) {
      const found = read(lines, `{"a":1}\n${long}\n{"a":3}\n`, cuts);
      expect(found.items).toEqual([{ a: 1 }, { a: 3 }]);
      expect(found.problems).toEqual(["line 2 is longer than 16 MB and was not read"]);
    }
  });

  test("bytes that are no UTF-8 are told, and the line is read", () => {
    const found = read(lines, Buffer.from([...Buffer.from('{"a":"'), 0xff, 0x22, 0x7d, 10]));
    expect(found.items).toEqual([{ a: "\uFFFD" }]);
    expect(found.problems).toEqual(["line 1 has bytes that are no UTF-8"]);
    expect(read(lines, '{"a":"\uFFFD"}').problems).toEqual([]);
  });

  test("bytes are those of the lines without their ends", () => {
    expect(read(lines, '{"a":1}\r\n{"ä":1}\n').bytes).toBe(7 + 8);
  });

  test("what is not wanted is not parsed", () => {
    const seen: unknown[] = [];
    let asked = 0;
    const reader = new JsonLines({
      wants: () => asked++ % 2 === 1,
      item: (item) => seen.push(item),
      problem: (place) => seen.push(place),
    });
    reader.push(Buffer.from('nonsense\n{"a":1}\nnonsense\n{"a":2}'));
    reader.end();
    expect(seen).toEqual([{ a: 1 }, { a: 2 }]);
  });
});

describe("JSON values", () => {
  test.each<[string, string, readonly JsonObject[]]>([
    ["an array", '[{"a":1},{"a":2}]', [{ a: 1 }, { a: 2 }]],
    ["an array over many lines", '[\n  {\n    "a": 1\n  },\n  {"a":2}\n]\n', [{ a: 1 }, { a: 2 }]],
    ["one object", '{"a":{"b":[1,2,{"c":"]}"}]}}', [{ a: { b: [1, 2, { c: "]}" }] } }]],
    ["objects one after the other", '{"a":1}{"a":2}\n{"a":3}', [{ a: 1 }, { a: 2 }, { a: 3 }]],
    [
      "quotes and brackets in texts",
      '[{"a":"\\"}]{["},{"a":"\\\\"}]',
      [{ a: '"}]{[' }, { a: "\\" }],
    ],
    ["a mark of byte order", '\uFEFF[{"ü":"🚀"}]', [{ ü: "🚀" }]],
    ["nothing", "[]", []],
    ["arrays one after the other", '[{"a":1}]\n[{"a":2}]', [{ a: 1 }, { a: 2 }]],
  ])("%s, cut at every byte", (_, text, items) => {
    for (const found of everyCut(values, text)) {
      expect(found.items).toEqual(items);
      expect(found.problems).toEqual([]);
    }
  });

  test.each<[string, readonly string[]]>([
    ['[{"a":1},\n3,{"a":2}]', ["item 2 (line 2) is a number, not an object"]],
    ['[{"a":1},"x",{"a":2}]', ["item 2 (line 1) is a text, not an object"]],
    ['[{"a":1},[5],{"a":2}]', ["item 2 (line 1) is an array, not an object"]],
    ['[{"a":1},{"a":},{"a":2}]', [`item 2 (line 1) is no JSON: '}' is not expected in '{"a":}'`]],
    ['[{"a":1},{"a":2},4]', ["item 3 (line 1) is a number, not an object"]],
    ['[{"a":1},{"a":2},{"a":', ["item 3 (line 1) is cut off: the input ends in the middle of it"]],
    ['[{"a":1},{"a":2}', ["line 1 the input ends before the array does: no ']'"]],
    ['[{"a":1},{"a":2}]]', ["item 3 (line 1) is no JSON: ']' is not expected in ']'"]],
  ])("%j: what can be read is", (text, problems) => {
    for (const found of everyCut(values, text)) {
      expect(found.items).toEqual([{ a: 1 }, { a: 2 }]);
      expect(found.problems).toEqual(problems);
    }
  });

  test("one that is too long is passed over", () => {
    const long = `{"a":"${"x".repeat(ITEM_BYTES_MAX)}"}`;
    const found = read(values, `[{"a":1},${long},{"a":3}]`, [1_000_000, ITEM_BYTES_MAX + 2]);
    expect(found.items).toEqual([{ a: 1 }, { a: 3 }]);
    expect(found.problems).toEqual(["item 2 (line 1) is longer than 16 MB and was not read"]);
  });
});

describe("CSV", () => {
  test.each<[string, string, readonly JsonObject[]]>([
    [
      "types by column",
      "a,b,c\n1,x,true\n-2.5e3,y,false\n",
      [
        { a: 1, b: "x", c: true },
        { a: -2500, b: "y", c: false },
      ],
    ],
    [
      "codes are texts",
      "a,b\n007,12345678901234567890\n008,2\n",
      [
        { a: "007", b: "12345678901234567890" },
        { a: "008", b: "2" },
      ],
    ],
    ["an empty cell is no value", "a,b\n1,\n,x\n", [{ a: 1 }, { b: "x" }]],
    ["quotes", 'a,b\n"x, ""y""","p\nq"\n', [{ a: 'x, "y"', b: "p\nq" }]],
    ["carriage returns and blank lines", "a,b\r\n\r\n1,x\r\n", [{ a: 1, b: "x" }]],
    ["semicolons", "a;b\n1,5;x\n", [{ a: "1,5", b: "x" }]],
    ["tabs", "a\tb\n1\tx\n", [{ a: 1, b: "x" }]],
    ["one column", "a\nx\ny", [{ a: "x" }, { a: "y" }]],
    ["names twice, and none", "a,a,\n1,2,3\n", [{ a: 1, "a (2)": 2, "column 3": 3 }]],
    [
      "names that objects have anyway",
      "__proto__,b\nx,y\n",
      [JSON.parse('{"__proto__":"x","b":"y"}')],
    ],
    ["a name in quotes", '"a,b";c\n1;2\n', [{ "a,b": 1, c: 2 }]],
  ])("%s, cut at every byte", (_, text, items) => {
    for (const found of everyCut(csv, text)) {
      expect(found.items).toEqual(items);
      expect(found.problems).toEqual([]);
    }
  });

  test("rows that are uneven are told, and the others read", () => {
    const found = read(csv, "a,b\n1,x\n2\n3,y,z\n4,w\n");
    expect(found.items).toEqual([
      { a: 1, b: "x" },
      { a: 4, b: "w" },
    ]);
    expect(found.problems).toEqual([
      "line 3 has 1 cells where the first row has 2; it was not read",
      "line 4 has 3 cells where the first row has 2; it was not read",
    ]);
  });

  test("a quote that is never closed costs one row", () => {
    const found = read(csv, 'a,b\n1,x\n2,"y\n3,z\n4,w\n');
    expect(found.items.map((item) => item["a"])).toEqual([1, 3, 4]);
    expect(found.problems).toEqual(["line 3 has a quote that is never closed"]);
  });

  test("a quote that stays open for too long is given up", () => {
    const rows = Array.from({ length: 3000 }, (_, row) => `${row},x`);
    const found = read(csv, ["a,b", '0,"y', ...rows].join("\n"));
    expect(found.items.length).toBe(3000);
    expect(found.problems).toEqual(["line 2 has a quote that is never closed"]);
  });

  test("types are guessed from the first rows; what does not fit later is a text", () => {
    const rows = Array.from({ length: 1500 }, (_, row) => (row === 1200 ? "n/a" : String(row)));
    const { items } = read(csv, ["a", ...rows].join("\n"));
    expect(items[1199]).toEqual({ a: 1199 });
    expect(items[1200]).toEqual({ a: "n/a" });
    expect(items.length).toBe(1500);
  });

  test("what was assumed is said", () => {
    expect(read(csv, "a;b;c\n1;x;true\n").remarks).toEqual([
      "CSV with ';' between cells. Columns taken for numbers: a; for booleans: c; all others are " +
        "texts, and an empty cell is no value.",
    ]);
  });
});

describe("however the input is cut", () => {
  const name = fc.stringMatching(/^[a-z_]{1,5}$/);
  const scalar = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
  );
  const item = fc.dictionary(name, fc.oneof(scalar, fc.array(scalar), fc.dictionary(name, scalar)));

  test.each([
    [
      "lines",
      lines,
      (items: readonly object[]) => items.map((each) => JSON.stringify(each)).join("\n"),
    ],
    ["array", values, (items: readonly object[]) => JSON.stringify(items)],
    ["pretty array", values, (items: readonly object[]) => JSON.stringify(items, null, 2)],
  ])("the same items come out: %s", (_, make, write) => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 5 }), fc.array(fc.nat(300)), (items, places) => {
        const text = write(items);
        const { length } = Buffer.from(text);
        const cuts = places.map((place) => Math.min(place, length));
        const whole = JSON.parse(JSON.stringify(items));
        const found = read(make, text, cuts);
        expect(found.items).toEqual(whole);
        expect(found.problems).toEqual([]);
      }),
    );
  });
});
