/** Rows of an item by their coordinates, and walks that begin after some. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../json/value.ts";
import { ListContainer } from "../execute/listSource.fake.ts";
import { Effort } from "./effort.ts";
import type { Coordinates, Product } from "./product.ts";
import type { Run } from "./run.ts";

const run = { parameters: new Map(), effort: new Effort() } as unknown as Run;

function productOf(from: string): { readonly product: Product; readonly slotCount: number } {
  const plan = new ListContainer([]).plan(`SELECT VALUE 1 FROM c ${from}`);
  if (plan.kind !== "items") throw new Error("not about items");
  return plan;
}

function walked(from: string, item: JsonValue, after?: Coordinates): readonly Coordinates[] {
  const { product, slotCount } = productOf(from);
  const slots = new Array<JsonValue | undefined>(slotCount).fill(undefined);
  slots[0] = item;
  return [...coordinatesOf(product(slots, run, after))];
}

function* coordinatesOf(walk: Iterable<Coordinates>): Iterable<Coordinates> {
  for (const coordinates of walk) yield [...coordinates];
}

describe("coordinates count the elements at each source", () => {
  test.each<readonly [string, JsonValue, readonly Coordinates[]]>([
    ["", {}, [[]]],
    ["JOIN t IN c.l", { l: [5, 6] }, [[0], [1]]],
    ["JOIN t IN c.l", { l: [] }, []],
    ["JOIN t IN c.l", { l: "no array" }, []],
    ["JOIN t IN c.l", {}, []],
    ["JOIN c.o", { o: 1 }, [[0]]],
    ["JOIN c.o", {}, []],
    [
      "JOIN t IN c.l JOIN u IN t",
      { l: [[1, 2], [], [3]] },
      [
        [0, 0],
        [0, 1],
        [2, 0],
      ],
    ],
    ["JOIN (SELECT VALUE t FROM t IN c.l WHERE t > 1) x", { l: [1, 2, 3] }, [[0], [1]]],
  ])("%s of %j: %j", (from, item, expected) => expect(walked(from, item)).toEqual(expected));

  test.each<readonly [Coordinates, readonly Coordinates[]]>([
    [
      [0, 0],
      [
        [0, 1],
        [2, 0],
      ],
    ],
    [[0, 1], [[2, 0]]],
    [
      [0, -1],
      [
        [0, 0],
        [0, 1],
        [2, 0],
      ],
    ],
    [[1, 7], [[2, 0]]],
    [[2, 0], []],
    [[9, 9], []],
    [
      [],
      [
        [0, 1],
        [2, 0],
      ],
    ],
  ])("after %j come %j", (after, expected) => {
    const item = { l: [[1, 2], [], [3]] };
    expect(walked("JOIN t IN c.l JOIN u IN t", item, after)).toEqual(expected);
  });

  test("without sources there is one row, and none after it", () => {
    expect(walked("", {}, [])).toEqual([]);
  });
});

test("a walk can be cut anywhere", () => {
  const list = fc.array(fc.array(fc.integer(), { maxLength: 3 }), { maxLength: 4 });
  const property = fc.property(list, list, (a, b) => {
    const from = "JOIN t IN c.a JOIN u IN t JOIN v IN c.b JOIN w IN v";
    const whole = walked(from, { a, b });
    whole.forEach((coordinates, index) => {
      expect(walked(from, { a, b }, coordinates)).toEqual(whole.slice(index + 1));
    });
  });
  fc.assert(property, { numRuns: 60 });
});
