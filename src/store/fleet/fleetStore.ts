/**
 * Several stores as one: each part is in one of them, its endpoint, from its first claim until it
 * is dropped. Where a part is, is where its head is, so nothing has to agree with anything else;
 * a physical partition moves by becoming another part (`engine/reshape`). The first endpoint has
 * the catalogue and whatever else belongs to no container.
 *
 * An endpoint that cannot be reached is in the way of its own parts only.
 */
import { assert } from "../../base/assert.ts";
import type { MaybePromise } from "../../base/result.ts";
import type { Lsn } from "../../base/units.ts";
import { NOTES_PART } from "../notes.ts";
import type {
  Adopted,
  CommitTerms,
  Committed,
  EndpointState,
  ItemPage,
  KeptVersion,
  Lease,
  LogPage,
  PartHead,
  PartitionStore,
  PartPlacement,
  ScanLimits,
  StoredItem,
  Tally,
  TallyPage,
  TermPage,
  TermScan,
  VersionPage,
  WriteGroup,
} from "../partitionStore.ts";
import { StoreFault } from "../partitionStore.ts";

export interface FleetMember {
  /** What people call it: host, port and database. */
  readonly name: string;
  readonly store: PartitionStore;
}

const CATALOG_PART = 0;

export class FleetStore implements PartitionStore, PartPlacement {
  readonly #members: readonly [FleetMember, ...FleetMember[]];
  readonly #homes: Map<number, FleetMember>;
  /** Where parts are to go that are not there yet. */
  readonly #assigned = new Map<number, FleetMember>();

  /** The first member has the catalogue. All of them are open, and are closed with the fleet. */
  static async of(members: readonly [FleetMember, ...FleetMember[]]): Promise<FleetStore> {
    const homes = new Map<number, FleetMember>();
    for (const member of members) {
      for (const part of await member.store.parts()) {
        if (part === NOTES_PART) continue;
        const other = homes.get(part);
        if (other !== undefined) {
          throw new StoreFault(
            `${member.name} and ${other.name} both hold part ${part}: one is a copy of the other.`,
          );
        }
        homes.set(part, member);
      }
    }
    return new FleetStore(members, homes);
  }

  private constructor(
    members: readonly [FleetMember, ...FleetMember[]],
    homes: Map<number, FleetMember>,
  ) {
    this.#members = members;
    this.#homes = homes;
  }

  get placement(): PartPlacement {
    return this;
  }

