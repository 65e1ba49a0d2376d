/**
 * Records the requests to one container in bounded memory: it is given each request with its answer
 * (`note`), and can at any time return what it has seen (`recording`).
 *
 * Bounds: 128 shapes of queries and patches beside one of each kind of point operation, 256 places
 * of items, 384 tallies of values with 256 texts each, hashes of 1,024 items, 512 query texts of at
 * most 4,096 letters: 40 MB at the very most, and a few hundred thousand bytes as a rule.
 *
 * A value of a secret place is never held: the recorder keeps a digest with a salt of the
 * recording's own. That goes for items, parameters, literals, partition keys and ids alike.
 */
import type { Millis } from "../base/units.ts";
import type { Clock, Random } from "../base/world.ts";
import type { JsonValue } from "../json/value.ts";
import { isObject, property } from "../json/value.ts";
import type { PartitionKey } from "../model/partitionKey.ts";
import { parseItemPath, pathText } from "./itemPath.ts";
import { ItemShapes } from "./itemShapes.ts";
import { Series } from "./loadSeries.ts";
import type { Answered, Observation, ObservedWrite, PatchWrite, PointRead } from "./observation.ts";
import { OperationTable } from "./operationTable.ts";
import type { OperationTally } from "./operationTally.ts";
import { QueryLog } from "./queryLog.ts";
import { RecentVersions } from "./recentVersions.ts";
import type { RecordedThroughput, Recording, RecordingProgress } from "./recording.ts";
import { SaltedHash } from "./saltedHash.ts";
import type { Secrets } from "./secrets.ts";
import { TallyRoom } from "./valueTally.ts";
import { SecretNames, secretText, valueText } from "./valueText.ts";

/** The container that is recorded, as it was at the beginning. */
export interface Subject {
  readonly database: string;
  readonly container: string;
  readonly partitionKeyPaths: readonly string[];
  readonly computedNames: ReadonlySet<string>;
  readonly consistency: string;
  readonly throughput: RecordedThroughput | undefined;
  readonly itemCount: number;
  readonly partitionCount?: number | undefined;
  readonly ttlSeconds: number | undefined;
}

interface RecorderSetting {
  readonly subject: Subject;
  readonly secrets: Secrets;
  /** Seconds after which the recording ends by itself. */
  readonly seconds: number;
  readonly clock: Clock;
  readonly random: Random;
}

const ITEM_TALLY_COUNT_MAX = 192;
const OPERATION_TALLY_COUNT_MAX = 192;
const TOP_COUNT = 10;
const RATE_SECONDS = 10;

/** Status codes other than success that applications expect as an answer. */
const EXPECTED: ReadonlySet<number> = new Set([404, 409, 412]);

export class Recorder {
  readonly #setting: RecorderSetting;
  readonly #hash: SaltedHash;
  readonly #shapes: ItemShapes;
  readonly #versions: RecentVersions;
  readonly #table: OperationTable;
  readonly #queries: QueryLog;
  readonly #series: Series;
  readonly #statuses = new Map<number, number>();
  readonly #isSecretLevel: readonly boolean[];
  readonly #isIdSecret: boolean;
  readonly #startedAt: number;
  readonly #startedNow: Millis;
  #end: { readonly at: number; readonly reason?: string } | undefined;
  #operationCount = 0;
  #throttledCount = 0;
  #failedCount = 0;
  #ru = 0;

