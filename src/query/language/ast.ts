/**
 * The tree of a query: plain immutable objects, each with the place in the text that it came from.
 *
 * The tree says what was written, not what it means: names are unresolved, parameters have no
 * values, and nothing is folded or reordered. Parentheses leave no trace but the shape of the
 * tree. `printer.ts` turns a tree into text again, `visitor.ts` walks it.
 */

/** UTF-16 offsets into the query text; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Query {
  readonly span: Span;
  readonly select: SelectClause;
  readonly from?: FromSource;
  readonly where?: Expression;
  readonly groupBy?: readonly Expression[];
  readonly orderBy?: OrderBy;
  readonly offsetLimit?: OffsetLimit;
}

export interface SelectClause {
  readonly span: Span;
  readonly isDistinct: boolean;
  readonly top?: Count;
  readonly selection: Selection;
}

export type Selection =
  | { readonly kind: "star"; readonly span: Span }
  | { readonly kind: "value"; readonly span: Span; readonly expression: Expression }
  | { readonly kind: "list"; readonly span: Span; readonly items: readonly SelectItem[] };

export interface SelectItem {
  readonly span: Span;
  readonly expression: Expression;
  readonly alias?: string;
}

/**
 * The count of TOP, OFFSET or LIMIT. Whether it is a whole number is checked when the query is
 * bound.
 */
export type Count = NumberLiteral | Parameter;

export interface OffsetLimit {
  readonly span: Span;
  readonly offset: Count;
  readonly limit: Count;
}

export type FromSource =
  /** `c`, `c AS x`, `c.a.b x`, `(SELECT …) AS x`. */
  | {
      readonly kind: "collection";
      readonly span: Span;
      readonly collection: Collection;
      readonly alias?: string;
    }
  /** `x IN c.list`. */
  | {
      readonly kind: "iterate";
      readonly span: Span;
      readonly alias: string;
      readonly collection: Collection;
    }
  | {
      readonly kind: "join";
      readonly span: Span;
      readonly left: FromSource;
      readonly right: FromSource;
    };

export type Collection =
  | {
      readonly kind: "path";
      readonly span: Span;
      readonly root: string;
      /** Names and whole numbers. */
      readonly steps: readonly (string | number)[];
    }
  | { readonly kind: "subquery"; readonly span: Span; readonly query: Query };

export type OrderBy =
  | { readonly kind: "items"; readonly span: Span; readonly items: readonly OrderItem[] }
  /** `ORDER BY RANK FullTextScore(…)`. */
  | { readonly kind: "rank"; readonly span: Span; readonly items: readonly OrderItem[] };

export interface OrderItem {
  readonly span: Span;
  readonly expression: Expression;
  /** Absent when no direction was written, which means ascending, except for distances. */
  readonly direction?: "ASC" | "DESC";
}

export type Expression =
  | NumberLiteral
  | StringLiteral
  | WordLiteral
  | Parameter
  | Identifier
  | Member
  | Index
  | ArrayLiteral
  | ObjectLiteral
  | Unary
  | Binary
  | Conditional
  | Between
  | InList
  | Like
  | Call
  | Subquery
  | Let;

export interface NumberLiteral {
  readonly kind: "number";
  readonly span: Span;
  readonly value: number;
}

export interface StringLiteral {
  readonly kind: "string";
  readonly span: Span;
  readonly value: string;
}

/** `true`, `false`, `null`, `undefined`. */
export interface WordLiteral {
  readonly kind: "word";
  readonly span: Span;
  readonly value: true | false | null | undefined;
}

export interface Parameter {
  readonly kind: "parameter";
  readonly span: Span;
  /** The name with its `@`. */
  readonly name: string;
}

export interface Identifier {
  readonly kind: "identifier";
  readonly span: Span;
  readonly name: string;
}

/** `object.name`, and `object["name"]` with a literal. */
interface Member {
  readonly kind: "member";
  readonly span: Span;
  readonly object: Expression;
  readonly name: string;
}

/** `object[index]` where the index is anything but a string literal. */
interface Index {
  readonly kind: "index";
  readonly span: Span;
  readonly object: Expression;
  readonly index: Expression;
}

export interface ArrayLiteral {
  readonly kind: "array";
  readonly span: Span;
  readonly elements: readonly Expression[];
}

export interface ObjectLiteral {
  readonly kind: "object";
  readonly span: Span;
  readonly members: readonly ObjectMember[];
}

export interface ObjectMember {
  readonly span: Span;
  readonly name: string;
  readonly value: Expression;
}

export type UnaryOperator = "-" | "+" | "~" | "NOT";

export interface Unary {
  readonly kind: "unary";
  readonly span: Span;
  readonly operator: UnaryOperator;
  readonly operand: Expression;
}

/** `<>` is read as `!=`. */
export type BinaryOperator =
  | "AND"
  | "OR"
  | "="
  | "!="
  | "<"
  | "<="
  | ">"
  | ">="
  | "+"
  | "-"
  | "*"
  | "/"
  | "%"
  | "&"
  | "|"
  | "^"
  | "<<"
  | ">>"
  | ">>>"
  | "||"
  | "??";

export interface Binary {
  readonly kind: "binary";
  readonly span: Span;
  readonly operator: BinaryOperator;
  readonly left: Expression;
  readonly right: Expression;
}

/** `condition ? then : otherwise`. */
interface Conditional {
  readonly kind: "conditional";
  readonly span: Span;
  readonly condition: Expression;
  readonly whenTrue: Expression;
  readonly otherwise: Expression;
}

interface Between {
  readonly kind: "between";
  readonly span: Span;
  readonly isNegated: boolean;
  readonly operand: Expression;
  readonly low: Expression;
  readonly high: Expression;
}

export interface InList {
  readonly kind: "in";
  readonly span: Span;
  readonly isNegated: boolean;
  readonly needle: Expression;
  readonly list: readonly Expression[];
}

export interface Like {
  readonly kind: "like";
  readonly span: Span;
  readonly isNegated: boolean;
  readonly text: Expression;
  readonly pattern: Expression;
  /** One character, as checked by the parser. */
  readonly escape?: string;
}

export interface Call {
  readonly kind: "call";
  readonly span: Span;
  /** The name as written. */
  readonly name: string;
  readonly nameSpan: Span;
  readonly isUdf: boolean;
  readonly args: readonly Expression[];
}

export type SubqueryForm = "scalar" | "exists" | "array" | "all" | "first" | "last";

export interface Subquery {
  readonly kind: "subquery";
  readonly span: Span;
  readonly form: SubqueryForm;
  readonly query: Query;
}

/** `(LET name = value IN body)`. */
interface Let {
  readonly kind: "let";
  readonly span: Span;
  readonly name: string;
  readonly value: Expression;
  readonly body: Expression;
}
