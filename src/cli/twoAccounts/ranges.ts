/**
 * All ranges of the source, read side by side: to their ends, and on for as long as somebody wants
 * to follow. Within a range one thing happens after the other, so that an item that was read before
 * its end was seen is also written before its copy is removed.
 */
import type { Container } from "@azure/cosmos";
import { property } from "../../json/value.ts";
import type { Interruption } from "../terminal/interruption.ts";
import type { CopyAccount } from "./account.ts";
import type { PageCopier } from "./pages.ts";
import { RangeFeed } from "./rangeFeed.ts";
import type { Reconciling } from "./reconciling.ts";
import type { RangeState } from "./stateFile.ts";
import type { AccountTally } from "./tally.ts";

interface RangesSetting {
  readonly account: CopyAccount;
  readonly container: Container;
  readonly copier: PageCopier;
  /** Undefined when ends of items are not seen. */
  readonly ends: Reconciling | undefined;
  readonly tally: AccountTally;
  readonly interruption: Interruption;
  /** After every page. */
  readonly onSettled: () => void;
}

/** At once. */
const LANES = 4;
const FOLLOW_MS = 500;
/** Of clocks; what was written so long after the beginning was not there at the beginning. */
const SLACK_SECONDS = 5;

export class SourceRanges {
  readonly #setting: RangesSetting;
  readonly #feeds: readonly RangeFeed[];
  readonly #startedAt: number;

  private constructor(setting: RangesSetting, feeds: readonly RangeFeed[]) {
    this.#setting = setting;
    this.#feeds = feeds;
    this.#startedAt = setting.account.wallNow() / 1000;
  }

  /** From the places that were noted, or from the beginning. */
  static async open(
    setting: RangesSetting,
    noted: readonly RangeState[] | undefined,
  ): Promise<SourceRanges> {
    const { account, container, ends } = setting;
    const common = { account, container, hasVersions: ends !== undefined };
    let feeds: readonly RangeFeed[];
    try {
      const starts =
        noted?.map((place) => ({ noted: place })) ??
        (await container.getFeedRanges()).map((range) => ({ range }));
      feeds = starts.map((start) => new RangeFeed({ ...common, start }));
    } catch (error) {
      throw account.failureOf(error);
    }
    for (const feed of feeds) await feed.open();
    return new SourceRanges(setting, feeds);
  }

  /** Undefined while some range has nothing to note yet. */
  noted(): readonly RangeState[] | undefined {
    const places = this.#feeds.map((feed) => feed.noted());
    return places.includes(undefined) ? undefined : (places as RangeState[]);
  }

  /** Everything that is there now; false when it was interrupted before. */
  async copyAll(isOffline: boolean): Promise<boolean> {
    const { interruption } = this.#setting;
    let open = [...this.#feeds];
    while (open.length > 0 && !interruption.isOver) {
      // A page of each in turn, so that soon there is a place to note in all of them.
      await inLanes(open, async (feed) => {
        if (!interruption.isOver) await this.#turn(feed, isOffline);
      });
      open = open.filter((feed) => !feed.isCaughtUp);
    }
    return open.length === 0;
  }

  /** Until a look at all ranges finds no more changes than these, or Ctrl-C comes. */
  async follow(untilLag: number | undefined): Promise<void> {
    const { tally, interruption } = this.#setting;
    for (;;) {
      // What comes after the interruption is looked at once more: that was the end.
      const isLast = interruption.isOver;
      let count = 0;
      await inLanes(this.#feeds, async (feed) => {
        count += await this.#turn(feed, false);
      });
      tally.lastLookCount = count;
      const isEnough = untilLag !== undefined && count <= untilLag;
      if (isLast || isEnough) return;
      if (count === 0) await interruption.pause(FOLLOW_MS);
    }
  }

  /** One page and the ends since; gives the number of changes. */
  async #turn(feed: RangeFeed, isOffline: boolean): Promise<number> {
    const { copier, ends, tally, onSettled } = this.#setting;
    const { rows, isEnd, ru } = await feed.next();
    tally.readRu += ru;
    await copier.copy(rows);
    feed.settle();
    const ended = await feed.ended();
    tally.readRu += ended.ru;
    if (ended.ids.length > 0) await ends?.check(ended.ids);
    feed.settleEnded();
    const stamp = Number((rows[0] && property(rows[0], "_ts")) ?? 0);
    // A source that is written all the time has no end; a copy of what was there has.
    const isPast = isOffline && stamp > this.#startedAt + SLACK_SECONDS;
    feed.isCaughtUp = isEnd || isPast;
    onSettled();
    return rows.length + ended.ids.length;
  }
}

async function inLanes<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  let at = 0;
  const lane = async (): Promise<void> => {
    while (at < items.length) await act(items[at++]!);
  };
  await Promise.all(Array.from({ length: Math.min(LANES, items.length) }, lane));
}
