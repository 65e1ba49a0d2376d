/**
 * The inverse of a key: which keys a reader has to visit, from what the reader knows.
 *
 * The keys that come back cover every item that fits what is known and has all the values its key
 * needs; there may be keys among them that no item has. What is not known but hashed, drawn or
 * asked by `choose` is enumerated; what is not known and written out is not, and the answer is
 * undefined: only a query over all physical partitions finds such items. So it is when there would
 * be more than `VISITS_MAX` keys.
 *
 * Each combination of known values is gone through as a whole, and a range of time piece by piece,
 * so that a value that occurs twice in an expression is the same in both places.
 */
import { isAmong, type KeyComponent, lowerText, textOf } from "./component.ts";
import type { ChoosePart, KeyExpression, KeyLevels, TimeGrain } from "./expression.ts";
import { pathsOf, pathText, periodsIn } from "./paths.ts";
import { meanPeriodMillis, periodOf, periodStartsBetween } from "./period.ts";
import { hashBucket } from "./stableHash.ts";
import { EARLIEST_MILLIS, LATEST_MILLIS, timeOf } from "./time.ts";

export interface Known {
  /** Path texts to the values that may be there. */
  readonly values: ReadonlyMap<string, readonly KeyComponent[]>;
  readonly range?: TimeRange | undefined;
}

