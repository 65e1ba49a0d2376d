/** The words of the comparison, and which keys stand in it. */
import { describe, expect, test } from "vitest";
import { largestKeyByMonth } from "../../lab/drawing/keyCharts.ts";
import { scalesOf } from "../../lab/drawing/scales.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { adviceIn, basisText, comparedOf, drawnKeyOf } from "./advice.ts";
import {
  answerText,
  costShare,
  costText,
  heavyKeyTexts,
  loadText,
  placementText,
  reachText,
  reasonsOf,
  storageText,
  throttledText,
  transactionText,
  verdictTag,
} from "./compareWords.ts";
import { sampleAdvice, sampleKey } from "./sampleAdvice.fake.ts";

const GOOD = sampleKey({ rank: 1, expression: "/customerId", verdict: "best" });
const FULL = sampleKey({
  rank: 6,
  expression: "/category",
  verdict: "bad",
  passes20GbOnDay: 12.3,
  dollars: 400,
  partitionBytes: [80 * 1024 ** 3, 0],
});
const OTHERS = [2, 3, 4, 5].map((rank) => sampleKey({ rank, expression: `/p${rank}` }));
const ALL = [GOOD, ...OTHERS, FULL];

describe("what is compared", () => {
  test("is what was picked, at most four", () => {
    const ranks = (picked: readonly number[]): readonly number[] =>
      comparedOf(ALL, picked, undefined).map(({ rank }) => rank);
    expect(ranks([2, 6])).toEqual([2, 6]);
    expect(ranks([1, 2, 3, 4, 5])).toEqual([1, 2, 3, 4]);
    expect(ranks([])).toEqual([1, 2, 3, 4]);
    expect(ranks([99])).toEqual([1, 2, 3, 4]);
  });

  test("has the key in use in the last place", () => {
    expect(comparedOf(ALL, [], "/category").map(({ rank }) => rank)).toEqual([1, 2, 3, 6]);
    expect(comparedOf(ALL, [], "/customerId").map(({ rank }) => rank)).toEqual([1, 2, 3, 4]);
  });
});

describe("words", () => {
  test("say the limit, and the day on which it is passed", () => {
    expect(storageText(GOOD)).toEqual({ text: "5 GB of 20 GB, at the end." });
    expect(storageText(FULL)).toEqual({ text: "5 GB of 20 GB: over on day 13.", isBad: true });
    expect(placementText(FULL)).toMatchObject({ isBad: true });
    expect(placementText(GOOD).text).toContain("1.5 × the mean");
  });

  test("put the busiest beside the whole", () => {
    expect(loadText(GOOD).text).toBe(
      "Busiest partition 1,700 RU/s, 77 % of the whole 2,200 RU/s; 2,700 RU/s provisioned.",
    );
    expect(throttledText(GOOD)).toEqual({ text: "429s at the peak: 0 %.", isBad: false });
  });

  test("say how far an operation reaches", () => {
    const [operation] = GOOD.operations;
    expect(reachText(operation, 8)).toEqual({ text: "1, 3.1 RU", isBad: false });
    const everywhere = { ...operation!, routing: "everywhere" as const };
    expect(reachText(everywhere, 8)).toEqual({ text: "all 8, 3.1 RU", isBad: true });
    expect(reachText(everywhere, 1).isBad).toBe(false);
    expect(reachText(undefined, 8).text).toBe("–");
  });

  test("tell costs, and what no money buys", () => {
    expect(costText(GOOD).text).toBe("$100 a month, autoscale.");
    expect(costShare(GOOD, ALL)).toBe(0.25);
    const { figures } = GOOD;
    const never = {
      ...GOOD,
      figures: {
        ...figures,
        load: { ...figures.load, neededRate: null },
        cost: { ...figures.cost, manual: null, cheapest: { value: null } },
      },
    };
    expect(costText(never)).toEqual({ text: "No rate is enough.", isBad: true });
  });

  test("name keys, transactions, reasons and the verdict", () => {
    expect(heavyKeyTexts(FULL)[0]).toMatchObject({ isBad: true });
    expect(transactionText(GOOD).text).toBe("Kept, of 1 operation.");
    expect(reasonsOf(GOOD)).toEqual([{ text: GOOD.merits[0] }]);
    expect(verdictTag(GOOD)).toEqual({ tone: "good", word: "best" });
    expect(verdictTag({ ...GOOD, isShortOfRate: true }).word).toBe("best at this rate");
  });

  test("answer the question of the page", () => {
    expect(answerText(sampleAdvice(ALL))).toBe("/customerId is the best key.");
    expect(answerText(sampleAdvice([FULL]))).toBe("None of 1 key is good enough.");
    expect(basisText(sampleAdvice(ALL))).toContain("for 1 months. Keys counted on 2,000 items.");
  });
});

test("only an advice of the known form is taken for one", () => {
  expect(adviceIn(undefined)).toBeUndefined();
  expect(adviceIn({ formatVersion: 2, candidates: [] })).toBeUndefined();
  expect(adviceIn({ formatVersion: 1, candidates: [] })).toBeDefined();
});

test("the report's drawings take what the JSON has", () => {
  const keys = ALL.map(drawnKeyOf);
  const { sentence, marks } = largestKeyByMonth(keys[5]!, scalesOf(keys, SERVICE_LIMITS, 250));
  expect(sentence).toContain("passes 20 GB on day 13");
  expect(marks.filter(({ name }) => name === "polyline")).toHaveLength(1);
});
