/**
 * Queries drawn from a seed over the paths of `generateItems.ts`: every clause, most functions,
 * parameters. Sizes are bounded, so that the naive model keeps up.
 *
 * A query is made so that the language says what comes out: no clocks, no chance, no sums that
 * depend on the order of adding, no scalar subquery with two rows, no cut of an inner query whose
 * order is open. What is refused is left to the case files. Expressions are in
 * `generateExpressions.ts`.
 */
import type { JsonValue } from "../../src/json/value.ts";
import { Expressions, type Source } from "./generateExpressions.ts";
import type { Draw } from "./generateItems.ts";
import type { Freedom } from "./judge.ts";

export interface Drawn extends Freedom {
  readonly text: string;
  readonly parameters: Readonly<Record<string, JsonValue>>;
  /** Rows come in the order of the items: neither sorted nor grouped. */
  readonly isPlain: boolean;
  /**
   * The client can put the parts of several physical partitions together. It cannot compare values
   * of several types, orders strings by UTF-16 units, takes an undefined MIN for none, and
   * keeps equal arrays in a set apart.
   */
  readonly isMergeable: boolean;
  /** The client drops null, false, 0 and "" where it looks for duplicates. */
  readonly isLossy: boolean;
}

/** What ORDER BY of several paths needs; each serves its reverse, too. */
export const COMPOSITES: readonly (readonly (readonly [string, "ASC" | "DESC"])[])[] = [
  [
    ["n", "ASC"],
    ["s", "ASC"],
  ],
  [
    ["q", "ASC"],
    ["n", "DESC"],
  ],
  [
    ["b", "ASC"],
    ["s", "ASC"],
    ["n", "ASC"],
  ],
];

/** What ORDER BY of one path may ask for, besides `id`. */
export const ORDER_PATHS: readonly string[] = ["a", "n", "q", "s", "b", "o/x", "value"];

/** A condition by which all that is ordered by `q` is of one type. */
const ALL_NUMBERS = "IS_NUMBER(c.q) AND ";
const NUMERIC = new RegExp(` WHERE ${ALL_NUMBERS.replace(/[()]/g, "\\$&")}`);

/** FROM with its JOINs, and what may be spoken of behind it. */
interface From {
  readonly text: string;
  readonly sources: readonly Source[];
}

