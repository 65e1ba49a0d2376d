/** Sizes of logical partitions: exact, and not looked up more often than it takes. */
import { describe, expect, test } from "vitest";
import type { PartitionStore } from "../../store/partitionStore.ts";
import {
  containerIn,
  databaseIn,
  put,
  simulatedAccount,
  troubledStore,
} from "../simulatedAccount.fake.ts";
import { SizeSurvey } from "./sizeSurvey.ts";

describe("a survey", () => {
  test("has the number of logical partitions, the largest, and how unequal they are", async () => {
    const { survey, container, fill } = await stage();
    await fill([3, 1, 1, 1]);
    const { countOf, largest, gini } = await survey.sizesOf(container);
    expect([...countOf]).toEqual([["0", 4]]);
    expect(largest.map(({ itemCount }) => itemCount)).toEqual([3, 1, 1, 1]);
    const bytes = largest.map(({ itemBytes }) => itemBytes);
    expect(bytes.reduce((sum, each) => sum + each, 0)).toBe(
      container.partitions.get("0")!.head.itemBytes,
    );
    expect(gini).toBeGreaterThan(0.2);
    expect(gini).toBeLessThan(0.3);
  });

  test("of nothing says so", async () => {
    const { survey, container } = await stage();
    const sizes = await survey.sizesOf(container);
    expect(sizes).toEqual({ countOf: new Map([["0", 0]]), largest: [], gini: undefined });
  });

  test("says which physical partition holds what", async () => {
    const { survey, container, fill, account } = await stage();
    await fill(Array.from({ length: 30 }, () => 1));
    await account.reshaping.request(container, SPLIT);
    const { countOf, largest } = await survey.sizesOf(container);
    expect([...countOf.keys()]).toEqual(["1", "2"]);
    for (const { epk, partitionId } of largest) {
      expect(container.ownerOf(epk).entry.id).toBe(partitionId);
    }
    const counts = [...countOf.values()];
    expect(counts[0]! + counts[1]!).toBe(30);
  });

  test("of many goes page by page and lets others have their turn", async () => {
    const { survey, container, calls, turns } = await manyKeys(5000);
    const { countOf, largest } = await survey.sizesOf(container);
    expect(countOf.get("0")).toBe(5000);
    expect(largest.length).toBe(1000);
    expect(largest[0]!.itemBytes).toBe(5000);
    expect(largest.at(-1)!.itemBytes).toBe(4001);
    expect(calls()).toBeGreaterThan(2);
    expect(turns()).toBe(calls() - 1);
  });
});

describe("what was found", () => {
  test("holds as long as nothing changes", async () => {
    const { survey, container, fill, calls, time } = await stage();
    await fill([1, 2]);
    const first = await survey.sizesOf(container);
    time.skip(1e9);
    expect(await survey.sizesOf(container)).toBe(first);
    expect(calls()).toBe(1);
    await put(...fill.args, { pk: "new", id: "i" });
    expect((await survey.sizesOf(container)).countOf.get("0")).toBe(3);
    expect(calls()).toBe(2);
  });

  test("is used for twenty times as long as it took while much changes", async () => {
    const { survey, container, fill, calls, time, slow } = await stage();
    await fill([1]);
    slow.ms = 100;
    await survey.sizesOf(container);
    await put(...fill.args, { pk: "new", id: "i" });
    time.skip(1999);
    expect((await survey.sizesOf(container)).countOf.get("0")).toBe(1);
    time.skip(1);
    expect((await survey.sizesOf(container)).countOf.get("0")).toBe(2);
    expect(calls()).toBe(2);
  });

  test("is of no use after a split, however long it took", async () => {
    const { survey, container, fill, account, slow } = await stage();
    await fill([1, 1, 1]);
    slow.ms = 10_000;
    await survey.sizesOf(container);
    await account.reshaping.request(container, SPLIT);
    expect([...(await survey.sizesOf(container)).countOf.keys()]).toEqual(["1", "2"]);
  });

  test("is shared by those who ask at the same time", async () => {
    const { survey, container, fill, calls, trouble } = await stage();
    await fill([1]);
    trouble.isDistant = true;
    const all = await Promise.all([1, 2, 3].map(() => survey.sizesOf(container)));
    expect(new Set(all).size).toBe(1);
    expect(calls()).toBe(1);
  });
});

test("a walk that a split overtakes begins again", async () => {
  const { survey, container, fill, account, trouble } = await stage();
  await fill(Array.from({ length: 20 }, () => 1));
  trouble.isDistant = true;
  for (let turns = 0; turns < 8; turns++) {
    const sizes = survey.sizesOf(container);
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    const { id } = container.map.entries[0]!;
    await account.reshaping.request(container, { ...SPLIT, partitionId: id });
    const { countOf } = await sizes;
    const total = [...countOf.values()].reduce((sum, count) => sum + count, 0);
    expect(total).toBe(20);
  }
  const { countOf } = await survey.sizesOf(container);
  expect([...countOf.keys()]).toEqual([...container.partitions.keys()]);
});

test("a container that is deleted meanwhile ends the walk", async () => {
  const { survey, container, fill, account, trouble } = await stage();
  await fill([1, 2]);
  trouble.isDistant = true;
  const sizes = survey.sizesOf(container);
  await account.catalog.deleteContainer(account.catalog.databases()[0]!, container);
  expect((await sizes).countOf.size).toBe(1);
});

const SPLIT = { kind: "split", partitionId: "0", at: "middle" } as const;

async function stage() {
  const simulated = await simulatedAccount();
  const { account, store, time, trouble } = simulated;
  const container = await containerIn(account, await databaseIn(account));
  let count = 0;
  const slow = { ms: 0 };
  const troubled = troubledStore(store, trouble);
  const counted: PartitionStore["scanTallies"] = (...asked) => {
    count++;
    time.skip(slow.ms);
    return troubled.scanTallies(...asked);
  };
  const survey = new SizeSurvey({
    store: { scanTallies: counted } as PartitionStore,
    clock: time.clock,
    timer: time.timer,
  });
  /** As many items in each logical partition as is said. */
  const fill = Object.assign(
    async (itemCounts: readonly number[]): Promise<void> => {
      for (const [key, itemCount] of itemCounts.entries()) {
        for (let n = 0; n < itemCount; n++) {
          await put(account, container, { pk: `k${key}`, id: `i${n}` });
        }
      }
    },
    { args: [account, container] as const },
  );
  return { ...simulated, container, survey, fill, slow, calls: () => count };
}

/** Logical partitions with 1, 2, 3 … bytes. */
async function manyKeys(keyCount: number) {
  const { container, time } = await stage();
  let [callCount, turnCount] = [0, 0];
  const scanTallies: PartitionStore["scanTallies"] = (_part, { after, countMax }) => {
    callCount++;
    const start = after === undefined ? 0 : Number(after) + 1;
    const end = Math.min(start + countMax, keyCount);
    const tallies = Array.from({ length: end - start }, (_, n) => ({
      family: String(start + n).padStart(8, "0"),
      itemCount: 1,
      itemBytes: start + n + 1,
    }));
    return { tallies, isLast: end === keyCount };
  };
  const soon = (): Promise<void> => {
    turnCount++;
    return Promise.resolve();
  };
  const survey = new SizeSurvey({
    store: { scanTallies } as PartitionStore,
    clock: time.clock,
    timer: { ...time.timer, soon },
  });
  return { survey, container, calls: () => callCount, turns: () => turnCount };
}
