/**
 * The rounds of a lifecycle: when one begins, and how far it is. A round looks at the book, because
 * what could not be moved may be moved by now, and then finds by the index what has become due
 * since the round before. The first one begins at once, each other one an interval after the one
 * before has ended, and sooner if warm did not take everything.
 */
import type { Clock } from "../../base/world.ts";
import type { LifecycleSettings } from "../../model/lifecycle.ts";
import type { PartitionStore } from "../../store/partitionStore.ts";
import { itemsOfNumbers } from "../copy/copyPlaces.ts";
import { epkOfKey } from "../item/itemKey.ts";
import type { Container } from "../partition/container.ts";
import type { DateSpan } from "./dateTerms.ts";
import { DueScan } from "./dueScan.ts";
import type { LifecycleTally } from "./lifecycleTally.ts";
import type { PairPace } from "./pairPace.ts";
import type { Settling } from "./settling.ts";
import type { UnmovedBook } from "./unmovedBook.ts";

interface RoundsSetting {
  readonly store: PartitionStore;
  readonly clock: Clock;
  readonly hot: Container;
  readonly unmoved: UnmovedBook;
  readonly tally: LifecycleTally;
  readonly pace: PairPace;
  readonly settling: Settling;
  readonly settings: () => LifecycleSettings;
  /** The dates that a round is about that begins now. */
  readonly span: () => DateSpan;
}

/** A round that is under way. */
interface Round {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly cutoff: number;
  /** How many items had been moved when it began. */
  readonly movedBefore: number;
  readonly scan: DueScan;
}

/** A round that is over: everything that is dated before its cutoff was looked at. */
export type RoundEnd = Pick<Round, "startedAt" | "cutoff">;

/** After a round in which warm did not take everything. */
const RETRY_MS = 5 * 60_000;
/** Items of the book that are looked at again in each round. */
const BOOK_LOOK_COUNT = 1000;

export class Rounds {
  readonly #setting: RoundsSetting;
  #round: Round | undefined;
  /** By the monotonic clock. */
  #nextAt = Number.NEGATIVE_INFINITY;

  constructor(setting: RoundsSetting) {
    this.#setting = setting;
  }

  get isUnderWay(): boolean {
    return this.#round !== undefined;
  }

  /** In milliseconds since 1970; `undefined` while a round is under way. */
  get nextAt(): number | undefined {
    const { clock } = this.#setting;
    if (this.#round !== undefined) return undefined;
    return clock.wallNow() + Math.ceil(Math.max(0, this.#nextAt - clock.now()));
  }

  /** Items that the round under way has moved so far. */
  get movedCount(): number {
    const { totals } = this.#setting.tally;
    return this.#round === undefined ? 0 : totals.moved - this.#round.movedBefore;
  }

  /** Lets the next round begin now. */
  beginNow(): void {
    this.#nextAt = Number.NEGATIVE_INFINITY;
  }

  /** Gives up the round under way, whose cutoff holds no longer, for a new one. */
  beginAnew(): void {
    this.#round = undefined;
    this.beginNow();
  }

  /** Goes on with the round under way, or with the next one if that is due. */
  async advance(isOver: () => boolean): Promise<RoundEnd | "underWay" | "none"> {
    const { clock, unmoved, settings } = this.#setting;
    if (this.#round === undefined) {
      if (clock.now() < this.#nextAt) return "none";
      await this.#lookAtBook(isOver);
      if (isOver()) return "underWay";
      this.#round = this.#newRound();
    }
    const round = this.#round;
    const isScanned = await round.scan.run(isOver);
    if (!isScanned || this.#round !== round) return "underWay";
    this.#round = undefined;
    const interval = settings().intervalSeconds * 1000;
    const hasAll = !Number.isFinite(unmoved.lowestDue);
    this.#nextAt = clock.now() + (hasAll ? interval : Math.min(interval, RETRY_MS));
    return round;
  }

  #newRound(): Round {
    const { clock, settings, span, tally } = this.#setting;
    const dates = span();
    const path = settings().ageProperty.slice(1).split("/");
    return {
      startedAt: clock.wallNow(),
      cutoff: dates.to,
      movedBefore: tally.totals.moved,
      scan: new DueScan(this.#setting, path, dates),
    };
  }

  async #lookAtBook(isOver: () => boolean): Promise<void> {
    const { store, hot, unmoved, pace, settling } = this.#setting;
    const numbers = unmoved.nextNumbers(BOOK_LOOK_COUNT);
    for (let at = 0; at < numbers.length && !isOver(); ) {
      const [first] = hot.partitions.values();
      if (!(await pace.isInPace(first!, isOver))) return;
      const some = numbers.slice(at, at + pace.countFor(first!));
      at += some.length;
      const found = await itemsOfNumbers(store, hot, some);
      for (const number of some) if (!found.has(number)) unmoved.close(number);
      const items = [...found.values()].flatMap(([item]) => item ?? []);
      await settling.settle(items.filter((item) => hot.ownerOf(epkOfKey(item.key)).isLive(item)));
      await pace.breathe();
    }
  }
}
