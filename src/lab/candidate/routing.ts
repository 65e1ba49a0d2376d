/**
 * How many keys an operation has to ask under a candidate: one, a few that the application can work
 * out, all below a prefix, or everywhere.
 *
 * An application works a key out from the values it has: those that a query's filter names, those
 * the workload says it knows, and for a time the range that is asked for. The newest few items in
 * the order of time are looked for in the newest period first.
 */
import type { ChoosePart, CoalescePart, KeyExpression } from "../../keys/expression.ts";
import { pathsOf, pathText } from "../../keys/paths.ts";
import type { TimeResolution } from "../data/facts.ts";
import type { Routing } from "../simulate/simulation.ts";
import type { Access } from "../workload/access.ts";
import type { Operation } from "../workload/workload.ts";
import type { Choices } from "./choices.ts";
import { finest, grainDays, type KeyShape } from "./keyShape.ts";

/** What a caller can make a key of. */
interface Known {
  /** How many values it has for a path; one unless it asks for a list. */
  countOf(path: string): number | undefined;
  /** How many days it asks about; undefined when that is open. */
  readonly spanDays: number | undefined;
  /** It wants the newest, and stops when it has them. */
  readonly isNewestFirst: boolean;
  /** It has the key itself, or all values that the key is made of. */
  readonly knowsAll: boolean;
  /** What was drawn by chance as well. */
  readonly knowsDrawn: boolean;
}

/** Newest first, the period before is asked now and then: just after a new one began. */
export const NEWEST_KEYS = 1.1;

/** What is asked, with the periods of a time kept apart from the other values. */
export interface AskedKeys {
  readonly kind: "keys" | "prefix" | "everywhere";
  /** Of a prefix. */
  readonly levelCount: number;
  /** Keys, or prefixes, of one period. */
  readonly values: number;
  /** Of the periods that follow from a range of time, or are asked newest first. */
  readonly grain: TimeResolution | undefined;
  /** How many of them, on average over all times; or how many times are named. */
  readonly periods: number;
}

/**
 * `spanDays`: over how many days it asks, as declared or assumed. `choices`: which way each choice
 * of the key goes for what is asked; without them, the way that asks more.
 */
export function askedKeysOf(
  shape: KeyShape,
  operation: Operation,
  access: Access,
  spanDays: number | undefined,
  choices?: Choices,
): AskedKeys {
  const stated = shape.candidate.stated;
  if (stated?.pins?.includes(operation.id)) return ONE_KEY;
  const bounded = stated?.boundedFanout?.get(operation.id);
  if (bounded !== undefined) return { ...ONE_KEY, values: bounded };
  return askedBy(shape, knownOf(shape, operation, access, spanDays), choices);
}

const ONE_KEY: AskedKeys = {
  kind: "keys",
  levelCount: 0,
  values: 1,
  grain: undefined,
  periods: 1,
};

export function routingOf(
  shape: KeyShape,
  operation: Operation,
  access: Access,
  spanDays: number | undefined,
  choices?: Choices,
): Routing {
  const asked = askedKeysOf(shape, operation, access, spanDays, choices);
  return routingFor(asked, asked.values * asked.periods);
}

/** With so many keys, or prefixes, in all. */
export function routingFor({ kind, levelCount }: AskedKeys, count: number): Routing {
  if (kind === "everywhere") return { kind };
  if (kind === "prefix") return { kind, levelCount, count };
  return count <= 1 ? { kind: "key" } : { kind, count };
}

/** It wants the last few of those that were written. */
export function isNewestFirst({ writeTimes }: KeyShape, { order, top, range }: Access): boolean {
  if (order?.isDescending !== true || top === undefined) return false;
  return writeTimes.has(order.path) && (range === undefined || range.path === order.path);
}