/** Times at a path, in milliseconds since 1970. Both ends belong to it. */
export interface TimeRange {
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

export interface Visits {
  /** As many components as levels, or fewer when they are prefixes. */
  readonly keys: readonly (readonly KeyComponent[])[];
  readonly isPrefix: boolean;
}

export const VISITS_MAX = 10_000;
/** Texts that are put together before giving up, however few different keys they make. */
const WORK_MAX = 20 * VISITS_MAX;

export function visitsFor(
  expression: KeyExpression,
  known: Known,
): readonly KeyComponent[] | undefined {
  return visitsForLevels([expression], known)?.keys.map(([component]) => component);
}

/** The keys by as many levels as can be enumerated. */
export function visitsForLevels(levels: KeyLevels, known: Known): Visits | undefined {
  for (let depth = levels.length; depth > 0; depth--) {
    const keys = keysOf(levels.slice(0, depth), known);
    if (keys !== undefined) return { keys, isPrefix: depth < levels.length };
  }
  return undefined;
}

/** One combination of what is known. */
interface Assignment {
  readonly values: ReadonlyMap<string, KeyComponent>;
  /** A moment that stands for all that are in the same periods. */
  readonly moment: Moment | undefined;
  /** What is left of `WORK_MAX`, for all assignments together. */
  readonly work: { left: number };
}

interface Moment {
  readonly path: string;
  readonly at: number;
}

/** What an expression can come to; undefined: more than can be listed. */
type Outcomes = readonly KeyComponent[] | undefined;

function keysOf(levels: KeyLevels, known: Known): readonly (readonly KeyComponent[])[] | undefined {
  const assignments = assignmentsOf(levels, known);
  if (assignments === undefined) return undefined;
  const found = new Map<string, readonly KeyComponent[]>();
  for (const assignment of assignments) {
    const components = levels.map((level) => componentsOf(level, assignment));
    const keys = crossed(components, assignment.work);
    if (keys === undefined) return undefined;
    for (const key of keys) found.set(nameOf(key), key);
    if (found.size > VISITS_MAX) return undefined;
  }
  return [...found.values()];
}

/** Distinct for distinct keys; `undefined` is no JSON, so it gets a form that no component has. */
function nameOf(key: readonly KeyComponent[]): string {
  return JSON.stringify(key.map((component) => (component === undefined ? [] : component)));
}

function assignmentsOf(levels: KeyLevels, known: Known): readonly Assignment[] | undefined {
  const used = new Set(levels.flatMap(pathsOf).map(pathText));
  const lists: (readonly (readonly [string, KeyComponent])[])[] = [];
  for (const [path, values] of known.values) {
    if (!used.has(path)) continue;
    const possible = values.filter((value) => mayBe(path, value, known.range));
    lists.push(possible.map((value) => [path, value] as const));
  }
  const work = { left: WORK_MAX };
  const combinations = crossed(lists, work);
  const moments = momentsOf(levels, known);
  if (combinations === undefined || combinations.length * moments.length > VISITS_MAX) {
    return undefined;
  }
  return combinations.flatMap((pairs) => {
    const values = new Map(pairs);
    return moments.map((moment) => ({ values, moment, work }));
  });
}

/** A known value at the path of the range has to be in the range. */
function mayBe(path: string, value: KeyComponent, range: TimeRange | undefined): boolean {
  if (range?.path !== path) return true;
  const at = timeOf(value);
  return at !== undefined && at >= range.from && at <= range.to;
}

/** One moment of each piece of the range in which all periods stay the same. */
function momentsOf(levels: KeyLevels, { range, values }: Known): readonly (Moment | undefined)[] {
  if (range === undefined || values.has(range.path)) return [undefined];
  const periods = levels.flatMap(periodsIn).filter(({ of }) => pathText(of) === range.path);
  const grains = [...new Set(periods.map(({ grain }) => grain))];
  if (grains.length === 0) return [undefined];
  // A range of too many pieces tells no more than none does.
  const starts = piecesOf(range, grains);
  return starts === undefined ? [undefined] : starts.map((at) => ({ path: range.path, at }));
}

function piecesOf(range: TimeRange, grains: readonly TimeGrain[]): readonly number[] | undefined {
  const from = Math.max(range.from, EARLIEST_MILLIS);
  const to = Math.min(range.to, LATEST_MILLIS);
  if (!(from <= to)) return [];
  const perMilli = grains.reduce((sum, grain) => sum + 1 / meanPeriodMillis(grain), 0);
  if ((to - from) * perMilli > VISITS_MAX) return undefined;
  const starts = grains.flatMap((grain) => periodStartsBetween(grain, from, to));
  return [...new Set(starts.map((start) => Math.max(start, from)))].sort((a, b) => a - b);
}

function componentsOf(expression: KeyExpression, assignment: Assignment): Outcomes {
  if (expression.kind !== "path") return outcomesOf(expression, assignment);
  const path = pathText(expression);
  return assignment.values.has(path) ? [assignment.values.get(path)] : undefined;
}

/** As in `component.ts`: texts, and undefined where a needed value is known to be missing. */
function outcomesOf(expression: KeyExpression, assignment: Assignment): Outcomes {
  switch (expression.kind) {
    case "path": {
      const path = pathText(expression);
      const { values } = assignment;
      return values.has(path) ? [textOf(values.get(path))] : undefined;
    }
    case "text":
      return [expression.text];
    case "period": {
      const at = momentAt(pathText(expression.of), assignment);
      if (at === "unknown") return undefined;
      return [at === undefined ? undefined : periodOf(expression.grain, at)];
    }
    case "concat":
      return joined(
        expression.parts.map((part) => outcomesOf(part, assignment)),
        assignment.work,
      );
    case "hash":
      return buckets(expression.of, { first: 0, count: expression.count }, assignment);
    case "random":
    case "turn":
      return numbers(0, expression.count);
    case "suffix": {
      const { base, by, count } = expression;
      const suffixes =
        typeof by === "string"
          ? numbers(1, count)
          : buckets(by.hashOf, { first: 1, count }, assignment);
      return joined([outcomesOf(base, assignment), ["."], suffixes], assignment.work);
    }
    case "choose":
      return chosen(expression, assignment);
    case "lower":
      return mapped(outcomesOf(expression.of, assignment), lowerText);
    case "coalesce":
      return coalesced(expression.parts, assignment);
  }
}

function momentAt(path: string, { values, moment }: Assignment): number | "unknown" | undefined {
  if (values.has(path)) return timeOf(values.get(path));
  return moment?.path === path ? moment.at : "unknown";
}

function buckets(
  of: KeyExpression,
  { first, count }: { readonly first: number; readonly count: number },
  assignment: Assignment,
): Outcomes {
  const texts = outcomesOf(of, assignment);
  if (texts === undefined) return numbers(first, count);
  return mapped(texts, (text) => String(hashBucket(text, count) + first));
}

function chosen(expression: ChoosePart, assignment: Assignment): Outcomes {
  const path = pathText(expression.of);
  if (assignment.values.has(path)) {
    const text = textOf(assignment.values.get(path));
    const isChosen = text !== undefined && isAmong(expression.values, text);
    return outcomesOf(isChosen ? expression.chosen : expression.otherwise, assignment);
  }
  const either = outcomesOf(expression.chosen, assignment);
  const others = outcomesOf(expression.otherwise, assignment);
  if (either === undefined || others === undefined) return undefined;
  return [...new Set([...either, ...others])];
}

/** What comes next counts where the parts before have no value, or may have none. */
function coalesced(parts: readonly KeyExpression[], assignment: Assignment): Outcomes {
  const found = new Set<KeyComponent>();
  for (const [at, part] of parts.entries()) {
    const outcomes = outcomesOf(part, assignment);
    if (outcomes === undefined) return undefined;
    const isLast = at === parts.length - 1;
    for (const one of outcomes) if (one !== undefined || isLast) found.add(one);
    if (!outcomes.includes(undefined) && isKnown(part, assignment)) break;
  }
  return [...found];
}

function isKnown(part: KeyExpression, { values, moment }: Assignment): boolean {
  return pathsOf(part)
    .map(pathText)
    .every((path) => values.has(path) || moment?.path === path);
}

function numbers(first: number, count: number): Outcomes {
  if (count > VISITS_MAX) return undefined;
  return Array.from({ length: count }, (_, index) => String(first + index));
}

function mapped(outcomes: Outcomes, change: (text: string) => string): Outcomes {
  if (outcomes === undefined) return undefined;
  const changed = outcomes.map((text) => (typeof text === "string" ? change(text) : undefined));
  return [...new Set(changed)];
}

function joined(parts: readonly Outcomes[], work: Assignment["work"]): Outcomes {
  const ways = crossed(parts, work);
  return ways?.map((texts) => (texts.includes(undefined) ? undefined : texts.join("")));
}

/** Every way to take one of each list, in order; undefined when that is too many, or one is. */
function crossed<T>(
  lists: readonly (readonly T[] | undefined)[],
  work: Assignment["work"],
): readonly T[][] | undefined {
  let ways: T[][] = [[]];
  for (const list of lists) {
    if (list === undefined) return undefined;
    const count = ways.length * list.length;
    work.left -= count;
    if (count > VISITS_MAX || work.left < 0) return undefined;
    ways = ways.flatMap((way) => list.map((one) => [...way, one]));
  }
  return ways;
}
