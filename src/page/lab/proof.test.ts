/** What the page says of a proof. */
import { expect, test } from "vitest";
import type { LabProof } from "./proof.ts";
import { findingLines, outcomeText, proofIn, proofRows } from "./proof.ts";

const PROOF: LabProof = {
  scale: { items: 2500, rate: 120, seconds: 6 },
  remarks: [],
  candidates: [
    {
      id: "/customerId",
      totalRate: { predicted: 262, measured: 260 },
      throttledShare: { predicted: 0, measured: 0.012 },
      partitionCount: { predicted: 4, measured: 4 },
      skew: { predicted: 1.5, measured: 1.4 },
      largestKeyBytes: { predicted: 8192, measured: 7168 },
      medianError: 0.002,
    },
  ],
  summary: {
    predictedRanking: ["/customerId", "/id"],
    measuredRanking: ["/id", "/customerId"],
    verdicts: {
      ru: { finding: "held", medianError: 0.002 },
      ranking: { finding: "failed" },
      throttling: { finding: "undecided", points: 1.2 },
    },
    agrees: false,
  },
};

test("only a proof of the known form is taken for one", () => {
  expect(proofIn(undefined)).toBeUndefined();
  expect(proofIn({ schemaVersion: 2, summary: {} })).toBeUndefined();
  expect(proofIn({ schemaVersion: 1, summary: {} })).toBeDefined();
});

test("the outcome says whether the prediction held, and on what", () => {
  expect(outcomeText(PROOF)).toBe(
    "The prediction did not hold in everything: 1 key ran on the engine with 2,500 items at 120 " +
      "operations a second.",
  );
  const held = { ...PROOF, summary: { ...PROOF.summary, agrees: true } };
  expect(outcomeText(held)).toMatch(/^The prediction held: /);
});

test("each finding has its word and its number", () => {
  expect(findingLines(PROOF)).toEqual([
    { tone: "good", word: "held", text: "RU/s of a partition: off by 0.2 % in the median." },
    {
      tone: "bad",
      word: "failed",
      text: "Ranking: predicted /customerId, /id; measured /id, /customerId.",
    },
    { tone: "none", word: "undecided", text: "429s: off by 1.2 points of a hundred at most." },
  ]);
});

test("predicted stands beside measured", () => {
  const rows = proofRows(PROOF.candidates[0]!).map((row) => Object.values(row).join(" | "));
  expect(rows).toEqual([
    "RU/s in all | 262 RU/s | 260 RU/s",
    "429s | 0 % | 1.2 %",
    "physical partitions | 4 | 4",
    "busiest over the mean | 1.5 × | 1.4 ×",
    "largest key | 8 KB | 7 KB",
  ]);
});
