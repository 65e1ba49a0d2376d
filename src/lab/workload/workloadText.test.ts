/**
 * What a workload file may say and what becomes of it, rule by rule: first what is understood, then
 * what is refused and where. At the end the property that printing loses nothing.
 */
import { describe, expect, test } from "vitest";
import type { Workload } from "./workload.ts";
import { readWorkload } from "./workloadText.ts";

function read(text: string, form: "json" | "yaml" = "yaml"): Workload {
  const outcome = readWorkload(text, form, "shop.yaml");
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.error, null, 2));
  return outcome.value;
}

function problemsOf(text: string, form: "json" | "yaml" = "yaml"): readonly string[] {
  const outcome = readWorkload(text, form, "shop.yaml");
  return outcome.ok ? [] : outcome.error.map(({ place, message }) => `${place}: ${message}`);
}

const OPERATIONS = "operations: [{id: w, kind: create, rate: 10}]";
const withOperation = (members: string): string => `operations: [{${members}}]`;
const operationOf = (members: string): Workload["operations"][number] =>
  read(withOperation(members)).operations[0]!;

describe("defaults", () => {
  test("one operation with a rate is a workload", () => {
    expect(read(OPERATIONS)).toEqual({
      name: "shop",
      title: "shop",
      item: { bytes: undefined, example: undefined },
      properties: new Map(),
      growth: {
        itemsPerDay: 864_000,
        initialItems: 0,
        retentionDays: undefined,
        perMonth: 0,
        peakFactor: 1,
        hours: undefined,
      },
      throughput: undefined,
      consistency: "session",
      operations: [
        {
          id: "w",
          kind: "create",
          ratePerSecond: 10,
          peakFactor: undefined,
          hours: undefined,
          sql: undefined,
          parameters: new Map(),
          knows: undefined,
          resultItems: undefined,
          pageSize: 100,
          ru: undefined,
          changes: [],
          transactionScope: undefined,
          ageDays: undefined,
        },
      ],
      candidates: [],
      horizonMonths: 24,
      remarks: [
        "growth.itemsPerDay is not given; 864000 a day were taken from the rates of what creates items.",
      ],
    });
  });

  test("the horizon covers the retention", () => {
    const text = `${OPERATIONS}\ngrowth: {itemsPerDay: 864000, retentionDays: 1095}`;
    expect(read(text).horizonMonths).toBe(36);
    expect(read(`${text}\nhorizonMonths: 12`).horizonMonths).toBe(12);
  });

  test("hours give the peak where it is not given", () => {
    const hours = `[${Array.from({ length: 24 }, (_, at) => (at === 9 ? 25 : 1)).join(", ")}]`;
    expect(read(`${OPERATIONS}\ngrowth: {hours: ${hours}}`).growth.peakFactor).toBe(12.5);
  });
});

