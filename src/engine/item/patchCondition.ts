/**
 * The condition of a patch, `FROM c WHERE …`: a filter that the stored item must pass for the patch
 * to be applied. The condition is parsed and bound with the request, and evaluated where the item
 * is written, so no other write can come between the evaluation and the patch.
 *
 * The condition sees the item as it is stored, system properties included. It has no parameters and
 * does not see computed properties.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import { bindProgram } from "../../query/bind/bind.ts";
import type { BoundProgram } from "../../query/bind/bound.ts";
import { compile } from "../../query/evaluate/compile.ts";
import { Effort } from "../../query/evaluate/effort.ts";
import { problemOf, QueryFailure } from "../../query/evaluate/run.ts";
import { contextOf } from "../../query/execute/pageRun.ts";
import type { Query, Span } from "../../query/language/ast.ts";
import type { Filter } from "../../query/language/parser.ts";
import { parseFilter } from "../../query/language/parser.ts";
import { refusalOf } from "./queryRefusal.ts";

interface ConditionSetting {
  /** Milliseconds since 1970. */
  readonly wallNow: number;
  readonly geometry: "Geography" | "Geometry";
}

/**
 * Tells whether an item passes the condition, or refuses if the condition cannot be evaluated on
 * it.
 */
export type PatchCondition = (
  item: JsonObject,
  setting: ConditionSetting,
) => Result<boolean, Refusal>;

export function parseCondition(text: string): Result<PatchCondition, Refusal> {
  const filter = parseFilter(text);
  if (!filter.ok) return no(refusalOf(filter.error));
  const program = bindProgram(queryOf(filter.value, text), { computed: new Map() });
  if (!program.ok) return no(refusalOf(program.error));
  if (program.value.parameterNames.length > 0) {
    return no(badRequest("Invalid patch request: the condition cannot have parameters."));
  }
  return ok(conditionOf(program.value));
}

/** Makes the query that returns the item if the item passes the condition. */
function queryOf({ alias, where }: Filter, text: string): Query {
  const span: Span = { start: 0, end: text.length };
  return {
    span,
    select: { span, isDistinct: false, selection: { kind: "star", span } },
    from: { kind: "collection", span, collection: { kind: "path", span, root: alias, steps: [] } },
    where,
  };
}

function conditionOf({ query, slotCount }: BoundProgram): PatchCondition {
  const itemSlot = query.sources[0]!.slot;
  const evaluate = compile(query.where!);
  return (item, { wallNow, geometry }) => {
    const slots = new Array<JsonValue | undefined>(slotCount).fill(undefined);
    slots[itemSlot] = item;
    const context = contextOf({ clock: { wallNow: () => wallNow }, random: NO_CHANCE, geometry });
    const run = { parameters: NO_PARAMETERS, context, effort: new Effort() };
    try {
      return ok(evaluate(slots, run) === true);
    } catch (error) {
      return no(refusalOf(problemOf(error)));
    }
  };
}

const NO_PARAMETERS: ReadonlyMap<string, JsonValue> = new Map();

/** Refuses chance: a write must not depend on it. */
const NO_CHANCE = {
  next: (): never => {
    throw new QueryFailure("RAND cannot be used in the condition of a patch.");
  },
};
