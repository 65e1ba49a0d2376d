/**
 * Power cuts while the indexing policy changes under the hands of writers, and physical partitions
 * are split and merged. 60 cuts here, 3,000 with ORRERY_CRASH=full.
 */
import { expect, test } from "vitest";
import type { ItemWrite } from "../../src/store/partitionStore.ts";
import type { Wiring } from "./machine.ts";
import { runPolicyStorm } from "./policyStorm.ts";

const CUT_COUNT = process.env["ORRERY_CRASH"] === "full" ? 3_000 : 60;
const CUTS_PER_STORM = 10;

test(`${CUT_COUNT} power cuts leave an index that is that of the items`, async () => {
  const total = {
    acknowledgedCount: 0,
    openedCount: 0,
    cutReindexCount: 0,
    finishedCount: 0,
    reshapedCount: 0,
  };
  for (let seed = 1; seed <= CUT_COUNT / CUTS_PER_STORM; seed++) {
    const { violation, ...counts } = await runPolicyStorm(seed, CUTS_PER_STORM);
    expect(violation).toBeUndefined();
    for (const [name, count] of Object.entries(counts)) total[name as keyof typeof total] += count;
  }
  expect(total.acknowledgedCount).toBeGreaterThan(10 * CUT_COUNT);
  expect(total.openedCount).toBeGreaterThan(CUT_COUNT / 2);
  expect(total.cutReindexCount).toBeGreaterThan(CUT_COUNT / 20);
  expect(total.finishedCount).toBeGreaterThan(CUT_COUNT / CUTS_PER_STORM);
  expect(total.reshapedCount).toBeGreaterThan(CUT_COUNT / 10);
});

function changing(change: (write: ItemWrite) => ItemWrite): Wiring {
  return {
    store: (store) => {
      const commit = store.commit.bind(store);
      store.commit = (part, epoch, groups) =>
        commit(
          part,
          epoch,
          groups.map((group) => group.map(change)),
        );
    },
  };
}

test.each([
  {
    bug: "a walk that forgets to take a term away",
    wiring: changing((write) =>
      write.kind === "reterm" ? { ...write, termsRemoved: write.termsRemoved.slice(1) } : write,
    ),
  },
  {
    bug: "a walk that forgets a new term",
    wiring: changing((write) =>
      write.kind === "reterm" ? { ...write, termsAdded: write.termsAdded.slice(1) } : write,
    ),
  },
  {
    bug: "a delete that leaves a term",
    wiring: changing((write) =>
      write.kind === "delete" ? { ...write, termsRemoved: write.termsRemoved.slice(1) } : write,
    ),
  },
])("the same checks catch $bug", async ({ wiring }) => {
  let violation: string | undefined;
  for (let seed = 1; seed <= 20 && violation === undefined; seed++) {
    violation = (await runPolicyStorm(seed, CUTS_PER_STORM, wiring)).violation;
  }
  expect(violation).toBeDefined();
});
