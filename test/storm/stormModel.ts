/**
 * What clients were told about the items of a storm, and what may therefore be read.
 *
 * Every item has one client that writes it, so at most one of its versions is not decided yet. All
 * versions are remembered in order, with the instant of their acknowledgement: an answer may hold
 * any version that no other had replaced, for certain, when the question was asked.
 *
 * Instants are counted, not measured: the model counts whatever happens to it.
 */
import type { ContainerKind } from "./stormContainers.ts";

/** A broken promise; its message is what a failing test shows. */
class Violation extends Error {
  override readonly name = "Violation";
}

export function demand(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Violation(message);
}

/** Text that no other version has; `null` stands for an item that is not there. */
type Marker = string | null;

interface Version {
  readonly marker: Marker;
  /** The value of a unique key, where there is one. */
  readonly unique: string | undefined;
  /** Undefined until it is acknowledged. */
  ackedAt: number | undefined;
  etag: string | undefined;
  itemLsn: number | undefined;
}

export class ItemHistory {
  readonly id: string;
  readonly key: readonly string[];
  readonly #versions: Version[] = [
    { marker: null, unique: undefined, ackedAt: 0, etag: undefined, itemLsn: undefined },
  ];

  constructor(id: string, key: readonly string[]) {
    this.id = id;
    this.key = key;
  }

  /** The last version that was acknowledged. */
  get known(): Version {
    return this.#versions.findLast(({ ackedAt }) => ackedAt !== undefined)!;
  }

  /** What a write under way would leave. */
  get undecided(): Version | undefined {
    const last = this.#versions.at(-1)!;
    return last.ackedAt === undefined ? last : undefined;
  }

  begin(marker: Marker, unique?: string): void {
    demand(this.undecided === undefined, `two writes of ${this.id} are under way`);
    const nothing = { ackedAt: undefined, etag: undefined, itemLsn: undefined };
    this.#versions.push({ marker, unique, ...nothing });
  }

  acknowledge(now: number, etag: string | undefined, itemLsn: number | undefined): void {
    const version = this.undecided;
    demand(version !== undefined, `no write of ${this.id} is under way`);
    Object.assign(version, { ackedAt: now, etag, itemLsn });
  }

  /** It came to nothing. */
  withdraw(): void {
    demand(this.undecided !== undefined, `no write of ${this.id} is under way`);
    this.#versions.pop();
  }

  /** May an answer hold this version if it was asked for at `since`? */
  mayBe(marker: Marker, since: number): boolean {
    const index = this.#versions.findLastIndex((version) => version.marker === marker);
    if (index < 0) return false;
    return this.#versions
      .slice(index + 1)
      .every(({ ackedAt }) => ackedAt === undefined || ackedAt > since);
  }

  /** It has been there ever since, and nobody has touched it. */
  isUntouched(since: number): boolean {
    const { marker, ackedAt } = this.#versions.at(-1)!;
    return marker !== null && ackedAt !== undefined && ackedAt <= since;
  }

  /** Nobody has deleted it since, or tried to. */
  isUndeleted(since: number): boolean {
    return this.#versions.every(
      ({ marker, ackedAt }) => marker !== null || (ackedAt !== undefined && ackedAt <= since),
    );
  }
}

/** A name under which there may be a container, one after the other. */
export class ContainerSlot {
  readonly database: string;
  readonly name: string;
  readonly kind: ContainerKind;
  /** Of the one that is there for certain. */
  rid: string | undefined;
  undecided: "create" | "delete" | undefined;
  items: Map<string, ItemHistory> = new Map<string, ItemHistory>();

  constructor(kind: ContainerKind) {
    this.database = kind.database;
    this.name = kind.name;
    this.kind = kind;
  }

  become(rid: string | undefined): void {
    if (rid !== this.rid) this.items = new Map();
    this.rid = rid;
    this.undecided = undefined;
  }

  item(id: string, key: readonly string[]): ItemHistory {
    const item = this.items.get(id) ?? new ItemHistory(id, key);
    this.items.set(id, item);
    return item;
  }
}

export class StormModel {
  readonly slots: readonly ContainerSlot[];
  #now = 0;

  constructor(kinds: readonly ContainerKind[]) {
    this.slots = kinds.map((kind) => new ContainerSlot(kind));
  }

  get now(): number {
    return this.#now;
  }

  tick(): number {
    return ++this.#now;
  }
}
