/** What operations cost, by what of an item is indexed. */
import { expect, test } from "vitest";
import { DEFAULT_INDEXING_POLICY } from "../../index/policy.ts";
import { sampleOperation, sampleWorkload } from "../data/sampleWorkload.fake.ts";
import { factsOf } from "../lab.ts";
import { createRu } from "../price/itemPrice.ts";
import type { Workload } from "../workload/workload.ts";
import { operationModels } from "./operationModel.ts";

const EXAMPLE = { id: "a", user: "u", payload: { state: 2, lamp: 1, volt: 229.4 } };
const ITEM_BYTES = 500;

function createdFor(indexing: Workload["indexing"], leafCount: number): void {
  const workload: Workload = {
    ...sampleWorkload({
      item: { bytes: ITEM_BYTES, example: EXAMPLE },
      operations: [sampleOperation("add", "create")],
    }),
    indexing,
  };
  const facts = factsOf({ workload, profile: undefined });
  const [model] = operationModels(workload, facts);
  const expected = createRu({
    itemBytes: ITEM_BYTES,
    leafCount,
    example: EXAMPLE,
    consistency: workload.consistency,
    policy: indexing ?? DEFAULT_INDEXING_POLICY,
  });
  expect(model!.pointRu).toBe(expected);
}

test("everything but the id is indexed, and paid for, unless somebody says otherwise", () => {
  createdFor(undefined, 4);
});

test("what is left out of the index is not paid for", () => {
  const { excludedPaths = [] } = DEFAULT_INDEXING_POLICY;
  const without = [...excludedPaths, { path: "/payload/*" }];
  createdFor({ ...DEFAULT_INDEXING_POLICY, excludedPaths: without }, 1);
});
