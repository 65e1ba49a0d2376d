/**
 * Parses expressions, with the precedence of the service. From loose to tight: `? :`, `??`, then
 * `LEVELS`, then the unary operators, `NOT` among them, then member access.
 *
 * Chains of operators are read in loops, and so are the parentheses that programs put around every
 * link of a chain, `(((a OR b) OR c) OR d)`: only other nesting takes stack, and as little as
 * possible. How large a tree may become is checked afterwards (`queryLimits.ts`).
 */
import type {
  ArrayLiteral,
  Binary,
  BinaryOperator,
  Call,
  Expression,
  ObjectLiteral,
  ObjectMember,
  Query,
  Span,
  SubqueryForm,
  UnaryOperator,
} from "./ast.ts";
import { isContextual, type Token } from "./token.ts";
import type { TokenCursor } from "./tokenCursor.ts";

/** Levels of binary operators; higher binds tighter. Shifts stand with `=`, bits with `+`. */
const LEVELS: ReadonlyMap<string, readonly [level: number, operator: BinaryOperator]> = new Map([
  ...level(1, ["OR"]),
  ...level(2, ["AND"]),
  ...level(4, ["=", "!=", "<", "<=", ">", ">=", "<<", ">>", ">>>"]),
  ["<>", [4, "!="]],
  ...level(5, ["||"]),
  ...level(6, ["+", "-", "&", "|", "^"]),
  ...level(7, ["*", "/", "%"]),
]);

const LOOSEST = 1;
/** The level of `BETWEEN`, `IN`, `LIKE`; neither each other nor tighter operators follow. */
const MEMBERSHIP = 3;
const COMPARISON = 4;

const UNARY: ReadonlySet<string> = new Set<UnaryOperator>(["-", "+", "~", "NOT"]);

/** Words that are reserved, but are functions when called. */
const CALLABLE: ReadonlySet<string> = new Set(["LEFT", "RIGHT"]);

const WORDS: ReadonlyMap<string, true | false | null | undefined> = new Map([
  ["TRUE", true],
  ["FALSE", false],
  ["NULL", null],
  ["UNDEFINED", undefined],
]);

/** Numbers that are written as words, in exactly this case. */
const NUMBER_WORDS: ReadonlyMap<string, number> = new Map([
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
]);

const SUBQUERY_FORMS: ReadonlyMap<string, SubqueryForm> = new Map([
  ["EXISTS", "exists"],
  ["ARRAY", "array"],
  ["ALL", "all"],
  ["FIRST", "first"],
  ["LAST", "last"],
]);

export class ExpressionParser {
  readonly #cursor: TokenCursor;
  readonly #parseQuery: () => Query;
  /**
   * The expression in the parentheses just closed, which is the first operand of what comes next.
   */
  #closed: { readonly start: number; readonly expression: Expression } | undefined;

  /** `parseQuery` reads a query inside an expression; this file does not know how. */
  constructor(cursor: TokenCursor, parseQuery: () => Query) {
    this.#cursor = cursor;
    this.#parseQuery = parseQuery;
  }

  expression(): Expression {
    const start = this.#start();
    const condition = this.#coalesce();
    if (!this.#cursor.accept("?")) return condition;
    this.#cursor.enter();
    const whenTrue = this.expression();
    this.#cursor.expect(":");
    const otherwise = this.expression();
    this.#cursor.leave();
    const span = this.#cursor.spanFrom(start);
    return { kind: "conditional", span, condition, whenTrue, otherwise };
  }

  /**
   * Reads one or more expressions, with the loop of `TokenCursor.list` repeated to use less stack.
   */
  list(): Expression[] {
    const found = [this.expression()];
    while (this.#cursor.accept(",")) found.push(this.expression());
    return found;
  }

  /** Reads `name(…)` or `udf.name(…)`, and nothing else. */
  call(): Call {
    const cursor = this.#cursor;
    const { start } = cursor.token.span;
    const isUdf = cursor.accept("UDF");
    if (isUdf) cursor.expect(".");
    const nameSpan = cursor.token.span;
    const name = isUdf ? cursor.memberName() : this.#functionName();
    cursor.expect("(");
    const args = cursor.isAt(")") ? [] : this.list();
    cursor.expect(")");
    return { kind: "call", span: cursor.spanFrom(start), name, nameSpan, isUdf, args };
  }

  #functionName(): string {
    return CALLABLE.has(this.#cursor.token.code) ? this.#cursor.take().text : this.#cursor.name();
  }

  #start(): number {
    return this.#closed?.start ?? this.#cursor.token.span.start;
  }

  /**
   * Reads a chain of `??`, which is right associative: operands are read from the left and put
   * together from the right.
   */
  #coalesce(): Expression {
    const operands: { readonly start: number; readonly left: Expression }[] = [];
    for (;;) {
      const start = this.#start();
      const operand = this.#operators(LOOSEST);
      if (!this.#cursor.accept("??")) {
        return operands.reduceRight(
          (right, { start, left }) => this.#joined(start, "??", left, right),
          operand,
        );
      }
      operands.push({ start, left: operand });
    }
  }

