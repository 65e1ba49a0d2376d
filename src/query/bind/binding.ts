/**
 * What binding a query collects on the way, and how it stops: a `BindProblem` unwinds to
 * `bindProgram`, which alone catches it.
 */
import type { JsonValue } from "../../json/value.ts";
import type { Expression, Span } from "../language/ast.ts";
import type { Diagnostic, QueryProblem } from "../problem.ts";
import { SlotNumbers } from "./scope.ts";
import type { LanguageAt } from "./textLanguage.ts";
import type { Embedding } from "./vectorDistance.ts";

/** What a query may know of the container that it is asked of. */
export interface BindSetting {
  /** Computed properties by name: expressions over the item, which the alias stands for. */
  readonly computed: ReadonlyMap<string, ComputedExpression>;
  /** User-defined functions by name; absent where none can be called. */
  readonly functions?: ReadonlyMap<string, UserFunction> | undefined;
  /** True when unknown names are taken for functions, too, because the query is not run. */
  readonly isAnyFunctionThere?: boolean | undefined;
  /** Returns the language of the text at a path; absent when all texts are in the default one. */
  readonly languageAt?: LanguageAt;
  /**
   * Returns what the container's policy says about the vectors at a path; absent when it says
   * nothing.
   */
  embeddingAt?(segments: readonly string[]): Embedding | undefined;
  /**
   * Values of parameters. Only those that name a step of a path, as in `c[@name]`, are looked at,
   * because the place in the item decides about policies and indexes. A program is good for all
   * values of the other parameters (`BoundProgram.stepNames`).
   */
  readonly parameters?: ReadonlyMap<string, JsonValue> | undefined;
}

/** A user-defined function, by the name that queries call it by. */
export interface UserFunction {
  readonly name: string;
  /** The text of a JavaScript function. */
  readonly body: string;
}

export interface ComputedExpression {
  readonly alias: string;
  readonly expression: Expression;
}

export class Binding {
  readonly slots: SlotNumbers = new SlotNumbers();
  readonly parameterNames: Set<string> = new Set<string>();
  /** Parameters that name a step of a path. */
  readonly stepNames: Set<string> = new Set<string>();
  readonly setting: BindSetting;
  /** SlotNumbers that hold whole items: computed properties are seen only there. */
  readonly itemSlots: Set<number> = new Set<number>();
  /** User-defined functions that the query calls, each once. */
  readonly functions: Set<UserFunction> = new Set<UserFunction>();
  hasComposition = false;

  constructor(setting: BindSetting) {
    this.setting = setting;
  }
}

/**
 * Returns the property that a step of a path names, in its text or by a parameter; else undefined.
 */
export function namedStep(expression: Expression, { setting }: Binding): string | undefined {
  if (expression.kind === "member") return expression.name;
  if (expression.kind !== "index" || expression.index.kind !== "parameter") return undefined;
  const name = setting.parameters?.get(expression.index.name);
  return typeof name === "string" ? name : undefined;
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
