/** The header of query metrics, as the official client takes it apart. */
import { QueryMetrics } from "@azure/cosmos";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { MeasuredWork } from "./queryMetrics.ts";
import { queryMetricsText } from "./queryMetrics.ts";

const WORK: MeasuredWork = {
  compileMs: 0.25,
  totalMs: 12.5,
  indexMs: 4,
  loadMs: 6,
  functionMs: 1.5,
  itemCount: 20,
  itemBytes: 5000,
  missCount: 5,
  rowCount: 15,
  rowBytes: 300,
};

test("every metric is a name and a number, and nothing follows the last", () => {
  const pairs = queryMetricsText(WORK)
    .split(";")
    .map((pair) => pair.split("="));
  expect(pairs).toHaveLength(16);
  for (const [name, value] of pairs) {
    expect(name).toMatch(/^[A-Za-z]+$/);
    expect(value).toMatch(/^\d+(\.\d\d)?$/);
  }
});

test("the official client reads them", () => {
  const metrics = QueryMetrics.createFromDelimitedString(queryMetricsText(WORK));
  expect(metrics).toMatchObject({
    retrievedDocumentCount: 20,
    retrievedDocumentSize: 5000,
    outputDocumentCount: 15,
    outputDocumentSize: 300,
  });
  const { userDefinedFunctionExecutionTime } = metrics.runtimeExecutionTimes;
  expect(userDefinedFunctionExecutionTime.totalMilliseconds()).toBeCloseTo(1.5);
  expect(metrics.totalQueryExecutionTime.totalMilliseconds()).toBeCloseTo(12.75);
  expect(metrics.runtimeExecutionTimes.queryEngineExecutionTime.totalMilliseconds()).toBeCloseTo(
    2.5,
  );
});

test.each([
  ["all that were read passed", 10, 0, "1.00"],
  ["a quarter did not", 20, 5, "0.75"],
  ["none did", 4, 4, "0.00"],
  ["nothing had to be read", 0, 0, "1.00"],
])("index hits: %s", (_rule, itemCount, missCount, ratio) => {
  const text = queryMetricsText({ ...WORK, itemCount, missCount });
  expect(text).toMatch(new RegExp(`;indexUtilizationRatio=${ratio}$`));
});

test("no time that a client computes is below zero", () => {
  const ms = fc.double({ min: 0, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(ms, ms, ms, ms, (compileMs, totalMs, indexMs, loadMs) => {
      const text = queryMetricsText({ ...WORK, compileMs, totalMs, indexMs, loadMs });
      const { runtimeExecutionTimes } = QueryMetrics.createFromDelimitedString(text);
      const own = runtimeExecutionTimes.queryEngineExecutionTime.totalMilliseconds();
      // The three are rounded each for itself.
      expect(own).toBeGreaterThan(-0.02);
    }),
  );
});
