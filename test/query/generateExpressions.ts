/**
 * Expressions drawn from a seed: truths, numbers, strings, arrays, anything. Every operand is in
 * parentheses, so what is drawn does not depend on precedence.
 *
 * Divisors are constants other than zero, so nearly all numbers stay finite.
 */
import type { JsonValue } from "../../src/json/value.ts";
import type { Draw } from "./generateItems.ts";
import {
  drawQuarter,
  drawScalar,
  drawValue,
  NUMBERS,
  PARTITION_KEYS,
  STRINGS,
} from "./generateItems.ts";

/** What an alias stands for: an item, one made by a subquery, an element of `t`, or anything. */
export interface Source {
  readonly alias: string;
  readonly kind: "item" | "derived" | "element" | "scalar";
}

type Sources = readonly Source[];

const MATH = ["ABS", "CEILING", "FLOOR", "ROUND", "TRUNC", "SIGN"];
const TYPE_CHECKS = [
  "IS_DEFINED",
  "IS_NULL",
  "IS_BOOL",
  "IS_NUMBER",
  "IS_STRING",
  "IS_ARRAY",
  "IS_OBJECT",
  "IS_PRIMITIVE",
  "IS_INTEGER",
  "IS_DATETIME",
];
const COMPARISONS = ["=", "!=", "<>", "<", "<=", ">", ">="];
const PATTERNS = ["^a", "b$", "[a-c]+", "^.$", "\\\\d", "(a|b)c?", "日"];

export class Expressions {
  readonly parameters: Record<string, JsonValue> = {};
  hasLooseArrays = false;
  readonly #draw: Draw;
  #aliasCount = 0;
  /** Inner queries still to come: each multiplies the work. */
  #subqueriesLeft = 3;

  constructor(draw: Draw) {
    this.#draw = draw;
  }

  /** A constant, now and then as a parameter. */
  literal(value: JsonValue): string {
    if (!this.#draw.chance(0.25)) {
      return Object.is(value, -0) ? "-0" : JSON.stringify(value);
    }
    const name = `@p${Object.keys(this.parameters).length}`;
    this.parameters[name] = value;
    return name;
  }

  path(sources: Sources): string {
    const draw = this.#draw;
    if (sources.length === 0) return this.literal(drawScalar(draw));
    const { alias, kind } = draw.pick(sources);
    if (kind === "scalar") return draw.chance(0.85) ? alias : `${alias}.x`;
    const steps =
      kind === "element"
        ? [".k", ".v", ".w", ".w[0]", ".none"]
        : [".a", ".n", ".q", ".s", ".b", ".o.x", ".o.y.z", ".l[0]", ".t[0].k", ".t[0].v", ...RARE];
    return alias + draw.pick(steps);
  }

  truth(sources: Sources, depth: number): string {
    const draw = this.#draw;
    if (depth > 0 && draw.chance(0.45)) {
      const [a, b] = [this.truth(sources, depth - 1), this.truth(sources, depth - 1)];
      return draw.pick([
        `(${a}) AND (${b})`,
        `(${a}) AND (${b})`,
        `(${a}) OR (${b})`,
        `NOT (${a})`,
        `(${a}) ?? (${b})`,
        `(${a}) ? (${b}) : ${draw.pick(["true", "false", "undefined"])}`,
        `(${a}) = (${b})`,
      ]);
    }
    switch (draw.below(14)) {
      case 0:
      case 1:
      case 2: {
        const path = this.path(sources);
        const seek = draw.chance(0.1) ? `${draw.pick(MATH)}(${path})` : path;
        return this.#compare(seek, this.literal(this.#likely(path)));
      }
      case 3:
        return this.#compare(this.path(sources), this.path(sources));
      case 4:
        return this.#compare(`(${this.any(sources, 1)})`, `(${this.any(sources, 1)})`);
      case 5:
        return this.#between(sources);
      case 6:
        return this.#isIn(sources);
      case 7:
        return this.#like(sources);
      case 8:
        return `${draw.pick(TYPE_CHECKS)}(${this.any(sources, 1)})`;
      case 9:
        return this.#stringTest(sources);
      case 10:
        return this.#arrayTest(sources);
      case 11:
        return this.#exists(sources, depth);
      case 12:
        return this.#routed(sources);
      default:
        return draw.pick([this.path(sources), "true", "false", "null", "undefined"]);
    }
  }

