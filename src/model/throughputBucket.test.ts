/** Which buckets there may be, and to which of them a request belongs. */
import { describe, expect, test } from "vitest";
import { SERVICE_LIMITS } from "./limits.ts";
import type { ThroughputBucket } from "./throughputBucket.ts";
import { bucketOf, bucketsProblem } from "./throughputBucket.ts";

const bucket = (id: number, percent: number, isDefault?: boolean): ThroughputBucket => ({
  id,
  percent,
  isDefault,
});

describe("buckets", () => {
  const problems: readonly [string, readonly ThroughputBucket[], RegExp | undefined][] = [
    ["none", [], undefined],
    ["all five", [1, 2, 3, 4, 5].map((id) => bucket(id, 100)), undefined],
    ["one of them the default", [bucket(1, 1, true), bucket(2, 10)], undefined],
    ["an id of 0", [bucket(0, 10)], /from 1 to 5, not 0/],
    ["an id of 6", [bucket(6, 10)], /from 1 to 5, not 6/],
    ["half an id", [bucket(1.5, 10)], /not 1.5/],
    ["nothing to use", [bucket(1, 0)], /bucket 1 .* from 1 to 100 percent, not 0/],
    ["more than all", [bucket(2, 101)], /bucket 2 .* not 101/],
    ["part of a percent", [bucket(2, 0.5)], /not 0.5/],
    ["an id twice", [bucket(2, 10), bucket(2, 20)], /same id/],
    ["two defaults", [bucket(1, 10, true), bucket(2, 20, true)], /Only one/],
  ];
  test.each(problems)("%s", (_rule, buckets, problem) => {
    const found = bucketsProblem(buckets, SERVICE_LIMITS);
    if (problem === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(problem);
  });
});

describe("the bucket of a request", () => {
  const [first, second] = [bucket(1, 10), bucket(2, 20, true)];
  test.each([
    ["is the one it names", [first, second], 1, first],
    ["is the default if it names none", [first, second], undefined, second],
    ["is none if it names one that is not there", [first, second], 3, undefined],
    ["is none if there is no default", [first], undefined, undefined],
    ["is none if there are no buckets", undefined, 1, undefined],
  ])("%s", (_rule, buckets, id, expected) => {
    expect(bucketOf(buckets, id)).toBe(expected);
  });
});
