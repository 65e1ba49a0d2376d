/**
 * A second container with the same items under another key (a materialised view, kept up from the
 * change feed): for reads that the best key sends everywhere and another one would not. It pays
 * when what those reads save is more than writing everything twice.
 */
import { DEFAULT_INDEXING_POLICY } from "../../../index/policy.ts";
import { pointReadRu } from "../../price/itemPrice.ts";
import type { OperationOutcome } from "../../simulate/simulation.ts";
import { plural, rateText } from "../../wording/plain.ts";
import type { Alternative, ReasonCode } from "../advice.ts";
import { type Ground, isRead } from "../ground.ts";
import type { Judgement } from "../judge.ts";
import { COST_TIE } from "../thresholds.ts";

/** What does not matter for a view that gets only the reads it is made for. */
const HARMLESS: readonly ReasonCode[] = ["fan-out", "hyperfragmentation", "tx-scope-broken"];

interface View {
  readonly judgement: Judgement;
  readonly served: readonly OperationOutcome[];
  readonly savedRate: number;
}

export function secondContainer(
  ranked: readonly Judgement[],
  ground: Ground,
): readonly Alternative[] {
  const first = ranked[0];
  if (first === undefined) return [];
  const scattered = first.simulation.operations.filter(
    (one) => isRead(one) && one.routing.kind === "everywhere",
  );
  if (scattered.length === 0) return [];
  const views = ranked.slice(1).map((judgement) => viewOf(judgement, scattered));
  const view = views.reduce<View | undefined>(
    (most, one) => (one.savedRate > (most?.savedRate ?? 0) ? one : most),
    undefined,
  );
  const added = copyRate(first, ground);
  if (view === undefined || view.savedRate <= added * (1 + COST_TIE)) return [];
  const names = view.served.map(({ id }) => id).join(", ");
  return [
    {
      kind: "second-container",
      sentence:
        `A second container under ${view.judgement.simulation.candidate.id}, kept up from the ` +
        `change feed of the first, would answer ${names}, which ` +
        `${first.simulation.candidate.id} sends to ` +
        `${plural(view.served[0]?.partitionsVisited ?? 1, "physical partition")}: it saves ` +
        `${rateText(view.savedRate)} and costs ${rateText(added)} for writing everything twice.`,
    },
  ];
}

/** What another key would save on these reads, if it can be the key of a container at all. */
function viewOf(judgement: Judgement, scattered: readonly OperationOutcome[]): View {
  const isFit = judgement.reasons.every(
    ({ weight, code }) => weight !== "against" || HARMLESS.includes(code),
  );
  const there = new Map(judgement.simulation.operations.map((one) => [one.id, one]));
  const served = scattered.filter(({ id, ruEach }) => {
    const other = there.get(id);
    return other !== undefined && other.routing.kind !== "everywhere" && other.ruEach < ruEach;
  });
  const savedRate = served.reduce(
    (sum, one) => sum + one.ratePerSecond * (one.ruEach - there.get(one.id)!.ruEach),
    0,
  );
  return { judgement, served, savedRate: isFit ? savedRate : 0 };
}

/** Every write again, and before that one read from the feed. */
function copyRate({ simulation }: Judgement, { facts, workload }: Ground): number {
  const read = pointReadRu({
    itemBytes: facts.itemBytes,
    leafCount: facts.leafCount,
    example: facts.example,
    consistency: workload.consistency,
    policy: workload.indexing ?? DEFAULT_INDEXING_POLICY,
  });
  return simulation.operations
    .filter((one) => !isRead(one))
    .reduce((sum, one) => sum + one.ratePerSecond * (one.usefulRuEach + read), 0);
}
