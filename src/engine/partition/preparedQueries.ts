/**
 * Queries made ready to run: a text is parsed, bound and planned once, as long as the container's
 * definition and the state of its index stay the same. A bounded number of texts is kept; the least
 * recently used go first.
 *
 * A prepared query does not contain the values of parameters, except those that name steps of
 * paths: `c[@name]` is planned as the path that it stands for, once for each name.
 */
import type { MaybePromise, Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Timer } from "../../base/world.ts";
import { isIndexedUnderAll } from "../../index/compiledPolicy.ts";
import { spatialPlaceOf } from "../../index/spatialTerm.ts";
import { wordPlaceOf } from "../../index/wordTerm.ts";
import type { JsonValue } from "../../json/value.ts";
import { bindProgram } from "../../query/bind/bind.ts";
import type { ComputedExpression } from "../../query/bind/binding.ts";
import type { BoundProgram } from "../../query/bind/bound.ts";
import type { Query } from "../../query/language/ast.ts";
import { parseQuery } from "../../query/language/parser.ts";
import type { IndexView } from "../../query/plan/indexView.ts";
import type { Plan } from "../../query/plan/plan.ts";
import { planOf } from "../../query/plan/plan.ts";
import type { QueryProblem } from "../../query/problem.ts";
import { languagesOf } from "../definition/fullTextPolicy.ts";
import { embeddingAt, vectorPlaceOf } from "../vectors/vectorPlaces.ts";
import type { Container } from "./container.ts";

export interface PreparedQuery {
  readonly query: Query;
  readonly program: BoundProgram;
  readonly plan: Plan;
  /** The state of the index that the plan was made for. */
  readonly index: IndexView;
}

type ReadQuery = Pick<PreparedQuery, "query" | "program">;

const COUNT_MAX = 256;
/** Of texts longer than this only the last is kept: a few of them would fill the memory of all. */
const TEXT_MAX = 16 * 1024;
/**
 * A longer text takes milliseconds in each stage, so other requests have a turn between the stages.
 */
export const QUICK_TEXT_MAX: number = 2 * 1024;

type QueryParameters = ReadonlyMap<string, JsonValue>;

export class PreparedQueries {
  readonly #made = new Map<string, PreparedQuery>();
  /** By text: the parameters that name steps. A text without such parameters has no entry. */
  readonly #stepNames = new Map<string, readonly string[]>();
  #lastLong: { readonly name: string; readonly made: PreparedQuery } | undefined;
  /** How often `clear` was called. */
  #clearedCount = 0;

  get(
    container: Container,
    text: string,
    parameters: QueryParameters = new Map(),
  ): Result<PreparedQuery, QueryProblem> {
    const known = this.#known(text, parameters);
    if (known !== undefined) return ok(known);
    const stages = preparing(container, text, parameters);
    for (;;) {
      const stage = stages.next();
      if (stage.done) return this.#kept(text, parameters, stage.value);
    }
  }

  /** Like `get`, but with turns for other requests while a long text is prepared. */
  find(
    container: Container,
    text: string,
    parameters: QueryParameters,
    { timer }: { readonly timer: Pick<Timer, "soon"> },
  ): MaybePromise<Result<PreparedQuery, QueryProblem>> {
    if (text.length <= QUICK_TEXT_MAX) return this.get(container, text, parameters);
    const known = this.#known(text, parameters);
    return known === undefined ? this.#prepare(container, text, parameters, timer) : ok(known);
  }

