/**
 * One request for a page of a query: begins the page or goes on with what an earlier request left,
 * and says what the page costs and where the next one begins.
 *
 * A page that has to collect before it can give any row may take longer than a request should. Then
 * the client gets an empty page with a continuation, and the page under way is kept
 * (`suspendedPages.ts`). The requests together cost what one request would: each pays for what was
 * looked at since the one before. A page that collects again what an earlier request has paid for
 * pays at its end.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Ru } from "../../base/units.ts";
import { ru } from "../../base/units.ts";
import type { Refusal } from "../../model/refusal.ts";
import { isSlice } from "../../model/request/itemScope.ts";
import { isGrouped } from "../../query/bind/bound.ts";
import type { QueryPage } from "../../query/execute/page.ts";
import type { PageStep } from "../../query/execute/pageUnderWay.ts";
import { PageUnderWay } from "../../query/execute/pageUnderWay.ts";
import type { Position } from "../../query/execute/position.ts";
import { QueryWork } from "../../query/execute/work.ts";
import type { SignedCursors } from "../cursor/cursorKey.ts";
import { refusalOf } from "../item/queryRefusal.ts";
import { stateOf } from "../partition/collectedPages.ts";
import type { Container } from "../partition/container.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";
import type { PreparedQuery } from "../partition/preparedQueries.ts";
import type { QueryCharge } from "./queryCharge.ts";
import { queryChargeOf } from "./queryCharge.ts";
import { encodeQueryCursor } from "./queryCursor.ts";
import { functionCaller } from "./queryFunctions.ts";
import type { QueryAnswer, QueryCommand, QuerySetting } from "./queryItems.ts";
import type { PartitionSource } from "./querySource.ts";
import type { SuspendedPage } from "./suspendedPages.ts";

/** A query that was prepared for this request. */
interface AskedQuery {
  readonly prepared: PreparedQuery;
  readonly sources: readonly PartitionSource[];
  /** Signs cursors for the question of this request. */
  readonly cursors: SignedCursors;
  readonly cursor: Position | undefined;
}

type PageAnswer = Pick<
  QueryAnswer,
  "rows" | "continuation" | "charge" | "charges" | "work" | "paid"
>;

export async function queryPage(
  setting: QuerySetting,
  container: Container,
  command: QueryCommand,
  asked: AskedQuery,
): Promise<Result<PageAnswer, Refusal>> {
  const request = new PageOfQuery(setting, container, command, asked);
  return request.answer();
}

class PageOfQuery {
  readonly #setting: QuerySetting;
  readonly #container: Container;
  readonly #command: QueryCommand;
  readonly #asked: AskedQuery;
  readonly #partitions: readonly PhysicalPartition[];
  /** Where the page begins. */
  readonly #position: Position | undefined;

  constructor(
    setting: QuerySetting,
    container: Container,
    command: QueryCommand,
    asked: AskedQuery,
  ) {
    this.#setting = setting;
    this.#container = container;
    this.#command = command;
    this.#asked = asked;
    this.#partitions = asked.sources.map(({ partition }) => partition);
    this.#position = asked.cursor?.kind === "start" ? undefined : asked.cursor;
  }

  async answer(): Promise<Result<PageAnswer, Refusal>> {
    const begun = this.#takeSuspended() ?? this.#begin();
    const step = await this.#advance(begun.page);
    if (step.kind === "suspended") return ok(this.#suspend(begun, step));
    if (!step.page.ok) return no(refusalOf(step.page.error));
    return ok(this.#end(begun, step.page.value));
  }

  get #isInner(): boolean {
    return this.#setting.isInner === true;
  }

  /** Returns what the client has to ask again, word for word, to go on from a continuation. */
  #questionAt(continuation: string): string {
    const { text, parameters, scope } = this.#command;
    return JSON.stringify([text, [...parameters], scope, continuation]);
  }

