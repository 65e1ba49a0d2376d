/**
 * The catalogue as a table of scenarios: for each rule evidence that is trouble, evidence that is
 * not, and evidence that is missing. Thresholds are the usual ones; the edges are tried from both
 * sides.
 */
import { describe, expect, test } from "vitest";
import type { CopyReport, Figures, JobReport } from "../../statistics/report.ts";
import { defaultAlertSettings } from "../alertSettings.ts";
import { GIB, type Sample, type SamplePartition, sampleReport } from "../sampleReports.fake.ts";
import type { ContainerEvidence, RuleFinding } from "./alertRule.ts";
import { CONTAINER_RULES, SERVER_RULES } from "./catalogue.ts";
import { followJobs } from "./jobProgress.ts";
import type { StorageReport } from "./storageReport.ts";

type Expected = "info" | "warning" | "critical" | "fine" | "absent";

interface Scenario {
  readonly rule: string;
  readonly when: string;
  readonly sample: Sample;
  readonly is: Expected;
}

/** Two idle neighbours of a partition. */
const beside = (hot: SamplePartition): readonly SamplePartition[] => [
  hot,
  { usePercent: 5 },
  { usePercent: 5 },
];
const all = (partition: SamplePartition, count = 3): readonly SamplePartition[] =>
  Array.from({ length: count }, () => partition);
const hours = (...peaks: readonly number[]): readonly number[] =>
  Array.from({ length: 24 }, (_, index) => peaks[index % peaks.length]!);
const queries = (queryCount: number, crossPartitionQueryCount: number): Partial<Figures> => ({
  queryCount,
  crossPartitionQueryCount,
});
const autoscale = { kind: "autoscale", ratePerSecond: 20_000 } as const;
const unlimited = { isLimited: false } as const;

