/** Which items a copy has, and what of them: the conditions and selections that a user writes. */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { isObject } from "../../json/value.ts";
import { hashBucket } from "../../keys/stableHash.ts";
import { bindProgram } from "../../query/bind/bind.ts";
import { compileSelection } from "../../query/evaluate/compile.ts";
import { Effort } from "../../query/evaluate/effort.ts";
import { rowText } from "../../query/evaluate/rowText.ts";
import { problemOf, QueryFailure } from "../../query/evaluate/run.ts";
import { contextOf } from "../../query/execute/pageRun.ts";
import { parseQuery } from "../../query/language/parser.ts";
import { parseCondition } from "../item/patchCondition.ts";
import { refusalOf } from "../item/queryRefusal.ts";

/** Which geometry the functions of space go by; it is the container's. */
type Geometry = "Geography" | "Geometry";

/** Tells whether an item is copied, or why that cannot be said of it. */
export type ItemFilter = (item: JsonObject) => Result<boolean, string>;

/** `where` is what comes after WHERE, about `c`. */
export function readFilter(where: string, geometry: Geometry): Result<ItemFilter, string> {
  const condition = parseCondition(`FROM c WHERE ${where}`);
  if (!condition.ok) return no(`The condition '${where}' cannot be used: ${sentence(condition)}`);
  return ok((item) => {
    // What a copy has must not depend on when it was made.
    const isMet = condition.value(item, { wallNow: 0, geometry });
    return isMet.ok ? isMet : no(sentence(isMet));
  });
}

/** Makes of an item what its copy has. */
export type Projection = (item: JsonObject) => Result<Buffer, string>;

/** `select` is what comes after SELECT. */
export function readProjection(select: string, geometry: Geometry): Result<Projection, string> {
  const complaint = (why: string): Result<never, string> =>
    no(`The selection '${select}' cannot be used: ${why}`);
  const parsed = parseQuery(`SELECT ${select} FROM c`);
  if (!parsed.ok) return complaint(problemText(parsed.error));
  const { select: clause, where, orderBy, groupBy, offsetLimit } = parsed.value;
  const hasMore = where ?? orderBy ?? groupBy ?? offsetLimit ?? clause.top;
  if (hasMore !== undefined || clause.isDistinct) {
    return complaint("it has more than what is selected. A condition goes with `where`.");
  }
  const bound = bindProgram(parsed.value, { computed: new Map() });
  if (!bound.ok) return complaint(problemText(bound.error));
  if (bound.value.parameterNames.length > 0) return complaint("it has parameters.");
  const { query, slotCount } = bound.value;
  if (query.sources.length !== 1) return complaint("it joins.");
  const itemSlot = query.sources[0]!.slot;
  const evaluate = compileSelection(query);
  const context = contextOf({ clock: { wallNow: () => 0 }, random: NO_CHANCE, geometry });
  return ok((item) => {
    const slots = new Array<JsonValue | undefined>(slotCount).fill(undefined);
    slots[itemSlot] = item;
    try {
      const row = evaluate(slots, { parameters: new Map(), context, effort: new Effort() });
      if (row === undefined) return no("The selection gives nothing for the item.");
      const text = rowText(row);
      return isObject(JSON.parse(text.toString("utf8")) as JsonValue)
        ? ok(text)
        : no("The selection does not give an object.");
    } catch (error) {
      return no(problemText(problemOf(error)));
    }
  });
}

/** Whether an item is in a sample of so many percent; always the same items are. */
export function isSampled(id: string, percent: number): boolean {
  return hashBucket(id, SAMPLE_BUCKETS) < (percent / 100) * SAMPLE_BUCKETS;
}

const SAMPLE_BUCKETS = 1_000_000;

function problemText(problem: Parameters<typeof refusalOf>[0]): string {
  return sentence({ error: refusalOf(problem) });
}

function sentence({ error }: { readonly error: ReturnType<typeof refusalOf> }): string {
  if (error.kind === "badQuery") return error.diagnostics[0]!.message;
  return "message" in error ? error.message : error.kind;
}

/** Refuses chance: a copy must not depend on it. */
const NO_CHANCE = {
  next: (): never => {
    throw new QueryFailure("RAND cannot be used: a copy has to be the same each time.");
  },
};
