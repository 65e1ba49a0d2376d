/** Refusals of a whole container: partitions with similar load are tried together. */
import { type JointDemand, jointRefusals } from "./jointRefusals.ts";
import type { ThrottlingOutcome } from "./simulation.ts";
import {
  CALM_SHARE,
  type PartitionDemand,
  type Refusals,
  type RetryRules,
  refusalsOf,
  SDK_RETRIES,
} from "./throttling.ts";

const GROUPS_MAX = 4;
/** Partitions whose load differs by less are alike. */
const ALIKE = 1.15;

export function throttlingOf(
  demands: readonly PartitionDemand[],
  provisioned: number,
  seed: number,
  clients: { readonly retries: RetryRules; readonly seconds?: number } = { retries: SDK_RETRIES },
): ThrottlingOutcome {
  const rated = demands
    .map((demand) => ({ demand, rate: rateOf(demand) }))
    .sort((a, b) => b.rate - a.rate);
  const groups = groupsOf(rated);
  let [answers, throttled, requests, failed] = [0, 0, 0, 0];
  const waits: { wait: number; weight: number }[] = [];
  groups.forEach(({ members, isCalm }, index) => {
    const perSecond = members.reduce((sum, { demand }) => sum + requestsOf(demand), 0);
    if (isCalm) {
      answers += perSecond;
      requests += perSecond;
      waits.push({ wait: 0, weight: perSecond });
      return;
    }
    const refusals = refusalsOf(
      members[Math.floor(members.length / 2)]!.demand,
      clients.retries,
      seed + index,
      clients.seconds,
    );
    const scale = refusals.requestCount === 0 ? 0 : perSecond / refusals.requestCount;
    answers += refusals.answerCount * scale;
    throttled += refusals.throttledCount * scale;
    requests += refusals.requestCount * scale;
    failed += refusals.failedCount * scale;
    waits.push(...sampledWaits(refusals, perSecond));
  });
  return {
    share: answers === 0 ? 0 : throttled / answers,
    failedShare: requests === 0 ? 0 : failed / requests,
    waitP50: quantile(waits, 0.5),
    waitP99: quantile(waits, 0.99),
    usableRate: usableRate(rated, provisioned),
  };
}

const SECONDS = 20;

/**
 * A few seconds are a matter of chance; several times a few seconds are less so. So many requests
 * are looked at in all, in so many runs at least and at most.
 */
const REQUESTS = 12_000;
const RUNS = { min: 4, max: 64 };

function runCount({ streams }: JointDemand, seconds: number): number {
  const requests = streams.reduce((sum, { rate }) => sum + rate, 0) * seconds;
  const wanted = Math.ceil(REQUESTS / Math.max(1, requests));
  return Math.min(RUNS.max, Math.max(RUNS.min, wanted));
}

function together(runs: readonly Refusals[]): Refusals {
  const sum = (of: (run: Refusals) => number): number =>
    runs.reduce((total, run) => total + of(run), 0);
  return {
    answerCount: sum(({ answerCount }) => answerCount),
    throttledCount: sum(({ throttledCount }) => throttledCount),
    requestCount: sum(({ requestCount }) => requestCount),
    failedCount: sum(({ failedCount }) => failedCount),
    waits: runs.flatMap(({ waits }) => waits).sort((a, b) => a - b),
    servedRate: sum(({ servedRate }) => servedRate) / runs.length,
  };
}

/** Few partitions, request by request. */
export function jointThrottlingOf(
  joint: JointDemand,
  demands: readonly PartitionDemand[],
  provisioned: number,
  seed: number,
  clients: { readonly retries: RetryRules; readonly seconds?: number } = { retries: SDK_RETRIES },
): ThrottlingOutcome {
  const rated = demands
    .map((demand) => ({ demand, rate: rateOf(demand) }))
    .sort((a, b) => b.rate - a.rate);
  const isShort = clients.seconds !== undefined;
  // In a run of a few seconds single ones count, and one dear request may make all the difference.
  const isCalm =
    !isShort && rated.every(({ rate, demand }) => rate <= CALM_SHARE * demand.allotment);
  const usable = usableRate(rated, provisioned);
  if (isCalm) return { share: 0, failedShare: 0, waitP50: 0, waitP99: 0, usableRate: usable };
  const { retries: rules, seconds = SECONDS } = clients;
  const runs = Array.from({ length: runCount(joint, seconds) }, (_, run) =>
    jointRefusals(joint, { rules, seconds, seed: seed + run }),
  );
  const refusals = together(runs);
  const { answerCount, requestCount, throttledCount, failedCount } = refusals;
  const waits = sampledWaits(refusals, 1);
  return {
    share: answerCount === 0 ? 0 : throttledCount / answerCount,
    shareDeviation: isShort ? deviationOf(runs) : undefined,
    failedShare: requestCount === 0 ? 0 : failedCount / requestCount,
    waitP50: quantile(waits, 0.5),
    waitP99: quantile(waits, 0.99),
    usableRate: usable,
  };
}

/** Of the share that is refused, from run to run. */
function deviationOf(runs: readonly Refusals[]): number {
  const shares = runs
    .filter(({ answerCount }) => answerCount > 0)
    .map(({ answerCount, throttledCount }) => throttledCount / answerCount);
  if (shares.length < 2) return 0;
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  const squares = shares.reduce((sum, share) => sum + (share - mean) ** 2, 0);
  return Math.sqrt(squares / (shares.length - 1));
}

type Rated = { readonly demand: PartitionDemand; readonly rate: number };

function groupsOf(
  rated: readonly Rated[],
): readonly { readonly members: readonly Rated[]; readonly isCalm: boolean }[] {
  const groups: { members: Rated[]; isCalm: boolean }[] = [];
  for (const each of rated) {
    const isCalm = each.rate <= CALM_SHARE * each.demand.allotment;
    const last = groups.at(-1);
    const isAlike =
      last !== undefined &&
      last.isCalm === isCalm &&
      (isCalm || last.members[0]!.rate <= ALIKE * each.rate || groups.length >= GROUPS_MAX);
    if (isAlike) last.members.push(each);
    else groups.push({ members: [each], isCalm });
  }
  return groups;
}

function rateOf({ streams }: PartitionDemand): number {
  return streams.reduce((sum, { rate, ru }) => sum + rate * ru, 0);
}

function requestsOf({ streams }: PartitionDemand): number {
  return streams.reduce((sum, { rate }) => sum + rate, 0);
}

const WAITS_KEPT = 200;

function sampledWaits({ waits }: Refusals, weight: number): { wait: number; weight: number }[] {
  const count = Math.min(WAITS_KEPT, waits.length);
  return Array.from({ length: count }, (_, at) => ({
    wait: waits[Math.floor(((at + 0.5) * waits.length) / count)]!,
    weight: weight / count,
  }));
}

function quantile(waits: readonly { wait: number; weight: number }[], share: number): number {
  const sorted = [...waits].sort((a, b) => a.wait - b.wait);
  const total = sorted.reduce((sum, { weight }) => sum + weight, 0);
  let passed = 0;
  for (const { wait, weight } of sorted) {
    passed += weight;
    if (passed >= share * total) return wait;
  }
  return 0;
}

/** How much could be served in these proportions before the hottest partition is full. */
function usableRate(rated: readonly Rated[], provisioned: number): number {
  const total = rated.reduce((sum, { rate }) => sum + rate, 0);
  const hottest = rated[0];
  if (hottest === undefined || hottest.rate === 0) return provisioned;
  return Math.min(provisioned, (hottest.demand.allotment * total) / hottest.rate);
}