describe("amounts", () => {
  test.each([
    ["0.5", 0.5],
    ["100/s", 100],
    ["5/min", 5 / 60],
    ["2 million/day", 2e6 / 86_400],
    ['"1,500 per hour"', 1500 / 3600],
    ["3k/s", 3000],
    ["10 a day", 10 / 86_400],
    ["1e3", 1000],
  ])("a rate of %s", (text, expected) => {
    expect(operationOf(`kind: delete, rate: ${text}`).ratePerSecond).toBeCloseTo(expected, 12);
  });

  test.each([
    ["1024", 1024],
    ["4 KB", 4096],
    ["1.5kb", 1536],
    ["600 bytes", 600],
    ["1 MB", 1_048_576],
  ])("an item of %s", (text, expected) => {
    expect(read(`${OPERATIONS}\nitem: {bytes: ${text}}`).item.bytes).toBe(expected);
  });

  test.each([
    ["30", 30],
    ["2 weeks", 14],
    ["1 year", 365.25],
    ["12 h", 0.5],
  ])("kept for %s", (text, expected) => {
    const { growth } = read(`${OPERATIONS}\ngrowth: {itemsPerDay: 864000, retentionDays: ${text}}`);
    expect(growth.retentionDays).toBe(expected);
  });

  test.each([
    ["now - 7 days", { agoDays: 7 }],
    ["now", { agoDays: 0 }],
    ["36 hours ago", { agoDays: 1.5 }],
    ["item-1", { values: ["item-1"] }],
    ["17", { values: [17] }],
    ["[a, b]", { values: ["a", "b"] }],
    ["{like: /b}", { like: "/b" }],
    [
      "{distribution: zipf 0.8, values: x}",
      { distribution: { kind: "zipf", s: 0.8 }, values: ["x"] },
    ],
    ["{agoDays: 1 month}", { agoDays: 30.4375 }],
  ])("a parameter of %s", (text, expected) => {
    const { parameters } = operationOf(
      `kind: query, rate: 1, sql: 'SELECT * FROM c WHERE c.a = @p', params: {"@p": ${text}}`,
    );
    const none = {
      like: undefined,
      distribution: undefined,
      agoDays: undefined,
      values: undefined,
    };
    expect(parameters).toEqual(new Map([["@p", { ...none, ...expected }]]));
  });

  test("throughput as an object, a number or a word", () => {
    const of = (text: string): Workload["throughput"] =>
      read(`${OPERATIONS}\nthroughput: ${text}`).throughput;
    expect(of("{mode: autoscale, ruPerSec: 4000}")).toEqual({
      mode: "autoscale",
      ratePerSecond: 4000,
    });
    expect(of("400")).toEqual({ mode: "manual", ratePerSecond: 400 });
    expect(of("serverless")).toEqual({ mode: "serverless", ratePerSecond: 5000 });
  });
});

describe("properties", () => {
  const shapeOf = (text: string): unknown =>
    read(`${OPERATIONS}\nproperties: {/a: ${text}, /b: {}}`).properties.get("/a");

  test.each([
    ["{distinct: 10}", { distinct: 10, items: { kind: "uniform" } }],
    ["{distinct: 2 million}", { distinct: 2e6 }],
    ["{distinct: unique}", { distinct: undefined, isUnique: true }],
    ["{distinct: per second}", { distinct: undefined, time: "second" }],
    ["{distinct: 9, distribution: {kind: zipf, s: 0.7}}", { items: { kind: "zipf", s: 0.7 } }],
    ["{distinct: 9, items: zipf(1)}", { items: { kind: "zipf", s: 1 } }],
    [
      "{time: day, changes: true, missingShare: 5 %}",
      { time: "day", changes: true, missingShare: 0.05 },
    ],
    [
      "{within: /b, distinct: 3, distinctWithin: {A: 2}}",
      { within: "/b", distinctWithin: new Map([["A", 2]]) },
    ],
    ["", { distinct: undefined, items: { kind: "uniform" } }],
  ])("%s", (text, expected) => {
    expect(shapeOf(text)).toMatchObject(expected);
  });

  test("named shares say how many values there are, or leave a rest for others", () => {
    expect(shapeOf("{shares: {A: 0.75, B: 25 %}}")).toMatchObject({
      distinct: 2,
      items: {
        kind: "shares",
        shares: new Map([
          ["A", 0.75],
          ["B", 0.25],
        ]),
      },
    });
    expect(shapeOf("{distinct: 50, shares: {A: 0.9}}")).toMatchObject({ distinct: 50 });
  });

  test("a sentence is not understood, and it is said what was assumed", () => {
    const { properties, remarks } = read(
      `growth: {itemsPerDay: 864000}\n${OPERATIONS}\nproperties: {/a: {distinct: 9, distribution: mostly the first}}`,
    );
    expect(properties.get("/a")?.items).toEqual({ kind: "uniform" });
    expect(remarks).toEqual([
      "properties./a.distribution is a sentence ('mostly the first'); it was taken as an even distribution. docs/lab/workload.md lists the forms.",
    ]);
  });

  test("shares of values with the load of each are understood", () => {
    expect(
      shapeOf("{distinct: 9, distribution: '99 % at 90 min/day, 1 % at 360 min/day'}"),
    ).toMatchObject({
      items: {
        kind: "classes",
        classes: [
          { values: 0.99, weight: 90 },
          { values: 0.01, weight: 360 },
        ],
      },
    });
  });

  test("times of the example are found where they matter, and can be denied", () => {
    const text = `
item: {example: {id: x, born: "1990-05-01", at: "2026-05-01T10:00:00Z", day: "2026-05-01"}}
properties: {/day: {distinct: 30}, /born: {time: none}}
operations:
  - {kind: query, rate: 1, sql: "SELECT * FROM c WHERE c.at >= @from", params: {from: now - 3 days}}
`;
    const { properties } = read(text);
    expect([...properties].map(([path, { time }]) => [path, time])).toEqual([
      ["/day", "day"],
      ["/born", undefined],
      ["/at", "second"],
    ]);
  });
});

