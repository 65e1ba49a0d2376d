/** Refusals whose words clients look for. */
import { expect, test } from "vitest";
import { refusalBody, refusalMessage, WIRE_STATUS } from "./refusal.ts";

test("a query over several keys is told what to set", () => {
  expect(WIRE_STATUS.fanOutNotAllowed).toEqual({ status: 400, substatus: 0, code: "BadRequest" });
  expect(refusalMessage({ kind: "fanOutNotAllowed" })).toBe(
    "Cross partition query is required but disabled. Please set " +
      "x-ms-documentdb-query-enablecrosspartition to true, specify x-ms-documentdb-partitionkey, " +
      "or revise your query to avoid this exception.",
  );
});

test("a body of a refusal ends with the activity id", () => {
  const body = JSON.parse(String(refusalBody({ kind: "notFound" }, "the-id"))) as object;
  expect(body).toMatchObject({
    code: "NotFound",
    message: expect.stringMatching(/Resource Not Found\.\r\nActivityId: the-id$/),
  });
});
