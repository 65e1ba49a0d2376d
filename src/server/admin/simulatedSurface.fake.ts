/**
 * Stands in for the engine behind the admin API, in tests: one container with three physical
 * partitions of which one is busy, and jobs that move on a step each time somebody looks.
 *
 * Whatever was asked is kept in `asked`, so that a test can tell what got through.
 */
import type { AlertsReport } from "../../alerts/alertBoard.ts";
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { JobEntry, OverviewRow, RequestEntry } from "../../protocol/admin.ts";
import type {
  ContainerReport,
  Figures,
  Load,
  LogicalReport,
  PartitionReport,
} from "../../statistics/report.ts";
import { LabDesk } from "../lab/labDesk.ts";
import type { ArchiveSurface } from "./jobs/archiveRoutes.ts";
import type { CopySurface } from "./jobs/copySurface.ts";
import type { LifecycleSurface } from "./jobs/lifecycleSurface.ts";
import { simulatedRecordings } from "./simulatedRecordings.fake.ts";
import type { AdminSurface } from "./surface.ts";

export interface SimulatedSurface extends AdminSurface {
  readonly asked: unknown[][];
}

const SERVED_REQUEST: RequestEntry = {
  at: Date.UTC(2026, 0, 1),
  method: "POST",
  path: "/dbs/shop/colls/orders/docs",
  status: 201,
  charge: 6.29,
  ms: 1.5,
  activityId: "00000000-0000-4000-8000-000000000001",
};
const REFUSED_REQUEST: RequestEntry = {
  ...SERVED_REQUEST,
  status: 409,
  reason: "Entity with the specified id already exists in the system.",
};

/** What a started job goes through, the last state being its outcome. */
const STATES = ["waiting", "copying", "catchingUp", "switching"] as const;

export function simulatedSurface(
  name: { readonly database: string; readonly container: string } = {
    database: "shop",
    container: "orders",
  },
  /** Why jobs fail; they are done if there is no reason. */
  failure?: string,
): SimulatedSurface {
  const asked: unknown[][] = [];
  const jobs: { entry: JobEntry; step: number }[] = [];
  const answer = <T>(question: readonly unknown[], value: T): Result<T, Refusal> => {
    asked.push([...question]);
    const [, database, container] = question;
    if (database === name.database && container === name.container) return ok(value);
    return no({ kind: "notFound" });
  };
  const start = (kind: JobEntry["kind"], partitionIds: readonly string[]): JobEntry => {
    const id = String(jobs.length + 1);
    const entry: JobEntry = { ...JOB, ...name, id, kind, partitionIds };
    jobs.push({ entry, step: 0 });
    return entry;
  };
  return {
    asked,
    requests: () => [REFUSED_REQUEST, SERVED_REQUEST],
    limits: { ...SERVICE_LIMITS, logicalPartitionBytesMax: 20 * 1024 ** 2 },
    containers: () => [{ ...name, rid: "rid1" }],
    overview: () => [{ ...OVERVIEW, ...name }],
    report: (...question) => answer(["report", ...question], { ...REPORT, ...name }),
    heat: (...question) => answer(["heat", ...question], HEAT),
    history: (...question) => answer(["history", ...question], HISTORY),
    topKeys: (...question) =>
      answer(["topKeys", ...question], REPORT.topBySize.slice(0, question[2].count)),
    locate: (...question) => answer(["locate", ...question], PLACE),
    queryWords: (...question) => answer(["queryWords", ...question], WORDS),
    deletePrice: (...question) => answer(["deletePrice", ...question], { sampledCount: 0 }),
    estimate: (...question) => answer(["estimate", ...question], ESTIMATE),
    split: (...question) => {
      const id = question[2].partitionId ?? "1";
      if (!REPORT.partitions.some((partition) => partition.id === id)) return no(noRange(id));
      const found = answer(["split", ...question], undefined);
      return found.ok ? ok(start("split", [id])) : found;
    },
    merge: (...question) => {
      const found = answer(["merge", ...question], undefined);
      return found.ok ? ok(start("merge", question[2].partitionIds)) : found;
    },
    move: (...question) => {
      const found = answer(["move", ...question], undefined);
      return found.ok ? ok(start("move", [question[2].partitionId])) : found;
    },
    placement: () => [],
    suggestMerges: (...question) => answer(["suggestMerges", ...question], SUGGESTIONS),
    setBuckets: (...question) => answer(["setBuckets", ...question], question[2]),
    copies: NO_COPIES,
    lab: NO_LAB,
    lifecycles: NO_LIFECYCLES,
    archives: NO_ARCHIVES,
    jobs: () => jobs.map((job) => stepped(job, failure)),
    recordings: simulatedRecordings(name, asked),
    alerts: () => ALERTS,
    counters: () => [
      {
        ...name,
        ratePerSecond: 30_000,
        logicalPartitionCount: 300,
        largestLogicalBytes: 12_582_912,
        giniOfBytes: 0.25,
        giniOfLoad: undefined,
        queryCount: 40,
        crossPartitionQueryCount: 10,
        partitions: REPORT.partitions.map((partition) => ({
          ...partition,
          normalizedPercent: partition.lastMinute.normalizedPercent,
          ru: partition.lastFiveMinutes.ru,
          requestCounts: { read: 5, write: 3, query: 2, feed: 0 },
          throttledCount: partition.lastFiveMinutes.throttledCount,
        })),
      },
    ],
  };
}

