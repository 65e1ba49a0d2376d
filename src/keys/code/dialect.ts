/**
 * From an expression to code, for any language: one walk that makes the text of a key from given
 * values, and one that makes the list of keys a reader visits. A `Dialect` has the words.
 */
import type { ChoosePart, KeyExpression, PathPart, TimeGrain } from "../expression.ts";
import { pathsOf, pathText, periodsIn, visitParts } from "../paths.ts";
import { type CodeInput, type CodePlan, neededPaths, textPaths } from "./codePlan.ts";

/** Pieces of code; every argument that is not a number or a name is code itself. */
export interface Dialect {
  quote(text: string): string;
  joined(parts: readonly string[]): string;
  bucket(text: string, count: number, first: number): string;
  drawn(kind: "random" | "turn", count: number, first: number): string;
  lower(text: string): string;
  isOneOf(text: string, values: readonly string[]): string;
  either(condition: string, yes: string, otherwise: string): string;
  isUnknown(inputs: readonly CodeInput[]): string;
  /** Lists of texts. */
  one(text: string): string;
  numbers(first: number, count: number): string;
  combined(lists: readonly string[]): string;
  lowered(list: string): string;
  both(first: string, second: string): string;
  /** The first text, or the second where the inputs of the first have no value. */
  orText(first: string, second: string, inputs: readonly CodeInput[]): string;
  /** Those of a list, and those of another where the inputs of the first have no value. */
  orList(first: string, second: string, inputs: readonly CodeInput[]): string;
  /** A list of nothing. */
  none(): string;
}

/** How values are reached: in an item, or among what a reader knows. */
export interface CodeScope {
  text(path: PathPart): string;
  period(grain: TimeGrain, path: PathPart): string;
}

/** Code for the text of a key whose values are all there. */
export function textCode(
  expression: KeyExpression,
  dialect: Dialect,
  scope: CodeScope,
  plan: Pick<CodePlan, "inputAt">,
): string {
  const inside = (part: KeyExpression): string => textCode(part, dialect, scope, plan);
  switch (expression.kind) {
    case "path":
      return scope.text(expression);
    case "text":
      return dialect.quote(expression.text);
    case "period":
      return scope.period(expression.grain, expression.of);
    case "concat":
      return dialect.joined(expression.parts.map(inside));
    case "hash":
      return dialect.bucket(inside(expression.of), expression.count, 0);
    case "random":
    case "turn":
      return dialect.drawn(expression.kind, expression.count, 0);
    case "suffix": {
      const { base, by, count } = expression;
      const suffix =
        typeof by === "string"
          ? dialect.drawn(by, count, 1)
          : dialect.bucket(inside(by.hashOf), count, 1);
      return dialect.joined([inside(base), dialect.quote("."), suffix]);
    }
    case "choose": {
      const condition = dialect.isOneOf(scope.text(expression.of), expression.values);
      return dialect.either(condition, inside(expression.chosen), inside(expression.otherwise));
    }
    case "lower":
      return dialect.lower(inside(expression.of));
    case "coalesce":
      return expression.parts
        .map((part) => ({ code: inside(part), part }))
        .reduceRight((next, { code, part }) => ({
          code: dialect.orText(code, next.code, inputsIn(part, plan)),
          part,
        })).code;
  }
}

function inputsIn(part: KeyExpression, plan: Pick<CodePlan, "inputAt">): readonly CodeInput[] {
  return pathsOf(part).map((path) => plan.inputAt(path));
}

/** Code for the lists of one level. */
export class VisitCode {
  readonly #plan: CodePlan;
  readonly #dialect: Dialect;
  readonly #scope: CodeScope;
  /** What is given for certain at this level: it comes after those that could not do without. */
  readonly #certain: ReadonlySet<CodeInput>;

  constructor(plan: CodePlan, level: number, dialect: Dialect, scope: CodeScope) {
    this.#plan = plan;
    this.#dialect = dialect;
    this.#scope = scope;
    this.#certain = new Set(plan.neededBy.slice(0, level + 1).flat());
  }

