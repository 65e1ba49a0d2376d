/** The verdict on all candidates, as a value: what tables, pages and JSON are made from. */
import type { CompositeIndex } from "../../index/policyIndexes.ts";
import type { Simulation } from "../simulate/simulation.ts";

export type Verdict = "best" | "workable" | "conditional" | "bad";

/** What speaks against a key. The names are part of the JSON output and do not change. */
export type ReasonCode =
  | "low-cardinality"
  /** A logical partition passes 20 GB. */
  | "storage-hot"
  /** A few keys among very many do, late. */
  | "outlier-over-20GB"
  /** A key or a physical partition gets more load than it can be allotted. */
  | "throughput-hot"
  /** The same, because all that is written now has one key. */
  | "current-period-hot"
  | "fan-out"
  /** One item a key, where items are read together. */
  | "hyperfragmentation"
  | "mutable"
  | "tx-scope-broken"
  | "null-concentration"
  | "value-too-long"
  | "not-a-scalar";

export interface Reason {
  readonly code: ReasonCode;
  /** Rules the key out; otherwise it is a condition, or a remark. */
  readonly weight: "against" | "condition" | "remark";
  /** Plain, with its number. */
  readonly sentence: string;
  /** The key value, operation or item that shows it. */
  readonly counterExample: string | undefined;
  /** By name, for programs. */
  readonly figures: Readonly<Record<string, number>>;
}

export interface CandidateAdvice {
  readonly simulation: Simulation;
  readonly expression: string;
  readonly verdict: Verdict;
  readonly rank: number;
  readonly reasons: readonly Reason[];
  /** What speaks for it, in plain sentences with numbers. */
  readonly merits: readonly string[];
  /**
   * Of those that are not bad, no other is as good in cost, skew, fan-out, storage risk and
   * transactions and better in one of them.
   */
  readonly isOnFront: boolean;
  /** Which other surpasses it, and in what; undefined on the front, and of a bad one. */
  readonly surpassed: string | undefined;
  /** Of those that are not bad: why it comes after the best, in a few words. */
  readonly behind: string | undefined;
}

export interface Advice {
  readonly workload: string;
  readonly title: string;
  /** Best first. */
  readonly candidates: readonly CandidateAdvice[];
  /** Undefined: all of them are bad. */
  readonly best: CandidateAdvice | undefined;
  /** The verdict as a few sentences. */
  readonly summary: readonly string[];
  /** "If items were kept for 365 days instead of 30, …" */
  readonly sensitivities: readonly Sensitivity[];
  /** What to measure next, and which figure that would narrow. */
  readonly measureNext: string | undefined;
  /** Two containers, a second key, no change at all: where that is the better answer. */
  readonly alternatives: readonly Alternative[];
  /** What was assumed, and where a source document errs. */
  readonly remarks: readonly string[];
}

export interface Sensitivity {
  readonly change: string;
  /** Undefined: none is left. */
  readonly best: string | undefined;
  readonly sentence: string;
}

export interface Alternative {
  readonly kind:
    | "hot-warm"
    | "second-container"
    | "no-change"
    | "full-key-pattern"
    | "own-keys"
    | "container-per-year"
    | "index";
  readonly sentence: string;
  /** Of an "index": what it would be in the indexing policy. */
  readonly index?: CompositeIndex | undefined;
}
