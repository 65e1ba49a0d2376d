/**
 * What happens in one range of the source: its latest versions from the beginning, which are all
 * items once and then every change, and the ends of items, where the source keeps versions.
 *
 * A place is noted only when what was read up to there has been dealt with (`settle`), so that
 * whoever goes on from a note misses nothing and may see something twice.
 */
import type { ChangeFeedIteratorOptions, Container, FeedRange } from "@azure/cosmos";
import { growingWait, pause } from "../../base/retry.ts";
import { isObject, type JsonObject, type JsonValue, property } from "../../json/value.ts";
import { realTimer } from "../../server/surroundings/realWorld.ts";
import type { CopyAccount } from "./account.ts";
import { isPassing } from "./pageWriter.ts";
import type { RangeState } from "./stateFile.ts";

const PAGE_COUNT = 500;
const WAIT_MS = { min: 100, max: 5000 };
const FAILURES_MAX = 20;
const NOT_MODIFIED = 304;

interface FeedSetting {
  readonly account: CopyAccount;
  readonly container: Container;
  /** A range from its beginning, or a place that was noted. */
  readonly start: { readonly range: FeedRange } | { readonly noted: RangeState };
  readonly hasVersions: boolean;
}

interface ChangesPage {
  readonly rows: readonly JsonObject[];
  /** Nothing more at the moment. */
  readonly isEnd: boolean;
  readonly ru: number;
}

export class RangeFeed {
  readonly #latest: Follower;
  readonly #versions: Follower | undefined;
  /** A look at it has found nothing more. */
  isCaughtUp = false;

  constructor(setting: FeedSetting) {
    const { start, hasVersions } = setting;
    const { ChangeFeedStartFrom: From, ChangeFeedMode: Mode } = setting.account.official;
    const isNoted = "noted" in start;
    this.#latest = new Follower(setting, isNoted ? start.noted.latest : undefined, (token) => ({
      maxItemCount: PAGE_COUNT,
      changeFeedStartFrom:
        token !== undefined || isNoted ? From.Continuation(token!) : From.Beginning(start.range),
    }));
    if (!hasVersions || (isNoted && start.noted.versions === undefined)) return;
    const from = isNoted ? start.noted.versions : undefined;
    this.#versions = new Follower(setting, from, (token) => ({
      maxItemCount: PAGE_COUNT,
      changeFeedMode: Mode.AllVersionsAndDeletes,
      changeFeedStartFrom:
        token !== undefined || isNoted ? From.Continuation(token!) : From.Now(start.range),
    }));
  }

  /** Before anything else is read: ends of items from now on are to be seen. */
  async open(): Promise<void> {
    if (this.#versions === undefined || this.#versions.token !== undefined) return;
    await this.#versions.next();
    this.#versions.settle();
  }

  next(): Promise<ChangesPage> {
    return this.#latest.next();
  }

  settle(): void {
    this.#latest.settle();
  }

  /** Ids of items that were deleted or have expired since the last time. */
  async ended(): Promise<{ readonly ids: readonly string[]; readonly ru: number }> {
    const ids: string[] = [];
    let ru = 0;
    if (this.#versions === undefined) return { ids, ru };
    for (;;) {
      const page = await this.#versions.next();
      ru += page.ru;
      ids.push(...page.rows.flatMap(endedId));
      if (page.isEnd) return { ids, ru };
    }
  }

  settleEnded(): void {
    this.#versions?.settle();
  }

  /** Undefined before the first page. */
  noted(): RangeState | undefined {
    const latest = this.#latest.token;
    if (latest === undefined) return undefined;
    return { latest, versions: this.#versions?.token };
  }
}

function endedId(row: JsonObject): readonly string[] {
  const metadata = memberOf(row, "metadata");
  if (metadata === undefined || property(metadata, "operationType") !== "delete") return [];
  const previous = memberOf(row, "previous");
  const id = property(metadata, "id") ?? (previous && property(previous, "id"));
  return typeof id === "string" ? [id] : [];
}

function memberOf(row: JsonObject, name: string): JsonObject | undefined {
  const member: JsonValue | undefined = property(row, name);
  return member !== undefined && isObject(member) ? member : undefined;
}

/** One feed, read page by page; made anew from the last noted place when a page did not come. */
class Follower {
  readonly #setting: FeedSetting;
  readonly #optionsFrom: (token: string | undefined) => ChangeFeedIteratorOptions;
  #iterator: ReturnType<Container["items"]["getChangeFeedIterator"]> | undefined;
  #read: string | undefined;
  token: string | undefined;

  constructor(
    setting: FeedSetting,
    token: string | undefined,
    optionsFrom: (token: string | undefined) => ChangeFeedIteratorOptions,
  ) {
    this.#setting = setting;
    this.#optionsFrom = optionsFrom;
    this.token = token;
    this.#read = token;
  }

  async next(): Promise<ChangesPage> {
    const { account, container } = this.#setting;
    for (let failures = 1; ; failures++) {
      this.#iterator ??= container.items.getChangeFeedIterator(this.#optionsFrom(this.#read));
      try {
        const page = await this.#iterator.readNext();
        this.#read = page.continuationToken;
        return {
          rows: (page.result ?? []) as unknown as JsonObject[],
          isEnd: page.statusCode === NOT_MODIFIED,
          ru: page.requestCharge,
        };
      } catch (error) {
        this.#iterator = undefined;
        if (!isPassing(error) || failures > FAILURES_MAX) throw account.failureOf(error);
        await pause(realTimer, growingWait(failures, WAIT_MS));
      }
    }
  }

  settle(): void {
    this.token = this.#read;
  }
}
