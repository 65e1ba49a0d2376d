/**
 * The seam to storage: what survives, in about a dozen batch-oriented operations.
 *
 * The store knows physical partitions by number, items as bytes under an opaque key, terms as
 * opaque ordered bytes, and a log per physical partition. It knows nothing of JSON, hashes or
 * prices. Byte strings that serve as keys are *latin1 strings*: one character per byte, so that
 * JavaScript's `<` is byte order and no buffer has to be compared.
 *
 * Promises every implementation keeps (checked by `contract.test.ts`):
 * - `commit` is atomic and durable: when its promise resolves, all of it survives a power cut;
 *   when it rejects with a fault, the caller does not know, and the store takes no more writes.
 * - LSNs grow strictly in commit order within a part: the groups of a commit have those right after
 *   the one of the head, in their order. What a part adopts may leave gaps.
 * - A reader sees a commit whole or not at all, and only after it is durable.
 * - Only the holder of a part's current epoch may write to it.
 *
 * One commit per part is in flight at a time: the physical partition that owns the part waits for
 * it. That is what makes the checks it did before the commit still true at the commit.
 *
 * Reads may answer at once or later (`MaybePromise`): an embedded engine has the bytes in reach
 * and its callers should not pay for a promise; a distant one has not.
 */
import type { MaybePromise } from "../base/result.ts";
import type { Lsn } from "../base/units.ts";

/** A stored item. `body` must not be written to; it may be a view into a larger buffer. */
export interface StoredItem {
  /** Opaque, unique within the part: logical partition and id. A latin1 string. */
  readonly key: string;
  /** Unique within the container, growing in order of creation within a part. Below 2^53. */
  readonly number: number;
  /** When this version was committed. */
  readonly lsn: Lsn;
  /** A 32-bit integer of the owner's choosing, read without touching the body. */
  readonly tag: number;
  readonly body: Buffer;
}

/** What a write replaces: enough to keep counters and log right without reading it again. */
export interface Superseded {
  readonly lsn: Lsn;
  readonly bodyBytes: number;
  /** For whoever hears of commits; no store looks at it. */
  readonly body?: Buffer | undefined;
}

export interface ItemPut {
  readonly kind: "put";
  readonly key: string;
  readonly number: number;
  readonly tag: number;
  readonly body: Uint8Array;
  readonly before: Superseded | undefined;
  /** Terms the item does not have; one that it may have must be among those removed, too. */
  readonly termsAdded: readonly string[];
  /** Terms the item has, or may have. Removals come first: what is also added stays. */
  readonly termsRemoved: readonly string[];
}

export interface ItemDelete {
  readonly kind: "delete";
  readonly key: string;
  readonly number: number;
  /** As in `StoredItem`, of the end of the item. */
  readonly tag: number;
  readonly before: Superseded;
  readonly termsRemoved: readonly string[];
  /** Nobody asked for it: the item had lived long enough. */
  readonly isExpiry?: boolean;
  /** The body that ends here. Kept with the end, in commits that keep versions. */
  readonly last?: Uint8Array;
}

/**
 * Other terms for an item that stays as it is: same body, same LSN, no log entry. Its group has an
 * LSN like any other; no item will ever show it.
 */
export interface ItemReterm {
  readonly kind: "reterm";
  readonly key: string;
  readonly number: number;
  /** As in `ItemPut`. */
  readonly termsAdded: readonly string[];
  readonly termsRemoved: readonly string[];
}

export type ItemWrite = ItemPut | ItemDelete | ItemReterm;

/** Writes that happen together, under one LSN. No two of them touch the same item. */
export type WriteGroup = readonly ItemWrite[];

/** Counted by the store in the same commit as the writes that move them. */
export interface PartHead {
  readonly epoch: number;
  readonly lsn: Lsn;
  readonly itemCount: number;
  /** Sum of the body bytes of all items. */
  readonly itemBytes: number;
  /** The largest item number ever used in this part. */
  readonly numberMax: number;
  /** Ends up to this LSN have left the log, and kept versions are forgotten. */
  readonly sweptLsn: Lsn;
}

/** A half-open range of latin1 strings. */
export interface KeyRange {
  readonly min: string;
  readonly max: string;
}

export interface ScanLimits {
  readonly countMax: number;
  /** A page ends with the item that reaches this many body bytes. */
  readonly bytesMax: number;
}

