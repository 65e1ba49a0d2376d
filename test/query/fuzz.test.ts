/**
 * Query texts with damage done to them: each gets rows or a refusal, never a failure, within
 * a bound, and others are served all the while.
 *
 * The short run is part of `npm test`; `ORRERY_FUZZ_COUNT` asks for more texts.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { seededRandom } from "../../src/base/world.ts";
import type { JsonValue } from "../../src/json/value.ts";
import type { Answer, Wire } from "../http/wire.ts";
import { expectStatus, ITEMS, openWire } from "../http/wire.ts";
import { readCaseFiles } from "./caseFile.ts";
import { drawQuery } from "./generate.ts";
import { Draw, drawItems } from "./generateItems.ts";

const COUNT = Number(process.env["ORRERY_FUZZ_COUNT"] ?? 400);
const SEED = Number(process.env["ORRERY_FUZZ_SEED"] ?? 1);
const PATIENCE_MS = 60_000 + COUNT * 50;
/**
 * What runs away takes minutes or for ever; these containers hold thirty items, and a query over
 * them takes milliseconds. Far above what a busy machine adds, far below what a defect does.
 */
const RUN_AWAY_MS = 20_000;
const QUERY_HEADERS = {
  "content-type": "application/query+json",
  "x-ms-documentdb-isquery": "True",
  "x-ms-documentdb-query-enablecrosspartition": "True",
};

let wire: Wire;
beforeAll(async () => {
  wire = await openWire();
  for (const item of drawItems(new Draw(seededRandom(SEED)), 30)) {
    const headers = { "x-ms-documentdb-partitionkey": '["a"]' };
    const body = JSON.stringify({ ...item, pk: "a" });
    await expectStatus(201, wire.call("POST", ITEMS, { headers, body }));
  }
});
afterAll(() => wire[Symbol.asyncDispose]());

function query(
  text: string,
  parameters: Readonly<Record<string, JsonValue>> = {},
): Promise<Answer> {
  const list = Object.entries(parameters).map(([name, value]) => ({ name, value }));
  const body = JSON.stringify({ query: text, parameters: list });
  return wire.call("POST", ITEMS, { headers: QUERY_HEADERS, body });
}

test(
  "damaged texts are answered",
  async () => {
    const kept = readCaseFiles().flatMap(({ queries }) => queries.map(({ text }) => text));
    const slow: string[] = [];
    for (let index = 0; index < COUNT; index++) {
      const draw = new Draw(seededRandom(SEED + index));
      const drawn = drawQuery(draw);
      const text = damaged(draw, draw.chance(0.5) ? drawn.text : draw.pick(kept));
      const startedAt = performance.now();
      const { status } = await query(text, drawn.parameters);
      expect([200, 400], text).toContain(status);
      if (performance.now() - startedAt > RUN_AWAY_MS) slow.push(text);
      if (index % 100 === 0) await wire.assertAlive();
    }
    expect(slow).toEqual([]);
  },
  PATIENCE_MS,
);

const TOKENS = [
  "SELECT",
  "VALUE",
  "FROM",
  "WHERE",
  "ORDER BY",
  "GROUP BY",
  "DISTINCT",
  "TOP",
  "OFFSET",
  "LIMIT",
  "JOIN",
  "IN",
  "LIKE",
  "BETWEEN",
  "EXISTS(",
  "ARRAY(",
  "FIRST(",
  "udf.",
  "COUNT(",
  "SUM(",
  "MAKELIST(",
  "c",
  "c.",
  "*",
  "(",
  ")",
  "[",
  "]",
  "{",
  "}",
  "?",
  "??",
  ":",
  ",",
  ".",
  "'",
  '"',
  "\\",
  "@p0",
  "@",
  "--",
  "/*",
  "*/",
  "1e999",
  "1e-999",
  "0x",
  "4294967296",
  "-1",
  "NaN",
  "Infinity",
  "undefined",
  "null",
  "NOT",
  "||",
  ">>>",
  "\u0000",
  "\ud800",
  "😀",
  "\u2028",
];

function damaged(draw: Draw, text: string): string {
  let damagedText = text;
  for (let count = 1 + draw.below(3); count > 0; count--)
    damagedText = damagedOnce(draw, damagedText);
  return damagedText;
}

