/**
 * Random expressions and items that fit together, for tests: the same seed, the same pair. They use
 * few properties, so that values are often there, and odd names and texts, so that nothing odd is
 * left out.
 */
import { type Random, seededRandom } from "../base/world.ts";
import { type KeyExpression, type PathPart, TIME_GRAINS } from "./expression.ts";

const TIME_PATHS: readonly (readonly string[])[] = [["ts"], ["at", "written"]];
const PATHS: readonly (readonly string[])[] = [
  ["id"],
  ["a"],
  ["b", "c"],
  ["my prop", 'x"y\\'],
  ["__proto__"],
  ["toString"],
  ["Größe-1.$@"],
  [""],
  ["\n/"],
];
const TEXTS: readonly string[] = ["", "-", "_", "it's", '"', "\\", "a\nb\u0001", "Ω😀", "\ud800"];
const SCALARS: readonly unknown[] = [
  "x",
  "Straße İΣ",
  "",
  "42",
  42,
  -1.5,
  1e21,
  0,
  true,
  false,
  null,
  [1],
  { c: 1 },
  undefined,
];
const TIMES: readonly unknown[] = [
  "2025-10-03T08:15:00Z",
  "2021-01-01",
  "2018-12-31T23:59:59.9999999+00:00",
  "2020-12-31T22:00:00-05:00",
  "2020-05",
  "2019",
  1_600_000_000,
  1_700_000_000_123,
  -1,
  "no time",
  null,
];

interface RandomPair {
  readonly expression: KeyExpression;
  readonly item: Readonly<Record<string, unknown>>;
}

export function randomPair(seed: number): RandomPair {
  const random = seededRandom(seed);
  const item: Record<string, unknown> = Object.create(null);
  for (const steps of TIME_PATHS) put(item, steps, pick(random, TIMES));
  for (const steps of PATHS) put(item, steps, pick(random, SCALARS));
  return { expression: randomExpression(random, 4), item };
}

function randomExpression(random: Random, depth: number): KeyExpression {
  const inner = (): KeyExpression => randomExpression(random, depth - 1);
  const count = 1 + Math.floor(random.next() * (random.next() < 0.9 ? 7 : 1000));
  const kinds = depth === 0 ? 3 : 10;
  switch (Math.floor(random.next() * kinds)) {
    case 0:
      return randomPath(random, PATHS);
    case 1:
      return { kind: "text", text: pick(random, TEXTS) };
    case 2: {
      const of = randomPath(random, random.next() < 0.9 ? TIME_PATHS : PATHS);
      return { kind: "period", grain: pick(random, TIME_GRAINS), of };
    }
    case 3:
      return { kind: "hash", of: inner(), count };
    case 4:
      return { kind: random.next() < 0.5 ? "random" : "turn", count };
    case 5: {
      const base = inner();
      const drawn = random.next() < 0.5 ? "random" : "turn";
      return {
        kind: "suffix",
        base,
        by: random.next() < 0.6 ? { hashOf: inner() } : drawn,
        count,
      };
    }
    case 6: {
      const values = ["x", "42", ...TEXTS].filter(() => random.next() < 0.4);
      const of = randomPath(random, PATHS);
      return { kind: "choose", of, values, chosen: inner(), otherwise: inner() };
    }
    case 7:
      return { kind: "lower", of: inner() };
    case 8: {
      const length = 2 + Math.floor(random.next() * 2);
      return { kind: "coalesce", parts: Array.from({ length }, inner) };
    }
    default: {
      const length = 1 + Math.floor(random.next() * 3);
      return { kind: "concat", parts: Array.from({ length }, inner) };
    }
  }
}

function randomPath(random: Random, paths: readonly (readonly string[])[]): PathPart {
  return { kind: "path", steps: pick(random, paths) };
}

function pick<T>(random: Random, values: readonly T[]): T {
  return values[Math.floor(random.next() * values.length)]!;
}

/** Missing is a property that is not there. */
function put(item: Record<string, unknown>, steps: readonly string[], value: unknown): void {
  const [step, ...rest] = steps as [string, ...string[]];
  if (value === undefined) return;
  if (rest.length === 0) {
    item[step] = value;
    return;
  }
  const inner: Record<string, unknown> = Object.create(null);
  put(inner, rest, value);
  item[step] = inner;
}
