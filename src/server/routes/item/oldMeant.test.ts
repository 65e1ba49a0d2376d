/**
 * After a switch of names: what clients get that say with every request which container they mean,
 * and mean the one of before. The Java and the Python client are such. They go on by its ranges and
 * continuations, and are not told of the switch until the old container is no longer kept.
 */
import { describe, expect, test } from "vitest";
import { assert } from "../../../base/assert.ts";
import { simulatedScripts } from "../../../engine/script/simulatedScripts.fake.ts";
import { HEADER } from "../../../protocol/wire/headerNames.ts";
import {
  type Asked,
  DOCS,
  formerStage,
  ITEM_COUNT,
  idsIn,
  idsWhere,
  itemOf,
  keyed,
  QUERY,
} from "./formerStage.fake.ts";

const ALL = { query: "SELECT * FROM c" };
const CHANGES = { "a-im": "Incremental Feed" };
const { pk: OLD_KEY } = itemOf(7);
const ITEM = `${DOCS}/i7`;

/** The header that says which container is meant. */
function meaning({ rid }: { readonly rid: string }): Record<string, string> {
  return { [HEADER.intendedRid]: rid };
}

function between(min: string, max: string): Record<string, string> {
  return { [HEADER.startEpk]: min, [HEADER.endEpk]: max };
}

describe("an item", () => {
  test.each<[string, Asked, number]>([
    ["is read", ["GET", ITEM, keyed(OLD_KEY)], 200],
    ["is created", ["POST", DOCS, keyed("p1"), { ...itemOf(7), id: "n" }], 201],
    ["is replaced", ["PUT", ITEM, keyed(OLD_KEY), { ...itemOf(7), n: 1 }], 200],
    ["is deleted", ["DELETE", ITEM, keyed(OLD_KEY)], 204],
    ["is not found", ["GET", `${DOCS}/x`, keyed(OLD_KEY)], 404],
    [
      "is written in a transaction",
      [
        "POST",
        DOCS,
        { ...keyed("p1"), [HEADER.isBatch]: "true", [HEADER.isBatchAtomic]: "true" },
        [{ operationType: "Create", resourceBody: { ...itemOf(7), id: "n" } }],
      ],
      200,
    ],
  ])("%s, and the answer names a range that the client knows", async (_what, asked, status) => {
    const { ask, old } = await formerStage();
    const [method, url, headers, body] = asked;
    const answer = await ask(method, url, { ...headers, ...meaning(old) }, body);
    expect(answer.status).toBe(status);
    const [{ id, range }] = old.map.entries as [(typeof old.map.entries)[number]];
    assert(range.max === "FF", "there are several ranges");
    expect(answer.headers.get(HEADER.rangeId)).toBe(id);
    expect(answer.headers.get(HEADER.sessionToken)).toMatch(new RegExp(`^${id}:`));
  });

  test("is in the session of who wrote it", async () => {
    const { ask, old } = await formerStage();
    const meant = { ...keyed("p1"), ...meaning(old) };
    const made = await ask("POST", DOCS, meant, { ...itemOf(1), id: "n" });
    const session = { [HEADER.sessionToken]: made.headers.get(HEADER.sessionToken)! };
    expect((await ask("GET", `${DOCS}/n`, { ...meant, ...session })).status).toBe(200);
    const page = await ask("POST", DOCS, { ...QUERY, ...meant, ...session }, ALL);
    expect(idsIn(page)).toContain("n");
  });
});

test("the ranges are those of before, and stay as they are", async () => {
  const { ask, old } = await formerStage();
  const RANGES = "/dbs/d/colls/c/pkranges";
  const ranges = await ask("GET", RANGES, meaning(old));
  const { value } = ranges as unknown as { value: { PartitionKeyRanges: { id: string }[] } };
  expect(value).toMatchObject({ _rid: old.rid });
  expect(value.PartitionKeyRanges.map(({ id }) => id)).toEqual(old.map.entries.map(({ id }) => id));
  const etag = { "if-none-match": ranges.headers.get("etag")! };
  expect((await ask("GET", RANGES, { ...meaning(old), ...etag })).status).toBe(304);
  const other = await ask("GET", RANGES, { ...meaning({ rid: "other" }) });
  expect(other).toMatchObject({ status: 200, value: { _rid: expect.not.stringMatching(old.rid) } });
});