  number(sources: Sources, depth: number): string {
    const draw = this.#draw;
    if (depth === 0 || draw.chance(0.4)) {
      return draw.chance(0.7) ? this.path(sources) : this.literal(draw.pick(NUMBERS));
    }
    const part = (): string => `(${this.number(sources, depth - 1)})`;
    return draw.pick([
      () => `${part()} ${draw.pick(["+", "-", "*"])} ${part()}`,
      () => `${part()} ${draw.pick(["/", "%"])} ${draw.pick(["2", "3", "-7", "0.5"])}`,
      () => `${part()} ${draw.pick(["&", "|", "^", "<<", ">>", ">>>"])} ${part()}`,
      () => `${draw.pick(["-", "+", "~"])}${part()}`,
      () => `${draw.pick(MATH)}(${part()})`,
      () => `LENGTH(${this.string(sources, depth - 1)})`,
      () => `ARRAY_LENGTH(${this.array(sources, depth - 1)})`,
      () => `INDEX_OF(${this.string(sources, depth - 1)}, ${this.literal(draw.pick(STRINGS))})`,
      () => this.#counted(sources),
    ])();
  }

  string(sources: Sources, depth: number): string {
    const draw = this.#draw;
    if (depth === 0 || draw.chance(0.5)) {
      return draw.chance(0.7) ? this.path(sources) : this.literal(draw.pick(STRINGS));
    }
    const part = (): string => this.string(sources, depth - 1);
    return draw.pick([
      () => `(${part()}) || (${part()})`,
      () => `CONCAT(${part()}, ${part()})`,
      () => `${draw.pick(["LOWER", "UPPER", "REVERSE", "TRIM"])}(${part()})`,
      () => `SUBSTRING(${part()}, ${draw.below(3)}, ${draw.below(5)})`,
      () => `${draw.pick(["LEFT", "RIGHT"])}(${part()}, ${draw.below(4)})`,
      () => `TOSTRING(${this.path(sources)})`,
      () => `REPLACE(${part()}, "a", ${part()})`,
    ])();
  }

  array(sources: Sources, depth: number): string {
    const draw = this.#draw;
    const item = sources.find(({ kind }) => kind === "item" || kind === "derived");
    if (depth === 0 || draw.chance(0.5)) {
      if (item !== undefined && draw.chance(0.7)) return `${item.alias}.${draw.pick(["l", "t"])}`;
      return this.literal(draw.list(3, () => drawScalar(draw)));
    }
    const part = (): string => this.array(sources, depth - 1);
    return draw.pick([
      () => `[${this.any(sources, depth - 1)}, ${this.any(sources, depth - 1)}]`,
      () => `ARRAY_CONCAT(${part()}, ${part()})`,
      () => `ARRAY_SLICE(${part()}, ${draw.below(4) - 1})`,
      () => `${draw.pick(["SETUNION", "SETINTERSECT", "SETDIFFERENCE"])}(${part()}, ${part()})`,
      () => this.#collected(sources),
    ])();
  }

  any(sources: Sources, depth: number): string {
    const draw = this.#draw;
    switch (draw.below(9)) {
      case 0:
        return this.literal(drawValue(draw));
      case 1:
        return `(${this.truth(sources, depth - 1)})`;
      case 2:
        return `(${this.number(sources, depth)})`;
      case 3:
        return `(${this.string(sources, depth)})`;
      case 4:
        return this.array(sources, depth);
      case 5:
        return depth > 0 ? this.#composed(sources, depth) : this.path(sources);
      case 6:
        return sources.length > 0 ? draw.pick(sources).alias : "undefined";
      default:
        return this.path(sources);
    }
  }

  /** What GROUP BY takes: no subquery, and something of the row in it. */
  key(sources: Sources): string {
    const draw = this.#draw;
    const path = this.path(sources);
    return draw.pick([
      path,
      path,
      path,
      `LOWER(${path})`,
      `(${path} > ${JSON.stringify(drawScalar(draw))})`,
      `IS_NUMBER(${path})`,
      `(${path} % 2)`,
      `{"g": ${path}}`,
    ]);
  }

