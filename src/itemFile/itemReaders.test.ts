/** Readers of NDJSON, JSON and CSV: cut anywhere, broken anywhere, and what was read is kept. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../json/value.ts";
import { HeaderProblem } from "./csvRecords.ts";
import { type InputFormat, readerOf } from "./itemFormat.ts";
import { itemIn, placeOf } from "./parsedItem.ts";
import { RECORD_BYTES_MAX } from "./record.ts";

const [lines, values, csv] = ["ndjson", "json", "csv"] as const;

interface Read {
  readonly items: readonly JsonObject[];
  /** Each as `line:column reason`. */
  readonly problems: readonly string[];
  readonly bytes: number;
  readonly remarks: readonly string[];
}

/** `cuts`: where the bytes are cut into chunks. */
function read(format: InputFormat, input: string | Uint8Array, cuts: readonly number[] = []): Read {
  const reader = readerOf(format, { delimiter: undefined, areAllTexts: false, name: "input" });
  const all = typeof input === "string" ? Buffer.from(input) : Buffer.from(input);
  const places = [0, ...[...cuts].sort((a, b) => a - b), all.length];
  const records = places
    .slice(1)
    .flatMap((end, at) => reader.push(Buffer.from(all.subarray(places[at], end))));
  const [items, problems]: [JsonObject[], string[]] = [[], []];
  let bytes = 0;
  for (const record of [...records, ...reader.end()]) {
    if (record.kind === "broken") {
      problems.push(`${record.line}:${record.column} ${record.reason}`);
      continue;
    }
    const item = itemIn(record, JSON.parse);
    if (item.ok) {
      items.push(item.value);
      bytes += record.bytes.length;
    } else {
      const { line, column } = placeOf(record, item.error);
      problems.push(`${line}:${column} ${item.error.reason}`);
    }
  }
  return { items, problems, bytes, remarks: reader.remarks };
}