function knownOf(
  shape: KeyShape,
  operation: Operation,
  access: Access,
  spanDays: number | undefined,
): Known {
  const { kind, knows } = operation;
  const isNew = kind === "create";
  const isPoint = kind !== "query";
  const known = new Set(knows ?? []);
  return {
    knowsAll: isNew || (isPoint && knows === undefined),
    knowsDrawn: isNew || kind === "upsert",
    countOf(path) {
      if (known.has(path) || (isPoint && path === "/id")) return 1;
      return access.equal.get(path)?.count;
    },
    spanDays: keySpanOf(shape, access, spanDays),
    isNewestFirst: isNewestFirst(shape, access),
  };
}

/** Of the days that are asked for, those that a key follows from: only those of writing. */
export function keySpanOf(
  { writeTimes }: KeyShape,
  { ranges }: Access,
  spanDays: number | undefined,
): number | undefined {
  return ranges.some(({ path }) => writeTimes.has(path)) ? spanDays : undefined;
}

export function routingBy(shape: KeyShape, known: Known): Routing {
  const asked = askedBy(shape, known, undefined);
  return routingFor(asked, asked.values * asked.periods);
}

function askedBy(shape: KeyShape, known: Known, choices: Choices | undefined): AskedKeys {
  let values = 1;
  const times: TimesAsked = { grains: [], named: 1 };
  for (const [at, level] of shape.candidate.levels.entries()) {
    const counter = new ValueCounter(shape, known, choices);
    const count = counter.count(level);
    if (count === undefined) {
      const kind = at === 0 ? "everywhere" : "prefix";
      return { kind, levelCount: at, values, ...periodsAt(times, known) };
    }
    values *= count;
    times.grains.push(...counter.times.grains);
    times.named = Math.max(times.named, counter.times.named);
  }
  return { kind: "keys", levelCount: 0, values, ...periodsAt(times, known) };
}

/** Times that were met and not counted: each of them is in the same periods throughout a key. */
interface TimesAsked {
  readonly grains: TimeResolution[];
  /** How many are named one by one. */
  named: number;
}

function periodsAt(
  { grains, named }: TimesAsked,
  known: Known,
): Pick<AskedKeys, "grain" | "periods"> {
  const grain = finest(grains);
  return { grain, periods: named * (grain === undefined ? 1 : periodsOf(grain, known)) };
}

/** Counts the values that an expression can have, given what is known. */
class ValueCounter {
  readonly times: TimesAsked = { grains: [], named: 1 };
  readonly #shape: KeyShape;
  readonly #known: Known;
  readonly #choices: Choices | undefined;

  constructor(shape: KeyShape, known: Known, choices: Choices | undefined) {
    this.#shape = shape;
    this.#known = known;
    this.#choices = choices;
  }

