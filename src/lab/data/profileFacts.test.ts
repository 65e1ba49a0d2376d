/** What follows from a profile, as far as the workload has a say in it. */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../json/value.ts";
import type { Profile } from "../profile/profile.ts";
import { Profiler } from "../profile/profiler.ts";
import { profileFacts } from "./profileFacts.ts";
import { sampleOperation, sampleWorkload } from "./sampleWorkload.fake.ts";

function profileOf(items: readonly JsonObject[]): Profile {
  const profiler = new Profiler({ source: "test" });
  for (const item of items) profiler.add(item, JSON.stringify(item).length);
  return profiler.result("all");
}

describe("versions in the data", () => {
  const profile = profileOf(
    Array.from({ length: 3000 }, (_, index) => ({
      id: `i${index % 1000}`,
      tenant: `t${index % 40}`,
      kind: "order",
      country: "DE",
      status: `s${Math.floor(index / 1000)}`,
      _ts: 1_700_000_000 + index,
    })),
  );
  const changingShare = (kind: "replace" | "create"): number | undefined => {
    const workload = sampleWorkload({ operations: [sampleOperation("write", kind)] });
    return profileFacts(profile, workload).properties.get("/status")!.changingShare;
  };

  test("show what updates change, where there are updates", () => {
    expect(changingShare("replace")).toBe(1);
  });

  test("rule nothing out where the workload has no updates", () => {
    expect(changingShare("create")).toBe(0);
  });
});

describe("near the point where every item has its own value", () => {
  /** So many in a hundred items repeat the value of another one. */
  const countAt = (repeated: number): number => {
    const items = Array.from({ length: 10_000 }, (_, index) => ({
      id: `i${index}`,
      code: `c${(index * 7919) % 100 < repeated ? (index * 31) % 10_000 : index}`,
    }));
    const workload = sampleWorkload({});
    return profileFacts(profileOf(items), workload).populationOf(["/code"]).distinct.value;
  };

  test("the number of values to come has no step: from 85 to 95 % own values it doubles at most", () => {
    const counts = [15, 13, 11, 10, 9, 7, 5].map(countAt);
    for (let at = 1; at < counts.length; at++) {
      const ratio = counts[at]! / counts[at - 1]!;
      expect(ratio).toBeGreaterThan(0.6);
      expect(ratio).toBeLessThan(2.2);
    }
  });
});
