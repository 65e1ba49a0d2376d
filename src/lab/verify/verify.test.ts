/** A prediction beside what a container shows: what holds, what fails, and what nobody can tell. */
import { describe, expect, it, test } from "vitest";
import type { ObservedContainer } from "./observed.ts";
import { type Prediction, readPrediction } from "./prediction.ts";
import { verificationJson, verificationText } from "./report.ts";
import { type Verification, verifyPrediction } from "./verify.ts";

const LOAD: Prediction["now"] = {
  ruPerSecond: 200,
  peakRuPerSecond: 400,
  requestsPerSecond: 100,
  requestRuDeviation: 0,
  hottestPartition: { ruPerSecond: 120, share: 0.6 },
  physicalPartitions: 2,
  throttledShare: 0.01,
  logicalPartitions: { value: 50, low: 50, high: 50 },
  largestLogicalBytes: { value: 100_000, low: 100_000, high: 100_000 },
  operations: [
    {
      id: "see",
      kind: "pointRead",
      sql: null,
      ratePerSecond: 50,
      ruEach: 1,
      requestsEach: 1,
    },
    {
      id: "mine",
      kind: "query",
      sql: "SELECT * FROM c WHERE c.user = @u",
      ratePerSecond: 50,
      ruEach: 3,
      requestsEach: 1,
    },
  ],
  neededRate: 800,
  cost: { manual: 46, autoscale: 40, serverless: null, storage: 0.1 },
};

const PREDICTION: Prediction = {
  formatVersion: 1,
  madeAt: 1_700_000_000_000,
  workload: "shop",
  container: "shop/orders",
  key: "/user",
  keyPaths: ["/user"],
  items: { count: 10_000, bytes: 5_000_000 },
  throughput: { kind: "manual", ratePerSecond: 800 },
  now: LOAD,
  atEnd: LOAD,
};

/** Just what was predicted, for a minute. */
const OBSERVED: ObservedContainer = {
  seconds: 60,
  ru: 12_000,
  requestCount: 6_000,
  throttledCount: 0,
  partitions: [
    { id: "0", ru: 4_800 },
    { id: "1", ru: 7_200 },
  ],
  isLimited: true,
  ratePerSecond: 800,
  itemCount: 10_000,
  itemBytes: 5_000_000,
  logicalPartitionCount: 50,
  largestLogicalBytes: 100_000,
};

function verified(change: Partial<ObservedContainer>): Verification {
  return verifyPrediction(PREDICTION, { ...OBSERVED, ...change });
}

function findingsOf({ checks }: Verification): Record<string, string> {
  return Object.fromEntries(checks.map(({ name, finding }) => [name, finding]));
}

