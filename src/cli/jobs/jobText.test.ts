/** What is said of jobs, given what the admin API says. */
import { describe, expect, test } from "vitest";
import type { CopyJobEntry } from "../../model/copyJob.ts";
import type { Section } from "../terminal/liveTable.ts";
import { LiveTable } from "../terminal/liveTable.ts";
import { jobSections, listSections } from "./jobText.ts";
import { progressText } from "./jobWords.ts";
import { planSections } from "./planText.ts";
import { SIMULATED_COPY, SIMULATED_PLAN, SIMULATED_SPLIT } from "./simulatedJobs.fake.ts";

/** A line that is longer than one of this file may be is broken, which an arrow says. */
function folded(text: string): string {
  return text.replace(/[^\n]{80}(?=[^\n])/g, "$&↩\n");
}

function textOf(sections: readonly Section[]): string {
  let written = "";
  const write = (text: string): void => {
    written += text;
  };
  new LiveTable({ write }, { NO_COLOR: "1" }).print(sections);
  return written;
}

function progressOf(change: Partial<CopyJobEntry>): string {
  return progressText({ ...SIMULATED_COPY, state: "copying", ...change });
}

test("a job that looks at all items says how far it is", () => {
  const progress = { ...SIMULATED_COPY.progress, lookedShare: 0.379 };
  expect(progressOf({ state: "preparing", progress })).toBe(
    "looking at all items; 37.9 % of 1,000,000 items, slowed by: clients were throttled",
  );
});

test("a reason that is a sentence is not ended twice", () => {
  expect(progressOf({ state: "failed", reason: "The target was deleted." })).toMatch(
    /^failed: The target was deleted; 250,000 of/,
  );
});

test("a copy job in full", () => {
  const { plan: _plan, ...job } = SIMULATED_COPY;
  expect(folded(textOf(jobSections(job, " --endpoint http://h:1")))).toMatchInlineSnapshot(`
    "c7  copy of shop/orders to shop/orders-old
    switched over, with a way back; 250,000 of 1,000,000 items (25 %), 300 MB, 4,321↩
     items/s, lag 30 changes (0.05 s), 3 min to 4 min left, slowed by: clients were ↩
    throttled
    Started 2026-05-15 14:10:00 UTC.
    Changes applied since: 1,234, of them 12 removals; lag 30 changes (0.05 s).
    Rate: 4,321 items/s, 4 MB/s; spent 1,000 RU on reading, 7,000 RU on writing.
    Share of the RU/s: 20 %, at present 14 %; what limits it: clients were throttled↩
    .
    Of 10 earlier jobs, 9 ended within what was said of them at this stage.
    Set aside: 3 of at most 100; \`orrery copy set-aside c7 --endpoint http://h:1\` li↩
    sts them.
    Asked for: key ["/tenantId","/userId"]; mode online; sharePercent 20.

    Verification: 1 missing, 0 too many, 1 that differ, 250,000 items compared, 2,50↩
    0 of them read, in 3.2 s, at 2026-05-15 14:11:00 UTC, sum 0f
    item     id  new key
    ───────  ──  ─────────
    missing  i1  ["t","u"]
    differs  i2  ["t","w"]

    Mirror: 5 % of reads and queries are also run on the copy.
    Run twice on the source itself, 1 of 50 reads differed all the same.
      1  SELECT * FROM c WHERE c.status = @
    shape  runs  equal  differ  late  errors  RU p50  RU p95  RU p99  ms p50  ms p95↩
      ms p99     partitions  RU/day
    ─────  ────  ─────  ──────  ────  ──────  ──────  ──────  ──────  ──────  ──────↩
      ─────────  ──────────  ──────────────
        1   200    190       4     5       1  3 → 30  6 → 60  9 → 90  1 → 1   2 → 2 ↩
      3.5 → 3.5  1 → 1       3,000 → 30,000
      1  costs ten times as much
      1  other answers for i2

    Cut-over: at 2026-05-15 14:12:00 UTC by swap of names, at the second attempt; wr↩
    ites were held for 41 ms, 17 writes waited, the longest for 38.4 ms.
      azsdk-java/4: 3 requests in old terms since then

    Way back: closed, because these items cannot go back:
      "n1" with key ["t","u"]: its old key has an item of this id

    Events:
      2026-05-15 14:10:00 UTC  The job was started.

    What can be done now:
      orrery copy complete c7 --endpoint http://h:1
          Deletes the old container.
      orrery jobs throttle c7 <percent> --endpoint http://h:1
          Changes the share.
    "
  `);
});

