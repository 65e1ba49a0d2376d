/**
 * What is wrong with a query: the diagnostics that a client is shown, with the service's codes and
 * the place in the text. A value; how it looks on the wire is `protocol`'s business.
 */
import type { QueryDiagnostic } from "../model/refusal.ts";
import type { Span } from "./language/ast.ts";

export type Diagnostic = QueryDiagnostic;

export type QueryProblem =
  /** The text is not a query, or one that makes no sense. Never empty. */
  | { readonly kind: "diagnostics"; readonly diagnostics: readonly Diagnostic[] }
  /** Well-formed, but refused; the service gives these no place in the text. */
  | {
      readonly kind: "refused";
      readonly message: string;
      /** The functions that it calls took too long, or were stopped because the server ends. */
      readonly cause?: "outOfTime" | "stopped" | undefined;
      /** What one of them gave the error that it threw. */
      readonly errorNumber?: number | undefined;
    };

export function diagnostic(code: string, message: string, { start, end }: Span): QueryProblem {
  return { kind: "diagnostics", diagnostics: [{ code, message, location: { start, end } }] };
}

export const syntaxError = (token: string, span: Span): QueryProblem =>
  diagnostic("SC1001", `Syntax error, incorrect syntax near '${token}'.`, span);

export const refusedQuery = (message: string): QueryProblem => ({ kind: "refused", message });
