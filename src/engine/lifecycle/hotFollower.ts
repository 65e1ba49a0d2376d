/**
 * Follows the logs of hot: every item that is new or was written since is looked at once, and so is
 * every end. An edit of a moved item arrives in warm this way, and so does its deletion; what came
 * with an old date, or with none, is found here and nowhere else.
 *
 * Invariants
 * - A position rises when everything up to it is settled, and never before.
 * - For each entry the item is read as it is now; an entry whose version is no longer the latest is
 *   passed over, because a later entry has taken its place.
 * - What has expired is left in warm. What somebody deleted is not.
 */
import type { Lsn } from "../../base/units.ts";
import { lsn } from "../../base/units.ts";
import type { Clock } from "../../base/world.ts";
import type { PartitionStore, StoredItem } from "../../store/partitionStore.ts";
import { isEnd } from "../../store/partitionStore.ts";
import { chargeOf } from "../../throughput/charge.ts";
import type { Positions } from "../copy/positions.ts";
import { headsOf, sweptOf } from "../copy/positions.ts";
import type { Container } from "../partition/container.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";
import type { PairPace } from "./pairPace.ts";
import type { Settling } from "./settling.ts";
import type { UnmovedBook } from "./unmovedBook.ts";

interface FollowerSetting {
  readonly store: PartitionStore;
  readonly clock: Clock;
  readonly hot: Container;
  readonly positions: Positions;
  readonly pace: PairPace;
  readonly settling: Settling;
  readonly book: UnmovedBook;
  /** Called when ends have left the log that nobody has looked at. */
  onLost(): void;
}

export class HotFollower {
  readonly #setting: FollowerSetting;
  /** Up to where ends had left the logs when they were last looked at. */
  readonly #sweptSeen: Positions;
  /** When a position last rose, or the follower was made: milliseconds since 1970. */
  advancedAt: number;

  constructor(setting: FollowerSetting) {
    this.#setting = setting;
    this.advancedAt = setting.clock.wallNow();
    this.#sweptSeen = sweptOf(setting.hot);
  }

  get positions(): Positions {
    return this.#setting.positions;
  }

  /** At most how many changes were not looked at. */
  get lag(): number {
    const { hot, positions } = this.#setting;
    let sum = 0;
    for (const { range, lsn: at } of headsOf(hot).tiles) {
      sum += Math.max(0, at - positions.of(range));
    }
    return sum;
  }

  /** Looks at everything up to these positions. False if it was stopped before that. */
  async follow(goal: Positions, isOver: () => boolean): Promise<boolean> {
    const { hot, pace } = this.#setting;
    for (;;) {
      const next = this.#partitionBehind(goal);
      if (next === undefined) return true;
      if (isOver() || !(await pace.isInPace(next, isOver))) return false;
      await this.#step(next);
      if (hot.isDeleted) return false;
      await pace.breathe();
    }
  }

  isPast(goal: Positions): boolean {
    return this.#partitionBehind(goal) === undefined;
  }

  #partitionBehind(goal: Positions): PhysicalPartition | undefined {
    const { hot, positions } = this.#setting;
    return [...hot.partitions.values()].find(
      ({ entry }) => positions.of(entry.range) < goal.highest(entry.range),
    );
  }

  async #step(partition: PhysicalPartition): Promise<void> {
    const { store, hot, positions, pace, settling, book } = this.#setting;
    const { map } = hot;
    const { part, range } = partition.entry;
    const after = positions.of(range);
    this.#noteSweep(partition, after);
    // Taken before the log is read: the log shows every change up to here.
    const known = partition.lsn;
    const page = await store.readLog(part, after, pace.countFor(partition));
    const named = page.entries.filter(({ kind }) => !isEnd(kind));
    const found = await store.getMany(
      part,
      named.map(({ key }) => key),
    );
    // A partition that was split or merged meanwhile may have been read when it was gone already.
    if (hot.map !== map || hot.isDeleted) return;
    const itemBytes = found.map((item) => item?.body.length ?? 0);
    if (itemBytes.length > 0) pace.pay(partition, chargeOf({ kind: "feedPage", itemBytes }));
    const created = new Set<number>();
    const items: StoredItem[] = [];
    for (const [index, entry] of named.entries()) {
      const item = found[index];
      if (item === undefined || item.lsn !== entry.lsn || item.number !== entry.number) continue;
      // Its end comes as an entry of its own.
      if (!partition.isLive(item)) {
        book.close(item.number);
        continue;
      }
      if (entry.kind === "created") created.add(item.number);
      items.push(item);
    }
    const ends = page.entries.filter(({ kind }) => isEnd(kind));
    for (const { number } of ends) book.close(number);
    const deleted = ends.filter(({ kind }) => kind === "deleted").map(({ number }) => number);
    await settling.forget(deleted);
    await settling.settle(items, ({ number }) => created.has(number));
    pace.learn(page.entries.length);
    const last = page.entries.at(-1)?.lsn ?? after;
    this.advancedAt = this.#setting.clock.wallNow();
    positions.advance(range, page.isLast ? lsn(Math.max(known, last)) : last);
  }

  /**
   * A log is not swept behind a position; only a change of the change feed policy does so, and a
   * merge of logs that keep versions.
   */
  #noteSweep({ entry: { range }, head }: PhysicalPartition, after: Lsn): void {
    if (head.sweptLsn <= this.#sweptSeen.of(range)) return;
    this.#sweptSeen.advance(range, head.sweptLsn);
    if (head.sweptLsn > after) this.#setting.onLost();
  }
}
