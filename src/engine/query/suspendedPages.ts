/**
 * Pages of queries that are suspended, kept for the next request of their client. They are bounded
 * in number and in what they hold, and dropped when nobody comes back for them. Whoever finds
 * nothing here begins anew, so a restart or a drop costs time and nothing else.
 *
 * When there is no room, those go first that have waited long, and then the one that has begun
 * last: the oldest comes to its end however many there are.
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
  /** What there was when it began, see `stateOf`. */
  readonly state: string;
  /** What its requests so far have paid. */
  readonly paid: ReadonlyMap<PhysicalPartition, Ru>;
  readonly map: Container["map"];
  readonly indexingPolicy: Container["definition"]["indexingPolicy"];
}

const COUNT_MAX = 100;
const HELD_BYTES_MAX = 64 * 1024 * 1024;
/** Milliseconds after which nobody is expected any more. */
export const IDLE_MS_MAX = 30_000;
/** A client that goes on comes back at once; after this long another may have its room. */
export const PATIENCE_MS = 5_000;

interface Kept extends SuspendedPage {
  readonly since: number;
  cancel(): void;
}

export class SuspendedPages {
  readonly #clock: Pick<Clock, "now">;
  readonly #timer: Pick<Timer, "after">;
  /** By what was asked; the one that has waited longest comes first. */
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

  /** Takes out what was kept, unless what it relies on has changed. */
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

/** Parameters are part of a question, and may be larger than anything that is held for it. */
function nameOf(question: string): string {
  return createHash("sha256").update(question).digest("base64");
}