  constructor(setting: RecorderSetting) {
    const { subject, secrets, clock, random } = setting;
    this.#setting = setting;
    this.#hash = new SaltedHash(random);
    this.#shapes = new ItemShapes(
      secrets,
      this.#hash,
      new TallyRoom(this.#hash, ITEM_TALLY_COUNT_MAX),
    );
    this.#versions = new RecentVersions(this.#hash, this.#shapes);
    const room = new TallyRoom(this.#hash, OPERATION_TALLY_COUNT_MAX);
    this.#table = new OperationTable(this.#hash, room);
    const { computedNames } = subject;
    this.#queries = new QueryLog({ table: this.#table, hash: this.#hash, secrets, computedNames });
    this.#startedAt = clock.wallNow();
    this.#startedNow = clock.now();
    this.#series = new Series(this.#startedAt);
    this.#isSecretLevel = subject.partitionKeyPaths.map((path) => {
      const parsed = parseItemPath(path);
      return parsed === undefined ? !secrets.isNone : secrets.relationOf(parsed) !== "apart";
    });
    this.#isIdSecret = secrets.relationOf(["id"]) === "secret";
  }

  /** False once the recording has ended, and nothing is recorded any more. */
  get isRunning(): boolean {
    if (this.#end !== undefined) return false;
    const endsAt = this.#startedAt + this.#setting.seconds * 1000;
    if (this.#now() < endsAt) return true;
    this.#end = { at: endsAt };
    return false;
  }

  /** Ends the recording; with a reason it has failed. */
  end(reason?: string): void {
    if (!this.isRunning) return;
    const at = this.#now();
    this.#end = reason === undefined ? { at } : { at, reason };
  }

  note(observation: Observation): void {
    if (!this.isRunning) return;
    const now = this.#now();
    this.#count(observation.status, observation.ru);
    if (!this.#take(observation, isExpected(observation.status), now)) return;
    this.#operationCount += 1;
    this.#series.add(now);
  }

  /** Counts a request that failed before its shape was known. */
  noteFailed({ status, ru }: Answered): void {
    if (!this.isRunning) return;
    this.#count(status, ru);
  }

  /**
   * Notes that a client asked for the plan of a query, and goes on with the text that the plan has.
   */
  notePlan(text: string, rewritten: string): void {
    if (this.isRunning) this.#queries.expect(text, rewritten);
  }

  progress(): RecordingProgress {
    const { subject, seconds } = this.#setting;
    const isRunning = this.isRunning;
    const at = this.#end?.at ?? this.#now();
    const tallies = this.#table.tallies();
    const requestCount = [...this.#statuses.values()].reduce((sum, count) => sum + count, 0);
    return {
      database: subject.database,
      container: subject.container,
      startedAt: this.#startedAt,
      at,
      seconds: (at - this.#startedAt) / 1000,
      endsAt: this.#startedAt + seconds * 1000,
      state: isRunning ? "running" : this.#end?.reason === undefined ? "ended" : "failed",
      ...(this.#end?.reason !== undefined && { reason: this.#end.reason }),
      requestCount,
      operationCount: this.#operationCount,
      throttledCount: this.#throttledCount,
      failedCount: this.#failedCount,
      ru: this.#ru,
      ratePerSecond: this.#series.ratePerSecond(at, RATE_SECONDS),
      shapeCount: tallies.length,
      top: tallies.slice(0, TOP_COUNT).map((tally) => tally.progress()),
    };
  }

  recording(): Recording {
    const { subject, secrets } = this.#setting;
    const progress = this.progress();
    const names = new SecretNames();
    const { partitionKeyPaths, consistency, throughput, itemCount, ttlSeconds } = subject;
    return {
      formatVersion: 1,
      ...progress,
      partitionKeyPaths,
      secretPaths: secrets.texts,
      consistency,
      ...(throughput !== undefined && { throughput }),
      itemCountAtStart: itemCount,
      ...(subject.partitionCount !== undefined && {
        partitionCountAtStart: subject.partitionCount,
      }),
      ...(ttlSeconds !== undefined && { ttlSeconds }),
      statuses: Object.fromEntries(this.#statuses),
      series: this.#series.record(progress.at),
      operations: this.#table.tallies().map((tally) => tally.record(names)),
      others: this.#table.others,
      items: this.#shapes.record(names),
    };
  }

  /** Milliseconds since 1970 by the monotonic clock, so that setting the clock has no effect. */
  #now(): number {
    return this.#startedAt + this.#setting.clock.now() - this.#startedNow;
  }

  #count(status: number, ru: number): void {
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    this.#ru += ru;
    if (status === 429) this.#throttledCount += 1;
    else if (!isExpected(status)) this.#failedCount += 1;
  }

  /**
   * Records a request; true if it counts as an operation, which a further page of a query does not.
   */
  #take(observation: Observation, isOperation: boolean, now: number): boolean {
    const { key, status, ru } = observation;
    const texts = this.#keyTexts(key);
    if (observation.kind === "query") {
      return this.#queries.add(observation, { isOperation, texts, now });
    }
    if (observation.kind === "patch") return this.#patch(observation, isOperation, texts, now);
    const tally = this.#table.plain(observation.kind);
    tally.addStatus(status);
    if (!isOperation) return false;
    if (observation.kind === "readFeed" && observation.isContinued) {
      tally.extendQuery(ru, observation.rows);
      return false;
    }
    tally.add(ru, now);
    if (texts !== undefined) tally.addKey(texts);
    if (observation.kind === "readFeed") tally.addRows(observation.rows, observation.pageSize);
    else if (observation.kind === "pointRead") this.#read(observation, tally, texts, now);
    else if (observation.kind === "delete") this.#forget(texts, observation.id);
    else this.#write(observation, status, tally, texts, now);
    return true;
  }

  #read(read: PointRead, tally: OperationTally, texts: Texts, now: number): void {
    tally.addId(this.#idText(read.id));
    if (read.writtenAt !== undefined) tally.addAge(read.writtenAt, now);
    const item = this.#itemOf(texts, read.id);
    if (item === undefined || this.#versions.has(item)) return;
    const content = read.item?.();
    if (isObject(content)) this.#versions.put(item, content);
  }

  #write(
    { item: content, bytes }: ObservedWrite,
    status: number,
    tally: OperationTally,
    texts: Texts,
    now: number,
  ): void {
    if (!isObject(content) || status >= 400) return;
    tally.addBytes(bytes);
    this.#shapes.add(content, { bytes, now, isNew: status === 201 });
    const id = property(content, "id");
    const item = typeof id === "string" ? this.#itemOf(texts, id) : undefined;
    if (item === undefined) return;
    const changed = this.#versions.put(item, content);
    if (changed === undefined || status === 201) return;
    tally.addChanges([...changed].map((index) => pathText(this.#shapes.place(index).path)));
  }

  #patch(patch: PatchWrite & Answered, isOperation: boolean, texts: Texts, now: number): boolean {
    const { secrets } = this.#setting;
    const paths = new Set(
      patch.pointers.map((pointer) => {
        const path = pointer.map((name) => (/^(\d+|-)$/.test(name) ? 0 : name));
        return pathText(secrets.secretAbove(path) ?? path);
      }),
    );
    const text = [...paths].sort().join(", ");
    const shape =
      this.#table.find("patch", text) ??
      (isOperation && text.length <= TEXT_LENGTH_MAX && this.#table.admits("patch", text)
        ? this.#table.open("patch", text)
        : undefined);
    this.#forget(texts, patch.id);
    shape?.tally.addStatus(patch.status);
    if (!isOperation) return false;
    if (shape === undefined) {
      this.#table.addOther(patch.ru, true);
      return true;
    }
    shape.tally.add(patch.ru, now);
    if (texts !== undefined) shape.tally.addKey(texts);
    if (patch.status < 400) shape.tally.addChanges(paths);
    return true;
  }

  /** Returns undefined unless the partition key is a full one. */
  #keyTexts(key: PartitionKey | undefined): Texts {
    if (key === undefined || key.length !== this.#isSecretLevel.length) return undefined;
    return key.map((component, level) => {
      return this.#text(component, this.#isSecretLevel[level] === true);
    });
  }

  #idText(id: string): string {
    return this.#text(id, this.#isIdSecret);
  }

  #text(value: JsonValue | undefined, isSecret: boolean): string {
    return isSecret ? secretText(value, this.#hash) : valueText(value, this.#hash);
  }

  #itemOf(texts: Texts, id: string): number | undefined {
    return this.#versions.itemOf(texts?.join("\n") ?? "", id);
  }

  #forget(texts: Texts, id: string): void {
    const item = this.#itemOf(texts, id);
    if (item !== undefined) this.#versions.forget(item);
  }
}

type Texts = readonly string[] | undefined;

function isExpected(status: number): boolean {
  return status < 400 || EXPECTED.has(status);
}

/** Length of the text that identifies a shape. */
const TEXT_LENGTH_MAX = 4_096;