describe("operations and candidates", () => {
  test("a query may be described by the paths it filters on", () => {
    const operation = operationOf(
      "kind: query, rate: 1, equalityFilters: [/a/b], rangeFilters: [/ts]",
    );
    expect(operation.sql).toBe('SELECT * FROM c WHERE c["a"]["b"] = @b AND c["ts"] >= @ts');
  });

  test("paths beside the text are what the caller knows", () => {
    const sql = "sql: SELECT * FROM c WHERE c.a = 1";
    expect(operationOf(`kind: query, rate: 1, ${sql}, equalityFilters: [/a]`).knows).toBe(
      undefined,
    );
    expect(operationOf(`kind: query, rate: 1, ${sql}, equalityFilters: [/a, /b]`).knows).toEqual([
      "/b",
    ]);
    expect(operationOf("kind: pointRead, rate: 1, knows: []").knows).toEqual([]);
  });

  test("candidates: a text, a list of levels, an object", () => {
    const { candidates } = read(`${OPERATIONS}
candidates:
  - /tenantId
  - [/tenantId, /userId]
  - {id: m, synthetic: "concat( /vin,'-',MONTH(/ts) )"}
  - {id: h, key: "[/a, /b]", facts: {distinctKeys: 9, pins: [w], boundedFanout: {w: 2}, mutable: true}}`);
    expect(candidates.map(({ id, levels }) => [id, levels])).toEqual([
      ["/tenantId", ["/tenantId"]],
      ["[/tenantId, /userId]", ["/tenantId", "/userId"]],
      ["m", ["concat(/vin, '-', month(/ts))"]],
      ["h", ["/a", "/b"]],
    ]);
    expect(candidates[3]?.facts).toMatchObject({
      distinctKeys: 9,
      pins: ["w"],
      boundedFanout: new Map([["w", 2]]),
      isMutable: true,
      breaksTransactions: undefined,
    });
    expect(candidates[0]?.place).toBe("shop.yaml:3:5 candidates[0]");
  });

  test("members for other readers are left out with one remark", () => {
    const { remarks } = read(`growth: {itemsPerDay: 864000}
expected: {best: x}
limits: {a: 1}
operations: [{kind: create, rate: 10, colour: red, note: for people}]`);
    expect(remarks).toEqual([
      "Members that say nothing here were left out: operations[0].colour, expected, limits.",
    ]);
  });

  test("what does not fit together is remarked", () => {
    const { remarks } = read(`
item: {example: {id: x, a: 1}}
growth: {itemsPerDay: 5}
operations: [{kind: create, rate: 10}]
candidates: [/b, /a, /id]`);
    expect(remarks).toEqual([
      "growth.itemsPerDay is 5, but the operations create 864000 items a day; storage follows the first, load the second.",
      "candidates[0] uses /b, which neither the properties nor the example has.",
    ]);
  });
});