describe("a prediction", () => {
  it("holds where everything came as it was said", () => {
    const verification = verified({});
    expect(verification.finding).toBe("held");
    expect(findingsOf(verification)).toEqual({
      requestsPerSecond: "noted",
      ruPerRequest: "held",
      ruPerSecond: "held",
      hottestPartition: "held",
      throttledShare: "held",
      physicalPartitions: "held",
      logicalPartitions: "held",
      largestLogicalBytes: "held",
    });
  });

  it("is compared at the rate that came, and says so", () => {
    const half = verified({
      ru: 6_000,
      requestCount: 3_000,
      partitions: [
        { id: "0", ru: 2_400 },
        { id: "1", ru: 3_600 },
      ],
    });
    expect(half.finding).toBe("held");
    expect(half.rateFactor).toBeCloseTo(0.5);
    const total = half.checks.find(({ name }) => name === "ruPerSecond");
    expect(total).toMatchObject({ predicted: 100, measured: 100, difference: 0 });
    expect(total?.note).toContain("200 RU/s were predicted");
    expect(half.remarks[0]).toContain("0.5 times the requests");
  });

  test.each<[string, Partial<ObservedContainer>, string]>([
    ["requests cost half as much again", { ru: 18_000 }, "ruPerRequest"],
    [
      "all load is on one of two partitions",
      {
        partitions: [
          { id: "0", ru: 0 },
          { id: "1", ru: 12_000 },
        ],
      },
      "hottestPartition",
    ],
    ["a tenth is throttled", { throttledCount: 600, ru: 10_800 }, "throttledShare"],
    ["there are twice the keys", { logicalPartitionCount: 100 }, "logicalPartitions"],
    ["a key is twice as large", { largestLogicalBytes: 250_000 }, "largestLogicalBytes"],
    [
      "there is another physical partition",
      { partitions: [...OBSERVED.partitions, { id: "2", ru: 0 }] },
      "physicalPartitions",
    ],
  ])("fails where %s", (_name, change, name) => {
    const verification = verified(change);
    expect(verification.finding).toBe("failed");
    expect(findingsOf(verification)[name]).toBe("failed");
  });

  it("is undecided after too few requests, however wrong they look", () => {
    const verification = verified({
      requestCount: 99,
      ru: 5_000,
      throttledCount: 50,
      partitions: [
        { id: "0", ru: 0 },
        { id: "1", ru: 5_000 },
      ],
    });
    expect(verification.finding).toBe("undecided");
    expect(Object.values(findingsOf(verification))).not.toContain("failed");
  });

  it("is undecided where nothing was asked at all", () => {
    const nothing = { seconds: 0, ru: 0, requestCount: 0, partitions: [] };
    const verification = verified({ ...nothing, partitions: OBSERVED.partitions });
    expect(verification.finding).toBe("undecided");
    expect(verificationText(verification, undefined)).toContain("Nothing is decided yet");
    expect(verificationText(verification, undefined)).not.toContain("NaN");
  });

  test.each<[string, Partial<ObservedContainer>]>([
    ["more is asked than was predicted", { requestCount: 12_000, ru: 22_000 }],
    ["it has a lower rate than was predicted", { ratePerSecond: 400, ru: 10_800 }],
    ["the server throttles nobody", { isLimited: false, ru: 10_800 }],
  ])("does not fail by 429s where %s", (_name, change) => {
    const verification = verified({ throttledCount: 700, ...change });
    expect(findingsOf(verification)["throttledShare"]).toBe("undecided");
  });

  it("allows for items that came since", () => {
    const grown = verified({
      itemCount: 20_000,
      itemBytes: 10_000_000,
      logicalPartitionCount: 100,
      largestLogicalBytes: 200_000,
      partitions: [...OBSERVED.partitions, { id: "2", ru: 0 }],
    });
    expect(findingsOf(grown)).toMatchObject({
      physicalPartitions: "undecided",
      logicalPartitions: "held",
      largestLogicalBytes: "held",
      hottestPartition: "undecided",
    });
  });

  it("allows the hottest partition what chance allows all of them", () => {
    const one = { physicalPartitions: 1, hottestPartition: { ruPerSecond: 200, share: 1 } };
    const uneven = { ...PREDICTION, now: { ...LOAD, ...one, requestRuDeviation: 4 } };
    const few = { requestCount: 200, ru: 520 };
    const partitions = [{ id: "0", ru: 520 }];
    const verification = verifyPrediction(uneven, { ...OBSERVED, ...few, partitions });
    expect(findingsOf(verification)).toMatchObject({
      ruPerRequest: "held",
      hottestPartition: "held",
    });
  });

  it("does not count as cheap what was throttled", () => {
    const verification = verified({ throttledCount: 60, ru: 11_880 });
    expect(findingsOf(verification)).toMatchObject({ ruPerRequest: "held", ruPerSecond: "held" });
  });
});

describe("operations that were recorded", () => {
  it("are compared by the text of a query, and else by kind", () => {
    const verification = verified({
      operations: [
        { kind: "pointRead", count: 100, ruEach: 1 },
        { kind: "query", text: "SELECT *  FROM c\nWHERE c.user = @u", count: 100, ruEach: 6 },
        { kind: "query", text: "SELECT * FROM c", count: 100, ruEach: 90 },
      ],
    });
    expect(findingsOf(verification)).toMatchObject({ "ruOf.see": "held", "ruOf.mine": "failed" });
    expect(verification.finding).toBe("failed");
  });

  it("are undecided where there were few of them, or none", () => {
    const verification = verified({ operations: [{ kind: "pointRead", count: 19, ruEach: 9 }] });
    expect(findingsOf(verification)).toMatchObject({
      "ruOf.see": "undecided",
      "ruOf.mine": "undecided",
    });
    expect(verification.finding).toBe("held");
  });
});

describe("a prediction in a file", () => {
  it("comes back as it was", () => {
    expect(readPrediction(JSON.stringify(PREDICTION))).toEqual({ ok: true, value: PREDICTION });
    const shared = { ...PREDICTION, throughput: null };
    expect(readPrediction(JSON.stringify(shared))).toEqual({ ok: true, value: shared });
  });

  test.each([
    ["no JSON", "{", "no JSON"],
    ["something else", "{}", "no prediction"],
    ["a list", "[]", "no prediction"],
    ["a later form", '{"formatVersion": 2}', "formatVersion is 2"],
    ["one without figures", JSON.stringify({ ...PREDICTION, now: {} }), "hottestPartition"],
    [
      "a rate below zero",
      JSON.stringify({ ...PREDICTION, now: { ...LOAD, ruPerSecond: -1 } }),
      "ruPerSecond",
    ],
    ["a key of numbers", JSON.stringify({ ...PREDICTION, keyPaths: [1] }), "keyPaths"],
  ])("is refused if it is %s", (_name, text, complaint) => {
    const read = readPrediction(text);
    expect(read.ok).toBe(false);
    expect(read.ok ? "" : read.error).toContain(complaint);
  });
});

it("is told to people and to programs alike", () => {
  const verification = verified({ ru: 18_000 });
  const text = verificationText(verification, undefined);
  expect(text).toMatch(/RU of a request +2 +3 +\+50\.0 % +±15\.0 % +✕ failed/);
  expect(text).toContain("The prediction does not hold.");
  expect(verificationJson(verification)).toMatchObject({ formatVersion: 1, finding: "failed" });
});
