/** What happened to a container over time, for the lane above a chart: reshapes, copies, rates. */
import { countText } from "../../base/wording.ts";
import { rateText } from "../parts/numbers.ts";

export interface ChartEvent {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly text: string;
}

/** What is told of a job; the admin API tells more. */
interface ToldJob {
  readonly database: string;
  readonly container: string;
  readonly startedAt: number;
  readonly kind: string;
  readonly partitionIds: readonly string[];
  readonly outcome?:
    | {
        readonly state: string;
        readonly seconds: number;
        readonly newPartitionIds?: readonly string[];
      }
    | undefined;
}

interface ToldCopy {
  readonly id: string;
  readonly source: About;
  readonly target: About;
  readonly startedAt: number;
  readonly endedAt?: number | undefined;
  readonly state: string;
  readonly asked: { readonly isDryRun?: boolean | undefined };
  readonly cutOver?: { readonly at: number } | undefined;
}

interface ToldJobs {
  readonly jobs: readonly ToldJob[];
  readonly copies: readonly ToldCopy[];
}

interface About {
  readonly database: string;
  readonly container: string;
}

function reshapeEvents(jobs: readonly ToldJob[], about: About): readonly ChartEvent[] {
  return jobsOf(jobs, about).map(({ startedAt, kind, partitionIds, outcome }) => {
    const made = outcome?.newPartitionIds;
    const into = made === undefined ? "" : ` → ${made.join(", ")}`;
    return { at: startedAt, text: `${kind} ${partitionIds.join(", ")}${into}` };
  });
}

/** Everything that jobs did to the container; a dry run does nothing. */
export function jobEvents({ jobs, copies }: ToldJobs, about: About): readonly ChartEvent[] {
  const copied = copies
    .filter(({ source, target, asked }) => {
      const isOfThis = isSame(source, about) || isSame(target, about);
      return isOfThis && asked.isDryRun !== true;
    })
    .flatMap(({ id, startedAt, endedAt, state, cutOver }) => [
      { at: startedAt, text: `copy ${id} began` },
      ...(cutOver === undefined ? [] : [{ at: cutOver.at, text: `copy ${id} cut over` }]),
      ...(endedAt === undefined ? [] : [{ at: endedAt, text: `copy ${id} ${state}` }]),
    ]);
  return [...reshapeEvents(jobs, about), ...copied];
}

interface ToldRate {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** Changes of the throughput; `undefined` where nobody told of any. */
export function rateEvents(changes: readonly ToldRate[] | undefined): readonly ChartEvent[] {
  return (changes ?? []).map(({ at, from, to }) => ({
    at,
    text: `rate ${countText(from)} → ${rateText(to)}`,
  }));
}

/** When a split cut two neighbours apart; `undefined` when none that is known did. */
export function cutAt(
  jobs: readonly ToldJob[],
  about: About,
  neighbours: readonly [string, string],
): number | undefined {
  const cut = jobsOf(jobs, about).find(
    ({ kind, outcome }) =>
      kind === "split" && neighbours.every((id) => outcome?.newPartitionIds?.includes(id) === true),
  );
  return cut?.outcome === undefined ? undefined : cut.startedAt + 1000 * cut.outcome.seconds;
}

function jobsOf(jobs: readonly ToldJob[], about: About): readonly ToldJob[] {
  return jobs.filter((job) => isSame(job, about));
}

function isSame(one: About, other: About): boolean {
  return one.database === other.database && one.container === other.container;
}
