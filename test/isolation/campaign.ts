/**
 * One run from beginning to end: clients at work, a crash now and then, a look at everything when
 * all is quiet, and the checker's word on it. The same for a real server and for a wrong one.
 */
import type { Random } from "../../src/base/world.ts";
import type { Anomaly } from "./findings.ts";
import type { Finals, Transaction } from "./history.ts";
import { checkListAppend } from "./listAppend.ts";
import { ListClients } from "./listClients.ts";
import type { Target } from "./target.ts";

interface CampaignPlan {
  readonly target: Target;
  readonly random: Random;
  readonly clientCount: number;
  readonly partitionCount: number;
  readonly operationCount: number;
  readonly crashCount: number;
  /** Resolves when the target can be asked again. */
  crash(): Promise<void> | void;
}

export interface CampaignReport {
  readonly operations: number;
  readonly ok: number;
  readonly failed: number;
  readonly unknown: number;
  /** Unknown ones that had happened: a kill fell between the commit and the answer. */
  readonly unknownDone: number;
  readonly crashes: number;
  readonly checkMs: number;
  /** Answers that do not look right by themselves. */
  readonly flaws: readonly string[];
  readonly anomalies: readonly Anomaly[];
}

export async function runCampaign(plan: CampaignPlan): Promise<CampaignReport> {
  const { target, random, operationCount, crashCount } = plan;
  const counts = { clients: plan.clientCount, partitions: plan.partitionCount };
  const clients = new ListClients(target, random, counts);
  let crashes = 0;
  let crashing: Promise<void> = Promise.resolve();
  await clients.run(operationCount, () => {
    const due = ((crashes + 1) * operationCount) / (crashCount + 1);
    if (crashes === crashCount || clients.operationCount < due) return;
    crashes++;
    crashing = crashing.then(() => plan.crash());
  });
  await crashing;
  const finals = await clients.finish();
  const { recorder, flaws } = clients;
  const startedAt = performance.now();
  const anomalies = checkListAppend(recorder.transactions, finals);
  return {
    operations: clients.operationCount,
    ok: recorder.countOf("ok"),
    failed: recorder.countOf("failed"),
    unknown: recorder.countOf("unknown"),
    unknownDone: recorder.transactions.filter((transaction) => isUnknownDone(transaction, finals))
      .length,
    crashes,
    checkMs: performance.now() - startedAt,
    flaws,
    anomalies,
  };
}

function isUnknownDone({ outcome, steps }: Transaction, finals: Finals): boolean {
  if (outcome !== "unknown") return false;
  return steps.some(
    (step) => step.kind === "append" && finals.get(step.list)?.includes(step.value) === true,
  );
}
