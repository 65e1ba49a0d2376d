/**
 * What one server hosts: the catalogue over a store, and the operations on items that need both.
 * The surface of the engine to whoever speaks to clients.
 */
import type { ArchiveShelf } from "../archive/archiveFolder.ts";
import type { MaybePromise, Result } from "../base/result.ts";
import { no, ok } from "../base/result.ts";
import type { JsonObject, JsonValue } from "../json/value.ts";
import type { Caller } from "../model/caller.ts";
import { HIGH_CALLER } from "../model/caller.ts";
import type { Consistency } from "../model/consistency.ts";
import type { Limits } from "../model/limits.ts";
import type { PartitionKey } from "../model/partitionKey.ts";
import type { Refusal } from "../model/refusal.ts";
import { unsupported } from "../model/refusal.ts";
import type { QueryText } from "../model/request/queryText.ts";
import type { BatchRequest, WriteRequest } from "../model/request/writeRequest.ts";
import type { RateSetting } from "../model/throughput.ts";
import { PagesAtWork } from "../query/evaluate/pagesAtWork.ts";
import type { PartitionStore, PartPlacement, StoreFault } from "../store/partitionStore.ts";
import { chargeOf } from "../throughput/charge.ts";
import { AccountJobs } from "./accountJobs.ts";
import type { CatalogSetting } from "./catalog/catalog.ts";
import { Catalog } from "./catalog/catalog.ts";
import type { CursorKey } from "./cursor/cursorKey.ts";
import type { ChangeFeedPage, ChangeFeedRequest } from "./feed/changeFeed.ts";
import { readChangeFeed } from "./feed/changeFeed.ts";
import type { FeedPage, FeedRequest } from "./feed/itemFeed.ts";
import { readFeed } from "./feed/itemFeed.ts";
import { parseBody } from "./item/itemBody.ts";
import type { BatchOperation, BatchOutcome, ItemOutcome } from "./item/itemCommand.ts";
import { Mirroring } from "./mirror/mirroring.ts";
import type { Container, FormerKey } from "./partition/container.ts";
import type { RoutedKey } from "./partition/itemRouting.ts";
import { routeBatchOperation, routeKey, routeWrite } from "./partition/itemRouting.ts";
import { SteadyClock } from "./partition/steadyClock.ts";
import type { PlanTerms } from "./query/clientPlans.ts";
import { planItems } from "./query/clientPlans.ts";
import type { Asked } from "./query/leftToClients.ts";
import { leftToClients } from "./query/leftToClients.ts";
import type { ListAnswer, ListQuery } from "./query/listQuery.ts";
import { queryList } from "./query/listQuery.ts";
import type { QueryAnswer, QueryCommand, QuerySetting } from "./query/queryItems.ts";
import { queryItems } from "./query/queryItems.ts";
import { type QueryReach, queryReachOf } from "./query/queryReach.ts";
import { SuspendedPages } from "./query/suspendedPages.ts";
import type { OutOfReach } from "./report/outOfReach.ts";
import { outOfReach } from "./report/outOfReach.ts";
import { Reporting } from "./report/reporting.ts";
import type { Reshaping } from "./reshape/reshaping.ts";
import type {
  ProcedureAnswer,
  ProcedureRequest,
  TriggeredAnswer,
  TriggeredWrite,
} from "./script/scripting.ts";
import { Scripting } from "./script/scripting.ts";
import type { ScriptSetting } from "./script/scriptRuns.ts";
import { KeptStatistics } from "./upkeep/keptStatistics.ts";
import { VectorTables } from "./vectors/vectorTables.ts";

export interface AccountSetting extends CatalogSetting {
  /** Where archives go; without it nothing can be archived. */
  readonly archives?: ArchiveShelf | undefined;
  /** Without it scripts are kept, and cannot be run. */
  readonly scripts?: ScriptSetting | undefined;
}

