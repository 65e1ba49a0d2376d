/** Splits and merges of a container as events over time, for the lane above a chart. */

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

interface About {
  readonly database: string;
  readonly container: string;
}

export function reshapeEvents(jobs: readonly ToldJob[], about: About): readonly ChartEvent[] {
  return jobsOf(jobs, about).map(({ startedAt, kind, partitionIds, outcome }) => {
    const made = outcome?.newPartitionIds;
    const into = made === undefined ? "" : ` → ${made.join(", ")}`;
    return { at: startedAt, text: `${kind} ${partitionIds.join(", ")}${into}` };
  });
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

function jobsOf(jobs: readonly ToldJob[], { database, container }: About): readonly ToldJob[] {
  return jobs.filter((job) => job.database === database && job.container === container);
}
