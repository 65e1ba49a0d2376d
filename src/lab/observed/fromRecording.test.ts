/** From what was seen to what is told to the lab: distributions, hours, growth, remarks. */
import { describe, expect, test } from "vitest";
import { millis } from "../../base/units.ts";
import { type Random, seededRandom } from "../../base/world.ts";
import type { JsonValue } from "../../json/value.ts";
import type { Observation } from "../../recording/observation.ts";
import { Recorder, type Subject } from "../../recording/recorder.ts";
import { SaltedHash } from "../../recording/saltedHash.ts";
import { Secrets } from "../../recording/secrets.ts";
import { ValueTally } from "../../recording/valueTally.ts";
import { SecretNames, valueText } from "../../recording/valueText.ts";
import { printWorkload } from "../workload/printWorkload.ts";
import type { Distribution, Workload } from "../workload/workload.ts";
import { readWorkload } from "../workload/workloadText.ts";
import { fromRecording } from "./fromRecording.ts";
import { distributionsOf, recordedDistribution } from "./recordedDistribution.ts";

function recordOf(
  draw: (random: Random) => JsonValue,
  count: number,
): ReturnType<ValueTally["record"]> {
  const random = seededRandom(11);
  const hash = new SaltedHash(random);
  const tally = new ValueTally(hash);
  for (let at = 0; at < count; at++) tally.add(valueText(draw(random), hash));
  return tally.record(new SecretNames());
}

/** Ranks from 1, by the inverse of the summed weights. */
function zipf(distinct: number, s: number): (random: Random) => string {
  const sums: number[] = [];
  for (let rank = 1; rank <= distinct; rank++) sums.push((sums.at(-1) ?? 0) + rank ** -s);
  return (random) => {
    const wanted = random.next() * sums.at(-1)!;
    let [low, high] = [0, sums.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle]! < wanted) low = middle + 1;
      else high = middle;
    }
    return `value-${low + 1}`;
  };
}

describe("distributions", () => {
  test.each([
    [100, 1.2, 20_000],
    [200, 0.8, 20_000],
    [1_000, 1, 50_000],
    [20_000, 1.1, 100_000],
  ])("a Zipf law over %i values with s = %d is found", (distinct, s, count) => {
    const found = recordedDistribution(recordOf(zipf(distinct, s), count));
    expect(found.kind).toBe("zipf");
    expect(Math.abs((found as { s: number }).s - s)).toBeLessThan(0.12);
  });

  test.each([
    [2, 1_000],
    [50, 5_000],
    [250, 600],
    [5_000, 50_000],
    [100_000, 20_000],
  ])("%i values that are equally frequent are, after %i draws", (distinct, count) => {
    const values = recordOf((random) => Math.floor(random.next() * distinct), count);
    expect(recordedDistribution(values)).toEqual({ kind: "uniform" });
  });

  test("few values have names", () => {
    const values = recordOf((random) => (random.next() < 0.7 ? "open" : "closed"), 10_000);
    const { shares } = recordedDistribution(values) as Extract<Distribution, { kind: "shares" }>;
    expect(shares.get("open")).toBeCloseTo(0.7, 1);
    expect(shares.get("open")! + shares.get("closed")!).toBeCloseTo(1, 3);
  });

  test("one that has half of all among many alike is named, the rest is left", () => {
    const values = recordOf(
      (random) => (random.next() < 0.5 ? "big" : Math.floor(random.next() * 1_000)),
      40_000,
    );
    const found = recordedDistribution(values);
    if (found.kind !== "shares") throw new Error(found.kind);
    expect(found.shares.get("big")).toBeCloseTo(0.5, 1);
  });

  test("where requests need names, items have them too", () => {
    const items = recordOf((random) => `t${Math.floor(random.next() * 4)}`, 4_000);
    const requests = recordOf((random) => (random.next() < 0.9 ? "t3" : "t0"), 4_000);
    const made = distributionsOf(items, requests);
    if (made.items.kind !== "shares" || made.requests?.kind !== "shares") throw new Error("kind");
    expect(made.items.shares.get("t3")).toBeCloseTo(0.25, 1);
    expect(made.requests.shares.get("t3")).toBeCloseTo(0.9, 1);
  });
});

interface Stage {
  readonly recorder: Recorder;
  pass(seconds: number): void;
  workload(): Workload;
}

