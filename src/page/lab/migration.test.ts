/** From a verdict to a definition and to the form of a copy; and what a proof says. */
import { expect, test } from "vitest";
import { questionOf, USUAL_FORM } from "../jobs/copy/copyForm.ts";
import { advisedPolicy, advisedRate, definitionText, migrationPlace } from "./migration.ts";
import { sampleAdvice, sampleKey } from "./sampleAdvice.fake.ts";

const SOURCE = { database: "shop", container: "orders" };
const KEY = sampleKey({ rank: 1, expression: "/customerId", verdict: "best" });
const MADE_UP = sampleKey({ rank: 2, expression: "concat(/customerId, '-', month(/at))" });
const INDEX = [
  { path: "/customerId", order: "ascending" },
  { path: "/at", order: "descending" },
];
const ADVICE = {
  ...sampleAdvice([KEY, MADE_UP]),
  alternatives: [{ kind: "index", sentence: "An index would help.", index: INDEX }],
};

test("the rate is that of the cheaper mode, as much as is needed", () => {
  expect(advisedRate(KEY)).toEqual({ kind: "autoscale", ratePerSecond: 3000 });
});

test("the policy has what is proposed, once", () => {
  expect(advisedPolicy(sampleAdvice([KEY]))).toBeUndefined();
  const policy = advisedPolicy(ADVICE, { indexingMode: "consistent" });
  expect(policy).toEqual({ indexingMode: "consistent", compositeIndexes: [INDEX] });
  expect(advisedPolicy(ADVICE, policy)).toEqual(policy);
});

test("the definition names the paths, also where they have to be written first", () => {
  expect(JSON.parse(definitionText(ADVICE, MADE_UP, SOURCE))).toMatchObject({
    id: "orders",
    partitionKey: { paths: ["/partitionKey"], kind: "Hash", version: 2 },
    indexingPolicy: { compositeIndexes: [INDEX] },
  });
});

test("the form of the copy is filled in, and understood there", () => {
  const { segments, parameters } = migrationPlace({
    advice: ADVICE,
    candidate: MADE_UP,
    source: SOURCE,
  });
  expect(segments).toEqual(["new"]);
  expect(questionOf({ ...USUAL_FORM, ...parameters })).toMatchObject({
    ok: true,
    value: {
      source: SOURCE,
      key: [expect.stringContaining("concat(")],
      keyProperties: ["/partitionKey"],
      throughput: { kind: "autoscale", ratePerSecond: 3000 },
      definition: { indexingPolicy: { compositeIndexes: [INDEX] } },
    },
  });
});