describe("pages", () => {
  const MIDDLE = "20000000000000000000000000000000";

  test.each<[string, string, Record<string, string>, typeof ALL | undefined]>([
    ["changes", "GET", CHANGES, undefined],
    ["a feed", "GET", {}, undefined],
    ["a query", "POST", QUERY, ALL],
  ])("of %s, one part from before and one since, have every item", async (...row) => {
    const [, method, headers, body] = row;
    const first = { ...headers, ...between("", MIDDLE) };
    const { ask, old, before } = await formerStage([[method, DOCS, first, body]]);
    const second = { ...headers, ...between(MIDDLE, "FF"), ...meaning(old) };
    const since = await ask(method, DOCS, second, body);
    const parts = [before[0]!, since].map(idsIn);
    expect(parts.every(({ length }) => length > 0 && length < ITEM_COUNT)).toBe(true);
    expect(parts.flat().sort()).toEqual(idsWhere(() => true));
  });

  test("of changes go on from a position of before, in every range, with what came since", async () => {
    const whole = { ...CHANGES, [HEADER.rangeId]: "0" };
    const { ask, old, before } = await formerStage([["GET", DOCS, whole]]);
    expect(old.map.entries.map(({ id }) => id)).toEqual(["0"]);
    await ask("POST", DOCS, { ...keyed("p1"), ...meaning(old) }, { ...itemOf(1), id: "n" });
    const from = { "if-none-match": before[0]!.headers.get("etag")! };
    const next = await ask("GET", DOCS, { ...whole, ...meaning(old), ...from });
    expect([next.status, idsIn(next)]).toEqual([200, ["n"]]);
    const rest = { "if-none-match": next.headers.get("etag")! };
    expect((await ask("GET", DOCS, { ...whole, ...meaning(old), ...rest })).status).toBe(304);
  });

  test("are counted as requests in terms of before", async () => {
    const { ask, old, now } = await formerStage();
    await ask("POST", DOCS, { ...QUERY, ...meaning(old) }, ALL);
    expect([...now.former!.counts.values()]).toEqual([1]);
  });
});

describe("what is done under a key as a whole", () => {
  const SPROCS = "/dbs/d/colls/c/sprocs";
  const DELETION = "/dbs/d/colls/c/operations/partitionkeydelete";

  // There is a key t1 in both containers, but it stands for other items in each.
  const both: Asked = ["POST", DOCS, keyed("t1"), { id: "both", pk: "t1", tenant: "t2" }];

  test("is refused, because the key is one of before even if there is the same one now", async () => {
    const scripts = simulatedScripts({ p: async () => "1" });
    const stored: Asked = ["POST", SPROCS, {}, { id: "p", body: "p" }];
    const { ask, old, time } = await formerStage([both, stored], ["/tenant"], { scripts });
    const meant = { ...keyed("t1"), ...meaning(old) };
    expect((await ask("POST", DELETION, meant)).status).toBe(400);
    await time.advance(2000);
    const page = await ask("POST", DOCS, { ...QUERY, ...keyed("t1") }, ALL);
    expect(idsIn(page)).toEqual(idsWhere(({ tenant }) => tenant === "t1"));
    await ask(...stored);
    expect((await ask("POST", `${SPROCS}/p`, meant, [])).status).toBe(400);
    expect(scripts.runs).toHaveLength(0);
    expect((await ask("POST", `${SPROCS}/p`, keyed("t1"), [])).status).toBe(200);
  });

  test("is done where the key is the same as before", async () => {
    const { ask, old } = await formerStage([], ["/pk"]);
    expect((await ask("POST", DELETION, { ...keyed("p1"), ...meaning(old) })).status).toBe(200);
  });
});

describe("a client is told to look again", () => {
  test("if it means a container that never had the name", async () => {
    const { ask } = await formerStage();
    const stale = await ask("GET", ITEM, { ...keyed(OLD_KEY), ...meaning({ rid: "other" }) });
    expect([stale.status, stale.headers.get(HEADER.substatus)]).toEqual([400, "1024"]);
  });

  test("once the job is completed", async () => {
    const { ask, old, account, time } = await formerStage();
    const [run] = account.jobs.copying.runs;
    expect((await account.jobs.copying.command(run!, "complete", {})).ok).toBe(true);
    await time.advance(2000);
    const stale = await ask("GET", ITEM, { ...keyed(OLD_KEY), ...meaning(old) });
    expect([stale.status, stale.headers.get(HEADER.substatus)]).toEqual([400, "1024"]);
  });
});
