/**
 * The change feed of a container over several physical partitions: where it begins, who gets which
 * share of a page, what is refused. That nothing is missed, repeated or out of order whatever
 * happens meanwhile is in `feedStory.test.ts`.
 */
import { describe, expect, test } from "vitest";
import { assert } from "../../base/assert.ts";
import { lsn } from "../../base/units.ts";
import type { JsonObject } from "../../json/value.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { Container } from "../partition/container.ts";
import type { Simulated } from "../simulatedAccount.fake.ts";
import {
  containerIn,
  databaseIn,
  LIMITED,
  settled,
  simulatedAccount,
  spend,
} from "../simulatedAccount.fake.ts";
import { askChanges, changesOf, objectsOf, redefine, write } from "../simulatedRequests.fake.ts";
import type { ChangeFeedPage, ChangeFeedRequest, FeedStart } from "./changeFeed.ts";

const KEPT = { changeFeedPolicy: { retentionDuration: 10 } };
const goingOn = (page: ChangeFeedPage): FeedStart => ({ kind: "after", progress: page.progress });
const at = (position: number): FeedStart => ({
  kind: "after",
  progress: { kind: "number", lsn: lsn(position) },
});

describe("a reader of the latest versions", () => {
  test("begins with what there is, and then waits for more", async () => {
    const stage = await opened(1);
    await stage.write(0, "a");
    const first = await stage.changes();
    expect([ids(first), first.isUnchanged]).toEqual(["a", false]);
    const second = await stage.changes({ start: goingOn(first) });
    expect([ids(second), second.isUnchanged]).toEqual(["", true]);
    await stage.write(0, "b");
    const third = await stage.changes({ start: goingOn(second) });
    expect([ids(third), third.isUnchanged]).toEqual(["b", false]);
  });

  test("may begin now, and sees nothing older", async () => {
    const stage = await opened(2);
    await stage.write(0, "a");
    const first = await stage.changes({ start: { kind: "now" } });
    expect(first.isUnchanged).toBe(true);
    await stage.write(1, "b");
    await stage.write(0, "c");
    expect(ids(await stage.changes({ start: goingOn(first) }))).toBe("c b");
  });

  test("may begin at a time", async () => {
    const stage = await opened(2);
    await stage.write(0, "a");
    await stage.write(1, "b");
    stage.time.skip(10_000);
    const time = stage.time.clock.wallNow();
    expect(ids(await stage.changes({ start: { kind: "time", at: time } }))).toBe("");
    await stage.write(1, "c");
    await stage.write(0, "d");
    expect(ids(await stage.changes({ start: { kind: "time", at: time } }))).toBe("d c");
  });

  test("of an empty container is told so", async () => {
    const stage = await opened(3);
    expect(await stage.changes()).toMatchObject({ isUnchanged: true, charge: 3, rows: [] });
  });

  test("comes to the end in pages of any size", async () => {
    const stage = await opened(3);
    for (let n = 0; n < 20; n++) await stage.write(n % 3, `${n}`);
    for (const countMax of [1, 2, 5, 100]) {
      const seen: string[] = [];
      let page = await stage.changes({ countMax });
      for (let pages = 0; !page.isUnchanged && pages < 40; pages++) {
        seen.push(...ids(page).split(" "));
        page = await stage.changes({ countMax, start: goingOn(page) });
      }
      expect(seen.map(Number).sort((a, b) => a - b)).toEqual(
        Array.from({ length: 20 }, (_, n) => n),
      );
    }
  });
});

describe("every physical partition has its share of a page", () => {
  test("by count", async () => {
    const stage = await opened(2);
    for (let n = 0; n < 20; n++) await stage.write(0, `${n}`);
    await stage.write(1, "x");
    expect(ids(await stage.changes({ countMax: 4 }))).toBe("0 1 x");
  });

  test("by bytes", async () => {
    const limits = { ...SERVICE_LIMITS, pageBytesMax: 4000 };
    const stage = await opened(2, { limits });
    for (let n = 0; n < 20; n++) await stage.write(0, `${n}`, { text: "x".repeat(500) });
    await stage.write(1, "x");
    const page = await stage.changes();
    expect(ids(page).split(" ").at(-1)).toBe("x");
    expect(page.rows.length).toBeLessThan(8);
  });

  test("and pays for it", async () => {
    const stage = await opened(2);
    for (let n = 0; n < 5; n++) await stage.write(0, `${n}`);
    const before = stage.spent();
    const { charge, charges } = await stage.changes();
    const each = [...charges.values()];
    expect(each.length).toBe(2);
    expect(charge).toBeCloseTo(each[0]! + each[1]!, 6);
    expect(stage.spent() - before).toBeCloseTo(charge, 6);
  });
});