const SCENARIOS: readonly Scenario[] = [
  ...of("hotPartition", [
    ["no requests", {}, "absent"],
    [
      "90 % on one of three, which is half used",
      { partitions: beside({ usePercent: 90 }) },
      "warning",
    ],
    ["83 %, far below its rate", { partitions: [{ usePercent: 10 }, { usePercent: 2 }] }, "info"],
    [
      "many of its requests throttled",
      { partitions: beside({ usePercent: 100, throttledPercent: 6 }) },
      "critical",
    ],
    ["exactly 80 %", { partitions: [{ usePercent: 80 }, { usePercent: 20 }] }, "fine"],
    ["just above 80 %", { partitions: [{ usePercent: 80.1 }, { usePercent: 20 }] }, "warning"],
    ["one physical partition only", { partitions: [{ usePercent: 100 }] }, "fine"],
    ["99 requests", { partitions: [{ usePercent: 90, requestCount: 99 }, {}] }, "absent"],
    ["100 requests", { partitions: [{ usePercent: 90, requestCount: 100 }, {}] }, "warning"],
  ]),
  ...of("throttledRequests", [
    ["no requests", {}, "absent"],
    [
      "rates are not limited",
      { partitions: all({ usePercent: 99 }), throughput: unlimited },
      "absent",
    ],
    ["1 %", { partitions: all({ usePercent: 50, throttledPercent: 1 }) }, "fine"],
    [
      "1.1 %: the healthy band",
      { partitions: all({ usePercent: 50, throttledPercent: 1.1 }) },
      "info",
    ],
    ["5 %: its end", { partitions: all({ usePercent: 50, throttledPercent: 5 }) }, "info"],
    ["6 %", { partitions: all({ usePercent: 50, throttledPercent: 6 }) }, "warning"],
    ["21 %", { partitions: all({ usePercent: 50, throttledPercent: 21 }) }, "critical"],
    [
      "99 requests",
      { partitions: [{ usePercent: 9, requestCount: 99, throttledPercent: 50 }] },
      "absent",
    ],
  ]),
  ...of("saturatedPartition", [
    ["no requests", {}, "absent"],
    [
      "rates are not limited",
      { partitions: beside({ usePercent: 99 }), throughput: unlimited },
      "absent",
    ],
    ["one at its limit, others idle", { partitions: beside({ usePercent: 95 }) }, "warning"],
    ["it throttles", { partitions: beside({ usePercent: 100, throttledPercent: 30 }) }, "critical"],
    ["a single dear second", { partitions: beside({ usePercent: 10, peakPercent: 100 }) }, "fine"],
    ["busiest second at 90 %", { partitions: beside({ usePercent: 80, peakPercent: 90 }) }, "fine"],
    ["the others have no room either", { partitions: all({ usePercent: 95 }) }, "fine"],
    ["one physical partition only", { partitions: [{ usePercent: 100 }] }, "fine"],
  ]),
  ...of("uniformSaturation", [
    ["no requests", {}, "absent"],
    [
      "rates are not limited",
      { partitions: all({ usePercent: 99 }), throughput: unlimited },
      "absent",
    ],
    ["all at their limit", { partitions: all({ usePercent: 95 }) }, "warning"],
    ["the only one at its limit", { partitions: [{ usePercent: 95 }] }, "warning"],
    ["they throttle", { partitions: all({ usePercent: 100, throttledPercent: 10 }) }, "critical"],
    ["one has room", { partitions: beside({ usePercent: 95 }) }, "fine"],
  ]),
  ...of("largeLogicalPartition", [
    ["nothing is known", {}, "absent"],
    ["no items", { figures: { itemCount: 0 } }, "fine"],
    ["15 GB of 20", { topBySize: [{ key: "a", itemBytes: 15 * GIB }] }, "fine"],
    ["a byte more", { topBySize: [{ key: "a", itemBytes: 15 * GIB + 1 }] }, "warning"],
    ["16.1 GB of 20", { topBySize: [{ key: "a", itemBytes: 16.1 * GIB }] }, "critical"],
    [
      "16 MB of 20, in a scaled world",
      {
        topBySize: [{ key: "a", itemBytes: 15.5 * 1024 ** 2 }],
        limits: { logicalPartitionBytesMax: 20 * 1024 ** 2 },
      },
      "warning",
    ],
  ]),
  ...of("physicalPartitionFill", [
    ["30 GB of 50", { partitions: [{ itemBytes: 30 * GIB }, {}] }, "fine"],
    ["31 GB of 50", { partitions: [{}, { itemBytes: 31 * GIB }] }, "info"],
    ["41 GB of 50", { partitions: [{}, { itemBytes: 41 * GIB }] }, "warning"],
    ["46 GB of 50", { partitions: [{ itemBytes: 46 * GIB }, {}] }, "critical"],
  ]),
  ...of("storageGrowth", [
    ["growth is not known", {}, "absent"],
    ["it shrinks", grown(10 * GIB, -GIB), "fine"],
    ["20 GB in 40 days", grown(10 * GIB, 0.25 * GIB), "fine"],
    ["20 GB in 20 days", grown(10 * GIB, 0.5 * GIB), "warning"],
    ["20 GB in 5 days", grown(10 * GIB, 2 * GIB), "critical"],
    ["a fast beginning", grown(1 * GIB, 2 * GIB), "fine"],
    [
      "a physical partition only",
      {
        partitions: [{ itemBytes: 40 * GIB }],
        topBySize: [{ key: "a", itemBytes: GIB }],
        figures: { bytesPerDay: GIB },
      },
      "info",
    ],
  ]),
  ...of("storageSkew", [
    ["one physical partition", { partitions: [{ itemBytes: 9 * GIB }] }, "fine"],
    ["too small to matter", { partitions: [{ itemBytes: 1000 }, { itemBytes: 1 }] }, "fine"],
    ["twice the bytes, as after a split", skewed(20, 10), "fine"],
    ["three times the bytes", skewed(30, 10), "warning"],
    ["a split is under way", { ...skewed(30, 10), jobs: [job({})] }, "fine"],
  ]),
  ...of("unevenKeys", [
    ["nothing is known", {}, "absent"],
    ["even", { figures: { giniOfBytes: 0.7 } }, "fine"],
    ["uneven and small", { figures: { giniOfBytes: 0.71 } }, "info"],
    [
      "uneven and large",
      { figures: { giniOfBytes: 0.9, largestLogicalBytes: 3 * GIB } },
      "warning",
    ],
    ["nine keys", { figures: { giniOfBytes: 0.8, logicalPartitionCount: 9 } }, "absent"],
  ]),
  ...of("crossPartitionQueries", [
    ["no queries", { partitions: all({ usePercent: 50 }) }, "absent"],
    ["19 queries", { figures: queries(19, 19) }, "absent"],
    ["half of them", { figures: queries(100, 50) }, "fine"],
    ["51 of 100 over three", { figures: queries(100, 51) }, "info"],
    ["51 of 100 over six", { partitions: all({}, 6), figures: queries(100, 51) }, "warning"],
    ["one physical partition", { partitions: [{}], figures: queries(100, 100) }, "fine"],
  ]),
  ...of("costlyFanOut", [
    ["no queries", {}, "absent"],
    ["30,000 RU/s", { figures: queries(100, 90), throughput: { ratePerSecond: 30_000 } }, "fine"],
    [
      "40,000 RU/s",
      { figures: queries(100, 11), throughput: { ratePerSecond: 40_000 } },
      "warning",
    ],
    [
      "40,000 RU/s, few of them",
      { figures: queries(100, 10), throughput: { ratePerSecond: 40_000 } },
      "fine",
    ],
    ["120 GB", { partitions: all({ itemBytes: 40 * GIB }), figures: queries(50, 25) }, "warning"],
  ]),
  ...of("overProvisioned", [
    ["no history", {}, "absent"],
    ["half a day", { figures: { hourlyPeakPercents: hours(5).slice(12) } }, "absent"],
    ["29 % at most", { figures: { hourlyPeakPercents: hours(5, 29) } }, "warning"],
    ["29 % of a small rate", { ...day(5, 29), throughput: { ratePerSecond: 4000 } }, "info"],
    ["29 % of the lowest rate", { ...day(5, 29), throughput: { ratePerSecond: 400 } }, "fine"],
    [
      "29 % of the lowest autoscale",
      { ...day(5, 29), throughput: { ...autoscale, ratePerSecond: 1000 } },
      "fine",
    ],
    ["30 % once", { ...day(5, 30) }, "fine"],
    ["a database's rate", { ...day(5), throughput: { isShared: true } }, "absent"],
    ["serverless", { ...day(5), throughput: { kind: "serverless" } }, "absent"],
  ]),
  ...of("autoscaleWouldFit", [
    ["no history", {}, "absent"],
    ["peaks of 100 % now and then", day(10, 100), "info"],
    ["as high always", day(80, 100), "fine"],
    ["never high: the rate can be lowered", day(10, 60), "fine"],
    ["below the lowest ceiling", { ...day(10, 100), throughput: { ratePerSecond: 900 } }, "fine"],
    ["autoscale already", { ...day(10, 100), throughput: autoscale }, "fine"],
  ]),
  ...of("manualWouldFit", [
    ["no history", { throughput: autoscale }, "absent"],
    ["always high", { ...day(80), throughput: autoscale }, "info"],
    ["66 %: the same price", { ...day(66), throughput: autoscale }, "fine"],
    ["manual already", day(80), "fine"],
  ]),
  ...of("mergeCandidates", [
    ["6,000 RU/s each", {}, "fine"],
    ["2,000 RU/s each, nearly empty", { partitions: all({ allottedRate: 2000 }) }, "info"],
    [
      "2,000 RU/s each, 30 GB each",
      { partitions: all({ allottedRate: 2000, itemBytes: 30 * GIB }) },
      "fine",
    ],
    ["one", { partitions: [{ allottedRate: 400 }] }, "fine"],
    ["a merge is under way", { partitions: all({ allottedRate: 2000 }), jobs: [job({})] }, "fine"],
    [
      "serverless",
      { partitions: all({ allottedRate: 2000 }), throughput: { kind: "serverless" } },
      "fine",
    ],
  ]),
];

