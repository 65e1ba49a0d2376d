/** The two forms of the header, as clients take them apart. */
import { describe, expect, test } from "vitest";
import { utilizationFormOf } from "../request/queryRequest.ts";
import type { UtilizedIndexes } from "./indexUtilization.ts";
import { utilizationText } from "./indexUtilization.ts";

const INDEXES: UtilizedIndexes = {
  utilizedSingle: ["/a/?"],
  potentialSingle: ["/b/?"],
  utilizedComposite: [["/a ASC", "/c DESC"]],
  potentialComposite: [["/a ASC", "/b ASC"]],
};

const decoded = (text: string): unknown => JSON.parse(Buffer.from(text, "base64").toString());

describe("the form", () => {
  test.each([
    ["none is asked for", {}, undefined],
    ["the older one", { "x-ms-cosmos-populateindexmetrics": "True" }, "base64"],
    ["the newer one", { "x-ms-cosmos-populateindexmetrics-v2": "true" }, "plain"],
    ["neither, said aloud", { "x-ms-cosmos-populateindexmetrics": "false" }, undefined],
  ])("%s", (_rule, headers, form) => {
    expect(utilizationFormOf(headers)).toBe(form);
  });

  test("the newer one is JSON as it is", () => {
    expect(JSON.parse(utilizationText(INDEXES, "plain"))).toEqual({
      UtilizedIndexes: {
        SingleIndexes: [{ IndexSpec: "/a/?" }],
        CompositeIndexes: [{ IndexSpecs: ["/a ASC", "/c DESC"] }],
      },
      PotentialIndexes: {
        SingleIndexes: [{ IndexSpec: "/b/?", IndexImpactScore: "High" }],
        CompositeIndexes: [{ IndexSpecs: ["/a ASC", "/b ASC"], IndexImpactScore: "High" }],
      },
    });
  });

  test("the older one is in base64 and says more of each index", () => {
    const single = {
      FilterExpression: "",
      FilterPreciseSet: true,
      IndexPreciseSet: true,
      IndexImpactScore: "High",
    };
    const composite = { IndexPreciseSet: true, IndexImpactScore: "High" };
    expect(decoded(utilizationText(INDEXES, "base64"))).toEqual({
      UtilizedSingleIndexes: [{ ...single, IndexSpec: "/a/?" }],
      PotentialSingleIndexes: [{ ...single, IndexSpec: "/b/?" }],
      UtilizedCompositeIndexes: [{ ...composite, IndexSpecs: ["/a ASC", "/c DESC"] }],
      PotentialCompositeIndexes: [{ ...composite, IndexSpecs: ["/a ASC", "/b ASC"] }],
    });
  });
});

describe.each(["plain", "base64"] as const)("too many names for a header, %s", (form) => {
  const long = (count: number): string[] =>
    Array.from({ length: count }, (_, at) => `/${"é".repeat(100)}${at}/?`);

  test("leave out suggestions before facts", () => {
    const indexes = { ...INDEXES, potentialSingle: long(100) };
    const text = utilizationText(indexes, form);
    expect(text.length).toBeLessThanOrEqual(4096);
    const told = form === "plain" ? text : Buffer.from(text, "base64").toString();
    expect(told).toContain('"/a/?"');
    expect(told).not.toContain('"/b ASC"');
  });

  test("even a single one that is too long", () => {
    const name = `/${"x".repeat(10_000)}`;
    const all = {
      utilizedSingle: [name],
      potentialSingle: [name],
      utilizedComposite: [[name]],
      potentialComposite: [[name]],
    };
    expect(utilizationText(all, form).length).toBeLessThanOrEqual(4096);
  });
});
