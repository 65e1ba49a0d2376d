/**
 * A query over the items of a container, page by page: which physical partitions it is about, and
 * what it finds there.
 *
 * Clients that can merge ask each range themselves with a text made for that range; such a request
 * is a query like any other, about one range. A query about several ranges is merged here, so that
 * every client gets the same answer, whether it can merge or not.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Ru } from "../../base/units.ts";
import type { Clock, Random, Timer } from "../../base/world.ts";
import type { Caller } from "../../model/caller.ts";
import { HIGH_CALLER } from "../../model/caller.ts";
import type { Consistency } from "../../model/consistency.ts";
import type { Limits } from "../../model/limits.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { ItemScope } from "../../model/request/itemScope.ts";
import { isSlice, rangeNamedBy } from "../../model/request/itemScope.ts";
import type { QueryText } from "../../model/request/queryText.ts";
import { intersect, WHOLE_RANGE } from "../../partition/epkRange.ts";
import type { PagesAtWork } from "../../query/evaluate/pagesAtWork.ts";
import type { QueryWork } from "../../query/execute/work.ts";
import type { KeyRanges } from "../../query/keyRanges/keyRanges.ts";
import type { ScriptRunner } from "../../script/scriptRunner.ts";
import type { PageWork } from "../../throughput/charge.ts";
import type { CursorKey } from "../cursor/cursorKey.ts";
import { refusalOf } from "../item/queryRefusal.ts";
import type { Container } from "../partition/container.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";
import type { PreparedQuery } from "../partition/preparedQueries.ts";
import { QUICK_TEXT_MAX } from "../partition/preparedQueries.ts";
import { searchBoundProblem } from "../vectors/searchBound.ts";
import type { VectorTables } from "../vectors/vectorTables.ts";
import { parseQueryCursor } from "./queryCursor.ts";
import { queryPage } from "./queryPage.ts";
import { queryQuestion } from "./queryQuestion.ts";
import { isKeyIndexed, keysOf, keyTermsOf, rangesWithin, widened } from "./queryRanges.ts";
import type { QueryableStore } from "./querySource.ts";
import { sourcesOf } from "./querySource.ts";
import type { SuspendedPages } from "./suspendedPages.ts";

export interface QuerySetting {
  readonly store: QueryableStore;
  /**
   * True for a query of a script: the script pays for it, and it reads writes that nobody else sees
   * yet.
   */
  readonly isInner?: boolean | undefined;
  /**
   * True for a query that the server asks by itself: it is no request of a client, nothing is
   * admitted or settled for it, and whoever asks pays `charges`.
   */
  readonly isBackground?: boolean | undefined;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly random: Random;
  readonly pages: PagesAtWork;
  readonly cursorKey: CursorKey;
  /** Keeps pages that ran out of time; absent where no later request can ask for them. */
  readonly suspended?: SuspendedPages | undefined;
  /** Runs user-defined functions; without it a query that calls some is refused. */
  readonly scripts?: Pick<ScriptRunner, "callFunctions"> | undefined;
  /** Tables for vector search, made from committed items; absent where vectors are not searched. */
  readonly vectors?: VectorTables | undefined;
}

export interface QueryCommand extends QueryText {
  /** What the client confines the query to. */
  readonly scope: ItemScope;
  /** May it be about more than one key, if the client does not confine it? */
  readonly isFanOutAllowed: boolean;
  /**
   * True when a page holds rows of one physical partition only, like pages of the service's
   * gateway.
   */
  readonly isRangeByRange?: boolean | undefined;
  readonly continuation: string | undefined;
  readonly countMax: number;
  readonly consistency?: Consistency | undefined;
  readonly caller?: Caller | undefined;
  /** The same for all requests that are one query to a client that asks range by range. */
  readonly queryId?: string | undefined;
  /** Asked now and then: has the client gone away? */
  readonly isGone?: (() => boolean) | undefined;
}

export interface QueryAnswer {
  readonly rows: readonly Buffer[];
  readonly continuation: string | undefined;
  readonly charge: Ru;
  /** The share of each physical partition; the shares add up to the charge exactly. */
  readonly charges: ReadonlyMap<PhysicalPartition, Ru>;
  /** The work that the charge is for. */
  readonly paid: PageWork;
  readonly consistency: Consistency;
  readonly work: QueryWork;
  readonly prepared: PreparedQuery;
  readonly compileMs: number;
  /** The physical partitions the query is about, in order. */
  readonly partitions: readonly PhysicalPartition[];
}

export async function queryItems(
  setting: QuerySetting,
  container: Container,
  command: QueryCommand,
): Promise<Result<QueryAnswer, Refusal>> {
  for (;;) {
    const { indexingPolicy } = container.definition;
    const { map } = container;
    const answer = await queryOnce(setting, container, command);
    // Under another policy the index loses terms that the plan may have relied on, and a physical
    // partition that was split or merged meanwhile may have been read in part.
    if (container.definition.indexingPolicy !== indexingPolicy || container.map !== map) continue;
    if (answer.ok && isRequest(setting)) settle(answer.value, command);
    return answer;
  }
}

