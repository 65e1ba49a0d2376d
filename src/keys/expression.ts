/**
 * The tree of a key expression: how the partition key of an item is made from its properties.
 *
 * The text form, which users write, is printed and parsed in `expressionText.ts`:
 *
 *   /tenantId                                    a property as it is
 *   concat(/deviceId, '-', month(/ts))           properties and texts, one after the other
 *   month(/ts)                                   the period a time lies in (UTC)
 *   hash(/id) % 20                               a stable number from 0 to 19
 *   suffix(/date, hash(/vin), 400)               /date, a dot, and a number from 1 to 400
 *   suffix(/date, random(), 400), suffix(/date, turn(), 400)
 *   random(50), turn(50)                         a number by chance, or each in its turn
 *   choose(/source, ['a', 'b'], month(/ts), quarter(/ts))   finer periods for some values
 *   lower(/name)
 *   coalesce(/accountId, concat('none-', /id))   the first that has a value
 *
 * A tree is data and nothing else: what an item's key is, which keys a reader has to visit, and the
 * code for an application are functions over it.
 */
export type TimeGrain = "hour" | "day" | "week" | "month" | "quarter" | "year";

export const TIME_GRAINS: readonly TimeGrain[] = [
  "hour",
  "day",
  "week",
  "month",
  "quarter",
  "year",
];

export interface PathPart {
  readonly kind: "path";
  /** The names on the way to the property, at least one. */
  readonly steps: readonly string[];
}

interface TextPart {
  readonly kind: "text";
  readonly text: string;
}

/** Only one `period` or `path` of a time varies with time; everything else is of the item. */
export interface PeriodPart {
  readonly kind: "period";
  readonly grain: TimeGrain;
  readonly of: PathPart;
}

interface ConcatPart {
  readonly kind: "concat";
  readonly parts: readonly KeyExpression[];
}

/** A stable hash, from 0 to `count` - 1, in decimal digits. */
export interface HashPart {
  readonly kind: "hash";
  readonly of: KeyExpression;
  readonly count: number;
}

/** A number from 0 to `count` - 1 that does not depend on the item. */
export interface SpreadPart {
  readonly kind: "random" | "turn";
  readonly count: number;
}

/** `base`, a dot, and a number from 1 to `count`. */
export interface SuffixPart {
  readonly kind: "suffix";
  readonly base: KeyExpression;
  /** What the number is calculated from, or how it is picked. */
  readonly by: { readonly hashOf: KeyExpression } | "random" | "turn";
  readonly count: number;
}

/** One expression for items whose `of` is among the values, another for all others. */
export interface ChoosePart {
  readonly kind: "choose";
  readonly of: PathPart;
  readonly values: readonly string[];
  readonly chosen: KeyExpression;
  readonly otherwise: KeyExpression;
}

interface LowerPart {
  readonly kind: "lower";
  readonly of: KeyExpression;
}

/** The first of them that has a value: null and missing are none. */
export interface CoalescePart {
  readonly kind: "coalesce";
  /** Two or more. */
  readonly parts: readonly KeyExpression[];
}

export type KeyExpression =
  | PathPart
  | TextPart
  | PeriodPart
  | ConcatPart
  | HashPart
  | SpreadPart
  | SuffixPart
  | ChoosePart
  | LowerPart
  | CoalescePart;

/** The levels of a partition key: one, or two or three of a hierarchical one. */
export type KeyLevels = readonly KeyExpression[];