  get endpoints(): readonly EndpointState[] {
    return this.#members.map(({ name, store }) => {
      return { name, isReachable: store.obstacle === undefined };
    });
  }

  endpointOf(part: number): string {
    return this.#memberOf(part).name;
  }

  assign(part: number, endpoint: string): void {
    const member = this.#members.find(({ name }) => name === endpoint);
    assert(member !== undefined, `there is no endpoint ${endpoint}`);
    assert(!this.#homes.has(part), `part ${part} has its place already`);
    this.#assigned.set(part, member);
  }

  get fault(): StoreFault | undefined {
    return this.#catalog.fault;
  }

  get obstacle(): StoreFault | undefined {
    return this.#catalog.obstacle;
  }

  obstacleOf(part: number): StoreFault | undefined {
    return this.#of(part).obstacleOf(part);
  }

  get pressure(): number {
    return Math.max(...this.#members.map(({ store }) => store.pressure));
  }

  async eased(): Promise<void> {
    await Promise.all(this.#members.map(({ store }) => store.eased()));
  }

  orderTerms(): void {}

  get(part: number, key: string): MaybePromise<StoredItem | undefined> {
    return this.#of(part).get(part, key);
  }

  getMany(part: number, keys: readonly string[]): ReturnType<PartitionStore["getMany"]> {
    return this.#of(part).getMany(part, keys);
  }

  itemsByNumber(
    part: number,
    numbers: readonly number[],
  ): ReturnType<PartitionStore["itemsByNumber"]> {
    return this.#of(part).itemsByNumber(part, numbers);
  }

  scanItems(part: number, afterNumber: number, limits: ScanLimits): MaybePromise<ItemPage> {
    return this.#of(part).scanItems(part, afterNumber, limits);
  }

  scanTerms(part: number, scan: TermScan): MaybePromise<TermPage> {
    return this.#of(part).scanTerms(part, scan);
  }

  readLog(part: number, afterLsn: Lsn, countMax: number): MaybePromise<LogPage> {
    return this.#of(part).readLog(part, afterLsn, countMax);
  }

  readVersions(part: number, afterLsn: Lsn, limits: ScanLimits): MaybePromise<VersionPage> {
    return this.#of(part).readVersions(part, afterLsn, limits);
  }

  tally(part: number, family: string): MaybePromise<Tally> {
    return this.#of(part).tally(part, family);
  }

  scanTallies(
    part: number,
    scan: Parameters<PartitionStore["scanTallies"]>[1],
  ): MaybePromise<TallyPage> {
    return this.#of(part).scanTallies(part, scan);
  }

  head(part: number): MaybePromise<PartHead | undefined> {
    return this.#of(part).head(part);
  }

  /** Parts of endpoints that cannot be reached are among them. */
  parts(): readonly number[] {
    return [...this.#homes.keys()].sort((a, b) => a - b);
  }

  async claim(part: number, epoch: number): Promise<PartHead> {
    const home = this.#homes.get(part) ?? this.#newHome(part);
    // Known before it is asked for: without an answer nobody knows whether it is there.
    this.#homes.set(part, home);
    this.#assigned.delete(part);
    return home.store.claim(part, epoch);
  }

  commit(
    part: number,
    epoch: number,
    groups: readonly WriteGroup[],
    terms?: CommitTerms,
  ): Promise<Committed> {
    return this.#of(part).commit(part, epoch, groups, terms);
  }

  adopt(
    part: number,
    epoch: number,
    versions: readonly Adopted[],
    throughLsn: Lsn,
  ): Promise<PartHead> {
    return this.#of(part).adopt(part, epoch, versions, throughLsn);
  }

  adoptVersions(part: number, epoch: number, versions: readonly KeptVersion[]): Promise<void> {
    return this.#of(part).adoptVersions(part, epoch, versions);
  }

  sweepLog(part: number, epoch: number, throughLsn: Lsn): Promise<PartHead> {
    return this.#of(part).sweepLog(part, epoch, throughLsn);
  }

  async drop(part: number): Promise<void> {
    await this.#of(part).drop(part);
    this.#homes.delete(part);
  }

  acquireLease(
    name: string,
    owner: string,
    nowMs: number,
    durationMs: number,
  ): Promise<Lease | undefined> {
    return this.#catalog.acquireLease(name, owner, nowMs, durationMs);
  }

  /** All of them, whatever becomes of those before. */
  async close(): Promise<void> {
    const ends = await Promise.allSettled(this.#members.map(({ store }) => store.close()));
    for (const end of ends) if (end.status === "rejected") throw end.reason;
  }

  get #catalog(): PartitionStore {
    return this.#members[0].store;
  }

  #of(part: number): PartitionStore {
    return this.#memberOf(part).store;
  }

  /** A part that is nowhere is asked for where the catalogue is, which says so. */
  #memberOf(part: number): FleetMember {
    return this.#homes.get(part) ?? this.#members[0];
  }

  /** The one that can be reached and has the fewest parts; the earlier one of several. */
  #newHome(part: number): FleetMember {
    const assigned = this.#assigned.get(part);
    if (assigned !== undefined) return assigned;
    if (part === CATALOG_PART || part >= NOTES_PART) return this.#members[0];
    const counts = new Map(this.#members.map((member) => [member, 0]));
    for (const [held, member] of this.#homes) {
      if (held !== CATALOG_PART && held < NOTES_PART) counts.set(member, counts.get(member)! + 1);
    }
    const reachable = [...counts].filter(([{ store }]) => store.obstacle === undefined);
    const among = reachable.length > 0 ? reachable : [...counts];
    return among.reduce((best, one) => (one[1] < best[1] ? one : best))[0];
  }
}
