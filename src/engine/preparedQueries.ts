/**
 * Queries made ready to run: parsed, bound and planned once for a text, as long as the container's
 * definition and the state of its index stay what they are. Bounded; the least lately used go
 * first.
 */
import type { Result } from "../base/result.ts";
import { no, ok } from "../base/result.ts";
import { isIndexedUnderAll } from "../index/compiledPolicy.ts";
import { spatialPlaceOf } from "../index/spatialTerm.ts";
import { wordPlaceOf } from "../index/wordTerm.ts";
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

export class PreparedQueries {
  readonly #byText = new Map<string, PreparedQuery>();

  get(container: Container, text: string): Result<PreparedQuery, QueryProblem> {
    const known = this.#byText.get(text);
    if (known !== undefined) {
      this.#byText.delete(text);
      this.#byText.set(text, known);
      return ok(known);
    }
    const made = prepareQuery(container, text);
    if (!made.ok || text.length > TEXT_MAX) return made;
    if (this.#byText.size >= COUNT_MAX) this.#byText.delete(this.#byText.keys().next().value!);
    this.#byText.set(text, made.value);
    return made;
  }

  /**
   * For a plan that clients are to follow. The service makes it from the text: that an index or a
   * function is missing is said by the range that is asked.
   */
  read(container: Container, text: string): Result<ReadQuery, QueryProblem> {
    const made = this.get(container, text);
    return made.ok ? made : readQuery(container, text, true);
  }

  clear(): void {
    this.#byText.clear();
  }
}

function prepareQuery(container: Container, text: string): Result<PreparedQuery, QueryProblem> {
  const read = readQuery(container, text, false);
  if (!read.ok) return read;
  const index = indexViewOf(container);
  const plan = planOf(read.value.program, index);
  if (!plan.ok) return no(plan.error);
  return ok({ ...read.value, plan: plan.value, index });
}

function readQuery(
  container: Container,
  text: string,
  isAnyFunctionThere: boolean,
): Result<ReadQuery, QueryProblem> {
  const query = parseQuery(text);
  if (!query.ok) return query;
  const program = bindProgram(query.value, {
    computed: computedOf(container),
    functions: container.functions,
    isAnyFunctionThere,
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
