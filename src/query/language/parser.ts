/**
 * Parses a query text into a tree, clause by clause, in their fixed order. Expressions are read by
 * `expressionParser.ts`.
 *
 * Every text gives a tree or a problem; nothing is repaired or guessed. A query that is well-formed
 * but makes no sense (unknown names, `SELECT *` without FROM, ORDER BY in a subquery) gives a tree.
 */
import { no, ok, type Result } from "../../base/result.ts";
import type { QueryProblem } from "../problem.ts";
import type {
  Collection,
  Count,
  Expression,
  FromSource,
  OffsetLimit,
  OrderBy,
  OrderItem,
  Query,
  SelectClause,
  SelectItem,
  Selection,
} from "./ast.ts";
import { ExpressionParser } from "./expressionParser.ts";
import { tokensOf } from "./lexer.ts";
import { textLimitProblem, treeLimitProblem } from "./queryLimits.ts";
import { isContextual } from "./token.ts";
import { TokenCursor, Unparsable } from "./tokenCursor.ts";

export function parseQuery(text: string): Result<Query, QueryProblem> {
  return parsed(
    text,
    (parser) => parser.query(),
    (query) => query,
  );
}

export function parseExpression(text: string): Result<Expression, QueryProblem> {
  return parsed(
    text,
    (parser) => parser.expressions.expression(),
    (expression) => expression,
  );
}

/** The condition of a patch. */
export interface Filter {
  /** The name that the condition has for the item. */
  readonly alias: string;
  readonly where: Expression;
}

/** Parses `FROM c WHERE …`, with any name for the item. */
export function parseFilter(text: string): Result<Filter, QueryProblem> {
  return parsed(
    text,
    (parser) => parser.filter(),
    ({ where }) => where,
  );
}

function parsed<T>(
  text: string,
  parse: (parser: QueryParser) => T,
  treeOf: (outcome: T) => Query | Expression,
): Result<T, QueryProblem> {
  const tooLong = textLimitProblem(text);
  if (tooLong !== undefined) return no(tooLong);
  try {
    const cursor = new TokenCursor(tokensOf(text));
    const outcome = parse(new QueryParser(cursor));
    cursor.expectEnd();
    const tooLarge = treeLimitProblem(treeOf(outcome));
    return tooLarge === undefined ? ok(outcome) : no(tooLarge);
  } catch (thrown) {
    if (thrown instanceof Unparsable) return no(thrown.problem);
    throw thrown;
  }
}

class QueryParser {
  readonly #cursor: TokenCursor;
  readonly expressions: ExpressionParser;

  constructor(cursor: TokenCursor) {
    this.#cursor = cursor;
    this.expressions = new ExpressionParser(cursor, () => this.query());
  }

  query(): Query {
    this.#cursor.enter();
    const query = this.#clauses();
    this.#cursor.leave();
    return query;
  }

  filter(): Filter {
    this.#cursor.expect("FROM");
    const root = this.#cursor.name();
    const alias = this.#sourceAlias() ?? root;
    this.#cursor.expect("WHERE");
    return { alias, where: this.expressions.expression() };
  }

  #clauses(): Query {
    const cursor = this.#cursor;
    const { start } = cursor.token.span;
    const select = this.#select();
    const from = cursor.accept("FROM") ? { from: this.#source() } : {};
    const where = cursor.accept("WHERE") ? { where: this.expressions.expression() } : {};
    const groupBy = cursor.isAt("GROUP") ? { groupBy: this.#groupBy() } : {};
    const orderBy = cursor.isAt("ORDER") ? { orderBy: this.#orderBy() } : {};
    const offsetLimit = cursor.isAt("OFFSET") ? { offsetLimit: this.#offsetLimit() } : {};
    const span = cursor.spanFrom(start);
    return { span, select, ...from, ...where, ...groupBy, ...orderBy, ...offsetLimit };
  }

  #select(): SelectClause {
    const cursor = this.#cursor;
    const { start } = cursor.token.span;
    cursor.expect("SELECT");
    const isDistinct = cursor.accept("DISTINCT");
    const top = cursor.accept("TOP") ? { top: this.#count() } : {};
    const selection = this.#selection();
    return { span: cursor.spanFrom(start), isDistinct, ...top, selection };
  }

  #selection(): Selection {
    const cursor = this.#cursor;
    const { span } = cursor.token;
    if (cursor.accept("*")) return { kind: "star", span };
    if (cursor.accept("VALUE")) {
      const expression = this.expressions.expression();
      return { kind: "value", span: cursor.spanFrom(span.start), expression };
    }
    const items = cursor.list(() => this.#selectItem());
    return { kind: "list", span: cursor.spanFrom(span.start), items };
  }

  #selectItem(): SelectItem {
    const cursor = this.#cursor;
    const { start } = cursor.token.span;
    const expression = this.expressions.expression();
    const isNamed = cursor.accept("AS");
    const { token } = cursor;
    if (token.kind !== "name" && token.kind !== "string") {
      return isNamed ? cursor.fail() : { span: cursor.spanFrom(start), expression };
    }
    cursor.take();
    const alias = token.kind === "string" ? token.value : token.text;
    return { span: cursor.spanFrom(start), expression, alias };
  }

  /** Reads the sources of FROM; joins are left associative. */
  #source(): FromSource {
    const cursor = this.#cursor;
    const { start } = cursor.token.span;
    let left = this.#singleSource();
    while (cursor.accept("JOIN")) {
      const right = this.#singleSource();
      left = { kind: "join", span: cursor.spanFrom(start), left, right };
    }
    return left;
  }

  #singleSource(): FromSource {
    const cursor = this.#cursor;
    const { start } = cursor.token.span;
    if (cursor.token.kind === "name" && cursor.ahead(1).code === "IN") {
      const alias = cursor.name();
      cursor.expect("IN");
      const isCall = cursor.token.kind === "name" && cursor.ahead(1).code === "(";
      const collection = isCall ? this.#calledCollection() : this.#collection();
      return { kind: "iterate", span: cursor.spanFrom(start), alias, collection };
    }
    const collection = this.#collection();
    const alias = this.#sourceAlias();
    const aliased = alias === undefined ? {} : { alias };
    return { kind: "collection", span: cursor.spanFrom(start), collection, ...aliased };
  }