function stage(subject: Partial<Subject> = {}, ...secretPaths: string[]): Stage {
  let passed = 0;
  const secrets = Secrets.parse(secretPaths);
  if (!secrets.ok) throw new Error(secrets.error);
  const recorder = new Recorder({
    subject: {
      database: "shop",
      container: "orders",
      partitionKeyPaths: ["/tenant"],
      computedNames: new Set(),
      consistency: "strong",
      throughput: { kind: "autoscale", ratePerSecond: 4000, isShared: false },
      itemCount: 700,
      ttlSeconds: undefined,
      ...subject,
    },
    secrets: secrets.value,
    seconds: 86_400,
    clock: { now: () => millis(passed), wallNow: () => Date.UTC(2026, 4, 15) + passed },
    random: seededRandom(3),
  });
  return {
    recorder,
    pass: (seconds) => {
      passed += seconds * 1000;
    },
    workload: () => fromRecording(recorder.recording()),
  };
}

const read = (key: readonly JsonValue[], status = 200): Observation => ({
  kind: "pointRead",
  id: "1",
  key: key as readonly string[],
  item: undefined,
  writtenAt: undefined,
  status,
  ru: 1,
});
const create = (at: number, item: Readonly<Record<string, JsonValue>> = {}): Observation => ({
  kind: "create",
  key: ["a"],
  item: { id: `${at}`, tenant: "a", ...item },
  bytes: 40,
  status: 201,
  ru: 6,
});

