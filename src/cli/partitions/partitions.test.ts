/** What is said of a container, given its report. */
import { describe, expect, test } from "vitest";
import { simulatedSurface } from "../../server/admin/simulatedSurface.fake.ts";
import type { ContainerReport, JobReport } from "../../statistics/report.ts";
import { LiveTable } from "../terminal/liveTable.ts";
import { jobText, reportSections } from "./partitions.ts";

function textOf(change: Partial<ContainerReport> = {}, columns?: number): string {
  let written = "";
  const write = (text: string): void => {
    written += text;
  };
  const terminal = columns === undefined ? {} : { isTTY: true, columns };
  const report = { ...REPORT, ...change };
  new LiveTable({ write, ...terminal }, { NO_COLOR: "1" }).print(reportSections(report));
  return written;
}

const answered = await simulatedSurface().report("shop", "orders");
if (!answered.ok) throw new Error("the simulated container is always there");
const REPORT = answered.value;

test("a report in full", () => {
  expect(textOf()).toBe(`\
shop/orders  by /tenant  2026-05-15 14:10:00 UTC
30,000 RU/s
600,000 items, 586 MB in 3 physical partitions, growing by 1 GB a day

id  keys %       items     size  allotted    RU/s  peak %  429 %  of bytes
──  ─────────  ───────  ───────  ────────  ──────  ──────  ─────  ──────────────
 0  0–33.3     100,000  97.7 MB    10,000   1,000      10      0  █       16.7 %
 1  33.3–66.7  200,000   195 MB    10,000  10,000     100     25  ██      33.3 %
 2  66.7–100   300,000   293 MB    10,000   1,000      10      0  ███       50 %
RU/s is that of the last second, peak % the busiest second of the last minute
against its allotment, 429 % the requests throttled in the last minute.

Top logical partitions by size
key                      on   items   size  of limit %
───────────────────────  ──  ──────  ─────  ──────────
"tenant-d"                1  12,288  12 MB          60
["tenant-\\u001b[2Ja",7]   0   2,048   2 MB          10

Top logical partitions by load of the last five minutes
key         on         RU  of all RU %  at most less   429s
──────────  ──  ─────────  ───────────  ────────────  ─────
"tenant-d"   1  2,700,000           75         5,000  9,000

Logical partitions: 300, 2.0 MB on average; largest 12 MB, 60 % of the limit.
Bytes of logical partitions: fairly even (Gini 0.25 of 0 to 1).
Load of physical partitions: uneven (Gini 0.50 of 0 to 1).
Busiest: one physical partition took 83 % of all RU.
Requests: 90,000 in the last five minutes, 10 % of them throttled.
Queries: 10 of 40 (25 %) were about more than one physical partition.
`);
});

