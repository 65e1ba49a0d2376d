/**
 * Binding of `ORDER BY RANK FullTextScore(…)` and `ORDER BY RANK RRF(…)`: by which scores rows are
 * ranked, and how much each score counts.
 *
 * Scores depend on all texts of the container, so both functions may stand nowhere else. Rows are
 * ranked as items: there is nothing to join, group or make distinct. A rank of one distance is an
 * order by that distance in other words, and is bound as such.
 */
import { isLargerNearer, isVectorBuiltIn } from "../functions/vector.ts";
import type {
  ArrayLiteral,
  Call,
  Expression,
  FromSource,
  OrderBy,
  Query,
  Span,
} from "../language/ast.ts";
import { sourcesOf } from "../language/visitor.ts";
import type { Diagnostic } from "../problem.ts";
import { BindProblem, fail, failAt } from "./binding.ts";
import type { BoundRank, RankComponent } from "./bound.ts";
import type { ExpressionPlace } from "./expressions.ts";
import { bindExpression, failCount } from "./expressions.ts";
import { languageOfText } from "./textLanguage.ts";

/** Names of the functions that make up a rank; in capitals, without underscores. */
type RankFunction = "FULLTEXTSCORE" | "RRF" | "VECTORDISTANCE";

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
interface WrittenRank {
  readonly components: readonly Call[];
  readonly weights: Expression | undefined;
}

/** Returns the rank of an `ORDER BY RANK` that has passed `checkRank`. */
export function writtenRankOf({ items }: OrderBy): WrittenRank {
  const call = items[0]!.expression as Call;
  if (rankFunctionOf(call) === "FULLTEXTSCORE") return { components: [call], weights: undefined };
  const last = call.args.at(-1);
  const hasWeights = last?.kind === "array" || last?.kind === "parameter";
  const components = (hasWeights ? call.args.slice(0, -1) : call.args) as readonly Call[];
  return { components, weights: hasWeights ? last : undefined };
}

/** Refuses what can be told from the clauses alone. */
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
  if (rankFunctionOf(expression) === undefined) failScores(orderBy);
  if (select.isDistinct || groupBy !== undefined) {
    fail("ORDER BY RANK cannot be combined with DISTINCT or GROUP BY.");
  }
  const diagnostics = from === undefined ? [] : sourceProblems(from);
  if (diagnostics.length > 0) throw new BindProblem({ kind: "diagnostics", diagnostics });
  const [first] = sourcesOf(from);
  const isItem = first?.collection.kind === "path" && first.collection.steps.length === 0;
  if (!isItem) {
    fail("ORDER BY RANK ranks items: FROM must name the container alone, as in FROM c.");
  }
}

/** True when an order that has passed `checkRank` is the rank of one distance. */
export function isRankOfDistance(orderBy: OrderBy | undefined): boolean {
  return orderBy?.kind === "rank" && rankFunctionOf(orderBy.items[0]!.expression) === DISTANCE;
}

const DISTANCE: RankFunction = "VECTORDISTANCE";

/**
 * Returns a problem for every source that is not the container's items, from left to right; codes
 * and words are the service's.
 */
function sourceProblems(source: FromSource): readonly Diagnostic[] {
  const problem = (code: string, what: string, { start, end }: Span): Diagnostic => ({
    code,
    message: `${what} not allowed with the ORDER BY RANK clause.`,
    location: { start, end },
  });
  if (source.kind === "join") {
    const here = problem("SC2224", "The JOIN operator is", source.span);
    return [here, ...sourceProblems(source.left), ...sourceProblems(source.right)];
  }
  const { collection, span } = source;
  if (source.kind === "iterate") {
    return [problem("SC2223", "The FROM clause with the IN operator is", span)];
  }
  const isSubquery = collection.kind === "subquery";
  return isSubquery
    ? [problem("SC2225", "Subqueries in the FROM clause are", collection.span)]
    : [];
}

function failScores({ span }: OrderBy): never {
  return failAt(
    "SC2221",
    "The ORDER BY RANK clause must be followed by a VectorDistance and/or a FullTextScore " +
      "function call. RRF fuses two or more of them.",
    span,
  );
}

export function bindRank(orderBy: OrderBy, place: ExpressionPlace): BoundRank {
  const written = writtenRankOf(orderBy);
  const call = orderBy.items[0]!.expression as Call;
  const isFusion = rankFunctionOf(call) === "RRF";
  if (isFusion && written.components.length < COMPONENTS_MIN) failScores(orderBy);
  if (written.components.length > COMPONENTS_MAX) {
    fail(`RRF fuses at most ${COMPONENTS_MAX} scores; there are ${written.components.length}.`);
  }
  const components = written.components.map((component) => {
    return bindComponent(component, place) ?? failScores(orderBy);
  });
  if (written.weights?.kind === "array") checkWeights(written.weights, components.length, orderBy);
  return { components, weights: written.weights && bindExpression(written.weights, place) };
}

const COMPONENTS_MIN = 2;
/**
 * A limit of our own. Every query of a client plan has all scores, so the size of the plan grows
 * with the square of their number.
 */
const COMPONENTS_MAX = 100;

/** Returns undefined when the expression is no score. */
function bindComponent(component: Expression, place: ExpressionPlace): RankComponent | undefined {
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
      return undefined;
  }
}

export function isLargerBetter(component: RankComponent): boolean {
  return component.kind === "text" || component.isLargerBetter;
}

function bindTextScore(call: Call, place: ExpressionPlace): RankComponent {
  const [subject, ...terms] = call.args;
  if (subject === undefined || terms.length === 0) failCount(call, "FULLTEXTSCORE", 2, Infinity);
  if (subject.kind !== "member" && subject.kind !== "index") {
    fail("The first argument of FullTextScore must be a path of the item, such as c.text.");
  }
  const text = bindExpression(subject, place);
  const bound = terms.map((term) => bindExpression(term, place));
  return { kind: "text", text, terms: bound, language: languageOfText(text, place.binding) };
}

function checkWeights({ elements }: ArrayLiteral, scoreCount: number, { span }: OrderBy): void {
  if (elements.length === scoreCount && elements.every(isNumber)) return;
  failAt(
    "SC2229",
    "The last parameter of the RRF function is an optional array of weights. When present, it " +
      "must be a literal array of numbers, one for each of the component scores used for the RRF " +
      "function. The length of this array must be the same as the number of the component scores.",
    span,
  );
}

function isNumber(weight: Expression): boolean {
  if (weight.kind === "unary") return isNumber(weight.operand);
  return weight.kind === "number" || weight.kind === "parameter";
}