function damagedOnce(draw: Draw, text: string): string {
  const at = draw.below(text.length + 1);
  const end = Math.min(text.length, at + draw.below(12));
  const [before, inside, after] = [text.slice(0, at), text.slice(at, end), text.slice(end)];
  switch (draw.below(8)) {
    case 0:
      return before + after;
    case 1:
      return before + inside + inside + after;
    case 2:
      return `${before} ${draw.pick(TOKENS)} ${inside}${after}`;
    case 3:
      return before + draw.pick(TOKENS) + after;
    case 4:
      return before;
    case 5:
      return wordsSwapped(draw, text);
    case 6:
      return (
        before + draw.pick(["(", "[", "NOT ", "-", "{a:", "(SELECT VALUE "]).repeat(200) + after
      );
    default:
      return before + String.fromCharCode(draw.below(0x10000)) + after;
  }
}

function wordsSwapped(draw: Draw, text: string): string {
  const words = text.split(/(\s+)/);
  const [a, b] = [draw.below(words.length), draw.below(words.length)];
  [words[a], words[b]] = [words[b]!, words[a]!];
  return words.join("");
}

test("texts of great length and depth are answered", async () => {
  const deep = (open: string, close: string): string =>
    `SELECT VALUE ${open.repeat(5000)}1${close.repeat(5000)} FROM c`;
  const texts = [
    deep("(", ")"),
    deep("[", "]"),
    deep("{a: ", "}"),
    deep("ABS(", ")"),
    deep("(SELECT VALUE ", ")"),
    deep("NOT ", ""),
    deep("- ", ""),
    `SELECT VALUE c${".x".repeat(20_000)} FROM c`,
    `SELECT VALUE 1 FROM c WHERE ${"c.a = 1 OR ".repeat(3000)} true`,
    `SELECT VALUE 1 FROM c WHERE ${"c.a = 1 AND ".repeat(3000)} true`,
    `SELECT VALUE ${"1 + ".repeat(20_000)} 1 FROM c`,
    `SELECT VALUE c.a IN (${"1, ".repeat(16_000)} 1) FROM c`,
    `SELECT VALUE "${"x".repeat(300_000)}"`,
    `SELECT ${"c.a, ".repeat(5000)} c.a FROM c`,
    `SELECT VALUE true ${"? true : true ".repeat(3000)}`,
    `SELECT VALUE ${"1 ?? ".repeat(3000)} 1`,
  ];
  for (const text of texts) {
    const { status } = await query(text);
    expect([200, 400], text.slice(0, 80)).toContain(status);
    await wire.assertAlive();
  }
});

test("a query that multiplies without end does not keep others waiting", async () => {
  const id = "many";
  const body = JSON.stringify({
    id,
    pk: "a",
    many: Array.from({ length: 100 }, (_, index) => index),
  });
  const headers = { "x-ms-documentdb-partitionkey": '["a"]' };
  await expectStatus(201, wire.call("POST", ITEMS, { headers, body }));
  const joins = Array.from({ length: 8 }, (_, index) => `JOIN x${index} IN c.many`).join(" ");
  const endless = query(`SELECT VALUE 1 FROM c ${joins} WHERE x0 + x7 < 0`);
  let isAnswered = false;
  const outcome = endless.then((answer) => {
    isAnswered = true;
    return answer;
  });
  let waitMsMax = 0;
  for (let count = 0; count < 200 && !isAnswered; count++) {
    const startedAt = performance.now();
    await wire.assertAlive();
    waitMsMax = Math.max(waitMsMax, performance.now() - startedAt);
  }
  const { status } = await outcome;
  expect([200, 400, 408, 429, 449]).toContain(status);
  expect(waitMsMax).toBeLessThan(RUN_AWAY_MS);
});

test.each([
  `SELECT VALUE REGEXMATCH("${"a".repeat(40)}!", "^(a+)+$") FROM c`,
  `SELECT VALUE REGEXMATCH("${"a".repeat(40)}!", "(a|aa)+$") FROM c`,
  `SELECT VALUE "${"a".repeat(2000)}" LIKE "${"%a".repeat(200)}b" FROM c`,
])("a pattern that backtracks does not stop the server: %s", async (text) => {
  // One that backtracks takes years: the limit of the test is enough to tell.
  const { status } = await query(text);
  expect([200, 400]).toContain(status);
});
