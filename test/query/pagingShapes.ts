/**
 * Queries to be read page by page, and what must come out of each: the rows of the items that
 * nobody touches. Those of items that come and go lie in between, and can be told from them: their
 * `n` and `m` are odd, their `k` is ten and more.
 */
import type { JsonObject, JsonValue } from "../../src/json/value.ts";
import type { Draw } from "./generateItems.ts";

export interface PagedItem extends JsonObject {
  readonly id: string;
  readonly pk: string;
  /** No two items that stay have the same. */
  readonly n: number;
  readonly m: number;
  readonly k: number;
  readonly s: string;
  readonly tags: readonly string[];
}

export interface Shape {
  readonly text: string;
  /** The rows of the items that stay. */
  rows(kept: readonly PagedItem[]): readonly JsonValue[];
  /** Rows that others cause are left out; absent when there can be none. */
  readonly isKept?: (row: JsonValue) => boolean;
  /** What the rows are ordered by; absent when any order is right. */
  readonly rank?: (row: JsonValue) => readonly (number | string)[];
  /** So many rows there are in all; those that stay are the first of theirs. */
  readonly rowCount?: number;
}

export function keptItem(draw: Draw, index: number): PagedItem {
  const [n, m, k] = [2 * index, 2 * draw.below(20), draw.below(10)];
  return pagedItem(draw, { id: `kept-${index}`, pk: `key ${index % KEY_COUNT}`, n, m, k });
}

export function passingItem(draw: Draw, index: number): PagedItem {
  const [n, m, k] = [2 * draw.below(100) + 1, 2 * draw.below(20) + 1, 10 + draw.below(10)];
  return pagedItem(draw, { id: `passing-${index}`, pk: `key ${index % KEY_COUNT}`, n, m, k });
}

/** Some logical partitions hold several items. */
const KEY_COUNT = 17;

function pagedItem(
  draw: Draw,
  members: { readonly [name in "id" | "pk"]: string } & {
    readonly [name in "n" | "m" | "k"]: number;
  },
): PagedItem {
  const s = `${draw.pick(["a", "b", "ü", "😀", "long ".repeat(60)])}${draw.below(6)}`;
  const tags = [...new Set(draw.list(3, () => `t${draw.below(5)}`))];
  return { ...members, s, tags };
}

const cell = (row: JsonValue, index: number): number =>
  (row as readonly JsonValue[])[index] as number;
const isOfKept = (row: JsonValue): boolean => String(cell(row, 0)).startsWith("kept");
const isOfThreeKeys = ({ pk }: PagedItem): boolean => ["key 3", "key 4", "key 5"].includes(pk);
const isEven = (row: JsonValue): boolean => Number(row) % 2 === 0;
const byNumber = (kept: readonly PagedItem[]): readonly JsonValue[] =>
  kept.toSorted((a, b) => a.n - b.n).map(({ id, n }) => [id, n]);
const distinct = (rows: readonly JsonValue[]): readonly JsonValue[] =>
  [...new Set(rows.map((row) => JSON.stringify(row)))].map((row) => JSON.parse(row) as JsonValue);

const STREAMED: readonly Shape[] = [
  {
    text: "SELECT VALUE [c.id] FROM c",
    rows: (kept) => kept.map(({ id }) => [id]),
    isKept: isOfKept,
  },
  {
    text: "SELECT VALUE [c.id] FROM c WHERE c.k = 3 OR c.k = 4 OR c.k = 13",
    rows: (kept) => kept.filter(({ k }) => k === 3 || k === 4).map(({ id }) => [id]),
    isKept: isOfKept,
  },
  {
    text: "SELECT VALUE [c.id] FROM c WHERE c.n >= 20 AND c.n < 100 AND NOT IS_DEFINED(c.nothing)",
    rows: (kept) => kept.filter(({ n }) => n >= 20 && n < 100).map(({ id }) => [id]),
    isKept: isOfKept,
  },
  {
    text: "SELECT VALUE [c.id] FROM c WHERE c.pk IN ('key 3', 'key 4', 'key 5')",
    rows: (kept) => kept.filter(isOfThreeKeys).map(({ id }) => [id]),
    isKept: isOfKept,
  },
  {
    text: "SELECT VALUE [c.id, t] FROM c JOIN t IN c.tags",
    rows: (kept) => kept.flatMap(({ id, tags }) => tags.map((tag) => [id, tag])),
    isKept: isOfKept,
  },
];