describe("container rules", () => {
  test.each(SCENARIOS)("$rule: $when is $is", ({ rule, sample, is }) => {
    const finding = found(rule, { report: sampleReport(sample), jobs: [] });
    expect(finding.kind === "trouble" ? finding.severity : finding.kind).toBe(is);
    expect(finding.says).toMatch(/^[A-Z0-9].*\.$/);
    if (finding.kind !== "trouble") return;
    expect(finding.todo.length).toBeGreaterThan(0);
    for (const sentence of finding.todo) expect(sentence).toMatch(/^[A-Z].*\.$/);
    for (const figure of Object.values(finding.evidence.figures)) {
      expect(Number.isFinite(figure)).toBe(true);
    }
  });

  test("every rule is tried firing, and every rule is tried quiet", () => {
    const tried = (kinds: readonly Expected[]): Set<string> =>
      new Set(SCENARIOS.filter(({ is }) => kinds.includes(is)).map(({ rule }) => rule));
    const ids = CONTAINER_RULES.map(({ id }) => id).filter((id) => !OF_JOBS.includes(id));
    expect([...tried(["info", "warning", "critical"])].toSorted()).toEqual(ids.toSorted());
    expect([...tried(["fine"])].toSorted()).toEqual(ids.toSorted());
  });

  test("every severity that a rule declares is reached by a scenario, and no other", () => {
    for (const { id, severities } of CONTAINER_RULES) {
      if (OF_JOBS.includes(id)) continue;
      const reached = SCENARIOS.filter(({ rule }) => rule === id).map(({ is }) => is);
      const severe = reached.filter((is) => is !== "fine" && is !== "absent");
      expect([...new Set(severe)].toSorted(), id).toEqual([...severities].toSorted());
    }
  });
});

