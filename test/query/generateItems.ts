/**
 * Items drawn from a seed, as unlike each other as clients make them: any type at one path,
 * missing values, long strings that begin alike, letters beyond the first plane, -0, names that
 * mean something to JavaScript. What they have in common is a set of paths (`generate.ts`).
 *
 * Numbers at `q` and `t[].v` are small multiples of a quarter, so their sums are exact in any
 * order; at `n`, `s` and `b` there are only scalars, because a composite index takes no others.
 */
import type { Random } from "../../src/base/world.ts";
import type { JsonObject, JsonValue } from "../../src/json/value.ts";

/** Everything that is left to chance, from one stream of numbers. */
export class Draw {
  readonly #random: Random;
  constructor(random: Random) {
    this.#random = random;
  }
  chance(probability: number): boolean {
    return this.#random.next() < probability;
  }
  /** From 0 to below `end`. */
  below(end: number): number {
    return Math.floor(this.#random.next() * end);
  }
  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)]!;
  }
  list<T>(countMax: number, make: () => T): T[] {
    return Array.from({ length: this.below(countMax + 1) }, make);
  }
}

/** Beyond what an index keeps of a string. */
export const LONG: string = "long ".repeat(50);
export const STRINGS: readonly string[] = [
  "",
  "a",
  "ab",
  "abc",
  "B",
  "b",
  "Abc",
  "é",
  "日本",
  "😀",
  "～",
  "a😀b",
  "50%",
  "a_b",
  'it\'s "x"\\',
  "1",
  "true",
  " a ",
  `${LONG}`,
  `${LONG}a`,
  `${LONG}b`,
  `${LONG}é😀`,
  `${LONG}${LONG}`,
];

export const NUMBERS: readonly number[] = [
  -0, 0, 1, 2, 3, -1, 2.5, -2.5, 10, 0.1, 1e-7, 4294967296, 9007199254740991, 9007199254740992,
  1e21, -1e21,
];

export const PARTITION_KEYS: readonly (JsonValue | undefined)[] = [
  "p0",
  "p1",
  "p2",
  "p3",
  "p4",
  "p5",
  "p6",
  "p7",
  "p8",
  "",
  "😀",
  1,
  2.5,
  null,
  true,
  undefined,
];

const ODD_NAMES = ["x y", "__proto__", "constructor", "toString", "naïve", "", "value", "0"];

export function drawScalar(draw: Draw): JsonValue {
  const kind = draw.below(10);
  if (kind === 0) return null;
  if (kind === 1) return draw.chance(0.5);
  return kind < 6 ? draw.pick(NUMBERS) : draw.pick(STRINGS);
}

export function drawValue(draw: Draw, depth = 2): JsonValue {
  const kind = draw.below(10);
  if (kind < 7 || depth === 0) return drawScalar(draw);
  if (kind === 7) return draw.list(3, () => drawValue(draw, depth - 1));
  return Object.fromEntries(
    draw.list(3, () => [draw.pick(["x", "y", "z", ...ODD_NAMES]), drawValue(draw, depth - 1)]),
  );
}

export const drawQuarter = (draw: Draw): number => (draw.below(81) - 40) / 4;

export function drawItems(draw: Draw, count: number): readonly JsonObject[] {
  return Array.from({ length: count }, (_, index) => drawItem(draw, `i${index}`));
}

function drawItem(draw: Draw, id: string): JsonObject {
  const members: readonly [string, JsonValue | undefined][] = [
    ["id", id],
    ["pk", draw.pick(PARTITION_KEYS)],
    ["a", maybe(draw, () => drawValue(draw))],
    ["n", maybe(draw, () => (draw.chance(0.8) ? draw.pick(NUMBERS) : drawScalar(draw)))],
    ["q", maybe(draw, () => drawQuarter(draw))],
    ["s", maybe(draw, () => (draw.chance(0.8) ? draw.pick(STRINGS) : drawScalar(draw)))],
    ["b", maybe(draw, () => (draw.chance(0.8) ? draw.chance(0.5) : null))],
    ["o", maybe(draw, () => drawObject(draw))],
    ["l", maybe(draw, () => drawList(draw))],
    ["t", maybe(draw, () => draw.list(3, () => drawElement(draw)))],
    ["value", maybe(draw, () => drawScalar(draw))],
    ["d", maybe(draw, () => `202${draw.below(5)}-0${1 + draw.below(9)}-1${draw.below(9)}`)],
  ];
  return objectOf(members);
}

/** What most items have. */
function maybe(draw: Draw, make: () => JsonValue): JsonValue | undefined {
  return draw.chance(0.85) ? make() : undefined;
}

function drawObject(draw: Draw): JsonValue {
  if (draw.chance(0.1)) return drawScalar(draw);
  return objectOf([
    ["x", maybe(draw, () => drawValue(draw, 1))],
    ["y", maybe(draw, () => objectOf([["z", maybe(draw, () => drawScalar(draw))]]))],
    [draw.pick(ODD_NAMES), drawScalar(draw)],
  ]);
}

function drawList(draw: Draw): JsonValue {
  if (draw.chance(0.1)) return drawScalar(draw);
  return draw.list(4, () => (draw.chance(0.9) ? drawScalar(draw) : drawValue(draw, 1)));
}

function drawElement(draw: Draw): JsonObject {
  return objectOf([
    ["k", maybe(draw, () => draw.pick(STRINGS.slice(0, 6)))],
    ["v", maybe(draw, () => drawQuarter(draw))],
    ["w", maybe(draw, () => draw.list(2, () => draw.pick(NUMBERS)))],
  ]);
}

function objectOf(members: readonly (readonly [string, JsonValue | undefined])[]): JsonObject {
  const defined = members.filter(
    (member): member is [string, JsonValue] => member[1] !== undefined,
  );
  return Object.fromEntries(defined);
}