/** No run of it is ever started here. */
export const NO_LAB: LabDesk = new LabDesk({
  start: () => ({ ended: new Promise(() => undefined), stop: () => undefined }),
  parent: "nowhere",
  limits: SERVICE_LIMITS,
  wallNow: () => 0,
  random: () => 0,
  linesOf: () => undefined,
});

function noRange(id: string): Refusal {
  return { kind: "badRequest", message: `There is no physical partition '${id}'.` };
}

/** One look, one step. */
function stepped(job: { entry: JobEntry; step: number }, failure: string | undefined): JobEntry {
  const state = STATES[job.step++];
  if (state !== undefined) {
    job.entry = { ...job.entry, state, copiedCount: job.step * 250 };
    return job.entry;
  }
  const newPartitionIds = job.entry.kind === "split" ? ["3", "4"] : ["5"];
  const outcome =
    failure === undefined
      ? { state: "done" as const, newPartitionIds, seconds: 1.5 }
      : { state: "failed" as const, reason: failure, seconds: 1.5 };
  return { ...job.entry, outcome };
}

const JOB: JobEntry = {
  id: "1",
  database: "",
  container: "",
  startedAt: Date.UTC(2026, 4, 15),
  kind: "split",
  reason: "request",
  state: "waiting",
  partitionIds: [],
  copiedCount: 0,
  totalCount: 1000,
};

function load(seconds: number, ruPerSecond: number, throttledCount: number): Load {
  return {
    seconds,
    ru: seconds * ruPerSecond,
    requestCount: seconds * 100,
    throttledCount,
    normalizedPercent: Math.min(100, ruPerSecond / 100),
  };
}

function partition(id: string, bounds: readonly [string, string], ru: number): PartitionReport {
  const itemCount = 100_000 * (Number(id) + 1);
  return {
    id,
    min: bounds[0],
    max: bounds[1],
    parents: [],
    lsn: 7,
    itemCount,
    itemBytes: itemCount * 1024,
    logicalPartitionCount: 100,
    allottedRate: 10_000,
    lastSecond: load(1, ru, ru === 10_000 ? 50 : 0),
    lastMinute: load(60, ru, ru === 10_000 ? 1500 : 0),
    lastFiveMinutes: load(300, ru, ru === 10_000 ? 9000 : 0),
  };
}

const FIRST_CUT = "15555555555555555555555555555555";
const SECOND_CUT = "2AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

const TOP: readonly LogicalReport[] = [
  {
    epk: "2000000000000000000000000000AAAA",
    partitionKey: ["tenant-d"],
    partitionId: "1",
    itemCount: 12_288,
    itemBytes: 12_582_912,
    ru: 2_700_000,
    errorRu: 5_000,
    throttledCount: 9000,
  },
  {
    epk: "0100000000000000000000000000BBBB",
    partitionKey: ["tenant-\u001b[2Ja", 7],
    partitionId: "0",
    itemCount: 2048,
    itemBytes: 2_097_152,
  },
];

const FIGURES: Figures = {
  itemCount: 600_000,
  itemBytes: 614_400_000,
  logicalPartitionCount: 300,
  largestLogicalBytes: 12_582_912,
  averageLogicalBytes: 2_048_000,
  largestPhysicalBytes: 307_200_000,
  averagePhysicalBytes: 204_800_000,
  bytesPerDay: 1_073_741_824,
  ru: 3_600_000,
  requestCount: 90_000,
  throttledCount: 9000,
  normalizedPercent: 100,
  busiestShare: 0.83,
  throttledShare: 0.1,
  queryCount: 40,
  crossPartitionQueryCount: 10,
  crossPartitionShare: 0.25,
  giniOfBytes: 0.25,
  giniOfLoad: 0.5,
  hourlyPeakPercents: [],
};