  /** Like `#questionAt`, with the page size: a suspended page was begun for a number of rows. */
  #suspendedAt(continuation: string): string {
    const { countMax, isRangeByRange = false } = this.#command;
    return JSON.stringify([countMax, isRangeByRange, this.#questionAt(continuation)]);
  }

  #takeSuspended(): Omit<SuspendedPage, "heldBytes"> | undefined {
    const { continuation } = this.#command;
    if (continuation === undefined || this.#asked.cursor?.suspended === undefined) return undefined;
    return this.#setting.suspended?.take(this.#suspendedAt(continuation), this.#container);
  }

  #begin(): Omit<SuspendedPage, "heldBytes"> {
    const { clock } = this.#setting;
    const { map, definition } = this.#container;
    const { indexingPolicy } = definition;
    const state = stateOf(this.#partitions);
    const page = new PageUnderWay(this.#requestAt(state));
    return { page, begunAt: clock.now(), state, paid: new Map(), map, indexingPolicy };
  }

  #requestAt(state: string): ConstructorParameters<typeof PageUnderWay>[0] {
    const { clock, timer, random, pages, limits, scripts } = this.#setting;
    const { continuation, countMax, parameters, isRangeByRange } = this.#command;
    const isKept = continuation !== undefined && !this.#isInner;
    const collected = this.#container.collected;
    return {
      clock,
      timer,
      random,
      pages,
      callFunctions: scripts && functionCaller(scripts, limits),
      rest: isKept ? collected.take(this.#questionAt(continuation), state) : undefined,
      plan: this.#asked.prepared.plan,
      parameters,
      sources: this.#asked.sources,
      position: this.#position,
      geometry: this.#container.definition.geospatialConfig.type,
      timeSliceMs: TIME_SLICE_MS,
      limits: {
        countMax,
        bytesMax: limits.pageBytesMax,
        isScanBlind: isOneRangeAsked(this.#container, this.#command),
        isOfOneSource: isRangeByRange,
      },
    };
  }

  /**
   * Advances the page. A page of a script cannot be suspended, so it may take as long as a script
   * may.
   */
  async #advance(page: PageUnderWay): Promise<PageStep> {
    const { suspended, limits } = this.#setting;
    const { isGone } = this.#command;
    if (suspended === undefined || this.#isInner)
      return page.finish(limits.scriptTimeMsMax, isGone);
    return this.#mustGive() ? page.finish(GIVING_MS_MAX, isGone) : page.advance(isGone);
  }

  /**
   * True when the page must not be suspended. The JavaScript client, once it has a group, takes an
   * empty page for the end of all groups: it returns the groups it has as the whole result, and
   * then asks itself for more, for ever. So a page of groups is not suspended if pages before it
   * may have given groups.
   */
  #mustGive(): boolean {
    const isFirst = this.#position === undefined && !isSlice(this.#command.scope);
    return !isFirst && isGrouped(this.#asked.prepared.plan.query);
  }

  #suspend(
    begun: Omit<SuspendedPage, "heldBytes">,
    { state: { work, heldBytes } }: Extract<PageStep, { readonly kind: "suspended" }>,
  ): PageAnswer {
    const { random, suspended } = this.#setting;
    const isPaidNow = this.#position === undefined;
    const charged = isPaidNow ? owed(this.#chargeOf(work), begun.paid) : NOTHING_OWED;
    const name = Buffer.from(random.bytes(NAME_BYTES)).toString("hex");
    const start = this.#position ?? ({ kind: "start", skip: 0, take: undefined } as const);
    const cursor = { ...start, suspended: name };
    const continuation = encodeQueryCursor(this.#asked.cursors, cursor);
    const paid = isPaidNow ? together(begun.paid, charged.charges) : begun.paid;
    suspended?.keep(this.#suspendedAt(continuation), { ...begun, heldBytes, paid });
    // Clients add up the work that pages report; the last request reports it for all.
    const nothingYet = new QueryWork();
    nothingYet.access.push("suspended");
    return { rows: [], continuation, ...charged, work: nothingYet, paid: { visits: [] } };
  }

  #end(begun: Omit<SuspendedPage, "heldBytes">, page: QueryPage): PageAnswer {
    const { rows, next, rest, work } = page;
    const charged = this.#chargeOf(work);
    const { cursors } = this.#asked;
    const continuation = next && encodeQueryCursor(cursors, paidUpTo(next, charged.ru));
    // Items expire without a new LSN, so the state would not show that kept rows are out of date.
    const canExpire = this.#container.definition.defaultTtl !== undefined;
    const isKept = continuation !== undefined && rest !== undefined && !canExpire;
    if (isKept && !this.#isInner && stateOf(this.#partitions) === begun.state) {
      this.#container.collected.keep(this.#questionAt(continuation), begun.state, rest);
    }
    const { paid } = charged;
    return { rows, continuation, ...owed(charged, begun.paid), work, paid };
  }

  #chargeOf(work: QueryWork): QueryCharge {
    return queryChargeOf(
      {
        plan: this.#asked.prepared.plan,
        work,
        // A query that no item can pass is still run, on the first physical partition.
        partitions: this.#partitions.length > 0 ? this.#partitions : [firstOf(this.#container)],
        partitionOf: ({ source }) => (source as PartitionSource).partition,
        ruBefore: this.#position?.cut?.ru,
      },
      this.#command.consistency ?? "session",
    );
  }
}

type Owed = Pick<QueryCharge, "charge" | "charges">;

const NOTHING_OWED: Owed = { charge: ru(0), charges: new Map() };

/**
 * Returns what is left to pay of a page. RU that earlier requests paid in vain are not given back.
 */
function owed({ charge, charges }: QueryCharge, paid: ReadonlyMap<PhysicalPartition, Ru>): Owed {
  if (paid.size === 0) return { charge, charges };
  const left = new Map<PhysicalPartition, Ru>();
  let hundredths = 0;
  for (const [partition, part] of charges) {
    const own = Math.round(100 * (part - (paid.get(partition) ?? 0)));
    if (own <= 0) continue;
    hundredths += own;
    left.set(partition, ru(own / 100));
  }
  return { charge: ru(hundredths / 100), charges: left };
}

function together(
  before: ReadonlyMap<PhysicalPartition, Ru>,
  now: ReadonlyMap<PhysicalPartition, Ru>,
): ReadonlyMap<PhysicalPartition, Ru> {
  const sums = new Map(before);
  for (const [partition, part] of now) {
    const sum = Math.round(100 * ((sums.get(partition) ?? 0) + part));
    sums.set(partition, ru(sum / 100));
  }
  return sums;
}

/** Bytes of the name of a suspended page: enough that no two names are alike. */
const NAME_BYTES = 8;

/**
 * True when the client asks a container with one range without a scope. Tests of the Go and
 * JavaScript clients expect that such a range, for a scan without a filter, ends a full page
 * without looking whether anything follows, so that an empty page comes last. Over several ranges
 * the JavaScript tests expect no empty page, so there the page looks whether anything follows.
 */
function isOneRangeAsked({ map }: Container, { scope }: QueryCommand): boolean {
  return scope.kind === "container" && map.entries.length === 1;
}

/**
 * Notes in the position of a page that was cut off what the page cost, because it is charged as one
 * with the next.
 */
function paidUpTo(next: Position, ru: number): Position {
  return next.cut === undefined ? next : { ...next, cut: { ...next.cut, ru } };
}

function firstOf({ map, partitions }: Container): PhysicalPartition {
  return partitions.get(map.entries[0]!.id)!;
}

/** Milliseconds after which a page is given, or suspended, even if it is not full. */
const TIME_SLICE_MS = 500;

/** Milliseconds after which a page that must not be suspended is refused. */
const GIVING_MS_MAX = 30_000;