export class Account {
  readonly catalog: Catalog;
  /** What the account does by itself. */
  readonly jobs: AccountJobs;
  /** Splits and merges. */
  readonly reshaping: Reshaping;
  readonly reporting: Reporting;
  /** Live reads that are run on another container as well. */
  readonly mirroring: Mirroring;
  readonly limits: Limits;
  /** What signs the cursors that the account hands out. */
  readonly cursorKey: CursorKey;
  /** What reads are promised unless they ask for less. */
  readonly consistency: Consistency;
  readonly rates: RateSetting | undefined;
  readonly #store: PartitionStore;
  readonly #world: Pick<CatalogSetting, "clock" | "timer" | "random">;
  readonly #pages: PagesAtWork;
  #queries: QuerySetting | undefined;
  readonly #suspended: SuspendedPages;
  readonly #vectors: VectorTables;
  readonly #scripting: Scripting | undefined;

  private constructor(
    catalog: Catalog,
    setting: AccountSetting & { readonly cursorKey: CursorKey },
    jobs: AccountJobs,
  ) {
    this.jobs = jobs;
    this.catalog = catalog;
    this.reshaping = jobs.reshaping;
    const { reshaping, views, copying, lifecycles } = jobs;
    this.reporting = new Reporting({ ...setting, catalog, reshaping, views, copying, lifecycles });
    this.limits = setting.limits;
    this.cursorKey = setting.cursorKey;
    this.rates = setting.rates;
    this.consistency = setting.consistency ?? "session";
    this.#store = setting.store;
    this.#world = setting;
    this.#pages = new PagesAtWork(setting.timer, setting.clock);
    this.#suspended = new SuspendedPages(setting);
    const { scripts } = setting;
    const pages = this.#pages;
    this.#scripting =
      scripts && new Scripting({ ...setting, ...scripts, scripts: scripts.runner, pages });
    this.#vectors = new VectorTables(setting);
    this.mirroring = new Mirroring({
      ...setting,
      ask: (container, command) =>
        queryItems({ ...this.#querySetting(), isBackground: true }, container, command),
    });
    jobs.copying.mirrorWith(this.mirroring);
  }

  static async open(opened: AccountSetting): Promise<Account> {
    const clock = new SteadyClock(opened.clock);
    const setting = { ...opened, clock };
    const catalog = await Catalog.open(setting);
    clock.advanceTo(catalog.notes.time);
    const cursorKey = await catalog.notes.cursorKey(setting.random);
    const isKept = setting.hasStatistics === true && setting.isKept === true;
    const kept = isKept ? await KeptStatistics.open({ ...setting, catalog }) : undefined;
    const jobs = new AccountJobs({ ...setting, catalog, kept });
    const account = new Account(catalog, { ...setting, cursorKey }, jobs);
    jobs.start();
    return account;
  }

  /** Set once the store has stopped taking writes. */
  get fault(): StoreFault | undefined {
    return this.#store.fault;
  }

  /** Where physical partitions are, if that is in several places. */
  get placement(): PartPlacement | undefined {
    return this.#store.placement;
  }

  /** Databases that cannot be reached, each with the physical partitions that it has. */
  get outOfReach(): readonly OutOfReach[] {
    return outOfReach(this.#store, this.catalog);
  }

  /** Why only deletions are taken at present, or nothing: that fault, or a full disk. */
  get obstacle(): StoreFault | undefined {
    return this.#store.obstacle;
  }

  /** `wrappingDepth`: levels that the request has around the items it carries. */
  parseBody(bytes: Buffer, wrappingDepth = 0): Result<JsonValue, Refusal> {
    return parseBody(bytes, this.limits, wrappingDepth);
  }

  /** The physical partition that owns a full partition key. */
  route(container: Container, key: PartitionKey | undefined): Result<RoutedKey, Refusal> {
    return routeKey(container, key, this.limits);
  }

  /**
   * The id of the item that a path names: by its id or, as self links do, by its rid. An item whose
   * id looks like a rid is found by its id. `undefined` when no item can have such a name.
   */
  itemIdOf(
    container: Container,
    key: PartitionKey | undefined,
    name: string,
  ): MaybePromise<string> | undefined {
    const isTooLong = name.length * 3 > this.limits.itemIdBytesMax;
    if (isTooLong && Buffer.byteLength(name) > this.limits.itemIdBytesMax) return undefined;
    const number = container.itemNumberIn(name);
    if (number === undefined) return name;
    const routed = this.route(container, key);
    if (!routed.ok) return name;
    const { partition, epk } = routed.value;
    return partition.idByName(epk, name, number);
  }

  writeItem(
    container: Container,
    request: WriteRequest,
    caller: Caller = HIGH_CALLER,
    program?: ProgramName,
  ): Result<Promise<ItemOutcome>, Refusal> {
    const { former } = container;
    const sender = { caller, program };
    if (former === undefined) return this.#write(container, request, sender);
    return ok(this.#writeTranslated(container, former, request, sender));
  }

  /** A write to a container that has had another key, by which its sender may still go. */
  async #writeTranslated(
    container: Container,
    former: FormerKey,
    request: WriteRequest,
    sender: Sender,
  ): Promise<ItemOutcome> {
    const terms = { program: sender.program?.(), mayMove: true };
    const translated = await former.translated(request, terms);
    if (translated.ok && translated.value.leaves !== undefined) {
      const moved = await former.move(translated.value, sender.caller);
      return this.#ledOn(container, request, sender, moved);
    }
    const written = translated.ok
      ? this.#write(container, translated.value.request, sender, request)
      : translated;
    if (written.ok) return written.value;
    const [first] = container.partitions.values();
    const { entry, lsn } = first!;
    const charge = chargeOf({ kind: "metadata" });
    return { kind: "refused", refusal: written.error, charge, lsn, rangeId: entry.id };
  }

  /** `asSent` is what its sender meant, in case that another container is to have it. */
  #write(
    container: Container,
    request: WriteRequest,
    sender: Sender,
    asSent: WriteRequest = request,
  ): Result<Promise<ItemOutcome>, Refusal> {
    const { caller } = sender;
    // Whoever cannot be served has to go before anything is spent on him, such as reading his item.
    const lead = (outcome: ItemOutcome): MaybePromise<ItemOutcome> =>
      this.#ledOn(container, asSent, sender, outcome);
    const sent = request.key === undefined ? undefined : this.route(container, request.key);
    if (sent?.ok === true) {
      const refused = sent.value.partition.refuseWrite(sent.value.epk, caller);
      if (refused !== undefined) return ok(Promise.resolve(lead(refused)));
    }
    const routed = routeWrite(container, request, this.limits);
    if (!routed.ok) return routed;
    return ok(routed.value.partition.submit(routed.value.command, caller, lead));
  }

  /** A write that came while its container gave its name away is one to the container of now. */
  #ledOn(
    container: Container,
    request: WriteRequest,
    { caller, program }: Sender,
    outcome: ItemOutcome,
  ): MaybePromise<ItemOutcome> {
    const movedTo = outcome.kind === "refused" ? container.movedToBy(outcome.refusal) : undefined;
    if (outcome.kind !== "refused" || movedTo === undefined) return outcome;
    const again = this.writeItem(movedTo, request, caller, program);
    return again.ok ? again.value : { ...outcome, refusal: again.error };
  }

  /** One operation of a batch, its key being that of the batch. */
  batchOperation(
    container: Container,
    request: BatchRequest & { readonly key: PartitionKey },
  ): Result<BatchOperation, Refusal> {
    return routeBatchOperation(container, request, this.limits);
  }

  /** All of them or none. They are about one logical partition, and there is at least one. */
  runBatch(
    container: Container,
    operations: readonly BatchOperation[],
    terms: { readonly caller: Caller; readonly consistency: Consistency },
  ): Promise<BatchOutcome> {
    const owner = container.ownerOf(operations[0]!.epk);
    const answerBytesMax = this.limits.pageBytesMax;
    return owner.submitTogether(operations, { ...terms, answerBytesMax });
  }

  async runProcedure(
    container: Container,
    request: ProcedureRequest,
  ): Promise<Result<ProcedureAnswer, Refusal>> {
    return this.#scripting?.runProcedure(container, request) ?? no(NO_SCRIPTS);
  }

  async writeWithTriggers(
    container: Container,
    write: TriggeredWrite,
    program?: ProgramName,
  ): Promise<Result<TriggeredAnswer, Refusal>> {
    if (this.#scripting === undefined) return no(NO_SCRIPTS);
    const terms = { program: program?.(), mayMove: false };
    const now = await container.former?.translated(write.request, terms);
    if (now?.ok === false) return now;
    const translated = { ...write, request: now?.value.request ?? write.request };
    const written = await this.#scripting.writeWithTriggers(container, translated);
    const { outcome } = written.ok ? written.value : { outcome: undefined };
    const movedTo = outcome?.kind === "refused" ? container.movedToBy(outcome.refusal) : undefined;
    return movedTo === undefined ? written : this.writeWithTriggers(movedTo, write, program);
  }

  /** Resolves when everything under a key, as of now, is gone. */
  deleteKey(container: Container, routed: RoutedKey): Promise<Result<void, Refusal>> {
    return this.jobs.deleteKey(container, routed);
  }

  async readItems(
    container: Container,
    asked: Omit<FeedRequest, "caller" | "consistency"> & Partial<FeedRequest>,
  ): Promise<Result<FeedPage, Refusal>> {
    const setting = { store: this.#store, limits: this.limits };
    const request = { caller: HIGH_CALLER, consistency: this.consistency, ...asked };
    for (;;) {
      const { map } = container;
      const page = await readFeed(setting, container, request);
      // A physical partition that was split or merged meanwhile may have been read in part.
      if (container.map !== map) continue;
      if (page.ok) {
        for (const [{ spending }, charge] of page.value.charges) {
          spending.settle("feed", undefined, charge, request.caller);
        }
      }
      return page;
    }
  }

  async readChanges(
    container: Container,
    request: ChangeFeedRequest,
  ): Promise<Result<ChangeFeedPage, Refusal>> {
    const setting = { ...this.#world, store: this.#store, limits: this.limits };
    for (;;) {
      const { map } = container;
      const page = await readChangeFeed(setting, container, request);
      if (container.map !== map) continue;
      if (page.ok) {
        for (const [{ spending }, charge] of page.value.charges) {
          spending.settle("feed", undefined, charge, request.caller);
        }
      }
      return page;
    }
  }

  queryItems(container: Container, command: QueryCommand): Promise<Result<QueryAnswer, Refusal>> {
    return queryItems(this.#querySetting(), container, command);
  }

  /** A query over resources that are no items. */
  queryList(query: ListQuery): Promise<Result<ListAnswer, Refusal>> {
    const { limits, cursorKey } = this;
    return queryList({ ...this.#world, limits, cursorKey, pages: this.#pages }, query);
  }

  /** The plan for a client that asks each range itself. */
  async planQuery(
    container: Container,
    query: QueryText,
    terms: PlanTerms,
  ): Promise<Result<JsonObject, Refusal>> {
    const plan = await planItems(this.#world, container, query, terms);
    if (plan.ok) this.mirroring.active?.get(container)?.notePlan(query.text, plan.value);
    return plan;
  }

  /** Where a query would go, without running it. */
  queryReach(container: Container, query: QueryText): Promise<Result<QueryReach, Refusal>> {
    return queryReachOf(this.#world, container, query);
  }

  async leftToClients(
    container: Container,
    query: QueryText,
    asked: Asked,
  ): Promise<Refusal | undefined> {
    const left = await leftToClients(this.#world, container, query, asked);
    if (left?.kind === "queryNotServable") {
      this.mirroring.active?.get(container)?.notePlan(query.text, JSON.parse(left.plan));
    }
    return left;
  }

  /** Finishes what was accepted, then closes the store; each whatever became of those before. */
  async close(): Promise<void> {
    this.#suspended.close();
    const failures: unknown[] = [];
    const note = (failure: unknown): void => void failures.push(failure);
    await this.jobs.stop().catch(note);
    await this.mirroring.close().catch(note);
    await this.catalog.close().catch(note);
    await this.jobs.putAway().catch(note);
    await this.#store.close().catch(note);
    if (failures.length > 0) throw failures[0];
  }

  /** Made once: every query needs it, and nothing of it ever changes. */
  #querySetting(): QuerySetting {
    this.#queries ??= {
      ...this.#world,
      store: this.#store,
      limits: this.limits,
      pages: this.#pages,
      cursorKey: this.cursorKey,
      suspended: this.#suspended,
      vectors: this.#vectors,
      scripts: this.#scripting?.runner,
    };
    return this.#queries;
  }
}

/** Names the program that sent a request; asked only where somebody wants to know. */
type ProgramName = () => string;

interface Sender {
  readonly caller: Caller;
  readonly program: ProgramName | undefined;
}

const NO_SCRIPTS: Refusal = unsupported("Scripts are not run here.");