  /** In one period; undefined: nobody can say. */
  count(part: KeyExpression): number | undefined {
    switch (part.kind) {
      case "text":
        return 1;
      case "path": {
        const path = pathText(part);
        const time = this.#shape.times.get(path);
        if (time === undefined) return this.#known.knowsAll ? 1 : this.#known.countOf(path);
        return this.#period(path, time.grain);
      }
      case "period":
        return this.#period(pathText(part.of), part.grain);
      case "concat":
        return productOf(part.parts.map((each) => this.count(each)));
      case "hash":
        return this.#buckets(part.of, part.count);
      case "random":
      case "turn":
        return this.#known.knowsDrawn ? 1 : part.count;
      case "suffix": {
        const base = this.count(part.base);
        const isDrawn = typeof part.by !== "object";
        const drawn = this.#known.knowsDrawn ? 1 : part.count;
        return productOf([base, isDrawn ? drawn : this.#buckets(part.by.hashOf, part.count)]);
      }
      case "choose":
        return this.#choice(part);
      case "lower":
        return this.count(part.of);
      case "coalesce":
        return this.#first(part);
    }
  }

  #period(path: string, grain: TimeResolution): number | undefined {
    if (this.#known.knowsAll) return 1;
    const named = this.#known.countOf(path);
    if (named !== undefined) this.times.named = Math.max(named, this.times.named);
    else if (isCounted(grain, this.#known)) this.times.grains.push(grain);
    else return undefined;
    return 1;
  }

  /** What is not known is in any of them, and several values may be in the same. */
  #buckets(of: KeyExpression, count: number): number {
    const values = this.#inAll(of);
    return values === undefined ? count : bucketsHit(count, values);
  }

  #choice(part: ChoosePart): number | undefined {
    const isKnown = this.#known.knowsAll || this.#known.countOf(pathText(part.of)) !== undefined;
    if (!isKnown) return sumOf([this.#inAll(part.chosen), this.#inAll(part.otherwise)]);
    const taken = this.#choices?.get(part);
    if (taken !== undefined) return this.count(taken);
    const either = [this.#inAll(part.chosen), this.#inAll(part.otherwise)];
    return sumOf(either) === undefined ? undefined : Math.max(...(either as number[]));
  }

  /** Who names a value asks for items that have it: what comes after counts for nobody. */
  #first({ parts }: CoalescePart): number | undefined {
    if (this.#known.knowsAll) return 1;
    const known = parts.findIndex((part) => pathsOf(part).every((path) => this.#isKnown(path)));
    if (known === 0) return this.count(parts[0]!);
    const asked = known < 0 ? parts : parts.slice(0, known + 1);
    return sumOf(asked.map((part) => this.#inAll(part)));
  }

  #isKnown(path: Parameters<typeof pathText>[0]): boolean {
    const name = pathText(path);
    const time = this.#shape.times.get(name);
    if (this.#known.countOf(name) !== undefined) return true;
    return time !== undefined && isCounted(time.grain, this.#known);
  }

  /** With all periods, where those of one part are not those of another. */
  #inAll(part: KeyExpression): number | undefined {
    const counter = new ValueCounter(this.#shape, this.#known, this.#choices);
    const values = counter.count(part);
    return values === undefined
      ? undefined
      : values * periodsAt(counter.times, this.#known).periods;
  }
}

function productOf(counts: readonly (number | undefined)[]): number | undefined {
  return counts.reduce(
    (product, count) =>
      product === undefined || count === undefined ? undefined : product * count,
    1,
  );
}

function sumOf(counts: readonly (number | undefined)[]): number | undefined {
  return counts.reduce(
    (sum, count) => (sum === undefined || count === undefined ? undefined : sum + count),
    0,
  );
}

/** So many values have so many different hashes, on average. */
function bucketsHit(count: number, values: number): number {
  return values <= 1 ? values : count * (1 - (1 - 1 / count) ** values);
}

/** Whether a caller can say which periods it asks. */
function isCounted(grain: TimeResolution, known: Known): boolean {
  if (known.isNewestFirst && isLookedBack(grain)) return true;
  return known.spanDays !== undefined && touchedBy(known.spanDays, grain) <= PERIODS_MAX;
}

/** Of those that it asks one after the other the newest are at the end of any span. */
function periodsOf(grain: TimeResolution, { isNewestFirst, spanDays }: Known): number {
  const touched = spanDays === undefined ? Number.POSITIVE_INFINITY : touchedBy(spanDays, grain);
  const isInTurn = isNewestFirst && isLookedBack(grain);
  return isInTurn ? Math.min(NEWEST_KEYS, touched) : touched;
}

/** Periods that a span touches: on average one more than fit into it. */
function touchedBy(spanDays: number, grain: TimeResolution): number {
  return spanDays / grainDays(grain) + 1;
}

/** Nobody looks through the seconds backwards for the newest item. */
export function isLookedBack(grain: TimeResolution): boolean {
  return grainDays(grain) >= NEWEST_DAYS_MIN;
}

const NEWEST_DAYS_MIN = 1 / 24;
/** More keys than anyone asks one by one. */
const PERIODS_MAX = 10_000;
