/** What a rate that nobody declared means, and one that is too low. */
import { describe, expect, test } from "vitest";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { runLab } from "../lab.ts";
import { adviceHtml } from "../report/html.ts";
import { adviceText } from "../report/text.ts";
import { readWorkload } from "../workload/workloadText.ts";
import type { Advice } from "./advice.ts";

function adviceAt(throughput: string): Advice {
  const text = `
name: shop
horizonMonths: 6
item: {bytes: 2 KB}
properties:
  /customerId: {distinct: 50000, items: zipf 0.2}
  /region: {distinct: 5, items: zipf 1}
  /at: {time: second}
growth: {itemsPerDay: 12 million, peakFactor: 3}
${throughput}
operations:
  - {id: place, kind: create, rate: 12 million/day}
  - {id: mine, kind: query, rate: 300, sql: "SELECT * FROM c WHERE c.customerId = @c", resultItems: 10}
candidates:
  - {id: customer, key: /customerId}
  - {id: region, key: /region}
  - {id: month, key: month(/at)}
  - {id: id, key: /id}
`;
  const read = readWorkload(text, "yaml", "shop");
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  return runLab({
    workload: read.value,
    profile: undefined,
    candidates: [],
    onlyNamed: true,
    current: undefined,
    limits: SERVICE_LIMITS,
    startMillis: Date.UTC(2026, 0, 1),
    seed: 1,
    whatIfs: false,
  });
}

describe("without a declared rate", () => {
  const advice = adviceAt("");

  test("each key that some rate is enough for has it, and nothing is refused", () => {
    const served = advice.candidates.filter(
      ({ simulation }) => simulation.load.neededRate !== undefined,
    );
    expect(served.length).toBeGreaterThan(1);
    for (const { simulation } of served) {
      const { load, throttling, partitions } = simulation;
      expect(load.provisioned).toBeGreaterThanOrEqual(load.neededRate!);
      expect(throttling.share).toBeLessThan(0.01);
      const hottest = partitions.find(({ id }) => id === load.hottestPartition.id)!;
      expect(hottest.allotment).toBeGreaterThanOrEqual(load.hottestPartition.rate.value);
    }
  });

  test("a key that needs a multiple of an even spread is bad all the same, and says so", () => {
    const month = advice.candidates.find(({ simulation }) => simulation.candidate.id === "month")!;
    expect(month.verdict).toBe("bad");
    expect(month.reasons.map(({ code }) => code)).toContain("current-period-hot");
  });

  test("it is said once that nobody has declared one", () => {
    const said = advice.remarks.filter((remark) => remark.startsWith("No throughput is declared"));
    expect(said).toHaveLength(1);
  });
});

describe("with a rate that is too low", () => {
  const advice = adviceAt("throughput: 2000");
  const text = adviceText(advice, { width: undefined });

  test("no star stands beside refusals, in the text or on the page", () => {
    expect(advice.best?.simulation.throttling.share).toBeGreaterThan(0.05);
    expect(text).not.toContain("★");
    expect(text).toContain("△ best at this rate");
    expect(adviceHtml(advice)).not.toContain("★");
  });

  test("what is best at the rate, and what it would need, are two sentences", () => {
    const [first, second] = advice.summary;
    expect(first).toMatch(/^At the 2,000 RU\/s that are provisioned customer .* are 429\.$/);
    expect(second).toMatch(/^To be refused nothing it would need [\d,]+ RU\/s, for \$/);
  });
});

test("with a rate that is enough there is a star, and one sentence", () => {
  const advice = adviceAt("throughput: 200000");
  expect(adviceText(advice, { width: undefined })).toContain("★ best");
  expect(advice.summary[0]).toMatch(/^customer .* is the best key, for \$/);
});
