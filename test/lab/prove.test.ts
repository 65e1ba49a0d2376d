/**
 * A short proof on the real engine through the official client: an even key and one that has most
 * of its load on one partition. Bounds are generous, because the machine may be busy; a prediction
 * that does not look at keys, prices or budgets is far beyond them.
 */
import * as official from "@azure/cosmos";
import { describe, expect, it } from "vitest";
import { ProvingGround } from "../../src/cli/lab/proveGround.ts";
import { measureCase } from "../../src/cli/lab/proveRun.ts";
import { runLab } from "../../src/lab/lab.ts";
import { type CaseComparison, compareAll, compareCase } from "../../src/lab/prove/compare.ts";
import { planOf } from "../../src/lab/prove/plan.ts";
import { proofHtml } from "../../src/lab/prove/proofHtml.ts";
import { proofJson } from "../../src/lab/prove/proofJson.ts";
import { proofText } from "../../src/lab/prove/proofText.ts";
import { provenKeys } from "../../src/lab/prove/provenKeys.ts";
import { readWorkload } from "../../src/lab/workload/workloadText.ts";
import { SERVICE_LIMITS } from "../../src/model/limits.ts";

const TEXT = `
name: small
item: {bytes: 600, example: {id: a, user: u, region: r, at: "2026-01-01T00:00:00Z", text: t}}
properties:
  /user: {distinct: 300}
  /region: {distinct: 6, items: {kind: shares, shares: {north: 70 %}}}
  /at: {time: second}
growth: {itemsPerDay: 300000, retentionDays: 400}
throughput: 12000
operations:
  - {id: add, kind: create, rate: 750}
  - {id: see, kind: pointRead, rate: 1500}
  - {id: mine, kind: query, rate: 1200, sql: "SELECT * FROM c WHERE c.user = @u"}
candidates: [/user, /region]
horizonMonths: 14
`;

describe("a proof on the engine", () => {
  it("measures what was predicted, for a good key and a bad one", {
    timeout: 240_000,
  }, async () => {
    const read = readWorkload(TEXT, "yaml", "small");
    if (!read.ok) throw new Error(JSON.stringify(read.error));
    const advice = runLab({
      workload: read.value,
      profile: undefined,
      candidates: [],
      onlyNamed: true,
      current: undefined,
      limits: SERVICE_LIMITS,
      startMillis: Date.UTC(2026, 0, 1),
      seed: 1,
    });
    const simulations = advice.candidates.map(({ simulation }) => simulation);
    const plan = planOf({
      workload: read.value,
      simulations,
      limits: SERVICE_LIMITS,
      serverLimits: undefined,
      factor: undefined,
      items: 900,
      rate: 80,
      seconds: 3,
      operationCount: 500,
      seed: 1,
    });
    const cases: CaseComparison[] = [];
    for (const { candidate } of simulations) {
      const proofCase = plan.caseOf(candidate);
      const ground = await ProvingGround.open({
        official,
        account: undefined,
        limits: proofCase.limits,
        consistency: "Session",
      });
      try {
        const measured = await measureCase(ground, proofCase, {
          models: plan.models,
          nowMillis: plan.nowMillis,
          provisioned: plan.scale.provisioned,
          keyBytesMax: plan.scale.limits.logicalPartitionBytesMax,
          ...plan.tracesOf(proofCase),
          indexing: undefined,
          containerId: `c${cases.length}`,
          isKept: false,
          isInterrupted: () => false,
          onProgress: () => {},
        });
        cases.push(compareCase(proofCase.prediction, measured, proofCase.overLimitShare));
      } finally {
        await ground.close();
      }
    }
    const proof = compareAll(cases);
    const [user, region] = ["/user", "/region"].map((id) => cases.find((each) => each.id === id)!);

    // As many partitions, and as much asked of each of them.
    expect(user!.partitionCount.measured).toBeGreaterThan(1);
    expect(user!.partitionCount.measured).toBe(user!.partitionCount.predicted);
    expect(user!.medianError).toBeLessThan(0.15);
    expect(region!.medianError).toBeLessThan(0.15);
    // The bad key has most of its load in one place, and its queries go everywhere.
    expect(region!.skew.measured).toBeGreaterThan(1.3);
    expect(Math.abs(region!.skew.predicted / region!.skew.measured - 1)).toBeLessThan(0.15);
    const visits = region!.operations.find(({ id }) => id === "mine")!.visited;
    expect(visits.measured).toBe(region!.partitionCount.measured);
    expect(visits.predicted).toBeCloseTo(visits.measured, 1);
    // Prices are exact where nothing depends on chance.
    for (const { operations } of cases) {
      for (const id of ["add", "see"]) {
        const { ru } = operations.find((each) => each.id === id)!;
        expect(Math.abs(ru.predicted / ru.measured - 1)).toBeLessThan(0.03);
      }
    }
    // More is refused under the bad key, as predicted.
    const refused = (each: CaseComparison) => each.throttledShare;
    expect(refused(region!).measured).toBeGreaterThan(refused(user!).measured);
    expect(Math.abs(refused(region!).predicted - refused(region!).measured)).toBeLessThan(0.2);
    expect(cases.every(({ failures }) => failures.size === 0)).toBe(true);
    expect(proof.predictedRanking[0]).toBe("/user");
    expect(proof.isSameRanking).toBe(true);

    const shown = {
      keys: provenKeys(advice, { top: 1, only: [] }),
      seconds: 3,
      operationCount: 500,
      seed: 1,
      remarks: ["a <remark>"],
      width: undefined,
    };
    expect(proofText(plan.scale, proof, shown)).toContain("Candidate /region");
    expect(proofHtml(plan.scale, proof, shown)).toContain("a &lt;remark&gt;");
    expect(JSON.parse(JSON.stringify(proofJson(plan.scale, proof, shown)))).toMatchObject({
      candidates: [{ failures: {} }, { failures: {} }],
    });
  });
});
