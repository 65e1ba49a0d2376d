/** Comparing while both sides are written, split and merged: lag is no difference. */
import { describe, expect, test } from "vitest";
import type { Random } from "../../base/world.ts";
import { seededRandom } from "../../base/world.ts";
import type { StoredItem } from "../../store/partitionStore.ts";
import { objectOf } from "../item/itemBody.ts";
import { idOfKey, itemKeyOf } from "../item/itemKey.ts";
import type { CopiedContainers } from "./copiedContainers.fake.ts";
import { copiedContainers, GO_ON } from "./copiedContainers.fake.ts";

describe("while writers are at it", () => {
  test.each([1, 2])("nothing that is equal is called different, with seed %d", async (seed) => {
    const stand = await copiedContainers();
    const random = seededRandom(seed);
    for (let n = 0; n < 300; n++) await change(stand, random);
    await stand.copy();
    const { comparison } = stand;
    let isOver = false;
    stand.simulated.trouble.isDistant = true;
    const writers = [1, 2, 3].map(async () => {
      while (!isOver) await change(stand, random);
    });
    const copier = async (): Promise<void> => {
      while (!isOver) await stand.copy();
    };
    const copying = copier();
    for (let run = 0; run < 3; run++) {
      await comparison.run({ ...GO_ON, isWhole: run === 1 });
      expect(comparison.report.differences).toEqual([]);
      expect(comparison.report.targetSum).toBe(comparison.report.sum);
    }
    isOver = true;
    await Promise.all([...writers, copying]);
    stand.simulated.trouble.isDistant = false;
    await stand.copy();
    await comparison.run(GO_ON);
    expect(comparison.report).toMatchObject({ state: "fresh", inMotionCount: 0 });
    const fresh = stand.another();
    await fresh.run(GO_ON);
    expect(comparison.report.sum).toBe(fresh.report.sum);
    expect(comparison.ranges).toEqual(fresh.ranges);
  });

  test("a copier that is far behind is waited for", async () => {
    const stand = await copiedContainers();
    for (let n = 0; n < 400; n++) await stand.put(`i${n}`, { to: "a", n });
    let count = 0;
    stand.caughtUp = async () => {
      count++;
      await stand.copy();
      return true;
    };
    await stand.comparison.run(GO_ON);
    expect(stand.comparison.report).toMatchObject({ state: "fresh", comparedCount: 400 });
    // Read by the scan, when the target had caught up, and because the target's log names them.
    expect(stand.comparison.report.readCount).toBe(1200);
    expect(count).toBe(1);
  });

  test("an item that is new at every look is in motion, and equal when it rests", async () => {
    const stand = await restless();
    await stand.comparison.run(GO_ON);
    expect(stand.comparison.report).toMatchObject({
      state: "fresh",
      differences: [],
      inMotionCount: 1,
      comparedCount: 499,
    });
    stand.caughtUp = async () => {
      await stand.copy();
      return true;
    };
    await stand.comparison.run(GO_ON);
    expect(stand.comparison.report).toMatchObject({
      state: "fresh",
      inMotionCount: 0,
      comparedCount: 500,
      wholeBecause: undefined,
    });
  });

  test("an item that changes all the time and is never copied is a difference", async () => {
    const stand = await restless();
    stand.neglected.add(stand.numberOf("i7"));
    await stand.comparison.run(GO_ON);
    expect(stand.comparison.report).toMatchObject({ state: "differs", inMotionCount: 0 });
    expect(stand.comparison.report.differences).toEqual([
      { kind: "differs", id: "i7", newKey: ["a"] },
    ]);
  });

  test("splits and a merge in the middle of a run change nothing", async () => {
    const stand = await copiedContainers();
    for (let n = 0; n < 900; n++) await stand.put(`i${n}`, { to: `t${n % 90}`, n });
    await stand.copy();
    const before = stand.another();
    await before.run(GO_ON);
    const plans = [
      ["source", { kind: "split", partitionId: "0", at: "middle" }],
      ["target", { kind: "split", partitionId: "0", at: "middle" }],
      ["source", { kind: "merge", partitionIds: ["1", "2"] }],
    ] as const;
    let step = 0;
    const pace = async (): Promise<void> => {
      const plan = plans[step++];
      if (plan === undefined) return;
      expect((await stand.account.reshaping.request(stand[plan[0]], plan[1])).ok).toBe(true);
    };
    await stand.comparison.run({ ...GO_ON, pace });
    expect(step).toBeGreaterThanOrEqual(plans.length);
    expect(stand.comparison.report).toMatchObject({ state: "fresh", comparedCount: 900 });
    // Every row was read once, before a split or after it.
    expect(stand.comparison.report.readCount).toBe(900);
    expect(stand.comparison.report.sum).toBe(before.report.sum);
  });
});

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  "runs find what a naive comparison finds, after any row of changes and mistakes, with seed %d",
  async (seed) => {
    const random = seededRandom(seed);
    const keepsStamps = random.next() < 0.7;
    const numberShift = random.next() < 0.5 ? 0 : 2 ** 41;
    const stand = await copiedContainers({ keepsStamps, numberShift });
    for (let round = 0; round < 8; round++) {
      const count = random.next() < 0.3 ? 60 : 6;
      for (let n = 0; n < count; n++) await change(stand, random);
      await stand.copy();
      if (random.next() < 0.5) await blunder(stand, random);
      if (random.next() < 0.4) await reshape(stand, random);
      if (random.next() < 0.3) stand.neglected.clear();
      await stand.comparison.run({ ...GO_ON, isWhole: random.next() < 0.2 });
      const { differences, sum, targetSum } = stand.comparison.report;
      const found = differences!.map(({ kind, id }) => `${kind} ${id}`);
      expect(found.sort()).toEqual(naiveDifferences(stand));
      expect(sum === targetSum).toBe(found.length === 0);
      const fresh = stand.another();
      await fresh.run(GO_ON);
      expect(stand.comparison.ranges).toEqual(fresh.ranges);
    }
  },
);

