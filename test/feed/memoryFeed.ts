/**
 * A change feed in a few lines, for trying out the checker: one log of commits, readers that page
 * through it in either mode from any position, and mistakes that it makes when told to.
 */
import type { Random } from "../../src/base/world.ts";
import type { Commit, Operation } from "./feedCheck.ts";
import type { FeedEvent } from "./feedRecord.ts";

export type FeedMode = "full" | "latest";

/** What the feed does wrong, once, to the commit it is told. */
type Mistake =
  | "loses"
  | "repeats"
  | "swaps"
  | "invents"
  | "tears"
  | "renames"
  | "misnumbers"
  | "revives";

export const MISTAKES: readonly Mistake[] = [
  "loses",
  "repeats",
  "swaps",
  "invents",
  "tears",
  "renames",
  "misnumbers",
  "revives",
];

export interface MemoryPage {
  readonly events: readonly FeedEvent[];
  readonly continuation: string;
}

interface Write {
  readonly id: string;
  readonly isEnd: boolean;
}

export class MemoryFeed {
  readonly #log: FeedEvent[][] = [];
  readonly #live = new Map<string, FeedEvent>();
  #markers = 0;

  /** One atomic write; says what an answer would tell of it. */
  commit(key: string, writes: readonly Write[]): Commit {
    const lsn = this.#log.length + 1;
    const events = writes.map(({ id, isEnd }): FeedEvent => {
      const before = this.#live.get(`${key} ${id}`);
      const operation: Operation = isEnd ? "delete" : before === undefined ? "create" : "replace";
      const marker = isEnd ? undefined : ++this.#markers;
      const etag = isEnd ? undefined : `etag-${lsn}-${id}`;
      const event = { key, lsn, id, marker, operation, etag, previousLsn: before?.lsn ?? 0 };
      if (isEnd) this.#live.delete(`${key} ${id}`);
      else this.#live.set(`${key} ${id}`, event);
      return event;
    });
    this.#log.push(events);
    const changes = events.map(({ id, marker, operation, etag }) => ({
      id,
      marker,
      operation,
      etag,
    }));
    return { changes, lsn, isCertain: true };
  }

  /** A continuation is the LSN of the commit that was read last. */
  page(mode: FeedMode, continuation: string, countMax: number): MemoryPage {
    const start = Number(continuation);
    const commits = this.#log.slice(start, start + countMax);
    const events = commits.flat();
    return {
      events: mode === "full" ? events : events.filter((event) => this.#isLatest(event)),
      continuation: String(start + commits.length),
    };
  }

  #isLatest({ key, id, lsn }: FeedEvent): boolean {
    return this.#live.get(`${key} ${id}`)?.lsn === lsn;
  }

  /** Makes a mistake in the log that readers get to see; false if there was no opportunity. */
  spoil(mistake: Mistake, random: Random): boolean {
    const index = Math.floor(random.next() * this.#log.length);
    const events = this.#log[index]!;
    const [event] = events as [FeedEvent];
    const follower = this.#log.findIndex(
      (commit, at) => at > index && commit[0]!.key === event.key,
    );
    switch (mistake) {
      case "loses":
        this.#log[index] = [];
        return true;
      case "repeats":
        this.#log[index] = [...events, ...events];
        return true;
      case "swaps":
        if (follower < 0) return false;
        [this.#log[index], this.#log[follower]] = [this.#log[follower]!, events];
        return true;
      case "invents":
        this.#log[index] = [...events, { ...event, id: "nobody", marker: ++this.#markers }];
        return true;
      case "tears":
        this.#log[index] = events.slice(1);
        return events.length > 1;
      case "renames":
        this.#log[index] = events.map((one) => ({ ...one, etag: "etag-other" }));
        return event.marker !== undefined;
      case "misnumbers":
        this.#log[index] = events.map((one) => ({ ...one, lsn: one.lsn + 0.5 }));
        return true;
      case "revives":
        this.#log[index] = events.map((one) => ({ ...one, operation: "create" }));
        return event.operation !== "create";
    }
  }
}
