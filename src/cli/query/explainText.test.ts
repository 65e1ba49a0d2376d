/** An explanation, as people read it. */
import { expect, test } from "vitest";
import type { JsonObject } from "../../json/value.ts";
import { explainText } from "./explainText.ts";

const WORK: JsonObject = {
  partitions: ["0", "1"],
  access: ["seek", "index(3)", "seek"],
  lookups: 3,
  terms: 5,
  items: 4,
  itemBytes: 400,
  misses: 1,
  rows: 3,
  rowBytes: 90,
  compileMs: 0.5,
  indexMs: 1,
  loadMs: 2,
  totalMs: 4,
};

const PLAN: JsonObject = {
  step: "cut",
  top: "3",
  of: {
    step: "project",
    rows: "c.id",
    of: {
      step: "filter",
      condition: "(c.n > 3)",
      of: {
        step: "access",
        read: "seek, index",
        lookups: [
          { path: "/n", condition: ">", used: true },
          { or: [{ path: "/a", condition: "=", used: false }] },
        ],
        lookupsLeftOut: 7,
      },
    },
  },
};

test("the plan is a tree, and the work of all pages is added up", () => {
  expect(
    explainText([
      { plan: PLAN, work: WORK },
      { plan: PLAN, work: WORK },
    ]).split("\n"),
  ).toEqual([
    "top 3",
    "└─ project c.id",
    "   └─ filter (c.n > 3)",
    "      └─ read by seek, index",
    "           · /n >",
    "           · any of",
    "             · /a = (not used)",
    "           · and 7 more",
    "",
    "pages        2",
    "partitions   2: 0, 1",
    "read by      seek ×4, index(3) ×2",
    "lookups      6, with 10 terms",
    "items        8 (800 bytes), 2 of them in vain",
    "rows         6 (180 bytes)",
    "time         8.00 ms: index 2.00 ms, items 4.00 ms; compiling 1.00 ms",
    "",
  ]);
});

test.each<[string, JsonObject]>([
  ["sort by c.n DESC", { step: "sort", by: "c.n DESC" }],
  ["distinct", { step: "distinct" }],
  ["join t IN c.tags, u IN c.us", { step: "join", with: ["t IN c.tags", "u IN c.us"] }],
  ["group by c.k: COUNT, SUM", { step: "group", by: "c.k", aggregates: ["COUNT", "SUM"] }],
  ["aggregate COUNT", { step: "aggregate", aggregates: ["COUNT"] }],
  ["offset 1 limit 2", { step: "cut", offset: "1", limit: "2" }],
  ["collect the rows of a query", { step: "collect" }],
  ["one row from nothing", { step: "constant" }],
  [
    "read by order by index /n DESC",
    { step: "access", read: "order by index", order: ["/n DESC"] },
  ],
  ["read by seek, placement", { step: "access", read: "seek", scope: "placement" }],
  ["something newer", { step: "something newer" }],
])("the step '%s'", (line, plan) => {
  expect(explainText([{ plan, work: {} }]).split("\n")[0]).toBe(line);
});
