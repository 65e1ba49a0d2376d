/**
 * How many keys an operation has to ask under a candidate: one, a few that the application can work
 * out, all below a prefix, or everywhere.
 *
 * An application works a key out from the values it has: those that a query's filter names, those
 * the workload says it knows, and for a time the range that is asked for. The newest few items in
 * the order of time are looked for in the newest period first.
 */
import type { KeyExpression } from "../../keys/expression.ts";
import { pathText } from "../../keys/paths.ts";
import type { Routing } from "../simulate/simulation.ts";
import type { Access } from "../workload/access.ts";
import type { Operation } from "../workload/workload.ts";
import { grainDays, type KeyShape } from "./keyShape.ts";

/** What a caller can make a key of. */
export interface Known {
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
const NEWEST_KEYS = 1.1;

/** `spanDays`: over how many days it asks, as declared or assumed. */
export function routingOf(
  shape: KeyShape,
  operation: Operation,
  access: Access,
  spanDays: number | undefined,
): Routing {
  const stated = shape.candidate.stated;
  if (stated?.pins?.includes(operation.id)) return { kind: "key" };
  const bounded = stated?.boundedFanout?.get(operation.id);
  if (bounded !== undefined) return { kind: "keys", count: bounded };
  return routingBy(shape, knownOf(shape, operation, access, spanDays));
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
    // Of other times than that of writing nothing follows for a key.
    spanDays: access.ranges.some(({ path }) => shape.writeTimes.has(path)) ? spanDays : undefined,
    isNewestFirst: isNewestFirst(shape, access),
  };
}

export function routingBy(shape: KeyShape, known: Known): Routing {
  let count = 1;
  for (const [at, level] of shape.candidate.levels.entries()) {
    const values = valueCount(level, shape, known);
    if (values === undefined) {
      return at === 0 ? { kind: "everywhere" } : { kind: "prefix", levelCount: at, count };
    }
    count *= values;
  }
  return count <= 1 ? { kind: "key" } : { kind: "keys", count };
}

/** How many values an expression can have, given what is known; undefined: nobody can say. */
function valueCount(part: KeyExpression, shape: KeyShape, known: Known): number | undefined {
  switch (part.kind) {
    case "text":
      return 1;
    case "path": {
      const path = pathText(part);
      const time = shape.times.get(path);
      if (time === undefined) return known.knowsAll ? 1 : known.countOf(path);
      return periodCount(path, grainDays(time.grain), known);
    }
    case "period":
      return periodCount(pathText(part.of), grainDays(part.grain), known);
    case "concat":
      return part.parts.reduce<number | undefined>((product, each) => {
        const values = valueCount(each, shape, known);
        return product === undefined || values === undefined ? undefined : product * values;
      }, 1);
    case "hash":
      return Math.min(part.count, valueCount(part.of, shape, known) ?? part.count);
    case "random":
    case "turn":
      return known.knowsDrawn ? 1 : part.count;
    case "suffix": {
      const base = valueCount(part.base, shape, known);
      if (base === undefined) return undefined;
      if (typeof part.by !== "object") return known.knowsDrawn ? base : base * part.count;
      const by = valueCount(part.by.hashOf, shape, known);
      return base * Math.min(part.count, by ?? part.count);
    }
    case "choose": {
      const values = [part.chosen, part.otherwise].map((each) => valueCount(each, shape, known));
      if (values[0] === undefined || values[1] === undefined) return undefined;
      // Most values are among the others; who chooses does so for a few.
      return known.knowsAll || known.countOf(pathText(part.of)) !== undefined
        ? values[1]
        : values[0] + values[1];
    }
    case "lower":
      return valueCount(part.of, shape, known);
    case "coalesce":
      // Who names a value asks for items that have it.
      return known.knowsAll ? 1 : valueCount(part.parts[0]!, shape, known);
  }
}

/** Periods that a span touches: on average one more than fit into it. */
function periodCount(path: string, days: number, known: Known): number | undefined {
  if (known.knowsAll) return 1;
  const named = known.countOf(path);
  if (named !== undefined) return named;
  // The newest are at the end of any span.
  if (known.isNewestFirst && days >= NEWEST_DAYS_MIN) return NEWEST_KEYS;
  if (known.spanDays === undefined) return undefined;
  const count = known.spanDays / days + 1;
  return count <= PERIODS_MAX ? count : undefined;
}

/** Nobody looks through the seconds backwards for the newest item. */
const NEWEST_DAYS_MIN = 1 / 24;
/** More keys than anyone asks one by one. */
const PERIODS_MAX = 10_000;
