/**
 * What binding a query collects on the way, and how it stops: a problem unwinds to `bindProgram`,
 * which is the only one to catch it.
 */
import type { JsonValue } from "../../json/value.ts";
import type { Expression, Span } from "../language/ast.ts";
import type { Diagnostic, QueryProblem } from "../problem.ts";
import { Slots } from "./scope.ts";

/** What a query may know of the container it is asked of. */
export interface BindSetting {
  /** By name: expressions over the item, which its alias stands for. */
  readonly computed: ReadonlyMap<string, ComputedExpression>;
}

export interface ComputedExpression {
  readonly alias: string;
  readonly expression: Expression;
}

export class Binding {
  readonly slots: Slots = new Slots();
  readonly parameterNames: Set<string> = new Set<string>();
  readonly setting: BindSetting;
  /** Slots that hold whole items: only there computed properties are seen. */
  readonly itemSlots: Set<number> = new Set<number>();
  hasComposition = false;
  udfCount = 0;

  constructor(setting: BindSetting) {
    this.setting = setting;
  }
}

export class BindProblem extends Error {
  readonly problem: QueryProblem;

  constructor(problem: QueryProblem) {
    super("the query cannot be bound");
    this.problem = problem;
  }
}

export function failAt(code: string, message: string, { start, end }: Span): never {
  const diagnostics: Diagnostic[] = [{ code, message, location: { start, end } }];
  throw new BindProblem({ kind: "diagnostics", diagnostics });
}

export function fail(message: string): never {
  throw new BindProblem({ kind: "refused", message });
}

export type Parameters = ReadonlyMap<string, JsonValue>;
