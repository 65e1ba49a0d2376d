/**
 * A job is work in the background that goes step by step. Each step says what comes after it; who
 * takes the steps, and when, is `backgroundWork.ts`.
 *
 * A job may be left after any step, and even in the middle of one by a crash. Whatever has to go on
 * after the next opening therefore follows from what is stored: from a record of the job
 * (`jobBook.ts`), or from the record of what the job is about.
 */
import type { Refusal } from "../../model/refusal.ts";
import type { Fenced, StoreFault } from "../../store/partitionStore.ts";
import type { InTurn } from "./turns.ts";

/** What comes after a step. */
export type JobStep<T> =
  /** Nothing: the job has come to its end. */
  | { readonly kind: "done"; readonly value: T }
  /** Nothing: the job cannot be done. */
  | { readonly kind: "refused"; readonly refusal: Refusal }
  /** The next step, as soon as others have had their turn. */
  | { readonly kind: "again" }
  /** The next step after a pause, because something is in the way. */
  | { readonly kind: "waits" };

export const AGAIN = { kind: "again" } as const;
export const WAITS = { kind: "waits" } as const;
export const DONE = { kind: "done", value: undefined } as const;

export interface Job<T> {
  /** A step that takes long asks `isStopped` now and then, and returns soon once that says yes. */
  step(isStopped: () => boolean): Promise<JobStep<T>>;
  /** Jobs that share a row take their steps one at a time; one that pauses lets the others go. */
  readonly inTurn?: InTurn | undefined;
  /** Whether somebody waits for the end: a failing store is told, and not waited out. */
  readonly isAwaited?: boolean | undefined;
}

/** What became of a job. */
export type JobEnd<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  /** The server closes, or the store failed, which `failure` tells; the next opening goes on. */
  | { readonly kind: "left"; readonly failure?: StoreFault | Fenced | undefined };

/** What somebody is told whose job was left. */
export function leftRefusal(failure: StoreFault | Fenced | undefined): Refusal {
  return { kind: "unavailable", message: failure?.message ?? "The server is closing." };
}
