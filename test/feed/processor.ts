/**
 * A change feed processor as an application would write it on the official client, which has none:
 * hosts that share the feed ranges of a container by leases, and hand every page of changes to a
 * delegate.
 *
 * A lease is an item of another container, and its etag guards it: whoever changes it has seen the
 * latest. A page is checkpointed after the delegate returned, so that a page is handed over at
 * least once. A host that is silent for too long loses its leases; one that has too many loses one
 * at a time. `term` counts the owners a lease has had, so that a delegate can tell a former one.
 *
 * When a physical partition was split, the client's continuation falls into several. The lease is
 * then retired, replaced by one for each, and deleted, in this order: who finds it half done goes
 * on.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { ChangeFeedPullModelIterator, Container, ItemDefinition } from "@azure/cosmos";
import { ChangeFeedMode, ChangeFeedStartFrom, ErrorResponse } from "@azure/cosmos";
import type { FeedRow } from "./feedRow.ts";
import type { FeedMode } from "./memoryFeed.ts";
import { withPatience } from "./patience.ts";

export interface Lease extends ItemDefinition {
  readonly id: string;
  readonly owner: string | null;
  readonly term: number;
  readonly continuation: string;
  /** Milliseconds since 1970; nobody has it any more afterwards. */
  readonly heldUntil: number;
  /** It is being replaced by those of its children. */
  readonly isRetired: boolean;
}

type StoredLease = Lease & { readonly _etag: string };

/** Part of what the client's continuation is: a position for each stretch of the feed range. */
interface Continuation {
  readonly rid: string;
  readonly Continuation: readonly Stretch[];
}

interface Stretch {
  readonly minInclusive: string;
  readonly maxExclusive: string;
  readonly continuationToken: string;
}

interface HostOptions {
  readonly name: string;
  readonly mode: FeedMode;
  readonly monitored: Container;
  readonly leases: Container;
  readonly pageCount: number;
  readonly pollMs: number;
  readonly balanceMs: number;
  readonly expiryMs: number;
  readonly delegate: (rows: readonly FeedRow[], lease: Lease) => Promise<void>;
}

const OPENING: Pick<Lease, "owner" | "term" | "heldUntil" | "isRetired"> = {
  owner: null,
  term: 0,
  heldUntil: 0,
  isRetired: false,
};

/** Makes a lease for every feed range; called once, before the first host starts. */
export async function createLeases({
  mode,
  monitored,
  leases,
}: Pick<HostOptions, "mode" | "monitored" | "leases">): Promise<void> {
  const { resource } = await monitored.read();
  for (const range of await monitored.getFeedRanges()) {
    const { minInclusive, maxExclusive } = range;
    let continuation = continuationOf(resource!._rid, {
      minInclusive,
      maxExclusive,
      continuationToken: "",
    });
    if (mode === "full") {
      const iterator = monitored.items.getChangeFeedIterator<FeedRow>({
        changeFeedStartFrom: ChangeFeedStartFrom.Now(range),
        changeFeedMode: ChangeFeedMode.AllVersionsAndDeletes,
      });
      continuation = (await iterator.readNext()).continuationToken;
    }
    await leases.items.create({ ...OPENING, id: nameOf(range), continuation });
  }
}

export class Host {
  readonly #options: HostOptions;
  readonly #held = new Map<string, Promise<void>>();
  #isStopped = false;
  #isDead = false;
  #balancing: Promise<void> | undefined;

  constructor(options: HostOptions) {
    this.#options = options;
  }

  start(): void {
    this.#balancing = this.#balance();
    // Whoever stops the host hears of a failure; until then it is nobody's surprise.
    this.#balancing.catch(() => {});
  }

  get leaseCount(): number {
    return this.#held.size;
  }

  /** Gives its leases back after the pages at hand. Rejects if it had failed before. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#balancing;
    await Promise.all(this.#held.values());
  }

  /** Nothing is heard of it any more: what it has begun is neither checkpointed nor given back. */
  die(): void {
    this.#isDead = true;
    this.#isStopped = true;
  }

