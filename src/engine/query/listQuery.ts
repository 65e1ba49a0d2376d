/**
 * A query over a list of resources that are no items: the databases of an account, the containers
 * of a database. The language, pages and cursors are those of queries over items. A list has so few
 * members that nothing is indexed: every page looks at all members, and any path may be ordered by.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Clock, Random, Timer } from "../../base/world.ts";
import type { JsonObject } from "../../json/value.ts";
import type { Limits } from "../../model/limits.ts";
import type { Refusal } from "../../model/refusal.ts";
import { WHOLE_CONTAINER } from "../../model/request/itemScope.ts";
import type { QueryText } from "../../model/request/queryText.ts";
import { WHOLE_RANGE } from "../../partition/epkRange.ts";
import { bindProgram } from "../../query/bind/bind.ts";
import type { PagesAtWork } from "../../query/evaluate/pagesAtWork.ts";
import { runPage } from "../../query/execute/page.ts";
import type { Source, SourceItem } from "../../query/execute/source.ts";
import type { Query } from "../../query/language/ast.ts";
import { parseQuery } from "../../query/language/parser.ts";
import type { IndexView } from "../../query/plan/indexView.ts";
import type { Plan } from "../../query/plan/plan.ts";
import { planOf } from "../../query/plan/plan.ts";
import type { CursorKey } from "../cursor/cursorKey.ts";
import { objectOf } from "../item/itemBody.ts";
import { refusalOf } from "../item/queryRefusal.ts";
import { encodeQueryCursor, parseQueryCursor } from "./queryCursor.ts";
import { queryQuestion } from "./queryQuestion.ts";

export interface ListMember {
  /** The number of the member: at least 1, unique in the list, growing in order of creation. */
  readonly number: number;
  readonly body: JsonObject;
}

export interface ListQuery extends QueryText {
  /** The rid of the owner of the list: a cursor is good for the list of this owner only. */
  readonly ownerRid: string;
  readonly members: readonly ListMember[];
  readonly continuation: string | undefined;
  readonly countMax: number;
}

export interface ListAnswer {
  readonly rows: readonly Buffer[];
  readonly continuation: string | undefined;
}

interface ListSetting {
  readonly limits: Limits;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly random: Random;
  readonly cursorKey: CursorKey;
  readonly pages?: PagesAtWork | undefined;
}

export async function queryList(
  setting: ListSetting,
  query: ListQuery,
): Promise<Result<ListAnswer, Refusal>> {
  const read = parseQuery(query.text);
  if (!read.ok) return no(refusalOf(read.error));
  const plan = planFor(read.value, query);
  if (!plan.ok) return plan;
  const { ownerRid, continuation, parameters } = query;
  const cursors = setting.cursorKey.cursorsOf(() =>
    queryQuestion({
      kind: "listQuery",
      owner: ownerRid,
      query: read.value,
      parameters,
      scope: WHOLE_CONTAINER,
    }),
  );
  const begun =
    continuation === undefined ? ok(undefined) : parseQueryCursor(cursors, continuation);
  if (!begun.ok) return begun;
  const page = await runPage({
    ...setting,
    plan: plan.value,
    parameters,
    sources: [sourceOf(query.members)],
    position: begun.value,
    geometry: "Geography",
    timeSliceMs: TIME_SLICE_MS,
    timeMaxMs: TIME_MS_MAX,
    limits: { countMax: query.countMax, bytesMax: setting.limits.pageBytesMax },
  });
  if (!page.ok) return no(refusalOf(page.error));
  const { rows, next } = page.value;
  return ok({ rows, continuation: next && encodeQueryCursor(cursors, next) });
}

/** Milliseconds after which a page is given even if it is not full. */
const TIME_SLICE_MS = 500;
/** Milliseconds after which the query is refused; members are few and small. */
const TIME_MS_MAX = 5_000;

function planFor(query: Query, text: QueryText): Result<Plan, Refusal> {
  const program = bindProgram(query, { computed: new Map(), parameters: text.parameters });
  if (!program.ok) return no(refusalOf(program.error));
  const plan = planOf(program.value, NO_INDEX);
  return plan.ok ? plan : no(refusalOf(plan.error));
}

const NO_INDEX: IndexView = {
  isIndexed: () => false,
  isIncluded: () => true,
  composites: [],
  spatialPlace: () => undefined,
  isComplete: false,
  isAnyOrderSorted: true,
};

function sourceOf(members: readonly ListMember[]): Source {
  const items = members
    .map(({ number, body }): SourceItem => ({ number, body: Buffer.from(JSON.stringify(body)) }))
    .sort((a, b) => a.number - b.number);
  return {
    range: WHOLE_RANGE,
    placement: undefined,
    itemCount: items.length,
    isEveryTermLive: () => true,
    countInScope: () => items.length,
    scanItems: (afterNumber) => {
      const found = items.filter(({ number }) => number > afterNumber);
      return { items: found, lastNumber: found.at(-1)?.number ?? afterNumber, isLast: true };
    },
    scanTerms: () => ({ entries: [], isLast: true }),
    load: (numbers) => items.filter(({ number }) => numbers.includes(number)),
    valueOf: ({ body }) => objectOf(body),
    epkOf: () => WHOLE_RANGE.min,
  };
}
