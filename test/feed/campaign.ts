/**
 * Writers, readers and disturbances on one container of a real server, from one seed, and the
 * verdict when all of it is over.
 *
 * Readers follow in both modes: the whole container, every feed range there was at the start, and
 * some logical partitions. When nothing is written any more, two more read it all afresh: one from
 * the continuation with which the first reader began, one from the beginning.
 */
import type { Container, ItemDefinition } from "@azure/cosmos";
import { ChangeFeedPolicy, ChangeFeedRetentionTimeSpan, CosmosClient } from "@azure/cosmos";
import type { Random } from "../../src/base/world.ts";
import type { Site } from "../crash/site.ts";
import type { DisturbanceCounts } from "./disturbances.ts";
import { Disturbances } from "./disturbances.ts";
import type { SettledCommit } from "./feedCheck.ts";
import { liveOf } from "./feedCheck.ts";
import type { ReaderSetting } from "./feedReader.ts";
import { FeedReader } from "./feedReader.ts";
import { ItemLine } from "./itemLine.ts";
import { Ledger } from "./ledger.ts";
import type { FeedMode } from "./memoryFeed.ts";
import { patientOptions } from "./patience.ts";
import { Writer } from "./writer.ts";

export interface CampaignSize extends DisturbanceCounts {
  readonly changes: number;
  readonly keyCount: number;
  /** Items a logical partition may have. */
  readonly idCount: number;
  readonly bulkCount: number;
  readonly pageCount: number;
  /** Logical partitions that have a reader of their own, in each mode. */
  readonly followedCount: number;
  readonly resumeShare: number;
}

const DATABASE = "feed";
const CONTAINER = "changes";
/** Two physical partitions to begin with. */
const THROUGHPUT = 20_000;
const RETENTION_MINUTES = 24 * 60;
const WRITER_COUNT = 6;
const CLIENT_COUNT = 2;
const MODES: readonly FeedMode[] = ["full", "latest"];

interface Readers {
  readonly whole: readonly FeedReader[];
  readonly ranges: readonly (readonly FeedReader[])[];
  readonly byKey: ReadonlyMap<string, readonly FeedReader[]>;
}

export class Campaign implements AsyncDisposable {
  readonly ledger: Ledger = new Ledger();
  readonly disturbances: Disturbances;
  readonly #site: Site;
  readonly #random: Random;
  readonly #size: CampaignSize;
  readonly #keys: readonly string[];
  readonly #clients: CosmosClient[] = [];
  readonly #lines: ItemLine[] = [];
  readonly counts = { bulks: 0, batches: 0, undone: 0, single: 0, lost: 0 };
  readonly readCounts = { pages: 0, events: 0, resumes: 0, endless: 0 };
  #markers = 0;

  constructor(site: Site, random: Random, size: CampaignSize) {
    this.#site = site;
    this.#random = random;
    this.#size = size;
    this.#keys = Array.from({ length: size.keyCount }, (_, index) => `k${index}`);
    this.disturbances = new Disturbances(site, random, `${DATABASE}/${CONTAINER}`);
  }

  /** Resolves with what was wrong. */
  async run(): Promise<readonly string[]> {
    const containers = await this.#create();
    const readers = await this.#openReaders(containers);
    const all = [...readers.whole, ...readers.ranges.flat(), ...[...readers.byKey.values()].flat()];
    for (const reader of all) await reader.begin();
    await this.#disturb(all);
    for (const { pageCount, endlessCount, record } of all) {
      this.readCounts.pages += pageCount;
      this.readCounts.endless += endlessCount;
      this.readCounts.events += record.eventCount;
      this.readCounts.resumes += record.resumeCount;
    }
    const late = await this.#readAgain(readers);
    return this.#judge(readers, late, await this.#itemsOf(containers[0]!));
  }