/** Rules that are tried below, with jobs. */
const OF_JOBS: readonly string[] = [
  "jobStalled",
  "copyStalled",
  "lifecycleStalled",
  "hotOverdue",
  "archiveOverdue",
];

describe("a copy job", () => {
  const AT = 10_000_000;
  const copy = { id: "1-c1", movedAt: AT, isPaused: false, lagCount: 3 };
  const says = (more: Partial<CopyReport>): RuleFinding => {
    const report = { ...sampleReport({ at: AT }), copies: [{ ...copy, ...more }] };
    return found("copyStalled", { report, jobs: [] });
  };

  test.each([
    ["that goes on", {}, "fine"],
    ["that did nothing for 599 s", { movedAt: AT - 599_000 }, "fine"],
    ["that did nothing for 600 s", { movedAt: AT - 600_000 }, "warning"],
    ["that somebody paused", { movedAt: 0, isPaused: true }, "fine"],
    ["that stopped by itself", { stoppedFor: "An item has no key." }, "warning"],
  ] as const)("%s", (_, more, is) => {
    const finding = says(more);
    expect(finding.kind === "trouble" ? finding.severity : finding.kind).toBe(is);
  });

  test("says why it stopped, and what to do", () => {
    const finding = says({ stoppedFor: "An item has no key." });
    expect(finding.says).toBe("The copy job 1-c1 stopped: An item has no key.");
    expect(finding).toMatchObject({
      todo: [expect.stringContaining("orrery jobs show 1-c1"), expect.anything()],
    });
  });
});

describe("what an alert says to do about a hot physical partition", () => {
  const hot = beside({ usePercent: 100, throttledPercent: 30 });
  /** What partition 0 spent in five minutes. */
  const ru = 6000 * 300;
  const rules = ["hotPartition", "saturatedPartition", "throttledRequests"];

  test.each(rules)(
    "%s: one key makes the load, so a split does not help, and it is named",
    (rule) => {
      const sample = {
        partitions: hot,
        topByLoad: [{ key: "tenant-17", ru: 0.94 * ru, errorRu: 0 }],
      };
      const finding = trouble(rule, sample);
      expect(finding.says).toContain(
        'The logical partition ["tenant-17"] accounts for 94 % of the RUs',
      );
      expect(finding.todo[0]).toMatch(
        /^A split does not help: \["tenant-17"\] is a single logical/,
      );
      expect(finding.todo.join(" ")).toContain("hierarchical partition key");
      expect(finding.todo.join(" ")).toContain("suffix");
      expect(finding.evidence.partitionIds).toEqual(["0"]);
      expect(finding.evidence.partitionKeys).toEqual([["tenant-17"]]);
    },
  );

  test.each(rules)("%s: many keys make the load, so a split or a higher rate helps", (rule) => {
    const finding = trouble(rule, { partitions: hot, topByLoad: [{ key: "a", ru: 0.2 * ru }] });
    expect(finding.todo[0]).toMatch(/a split of physical partition 0 divides it/);
    expect(finding.todo[1]).toMatch(
      /Raising the rate of the container helps until .* 10,000 RU\/s/,
    );
  });

  test("a load that may be told too high does not decide", () => {
    const finding = trouble("hotPartition", {
      partitions: hot,
      topByLoad: [{ key: "a", ru: 0.6 * ru, errorRu: 0.3 * ru }],
    });
    expect(finding.says).toContain("between 30 % and 60 %");
    expect(finding.todo[0]).toMatch(/^Look at the top logical partitions by load first/);
  });

  test("the top key of another physical partition does not count", () => {
    const topByLoad = [{ key: "elsewhere", partitionId: "2", ru }];
    expect(trouble("hotPartition", { partitions: hot, topByLoad }).says).toContain("is not known");
  });

  test("a physical partition that has the highest rate is not told to raise it", () => {
    const partitions = beside({ usePercent: 100, allottedRate: 10_000 });
    const topByLoad = [{ key: "a", ru: 1000 }];
    const advice = trouble("saturatedPartition", { partitions, topByLoad }).todo.join(" ");
    expect(advice).toContain("Raising the rate does not help by itself");
  });

  test("a long key is cut in sentences and whole in the evidence", () => {
    const key = "k".repeat(2000);
    const finding = trouble("hotPartition", { partitions: hot, topByLoad: [{ key, ru }] });
    expect(finding.says.length).toBeLessThan(500);
    expect(finding.evidence.partitionKeys).toEqual([[key]]);
  });
});

