/**
 * An application that follows the change feed with an iterator of the official client: of the whole
 * container, of a feed range, or of one logical partition.
 *
 * It keeps some of the continuations it is given, and now and then throws its iterator away and
 * goes on from one of them, with a client that has seen other splits, or none. After a kill it goes
 * on with the iterator it has, or from a continuation that was given out by a server that is no
 * more.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { ChangeFeedPullModelIterator, Container, FeedRange } from "@azure/cosmos";
import { ChangeFeedMode, ChangeFeedStartFrom } from "@azure/cosmos";
import type { Random } from "../../src/base/world.ts";
import type { Site } from "../crash/site.ts";
import { pick } from "../crash/workload.ts";
import type { Checkpoint } from "./feedRecord.ts";
import { FeedRecord } from "./feedRecord.ts";
import type { FeedRow } from "./feedRow.ts";
import { eventOf } from "./feedRow.ts";
import type { FeedMode } from "./memoryFeed.ts";
import { withPatience } from "./patience.ts";

export interface ReaderSetting {
  readonly site: Site;
  readonly random: Random;
  readonly mode: FeedMode;
  /** The same container as several clients see it. */
  readonly containers: readonly Container[];
  /** A logical partition or a feed range; the whole container without it. */
  readonly scope?: string | FeedRange;
  readonly pageCount: number;
  /** How often it goes back, of 1. */
  readonly resumeShare: number;
  /** Where another one was; from now on, or from the beginning, without it. */
  readonly continuation?: string;
}

const CHECKPOINTS_MAX = 6;
const CHECKPOINT_SHARE = 0.2;
const NOT_MODIFIED = 304;
const IDLE_MS = 25;

export class FeedReader {
  readonly mode: FeedMode;
  readonly record: FeedRecord = new FeedRecord();
  readonly #setting: ReaderSetting;
  #iterator: ChangeFeedPullModelIterator<FeedRow>;
  #checkpoints: Checkpoint[] = [];
  #firstContinuation: string | undefined;
  /** Of the last page. */
  #continuation: string | undefined;
  pageCount = 0;
  /** Rounds of the client that did not end. */
  endlessCount = 0;

  constructor(setting: ReaderSetting) {
    const { mode, scope, continuation } = setting;
    this.#setting = setting;
    this.mode = mode;
    this.#firstContinuation = continuation;
    if (continuation !== undefined) {
      this.#iterator = this.#open(ChangeFeedStartFrom.Continuation(continuation));
    } else if (mode === "full") this.#iterator = this.#open(ChangeFeedStartFrom.Now(scope));
    else this.#iterator = this.#open(ChangeFeedStartFrom.Beginning(scope));
  }

  /** Where it started. */
  get firstContinuation(): string {
    if (this.#firstContinuation === undefined) throw new Error("the reader has not begun");
    return this.#firstContinuation;
  }

  /** Fixes where it starts, before there is anything to see. */
  async begin(): Promise<void> {
    const isNew = await this.#readOn();
    if (isNew) throw new Error("there was something to see before anything was written");
    this.#firstContinuation = this.#checkpoints[0]!.continuation;
  }

  /** Resolves when there is nothing more to see after it was over. */
  async run(isOver: () => boolean): Promise<void> {
    const { random, resumeShare, site } = this.#setting;
    for (;;) {
      const wasOver = isOver();
      const { killCount } = site;
      const isNew = await this.#readOn();
      if (!isNew && wasOver) return;
      const isShaken = killCount !== site.killCount && random.next() < 0.5;
      if (!wasOver && (isShaken || random.next() < resumeShare)) this.#resume();
      if (!isNew) await delay(IDLE_MS);
    }
  }

  /** One page, at most; false if there was nothing new. */
  async #readOn(): Promise<boolean> {
    const { site, random, mode } = this.#setting;
    const page = await site.persist(() => withPatience(() => this.#iterator.readNext()));
    if (page === undefined) {
      this.endlessCount++;
      this.#iterator = this.#open(ChangeFeedStartFrom.Continuation(this.#continuation!));
      return true;
    }
    this.pageCount++;
    this.#continuation = page.continuationToken;
    this.record.see((page.result ?? []).map((row) => eventOf(row, mode)));
    if (this.#checkpoints.length === 0 || random.next() < CHECKPOINT_SHARE) {
      this.#checkpoints.push(this.record.checkpoint(page.continuationToken));
      // The oldest is kept for long, but not for ever: what follows it has to be read again.
      if (this.#checkpoints.length > CHECKPOINTS_MAX) this.#checkpoints.splice(pick(random, 2), 1);
    }
    return page.statusCode !== NOT_MODIFIED;
  }

  /** The later ones are thrown away with what was seen since. */
  #resume(): void {
    const { random } = this.#setting;
    const back = Math.min(pick(random, CHECKPOINTS_MAX), pick(random, CHECKPOINTS_MAX));
    const count = Math.max(1, this.#checkpoints.length - back);
    this.#checkpoints = this.#checkpoints.slice(0, count);
    const checkpoint = this.#checkpoints.at(-1)!;
    this.#continuation = checkpoint.continuation;
    this.record.goBackTo(checkpoint);
    this.#iterator = this.#open(ChangeFeedStartFrom.Continuation(checkpoint.continuation));
  }

  #open(changeFeedStartFrom: ChangeFeedStartFrom): ChangeFeedPullModelIterator<FeedRow> {
    const { containers, random, mode, pageCount } = this.#setting;
    const container = containers[pick(random, containers.length)]!;
    return container.items.getChangeFeedIterator<FeedRow>({
      changeFeedStartFrom,
      maxItemCount: 1 + pick(random, pageCount),
      changeFeedMode:
        mode === "full" ? ChangeFeedMode.AllVersionsAndDeletes : ChangeFeedMode.LatestVersion,
    });
  }
}