  async #prepare(
    container: Container,
    text: string,
    parameters: QueryParameters,
    timer: Pick<Timer, "soon">,
  ): Promise<Result<PreparedQuery, QueryProblem>> {
    const before = this.#clearedCount;
    const stages = preparing(container, text, parameters);
    for (;;) {
      const stage = stages.next();
      await timer.soon();
      if (!stage.done) continue;
      // A plan for a definition that is no longer in force serves this request only.
      return before === this.#clearedCount
        ? this.#kept(text, parameters, stage.value)
        : stage.value;
    }
  }

  /**
   * Reads a query for a client plan. The service makes that plan from the text alone; a missing
   * index or function is reported by the range that the client asks later.
   */
  async read(
    container: Container,
    text: string,
    parameters: QueryParameters,
    world: { readonly timer: Pick<Timer, "soon"> },
  ): Promise<Result<ReadQuery, QueryProblem>> {
    const made = await this.find(container, text, parameters, world);
    if (made.ok) return made;
    const query = parseQuery(text);
    return query.ok ? bound(container, query.value, parameters, true) : query;
  }

  clear(): void {
    this.#made.clear();
    this.#stepNames.clear();
    this.#lastLong = undefined;
    this.#clearedCount++;
  }

  #known(text: string, parameters: QueryParameters): PreparedQuery | undefined {
    const name = nameOf(text, this.#stepNames.get(text) ?? [], parameters);
    if (this.#lastLong?.name === name) return this.#lastLong.made;
    const known = this.#made.get(name);
    if (known === undefined) return undefined;
    this.#made.delete(name);
    this.#made.set(name, known);
    return known;
  }

  #kept(
    text: string,
    parameters: QueryParameters,
    result: Result<PreparedQuery, QueryProblem>,
  ): Result<PreparedQuery, QueryProblem> {
    if (!result.ok) return result;
    const made = result.value;
    const { stepNames } = made.program;
    const name = nameOf(text, stepNames, parameters);
    if (stepNames.length > 0 && text.length <= TEXT_MAX) {
      makeRoom(this.#stepNames);
      this.#stepNames.set(text, stepNames);
    }
    if (name.length > TEXT_MAX) {
      this.#lastLong = { name, made };
      return result;
    }
    makeRoom(this.#made);
    this.#made.set(name, made);
    return result;
  }
}

function makeRoom(map: Map<string, unknown>): void {
  if (map.size >= COUNT_MAX) map.delete(map.keys().next().value!);
}

/**
 * The key of a prepared query: its text, followed by the steps that parameters name. A parameter
 * that is no string names no step.
 */
function nameOf(text: string, stepNames: readonly string[], parameters: QueryParameters): string {
  if (stepNames.length === 0) return text;
  const steps = stepNames.map((name) => {
    const step = parameters.get(name);
    return typeof step === "string" ? step : null;
  });
  return `${text}\0${JSON.stringify(steps)}`;
}

/** Prepares a query stage by stage: syntax tree, bound program, plan. Yields between two stages. */
function* preparing(
  container: Container,
  text: string,
  parameters: QueryParameters,
): Generator<void, Result<PreparedQuery, QueryProblem>, undefined> {
  const query = parseQuery(text);
  if (!query.ok) return query;
  yield;
  const read = bound(container, query.value, parameters, false);
  if (!read.ok) return read;
  yield;
  const index = indexViewOf(container);
  const plan = planOf(read.value.program, index);
  return plan.ok ? ok({ ...read.value, plan: plan.value, index }) : no(plan.error);
}

function bound(
  container: Container,
  query: Query,
  parameters: QueryParameters,
  isAnyFunctionThere: boolean,
): Result<ReadQuery, QueryProblem> {
  const program = bindProgram(query, {
    computed: computedOf(container),
    functions: container.functions,
    isAnyFunctionThere,
    parameters,
    languageAt: languagesOf(container.definition.fullTextPolicy),
    embeddingAt: (segments) => embeddingAt(container.definition, segments),
  });
  return program.ok ? ok({ query, program: program.value }) : program;
}

/**
 * Parses the computed properties. The catalogue refused definitions that are not a single
 * expression.
 */
function computedOf({ definition }: Container): ReadonlyMap<string, ComputedExpression> {
  const computed = new Map<string, ComputedExpression>();
  for (const { name, query: text } of definition.computedProperties ?? []) {
    const query = parseQuery(text);
    if (!query.ok) continue;
    const { select, from } = query.value;
    if (select.selection.kind !== "value" || from?.kind !== "collection") continue;
    const { collection } = from;
    if (collection.kind !== "path") continue;
    const alias = from.alias ?? collection.root;
    computed.set(name, { alias, expression: select.selection.expression });
  }
  return computed;
}

function indexViewOf(container: Container): IndexView {
  const { definition } = container;
  const { policy, formerPolicies } = container;
  const policies = [policy, ...formerPolicies];
  const isComplete = policy.isIndexing && formerPolicies.length === 0;
  return {
    isIndexed: (segments) => isIndexedUnderAll(policies, segments),
    isIncluded: (segments) => policy.isIndexedAt(segments),
    composites: policy.composites,
    vectorPlace: (segments) => vectorPlaceOf(definition, segments),
    spatialPlace: (segments) =>
      isComplete ? spatialPlaceOf(policy.spatials, segments) : undefined,
    wordPlace: (segments) => (isComplete ? wordPlaceOf(policy.words, segments) : undefined),
    isComplete,
  };
}