describe("what an alert says to do about other things", () => {
  test("a full logical partition: never split, 403, hierarchical key, suffix", () => {
    const finding = trouble("largeLogicalPartition", {
      topBySize: [
        { key: "a", itemBytes: 18 * GIB },
        { key: "b", itemBytes: 16 * GIB, partitionId: "1" },
        { key: "c", itemBytes: GIB },
      ],
    });
    const advice = finding.todo.join(" ");
    expect(advice).toContain("can never be split");
    expect(advice).toContain("403 (substatus 1014)");
    expect(advice).toContain("hierarchical partition key that begins with /tenant");
    expect(advice).toContain("suffix");
    expect(finding.evidence.partitionKeys).toEqual([["a"], ["b"]]);
    expect(finding.evidence.partitionIds).toEqual(["0", "1"]);
    expect(finding.evidence.figures).toMatchObject({ limitBytes: 20 * GIB, fillPercent: 90 });
  });

  test("a full physical partition whose bytes are one key's: a split leaves them together", () => {
    const sample = {
      partitions: [{ itemBytes: 31 * GIB }],
      topBySize: [{ key: "a", itemBytes: 19 * GIB }],
    };
    const advice = trouble("physicalPartitionFill", sample).todo.join(" ");
    expect(advice).toContain(
      'the logical partition ["a"] has 61.3 % of the bytes, and is never divided',
    );
  });

  test("uniform saturation: raise the rate, at once up to what the partitions can serve", () => {
    const advice = trouble("uniformSaturation", { partitions: all({ usePercent: 95 }) }).todo;
    expect(advice[0]).toBe(
      "Raise the rate of the container. Up to 30,000 RU/s takes effect at once; beyond that " +
        "physical partitions are split first.",
    );
  });

  test("throttling inside the healthy band is called healthy", () => {
    const sample = { partitions: all({ usePercent: 50, throttledPercent: 3 }) };
    expect(trouble("throttledRequests", sample).says).toContain("is healthy if latencies are good");
  });

  test("autoscale is priced with its floor: 24 hours of 10 % and 100 % cost 82.5 %", () => {
    expect(trouble("autoscaleWouldFit", day(4, 100)).says).toContain("would cost 82.5 % of it");
  });
});

describe("jobs", () => {
  const after = (seconds: number, ...jobs: readonly JobReport[]): RuleFinding => {
    const before = followJobs([], [job({})], 0);
    const at = seconds * 1000;
    const followed = followJobs(before, jobs, at);
    return found("jobStalled", { report: sampleReport({ jobs, at }), jobs: followed });
  };

  test.each([
    ["none", [], 600, "fine"],
    ["nothing new for 599 s", [job({})], 599, "fine"],
    ["nothing new for 600 s", [job({})], 600, "warning"],
    ["one item more", [job({ copiedCount: 11 })], 600, "fine"],
    ["the next step", [job({ state: "catchingUp" })], 600, "fine"],
    ["another physical partition's", [job({ partitionIds: ["1"] })], 600, "fine"],
  ] as const)("%s", (_, jobs, seconds, is) => {
    const finding = after(seconds, ...jobs);
    expect(finding.kind === "trouble" ? finding.severity : finding.kind).toBe(is);
  });

  test("a job that waits for its turn is not stalled, one that cannot switch over is critical", () => {
    const stalledAt = (state: JobReport["state"]): RuleFinding => {
      const jobs = followJobs(followJobs([], [job({ state })], 0), [job({ state })], 700_000);
      return found("jobStalled", { report: sampleReport({ at: 700_000 }), jobs });
    };
    expect(stalledAt("waiting").kind).toBe("fine");
    expect(stalledAt("switching")).toMatchObject({ severity: "critical" });
    expect(stalledAt("copying").says).toBe(
      "The split of physical partition 0 (copying) has made no progress for 12 minutes: 10 of " +
        "100 changes are copied.",
    );
  });

  test("a clock that was set back makes no job old", () => {
    expect(followJobs(followJobs([], [job({})], 9000), [job({})], 1000)[0]?.unchangedSince).toBe(
      1000,
    );
  });
});

