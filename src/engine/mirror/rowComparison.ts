/**
 * Whether two answers to one query say the same. Rows are compared as a set that counts repetitions
 * unless the query orders them. The order of properties never matters. What the system writes into
 * an item differs between two containers and is left out: of whole items wherever these stand in a
 * row, and of the row itself.
 *
 * - An order leaves open how rows with equal order values follow each other: whoever finds the
 *   rows in another order asks again with the order values (`tieGroups.ts`).
 * - TOP and OFFSET LIMIT without an order may give any rows, so only their number is compared once
 *   something was cut off.
 * - Sums and averages depend in their last digits on the order of addition, so numbers of
 *   aggregating queries may differ by a millionth of a millionth.
 */
import { SYSTEM_PROPERTIES } from "../../base/systemProperties.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { isObject, property } from "../../json/value.ts";

export interface ComparisonTerms {
  readonly isOrdered: boolean;
  readonly isAggregating: boolean;
  /** Number of rows from which on there may have been more; undefined without TOP or OFFSET. */
  readonly cutAt: number | undefined;
}

export interface RowComparison {
  readonly kind: "same" | "reordered" | "different";
  /** Rows that only one side has: by their ids or, where they have none, what the rows are. */
  readonly names: readonly string[];
}

const TOLERANCE = 1e-12;
const NAME_COUNT_MAX = 20;
const NAME_LENGTH_MAX = 120;

export function compareRows(
  source: readonly JsonValue[],
  target: readonly JsonValue[],
  { isOrdered, isAggregating, cutAt }: ComparisonTerms,
): RowComparison {
  const [ours, theirs] = [source.map(comparableText), target.map(comparableText)];
  if (ours.length === theirs.length && ours.every((text, at) => text === theirs[at])) return SAME;
  const left = unmatched(ours, theirs);
  const right = unmatched(theirs, ours);
  if (left.length + right.length === 0) return isOrdered ? { kind: "reordered", names: [] } : SAME;
  const isCut = cutAt !== undefined && ours.length >= cutAt && ours.length === theirs.length;
  if (isCut) return isOrdered ? { kind: "reordered", names: [] } : SAME;
  const leftRows = left.map((at) => source[at]!);
  const rightRows = right.map((at) => target[at]!);
  if (isAggregating && areNearlySame(leftRows, rightRows)) return SAME;
  return { kind: "different", names: namesOf(leftRows, rightRows) };
}

const SAME: RowComparison = { kind: "same", names: [] };

/** The text of a row that is equal for rows that count as equal. */
export function comparableText(row: JsonValue): string {
  return textOf(isObject(row) ? withoutSystem(row) : row);
}

function textOf(value: JsonValue): string {
  if (Array.isArray(value)) return `[${(value as readonly JsonValue[]).map(textOf).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const isWholeItem = Object.hasOwn(value, "_rid") && Object.hasOwn(value, "_self");
  const own = isWholeItem ? withoutSystem(value) : value;
  const names = Object.keys(own).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${textOf(own[name]!)}`).join(",")}}`;
}

function withoutSystem(object: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).filter(([name]) => !SYSTEM_PROPERTIES.has(name)),
  );
}

/** Returns the places of texts that the others do not have, or have less often. */
function unmatched(texts: readonly string[], others: readonly string[]): readonly number[] {
  const counts = new Map<string, number>();
  for (const text of others) counts.set(text, (counts.get(text) ?? 0) + 1);
  const places: number[] = [];
  for (const [at, text] of texts.entries()) {
    const count = counts.get(text) ?? 0;
    if (count === 0) places.push(at);
    else counts.set(text, count - 1);
  }
  return places;
}

/** Pairs rows that are alike but for their numbers, the smaller numbers first. */
function areNearlySame(ours: readonly JsonValue[], theirs: readonly JsonValue[]): boolean {
  if (ours.length !== theirs.length) return false;
  const [one, other] = [ours.map(skeletonOf).sort(bySkeleton), theirs.map(skeletonOf)];
  other.sort(bySkeleton);
  return one.every(({ text, numbers }, at) => {
    const pair = other[at]!;
    return text === pair.text && numbers.every((number, n) => isNear(number, pair.numbers[n]!));
  });
}

/** A row with its numbers taken out, and these in their order. */
interface Skeleton {
  readonly text: string;
  readonly numbers: readonly number[];
}

function skeletonOf(row: JsonValue): Skeleton {
  const numbers: number[] = [];
  const take = (value: JsonValue): JsonValue => {
    if (typeof value === "number") {
      numbers.push(value);
      return 0;
    }
    if (Array.isArray(value)) return (value as readonly JsonValue[]).map(take);
    if (!isObject(value)) return value;
    const names = Object.keys(value).sort();
    return Object.fromEntries(names.map((name) => [name, take(value[name]!)]));
  };
  return { text: comparableText(take(row)), numbers };
}

function bySkeleton(one: Skeleton, other: Skeleton): number {
  if (one.text !== other.text) return one.text < other.text ? -1 : 1;
  const at = one.numbers.findIndex((number, n) => !isNear(number, other.numbers[n]!));
  return at < 0 ? 0 : one.numbers[at]! - other.numbers[at]!;
}

function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) <= TOLERANCE * Math.max(Math.abs(one), Math.abs(other));
}

function namesOf(ours: readonly JsonValue[], theirs: readonly JsonValue[]): readonly string[] {
  const names = new Set<string>();
  for (const row of ours) names.add(idIn(row) ?? shortened("only on the source", row));
  for (const row of theirs) names.add(idIn(row) ?? shortened("only on the target", row));
  return [...names].slice(0, NAME_COUNT_MAX);
}

/** Returns the id in a row: that of the row itself, or of the one item that the row holds. */
function idIn(row: JsonValue): string | undefined {
  if (!isObject(row)) return undefined;
  const own = property(row, "id");
  if (typeof own === "string") return own;
  const inside = Object.values(row).flatMap((member) =>
    isObject(member) ? (property(member, "id") ?? []) : [],
  );
  return inside.length === 1 && typeof inside[0] === "string" ? inside[0] : undefined;
}

function shortened(about: string, row: JsonValue): string {
  const text = comparableText(row);
  const shown = text.length > NAME_LENGTH_MAX ? `${text.slice(0, NAME_LENGTH_MAX)}…` : text;
  return `${about}: ${shown}`;
}