  /** Reads operators of this level and tighter ones, each level left associative. */
  #operators(levelMin: number): Expression {
    const cursor = this.#cursor;
    cursor.enter();
    const start = this.#start();
    let left = this.#unary();
    let levelMax = Number.POSITIVE_INFINITY;
    for (;;) {
      const [found, operator] = LEVELS.get(cursor.token.code) ?? [0, "="];
      if (found >= levelMin && found <= levelMax) {
        cursor.take();
        left = this.#joined(start, operator, left, this.#operators(found + 1));
        continue;
      }
      const mayBeMember = levelMin <= MEMBERSHIP && levelMax > MEMBERSHIP;
      const member = mayBeMember ? this.#membership(start, left) : undefined;
      if (member === undefined) break;
      left = member;
      levelMax = MEMBERSHIP - 1;
    }
    cursor.leave();
    return left;
  }

  /**
   * Reads BETWEEN, IN or LIKE; undefined if none of them comes next. A `BETWEEN` may stand beside
   * `AND` without parentheses here, which the service's grammar refuses.
   */
  #membership(start: number, subject: Expression): Expression | undefined {
    const cursor = this.#cursor;
    const isNegated = cursor.accept("NOT");
    if (cursor.accept("BETWEEN")) {
      const low = this.#operators(COMPARISON);
      cursor.expect("AND");
      const high = this.#operators(COMPARISON);
      const span = cursor.spanFrom(start);
      return { kind: "between", span, isNegated, operand: subject, low, high };
    }
    if (cursor.accept("IN")) {
      cursor.expect("(");
      const list = this.list();
      cursor.expect(")");
      return { kind: "in", span: cursor.spanFrom(start), isNegated, needle: subject, list };
    }
    if (cursor.accept("LIKE")) {
      const pattern = this.#operators(COMPARISON);
      const escaping = cursor.accept("ESCAPE") ? { escape: this.#escapeCharacter() } : {};
      const span = cursor.spanFrom(start);
      return { kind: "like", span, isNegated, text: subject, pattern, ...escaping };
    }
    return isNegated ? cursor.fail() : undefined;
  }

  #escapeCharacter(): string {
    const { token } = this.#cursor;
    if (token.kind !== "string" || token.value.length !== 1) return this.#cursor.fail();
    this.#cursor.take();
    return token.value;
  }

  #joined(start: number, operator: BinaryOperator, left: Expression, right: Expression): Binary {
    return { kind: "binary", span: this.#cursor.spanFrom(start), operator, left, right };
  }

  #unary(): Expression {
    const operators: Token[] = [];
    // After an operand in parentheses, a minus is an operator and no sign.
    const mayBeSigned = this.#closed === undefined;
    while (mayBeSigned && UNARY.has(this.#cursor.token.code)) operators.push(this.#cursor.take());
    let operand = this.#postfix();
    for (const { code, span } of operators.reverse()) {
      const operator = code as UnaryOperator;
      operand = { kind: "unary", span: this.#cursor.spanFrom(span.start), operator, operand };
    }
    return operand;
  }

  #postfix(): Expression {
    const cursor = this.#cursor;
    const start = this.#start();
    let object = this.#primary();
    for (;;) {
      if (cursor.accept(".")) {
        const name = cursor.memberName();
        object = { kind: "member", span: cursor.spanFrom(start), object, name };
      } else if (cursor.accept("[")) {
        const index = this.expression();
        cursor.expect("]");
        const span = cursor.spanFrom(start);
        object =
          index.kind === "string"
            ? { kind: "member", span, object, name: index.value }
            : { kind: "index", span, object, index };
      } else {
        return object;
      }
    }
  }

  #primary(): Expression {
    const closed = this.#closed;
    if (closed !== undefined) {
      this.#closed = undefined;
      return closed.expression;
    }
    const { token } = this.#cursor;
    const { span } = token;
    switch (token.kind) {
      case "number":
        this.#cursor.take();
        return { kind: "number", span, value: token.value };
      case "string":
        this.#cursor.take();
        return { kind: "string", span, value: token.value };
      case "parameter":
        this.#cursor.take();
        return { kind: "parameter", span, name: token.text };
      case "name":
        return this.#named(token);
      case "reserved":
        return this.#reserved(token);
      case "symbol":
        return this.#bracketed(token);
      default:
        return this.#cursor.fail();
    }
  }

  #named({ span, text }: Token): Expression {
    if (this.#cursor.ahead(1).code === "(") {
      const form = SUBQUERY_FORMS.get(text.toUpperCase());
      const isSubquery = form !== undefined && this.#cursor.ahead(2).code === "SELECT";
      return isSubquery ? this.#subquery(form) : this.call();
    }
    this.#cursor.take();
    const value = NUMBER_WORDS.get(text);
    if (value !== undefined) return { kind: "number", span, value };
    return { kind: "identifier", span, name: text };
  }

  #reserved({ span, code }: Token): Expression {
    const form = SUBQUERY_FORMS.get(code);
    if (form !== undefined) return this.#subquery(form);
    if (code === "UDF" || (CALLABLE.has(code) && this.#cursor.ahead(1).code === "(")) {
      return this.call();
    }
    if (!WORDS.has(code)) return this.#cursor.fail();
    this.#cursor.take();
    return { kind: "word", span, value: WORDS.get(code) };
  }

  #subquery(form: SubqueryForm): Expression {
    const { start } = this.#cursor.take().span;
    this.#cursor.expect("(");
    const query = this.#parseQuery();
    this.#cursor.expect(")");
    return { kind: "subquery", span: this.#cursor.spanFrom(start), form, query };
  }

  #bracketed({ code }: Token): Expression {
    if (code === "[") return this.#array();
    if (code === "{") return this.#object();
    if (code === "(") return this.#parenthesised();
    return this.#cursor.fail();
  }

  #array(): ArrayLiteral {
    const cursor = this.#cursor;
    const { start } = cursor.take().span;
    const elements = cursor.isAt("]") ? [] : this.list();
    cursor.expect("]");
    return { kind: "array", span: cursor.spanFrom(start), elements };
  }

  #object(): ObjectLiteral {
    const cursor = this.#cursor;
    const { start } = cursor.take().span;
    const members = cursor.isAt("}") ? [] : cursor.list(() => this.#objectMember());
    cursor.expect("}");
    return { kind: "object", span: cursor.spanFrom(start), members };
  }

  #objectMember(): ObjectMember {
    const cursor = this.#cursor;
    const { token } = cursor;
    const name = token.kind === "string" ? token.value : token.text;
    if (token.kind !== "string" && token.kind !== "name") return cursor.fail();
    cursor.take();
    cursor.expect(":");
    const value = this.expression();
    return { span: cursor.spanFrom(token.span.start), name, value };
  }

  #parenthesised(): Expression {
    const cursor = this.#cursor;
    const { start } = cursor.token.span;
    if (this.#isAtLet()) return this.#let(start);
    if (cursor.ahead(1).code !== "SELECT") return this.#grouped();
    cursor.take();
    const query = this.#parseQuery();
    cursor.expect(")");
    return { kind: "subquery", span: cursor.spanFrom(start), form: "scalar", query };
  }

  #isAtLet(): boolean {
    return isContextual(this.#cursor.ahead(1), "LET") && this.#cursor.ahead(2).kind === "name";
  }

  /**
   * Reads all parentheses that open here in one loop: the expression in each pair begins what the
   * pair around it holds.
   */
  #grouped(): Expression {
    const cursor = this.#cursor;
    const starts: number[] = [];
    while (cursor.isAt("(") && cursor.ahead(1).code !== "SELECT" && !this.#isAtLet()) {
      starts.push(cursor.take().span.start);
    }
    let expression = this.expression();
    cursor.expect(")");
    for (let start = starts.pop()!; starts.length > 0; start = starts.pop()!) {
      this.#closed = { start, expression };
      expression = this.expression();
      cursor.expect(")");
    }
    return expression;
  }

  #let(start: number): Expression {
    const cursor = this.#cursor;
    cursor.expect("(");
    cursor.take();
    const name = cursor.name();
    cursor.expect("=");
    const value = this.#operators(COMPARISON);
    cursor.expect("IN");
    const body = this.#operators(COMPARISON);
    cursor.expect(")");
    const span: Span = cursor.spanFrom(start);
    return { kind: "let", span, name, value, body };
  }
}

function level(
  tightness: number,
  operators: readonly BinaryOperator[],
): [string, readonly [number, BinaryOperator]][] {
  return operators.map((operator) => [operator, [tightness, operator]]);
}