const ORDERED: readonly Shape[] = [
  {
    text: "SELECT VALUE [c.id, c.n] FROM c ORDER BY c.n",
    rows: byNumber,
    isKept: isOfKept,
    rank: (row) => [cell(row, 1)],
  },
  {
    text: "SELECT VALUE [c.id, c.k] FROM c WHERE c.pk IN ('key 3', 'key 4', 'key 5') ORDER BY c.k",
    rows: (kept) => kept.filter(isOfThreeKeys).map(({ id, k }) => [id, k]),
    isKept: isOfKept,
    rank: (row) => [cell(row, 1)],
  },
  {
    text: "SELECT VALUE [c.id, c.k] FROM c ORDER BY c.k DESC",
    rows: (kept) => kept.map(({ id, k }) => [id, k]),
    isKept: isOfKept,
    rank: (row) => [-cell(row, 1)],
  },
  {
    text: "SELECT VALUE [c.id, c.s] FROM c WHERE c.n < 100 ORDER BY c.s",
    rows: (kept) => kept.filter(({ n }) => n < 100).map(({ id, s }) => [id, s]),
    isKept: isOfKept,
    rank: (row) => [Buffer.from(String(cell(row, 1))).toString("hex")],
  },
  {
    text: "SELECT VALUE [c.id, c.k, c.n] FROM c ORDER BY c.k, c.n DESC",
    rows: (kept) => kept.map(({ id, k, n }) => [id, k, n]),
    isKept: isOfKept,
    rank: (row) => [cell(row, 1), -cell(row, 2)],
  },
  {
    text: "SELECT VALUE [c.id, c.k, c.n, t] FROM c JOIN t IN c.tags ORDER BY c.k DESC, c.n",
    rows: (kept) => kept.flatMap(({ id, k, n, tags }) => tags.map((tag) => [id, k, n, tag])),
    isKept: isOfKept,
    rank: (row) => [-cell(row, 1), cell(row, 2)],
  },
];

const COLLECTED: readonly Shape[] = [
  {
    text: "SELECT DISTINCT VALUE c.m FROM c",
    rows: (kept) => distinct(kept.map(({ m }) => m)),
    isKept: isEven,
  },
  {
    text: "SELECT DISTINCT VALUE c.m FROM c ORDER BY c.m DESC",
    rows: (kept) => distinct(kept.map(({ m }) => m)),
    isKept: isEven,
    rank: (row) => [-Number(row)],
  },
  {
    text: "SELECT DISTINCT VALUE [c.k, t] FROM c JOIN t IN c.tags",
    rows: (kept) => distinct(kept.flatMap(({ k, tags }) => tags.map((tag) => [k, tag]))),
    isKept: (row) => cell(row, 0) < 10,
  },
  {
    text: "SELECT c.m, COUNT(1) AS many, MAX(c.n) AS most FROM c GROUP BY c.m",
    rows: (kept) =>
      distinct(kept.map(({ m }) => m)).map((m) => {
        const numbers = kept.filter((item) => item.m === m).map(({ n }) => n);
        return { m, many: numbers.length, most: Math.max(...numbers) };
      }),
    isKept: (row) => isEven((row as JsonObject)["m"]!),
  },
];

const CUT: readonly Shape[] = [
  {
    text: "SELECT TOP 40 VALUE [c.id, c.n] FROM c ORDER BY c.n",
    rows: byNumber,
    isKept: isOfKept,
    rank: (row) => [cell(row, 1)],
    rowCount: 40,
  },
  {
    text: "SELECT TOP 40 VALUE [c.id, c.n] FROM c WHERE c.k < 10 ORDER BY c.n DESC",
    rows: (kept) => byNumber(kept).toReversed().slice(0, 40),
    rank: (row) => [-cell(row, 1)],
  },
  {
    text: "SELECT VALUE [c.id, c.n] FROM c WHERE c.k < 10 ORDER BY c.n OFFSET 11 LIMIT 35",
    rows: (kept) => byNumber(kept).slice(11, 46),
    rank: (row) => [cell(row, 1)],
  },
  {
    text: "SELECT DISTINCT VALUE c.n FROM c WHERE c.k < 10 OFFSET 5 LIMIT 30",
    rows: (kept) =>
      kept
        .map(({ n }) => n)
        .toSorted((a, b) => a - b)
        .slice(5, 35),
  },
];

export const SHAPES: readonly Shape[] = [...STREAMED, ...ORDERED, ...COLLECTED, ...CUT];

/** What is wrong with the rows of all pages together. */
export function pagedProblem(
  shape: Shape,
  kept: readonly PagedItem[],
  rows: readonly JsonValue[],
): string | undefined {
  const { isKept = () => true, rank, rowCount } = shape;
  const found = rows.filter(isKept);
  const all = shape.rows(kept);
  const expected = rowCount === undefined ? all : all.slice(0, found.length);
  if (rowCount !== undefined && rows.length !== rowCount) return `${rows.length} rows`;
  const [missing, extra] = [without(expected, found), without(found, expected)];
  if (missing.length + extra.length > 0) {
    return `missing ${missing.slice(0, 5)}, too many ${extra.slice(0, 5)}`;
  }
  const fall = rank && found.findIndex((row, at) => at > 0 && isBefore(row, found[at - 1]!, rank));
  return fall === undefined || fall < 0 ? undefined : `row ${fall} comes too late`;
}

/** The texts of the first list that are not in the second, each as often as it is missing. */
function without(list: readonly JsonValue[], other: readonly JsonValue[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const row of other)
    counts.set(JSON.stringify(row), (counts.get(JSON.stringify(row)) ?? 0) + 1);
  return list
    .map((row) => JSON.stringify(row))
    .filter((text) => {
      const count = counts.get(text) ?? 0;
      counts.set(text, count - 1);
      return count <= 0;
    });
}

function isBefore(left: JsonValue, right: JsonValue, rank: NonNullable<Shape["rank"]>): boolean {
  const others = rank(right);
  for (const [index, value] of rank(left).entries()) {
    if (value !== others[index]) return value < others[index]!;
  }
  return false;
}
