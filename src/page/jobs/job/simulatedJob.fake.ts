/** A copy job for tests of the page: online, caught up, not verified. */
import type { CopyJobEntry } from "../../../model/copyJob.ts";

const STARTED_AT: number = Date.UTC(2026, 4, 15, 14, 10);

export const SIMULATED_JOB: CopyJobEntry = {
  id: "1-c7",
  kind: "copy",
  state: "ready",
  source: { database: "shop", container: "orders" },
  target: { database: "shop", container: "orders2" },
  startedAt: STARTED_AT,
  asked: {
    source: { database: "shop", container: "orders" },
    target: { database: "shop", container: "orders2" },
    key: ["/item"],
    mode: "online",
    switchBy: "names",
    sharePercent: 20,
  },
  progress: {
    itemCount: 400,
    copiedCount: 100,
    copiedBytes: 2048,
    changeCount: 3,
    removedCount: 1,
    itemsPerSecond: 25,
    bytesPerSecond: 512,
    lag: { changeCount: 30, drainSeconds: 1.2 },
    remaining: { from: 170, to: 260, kept: { insideCount: 9, jobCount: 10 } },
    readRu: 100,
    writeRu: 700,
  },
  throttle: { sharePercent: 20, effectivePercent: 20, bound: "nothing" },
  setAside: { count: 0, max: 100 },
  verification: { state: "none" },
  events: [],
  nextSteps: [],
};
