/**
 * What is wrong with a query: the diagnostics that a client is shown, with the service's codes and
 * the place in the text. A problem is a value; `protocol` decides its form on the wire.
 */
import type { QueryDiagnostic } from "../model/refusal.ts";
import type { Span } from "./language/ast.ts";

export type Diagnostic = QueryDiagnostic;

export type QueryProblem =
  /** The text is not a query, or one that makes no sense. There is at least one diagnostic. */
  | { readonly kind: "diagnostics"; readonly diagnostics: readonly Diagnostic[] }
  /** The query is well-formed, but refused; the service gives no place in the text for that. */
  | {
      readonly kind: "refused";
      readonly message: string;
      /** Set when functions of the query took too long, or were stopped because the server ends. */
      readonly cause?: "outOfTime" | "stopped" | undefined;
      /** The number that a function gave to the error it threw. */
      readonly errorNumber?: number | undefined;
    };

export function diagnostic(code: string, message: string, { start, end }: Span): QueryProblem {
  return { kind: "diagnostics", diagnostics: [{ code, message, location: { start, end } }] };
}

export const syntaxError = (token: string, span: Span): QueryProblem =>
  diagnostic("SC1001", `Syntax error, incorrect syntax near '${token}'.`, span);

export const refusedQuery = (message: string): QueryProblem => ({ kind: "refused", message });
