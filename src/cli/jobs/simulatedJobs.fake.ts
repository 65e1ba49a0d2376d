/** Jobs for tests: a copy with every member that a job may show, and parts of it to change. */

import type { CopyJobEntry, CopyPlan, MirrorSide } from "../../model/copyJob.ts";
import type { JobEntry } from "../../protocol/admin.ts";

const STARTED_AT: number = Date.UTC(2026, 4, 15, 14, 10);

export const SIMULATED_PLAN: CopyPlan = {
  itemCount: 1_000_000,
  itemBytes: 1024 ** 3,
  copiedCount: 999_998,
  copiedBytes: 1024 ** 3 - 2048,
  clashCount: 1,
  clashes: [{ id: "a", key: ["x"], newKey: ["t", "u"], reason: "so has the one with key y" }],
  missingKeyCount: 2,
  missingKeys: [{ id: "b", key: ["x"], reason: "/userId is missing" }],
  unfitCount: 0,
  unfit: [],
  fullKeys: [{ newKey: ["t", "v"], bytes: 21 * 1024 ** 3 }],
  logicalPartitionCount: 40_000,
  largestKey: { newKey: ["t", "v"], bytes: 21 * 1024 ** 3 },
  price: { readRu: 100_000, writeRu: 7_100_000, errorRu: 12_000, sampleCount: 500 },
  seconds: 5400,
  steps: ["make shop/orders2", "copy all items", "verify"],
  obstacles: ["One item clashes; --on-clash set-aside goes on without it."],
};

function side(ru: number): MirrorSide {
  return {
    ru: { p50: ru, p95: ru * 2, p99: ru * 3 },
    ms: { p50: 1, p95: 2, p99: 3.5 },
    partitions: 1,
    ruPerDay: ru * 1000,
  };
}

export const SIMULATED_COPY: CopyJobEntry = {
  id: "c7",
  kind: "copy",
  state: "switched",
  source: { database: "shop", container: "orders" },
  target: { database: "shop", container: "orders-old" },
  startedAt: STARTED_AT,
  asked: {
    source: { database: "shop", container: "orders" },
    target: { database: "shop", container: "orders2" },
    key: ["/tenantId", "/userId"],
    mode: "online",
    sharePercent: 20,
  },
  progress: {
    itemCount: 1_000_000,
    copiedCount: 250_000,
    copiedBytes: 300 * 1024 ** 2,
    changeCount: 1234,
    removedCount: 12,
    itemsPerSecond: 4321,
    bytesPerSecond: 4 * 1024 ** 2,
    lag: { changeCount: 30, drainSeconds: 0.05 },
    remaining: { from: 170, to: 260, kept: { insideCount: 9, jobCount: 10 } },
    readRu: 1000,
    writeRu: 7000,
  },
  throttle: { sharePercent: 20, effectivePercent: 14, bound: "throttledClients" },
  setAside: { count: 3, max: 100 },
  verification: {
    state: "differs",
    at: STARTED_AT + 60_000,
    seconds: 3.2,
    comparedCount: 250_000,
    readCount: 2500,
    missingCount: 1,
    extraCount: 0,
    differingCount: 1,
    differences: [
      { kind: "missing", id: "i1", newKey: ["t", "u"] },
      { kind: "differs", id: "i2", newKey: ["t", "w"] },
    ],
    sum: "0f",
  },
  mirror: {
    percent: 5,
    shapes: [
      {
        shape: "SELECT * FROM c WHERE c.status = @",
        runCount: 200,
        matchCount: 190,
        mismatchCount: 4,
        laggingCount: 5,
        errors: [],
        liveCount: 10_000,
        droppedCount: 0,
        errorCount: 1,
        source: side(3),
        target: side(30),
        warning: "costs ten times as much",
        mismatches: ["i2"],
      },
    ],
    spanMs: 60_000,
    noise: { runCount: 50, differedCount: 1 },
  },
  cutOver: {
    at: STARTED_AT + 120_000,
    attempts: 2,
    heldMs: 41,
    longestWaitMs: 38.4,
    waitedCount: 17,
    switchBy: "names",
    inOldTerms: [{ program: "azsdk-java/4", count: 3 }],
  },
  wayBack: {
    isOpen: false,
    lag: { changeCount: 0 },
    obstacles: [{ id: "n1", key: ["t", "u"], reason: "its old key has an item of this id" }],
  },
  events: [{ at: STARTED_AT, text: "The job was started." }],
  nextSteps: [
    { step: "complete", about: "Deletes the old container." },
    { step: "throttle", about: "Changes the share." },
  ],
};

export const SIMULATED_SPLIT: JobEntry = {
  id: "s3",
  kind: "split",
  database: "shop",
  container: "orders",
  reason: "request",
  state: "copying",
  partitionIds: ["2"],
  copiedCount: 50,
  totalCount: 200,
  startedAt: STARTED_AT,
};
