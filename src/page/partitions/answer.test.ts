/** What the page says first: where the load is, and whether a split helps. */
import { describe, expect, test } from "vitest";
import { answerOf, basisOf, partitionToLookAt } from "./answer.ts";
import { fillingsOf, growthSentence } from "./growth.ts";
import { GB, load, logical, partition, report } from "./sampleReport.fake.ts";
import { loadShareOf, remediesFor, splitVerdict } from "./splitVerdict.ts";

const dateText = (at: number): string => new Date(at).toISOString().slice(0, 10);
const busy = load({ ru: 90_000, requestCount: 1000, throttledCount: 250, normalizedPercent: 100 });
const calm = load({ ru: 10_000, requestCount: 1000, normalizedPercent: 20 });
const hot = partition(1, 2, { lastFiveMinutes: busy });
const cool = partition(0, 2, { lastFiveMinutes: calm });
const LIMITS = report([]).limits;
const oneKey = {
  bySize: [],
  byLoad: [logical("d", "1", { ru: 85_000, errorRu: 500 }), logical("e", "1", { ru: 2000 })],
};
const manyKeys = {
  bySize: [],
  byLoad: [logical("d", "1", { ru: 20_000, errorRu: 500 }), logical("a", "0", { ru: 9000 })],
};

describe("whether a split helps", () => {
  test.each<[string, Parameters<typeof splitVerdict>, string, RegExp]>([
    ["one key has the load", [hot, oneKey, LIMITS], "useless", /one key, "d", is 94 % of the load/],
    ["several keys have it", [hot, manyKeys, LIMITS], "helps", /heaviest, "d", is 22 % of it/],
    ["no limit is near", [cool, manyKeys, LIMITS], "notNeeded", /near no limit/],
    [
      "no key is known",
      [hot, { bySize: [], byLoad: [] }, LIMITS],
      "unknown",
      /nobody can say whether a split helps/,
    ],
    [
      "there is only one key",
      [partition(1, 2, { lastFiveMinutes: busy, logicalPartitionCount: 1 }), manyKeys, LIMITS],
      "useless",
      /one key only, "d"/,
    ],
    [
      "one key has the bytes",
      [
        partition(0, 1, { itemBytes: 45 * GB }),
        { bySize: [logical("a", "0", { itemBytes: 30 * GB })], byLoad: [] },
        LIMITS,
      ],
      "useless",
      /"a", is 67 % of the bytes/,
    ],
    [
      "several keys have the bytes",
      [
        partition(0, 1, { itemBytes: 45 * GB }),
        { bySize: [logical("a", "0", { itemBytes: 9 * GB })], byLoad: [] },
        LIMITS,
      ],
      "helps",
      /"a", is 20 % of it/,
    ],
  ])("%s", (_case, [of, keys, limits], kind, says) => {
    const verdict = splitVerdict(of, keys, limits);
    expect(verdict.kind).toBe(kind);
    expect(verdict.says).toMatch(says);
  });

  test("a key is blamed for no more than it surely had", () => {
    expect(loadShareOf(logical("d", "1", { ru: 90_000, errorRu: 60_000 }), hot)).toBeCloseTo(1 / 3);
    expect(loadShareOf(logical("d", "1", { ru: 99_000 }), hot)).toBe(1);
    expect(loadShareOf(logical("d", "1"), hot)).toBeUndefined();
  });

  test("what helps instead is said only where a split does not", () => {
    const of = report([cool, hot]);
    expect(remediesFor(splitVerdict(hot, oneKey, LIMITS), of)).toHaveLength(3);
    expect(remediesFor(splitVerdict(hot, manyKeys, LIMITS), of)).toEqual([]);
    const full = { ...hot, allottedRate: 10_000 };
    const [, , last] = remediesFor(splitVerdict(full, oneKey, LIMITS), report([cool, full]));
    expect(last).toMatch(/^Not a higher rate/);
  });
});

