/** Queries over a list of resources: any query, in pages of any size. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../base/world.ts";
import type { JsonValue } from "../../json/value.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { realClock, realTimer } from "../../server/surroundings/realWorld.ts";
import { CursorKey } from "../cursor/cursorKey.ts";
import type { ListMember } from "./listQuery.ts";
import { queryList } from "./listQuery.ts";

const SETTING = {
  limits: SERVICE_LIMITS,
  clock: realClock,
  timer: realTimer,
  random: seededRandom(1),
  cursorKey: new CursorKey(Buffer.alloc(32, 7)),
};
const MEMBERS: readonly ListMember[] = [3, 1, 7, 4].map((number) => ({
  number,
  body: { id: `d${number}`, even: number % 2 === 0, _ts: 100 - number },
}));

const RULES: readonly (readonly [query: string, rows: readonly unknown[]])[] = [
  ["SELECT VALUE r.id FROM root r", ["d1", "d3", "d4", "d7"]],
  ["SELECT r.id FROM root r WHERE r.id = @id", [{ id: "d4" }]],
  ["SELECT * FROM r WHERE r.id = 'd3'", [{ id: "d3", even: false, _ts: 97 }]],
  ["SELECT VALUE r.id FROM r WHERE STARTSWITH(r.id, 'd') AND r._ts < 97", ["d4", "d7"]],
  ["SELECT VALUE r.id FROM r ORDER BY r._ts", ["d7", "d4", "d3", "d1"]],
  ["SELECT VALUE r.id FROM r ORDER BY r.even, r.id DESC", ["d7", "d3", "d1", "d4"]],
  ["SELECT VALUE r.id FROM r ORDER BY r.id DESC OFFSET 1 LIMIT 2", ["d4", "d3"]],
  ["SELECT TOP 1 VALUE r.id FROM r", ["d1"]],
  ["SELECT VALUE COUNT(1) FROM r", [4]],
  [
    "SELECT r.even, COUNT(1) AS n FROM r GROUP BY r.even",
    [
      { even: false, n: 3 },
      { even: true, n: 1 },
    ],
  ],
  ["SELECT DISTINCT VALUE r.even FROM r", [false, true]],
  ["SELECT VALUE 1", [1]],
];

describe("a query over a list", () => {
  test.each(RULES)("%s", async (text, rows) => {
    expect(await rowsOf(text, 100)).toEqual(rows);
    expect(await rowsOf(text, 1)).toEqual(rows);
  });

  test.each([
    ["SELECT", "badQuery"],
    ["SELECT VALUE x.id FROM r", "badQuery"],
  ])("%s is refused", async (text, kind) => {
    expect(await pageOf(text, 100, undefined)).toMatchObject({ ok: false, error: { kind } });
  });

  test("a parameter that is not in the list is undefined", async () => {
    expect(await rowsOf("SELECT * FROM r WHERE r.id = @other", 100)).toEqual([]);
    const all = await rowsOf("SELECT VALUE r.id FROM r", 100);
    expect(await rowsOf("SELECT VALUE @other ?? r.id FROM r", 100)).toEqual(all);
  });

  test("goes on only where it has been before", async () => {
    const page = await pageOf("SELECT * FROM r", 1, undefined);
    const continuation = page.ok ? page.value.continuation : undefined;
    expect(continuation).toBeTruthy();
    expect(await pageOf("SELECT * FROM r", 1, continuation)).toMatchObject({ ok: true });
    const others: readonly (readonly [text: string, sent: string, owner?: string])[] = [
      ["SELECT * FROM r", ""],
      ["SELECT * FROM r", "1"],
      ["SELECT * FROM r", "{}"],
      ["SELECT * FROM r", continuation!, "other"],
      ["SELECT * FROM r WHERE true", continuation!],
      ["SELECT * FROM r ORDER BY r.id", continuation!],
    ];
    for (const [text, sent, owner] of others) {
      const answer = await pageOf(text, 1, sent, MEMBERS, owner);
      expect(answer).toMatchObject({ ok: false, error: { kind: "badRequest" } });
    }
    // The same text in other letters is the same query.
    expect(await pageOf("select  *\nfrom r", 1, continuation)).toMatchObject({ ok: true });
  });

  test("gives the same rows in pages of any size, whatever the numbers", async () => {
    const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 1000 }), { maxLength: 20 });
    const orders = fc.constantFrom("", "ORDER BY r.rest", "ORDER BY r.rest DESC, r.id");
    await fc.assert(
      fc.asyncProperty(
        numbers,
        orders,
        fc.integer({ min: 1, max: 7 }),
        async (all, order, size) => {
          const members = all.map((number) => ({
            number,
            body: { id: String(number), rest: number % 5 },
          }));
          const text = `SELECT VALUE r.id FROM r ${order}`;
          const whole = await rowsOf(text, 1000, members);
          expect(await rowsOf(text, size, members)).toEqual(whole);
          expect([...whole].map(Number).sort((a, b) => a - b)).toEqual(all.sort((a, b) => a - b));
        },
      ),
    );
  });
});

function pageOf(
  text: string,
  countMax: number,
  continuation: string | undefined,
  members: readonly ListMember[] = MEMBERS,
  ownerRid = "owner",
): ReturnType<typeof queryList> {
  const parameters = new Map<string, JsonValue>([["@id", "d4"]]);
  const parameterNames = new Set(parameters.keys());
  return queryList(SETTING, {
    text,
    parameters,
    parameterNames,
    ownerRid,
    members,
    continuation,
    countMax,
  });
}

async function rowsOf(
  text: string,
  countMax: number,
  members: readonly ListMember[] = MEMBERS,
): Promise<readonly unknown[]> {
  const rows: unknown[] = [];
  let continuation: string | undefined;
  do {
    const page = await pageOf(text, countMax, continuation, members);
    if (!page.ok) throw new Error(JSON.stringify(page.error));
    expect(page.value.rows.length).toBeLessThanOrEqual(countMax);
    rows.push(...page.value.rows.map((row) => JSON.parse(row.toString()) as unknown));
    continuation = page.value.continuation;
  } while (continuation !== undefined);
  return rows;
}