describe("what varies", () => {
  const { throughput, figures, partitions } = REPORT;

  test.each<[Partial<ContainerReport["throughput"]>, string]>([
    [{ kind: "autoscale", rateNow: 4000 }, "autoscale up to 30,000 RU/s, now at 4,000 RU/s"],
    [{ kind: "serverless" }, "serverless"],
    [{ pendingRate: 60_000 }, "30,000 RU/s, on the way to 60,000 RU/s"],
    [{ isShared: true }, "30,000 RU/s, shared with the other containers of its database"],
    [{ isLimited: false }, "30,000 RU/s, nothing is throttled"],
  ])("throughput %j", (change, line) => {
    const text = textOf({ throughput: { ...throughput, ...change } });
    expect(text.split("\n")[1]).toBe(line);
  });

  test("an allotment that limits nobody is not shown", () => {
    const text = textOf({ throughput: { ...throughput, isLimited: false } });
    expect(text).toMatch(/^ 0 .* - +1,000 +- +0 /m);
  });

  test.each<[number, string]>([
    [0, "even"],
    [0.2, "fairly even"],
    [0.69, "uneven"],
    [0.7, "very uneven"],
  ])("a Gini of %d is called %s", (giniOfBytes, words) => {
    const text = textOf({ figures: { ...figures, giniOfBytes } });
    expect(text).toContain(`Bytes of logical partitions: ${words} (Gini`);
  });

  test("what nobody knows is not told, and never zero", () => {
    const none = { bytesPerDay: undefined, busiestShare: undefined, throttledShare: undefined };
    const text = textOf({
      figures: { ...figures, ...none, giniOfBytes: undefined, crossPartitionShare: undefined },
      topByLoad: [],
    });
    expect(text).not.toMatch(/growing|Busiest|Bytes of|Queries/);
    expect(text).toContain("Requests: none in the last five minutes.");
    expect(text).toContain("Top logical partitions by load of the last five minutes: none");
  });

  test("an empty container that nobody asked anything", () => {
    const idle = { seconds: 0, ru: 0, requestCount: 0, throttledCount: 0, normalizedPercent: 0 };
    const [first] = partitions;
    const empty = { ...first!, max: "FF", itemCount: 0, itemBytes: 0, lastSecond: idle };
    const text = textOf({
      partitions: [{ ...empty, lastMinute: idle }],
      figures: { ...figures, itemCount: 0, itemBytes: 0 },
    });
    expect(text).toMatch(/^ 0 {2}0–100 +0 +0 B +10,000 +0 +0 +- {2} +0 %$/m);
    expect(text).not.toContain("NaN");
  });

  test("a key without items left is told by its EPK, a single value without a list", () => {
    const [top] = REPORT.topBySize;
    const keyOf = (partitionKey: ContainerReport["topBySize"][number]["partitionKey"]): string => {
      const text = textOf({ topBySize: [{ ...top!, partitionKey }] });
      return text.split("Top logical partitions by size\n")[1]!.split("\n")[2]!.split("  ")[0]!;
    };
    expect(keyOf(undefined)).toBe(`EPK ${top!.epk}`);
    expect(keyOf([null])).toBe("null");
    expect(keyOf([{}])).toBe("{}");
    expect(keyOf(["a", 1])).toBe('["a",1]');
    expect(keyOf([])).toBe("[]");
  });

  test("bounds of the first hash version are shown as they are", () => {
    const cut = "05C1D5555555555550";
    const [first, second] = partitions;
    const text = textOf({
      partitions: [
        { ...first!, max: cut },
        { ...second!, min: cut, max: "FF" },
      ],
    });
    expect(text).toMatch(new RegExp(`^ 1 {2}${cut} `, "m"));
    expect(text).not.toContain("keys %");
  });

  test("on 80 columns the load is seen", () => {
    for (const line of textOf({}, 80).split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    const large = partitions.map((partition) => ({ ...partition, itemCount: 12_345_678 }));
    expect(textOf({ partitions: large }, 80)).toMatch(/^id .* 429 %$/m);
  });
});

describe("a job", () => {
  const job: JobReport = {
    kind: "split",
    reason: "storage",
    state: "copying",
    partitionIds: ["1"],
    copiedCount: 250,
    totalCount: 1000,
  };

  test.each<[Partial<JobReport>, string]>([
    [{}, "Split of 1, for storage: copying, 250 of 1,000 changes (25 %)."],
    [{ state: "waiting" }, "Split of 1, for storage: waits for its turn."],
    [
      { kind: "merge", reason: "request", partitionIds: ["1", "2"], state: "switching" },
      "Merge of 1 and 2, as asked: switching over, 250 of 1,000 changes (25 %).",
    ],
    [{ totalCount: 0, copiedCount: 0 }, "Split of 1, for storage: copying, 0 of 0 changes (0 %)."],
    [{ copiedCount: 1200 }, "Split of 1, for storage: copying, 1,200 of 1,000 changes (100 %)."],
  ])("%j", (change, text) => {
    expect(jobText({ ...job, ...change })).toBe(text);
  });

  test("under way is shown under the figures", () => {
    expect(textOf({ jobs: [job] })).toMatch(/\n\nSplit of 1, for storage: copying.*\n$/);
  });
});