describe("a physical partition that may not spend any more", () => {
  test.each([0, 1])("does not keep the others from being read, be it number %i", async (empty) => {
    const stage = await opened(2, { rates: LIMITED });
    await stage.write(0, "a");
    await stage.write(1, "b");
    await stage.time.advance(5000);
    spend(stage.container, String(empty), 10_000);
    const page = await stage.changes();
    expect([ids(page), page.isUnchanged]).toEqual([empty === 0 ? "b" : "a", false]);
    // There is nothing but what nobody may read now: who came back at once would come for nothing.
    expect(await stage.asked({ start: goingOn(page) })).toMatchObject({ kind: "throttled" });
    await stage.time.advance(60_000);
    const rest = await stage.changes({ start: goingOn(page) });
    expect(ids(rest)).toBe(empty === 0 ? "a" : "b");
  });

  test("refuses the page if there is no other", async () => {
    const stage = await opened(1, { rates: LIMITED });
    spend(stage.container, "0", 10_000);
    expect(await stage.asked()).toMatchObject({ kind: "throttled" });
  });
});

describe("what is refused", () => {
  test.each<[rule: string, body: JsonObject, asked: Partial<ChangeFeedRequest>, message: string]>([
    ["all versions, where none are kept", {}, { mode: "all", start: { kind: "now" } }, "keeps no"],
    ["all versions from the beginning", KEPT, { mode: "all" }, "within the retention period"],
    [
      "all versions from a time",
      KEPT,
      { mode: "all", start: { kind: "time", at: 0 } },
      "within the retention period",
    ],
    ["a position that is ahead", {}, { start: at(99) }, "ahead of the container"],
    [
      "a position that is about fewer keys",
      {},
      { start: { kind: "after", progress: { kind: "marks", marks: [] } } },
      "not about all of the keys",
    ],
  ])("%s", async (_rule, body, asked, message) => {
    const stage = await opened(2, {}, body);
    await stage.write(0, "a");
    expect(await stage.asked(asked)).toMatchObject({ message: expect.stringContaining(message) });
  });
});

describe("retention", () => {
  test("keeps a version for all of its time, and not much longer", async () => {
    const stage = await opened(1, {}, KEPT);
    const begun = await stage.changes({ mode: "all", start: { kind: "now" } });
    stage.time.skip(900);
    await stage.write(0, "a");
    // A minute less a tenth of a second, then the rest and two rounds of sweeping.
    await stage.time.advance(10 * 60_000 - 100);
    expect((await stage.changes({ mode: "all", start: goingOn(begun) })).rows.length).toBe(1);
    await stage.time.advance(130_000);
    expect(await stage.asked({ mode: "all", start: goingOn(begun) })).toMatchObject({
      message: expect.stringContaining("within the retention period"),
    });
  });

  test("does not end for who has read all, however long nothing happens", async () => {
    const stage = await opened(1, {}, KEPT);
    await stage.write(0, "a");
    const begun = await stage.changes({ mode: "all", start: { kind: "now" } });
    await stage.time.advance(3 * 60 * 60_000);
    await stage.write(0, "b");
    const page = await stage.changes({ mode: "all", start: goingOn(begun) });
    expect(page.rows.length).toBe(1);
  });

  test("that ends while a page is read refuses the page: it would have a gap", async () => {
    for (let turns = 0; turns < 60; turns += 3) {
      const stage = await opened(1, {}, KEPT);
      const begun = await stage.changes({ mode: "all", start: { kind: "now" } });
      for (const id of ["a", "b", "c"]) await stage.write(0, id);
      stage.trouble.isDistant = true;
      const [partition] = stage.container.partitions.values();
      const asked = askChanges(stage.account, stage.container, {
        mode: "all",
        start: goingOn(begun),
      });
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      await partition!.exclusively(() => partition!.sweepLog(lsn(2)));
      const page = await asked;
      expect(page.ok ? page.value.rows.length : "refused").toBeOneOf([3, "refused"]);
    }
  });

  test("begins anew where versions are kept again", async () => {
    const stage = await opened(1, {}, KEPT);
    const begun = await stage.changes({ mode: "all", start: { kind: "now" } });
    await stage.write(0, "a");
    await redefine(stage.account, stage.container, { changeFeedPolicy: undefined });
    await stage.write(0, "b");
    await redefine(stage.account, stage.container, KEPT);
    expect(await stage.asked({ mode: "all", start: goingOn(begun) })).toMatchObject({
      message: expect.stringContaining("within the retention period"),
    });
    const now = await stage.changes({ mode: "all", start: { kind: "now" } });
    await stage.write(0, "c");
    expect((await stage.changes({ mode: "all", start: goingOn(now) })).rows.length).toBe(1);
  });
});

