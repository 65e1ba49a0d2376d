/**
 * Queries made ready to run: parsed, bound and planned once for a text, as long as the container's
 * definition and the state of its index stay what they are. Bounded; the least lately used go
 * first.
 *
 * Values of parameters are no part of it, but for those that name steps of paths: `c[@name]` is
 * planned as the path that it is, once for each name.
 */
import type { Result } from "../base/result.ts";
import { no, ok } from "../base/result.ts";
import { isIndexedUnderAll } from "../index/compiledPolicy.ts";
import { spatialPlaceOf } from "../index/spatialTerm.ts";
import { wordPlaceOf } from "../index/wordTerm.ts";
import type { JsonValue } from "../json/value.ts";
import { bindProgram } from "../query/bind/bind.ts";
import type { ComputedExpression } from "../query/bind/binding.ts";
import type { BoundProgram } from "../query/bind/bound.ts";
import type { Query } from "../query/language/ast.ts";
import { parseQuery } from "../query/language/parser.ts";
import type { IndexView } from "../query/plan/indexView.ts";
import type { Plan } from "../query/plan/plan.ts";
import { planOf } from "../query/plan/plan.ts";
import type { QueryProblem } from "../query/problem.ts";
import type { Container } from "./container.ts";
import { languagesOf } from "./definition/fullTextPolicy.ts";
import { embeddingAt, vectorPlaceOf } from "./vectors/vectorPlaces.ts";

export interface PreparedQuery {
  readonly query: Query;
  readonly program: BoundProgram;
  readonly plan: Plan;
  /** What the plan was made for. */
  readonly index: IndexView;
}

export type ReadQuery = Pick<PreparedQuery, "query" | "program">;

const COUNT_MAX = 256;
/** Longer texts are prepared each time: a few of them would fill the memory of all. */
const TEXT_MAX = 16 * 1024;
/** With the steps that parameters name, which may be as long as anybody likes. */
const NAME_MAX = 2 * TEXT_MAX;

export type QueryParameters = ReadonlyMap<string, JsonValue>;

export class PreparedQueries {
  readonly #made = new Map<string, PreparedQuery>();
  /** By text, the parameters that name steps; texts that have none are not here. */
  readonly #stepNames = new Map<string, readonly string[]>();

  get(
    container: Container,
    text: string,
    parameters: QueryParameters = new Map(),
  ): Result<PreparedQuery, QueryProblem> {
    const known = this.#known(text, parameters);
    if (known !== undefined) return ok(known);
    const made = prepareQuery(container, text, parameters);
    if (made.ok && text.length <= TEXT_MAX) this.#keep(text, parameters, made.value);
    return made;
  }

  /**
   * For a plan that clients are to follow. The service makes it from the text: that an index or a
   * function is missing is said by the range that is asked.
   */
  read(
    container: Container,
    text: string,
    parameters: QueryParameters,
  ): Result<ReadQuery, QueryProblem> {
    const made = this.get(container, text, parameters);
    return made.ok ? made : readQuery(container, text, parameters, true);
  }

  clear(): void {
    this.#made.clear();
    this.#stepNames.clear();
  }

  #known(text: string, parameters: QueryParameters): PreparedQuery | undefined {
    const name = nameOf(text, this.#stepNames.get(text) ?? [], parameters);
    const known = this.#made.get(name);
    if (known === undefined) return undefined;
    this.#made.delete(name);
    this.#made.set(name, known);
    return known;
  }

  #keep(text: string, parameters: QueryParameters, made: PreparedQuery): void {
    const { stepNames } = made.program;
    const name = nameOf(text, stepNames, parameters);
    if (name.length > NAME_MAX) return;
    if (stepNames.length > 0) {
      makeRoom(this.#stepNames);
      this.#stepNames.set(text, stepNames);
    }
    makeRoom(this.#made);
    this.#made.set(name, made);
  }
}

function makeRoom(map: Map<string, unknown>): void {
  if (map.size >= COUNT_MAX) map.delete(map.keys().next().value!);
}

/** The text, and behind it the steps that its parameters name. What is no text names nothing. */
function nameOf(text: string, stepNames: readonly string[], parameters: QueryParameters): string {
  if (stepNames.length === 0) return text;
  const steps = stepNames.map((name) => {
    const step = parameters.get(name);
    return typeof step === "string" ? step : null;
  });
  return `${text}\0${JSON.stringify(steps)}`;
}

function prepareQuery(
  container: Container,
  text: string,
  parameters: QueryParameters,
): Result<PreparedQuery, QueryProblem> {
  const read = readQuery(container, text, parameters, false);
  if (!read.ok) return read;
  const index = indexViewOf(container);
  const plan = planOf(read.value.program, index);
  if (!plan.ok) return no(plan.error);
  return ok({ ...read.value, plan: plan.value, index });
}

function readQuery(
  container: Container,
  text: string,
  parameters: QueryParameters,
  isAnyFunctionThere: boolean,
): Result<ReadQuery, QueryProblem> {
  const query = parseQuery(text);
  if (!query.ok) return query;
  const program = bindProgram(query.value, {
    computed: computedOf(container),
    functions: container.functions,
    isAnyFunctionThere,
    parameters,
    languageAt: languagesOf(container.definition.fullTextPolicy),
    embeddingAt: (segments) => embeddingAt(container.definition, segments),
  });
  if (!program.ok) return program;
  return ok({ query: query.value, program: program.value });
}

/** Definitions that are no queries of one expression were refused when they were made. */
export function computedOf({ definition }: Container): ReadonlyMap<string, ComputedExpression> {
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