describe("problems", () => {
  test.each([
    ["", "yaml", ["1:1: The file is empty."]],
    [
      "a: 1",
      "yaml",
      ["1:1: There are no operations; what is asked of the container decides a key."],
    ],
    [
      "operations: []",
      "yaml",
      ["1:13 operations: There are no operations; what is asked of the container decides a key."],
    ],
    [
      "[1]",
      "yaml",
      [
        "1:1: This must be an object, not a list.",
        "1:1: There are no operations; what is asked of the container decides a key.",
      ],
    ],
    ['{"operations": [,]}', "json", ["1:17: Unexpected , in flow sequence."]],
    [
      '{"operations": [{"kind": "create", "rate": 1},]}',
      "json",
      ["1:46: This is not JSON: ',]}' cannot stand here."],
    ],
    [
      "operations: [{kind: create, rate: 1}]\noperations: []",
      "yaml",
      ["2:1: The same name stands here twice."],
    ],
  ] as const)("%s", (text, form, expected) => {
    expect(problemsOf(text, form)).toEqual(expected);
  });

  test.each([
    [
      "kind: create",
      ["1:14 operations[0]: It has no rate; say how often, as 12.5 (per second) or 300/min."],
    ],
    [
      "kind: create, rate: -1",
      [
        "1:35 operations[0].rate: -1 cannot be: this must be a rate: operations per second, or a text such as 5/min or 2 million/day.",
      ],
    ],
    [
      "kind: create, rate: often",
      [
        "1:35 operations[0].rate: This must be a rate: operations per second, or a text such as 5/min or 2 million/day, not 'often'.",
      ],
    ],
    ["kind: create, rate: 0", ["1:13 operations: No operation has a rate above 0."]],
    [
      "rate: 1",
      [
        "1:14 operations[0]: It has no kind: create, upsert, replace, patch, delete, pointRead, query.",
      ],
    ],
    [
      "kind: crate, rate: 1",
      ["1:21 operations[0].kind: 'crate' is not known. Did you mean create?"],
    ],
    [
      "kind: scan, rate: 1",
      [
        "1:21 operations[0].kind: 'scan' is not known. It is one of create, upsert, replace, patch, delete, pointRead, query.",
      ],
    ],
    [
      "kind: create, rate: 1, ratePerSec: 2",
      [
        "1:50 operations[0].ratePerSec: 'rate' and 'ratePerSec' are two spellings of the same; keep one.",
      ],
    ],
    [
      "kind: create, rate: 1, transactionScop: [/a]",
      [
        "1:55 operations[0].transactionScop: 'transactionScop' is not known. Did you mean 'transactionScope'?",
      ],
    ],
    [
      "kind: query, rate: 1",
      ["1:14 operations[0]: A query needs its text: sql: SELECT … FROM c WHERE …"],
    ],
    [
      "kind: pointRead, rate: 1, sql: SELECT 1",
      ["1:46 operations[0].sql: Only a query has this; 'pointRead' is about one item."],
    ],
    [
      "kind: query, rate: 1, sql: SELECT * FORM c",
      [
        "1:42 operations[0].sql: Syntax error, incorrect syntax near 'FORM'. (line 1, column 10 of the query)",
      ],
    ],
    [
      "kind: query, rate: 1, sql: 'SELECT * FROM c WHERE c.a = @form', params: {'@from': 1}",
      ["1:97 operations[0].params.@from: The query has no parameter @from. Did you mean @form?"],
    ],
    [
      "kind: create, rate: 1, hours: [1, 2]",
      ["1:45 operations[0].hours: These must be 24 numbers, one for each hour (UTC), not 2."],
    ],
    [
      "kind: patch, rate: 1, changes: [status]",
      [
        "1:47 operations[0].changes[0]: 'status' is not the path of a property; it begins with a slash: /status.",
      ],
    ],
    [
      "kind: create, rate: 1, peakFactor: 0.5",
      ["1:50 operations[0].peakFactor: 0.5 cannot be: this must be a factor of at least 1."],
    ],
  ])("an operation of %s", (members, expected) => {
    expect(problemsOf(withOperation(members))).toEqual(expected);
  });

  test.each([
    [
      "properties: {/a: {shares: {A: 0.8, B: 0.3}}}",
      "2:18 properties./a: The shares add up to 1.1; together they can be at most 1.",
    ],
    [
      "properties: {/a: {distinct: 2, shares: {A: 0.5, B: 0.3}}}",
      "2:18 properties./a: The shares add up to 0.8, not to 1, and no other value is left.",
    ],
    [
      "properties: {/a: {shares: {A: 0.5}}}",
      "2:18 properties./a: The shares add up to 0.5; say by 'distinct' how many values share the rest.",
    ],
    [
      "properties: {a: {}}",
      "2:17 properties.a: 'a' is not the path of a property; it begins with a slash: /a.",
    ],
    [
      "properties: {/a: {within: /b}, /b: {within: /a}}",
      "2:18 properties./a: /a would be within itself.",
    ],
    [
      "properties: {/a: {within: /b}}",
      "2:18 properties./a: It is within /b, which 'properties' does not describe.",
    ],
    [
      "properties: {/a: {distribution: {kind: zipf}}}",
      "2:33 properties./a.distribution: zipf needs its exponent: s.",
    ],
    ["candidates: ['concat(/a']", "2:14 candidates[0]: The key 'concat(/a' cannot be read: "],
    ["candidates: [{id: x}]", "2:14 candidates[0]: It has no key; write one as key: /tenantId"],
    ["candidates: [/a, /a]", "2:18 candidates[1]: There is another candidate with the id '/a'."],
    [
      "candidates: [{key: /a, facts: {pins: [v]}}]",
      "2:39 candidates[0].facts.pins[0]: There is no operation 'v'. Did you mean 'w'?",
    ],
    ["throughput: {mode: manual}", "2:13 throughput: It has no rate: ratePerSecond, in RU/s."],
    ["consistency: sesion", "2:14 consistency: 'sesion' is not known. Did you mean session?"],
    ["item: {example: [1]}", "2:17 item.example: The example must be an item: an object."],
    ["grwoth: {}", "2:9 grwoth: 'grwoth' is not known. Did you mean 'growth'?"],
    ["schemaVersion: 2", "2:16 schemaVersion: Version 2 of the form is not known; this reads 1."],
    [
      "item: {}\ndocument: {}",
      "3:11 document: 'item' and 'document' are two spellings of the same; keep one.",
    ],
  ])("%s", (text, expected) => {
    const [first] = problemsOf(`${OPERATIONS}\n${text}`);
    expect(first?.startsWith(expected), first).toBe(true);
  });

  test("all at once, in the order of the file", () => {
    const text = `
item: {bytes: huge}
growth: {peakFactor: 0}
operations:
  - {id: a, kind: create}
  - {id: a, kind: query, rate: 1, sql: SELEC 1}
  - {id: a, kind: create, rate: 1}
`;
    expect(problemsOf(text).map((problem) => problem.split(":", 2).join(":"))).toEqual([
      "2:15 item.bytes",
      "3:22 growth.peakFactor",
      "5:5 operations[0]",
      "6:40 operations[1].sql",
      "7:5 operations[2]",
    ]);
  });

  test("nothing in a file can make the reader fail otherwise", () => {
    const deep = `a: ${"[".repeat(5000)}${"]".repeat(5000)}`;
    const cycle = "operations: &a [*a]";
    const many = `a: &a [${"1, ".repeat(999)}1]\nb: &b [${"*a, ".repeat(999)}*a]\noperations: [*b]`;
    for (const text of [deep, cycle, many, "a: *gone", "? [a]\n: 1", "a: .nan", "\u0000"]) {
      expect(problemsOf(text).length, text.slice(0, 40)).toBeGreaterThan(0);
    }
  });
});
