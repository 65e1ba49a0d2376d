/**
 * The campaign against a store that is right, and against one that is wrong in every way that is
 * known to happen. Each bug must be found, with every seed, by what clients were told.
 */
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../src/base/world.ts";
import type { CampaignReport } from "./campaign.ts";
import { runCampaign } from "./campaign.ts";
import type { Bug } from "./fakeStore.ts";
import { BUGS, FakeStore } from "./fakeStore.ts";
import type { AnomalyKind } from "./findings.ts";

/** Bug → an anomaly that it must be known by, among others it may cause. */
const SYMPTOMS: Readonly<Record<Bug, AnomalyKind>> = {
  interleaved: "tornBatch",
  keptHalf: "abortedRead",
  lostUpdate: "lostWrite",
  staleRead: "staleRead",
  etagIgnored: "lostWrite",
  dirtyRead: "abortedRead",
  halfAfterCrash: "tornBatch",
  forgetfulCrash: "lostWrite",
  lateAfterCrash: "realTimeCycle",
  appliedTwice: "duplicate",
  reordered: "incompatibleOrder",
};

const SEEDS: readonly number[] = [1, 2, 3];

function attempt(seed: number, bug: Bug | undefined): Promise<CampaignReport> {
  const target = new FakeStore(seededRandom(seed), bug);
  return runCampaign({
    target,
    random: seededRandom(seed + 1000),
    clientCount: 16,
    partitionCount: 2,
    operationCount: 3000,
    crashCount: 10,
    crash: () => target.crash(),
  });
}

describe("the campaign", () => {
  test.each(SEEDS)("finds nothing in a store that is right, seed %d", async (seed) => {
    const report = await attempt(seed, undefined);
    expect(report.anomalies).toEqual([]);
    expect(report.flaws).toEqual([]);
    // And it did not find nothing because it did nothing.
    expect(report.crashes).toBe(10);
    expect(report.ok).toBeGreaterThan(300);
    expect(report.failed).toBeGreaterThan(100);
    expect(report.unknown).toBeGreaterThan(30);
  });

  test.each(Object.keys(BUGS) as Bug[])("finds a store that is wrong: %s", async (bug) => {
    for (const seed of SEEDS) {
      const { anomalies } = await attempt(seed, bug);
      const kinds = anomalies.map(({ kind }) => kind);
      expect(kinds, `a store that ${BUGS[bug]}, seed ${seed}`).toContain(SYMPTOMS[bug]);
    }
  });

  test("finds answers that are no answers to a batch", async () => {
    const right = new FakeStore(seededRandom(1), undefined);
    const report = await runCampaign({
      target: {
        readAll: (partition) => right.readAll(partition),
        run: async (client, partition, steps) => {
          const answer = await right.run(client, partition, steps);
          if (answer.kind === "lost") return answer;
          const results = answer.results.filter(({ status }) => status !== 424);
          return { kind: "answered", results };
        },
      },
      random: seededRandom(2),
      clientCount: 16,
      partitionCount: 2,
      operationCount: 500,
      crashCount: 0,
      crash: () => undefined,
    });
    expect(report.flaws[0]).toContain("not a result for each operation");
  });
});