test("a position outlives splits and merges", async () => {
  const stage = await opened(2);
  for (let n = 0; n < 12; n++) await stage.write(n % 2, `${n}`);
  const first = await stage.changes({ countMax: 4 });
  const { reshaping } = stage.account;
  await reshaping.request(stage.container, { kind: "split", partitionId: "1", at: "middle" });
  const [left, right] = stage.container.map.entries.map(({ id }) => id);
  await reshaping.request(stage.container, { kind: "merge", partitionIds: [left!, right!] });
  await settled();
  await stage.write(0, "x");
  const seen = ids(first).split(" ");
  let page = await stage.changes({ countMax: 3, start: goingOn(first) });
  for (; !page.isUnchanged; page = await stage.changes({ countMax: 3, start: goingOn(page) })) {
    seen.push(...ids(page).split(" "));
  }
  expect(seen.sort()).toEqual([...Array.from({ length: 12 }, (_, n) => `${n}`), "x"].sort());
});

test("after a merge nobody has a gap: who is behind what one side had forgotten is told", async () => {
  const stage = await opened(1);
  const { account, container } = stage;
  const { reshaping } = account;
  await reshaping.request(container, { kind: "split", partitionId: "0", at: "middle" });
  for (let n = 0; n < 5; n++) await stage.write(0, `${n}`);
  await redefine(account, container, KEPT);
  const begun = await stage.changes({ mode: "all", start: { kind: "now" } });
  for (const place of [0, 1]) await stage.write(place, "x");
  const first = await stage.changes({ mode: "all", start: goingOn(begun) });
  expect(first.rows.length).toBe(2);
  const merged = { kind: "merge", partitionIds: ["1", "2"] } as const;
  expect((await reshaping.request(container, merged)).ok).toBe(true);
  for (const [page, count] of [
    [begun, 2],
    [first, 0],
  ] as const) {
    const next = await askChanges(account, container, { mode: "all", start: goingOn(page) });
    expect(next.ok ? next.value.rows.length : next.error.kind).toBeOneOf([count, "badRequest"]);
  }
});

test("whoever asks again with what he was told is never ahead, while somebody writes", async () => {
  const stage = await opened(1);
  stage.trouble.isDistant = true;
  const writing = Promise.all(["a", "b", "c"].map((id) => stage.write(0, id)));
  const twice: Promise<boolean>[] = [];
  for (let turn = 0; turn < 150; turn++) {
    const again = stage.changes().then((page) => stage.changes({ start: goingOn(page) }));
    twice.push(again.then(() => true));
    await Promise.resolve();
  }
  expect((await Promise.all(twice)).every(Boolean)).toBe(true);
  await writing;
});

function ids({ rows }: ChangeFeedPage): string {
  return objectsOf(rows)
    .map(({ id }) => id)
    .join(" ");
}

interface Stage extends Simulated {
  readonly container: Container;
  /** Writes an item that the physical partition at this place owns. */
  readonly write: (place: number, id: string, members?: JsonObject) => Promise<unknown>;
  readonly changes: (asked?: Partial<ChangeFeedRequest>) => Promise<ChangeFeedPage>;
  /** Why such a page is refused. */
  readonly asked: (asked?: Partial<ChangeFeedRequest>) => Promise<unknown>;
  /** In RU, by all. */
  readonly spent: () => number;
}

async function opened(
  partitionCount: number,
  more: Parameters<typeof simulatedAccount>[0] = {},
  body: JsonObject = {},
): Promise<Stage> {
  const simulated = await simulatedAccount(more);
  const { account } = simulated;
  const throughput = { kind: "manual", ratePerSecond: 10_000 * partitionCount } as const;
  const container = await containerIn(account, await databaseIn(account), throughput, body);
  assert(container.map.entries.length === partitionCount, "there are as many as the rate needs");
  const keyIn = (place: number): string => {
    for (let n = 0; ; n++) {
      const routed = account.route(container, [`k${n}`]);
      const { min, max } = container.map.entries[place]!.range;
      if (routed.ok && min <= routed.value.epk && routed.value.epk < max) return `k${n}`;
    }
  };
  return {
    ...simulated,
    container,
    write: (place, id, members = {}) =>
      write(account, container, "upsert", id, members, keyIn(place)),
    changes: (asked) => changesOf(account, container, asked),
    asked: async (asked) => {
      const page = await askChanges(account, container, asked);
      return page.ok ? "a page" : page.error;
    },
    spent: () =>
      [...container.partitions.values()].reduce((sum, { spending }) => sum + spending.totals.ru, 0),
  };
}
