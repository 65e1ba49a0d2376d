/**
 * Suspended pages of queries, kept for the next request of their client. Their number and the bytes
 * that they hold are bounded, and a page is dropped when its client does not come back. A request
 * whose page was dropped begins again, so a restart or a drop costs time and nothing else.
 *
 * When there is no room, a page that has waited long goes first, otherwise the page that was begun
 * last: so the oldest page comes to its end however many pages there are.
 */
import { createHash } from "node:crypto";
import type { Ru } from "../../base/units.ts";
import { millis } from "../../base/units.ts";
import type { Clock, Timer } from "../../base/world.ts";
import type { PageUnderWay } from "../../query/execute/pageUnderWay.ts";
import type { Container } from "../partition/container.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";

export interface SuspendedPage {
  readonly page: PageUnderWay;
  readonly begunAt: number;
  readonly heldBytes: number;
  /** The state of the physical partitions when the page was begun, see `stateOf`. */
  readonly state: string;
  /** RU that the requests of this page have paid so far. */
  readonly paid: ReadonlyMap<PhysicalPartition, Ru>;
  readonly map: Container["map"];
  readonly indexingPolicy: Container["definition"]["indexingPolicy"];
}

const COUNT_MAX = 100;
const HELD_BYTES_MAX = 64 * 1024 * 1024;
/** Milliseconds after which a page is dropped. */
export const IDLE_MS_MAX = 30_000;
/**
 * Milliseconds after which a page may be dropped for another. A client that goes on comes back at
 * once.
 */
export const PATIENCE_MS = 5_000;

interface Kept extends SuspendedPage {
  readonly since: number;
  cancel(): void;
}

export class SuspendedPages {
  readonly #clock: Pick<Clock, "now">;
  readonly #timer: Pick<Timer, "after">;
  /** By hash of the question; the page that has waited longest comes first. */
  readonly #kept = new Map<string, Kept>();
  #heldBytes = 0;

  constructor(world: { readonly clock: Pick<Clock, "now">; readonly timer: Pick<Timer, "after"> }) {
    this.#clock = world.clock;
    this.#timer = world.timer;
  }

  get count(): number {
    return this.#kept.size;
  }

  keep(question: string, page: SuspendedPage): void {
    const name = nameOf(question);
    const cancel = this.#timer.after(millis(IDLE_MS_MAX), () => this.#drop(name));
    this.#kept.set(name, { ...page, since: this.#clock.now(), cancel });
    this.#heldBytes += page.heldBytes;
    while (this.#kept.size > COUNT_MAX || this.#heldBytes > HELD_BYTES_MAX) {
      this.#drop(this.#leastWorth());
    }
  }

  /** Takes out a page, unless the partition map or the indexing policy has changed. */
  take(question: string, container: Container): SuspendedPage | undefined {
    const name = nameOf(question);
    const kept = this.#kept.get(name);
    if (kept === undefined) return undefined;
    const { map, indexingPolicy } = kept;
    const isGood = map === container.map && indexingPolicy === container.definition.indexingPolicy;
    if (isGood) this.#forget(name, kept);
    else this.#drop(name);
    return isGood ? kept : undefined;
  }

  close(): void {
    for (const name of [...this.#kept.keys()]) this.#drop(name);
  }

  #leastWorth(): string {
    const [longest] = this.#kept;
    const [name, { since }] = longest!;
    if (this.#clock.now() - since >= PATIENCE_MS) return name;
    let last = name;
    for (const [candidate, { begunAt }] of this.#kept) {
      if (begunAt >= this.#kept.get(last)!.begunAt) last = candidate;
    }
    return last;
  }

  #drop(name: string): void {
    const kept = this.#kept.get(name);
    if (kept === undefined) return;
    this.#forget(name, kept);
    kept.page.drop();
  }

  #forget(name: string, kept: Kept): void {
    kept.cancel();
    this.#kept.delete(name);
    this.#heldBytes -= kept.heldBytes;
  }
}

/** A hash, because a question includes its parameters, which may be larger than the page itself. */
function nameOf(question: string): string {
  return createHash("sha256").update(question).digest("base64");
}