const REPORT: ContainerReport = {
  database: "",
  container: "",
  rid: "rid1",
  at: Date.UTC(2026, 4, 15, 14, 10),
  partitionKeyPaths: ["/tenant"],
  throughput: { kind: "manual", isShared: false, ratePerSecond: 30_000, isLimited: true },
  limits: {
    logicalPartitionBytesMax: 20 * 1024 ** 2,
    physicalPartitionBytesMax: 50 * 1024 ** 3,
    partitionRateMax: 10_000,
  },
  partitions: [
    partition("0", ["", FIRST_CUT], 1000),
    partition("1", [FIRST_CUT, SECOND_CUT], 10_000),
    partition("2", [SECOND_CUT, "FF"], 1000),
  ],
  topBySize: TOP,
  topByLoad: TOP.slice(0, 1),
  figures: FIGURES,
  jobs: [],
};

const OVERVIEW: OverviewRow = {
  database: "",
  container: "",
  partitionKeyPaths: ["/tenant"],
  itemCount: FIGURES.itemCount,
  itemBytes: FIGURES.itemBytes,
  partitionCount: 3,
  ratePerSecond: 30_000,
  busiestPercent: 100,
  wholePercent: 40,
  throttledShare: 0.1,
  largestLogicalBytes: FIGURES.largestLogicalBytes,
  logicalPartitionBytesMax: 20 * 1024 ** 2,
  health: "One physical partition is full to its rate while others have room.",
};

const ALERT = {
  title: "Requests are throttled",
  scope: { kind: "server" },
  since: 0,
  says: "12 % of the requests.",
  todo: [],
  docs: [],
} as const;
const RULE = {
  title: "Requests are throttled",
  scope: "container",
  fires: "More than `sharePercent`.",
  severities: ["critical"],
  window: "now",
  forSeconds: 60,
  clearSeconds: 60,
  settings: [],
  docs: [],
} as const;
const SETTING = { isEnabled: true, forSeconds: 60, clearSeconds: 60, values: {} };

/** One that fires, and one of another rule that does not. */
export const ALERTS: AlertsReport = {
  alerts: [
    { ...ALERT, id: "hot:1", rule: "hot", state: "firing", severity: "critical" },
    { ...ALERT, id: "cold:1", rule: "cold", state: "normal" },
  ],
  history: [],
  rules: [
    { ...RULE, id: "hot" },
    { ...RULE, id: "cold" },
  ],
  settings: { hot: SETTING, cold: SETTING },
};

const NO_COPIES: CopySurface = {
  entries: () => [],
  entry: () => no({ kind: "notFound" }),
  start: async () => no({ kind: "badRequest", message: "The source is not there." }),
  step: async () => no({ kind: "notFound" }),
  setAside: async () => no({ kind: "notFound" }),
};

const NO_LIFECYCLES: LifecycleSurface = {
  entries: async () => [],
  has: () => false,
  entry: async () => no({ kind: "notFound" }),
  plan: async () => no({ kind: "badRequest", message: "The hot container is not there." }),
  start: async () => no({ kind: "badRequest", message: "The hot container is not there." }),
  step: async () => no({ kind: "notFound" }),
  setAside: async () => no({ kind: "notFound" }),
};

const NO_PLACE: Refusal = { kind: "badRequest", message: "There is no place for archives." };

const NO_ARCHIVES: ArchiveSurface = {
  place: undefined,
  entries: [],
  entry: () => undefined,
  start: async () => no(NO_PLACE),
  restore: async () => no(NO_PLACE),
  command: async () => no({ kind: "notFound" }),
  noted: [],
  list: async () => ok([]),
  contents: async () => no({ kind: "notFound" }),
};

const HEAT = {
  metric: "ru",
  times: [0, 60_000, 120_000],
  bounds: ["", FIRST_CUT, "FF"],
  cells: [
    [1, 2],
    [null, 4],
  ],
} as const;

const HISTORY = {
  slotSeconds: 60,
  times: [0],
  total: [{ ru: 1, requestCount: 1, throttledCount: 0, normalizedPercent: 1, itemBytes: 9 }],
  partitions: [{ id: "0", min: "", max: "FF", slots: [null] }],
} as const;

const PLACE = {
  epk: TOP[0]!.epk,
  partitionId: "1",
  itemCount: 12_288,
  itemBytes: 12_582_912,
  limitShare: 0.6,
};

const SUGGESTIONS = [
  {
    partitionIds: ["0", "1"] as const,
    itemBytes: 307_200_000,
    allottedRate: 15_000,
    reason: "Both are nearly empty and use little of their rate.",
  },
];

const WORDS = { functions: ["COUNT"], paths: [], sampledCount: 0, itemCount: 0 };

const ESTIMATE = {
  estimate: {
    reach: {
      keys: "all",
      keyCount: 0,
      keyPaths: ["/tenant"],
      partitionIds: ["0", "1", "2"],
      partitionCount: 3,
    },
    reason: "Nobody knows.",
  },
} as const;
