/** Which of a POST's many possible meanings its headers give it. */
import { describe, expect, test } from "vitest";
import { isQuestion, purposeOf } from "./purpose.ts";

const QUERY = { "x-ms-documentdb-isquery": "True" };
const BATCH = { "x-ms-cosmos-is-batch-request": "true" };
const PLAN = { "x-ms-cosmos-is-query-plan-request": "TRUE" };
const UPSERT = { "x-ms-documentdb-is-upsert": "true" };

describe("the purpose of a POST", () => {
  test.each([
    ["nothing said", {}, "create"],
    ["an upsert", UPSERT, "upsert"],
    ["a query by header", QUERY, "query"],
    ["a query by type", { "content-type": "application/query+json" }, "query"],
    ["a plan, although it is called a query too", { ...QUERY, ...PLAN }, "queryPlan"],
    ["a batch, although it is called a query", { ...QUERY, ...BATCH }, "batch"],
    ["a query, although it is called an upsert", { ...QUERY, ...UPSERT }, "query"],
    ["anything but true is false", { "x-ms-documentdb-isquery": "1" }, "create"],
  ] as const)("%s", (_, headers, purpose) => {
    expect(purposeOf(headers)).toBe(purpose);
  });

  test("only queries and plans change nothing", () => {
    expect(["queryPlan", "query"].map((p) => isQuestion(p as never))).toEqual([true, true]);
    expect(["batch", "upsert", "create"].map((p) => isQuestion(p as never))).not.toContain(true);
  });
});