export interface ItemPage {
  readonly items: readonly StoredItem[];
  /** True when nothing follows the last item of this page. */
  readonly isLast: boolean;
}

export interface TermEntry {
  readonly term: string;
  readonly number: number;
  /** Present when the scan asked for items. */
  readonly item?: StoredItem;
}

export interface TermPage {
  readonly entries: readonly TermEntry[];
  readonly isLast: boolean;
}

export interface TermScan extends ScanLimits {
  readonly range: KeyRange;
  /** Resume strictly after this entry, in the direction of the scan. */
  readonly after?: { readonly term: string; readonly number: number } | undefined;
  readonly isReverse?: boolean;
  readonly withItems: boolean;
}

/** How much there is of a family: the items whose keys agree up to their first zero byte. */
export interface Tally {
  readonly itemCount: number;
  /** Sum of the body bytes. */
  readonly itemBytes: number;
}

export interface FamilyTally extends Tally {
  readonly family: string;
}

export interface TallyPage {
  /** Only families that have items, in order. */
  readonly tallies: readonly FamilyTally[];
  readonly isLast: boolean;
}

export type LogKind = "created" | "replaced" | "deleted" | "expired";

/** True of the two ways in which an item comes to its end. */
export function isEnd(kind: LogKind): boolean {
  return kind === "deleted" || kind === "expired";
}

/** One change. A version that a later one superseded has left the log. */
export interface LogEntry {
  readonly lsn: Lsn;
  readonly number: number;
  readonly kind: LogKind;
  readonly key: string;
}

/**
 * A version, or the end of one, that was committed in another part and comes to this one as it was:
 * with its number, its LSN and its kind. `before` is what this part has under the key.
 */
export interface AdoptedVersion {
  readonly lsn: Lsn;
  readonly logKind: LogKind;
  readonly write:
    | ItemPut
    | (Omit<ItemDelete, "before"> & { readonly before: Superseded | undefined });
}

/** Terms that come to an item which the part has; nothing else of it changes. */
interface AdoptedTerms {
  readonly write: ItemReterm;
}

export type Adopted = AdoptedVersion | AdoptedTerms;

export function isVersion(adopted: Adopted): adopted is AdoptedVersion {
  return adopted.write.kind !== "reterm";
}

export interface LogPage {
  readonly entries: readonly LogEntry[];
  readonly isLast: boolean;
}

/**
 * A version, or the end of one, that stays after it was superseded, until it is swept. Only commits
 * that say so keep theirs.
 */
export interface KeptVersion extends LogEntry {
  readonly tag: number;
  /** Of what it took the place of; 0 if there was nothing. */
  readonly previousLsn: Lsn;
  /** Of an end: the body that ended, or nothing if the writer gave none. */
  readonly body: Buffer;
}

export interface VersionPage {
  readonly versions: readonly KeptVersion[];
  readonly isLast: boolean;
}

/** What a commit came to. */
export interface Committed {
  /** The part as the commit left it. */
  readonly head: PartHead;
  /** Of each group, in their order. */
  readonly lsns: readonly Lsn[];
}

export interface CommitTerms {
  /** Every version of these writes is kept beside the item, and so is every end. */
  readonly keepsVersions?: boolean;
}

export interface Lease {
  readonly owner: string;
  /** Grows each time the lease changes hands; guards the writes of whoever holds it. */
  readonly fencingToken: number;
  /** Wall-clock milliseconds. */
  readonly until: number;
}

export interface EndpointState {
  /** What people call it. */
  readonly name: string;
  readonly isReachable: boolean;
}

/** Where parts are. Each stays where it is until it is dropped. */
export interface PartPlacement {
  readonly endpoints: readonly EndpointState[];
  endpointOf(part: number): string;
  /** Says where a part goes that is claimed next, and is not there yet. */
  assign(part: number, endpoint: string): void;
}