  /** Until all changes are made and all readers have seen them; whoever fails ends it for all. */
  async #disturb(readers: readonly FeedReader[]): Promise<void> {
    let [isWritten, isOver, isCalm] = [false, false, false];
    const progress = (): number => this.ledger.changeCount / this.#size.changes;
    const disturbing = this.disturbances.run(this.#size, progress, () => isOver);
    const calm = disturbing.then(() => {
      isCalm = true;
    });
    const isDone = (): boolean => isOver || (isCalm && progress() >= 1);
    const mayWrite = (): boolean => progress() < this.disturbances.progressMax;
    const writing = this.#write(isDone, mayWrite).then(() => {
      isWritten = true;
    });
    const reading = readers.map((reader) => reader.run(() => isOver || isWritten));
    const everybody = [calm, writing, ...reading];
    try {
      await Promise.all(everybody);
    } finally {
      isOver = true;
      await Promise.allSettled(everybody);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const line of this.#lines) line.close();
    for (const client of this.#clients) client.dispose();
  }

  async #create(): Promise<readonly Container[]> {
    const containers = Array.from({ length: CLIENT_COUNT }, () => this.#container());
    const { database } = await this.#clients[0]!.databases.create({ id: DATABASE });
    await database.containers.create({
      id: CONTAINER,
      partitionKey: { paths: ["/pk"], version: 2 },
      throughput: THROUGHPUT,
      indexingPolicy: { includedPaths: [], excludedPaths: [{ path: "/*" }] },
      changeFeedPolicy: new ChangeFeedPolicy(
        ChangeFeedRetentionTimeSpan.fromMinutes(RETENTION_MINUTES),
      ),
    });
    return containers;
  }

  /** As a client of its own sees it. */
  #container(): Container {
    const { endpoint, key } = this.#site;
    const client = new CosmosClient({ endpoint, key, ...patientOptions() });
    this.#clients.push(client);
    return client.database(DATABASE).container(CONTAINER);
  }

  async #openReaders(containers: readonly Container[]): Promise<Readers> {
    const ranges = await containers[0]!.getFeedRanges();
    const followed = this.#keys.slice(0, this.#size.followedCount);
    const open = (mode: FeedMode, scope?: ReaderSetting["scope"]): FeedReader =>
      this.#openReader({ mode, containers, ...(scope !== undefined && { scope }) });
    return {
      whole: MODES.map((mode) => open(mode)),
      ranges: MODES.map((mode) => ranges.map((range) => open(mode, range))),
      byKey: new Map(followed.map((key) => [key, MODES.map((mode) => open(mode, key))])),
    };
  }

  #openReader(
    setting: Pick<ReaderSetting, "mode" | "containers" | "scope" | "continuation">,
  ): FeedReader {
    const { pageCount, resumeShare } = this.#size;
    const [site, random] = [this.#site, this.#random];
    return new FeedReader({ site, random, pageCount, resumeShare, ...setting });
  }

  async #write(isOver: () => boolean, mayWrite: () => boolean): Promise<void> {
    const { idCount, bulkCount } = this.#size;
    const [site, random, ledger] = [this.#site, this.#random, this.ledger];
    const nextMarker = (): number => ++this.#markers;
    const writers = Array.from({ length: WRITER_COUNT }, (_, writer) => {
      const line = new ItemLine(site, `dbs/${DATABASE}/colls/${CONTAINER}`);
      this.#lines.push(line);
      const keys = this.#keys.filter((_key, index) => index % WRITER_COUNT === writer);
      const setting = { site, line, ledger, random, keys, idCount, bulkCount, nextMarker };
      return new Writer(setting);
    });
    await Promise.all(writers.map((writer) => writer.run(isOver, mayWrite)));
    for (const { counts } of writers) {
      for (const name of Object.keys(counts) as (keyof typeof counts)[]) {
        this.counts[name] += counts[name];
      }
    }
  }

  /** With a client that knows nothing. */
  async #readAgain({ whole: [full] }: Readers): Promise<readonly FeedReader[]> {
    const containers = [this.#container()];
    const continuation = full!.firstContinuation;
    const late = [
      this.#openReader({ mode: "full", containers, continuation }),
      this.#openReader({ mode: "latest", containers }),
    ];
    for (const reader of late) await reader.run(() => true);
    return late;
  }

  async #itemsOf(container: Container): Promise<ReadonlyMap<string, number>> {
    const { resources } = await container.items.readAll<ItemDefinition>().fetchAll();
    return new Map(resources.map(({ id, pk, n }) => [`${pk}/${id}`, Number(n)]));
  }

  #judge(
    { whole, ranges, byKey }: Readers,
    late: readonly FeedReader[],
    items: ReadonlyMap<string, number>,
  ): string[] {
    const problems: string[] = [];
    const live = new Map<string, number>();
    for (const reader of [...whole, ...ranges.flat(), ...late]) {
      const foreign = reader.record.keys.filter((key) => !this.#keys.includes(key));
      problems.push(...foreign.map((key) => `${key}: nobody wrote it`));
    }
    for (const key of this.#keys) {
      const complain = (who: string, found: readonly string[]): void => {
        problems.push(...found.map((problem) => `${key}, ${who}: ${problem}`));
      };
      const first = whole[0]!.record.judgeFull(key, this.ledger.commitsOf(key));
      complain("whole container, full", first.problems);
      if (first.problems.length > 0) continue;
      const { settled } = first;
      for (const [id, marker] of liveOf(settled)) live.set(`${key}/${id}`, marker);
      complain("whole container, latest", verdictOf(whole[1]!, key, settled));
      for (const group of ranges) complain("feed range", verdictOfRanges(group, key, settled));
      for (const reader of byKey.get(key) ?? []) {
        complain(`its own reader, ${reader.mode}`, verdictOf(reader, key, settled));
      }
      complain("read again", verdictOf(late[0]!, key, settled));
      complain("read afresh", late[1]!.record.judgeLatest(key, settled, true));
    }
    if (problems.length > 0) return problems;
    for (const [name, marker] of live) {
      if (items.get(name) !== marker)
        problems.push(`${name} is not the item that the feed tells of`);
    }
    if (items.size !== live.size) problems.push(`${items.size} items, ${live.size} by the feed`);
    return problems;
  }
}

function verdictOf(
  { mode, record }: FeedReader,
  key: string,
  settled: readonly SettledCommit[],
): readonly string[] {
  return mode === "full"
    ? record.judgeFull(key, settled).problems
    : record.judgeLatest(key, settled);
}

/** A logical partition is in one feed range. */
function verdictOfRanges(
  group: readonly FeedReader[],
  key: string,
  settled: readonly SettledCommit[],
): readonly string[] {
  const [reader, other] = group.filter(({ record }) => record.keys.includes(key));
  if (other !== undefined) return ["it is in two feed ranges"];
  if (reader === undefined) return settled.length === 0 ? [] : ["it is in no feed range"];
  return verdictOf(reader, key, settled);
}
