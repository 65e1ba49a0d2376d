/** A query made ready as the server would, under an indexing policy and without a container. */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import { compilePolicy } from "../../index/compiledPolicy.ts";
import type { IndexingPolicy } from "../../index/policy.ts";
import { spatialPlaceOf } from "../../index/spatialTerm.ts";
import type { JsonValue } from "../../json/value.ts";
import { bindProgram } from "../../query/bind/bind.ts";
import { Effort } from "../../query/evaluate/effort.ts";
import type { Run } from "../../query/evaluate/run.ts";
import { contextOf } from "../../query/execute/pageRun.ts";
import { parseQuery } from "../../query/language/parser.ts";
import type { IndexView } from "../../query/plan/indexView.ts";
import type { Plan } from "../../query/plan/plan.ts";
import { planOf } from "../../query/plan/plan.ts";
import type { QueryProblem } from "../../query/problem.ts";

interface PlannedText {
  readonly plan: Plan;
  readonly parameterNames: readonly string[];
}

/** The plan of a query, or what is wrong with it, in a sentence. */
export function planOfText(sql: string, policy: IndexingPolicy): Result<PlannedText, string> {
  const query = parseQuery(sql);
  if (!query.ok) return no(sentenceOf(query.error));
  const program = bindProgram(query.value, { computed: new Map() });
  if (!program.ok) return no(sentenceOf(program.error));
  const plan = planOf(program.value, indexViewOf(policy));
  if (!plan.ok) return no(sentenceOf(plan.error));
  return ok({ plan: plan.value, parameterNames: program.value.parameterNames });
}

/** Nothing that is priced depends on the time or on chance. */
export function runOf(parameters: ReadonlyMap<string, JsonValue>): Run {
  const clock = { wallNow: () => 0 };
  const context = contextOf({ clock, random: { next: () => 0 }, geometry: "Geography" });
  return { parameters, context, effort: new Effort() };
}

function indexViewOf(policy: IndexingPolicy): IndexView {
  const compiled = compilePolicy(policy);
  return {
    isIndexed: (segments) => compiled.isIndexedAt(segments),
    isIncluded: (segments) => compiled.isIndexedAt(segments),
    composites: compiled.composites,
    spatialPlace: (segments) => spatialPlaceOf(compiled.spatials, segments),
    isComplete: compiled.isIndexing,
  };
}

export function sentenceOf(problem: QueryProblem): string {
  if (problem.kind === "refused") return problem.message;
  const { message, location } = problem.diagnostics[0]!;
  return location === undefined ? message : `${message} (at character ${location.start + 1})`;
}