  aggregate(sources: Sources): string {
    const draw = this.#draw;
    const path = this.path(sources);
    const exact = sources.map(({ alias, kind }) =>
      kind === "element" ? `${alias}.v` : kind === "scalar" ? "1" : `${alias}.q`,
    );
    return draw.pick([
      () => "COUNT(1)",
      () => `COUNT(${path})`,
      () => `${draw.pick(["SUM", "AVG"])}(${draw.pick(exact)})`,
      () => `SUM(${draw.pick(exact)} * 2)`,
      () => `${draw.pick(["MIN", "MAX"])}(${path})`,
      () => `COUNTIF(${this.#compare(path, this.literal(drawScalar(draw)))})`,
      () => `${draw.pick(["MAKELIST", "MAKESET"])}(${path})`,
    ])();
  }

  /** A value that is there at such a path, as a rule. */
  #likely(path: string): JsonValue {
    const draw = this.#draw;
    if (/\.s$|\.k$/.test(path)) return draw.pick(STRINGS);
    if (/\.(n|w\[0\])$/.test(path)) return draw.pick(NUMBERS);
    if (/\.[qv]$/.test(path)) return drawQuarter(draw);
    return path.endsWith(".b") ? draw.chance(0.5) : drawScalar(draw);
  }

  #compare(left: string, right: string): string {
    return `${left} ${this.#draw.pick(COMPARISONS)} ${right}`;
  }

  #between(sources: Sources): string {
    const draw = this.#draw;
    const word = draw.pick(["BETWEEN", "NOT BETWEEN"]);
    const [low, high] = draw.chance(0.5)
      ? [draw.pick(NUMBERS), draw.pick(NUMBERS)]
      : [draw.pick(STRINGS), draw.pick(STRINGS)];
    return `${this.path(sources)} ${word} ${this.literal(low)} AND ${this.literal(high)}`;
  }

  #isIn(sources: Sources): string {
    const draw = this.#draw;
    const list = [drawValue(draw), ...draw.list(3, () => drawScalar(draw))];
    const word = draw.pick(["IN", "NOT IN"]);
    const path = this.path(sources);
    list.push(this.#likely(path));
    return `${path} ${word} (${list.map((one) => this.literal(one)).join(", ")})`;
  }

  #like(sources: Sources): string {
    const draw = this.#draw;
    const pieces = ["%", "%", "_", "a", "b", "ab", "long ", "[a-c]", "[^b]", "[%]", "é"];
    const pattern = draw.list(4, () => draw.pick(pieces)).join("");
    const word = draw.pick(["LIKE", "NOT LIKE"]);
    return `${this.path(sources)} ${word} ${this.literal(pattern)}`;
  }

  #stringTest(sources: Sources): string {
    const draw = this.#draw;
    const text = this.string(sources, 1);
    if (draw.chance(0.15)) return `REGEXMATCH(${text}, "${draw.pick(PATTERNS)}")`;
    const name = draw.pick(["CONTAINS", "STARTSWITH", "ENDSWITH", "STRINGEQUALS"]);
    const sought = draw.chance(0.8) ? this.literal(draw.pick(STRINGS)) : this.path(sources);
    return `${name}(${text}, ${sought}${draw.pick(["", ", true", ", false"])})`;
  }

  #arrayTest(sources: Sources): string {
    const draw = this.#draw;
    const sought = draw.chance(0.7) ? this.literal(drawScalar(draw)) : this.any(sources, 1);
    if (draw.chance(0.3)) {
      const part = `{"k": ${this.literal(draw.pick(STRINGS))}}`;
      return `ARRAY_CONTAINS(${this.array(sources, 1)}, ${part}, true)`;
    }
    return `ARRAY_CONTAINS(${this.array(sources, 1)}, ${sought})`;
  }

  /** Conditions that tell where to look. */
  #routed(sources: Sources): string {
    const draw = this.#draw;
    const item = sources.find(({ kind }) => kind === "item");
    if (item === undefined) return "true";
    const { alias } = item;
    const key = (): string => this.literal(draw.pick(PARTITION_KEYS) ?? null);
    const id = (): string => this.literal(`i${draw.below(80)}`);
    return draw.pick([
      `${alias}.pk = ${key()}`,
      `${alias}.pk IN (${key()}, ${key()})`,
      `${alias}.pk = ${key()} OR ${alias}.pk = ${key()}`,
      `IS_DEFINED(${alias}.pk)`,
      `NOT IS_DEFINED(${alias}.pk)`,
      `${alias}.pk > ${key()}`,
      `${alias}.id = ${id()}`,
      `${alias}.id IN (${id()}, ${id()}, ${id()})`,
      `${alias}.id = ${id()} AND ${alias}.pk = ${key()}`,
    ]);
  }

  /** FROM of an inner query over a list that an alias has. */
  #innerFrom(sources: Sources): readonly [string, Source] | undefined {
    const draw = this.#draw;
    const holders = sources.filter(({ kind }) => kind !== "scalar");
    if (holders.length === 0 || this.#subqueriesLeft === 0) return undefined;
    this.#subqueriesLeft--;
    const holder = draw.pick(holders);
    const alias = `v${this.#aliasCount++}`;
    if (holder.kind === "element")
      return [`${alias} IN ${holder.alias}.w`, { alias, kind: "scalar" }];
    if (draw.chance(0.5)) return [`${alias} IN ${holder.alias}.l`, { alias, kind: "scalar" }];
    return [`${alias} IN ${holder.alias}.t`, { alias, kind: "element" }];
  }

  #exists(sources: Sources, depth: number): string {
    const inner = this.#innerFrom(sources);
    if (inner === undefined) return this.#compare(this.path(sources), this.path(sources));
    const [from, source] = inner;
    const draw = this.#draw;
    const filter = this.truth([...sources, source], Math.min(depth, 1));
    const word = draw.pick(["EXISTS", "EXISTS", "NOT EXISTS"]);
    const value = draw.pick([source.alias, "1", `${source.alias}.x`]);
    return `${word}(SELECT VALUE ${value} FROM ${from} WHERE ${filter})`;
  }

  #counted(sources: Sources): string {
    const inner = this.#innerFrom(sources);
    if (inner === undefined) return "1";
    const [from, source] = inner;
    const value = this.#draw.pick(["1", source.alias, `${source.alias}.v`]);
    const filter = this.truth([...sources, source], 0);
    return `(SELECT VALUE COUNT(${value}) FROM ${from} WHERE ${filter})`;
  }

  #collected(sources: Sources): string {
    const inner = this.#innerFrom(sources);
    if (inner === undefined) return "[]";
    const [from, source] = inner;
    const within = [...sources, source];
    const draw = this.#draw;
    if (draw.chance(0.15)) return `[FIRST(SELECT VALUE ${source.alias} FROM ${from})]`;
    if (draw.chance(0.15)) return `[LAST(SELECT VALUE ${source.alias} FROM ${from})]`;
    const isDistinct = draw.chance(0.2);
    if (isDistinct) this.hasLooseArrays = true;
    const top = !isDistinct && draw.chance(0.2) ? "TOP 2 " : "";
    const select = `SELECT ${isDistinct ? "DISTINCT " : ""}${top}VALUE ${this.any(within, 1)}`;
    const where = draw.chance(0.5) ? ` WHERE ${this.truth(within, 1)}` : "";
    return `ARRAY(${select} FROM ${from}${where})`;
  }

  #composed(sources: Sources, depth: number): string {
    const draw = this.#draw;
    const part = (): string => this.any(sources, depth - 1);
    return draw.pick([
      () => `{"x": ${part()}, y: ${part()}}`,
      () => `{"z": {"__proto__": ${part()}}}`,
      () => `IIF(${this.truth(sources, 0)}, ${part()}, ${part()})`,
      () => `((${this.path(sources)}) ?? (${part()}))`,
      () => `(SELECT VALUE ${part()})`,
      () => `(SELECT ${part()} AS m).m`,
      () => `(LET u = ${this.path(sources)} IN [u, u])`,
      () => `OBJECTTOARRAY(${part()})`,
      () => `CHOOSE(${draw.below(4)}, ${part()}, ${part()})`,
    ])();
  }
}

const RARE = [
  ".none",
  ".id",
  ".pk",
  ".d",
  '["value"]',
  '.o["x y"]',
  '.o["__proto__"]',
  '.o["constructor"]',
  '.o[""]',
  '.o["0"]',
  ".l[1]",
  ".t[1].w[0]",
  ".o",
  ".l",
];
