/** The metrics of several pages, added up. */
import { expect, test } from "vitest";
import { metricsText } from "./metricsText.ts";

test("hits are weighed by the items that were read", () => {
  const page = (read: number, ratio: number): string =>
    `totalExecutionTimeInMs=1.50;queryCompileTimeInMs=0.50;retrievedDocumentCount=${read};` +
    `retrievedDocumentSize=100;outputDocumentCount=2;outputDocumentSize=10;` +
    `indexLookupTimeInMs=0.25;documentLoadTimeInMs=0.10;indexUtilizationRatio=${ratio}`;
  expect(metricsText([page(30, 1), page(10, 0.2)]).split("\n")).toEqual([
    "items read   40 (200 bytes)",
    "rows         4 (20 bytes)",
    "index hits   80.0 % of the items read passed the filter",
    "time         3.00 ms: compiling 1.00 ms, index 0.50 ms, items 0.20 ms",
    "",
  ]);
});

test("a server that gives none is told apart from one that did nothing", () => {
  expect(metricsText([])).toContain("no metrics");
  expect(metricsText(["retrievedDocumentCount=0"])).toContain("100.0 %");
});
