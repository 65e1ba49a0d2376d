/**
 * Messages between the pool and its threads. Both sides are code of the server, so messages are not
 * checked.
 */
import type { BatchText, OutcomeText } from "./functionCalls.ts";
import type { ScriptReply, ScriptRun } from "./scriptRunner.ts";
import type { ScriptStep, Seed } from "./scriptSession.ts";

export type ToThread =
  | { readonly kind: "run"; readonly script: ScriptRun; readonly seed: Seed }
  | { readonly kind: "replies"; readonly replies: readonly ScriptReply[] }
  | { readonly kind: "functions"; readonly batch: BatchText; readonly seed: Seed };

export type FromThread =
  /** Sent when the sandbox is loaded, and again whenever it is ready for another run. */
  | { readonly kind: "ready" }
  | ScriptStep
  | { readonly kind: "results"; readonly outcome: OutcomeText };
