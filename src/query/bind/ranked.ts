/**
 * Binding of `ORDER BY RANK FullTextScore(…)` and `ORDER BY RANK RRF(…)`: by which scores rows are
 * ranked, and how much each of them counts.
 *
 * Scores depend on all texts of the container, so both functions stand nowhere but here. Rows are
 * ranked as items: there is nothing to join, group or make distinct.
 */
import { isLargerNearer, isVectorBuiltIn } from "../functions/vector.ts";
import type { Call, Expression, OrderBy, Query } from "../language/ast.ts";
import { sourcesOf } from "../language/visitor.ts";
import { fail } from "./binding.ts";
import type { Bound, BoundRank, RankComponent } from "./bound.ts";
import type { Place } from "./expressions.ts";
import { bindExpression, failCount } from "./expressions.ts";
import { languageOfText } from "./textLanguage.ts";

/** Of the calls that make up a rank; in capitals, without underscores. */
export type RankFunction = "FULLTEXTSCORE" | "RRF" | "VECTORDISTANCE";

const RANK_FUNCTIONS: ReadonlyMap<string, RankFunction> = new Map([
  ["FULLTEXTSCORE", "FULLTEXTSCORE"],
  ["FULLTEXT_SCORE", "FULLTEXTSCORE"],
  ["RRF", "RRF"],
  ["VECTORDISTANCE", "VECTORDISTANCE"],
  ["VECTOR_DISTANCE", "VECTORDISTANCE"],
]);

export function rankFunctionOf(expression: Expression): RankFunction | undefined {
  if (expression.kind !== "call" || expression.isUdf) return undefined;
  return RANK_FUNCTIONS.get(expression.name.toUpperCase());
}

/** The scores of a rank as they are written, and their weights. */
export interface WrittenRank {
  readonly components: readonly Call[];
  readonly weights: Expression | undefined;
}

/** `ORDER BY RANK` has passed `checkRank`. */
export function writtenRankOf({ items }: OrderBy): WrittenRank {
  const call = items[0]!.expression as Call;
  if (rankFunctionOf(call) === "FULLTEXTSCORE") return { components: [call], weights: undefined };
  const last = call.args.at(-1);
  const hasWeights = last?.kind === "array" || last?.kind === "parameter";
  const components = (hasWeights ? call.args.slice(0, -1) : call.args) as readonly Call[];
  return { components, weights: hasWeights ? last : undefined };
}

/** What can be told from the clauses alone. */
export function checkRank({ select, from, groupBy, orderBy }: Query): void {
  if (orderBy?.kind !== "rank") return;
  if (orderBy.items.length > 1) fail("ORDER BY RANK takes one function; combine scores with RRF.");
  const [{ expression, direction }] = orderBy.items as [OrderBy["items"][number]];
  if (direction !== undefined) {
    fail(
      "Specifying a sort order (ASC or DESC) in the ORDER BY RANK clause is not allowed. It is " +
        "always from the best to the worst: leave ASC and DESC out.",
    );
  }
  const name = rankFunctionOf(expression);
  if (name !== "FULLTEXTSCORE" && name !== "RRF") {
    fail("ORDER BY RANK can only be used with FullTextScore or RRF.");
  }
  if (select.isDistinct || groupBy !== undefined) {
    fail("ORDER BY RANK cannot be combined with DISTINCT or GROUP BY.");
  }
  const [first, ...joined] = sourcesOf(from);
  const isItem =
    first?.kind === "collection" &&
    first.collection.kind === "path" &&
    first.collection.steps.length === 0;
  if (joined.length > 0 || !isItem) {
    fail("ORDER BY RANK ranks items: FROM must name the container alone, as in FROM c.");
  }
}

export function bindRank(orderBy: OrderBy, place: Place): BoundRank {
  const written = writtenRankOf(orderBy);
  const call = orderBy.items[0]!.expression as Call;
  const isFusion = rankFunctionOf(call) === "RRF";
  if (isFusion && written.components.length < COMPONENTS_MIN) failCount(call, "RRF", 2, Infinity);
  const components = written.components.map((component) => bindComponent(component, place));
  const weights = written.weights && bindExpression(written.weights, place);
  if (weights?.kind === "array") checkWeights(weights.elements, components.length);
  return { components, weights };
}

const COMPONENTS_MIN = 2;

function bindComponent(component: Expression, place: Place): RankComponent {
  switch (rankFunctionOf(component)) {
    case "FULLTEXTSCORE":
      return bindTextScore(component as Call, place);
    case "VECTORDISTANCE": {
      const distance = bindExpression(component, place);
      const metric = distance.kind === "call" && isVectorBuiltIn(distance.builtIn);
      const isLargerBetter = metric && isLargerNearer(distance.builtIn.metric);
      return { kind: "vector", distance, isLargerBetter };
    }
    default:
      return fail("RRF can only be used with FullTextScore and VectorDistance, and weights last.");
  }
}

export function isLargerBetter(component: RankComponent): boolean {
  return component.kind === "text" || component.isLargerBetter;
}

function bindTextScore(call: Call, place: Place): RankComponent {
  const [subject, ...terms] = call.args;
  if (subject === undefined || terms.length === 0) failCount(call, "FULLTEXTSCORE", 2, Infinity);
  if (subject.kind !== "member" && subject.kind !== "index") {
    fail("The first argument of FullTextScore must be a path of the item, such as c.text.");
  }
  const text = bindExpression(subject, place);
  const bound = terms.map((term) => bindExpression(term, place));
  return { kind: "text", text, terms: bound, language: languageOfText(text, place.binding) };
}

function checkWeights(weights: readonly Bound[], componentCount: number): void {
  if (weights.length !== componentCount) {
    fail(
      // Clients look for the second sentence.
      `RRF has ${componentCount} scores and an array of ${weights.length} weights. The length of ` +
        "this array must be the same as the number of the component scores.",
    );
  }
  if (!weights.every(isNumber)) fail("The weights of RRF must be numbers.");
}

function isNumber(weight: Bound): boolean {
  if (weight.kind === "parameter") return true;
  if (weight.kind === "unary") return isNumber(weight.operand);
  return weight.kind === "constant" && typeof weight.value === "number";
}