test("a plan with everything that can be in the way", () => {
  expect(textOf(planSections(SIMULATED_PLAN))).toMatchInlineSnapshot(`
    "what                found
    ──────────────────  ─────────────────────
    items               1,000,000, 1 GB
    to be copied        999,998, 1,024 MB
    clashes             1
    without the key     2
    full keys           1
    logical partitions  40,000
    largest of them     ["t","v"], 21 GB
    price               7,200,000 ± 12,000 RU
    of it reading       100,000 RU
    of it writing       7,100,000 RU
    priced by           500 items
    time                90 minutes

    Items that share their new key and id with another one, some of them:
      "a" with key ["x"], new key ["t","u"]: so has the one with key y

    Items without the new key, some of them:
      "b" with key ["x"]: /userId is missing

    Logical partitions that would hold more than one may:
    new key    bytes
    ─────────  ─────
    ["t","v"]  21 GB

    Steps:
      1. make shop/orders2
      2. copy all items
      3. verify

    In the way:
      One item clashes; --on-clash set-aside goes on without it.
    "
  `);
});

test("a plan with nothing in the way says so", () => {
  const plan = {
    ...SIMULATED_PLAN,
    clashes: [],
    missingKeys: [],
    fullKeys: [],
    obstacles: [],
    seconds: undefined,
  };
  const text = textOf(planSections(plan));
  expect(text).toContain("Nothing is in the way.");
  expect(text).toMatch(/time +no rate limits it/);
  expect(text).not.toContain("some of them");
});

describe("the list", () => {
  test("has copies, splits and merges", () => {
    expect(folded(textOf(listSections([SIMULATED_COPY, SIMULATED_SPLIT])))).toMatchInlineSnapshot(`
      "id  kind   of                              state     done %  items/s  lag  left ↩
                 started
      ──  ─────  ──────────────────────────────  ────────  ──────  ───────  ───  ─────↩
      ─────────  ───────────────────────
      c7  copy   shop/orders to shop/orders-old  switched      25    4,321   30  3 min↩
       to 4 min  2026-05-15 14:10:00 UTC
      s3  split  shop/orders, partition 2        copying       25                     ↩
                 2026-05-15 14:10:00 UTC
      "
    `);
  });

  test("of nothing says so", () => {
    expect(textOf(listSections([]))).toBe("There are no jobs.\n");
  });

  test("shows no rate of a job that is over", () => {
    const text = textOf(listSections([{ ...SIMULATED_COPY, state: "completed" }]));
    expect(text).not.toContain("4,321");
  });
});

describe("the line of progress", () => {
  test("has items, bytes, rate, lag, the interval and what binds", () => {
    expect(progressOf({})).toBe(
      "copying; 250,000 of 1,000,000 items (25 %), 300 MB, 4,321 items/s, " +
        "lag 30 changes (0.05 s), 3 min to 4 min left, slowed by: clients were throttled",
    );
  });

  test("says why a job stands still, and leaves out what nobody knows", () => {
    const { remaining: _remaining, ...progress } = SIMULATED_COPY.progress;
    const throttle = { ...SIMULATED_COPY.throttle, bound: "nothing" as const };
    const text = progressOf({ state: "blocked", reason: "the target is gone", progress, throttle });
    expect(text).toMatch(
      /^stopped by an obstacle: the target is gone; .*lag 30 changes \(0.05 s\)$/,
    );
  });

  test.each([
    [{ ruPerSecond: 12_500, sharePercent: 62.5 }, "about 12,500 RU/s, a share of 62.5 %"],
    [{ ruPerSecond: 12_500, sharePercent: 150 }, "more than the target has: raise its throughput"],
    [{ ruPerSecond: 12_500 }, "about 12,500 RU/s"],
  ])("says what a job needs that falls behind", (needed, words) => {
    const { remaining: _remaining, ...rest } = SIMULATED_COPY.progress;
    const rates = { appliedPerSecond: 800, arrivingPerSecond: 1000, needed };
    const progress = { ...rest, lag: { ...rest.lag, ...rates } };
    const text = progressOf({ state: "catchingUp", progress });
    expect(text).toContain("falls behind: 1,000 changes/s come and 800 are applied; it needs ");
    expect(text).toContain(words);
  });

  test("has no share while the items are being counted", () => {
    const progress = { ...SIMULATED_COPY.progress, itemCount: 0, copiedCount: 0 };
    expect(progressOf({ state: "preparing", progress })).toContain("0 of 0 items, ");
  });
});

test("a split in full, under way and failed", () => {
  expect(textOf(jobSections(SIMULATED_SPLIT, ""))).toContain(
    "Split of 2, as asked: copying, 50 of 200 changes (25 %).",
  );
  const outcome = { state: "failed", reason: "the disk is full", seconds: 2 } as const;
  const text = textOf(jobSections({ ...SIMULATED_SPLIT, outcome }, ""));
  expect(text).toContain("failed after 2 s: the disk is full");
});
