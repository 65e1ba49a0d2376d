/**
 * For tests only: trees at random, of every kind of node, as the parser would make them but for
 * the spans. They are well-formed and within the limits; whether their names mean anything is
 * left to chance.
 */
import type { Random } from "../../base/world.ts";
import type {
  BinaryOperator,
  Call,
  Collection,
  Count,
  Expression,
  FromSource,
  OrderBy,
  OrderItem,
  Query,
  Selection,
  Span,
  SubqueryForm,
  UnaryOperator,
} from "./ast.ts";

/** Contextual words are names like any other. */
const NAMES = ["c", "x", "_y1", "Root", "rank", "LET", "first", "ALL", "last", "constructor"];
const MEMBERS = [...NAMES, "value", "ORDER", "a b", "", "__proto__", "é", "1st", '"\\', "\n\ud800"];
const FUNCTIONS = ["ABS", "startsWith", "LEFT", "Right", "FIRST", "ALL", "LET", "RANK", "COUNT"];
const STRINGS = [...MEMBERS, "it's", "--", "/*", "%_[", "\u0000\u001f\u2028", "\ud83d\ude00"];
const NUMBERS = [0, 1, 42, 0.1, 1e21, 5e-324, 2 ** 53, 1.7976931348623157e308, Infinity, NaN];
const WORDS = [true, false, null, undefined] as const;
const SIGNS: readonly UnaryOperator[] = ["-", "+", "~", "NOT"];
const OPERATORS: readonly BinaryOperator[] = [
  ...(["AND", "OR", "=", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%"] as const),
  ...(["&", "|", "^", "<<", ">>", ">>>", "||", "??"] as const),
];
const FORMS: readonly SubqueryForm[] = ["scalar", "exists", "array", "all", "first", "last"];

const span: Span = { start: 0, end: 0 };

export function randomQuery(random: Random, depth = 4): Query {
  return new TreeMaker(random).query(depth);
}

export function randomExpression(random: Random, depth = 4): Expression {
  return new TreeMaker(random).expression(depth);
}

class TreeMaker {
  readonly #random: Random;
  #joinsLeft = 10;
  #udfCallsLeft = 10;

  constructor(random: Random) {
    this.#random = random;
  }

  query(depth: number): Query {
    const below = depth - 1;
    return {
      span,
      select: {
        span,
        isDistinct: this.#chance(0.2),
        ...(this.#chance(0.2) && { top: this.#count() }),
        selection: this.#selection(below),
      },
      ...(this.#chance(0.8) && { from: this.#source(below) }),
      ...(this.#chance(0.5) && { where: this.expression(below) }),
      ...(this.#chance(0.2) && { groupBy: this.#some(1, () => this.expression(below)) }),
      ...(this.#chance(0.3) && { orderBy: this.#orderBy(below) }),
      ...(this.#chance(0.2) && {
        offsetLimit: { span, offset: this.#wholeCount(), limit: this.#wholeCount() },
      }),
    };
  }

  expression(depth: number): Expression {
    if (depth <= 0 || this.#chance(0.15)) return this.#leaf();
    const below = depth - 1;
    const part = (): Expression => this.expression(below);
    const isNegated = this.#chance(0.5);
    return this.#one<() => Expression>([
      () => ({ kind: "member", span, object: part(), name: this.#one(MEMBERS) }),
      () => ({ kind: "index", span, object: part(), index: this.#index(below) }),
      () => ({ kind: "array", span, elements: this.#some(0, part) }),
      () => {
        const member = () => ({ span, name: this.#one(MEMBERS), value: part() });
        return { kind: "object", span, members: this.#some(0, member) };
      },
      () => ({ kind: "unary", span, operator: this.#one(SIGNS), operand: part() }),
      () => ({
        kind: "binary",
        span,
        operator: this.#one(OPERATORS),
        left: part(),
        right: part(),
      }),
      () => ({
        kind: "conditional",
        span,
        condition: part(),
        whenTrue: part(),
        otherwise: part(),
      }),
      () => ({ kind: "between", span, isNegated, operand: part(), low: part(), high: part() }),
      () => ({ kind: "in", span, isNegated, needle: part(), list: this.#some(1, part) }),
      () => {
        const escaping = this.#chance(0.5) && { escape: this.#one(["!", '"', "\\"]) };
        return { kind: "like", span, isNegated, text: part(), pattern: part(), ...escaping };
      },
      () => this.#call(below),
      () => ({ kind: "subquery", span, form: this.#one(FORMS), query: this.query(below) }),
      () => ({ kind: "let", span, name: this.#one(NAMES), value: part(), body: part() }),
    ])();
  }

  #leaf(): Expression {
    return this.#one<() => Expression>([
      () => ({ kind: "number", span, value: this.#one(NUMBERS) }),
      () => ({ kind: "string", span, value: this.#one(STRINGS) }),
      () => ({ kind: "word", span, value: this.#one(WORDS) }),
      () => ({ kind: "parameter", span, name: `@${this.#one(NAMES)}` }),
      () => ({ kind: "identifier", span, name: this.#one(NAMES) }),
    ])();
  }

  /** With a string literal it would be a member. */
  #index(depth: number): Expression {
    const index = this.expression(depth);
    return index.kind === "string" ? { kind: "number", span, value: 0 } : index;
  }

  #call(depth: number, mayBeUdf = true): Call {
    const isUdf = mayBeUdf && this.#udfCallsLeft > 0 && this.#chance(0.2);
    if (isUdf) this.#udfCallsLeft -= 1;
    const name = isUdf ? this.#one([...NAMES, "value"]) : this.#one(FUNCTIONS);
    const args = this.#some(0, () => this.expression(depth));
    return { kind: "call", span, name, nameSpan: span, isUdf, args };
  }

  #selection(depth: number): Selection {
    const expression = (): Expression => this.expression(depth);
    return this.#one<() => Selection>([
      () => ({ kind: "star", span }),
      () => ({ kind: "value", span, expression: expression() }),
      () => {
        const item = () => {
          const alias = this.#chance(0.5) && { alias: this.#one(MEMBERS) };
          return { span, expression: expression(), ...alias };
        };
        return { kind: "list", span, items: this.#some(1, item) };
      },
    ])();
  }

  #source(depth: number): FromSource {
    let source = this.#singleSource(depth);
    while (this.#joinsLeft > 0 && this.#chance(0.3)) {
      this.#joinsLeft -= 1;
      source = { kind: "join", span, left: source, right: this.#singleSource(depth) };
    }
    return source;
  }

  #singleSource(depth: number): FromSource {
    const alias = this.#one(NAMES);
    const collection = this.#collection(depth);
    if (this.#chance(0.4)) return { kind: "iterate", span, alias, collection };
    return { kind: "collection", span, collection, ...(this.#chance(0.5) && { alias }) };
  }

  #collection(depth: number): Collection {
    if (depth > 0 && this.#chance(0.3)) {
      return { kind: "subquery", span, query: this.query(depth - 1) };
    }
    const step = (): string | number => this.#one<string | number>([...MEMBERS, 0, 7]);
    return { kind: "path", span, root: this.#one(NAMES), steps: this.#some(0, step) };
  }

  #orderBy(depth: number): OrderBy {
    const direction = (): Pick<OrderItem, "direction"> =>
      this.#one([{}, { direction: "ASC" }, { direction: "DESC" }] as const);
    if (this.#chance(0.7)) {
      const item = () => ({ span, expression: this.expression(depth), ...direction() });
      return { kind: "items", span, items: this.#some(1, item) };
    }
    const item = () => ({ span, expression: this.#score(depth), ...direction() });
    return { kind: "rank", span, items: this.#some(1, item) };
  }

  #score(depth: number): Call {
    return { ...this.#call(depth, false), name: this.#one(["RRF", "FullTextScore"]) };
  }

  #count(): Count {
    if (this.#chance(0.5)) return { kind: "parameter", span, name: "@count" };
    return { kind: "number", span, value: this.#one([0, 1, 1.5, 2 ** 32]) };
  }

  #wholeCount(): Count {
    const count = this.#count();
    return count.kind === "number" ? { ...count, value: Math.ceil(count.value) } : count;
  }

  #chance(probability: number): boolean {
    return this.#random.next() < probability;
  }

  #one<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.#random.next() * choices.length)]!;
  }

  /** Up to three, at least `countMin`. */
  #some<T>(countMin: number, make: () => T): T[] {
    const count = countMin + Math.floor(this.#random.next() * (4 - countMin));
    return Array.from({ length: count }, make);
  }
}
