/** What is remembered of a view: how far it has followed its source, and what it lacks. */
import type { JobEvent } from "../../model/copyJob.ts";
import type { Rid } from "../../model/rid.ts";
import type { StoredPosition } from "../copy/copyRecord.ts";
import { storedPositions } from "../copy/copyRecord.ts";
import type { CopyCounts } from "../copy/copyTally.ts";
import { NO_COUNTS } from "../copy/copyTally.ts";
import { countOf, headsOf } from "../copy/positions.ts";
import type { SetAsideEntry } from "../copy/setAside.ts";
import type { JobRecord, JobSummary } from "../jobs/jobRecord.ts";
import type { Container } from "../partition/container.ts";

interface ViewSummary extends JobSummary {
  readonly kind: "view";
  readonly isEndless: true;
}

export interface ViewRecord extends JobRecord {
  readonly job: ViewSummary;
  readonly viewRid: Rid;
  /** True once the view has had everything that its source had when the view was made. */
  readonly isBuilt: boolean;
  /** When the view last had everything that its source had, in milliseconds since 1970. */
  readonly caughtUpAt: number;
  readonly sharePercent: number;
  readonly positions: readonly StoredPosition[];
  /** How far the source was when the view was made. */
  readonly began: readonly StoredPosition[];
  readonly startCount: number;
  readonly counts: CopyCounts;
  readonly setAside: readonly SetAsideEntry[];
  readonly events: readonly JobEvent[];
}

/** What a view may spend of the rate of each physical partition, unless it is told otherwise. */
const SHARE_PERCENT = 50;

export function newViewRecord(source: Container, view: Container, at: number): ViewRecord {
  return {
    job: { id: viewJobId(view), kind: "view", startedAt: at, isEndless: true },
    viewRid: view.rid,
    isBuilt: false,
    caughtUpAt: at,
    sharePercent: SHARE_PERCENT,
    positions: [],
    began: storedPositions(headsOf(source)),
    startCount: countOf(source),
    counts: NO_COUNTS,
    setAside: [],
    events: [{ at, text: "The view was made." }],
  };
}

/** No other job has it: numbers of containers are given once. */
function viewJobId({ record }: Container): string {
  return `v${record.containerNumber}`;
}

export function isView(record: JobRecord): record is ViewRecord {
  return record.job.kind === "view";
}