test.each([
  [undefined, "absent"],
  [5, "fine"],
  [4.9, "warning"],
  [0.9, "critical"],
] as const)("a disk with %s GiB free is %s", (freeGib, is) => {
  const disk =
    freeGib === undefined ? undefined : { freeBytes: freeGib * GIB, totalBytes: 100 * GIB };
  const [rule] = SERVER_RULES;
  const finding = rule!.find({ disk }, defaultAlertSettings().get("diskSpace")!.values);
  expect(finding.kind === "trouble" ? finding.severity : finding.kind).toBe(is);
});

const HOUR = 3_600_000;
const NOTHING: StorageReport = {
  at: 100 * HOUR,
  troubles: [],
  droppedTails: [],
  damages: [],
  damageCount: 0,
};
const lasting = (kind: string, severity: "warning" | "critical", seconds: number) => {
  const since = NOTHING.at - seconds * 1000;
  return { kind, severity, since, says: `The disk is ${kind}.`, todo: ["Help it."] };
};
const incident = (hoursAgo: number) => ({ at: NOTHING.at - hoursAgo * HOUR, says: "It broke." });

test.each<[rule: string, when: string, storage: StorageReport | undefined, is: Expected]>([
  ["storageFault", "nothing is kept", undefined, "absent"],
  ["storageFault", "all is well", NOTHING, "fine"],
  ["storageFault", "full", { ...NOTHING, troubles: [lasting("full", "critical", 0)] }, "critical"],
  ["storageFault", "slow", { ...NOTHING, troubles: [lasting("stalled", "warning", 5)] }, "warning"],
  [
    "storageFault",
    "not slow",
    { ...NOTHING, troubles: [lasting("stalled", "warning", 4)] },
    "fine",
  ],
  [
    "storageFault",
    "slow, then lost",
    { ...NOTHING, troubles: [lasting("stalled", "warning", 9), lasting("lost", "critical", 1)] },
    "critical",
  ],
  ["droppedTail", "today", { ...NOTHING, droppedTails: [incident(23)] }, "info"],
  ["droppedTail", "yesterday", { ...NOTHING, droppedTails: [incident(24)] }, "fine"],
  ["droppedTail", "nothing is kept", undefined, "absent"],
  ["storedDamage", "none", NOTHING, "fine"],
  ["storedDamage", "just now", { ...NOTHING, damages: [incident(0)], damageCount: 7 }, "critical"],
  ["storedDamage", "nothing is kept", undefined, "absent"],
])("%s: %s", (id, _when, storage, is) => {
  const rule = SERVER_RULES.find((one) => one.id === id)!;
  const finding = rule.find({ storage }, defaultAlertSettings().get(id)!.values);
  expect(finding.kind === "trouble" ? finding.severity : finding.kind).toBe(is);
});

type Row = readonly [when: string, sample: Sample, is: Expected];

function of(rule: string, rows: readonly Row[]): readonly Scenario[] {
  return rows.map(([when, sample, is]) => ({ rule, when, sample, is }));
}

function grown(largestBytes: number, bytesPerDay: number): Sample {
  return {
    partitions: [{ itemBytes: largestBytes }],
    topBySize: [{ key: "a", itemBytes: largestBytes }],
    figures: { bytesPerDay },
  };
}

function skewed(largestGib: number, smallestGib: number): Sample {
  return { partitions: [{ itemBytes: largestGib * GIB }, { itemBytes: smallestGib * GIB }] };
}

function day(...peaks: readonly number[]): Sample {
  return { figures: { hourlyPeakPercents: hours(...peaks) } };
}

function job(given: Partial<JobReport>): JobReport {
  const usual = {
    kind: "split",
    reason: "storage",
    state: "copying",
    partitionIds: ["0"],
  } as const;
  return { ...usual, copiedCount: 10, totalCount: 100, ...given };
}

function found(id: string, evidence: ContainerEvidence): RuleFinding {
  const rule = CONTAINER_RULES.find((candidate) => candidate.id === id)!;
  return rule.find(evidence, defaultAlertSettings().get(id)!.values);
}

function trouble(id: string, sample: Sample): Extract<RuleFinding, { kind: "trouble" }> {
  const finding = found(id, { report: sampleReport(sample), jobs: [] });
  if (finding.kind !== "trouble") throw new Error(`${id}: ${finding.says}`);
  return finding;
}
