/** How often a search that looks at one row in fifteen finds what a full one does. */
import { describe, expect, test } from "vitest";
import type { Random } from "../../base/world.ts";
import { seededRandom } from "../../base/world.ts";
import type { VectorQuestion } from "../../query/execute/source.ts";
import type { Metric } from "../../query/functions/vector.ts";
import { isLargerNearer, METRICS } from "../../query/functions/vector.ts";
import { likelyRankingOf, rankingOf } from "./ranking.ts";
import { Sketches } from "./sketches.ts";
import { VectorTable } from "./vectorTable.ts";

const ROW_COUNT = 3_000;
const WANTED = 10;
const QUERY_COUNT = 20;

/** Vectors around some centres, each centre somewhere around zero. */
class Crowd {
  readonly #random: Random;
  readonly #centres: readonly Float32Array[];

  constructor(dimensions: number, centreCount: number) {
    this.#random = seededRandom(7);
    this.#centres = Array.from({ length: centreCount }, () =>
      Float32Array.from({ length: dimensions }, () => this.#normal()),
    );
  }

  next(): Float32Array {
    const centre = this.#centres[Math.floor(this.#random.next() * this.#centres.length)]!;
    return centre.map((element) => element + 0.6 * this.#normal());
  }

  #normal(): number {
    let sum = -2;
    for (let count = 0; count < 4; count++) sum += this.#random.next();
    return sum;
  }
}

function questionOf(query: Float32Array, metric: Metric): VectorQuestion {
  return {
    place: {
      segments: ["v"],
      elementType: "float32",
      dimensions: query.length,
      isApproximate: true,
    },
    metric,
    query,
    isDescending: isLargerNearer(metric),
    within: undefined,
    countWanted: WANTED,
    mayBeApproximate: true,
    thoroughness: 1,
    pause: () => undefined,
  };
}

function stage(dimensions: number, centreCount: number) {
  const crowd = new Crowd(dimensions, centreCount);
  const table = new VectorTable(dimensions);
  for (let number = 1; number <= ROW_COUNT; number++) table.put(number, crowd.next());
  const sketches = new Sketches(table);
  for (const _ of sketches.learn());
  return { crowd, table, sketches };
}

describe("a search by sketches", () => {
  test.each([
    [64, 1],
    [64, 100],
    [100, 1_000],
  ])("of %i dimensions around %i centres finds 95 of 100", async (dimensions, centreCount) => {
    const { crowd, table, sketches } = stage(dimensions, centreCount);
    for (const metric of METRICS) {
      let found = 0;
      for (let count = 0; count < QUERY_COUNT; count++) {
        const question = questionOf(crowd.next(), metric);
        expect((await sketches.near(question)).length).toBeLessThan(ROW_COUNT / 10);
        const likely = await (await likelyRankingOf(table, sketches, question)).next(WANTED);
        const exact = new Set(await (await rankingOf(table, question)).next(WANTED));
        found += likely.filter((number) => exact.has(number)).length;
      }
      expect(found / (QUERY_COUNT * WANTED), metric).toBeGreaterThanOrEqual(0.95);
    }
  });

  test("goes on to all rows, each once", async () => {
    const { crowd, table, sketches } = stage(8, 3);
    table.put(1, undefined);
    table.put(2, new Float32Array(8));
    table.remove(3);
    for (const metric of METRICS) {
      const ranking = await likelyRankingOf(table, sketches, questionOf(crowd.next(), metric));
      const numbers: number[] = [];
      for (let some = await ranking.next(500); some.length > 0; some = await ranking.next(500)) {
        numbers.push(...some);
      }
      expect(new Set(numbers).size).toBe(numbers.length);
      expect(numbers.length).toBe(table.itemCount);
      // Without a distance: last when the order goes down, first when it goes up.
      if (metric !== "cosine") expect(numbers.at(metric === "dotproduct" ? -1 : 0)).toBe(1);
      else expect(numbers.slice(-2)).toEqual([2, 1]);
    }
  });

  test("is made anew when the table has doubled, and sketches what comes in between", async () => {
    const { crowd, table, sketches } = stage(16, 3);
    expect(sketches.isStale).toBe(false);
    const query = crowd.next();
    sketches.put(table.put(7_777, query)!);
    const ranking = await likelyRankingOf(table, sketches, questionOf(query, "euclidean"));
    expect(await ranking.next(1)).toEqual([7_777]);
    for (let number = 10_000; number <= 10_000 + ROW_COUNT; number++) table.put(number, query);
    expect(sketches.isStale).toBe(true);
  });
});