  listOf(expression: KeyExpression): string {
    const dialect = this.#dialect;
    if (this.#isSingle(expression)) return dialect.one(this.#textOf(expression));
    switch (expression.kind) {
      case "concat":
        return dialect.combined(expression.parts.map((part) => this.listOf(part)));
      case "hash":
        return this.#buckets(expression.of, expression.count, 0);
      case "random":
      case "turn":
        return dialect.numbers(0, expression.count);
      case "suffix": {
        const { base, by, count } = expression;
        const suffixes =
          typeof by === "string" ? dialect.numbers(1, count) : this.#buckets(by.hashOf, count, 1);
        return dialect.combined([this.listOf(base), dialect.one(dialect.quote(".")), suffixes]);
      }
      case "choose":
        return this.#chosen(expression);
      case "lower":
        return dialect.lowered(this.listOf(expression.of));
      case "coalesce":
        return this.#coalesced(expression.parts);
      default:
        return dialect.one(this.#textOf(expression));
    }
  }

  #textOf(expression: KeyExpression): string {
    return textCode(expression, this.#dialect, this.#scope, this.#plan);
  }

  /** One text, whatever the reader leaves out. */
  #isSingle(expression: KeyExpression): boolean {
    return isSettled(expression) && this.#unknownIn(expression)?.length === 0;
  }

  #buckets(of: KeyExpression, count: number, first: number): string {
    const dialect = this.#dialect;
    const all = dialect.numbers(first, count);
    const unknown = this.#unknownIn(of);
    if (unknown === undefined || !isSettled(of)) return all;
    const one = dialect.one(dialect.bucket(this.#textOf(of), count, first));
    return unknown.length === 0 ? one : dialect.either(dialect.isUnknown(unknown), all, one);
  }

  #chosen(expression: ChoosePart): string {
    const dialect = this.#dialect;
    const yes = this.listOf(expression.chosen);
    const otherwise = this.listOf(expression.otherwise);
    const condition = dialect.isOneOf(this.#scope.text(expression.of), expression.values);
    const known = dialect.either(condition, yes, otherwise);
    const input = this.#plan.inputAt(expression.of);
    if (this.#certain.has(input)) return known;
    return dialect.either(dialect.isUnknown([input]), dialect.both(yes, otherwise), known);
  }

  /** What stands in for a part is listed where that has no value, or may have none. */
  #coalesced([first, ...others]: readonly KeyExpression[]): string {
    const dialect = this.#dialect;
    const own = this.listOf(first!);
    if (others.length === 0) return own;
    const rest = this.#ifKnown(others[0]!, this.#coalesced(others));
    const inputs = inputsIn(first!, this.#plan);
    const open = inputs.filter((input) => !this.#certain.has(input));
    const known = dialect.orList(own, rest, inputs);
    return open.length === 0
      ? known
      : dialect.either(dialect.isUnknown(open), dialect.both(own, rest), known);
  }

  /** Nothing can be listed of what is not given. */
  #ifKnown(part: KeyExpression, list: string): string {
    const dialect = this.#dialect;
    const open = [...neededPaths(part)]
      .map((text) => this.#plan.inputs.find(({ path }) => pathText(path) === text)!)
      .filter((input) => !this.#certain.has(input));
    return open.length === 0 ? list : dialect.either(dialect.isUnknown(open), dialect.none(), list);
  }

  /** What may be left out; undefined when a span stands where a value, or one moment, is needed. */
  #unknownIn(expression: KeyExpression): readonly CodeInput[] | undefined {
    const inputs = pathsOf(expression).map((path) => this.#plan.inputAt(path));
    const texts = new Set(textPaths(expression, "all"));
    const isOpen = (input: CodeInput): boolean =>
      input.isSpan && (!this.#certain.has(input) || texts.has(pathText(input.path)));
    return inputs.some(isOpen) ? undefined : inputs.filter((input) => !this.#certain.has(input));
  }

  /** The spans that the lists of an expression have to be made for, moment by moment. */
  spansIn(expression: KeyExpression): readonly CodeInput[] {
    const inputs = periodsIn(expression).map(({ of }) => this.#plan.inputAt(of));
    return [...new Set(inputs)].filter((input) => input.isSpan && this.#certain.has(input));
  }
}

/** Nothing in it is drawn. */
function isSettled(expression: KeyExpression): boolean {
  let settled = true;
  visitParts(expression, (part) => {
    if (part.kind === "random" || part.kind === "turn") settled = false;
    if (part.kind === "suffix" && typeof part.by === "string") settled = false;
  });
  return settled;
}

/** The grains of a path's periods in an expression, each once. */
export function grainsOf(expression: KeyExpression, path: PathPart): readonly TimeGrain[] {
  const periods = periodsIn(expression).filter(({ of }) => pathText(of) === pathText(path));
  return periods.map(({ grain }) => grain);
}