/** 500 items, of which one has changed again whenever the copier has caught up. */
async function restless(): Promise<CopiedContainers> {
  const stand = await copiedContainers();
  for (let n = 0; n < 500; n++) await stand.put(`i${n}`, { to: "a", n });
  await stand.copy();
  let version = 0;
  const touch = (): Promise<void> => stand.put("i7", { to: "a", version: version++ });
  await touch();
  stand.caughtUp = async () => {
    await stand.copy();
    await touch();
    return true;
  };
  return stand;
}

/** Writes, moves, leaves out or deletes one of sixty items. */
async function change(stand: CopiedContainers, random: Random): Promise<void> {
  const id = `i${Math.floor(random.next() * 60)}`;
  const n = Math.floor(random.next() * 1000);
  const dice = random.next();
  if (dice < 0.15) await stand.tryRemove(id);
  else await stand.put(id, { to: `t${n % 7}`, n, isLeftOut: dice > 0.93 });
}

/** Neglects an item and lets it or its copy go wrong. */
async function blunder(stand: CopiedContainers, random: Random): Promise<void> {
  const copies = [...stand.items(stand.target).values()];
  const copy = copies[Math.floor(random.next() * copies.length)];
  if (copy === undefined) return;
  const number = copy.number - stand.pair.numberShift;
  stand.neglected.add(number);
  const id = idOfKey(copy.key);
  const dice = random.next();
  if (dice < 0.3) await stand.plant(id, "missing");
  else if (dice < 0.6) await stand.tryRemove(id);
  else if (dice < 0.8) await stand.put(id, { to: "elsewhere", n: 1 });
  else {
    const odd = 2 ** 45 + Math.floor(random.next() * 1000);
    stand.neglected.add(odd - stand.pair.numberShift);
    await stand.plant(`odd${odd}`, { number: odd });
  }
}

async function reshape(stand: CopiedContainers, random: Random): Promise<void> {
  const container = random.next() < 0.5 ? stand.source : stand.target;
  const { entries } = container.map;
  const first = Math.floor(random.next() * entries.length);
  const partitionId = entries[first]!.id;
  const next = entries[first + 1];
  const request =
    next !== undefined && random.next() < 0.5
      ? ({ kind: "merge", partitionIds: [partitionId, next.id] } as const)
      : ({ kind: "split", partitionId, at: "middle" } as const);
  await stand.account.reshaping.request(container, request);
}

function naiveDifferences(stand: CopiedContainers): readonly string[] {
  const { pair } = stand;
  const found: string[] = [];
  const copies = stand.items(stand.target);
  for (const [number, original] of stand.items(stand.source)) {
    const expected = pair.copyOf(original);
    const copy = copies.get(number + pair.numberShift);
    if (expected === undefined) continue;
    copies.delete(number + pair.numberShift);
    if (copy === undefined) found.push(`missing ${expected.id}`);
    else if (
      copy.key !== itemKeyOf(expected.epk, expected.id) ||
      contentOf(copy, pair.keepsStamps) !== contentOf(original, pair.keepsStamps)
    ) {
      found.push(`differs ${expected.id}`);
    }
  }
  for (const copy of copies.values()) found.push(`extra ${idOfKey(copy.key)}`);
  return found.sort();
}

function contentOf({ body }: StoredItem, keepsStamps: boolean): string {
  const { _rid, _self, _etag, _ts, ...rest } = objectOf(body);
  return JSON.stringify(keepsStamps ? { ...rest, _etag, _ts } : rest);
}
