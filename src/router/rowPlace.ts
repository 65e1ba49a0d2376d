/**
 * How far a query has been read: the value that rows are ordered by, and which items with that
 * value were given. A later query goes on after that place, whatever was written, moved or deleted
 * meanwhile, because a place names items and no number of rows.
 *
 * As a text it may leave the program, as the link to a next page does.
 */
import { compareValues } from "../keys/client/compareValues.ts";
import type { NamedValue } from "../keys/client/queryText.ts";
import { propertyAt } from "../keys/client/queryText.ts";
import { BadRoute } from "./badRoute.ts";
import { type ItemVersion, nameOf } from "./itemVersion.ts";

export interface RowPlace {
  /** What rows are ordered by; undefined if the items have nothing there. */
  readonly by?: unknown;
  /** Items with this value that were given. */
  readonly names: readonly string[];
}

/** The order in which a query is read; a place in another order means nothing. */
interface RowOrder {
  readonly by: string;
  readonly isDescending: boolean;
}

const PARAMETER = "@routeAfter";

/** Rows as they are given, each item once at its place. */
export class RowTrail {
  #by: unknown;
  #isAnywhere: boolean;
  readonly #names: Set<string>;

  /** `after`: where another query has stopped. */
  constructor(after: RowPlace | undefined) {
    this.#by = after?.by;
    this.#isAnywhere = after !== undefined;
    this.#names = new Set(after?.names);
  }

  /** Takes note of a row that is next in order; false if its item was given at this place. */
  isNew(row: ItemVersion): boolean {
    if (!this.#isAnywhere || compareValues(this.#by, row.by) !== 0) this.#names.clear();
    this.#isAnywhere = true;
    this.#by = row.by;
    const name = nameOf(row);
    if (this.#names.has(name)) return false;
    this.#names.add(name);
    return true;
  }

  /** `undefined` before the first row. */
  get place(): RowPlace | undefined {
    return this.#isAnywhere ? { by: this.#by, names: [...this.#names] } : undefined;
  }
}

export function encodePlace({ by, names }: RowPlace, order: RowOrder): string {
  return JSON.stringify({ order: orderText(order), by, names });
}

export function parsePlace(text: unknown, order: RowOrder): RowPlace {
  const { order: written, by, names } = membersOf(text);
  const isPlace = Array.isArray(names) && names.every((name) => typeof name === "string");
  if (typeof written !== "string" || !isPlace) throw new BadRoute(NOT_NEXT);
  if (written !== orderText(order)) {
    throw new BadRoute(
      `after: it is from a query ordered by ${written}, and this one is ordered by ` +
        `${orderText(order)}. Ask the same query again.`,
    );
  }
  return { by, names: names as readonly string[] };
}

const NOT_NEXT =
  "after: this is not what a query had as `next`. Leave it out to begin at the start.";

function membersOf(text: unknown): Readonly<Record<string, unknown>> {
  if (typeof text !== "string") throw new BadRoute(NOT_NEXT);
  try {
    const members: unknown = JSON.parse(text);
    if (typeof members === "object" && members !== null) {
      return members as Readonly<Record<string, unknown>>;
    }
  } catch {
    // What is no JSON is no place, either.
  }
  throw new BadRoute(NOT_NEXT);
}

function orderText({ by, isDescending }: RowOrder): string {
  return `${by} ${isDescending ? "descending" : "ascending"}`;
}

/** Kinds of values in the order of ORDER BY, each as a condition. */
const KINDS: readonly ((path: string) => string)[] = [
  (path) => `NOT IS_DEFINED(${path})`,
  (path) => `IS_NULL(${path})`,
  (path) => `IS_BOOL(${path})`,
  (path) => `IS_NUMBER(${path})`,
  (path) => `IS_STRING(${path})`,
  (path) => `IS_ARRAY(${path}) OR IS_OBJECT(${path})`,
];

/** What is true of the rows at the place and after it. */
export function placeCondition(
  { by: value }: RowPlace,
  { by: path, isDescending }: RowOrder,
  parameters: NamedValue[],
): string {
  const property = propertyAt(path);
  const kind = kindOf(value);
  const later = isDescending ? KINDS.slice(0, kind) : KINDS.slice(kind + 1);
  const conditions = later.map((condition) => condition(property));
  const isComparable = ["boolean", "number", "string"].includes(typeof value);
  if (isComparable) {
    parameters.push({ name: PARAMETER, value: value as string });
    conditions.unshift(`${property} ${isDescending ? "<=" : ">="} ${PARAMETER}`);
  } else conditions.unshift(KINDS[kind]!(property));
  return `(${conditions.join(" OR ")})`;
}

function kindOf(value: unknown): number {
  const kinds = ["undefined", "null", "boolean", "number", "string"];
  const at = kinds.indexOf(value === null ? "null" : typeof value);
  return at === -1 ? KINDS.length - 1 : at;
}