function isRequest({ isInner, isBackground }: QuerySetting): boolean {
  return isInner !== true && isBackground !== true;
}

function settle({ charges }: QueryAnswer, { caller = HIGH_CALLER }: QueryCommand): void {
  for (const [{ spending }, charge] of charges) {
    spending.settle("query", undefined, charge, caller);
  }
}

/** Refuses unless every physical partition that the page may visit has budget left. */
function unaffordable(
  partitions: readonly PhysicalPartition[],
  { caller = HIGH_CALLER }: QueryCommand,
): Refusal | undefined {
  for (const { spending } of partitions) {
    const refusal = spending.admit("query", undefined, caller);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

async function queryOnce(
  setting: QuerySetting,
  container: Container,
  command: QueryCommand,
): Promise<Result<QueryAnswer, Refusal>> {
  const { clock, store } = setting;
  const { text, parameters } = command;
  const scope = rangeNamedBy(command.scope);
  const entering = setting.pages.enter();
  if (entering !== undefined) await entering;
  const startedAt = clock.now();
  const finding = container.queries.find(container, text, parameters, setting);
  const made = finding instanceof Promise ? await finding : finding;
  if (!made.ok) return no(refusalOf(made.error));
  const prepared = made.value;
  const keys =
    command.scope.kind === "nowhere" ? "nothing" : keysOf(container, prepared, parameters);
  const problem = fanOutProblem(prepared, keys, command);
  if (problem !== undefined) return no(problem);
  const kind = setting.isInner === true ? "scriptQuery" : "query";
  const cursors = setting.cursorKey.cursorsOf(() =>
    queryQuestion({ kind, owner: container.rid, query: prepared.query, ...command }),
  );
  const begun =
    command.continuation === undefined
      ? ok(undefined)
      : parseQueryCursor(cursors, command.continuation);
  if (!begun.ok) return begun;
  const cursor = begun.value;
  const ranges = rangesWithin(keys, scope ?? WHOLE_RANGE);
  const isWayIn = keys === "everything" || isKeyIndexed(container, prepared);
  const visited = isWayIn ? ranges : widened(container, ranges, scope);
  const vectors = setting.isInner === true ? undefined : setting.vectors;
  const keyTerms = isWayIn ? keyTermsOf(container, keys, scope ?? WHOLE_RANGE) : undefined;
  const sources = sourcesOf(store, container, visited, { vectors, keyTerms });
  const compileMs = clock.now() - startedAt;
  if (text.length > QUICK_TEXT_MAX) await setting.timer.soon();
  const ordered = store.orderTerms();
  if (ordered instanceof Promise) await ordered;
  const partitions = sources.map(({ partition }) => partition);
  if (isRequest(setting)) {
    const refusal = unaffordable(partitions, command);
    if (refusal !== undefined) return no(refusal);
    if (command.continuation === undefined) noteQuery(setting, container, command, keys);
  }
  const asked = { prepared, sources, cursors, cursor };
  const answer = await queryPage(setting, container, command, asked);
  const consistency = command.consistency ?? "session";
  return answer.ok ? ok({ ...answer.value, consistency, prepared, compileMs, partitions }) : answer;
}

/** Counts the query. The requests of a client that asks each range by itself count as one query. */
function noteQuery(
  { clock }: QuerySetting,
  container: Container,
  { scope, queryId }: QueryCommand,
  keys: KeyRanges,
): void {
  const { map } = container;
  const named = isSlice(scope) ? undefined : rangeNamedBy(scope);
  const ranges = rangesWithin(keys, named ?? WHOLE_RANGE);
  const owners = map.entries.filter(({ range }) =>
    ranges.some((each) => intersect(range, each) !== undefined),
  );
  container.noteQuery(owners.length, clock.now(), isSlice(scope) ? queryId : undefined);
}

/** Refuses what the service refuses in a query about more than one key. */
function fanOutProblem(
  { program }: PreparedQuery,
  keys: KeyRanges,
  { scope, isFanOutAllowed, parameters }: QueryCommand,
): Refusal | undefined {
  if (scope.kind !== "container" || program.query.sources.length === 0) return undefined;
  if (program.hasComposition) {
    const message = "Compositions of aggregates and other expressions are not allowed.";
    return { kind: "queryRefused", message };
  }
  const isOneKey = keys === "nothing" || (keys !== "everything" && keys.length <= 1);
  if (isOneKey) return undefined;
  if (isFanOutAllowed) return searchBoundProblem(program, parameters);
  return { kind: "fanOutNotAllowed" };
}