export function drawQuery(draw: Draw): Drawn {
  const expressions = new Expressions(draw);
  const shape = draw.below(10);
  const make = shape < 6 ? drawRows : shape < 8 ? drawAggregates : drawGroups;
  const { text, ...freedom } = make(draw, expressions);
  // An inner DISTINCT or GROUP BY, MAKELIST and MAKESET: arrays whose order is open.
  const hasLooseArrays = expressions.hasLooseArrays || /MAKE(LIST|SET)/.test(text);
  const orderBy = / ORDER BY (.*)$/.exec(text)?.[1] ?? "c.id";
  const isOneType =
    /^c\.id\b/.test(orderBy) || (/^c\.q\b[^,]*$/.test(orderBy) && NUMERIC.test(text));
  const isMergeable = isOneType && !/\b(MIN|MAX|MAKESET)\(/.test(text);
  const isLossy = /^SELECT DISTINCT (TOP \S+ )?(VALUE|\*)/.test(text);
  const { parameters } = expressions;
  return { text, parameters, hasLooseArrays, isMergeable, isLossy, ...freedom };
}

interface DrawnFilter {
  /** With the word FROM. */
  readonly from: string;
  /** All that FROM binds, as an array. */
  readonly bound: string;
  readonly condition: string;
  readonly parameters: Readonly<Record<string, JsonValue>>;
}

export function drawFilter(draw: Draw): DrawnFilter {
  const expressions = new Expressions(draw);
  const { text: from, sources } = drawFrom(draw, expressions);
  const condition = expressions.truth(sources, 3);
  const bound = `[${sources.map(({ alias }) => alias).join(", ")}]`;
  return { from, bound, condition, parameters: expressions.parameters };
}

type Made = Pick<Drawn, "text" | "isUnordered" | "isPlain">;

function drawRows(draw: Draw, expressions: Expressions): Made {
  const from = draw.chance(0.05) ? { text: "", sources: [] } : drawFrom(draw, expressions);
  const isRooted = from.sources[0]?.kind === "item";
  const order = isRooted && draw.chance(0.45) ? ` ORDER BY ${drawOrder(draw)}` : "";
  const distinct = draw.chance(0.15) ? "DISTINCT " : "";
  const [top, limit] = drawCut(draw, expressions);
  const selection = drawSelection(draw, expressions, from.sources);
  const filter = expressions.truth(from.sources, 3);
  const isNumeric = order.startsWith(" ORDER BY c.q") && draw.chance(0.7);
  const condition = isNumeric ? `${ALL_NUMBERS}(${filter})` : filter;
  const where = isNumeric || draw.chance(0.65) ? ` WHERE ${condition}` : "";
  return {
    text: `SELECT ${distinct}${top}${selection}${from.text}${where}${order}${limit}`,
    isUnordered: order === "",
    isPlain: order === "" && distinct === "",
  };
}

function drawAggregates(draw: Draw, expressions: Expressions): Made {
  const from = drawFrom(draw, expressions);
  const where = drawWhere(draw, expressions, from.sources);
  const isUnordered = true;
  if (draw.chance(0.15)) {
    const value = expressions.any(from.sources, 1);
    const inner = `SELECT DISTINCT VALUE ${value}${from.text}${where}`;
    return { text: `SELECT VALUE COUNT(1) FROM (${inner})`, isUnordered, isPlain: false };
  }
  const aggregate = (): string => expressions.aggregate(from.sources);
  const selection = draw.chance(0.5)
    ? `VALUE ${aggregate()}`
    : Array.from({ length: 1 + draw.below(3) }, (_, index) => `${aggregate()} AS g${index}`).join();
  return { text: `SELECT ${selection}${from.text}${where}`, isUnordered, isPlain: false };
}

function drawGroups(draw: Draw, expressions: Expressions): Made {
  const from = drawFrom(draw, expressions);
  const keys = Array.from({ length: 1 + draw.below(2) }, () => expressions.key(from.sources));
  const aggregate = (): string => expressions.aggregate(from.sources);
  const listed = [
    ...keys.map((key, index) => `${key} AS k${index}`).filter(() => draw.chance(0.9)),
    ...draw.list(2, aggregate).map((text, index) => `${text} AS g${index}`),
  ];
  const bare = draw.chance(0.5) ? keys[0]! : aggregate();
  const selection = draw.chance(0.2) || listed.length === 0 ? `VALUE ${bare}` : listed.join(", ");
  const [top, limit] = drawCut(draw, expressions);
  const where = drawWhere(draw, expressions, from.sources);
  const text = `SELECT ${top}${selection}${from.text}${where} GROUP BY ${keys.join(", ")}${limit}`;
  return { text, isUnordered: true, isPlain: false };
}

// Clauses

function drawFrom(draw: Draw, expressions: Expressions): From {
  const item: Source = { alias: "c", kind: "item" };
  switch (draw.below(10)) {
    case 0:
      return { text: " FROM e IN c.l", sources: [{ alias: "e", kind: "scalar" }] };
    case 1:
      return { text: " FROM t IN c.t", sources: [{ alias: "t", kind: "element" }] };
    case 2: {
      const filter = expressions.truth([item], 1);
      const text = ` FROM (SELECT VALUE c FROM c WHERE ${filter}) AS r`;
      return { text, sources: [{ alias: "r", kind: "derived" }] };
    }
    case 3:
    case 4:
      return drawJoins(draw, expressions, item);
    default:
      return { text: " FROM c", sources: [item] };
  }
}

function drawJoins(draw: Draw, expressions: Expressions, item: Source): From {
  const scalar: Source = { alias: "e", kind: "scalar" };
  const element: Source = { alias: "t", kind: "element" };
  switch (draw.below(6)) {
    case 0:
      return { text: " FROM c JOIN e IN c.l", sources: [item, scalar] };
    case 1:
      return { text: " FROM c JOIN t IN c.t", sources: [item, element] };
    case 2:
      return { text: " FROM c JOIN e IN c.l JOIN t IN c.t", sources: [item, scalar, element] };
    case 3:
      return { text: " FROM c JOIN t IN c.t JOIN e IN t.w", sources: [item, element, scalar] };
    case 4:
      return { text: " FROM c JOIN c.o o", sources: [item, { alias: "o", kind: "scalar" }] };
    default: {
      const filter = expressions.truth([item, { alias: "x", kind: "element" }], 1);
      const text = ` FROM c JOIN (SELECT VALUE x FROM x IN c.t WHERE ${filter}) AS t`;
      return { text, sources: [item, element] };
    }
  }
}

function drawWhere(draw: Draw, expressions: Expressions, sources: readonly Source[]): string {
  return draw.chance(0.65) ? ` WHERE ${expressions.truth(sources, 3)}` : "";
}

function drawSelection(draw: Draw, expressions: Expressions, sources: readonly Source[]): string {
  const kind = draw.below(6);
  if (kind === 0 && sources.length === 1) return "*";
  if (kind < 4) return `VALUE ${expressions.any(sources, 2)}`;
  const item = (_: unknown, index: number): string => {
    const alias = draw.chance(0.7) ? ` AS m${index}` : "";
    return expressions.any(sources, 2) + alias;
  };
  return Array.from({ length: 1 + draw.below(3) }, item).join(", ");
}

function drawOrder(draw: Draw): string {
  if (draw.chance(0.35)) {
    const composite = draw.pick(COMPOSITES);
    const isReversed = draw.chance(0.5);
    return composite
      .map(
        ([name, direction]) => `c.${name} ${(direction === "ASC") === isReversed ? "DESC" : "ASC"}`,
      )
      .join(", ");
  }
  const path = draw.pick([...ORDER_PATHS, "id"]);
  const written = path === "value" ? 'c["value"]' : `c.${path.replace("/", ".")}`;
  return written + draw.pick(["", " ASC", " DESC"]);
}

/** TOP, or OFFSET and LIMIT, or neither. */
function drawCut(draw: Draw, expressions: Expressions): readonly [string, string] {
  const count = (): string => expressions.literal(draw.below(12));
  const kind = draw.below(10);
  if (kind < 2) return [`TOP ${count()} `, ""];
  return ["", kind < 4 ? ` OFFSET ${count()} LIMIT ${count()}` : ""];
}
