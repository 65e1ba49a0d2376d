/** What vectors cost beside the items that hold them. */
import { expect, test } from "vitest";
import type { JsonObject } from "../../json/value.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { chargeOf } from "../../throughput/charge.ts";
import { parseContainerDefinition } from "../definition/containerDefinition.ts";
import { vectorEntryCountOf } from "./vectorEntries.ts";

function definitionWith(type: string, dimensions: number, path = "/v") {
  const embedding = { path, dataType: "float32", dimensions, distanceFunction: "cosine" };
  const definition = parseContainerDefinition(
    {
      id: "c",
      partitionKey: { paths: ["/pk"] },
      indexingPolicy: { vectorIndexes: [{ path: "/v", type }] },
      vectorEmbeddingPolicy: { vectorEmbeddings: [embedding] },
    },
    undefined,
    SERVICE_LIMITS,
  );
  if (!definition.ok) throw new Error(definition.error);
  return definition.value;
}

test.each([
  ["quantizedFlat", 35],
  ["diskANN", 65],
])("an item of 1,536 dimensions under %s costs about %i RU", (type, expected) => {
  const item = { id: "a", v: Array.from({ length: 1_536 }, (_, n) => n / 1_536) };
  const compoundEntryCount = vectorEntryCountOf(definitionWith(type, 1_536), item);
  const bytes = JSON.stringify(item).length;
  const work = { bytes, leafCount: 3, compoundEntryCount, isIndexed: true };
  expect(Math.abs(chargeOf({ kind: "create", ...work }) - expected)).toBeLessThan(2);
});

test.each<[string, JsonObject, JsonObject | undefined, number]>([
  ["comes", { v: [1, 2, 3] }, undefined, 1],
  ["is none", { v: "x" }, undefined, 0],
  ["is too short to be indexed", { v: [1] }, undefined, 0],
  ["stays", { v: [1, 2, 3], a: 1 }, { v: [1, 2, 3] }, 0],
  ["changes", { v: [1, 2, 4] }, { v: [1, 2, 3] }, 1],
  ["goes", {}, { v: [1, 2, 3] }, 1],
])("a vector that %s", (_, item, before, count) => {
  expect(vectorEntryCountOf(definitionWith("flat", 3), item, before)).toBe(count);
});

test("a path is the same in quotes", () => {
  const definition = definitionWith("flat", 3, '/"v"');
  expect(vectorEntryCountOf(definition, { v: [1, 2, 3] })).toBe(1);
});