export interface PartitionStore {
  get(part: number, key: string): MaybePromise<StoredItem | undefined>;
  /** In the order of `keys`. */
  getMany(part: number, keys: readonly string[]): MaybePromise<readonly (StoredItem | undefined)[]>;
  /** Those that there are, in the order of `numbers`. */
  itemsByNumber(part: number, numbers: readonly number[]): MaybePromise<readonly StoredItem[]>;
  /** Items by ascending number, strictly after `afterNumber`. */
  scanItems(part: number, afterNumber: number, limits: ScanLimits): MaybePromise<ItemPage>;
  /** Term entries by (term, number). */
  scanTerms(part: number, scan: TermScan): MaybePromise<TermPage>;
  /**
   * Puts what was committed lately in order, if that is much, so that the next scan of terms does
   * not have to do it in one go. A scan is right without it.
   */
  orderTerms(): MaybePromise<void>;
  /** Log entries by LSN, strictly after `afterLsn`. Entries of one LSN are never cut apart. */
  readLog(part: number, afterLsn: Lsn, countMax: number): MaybePromise<LogPage>;
  /**
   * Kept versions by LSN, strictly after `afterLsn`, none of those that were swept. Versions of one
   * LSN are never cut apart.
   */
  readVersions(part: number, afterLsn: Lsn, limits: ScanLimits): MaybePromise<VersionPage>;
  /** Of one family; of one without items, zeros. Moves in the commit that moves it. */
  tally(part: number, family: string): MaybePromise<Tally>;
  /** Families with items, from `range`, strictly after `after`. */
  scanTallies(
    part: number,
    scan: {
      readonly range: KeyRange;
      readonly after?: string | undefined;
      readonly countMax: number;
    },
  ): MaybePromise<TallyPage>;
  head(part: number): MaybePromise<PartHead | undefined>;
  /** Every part that was claimed and not dropped, catalogue included. */
  parts(): MaybePromise<readonly number[]>;

  /** Makes or takes over a part: from now on only commits with this epoch are accepted. */
  claim(part: number, epoch: number): Promise<PartHead>;
  /** Gives every group an LSN. The store is their one author; whoever predicts one asserts it. */
  commit(
    part: number,
    epoch: number,
    groups: readonly WriteGroup[],
    terms?: CommitTerms,
  ): Promise<Committed>;
  /**
   * Takes versions over from another part, atomically and durably like a commit. Items, terms, log,
   * tallies and counters come to be as if they had been committed here; the LSN of the part becomes
   * `throughLsn` unless it is higher already. No two versions touch the same item.
   */
  adopt(
    part: number,
    epoch: number,
    versions: readonly Adopted[],
    throughLsn: Lsn,
  ): Promise<PartHead>;
  /**
   * Takes kept versions over from another part as they are; none is newer than this part, and what
   * this part has swept stays forgotten. Nothing else of it changes.
   */
  adoptVersions(part: number, epoch: number, versions: readonly KeptVersion[]): Promise<void>;
  /**
   * Forgets ends and kept versions up to this LSN; nobody can read all of them from before it.
   * Resolves with the head as it is then.
   */
  sweepLog(part: number, epoch: number, throughLsn: Lsn): Promise<PartHead>;
  /** Forgets a part and all it holds. Its number must not be used again. */
  drop(part: number): Promise<void>;

  /** Takes or renews a named lease; `undefined` when somebody else holds it. */
  acquireLease(
    name: string,
    owner: string,
    nowMs: number,
    durationMs: number,
  ): Promise<Lease | undefined>;

  /** Set once a fault has ended writing for good. Reads go on. */
  readonly fault: StoreFault | undefined;
  /** Why nothing that grows is taken at present: that fault, or a full disk. */
  readonly obstacle: StoreFault | undefined;
  /** Why nothing that grows is taken by a part at present. */
  obstacleOf(part: number): StoreFault | undefined;
  /** Of a store that is in several places. */
  readonly placement?: PartPlacement | undefined;
  /**
   * How much of what may wait to be put into the tables does wait, from 0 to 1: at 1 commits wait,
   * too. Jobs stay away from there, so that clients find room.
   */
  readonly pressure: number;
  /** Resolves when what is being put into the tables is there; at once if nothing is. */
  eased(): Promise<void>;
  close(): Promise<void>;
}

/** The disk or the machine failed. Whoever owns the store stops writing; reads may go on. */
export class StoreFault extends Error {
  override readonly name: string = "StoreFault";
}

/**
 * What is stored is not what was written: a checksum does not fit, or something is not where it has
 * to be. It concerns what was asked for and nothing else; the store goes on.
 */
export class StoreDamage extends StoreFault {
  override readonly name = "StoreDamage";
}

/** A commit with an epoch that is no longer the part's own: the writer was deposed. */
export class Fenced extends Error {
  override readonly name = "Fenced";
}