describe("a workload", () => {
  test("of a whole day has hours and peaks", () => {
    const { recorder, pass, workload } = stage();
    for (let minute = 0; minute < 1_440; minute++) {
      const isBusy = Math.floor(minute / 60) === 9;
      for (let at = 0; at < (isBusy ? 6 : 2); at++) recorder.note(read(["a"]));
      pass(60);
    }
    const { growth, operations, remarks } = workload();
    const mean = (23 * 2 + 6) / 24;
    expect(operations[0]).toMatchObject({
      kind: "pointRead",
      ratePerSecond: expect.closeTo(mean / 60, 4),
    });
    expect(growth.hours?.length).toBe(24);
    expect(growth.hours?.[9]).toBeCloseTo(6 / mean, 2);
    expect(growth.peakFactor).toBeCloseTo(6 / mean, 2);
    expect(remarks.join()).toContain("Every hour of the day was seen");
  });

  test("of a minute has neither, and says so", () => {
    const { recorder, pass, workload } = stage();
    for (let at = 0; at < 60; at++) {
      recorder.note(read(["a"]));
      pass(1);
    }
    const { growth, operations, remarks } = workload();
    expect(operations[0]).toMatchObject({ ratePerSecond: 1, peakFactor: undefined });
    expect(growth).toMatchObject({ hours: undefined, peakFactor: 1, initialItems: 700 });
    expect(remarks.join()).toMatch(/60 seconds.*too short to tell peaks/);
  });

  test("has what is provisioned, the consistency and the time items live", () => {
    const { workload } = stage({ ttlSeconds: 86_400 * 30 });
    expect(workload()).toMatchObject({
      throughput: { mode: "autoscale", ratePerSecond: 4000 },
      consistency: "strong",
      growth: { retentionDays: 30 },
    });
    const shared = { kind: "manual", ratePerSecond: 400, isShared: true } as const;
    const sharing = stage({ throughput: shared }).workload();
    expect(sharing.throughput).toBeUndefined();
    expect(sharing.remarks.join()).toContain("shares the rate of its database");
  });

  test.each([
    ["nobody is held to", { ratePerSecond: 5000, isLimited: false }, "refused nobody"],
    ["nobody has asked for", { ratePerSecond: 400, isDefault: true }, "asks for none"],
  ])("has no rate that %s, and says so", (_, rate, remark) => {
    const throughput = { kind: "manual", isShared: false, isLimited: true, ...rate } as const;
    const made = stage({ throughput }).workload();
    expect(made.throughput).toBeUndefined();
    expect(made.remarks.join()).toContain(remark);
    const asked = { ...throughput, ratePerSecond: 5000, isLimited: true, isDefault: false };
    expect(stage({ throughput: asked }).workload().throughput?.ratePerSecond).toBe(5000);
  });

  test("has what queries cost, and of how many partitions that is where no key was named", () => {
    const { recorder, pass, workload } = stage({ partitionCount: 4 });
    const asked = (key: readonly string[] | undefined, text: string, ru: number): Observation => ({
      kind: "query",
      text,
      parameters: new Map(),
      queryId: undefined,
      key,
      ru,
      status: 200,
      rows: 1,
      pageSize: 100,
      isContinued: false,
    });
    const scan = "SELECT VALUE COUNT(1) FROM c WHERE c.note != 'x'";
    for (let at = 0; at < 40; at++) {
      recorder.note(asked(undefined, scan, 501));
      recorder.note(asked(["a"], "SELECT * FROM c WHERE c.tenant = 'a'", 7.5));
      recorder.note(create(at));
    }
    pass(10);
    const made = workload();
    const byCost = new Map(made.operations.map((operation) => [operation.ru, operation]));
    expect(byCost.get(501)).toMatchObject({ kind: "query", ruPartitions: 4 });
    expect(byCost.get(7.5)?.ruPartitions).toBeUndefined();
    const again = readWorkload(printWorkload(made), "yaml", "orders.yaml");
    expect(again.ok && again.value.operations).toEqual(made.operations);
  });

  test("knows unique properties, times and those that change", () => {
    const { recorder, pass, workload } = stage();
    for (let at = 0; at < 300; at++) {
      pass(1);
      const time = new Date(Date.UTC(2026, 4, 15) + at * 1000).toISOString();
      const item = { orderNumber: `n-${at}`, at: time, born: "1980-01-01", status: "open" };
      recorder.note(create(at, item));
    }
    const changed = create(5, { orderNumber: "n-5", status: "paid" });
    recorder.note({ ...changed, kind: "replace", status: 200 } as Observation);
    const { properties, growth } = workload();
    expect(properties.get("/orderNumber")).toMatchObject({ isUnique: true, distinct: undefined });
    expect(properties.get("/id")).toMatchObject({ isUnique: true });
    expect(properties.get("/at")).toMatchObject({ time: "second" });
    expect(properties.get("/born")).toMatchObject({
      time: undefined,
      missingShare: expect.any(Number),
    });
    expect(properties.get("/status")).toMatchObject({ changes: true, distinct: 2 });
    expect(properties.get("/tenant")).toMatchObject({ changes: false, distinct: 1 });
    expect(growth.itemsPerDay).toBe(86_400);
  });

  test("hierarchical keys give a distribution for each level", () => {
    const { recorder, pass, workload } = stage({ partitionKeyPaths: ["/tenant", "/user"] });
    for (let at = 0; at < 800; at++) recorder.note(read([at % 4 === 0 ? "b" : "a", `u${at % 50}`]));
    pass(10);
    const { properties } = workload();
    expect(properties.get("/tenant")?.requests).toEqual({
      kind: "shares",
      shares: new Map([
        ["a", 0.75],
        ["b", 0.25],
      ]),
    });
    expect(properties.get("/user")).toMatchObject({ distinct: 50, requests: { kind: "uniform" } });
  });

  test("says what is missing: throttled, failed, shapes without room", () => {
    const { recorder, pass, workload } = stage();
    for (let at = 0; at < 20; at++) recorder.note(read(["a"], at < 10 ? 429 : at < 15 ? 503 : 200));
    pass(1);
    const { remarks, operations } = workload();
    expect(operations[0]).toMatchObject({ ratePerSecond: 5 });
    expect(remarks.join()).toMatch(
      /50 % of the requests were throttled.*25 % of the requests failed/,
    );
  });

  test("with secrets has names for them, and can be written and read", () => {
    const { recorder, pass, workload } = stage({}, "*");
    for (let at = 0; at < 200; at++) {
      recorder.note(create(at, { tenant: at % 3 === 0 ? "canary-1" : "canary-2", n: at }));
      recorder.note(read([at % 5 === 0 ? "canary-1" : "canary-2"]));
    }
    pass(10);
    const made = workload();
    const text = printWorkload(made);
    expect(text).not.toContain("canary");
    expect(text).toContain("secret-");
    const again = readWorkload(text, "yaml", "orders.yaml");
    expect(again.ok ? [] : again.error).toEqual([]);
    if (again.ok) expect(again.value).toEqual({ ...made, title: again.value.title });
  });

  test("of nothing is one, too", () => {
    const { operations, remarks, item } = stage().workload();
    expect([operations, item]).toEqual([[], { bytes: undefined, example: undefined }]);
    expect(remarks.join()).toContain("Nothing was asked");
  });
});