describe("the answer", () => {
  test.each<[string, string, string]>([
    [
      "a hot partition",
      answerOf(report([cool, hot]), oneKey, dateText),
      "Partition 1 took 90 % of all RU in the last five minutes; its busiest second used 100 % of " +
        "its share, the whole container 17 % of its rate on average. 25 % of its requests were " +
        'refused (429). A split will not help: one key, "d", is 94 % of the load of partition 1, ' +
        "and a split moves whole keys.",
    ],
    [
      "one partition, busy and fine",
      answerOf(
        report([partition(0, 1, { lastFiveMinutes: calm })]),
        { bySize: [], byLoad: [logical("a", "0", { ru: 5000 })] },
        dateText,
      ),
      "The only physical partition used 20 % of its share, the whole container 3.3 % of its rate " +
        'on average. Its top key, "a", is 50 % of that. A split is not needed: partition 0 is ' +
        "near no limit.",
    ],
    [
      "nothing asked",
      answerOf(
        report([partition(0, 2), partition(1, 2, { itemBytes: 3 * GB })]),
        { bySize: [logical("a", "1", { itemBytes: GB })], byLoad: [] },
        dateText,
      ),
      'Partition 1 holds 75 % of 4 GB in 2 physical partitions. Its largest key, "a", is 33 % of ' +
        "that. Nothing was asked in the last five minutes.",
    ],
    [
      "nothing there",
      answerOf(
        report([partition(0, 1, { itemCount: 0, itemBytes: 0 })]),
        { bySize: [], byLoad: [] },
        dateText,
      ),
      "Nothing is in here yet: 1 physical partition, all empty.",
    ],
  ])("%s", (_case, text, expected) => {
    expect(text).toBe(expected);
  });

  test("looks at the busiest, or else at the largest", () => {
    expect(partitionToLookAt(report([cool, hot]))?.id).toBe("1");
    const large = partition(0, 2, { itemBytes: 2 * GB });
    expect(partitionToLookAt(report([large, partition(1, 2)]))?.id).toBe("0");
    expect(partitionToLookAt(report([]))).toBeUndefined();
  });

  test("says what the numbers are about", () => {
    expect(basisOf(report([cool, hot]))).toMatch(
      /^2,000 RU\/s over 2 physical partitions, 1,000 RU\/s each\./,
    );
  });
});

describe("growth", () => {
  const growing = report([partition(0, 1, { itemBytes: 10 * GB })], { bytesPerDay: GB });
  const keys = { bySize: [logical("a", "0", { itemBytes: 5 * GB })], byLoad: [] };

  test("each grows in proportion to its bytes", () => {
    // Half of the bytes grow by half a GB a day: 15 GB are left, so 30 days. All of it: 40 days.
    expect(fillingsOf(growing, keys).map(({ of, days }) => [of, days])).toEqual([
      ["logical", 30],
      ["physical", 40],
    ]);
    expect(growthSentence(growing, keys, dateText)).toBe(
      'At this growth "a" reaches its 20 GB on 2026-06-14, in 30 days; then writes to it are ' +
        "refused.",
    );
  });

  test.each<[string, number | undefined]>([
    ["nobody measured it", undefined],
    ["it shrinks", -GB],
    ["it takes longer than ten years", 1024],
  ])("no date where %s", (_case, bytesPerDay) => {
    const still = report([partition(0, 1, { itemBytes: 10 * GB })], { bytesPerDay });
    expect(growthSentence(still, keys, dateText)).toBeUndefined();
    expect(fillingsOf(still, keys)[0]!.fullAt).toBeUndefined();
  });

  test("what is full is said to be", () => {
    const full = { bySize: [logical("a", "0", { itemBytes: 20 * GB })], byLoad: [] };
    expect(growthSentence(growing, full, dateText)).toBe('"a" is at its limit of 20 GB.');
  });

  test("an empty container has nothing that grows", () => {
    const empty = report([partition(0, 1, { itemCount: 0, itemBytes: 0 })], { bytesPerDay: 1 });
    expect(fillingsOf(empty, { bySize: [], byLoad: [] })).toEqual([]);
  });
});