function everyCut(format: InputFormat, text: string): readonly Read[] {
  const { length } = Buffer.from(text);
  return Array.from({ length: length + 1 }, (_, at) => read(format, text, [at]));
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
    [
      '{"a":1}\n{"a":\n{"a":3}',
      "2:6 it is no JSON: it ends in the middle, where a value must come",
    ],
    ['{"a":1}\nnonsense\n{"a":3}', "2:1 it is no JSON: there is 'n' where a value must come"],
    ['{"a":1}\n[1]\n{"a":3}', "2:1 it is an array, and an item is an object"],
    ['{"a":1}\nnull\n{"a":3}', "2:1 it is null, and an item is an object"],
    ['{"a":1}\n"x"\n{"a":3}', "2:1 it is a text, and an item is an object"],
    ['{"a":1}\n7\n{"a":3}', "2:1 it is a number, and an item is an object"],
    ['{"a":1}\ntrue\n{"a":3}', "2:1 it is a boolean, and an item is an object"],
  ])("%j: the others are read", (text, problem) => {
    for (const found of everyCut(lines, text)) {
      expect(found.items).toEqual([{ a: 1 }, { a: 3 }]);
      expect(found.problems).toEqual([problem]);
    }
  });

  test("one that ends in the middle at the end", () => {
    const found = read(lines, '{"a":1}\n{"a":2');
    expect(found.items).toEqual([{ a: 1 }]);
    expect(found.problems).toEqual([
      "2:7 it is no JSON: it ends in the middle, where ',' or '}' must come",
    ]);
  });

  test("one that is too long is passed over, whether it comes at once or in parts", () => {
    const long = `{"a":"${"x".repeat(RECORD_BYTES_MAX)}"}`;
    for (const cuts of [[], [10, 5_000_000, RECORD_BYTES_MAX, RECORD_BYTES_MAX + 3]]) {
      const found = read(lines, `{"a":1}\n${long}\n{"a":3}\n`, cuts);
      expect(found.items).toEqual([{ a: 1 }, { a: 3 }]);
      expect(found.problems).toEqual(["2:1 it is longer than 8 MB"]);
    }
  });

  test("a line with bytes that are no UTF-8 is told, and not read", () => {
    const found = read(lines, Buffer.from([...Buffer.from('{"a":"'), 0xff, 0x22, 0x7d, 10]));
    expect(found.items).toEqual([]);
    expect(found.problems).toEqual(["1:1 it has bytes that are no UTF-8"]);
    expect(read(lines, '{"a":"\uFFFD"}').problems).toEqual([]);
  });

  test("bytes are those of the lines without their ends", () => {
    expect(read(lines, '{"a":1}\r\n{"ä":1}\n').bytes).toBe(7 + 8);
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
    ['[{"a":1},\n3,{"a":2}]', ["2:1 it is a number, and an item is an object"]],
    ['[{"a":1},"x",{"a":2}]', ["1:10 it is a text, and an item is an object"]],
    ['[{"a":1},[5],{"a":2}]', ["1:10 it is an array, and an item is an object"]],
    ['[{"a":1},{"a":},{"a":2}]', ["1:15 it is no JSON: there is '}' where a value must come"]],
    ['[{"a":1},{"a":2},4]', ["1:18 it is a number, and an item is an object"]],
    ['[{"a":1},{"a":2},{"a":', ["1:18 it is cut off: the input ends in the middle of it"]],
    ['[{"a":1},{"a":2}', ["1:17 the input ends before the array does: there is no ']'"]],
    ['[{"a":1},{"a":2}]]', ["1:18 it is no JSON: there is ']' where a value must come"]],
  ])("%j: what can be read is", (text, problems) => {
    for (const found of everyCut(values, text)) {
      expect(found.items).toEqual([{ a: 1 }, { a: 2 }]);
      expect(found.problems).toEqual(problems);
    }
  });

  test("one that is too long is passed over", () => {
    const long = `{"a":"${"x".repeat(RECORD_BYTES_MAX)}"}`;
    const found = read(values, `[{"a":1},${long},{"a":3}]`, [1_000_000, RECORD_BYTES_MAX + 2]);
    expect(found.items).toEqual([{ a: 1 }, { a: 3 }]);
    expect(found.problems).toEqual(["1:10 it is longer than 8 MB"]);
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
    ["names with dots", "a.b,a.c,d\\.e\n1,x,2\n", [{ a: { b: 1, c: "x" }, "d.e": 2 }]],
    ["ids are texts", "id,n\n7,7\n", [{ id: "7", n: 7 }]],
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

  test.each([
    ["a,a\n1,2\n", "input:1: there are two columns of the name 'a'."],
    ["a,\n1,2\n", "input:1: column 2 has no name, or one with an empty part."],
    ["a,a.b\n1,2\n", "input:1: 'a.b' would be inside of 'a', which is a column by itself."],
  ])("names that cannot be used end the reading: %j", (text, problem) => {
    expect(() => read(csv, text)).toThrow(new HeaderProblem(problem));
  });

  test("types do not depend on where the input is cut", () => {
    const rows = Array.from({ length: 1200 }, (_, row) => (row >= 1000 ? "x" : String(row)));
    const text = ["a", ...rows].join("\n");
    const whole = read(csv, text);
    expect(whole.items[999]).toEqual({ a: 999 });
    for (const cut of [1, 700, 3_900, text.length - 1]) {
      expect(read(csv, text, [cut]).items).toEqual(whole.items);
    }
  });

  test("rows that are uneven are told, and the others read", () => {
    const found = read(csv, "a,b\n1,x\n2\n3,y,z\n4,w\n");
    expect(found.items).toEqual([
      { a: 1, b: "x" },
      { a: 4, b: "w" },
    ]);
    expect(found.problems).toEqual([
      "3:1 it has 1 cells where the first row has 2",
      "4:1 it has 3 cells where the first row has 2",
    ]);
  });

  test("a quote that is never closed costs one row", () => {
    const found = read(csv, 'a,b\n1,x\n2,"y\n3,z\n4,w\n');
    expect(found.items.map((item) => item["a"])).toEqual([1, 3, 4]);
    expect(found.problems).toEqual(["3:3 its quote is never closed"]);
  });

  test("a quote that stays open for too long is given up", () => {
    const rows = Array.from({ length: 3000 }, (_, row) => `${row},x`);
    const found = read(csv, ["a,b", '0,"y', ...rows].join("\n"));
    expect(found.items.length).toBe(3000);
    expect(found.problems).toEqual(["2:3 its quote is never closed"]);
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
  ])("the same items come out: %s", (_, format, write) => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 5 }), fc.array(fc.nat(300)), (items, places) => {
        const text = write(items);
        const { length } = Buffer.from(text);
        const cuts = places.map((place) => Math.min(place, length));
        const whole = JSON.parse(JSON.stringify(items));
        const found = read(format, text, cuts);
        expect(found.items).toEqual(whole);
        expect(found.problems).toEqual([]);
      }),
    );
  });
});