  /**
   * Reads `IN f(…)` as `IN (SELECT VALUE f(…))`; this form is documented, although the service's
   * grammar does not have it.
   */
  #calledCollection(): Collection {
    const expression = this.expressions.call();
    const { span } = expression;
    const selection: Selection = { kind: "value", span, expression };
    const query: Query = { span, select: { span, isDistinct: false, selection } };
    return { kind: "subquery", span, query };
  }

  #sourceAlias(): string | undefined {
    const isNamed = this.#cursor.accept("AS");
    return isNamed || this.#cursor.token.kind === "name" ? this.#cursor.name() : undefined;
  }

  #collection(): Collection {
    const cursor = this.#cursor;
    const { start } = cursor.token.span;
    if (cursor.accept("(")) {
      const query = this.query();
      cursor.expect(")");
      return { kind: "subquery", span: cursor.spanFrom(start), query };
    }
    const root = cursor.name();
    const steps: (string | number)[] = [];
    while (cursor.isAt(".") || cursor.isAt("[")) steps.push(this.#step());
    return { kind: "path", span: cursor.spanFrom(start), root, steps };
  }

  #step(): string | number {
    const cursor = this.#cursor;
    if (cursor.accept(".")) return cursor.memberName();
    cursor.expect("[");
    const { token } = cursor;
    const step = token.kind === "string" ? token.value : this.#wholeNumber();
    if (token.kind === "string") cursor.take();
    cursor.expect("]");
    return step;
  }

  #groupBy(): Expression[] {
    this.#cursor.expect("GROUP");
    this.#cursor.expect("BY");
    return this.expressions.list();
  }

  /** Reads ORDER BY. `RANK` is an ordinary name unless a function follows it. */
  #orderBy(): OrderBy {
    const cursor = this.#cursor;
    const { start } = cursor.token.span;
    cursor.expect("ORDER");
    cursor.expect("BY");
    if (isContextual(cursor.token, "RANK") && cursor.ahead(1).kind === "name") {
      cursor.take();
      const items = cursor.list(() => this.#orderItem(() => this.expressions.call()));
      return { kind: "rank", span: cursor.spanFrom(start), items };
    }
    const items = cursor.list(() => this.#orderItem(() => this.expressions.expression()));
    return { kind: "items", span: cursor.spanFrom(start), items };
  }

  #orderItem(parse: () => Expression): OrderItem {
    const cursor = this.#cursor;
    const { start } = cursor.token.span;
    const expression = parse();
    if (cursor.accept("ASC")) {
      return { span: cursor.spanFrom(start), expression, direction: "ASC" };
    }
    if (cursor.accept("DESC")) {
      return { span: cursor.spanFrom(start), expression, direction: "DESC" };
    }
    return { span: cursor.spanFrom(start), expression };
  }

  #offsetLimit(): OffsetLimit {
    const cursor = this.#cursor;
    const { start } = cursor.token.span;
    cursor.expect("OFFSET");
    const offset = this.#wholeCount();
    cursor.expect("LIMIT");
    const limit = this.#wholeCount();
    return { span: cursor.spanFrom(start), offset, limit };
  }

  /**
   * Reads the count of OFFSET or LIMIT, which must be written as a whole number. TOP takes a
   * fraction here, and is refused for it later.
   */
  #wholeCount(): Count {
    const { token } = this.#cursor;
    if (token.kind === "number" && !isWhole(token.text)) return this.#cursor.fail();
    return this.#count();
  }

  #count(): Count {
    const { token } = this.#cursor;
    const { span } = token;
    if (token.kind !== "number" && token.kind !== "parameter") return this.#cursor.fail();
    this.#cursor.take();
    return token.kind === "number"
      ? { kind: "number", span, value: token.value }
      : { kind: "parameter", span, name: token.text };
  }

  #wholeNumber(): number {
    const { token } = this.#cursor;
    if (token.kind !== "number" || !isWhole(token.text)) return this.#cursor.fail();
    this.#cursor.take();
    return token.value;
  }
}

/** True for a number that is spelled as a whole one: `1.0` and `1e1` are not. */
const isWhole = (digits: string): boolean => /^(?:[0-9]+|0[xX][0-9A-Fa-f]+)$/.test(digits);
