/**
 * What a built-in function is to the query engine: a name, how many arguments it takes, and a pure
 * function of their values. `undefined` is the language's own undefined, a missing value.
 *
 * The registry (`registry.ts`) finds one by name in any case. Aggregates are not here: they are a
 * matter of many rows (`execute/aggregates.ts`).
 */
import type { JsonValue } from "../../json/value.ts";

export type Value = JsonValue | undefined;

/** What a function may know besides its arguments. One context lives as long as one page. */
export interface CallContext {
  /** Wall-clock milliseconds, now. */
  wallNow(): number;
  /** The same for the whole query. */
  readonly startedAt: number;
  /** From 0 to below 1. */
  random(): number;
  /** Planar or on the globe: a setting of the container. */
  readonly geometry: "Geography" | "Geometry";
  /** For what is costly to make from an argument and needed again: compiled patterns. */
  memo<T>(kind: string, key: string, make: () => T): T;
}

export interface BuiltIn {
  /** In capitals, as diagnostics name it. */
  readonly name: string;
  readonly argMin: number;
  /** Infinity when there is no limit. */
  readonly argMax: number;
  /** False when two calls with the same arguments may differ: it is never used on an index. */
  readonly isPure: boolean;
  /** The language of the text it reads is one argument more, the last, which binding adds. */
  readonly takesLanguage?: true;
  readonly call: (args: readonly Value[], context: CallContext) => Value;
}