  async #balance(): Promise<void> {
    const { balanceMs } = this.#options;
    while (!this.#isStopped) {
      const wanted = this.#wanted(await this.#allLeases());
      for (const lease of wanted) {
        if (this.#isStopped) return;
        await this.#acquire(lease);
      }
      // A failed lease ends the host, here, where somebody waits for it.
      await Promise.race([delay(balanceMs), ...this.#held.values()]);
      await delay(balanceMs / 2);
    }
  }

  async #allLeases(): Promise<readonly StoredLease[]> {
    const { resources } = await this.#options.leases.items.readAll<StoredLease>().fetchAll();
    return resources;
  }

  /** Those nobody has, up to a fair share; else one of whoever has most. */
  #wanted(leases: readonly StoredLease[]): readonly StoredLease[] {
    const { name } = this.#options;
    const isFree = ({ owner, heldUntil }: Lease): boolean =>
      owner === null || heldUntil < Date.now();
    const owned = new Map<string, StoredLease[]>([[name, []]]);
    for (const lease of leases) {
      if (isFree(lease)) continue;
      owned.set(lease.owner!, [...(owned.get(lease.owner!) ?? []), lease]);
    }
    const share = Math.ceil(leases.length / owned.size);
    const missing = share - owned.get(name)!.length;
    if (missing <= 0) return [];
    const free = leases.filter((lease) => isFree(lease) && !this.#held.has(lease.id));
    if (free.length > 0) return free.slice(0, missing);
    const [most] = [...owned.values()].toSorted((one, other) => other.length - one.length);
    const isUneven = most!.length > share || most!.length > owned.get(name)!.length + 1;
    return isUneven ? most!.slice(0, 1) : [];
  }

  async #acquire(lease: StoredLease): Promise<void> {
    const { name } = this.#options;
    const taken = await this.#replace(lease, { owner: name, term: lease.term + 1 });
    if (taken === undefined) return;
    const working = this.#work(taken).finally(() => this.#held.delete(taken.id));
    this.#held.set(taken.id, working);
    working.catch(() => {});
  }

  /** Until the host is stopped or the lease is somebody else's. */
  async #work(taken: StoredLease): Promise<void> {
    const { pollMs, expiryMs, delegate } = this.#options;
    let lease: StoredLease | undefined = taken;
    let iterator = this.#follow(lease);
    while (!this.#isStopped) {
      if (lease.isRetired) return this.#divide(lease);
      const page = await withPatience(() => iterator.readNext());
      if (page === undefined) {
        iterator = this.#follow(lease);
        continue;
      }
      const { result, continuationToken } = page;
      const rows = result ?? [];
      if (this.#isDead) return;
      if (rows.length > 0) await delegate(rows, lease);
      if (this.#isDead) return;
      const isRetired = stretchesOf(continuationToken).length > 1;
      const isDue = lease.heldUntil - Date.now() < (expiryMs * 2) / 3;
      if (rows.length > 0 || isRetired || isDue) {
        lease = await this.#replace(lease, { continuation: continuationToken, isRetired });
        if (lease === undefined) return;
      }
      if (rows.length === 0) await delay(pollMs);
    }
    if (!this.#isDead) await this.#replace(lease, { owner: null });
  }

  #follow({ continuation }: Lease): ChangeFeedPullModelIterator<FeedRow> {
    const { monitored, mode, pageCount } = this.#options;
    return monitored.items.getChangeFeedIterator<FeedRow>({
      changeFeedStartFrom: ChangeFeedStartFrom.Continuation(continuation),
      changeFeedMode:
        mode === "full" ? ChangeFeedMode.AllVersionsAndDeletes : ChangeFeedMode.LatestVersion,
      maxItemCount: pageCount,
    });
  }

  /** Its children begin where it ended. */
  async #divide(lease: StoredLease): Promise<void> {
    const { leases } = this.#options;
    const { rid } = JSON.parse(lease.continuation) as Continuation;
    for (const stretch of stretchesOf(lease.continuation)) {
      const continuation = continuationOf(rid, stretch);
      const child = { ...OPENING, id: nameOf(stretch), term: lease.term, continuation };
      await unless(409, leases.items.create(child));
    }
    const accessCondition = { type: "IfMatch", condition: lease._etag };
    // Who was too slow may have lost it to somebody who has done all this meanwhile.
    const deleting = leases.item(lease.id, lease.id).delete({ accessCondition });
    await unless(412, unless(404, deleting));
  }

  /** Undefined if somebody else has changed it, or deleted it. */
  async #replace(lease: StoredLease, change: Partial<Lease>): Promise<StoredLease | undefined> {
    const { leases, expiryMs } = this.#options;
    const heldUntil = Date.now() + expiryMs;
    const accessCondition = { type: "IfMatch", condition: lease._etag };
    const item = leases.item(lease.id, lease.id);
    const body: Lease = { ...lease, heldUntil, ...change };
    const answer = await unless(412, unless(404, item.replace(body, { accessCondition })));
    return answer === undefined ? undefined : (answer.resource as unknown as StoredLease);
  }
}

function nameOf({ minInclusive, maxExclusive }: Omit<Stretch, "continuationToken">): string {
  return `${minInclusive}-${maxExclusive}`;
}

function stretchesOf(continuation: string): readonly Stretch[] {
  return (JSON.parse(continuation) as Continuation).Continuation;
}

function continuationOf(rid: string, stretch: Stretch): string {
  return JSON.stringify({ rid, Continuation: [stretch] } satisfies Continuation);
}

/** Undefined where the service refuses with this status. */
async function unless<T>(status: number, attempt: Promise<T>): Promise<T | undefined> {
  try {
    return await attempt;
  } catch (error) {
    if (error instanceof ErrorResponse && error.code === status) return undefined;
    throw error;
  }
}
