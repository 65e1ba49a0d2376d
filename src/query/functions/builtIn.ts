/**
 * What a built-in function is to the query engine: a name, how many arguments it takes, and a pure
 * function of their values. `undefined` is the language's own undefined, a missing value.
 *
 * The registry (`registry.ts`) finds a function by its name in any case. Aggregates are not here:
 * they take in many rows (`evaluate/aggregates.ts`).
 */
import type { JsonValue } from "../../json/value.ts";

export type Value = JsonValue | undefined;

/** What a function may know besides its arguments. One context lives as long as one page. */
export interface CallContext {
  /** Wall-clock milliseconds, now. */
  wallNow(): number;
  /** Wall-clock milliseconds at the start of the query, the same for all of its rows. */
  readonly startedAt: number;
  /** Returns a number from 0 up to, but without, 1. */
  random(): number;
  /** Whether geometries lie on the globe or on a plane: a setting of the container. */
  readonly geometry: "Geography" | "Geometry";
  /** Keeps what is costly to make from an argument and needed again: compiled patterns. */
  memo<T>(kind: string, key: string, make: () => T): T;
}

export interface BuiltIn {
  /** The name in capitals, as diagnostics write it. */
  readonly name: string;
  readonly argMin: number;
  /** Infinity when there is no limit. */
  readonly argMax: number;
  /**
   * False when two calls with the same arguments may differ; the index is never asked about such a
   * function.
   */
  readonly isPure: boolean;
  /** True when the language of the text is one more argument, the last one, which binding adds. */
  readonly takesLanguage?: true;
  readonly call: (args: readonly Value[], context: CallContext) => Value;
}
