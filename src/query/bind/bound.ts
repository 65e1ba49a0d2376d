/**
 * A bound query: the tree after names, functions and aggregates have been looked up. Every name has
 * become a *slot*, a place in one flat array that a row fills: sources, `LET` names, group keys and
 * aggregates all have slots, those of subqueries too. Parameters have no values yet.
 */

import type { BuiltIn, Value } from "../functions/builtIn.ts";
import type { BinaryOperator, Span, SubqueryForm, UnaryOperator } from "../language/ast.ts";
import type { UserFunction } from "./binding.ts";

export type Bound =
  | { readonly kind: "constant"; readonly value: Value }
  | { readonly kind: "parameter"; readonly name: string }
  | { readonly kind: "slot"; readonly slot: number }
  | { readonly kind: "member"; readonly object: Bound; readonly name: string }
  | { readonly kind: "index"; readonly object: Bound; readonly index: Bound }
  | { readonly kind: "array"; readonly elements: readonly Bound[] }
  | { readonly kind: "object"; readonly members: readonly BoundMember[] }
  | { readonly kind: "unary"; readonly operator: UnaryOperator; readonly operand: Bound }
  | {
      readonly kind: "binary";
      readonly operator: BinaryOperator;
      readonly left: Bound;
      readonly right: Bound;
    }
  | {
      readonly kind: "conditional";
      readonly condition: Bound;
      readonly whenTrue: Bound;
      readonly otherwise: Bound;
    }
  | {
      readonly kind: "between";
      readonly isNegated: boolean;
      readonly operand: Bound;
      readonly low: Bound;
      readonly high: Bound;
    }
  | {
      readonly kind: "in";
      readonly isNegated: boolean;
      readonly needle: Bound;
      readonly list: readonly Bound[];
    }
  | {
      readonly kind: "like";
      readonly isNegated: boolean;
      readonly text: Bound;
      readonly pattern: Bound;
      readonly escape: string | undefined;
    }
  | { readonly kind: "call"; readonly builtIn: BuiltIn; readonly args: readonly Bound[] }
  /** A call of a user-defined function; `function` is its index in `BoundProgram.functions`. */
  | { readonly kind: "userCall"; readonly function: number; readonly args: readonly Bound[] }
  | { readonly kind: "subquery"; readonly form: SubqueryForm; readonly query: BoundQuery }
  | { readonly kind: "let"; readonly slot: number; readonly value: Bound; readonly body: Bound };

export interface BoundMember {
  readonly name: string;
  readonly value: Bound;
}

export type AggregateName =
  | "COUNT"
  | "SUM"
  | "AVG"
  | "MIN"
  | "MAX"
  | "COUNTIF"
  | "MAKELIST"
  | "MAKESET";

export interface BoundAggregate {
  readonly name: AggregateName;
  readonly argument: Bound;
  /** The slot that has the aggregate's value when the row is projected. */
  readonly slot: number;
}

export type BoundSource =
  /** Every item of the container; only ever the first source. */
  | { readonly kind: "items"; readonly slot: number }
  /** One row when the value is defined, none otherwise. */
  | { readonly kind: "value"; readonly slot: number; readonly value: Bound }
  /** A row for each element of an array; none when the value is no array. */
  | { readonly kind: "elements"; readonly slot: number; readonly value: Bound }
  /** A row for each row of the subquery. */
  | { readonly kind: "rows"; readonly slot: number; readonly query: BoundQuery };

export interface BoundOrder {
  readonly expression: Bound;
  readonly isDescending: boolean;
  /** True for a computed property: it is written as a path, but is not stored. */
  readonly isComputed: boolean;
}

/** What rows are ranked by: a score for each component, the best rows first. */
export interface BoundRank {
  readonly components: readonly RankComponent[];
  /** A number for each component; absent when all count alike. */
  readonly weights: Bound | undefined;
}

export type RankComponent =
  | {
      readonly kind: "text";
      readonly text: Bound;
      /** Each expression gives a term, or a list of terms. */
      readonly terms: readonly Bound[];
      readonly language: Bound;
    }
  | { readonly kind: "vector"; readonly distance: Bound; readonly isLargerBetter: boolean };

export type BoundSelection =
  | { readonly kind: "value"; readonly expression: Bound }
  | { readonly kind: "list"; readonly members: readonly BoundMember[] };

/** A number of rows, as a number or the name of a parameter. */
export type BoundCount =
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "parameter"; readonly name: string; readonly span: Span };

export interface BoundQuery {
  readonly sources: readonly BoundSource[];
  readonly where: Bound | undefined;
  /** Absent when the query has no GROUP BY; never empty. */
  readonly groupBy: readonly { readonly expression: Bound; readonly slot: number }[] | undefined;
  readonly aggregates: readonly BoundAggregate[];
  readonly orderBy: readonly BoundOrder[];
  /** Absent when rows are not ranked; a ranked query has no other order. */
  readonly rank?: BoundRank | undefined;
  readonly selection: BoundSelection;
  /** True for `SELECT *`: the selection is the item as it is stored. */
  readonly isStar: boolean;
  readonly isDistinct: boolean;
  readonly top: BoundCount | undefined;
  readonly offset: BoundCount | undefined;
  readonly limit: BoundCount | undefined;
}

/** The outermost query, and what holds for all of it. */
export interface BoundProgram {
  readonly query: BoundQuery;
  readonly slotCount: number;
  /** Every parameter that the text names. */
  readonly parameterNames: readonly string[];
  /**
   * Parameters that name steps of paths: the program is good only for the values that these had
   * when it was bound.
   */
  readonly stepNames: readonly string[];
  /** Every user-defined function that the program calls. */
  readonly functions: readonly UserFunction[];
  /**
   * True when an aggregate is part of a larger expression; the service computes such expressions
   * only within one physical partition.
   */
  readonly hasComposition: boolean;
}

/**
 * True when rows are collapsed into groups or aggregates, so that there is no longer a row per
 * item.
 */
export function isGrouped(query: BoundQuery): boolean {
  return query.groupBy !== undefined || query.aggregates.length > 0;
}
