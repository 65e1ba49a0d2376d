/**
 * A key strategy: a key expression made ready for an application. It gives the key of an item, puts
 * it into the item, and tells a reader which keys to visit.
 *
 * Not here: the strategies there are (`strategies.ts`, `adaptive.ts`).
 */
import { type Draw, type KeyComponent, keyOf } from "./component.ts";
import type { KeyExpression, KeyLevels } from "./expression.ts";
import {
  COUNT_MAX,
  LEVELS_MAX,
  parseKeyExpression,
  parseKeyLevels,
  printKeyLevels,
} from "./expressionText.ts";
import { pathText, visitParts } from "./paths.ts";
import { type Known, type Visits, visitsForLevels } from "./visits.ts";

export interface KeyStrategy {
  readonly name: string;
  readonly expression: KeyLevels;
  /** What the container is created with: its partition key paths, one for each level. */
  readonly paths: readonly string[];
  /** One component for each level. Draws anew each time, if the strategy draws. */
  keyOf(item: unknown): readonly KeyComponent[];
  /** A copy of the item with its key at `paths`; what has no key gets no property. */
  withKey<T extends object>(item: T): T & Readonly<Record<string, unknown>>;
  /** Undefined: the keys cannot be listed, and only a query over all of them will do. */
  visits(known: Known): Visits | undefined;
}

export interface StrategyOptions {
  readonly name?: string | undefined;
  /** Where made keys are kept, for levels that are not properties of the item already. */
  readonly property?: string | undefined;
  /** In [0, 1), such as `Math.random`. Needed if the expression draws by chance. */
  readonly random?: (() => number) | undefined;
  /** The next whole number. Otherwise the strategy counts from 0. */
  readonly turn?: (() => number) | undefined;
}

/** An expression, or its text. */
export type KeyInput = string | KeyExpression;

/** A strategy that cannot be: the message says why. */
export class BadStrategy extends Error {
  override readonly name = "BadStrategy";
}

/** The strategy of any expression, or of two or three for a hierarchical partition key. */
export function strategyOf(input: string | KeyLevels, options: StrategyOptions = {}): KeyStrategy {
  const levels = typeof input === "string" ? levelsOf(input) : input;
  if (levels.length < 1 || levels.length > LEVELS_MAX) {
    throw new BadStrategy(`A partition key has 1 to ${LEVELS_MAX} levels, not ${levels.length}.`);
  }
  const draw = drawFor(levels, options);
  const names = propertiesOf(levels, options.property ?? "partitionKey");
  return {
    name: options.name ?? printKeyLevels(levels),
    expression: levels,
    paths: levels.map((level, index) => pathOfLevel(level, names[index]!)),
    keyOf: (item) => keyOf(levels, item, draw),
    withKey: (item) => withKey(item, keyOf(levels, item, draw), names),
    visits: (known) => visitsForLevels(levels, known),
  };
}

/** A key as the official client takes it: an empty object stands for "no value". */
export type ClientKey = (string | number | boolean | null | Record<string, never>)[];

export function clientKey(key: readonly KeyComponent[]): ClientKey {
  return key.map((component) => (component === undefined ? {} : component));
}

export function expressionOf(input: KeyInput): KeyExpression {
  if (typeof input !== "string") return input;
  const parsed = parseKeyExpression(input);
  if (parsed.ok) return parsed.value;
  throw new BadStrategy(`${input}: at ${parsed.error.at}, ${parsed.error.message}.`);
}

export function countOf(count: number, what: string): number {
  if (Number.isInteger(count) && count >= 1 && count <= COUNT_MAX) return count;
  throw new BadStrategy(`The number of ${what} is a whole number from 1 to ${COUNT_MAX}.`);
}

function levelsOf(text: string): KeyLevels {
  const parsed = parseKeyLevels(text);
  if (parsed.ok) return parsed.value;
  throw new BadStrategy(`${text}: at ${parsed.error.at}, ${parsed.error.message}.`);
}

const FOR_EXAMPLE = "such as Math.random";

function drawFor(levels: KeyLevels, { random, turn, name }: StrategyOptions): Draw {
  if (random === undefined && levels.some(isByChance)) {
    const text = name ?? printKeyLevels(levels);
    throw new BadStrategy(`${text} draws by chance: it needs "random", ${FOR_EXAMPLE}.`);
  }
  let next = 0;
  return { random: random ?? (() => 0), turn: turn ?? (() => next++) };
}

function isByChance(expression: KeyExpression): boolean {
  let found = false;
  visitParts(expression, (part) => {
    if (part.kind === "random" || (part.kind === "suffix" && part.by === "random")) found = true;
  });
  return found;
}

/** The property of each level that is made; undefined for one that the item has already. */
function propertiesOf(levels: KeyLevels, property: string): readonly (string | undefined)[] {
  const isMade = (level: KeyExpression): boolean => level.kind !== "path";
  const isOne = levels.filter(isMade).length === 1;
  let number = 0;
  return levels.map((level) => {
    if (!isMade(level)) return undefined;
    number++;
    return isOne ? property : `${property}${number}`;
  });
}

function pathOfLevel(level: KeyExpression, property: string | undefined): string {
  if (level.kind === "path") return pathText(level);
  return pathText({ kind: "path", steps: [property!] });
}

function withKey<T extends object>(
  item: T,
  key: readonly KeyComponent[],
  names: readonly (string | undefined)[],
): T & Readonly<Record<string, unknown>> {
  const made = key.flatMap((component, index) => {
    const name = names[index];
    return name === undefined ? [] : [[name, component] as const];
  });
  const others = Object.entries(item).filter(([name]) => !names.includes(name));
  const present = made.filter(([, component]) => component !== undefined);
  return Object.fromEntries([...others, ...present]) as T & Readonly<Record<string, unknown>>;
}
