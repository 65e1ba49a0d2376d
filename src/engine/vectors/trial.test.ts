/** Which tables are searched by sketches, and which are better searched exactly. */
import { describe, expect, test } from "vitest";
import type { Random } from "../../base/world.ts";
import { seededRandom } from "../../base/world.ts";
import type { VectorQuestion } from "../../query/execute/source.ts";
import { Sketches } from "./sketches.ts";
import { isTrusty } from "./trial.ts";
import { VectorTable } from "./vectorTable.ts";

const ROW_COUNT = 4_000;

function tableOf(dimensions: number, elementOf: (random: Random) => number): VectorTable {
  const random = seededRandom(5);
  const table = new VectorTable(dimensions);
  for (let number = 1; number <= ROW_COUNT; number++) {
    table.put(
      number,
      Float32Array.from({ length: dimensions }, () => elementOf(random)),
    );
  }
  return table;
}

async function verdictOn(table: VectorTable, members: Partial<VectorQuestion> = {}) {
  const sketches = new Sketches(table);
  for (const _ of sketches.learn());
  return isTrusty(table, sketches, {
    place: {
      segments: ["v"],
      elementType: "float32",
      dimensions: table.dimensions,
      isApproximate: true,
    },
    metric: "euclidean",
    query: new Float32Array(table.dimensions),
    isDescending: false,
    within: undefined,
    countWanted: 10,
    mayBeApproximate: true,
    thoroughness: 1,
    pause: () => undefined,
    ...members,
  });
}

describe("sketches are trusted", () => {
  test("of elements that all say something", async () => {
    const table = tableOf(128, (random) => random.next() - 0.5);
    expect(await verdictOn(table)).toBe(true);
    expect(await verdictOn(table, { metric: "cosine", isDescending: true })).toBe(true);
  });

  test("but not where most elements are zero", async () => {
    const table = tableOf(128, (random) => (random.next() < 3 / 128 ? random.next() : 0));
    expect(await verdictOn(table)).toBe(false);
  });

  test("nor where there are few", async () => {
    const table = tableOf(2, (random) => random.next() - 0.5);
    expect(await verdictOn(table, { metric: "cosine", isDescending: true })).toBe(false);
  });

  test("rows that are free, or have no distance, are no matter", async () => {
    const table = tableOf(128, (random) => random.next() - 0.5);
    for (let number = 1; number <= ROW_COUNT; number += 2) table.remove(number);
    table.put(2, undefined);
    table.put(4, new Float32Array(128));
    expect(await verdictOn(table, { metric: "cosine", isDescending: true })).toBe(true);
  });
});
