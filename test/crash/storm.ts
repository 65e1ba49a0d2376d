/**
 * Several writers on one store, and the power going again and again. After each cut the machine
 * starts anew, everything is compared with what was acknowledged, and the writers go on.
 *
 * A storm is a function of its seed and its wiring. It ends at the first violation.
 */
import type { Random } from "../../src/base/world.ts";
import { seededRandom } from "../../src/base/world.ts";
import type { EmbeddedStore } from "../../src/store/embedded/embeddedStore.ts";
import type { Activity, Wiring } from "./machine.ts";
import { Machine, ticks } from "./machine.ts";
import { PartHistory, perform } from "./partHistory.ts";
import { KEYS, nextStep, pick } from "./workload.ts";

interface StormReport {
  readonly violation: string | undefined;
  readonly acknowledgedCount: number;
  /** Steps whose answer was cut off, by what was found of them. */
  readonly keptCount: number;
  /** How often each activity was interrupted. */
  readonly interrupted: ReadonlyMap<Activity, number>;
}

const WRITER_COUNT = 4;

export function runStorm(
  seed: number,
  cutCount: number,
  wiring: Wiring = {},
): Promise<StormReport> {
  return new Storm(seed, wiring).run(cutCount);
}

class Storm {
  readonly #seed: number;
  readonly #random: Random;
  readonly #machine: Machine;
  readonly #interrupted = new Map<Activity, number>();
  /** The part each writer is at; replaced when it drops it. */
  readonly #histories: PartHistory[] = [];
  /** Parts that were dropped: none of them may come back. */
  readonly #dropped: number[] = [];
  #nextPart = 1;
  #life = 0;
  #store: EmbeddedStore | undefined;
  #violation: string | undefined;
  #acknowledgedCount = 0;
  #keptCount = 0;

  constructor(seed: number, wiring: Wiring) {
    this.#seed = seed;
    const random = seededRandom(seed);
    this.#random = random;
    const segmentBytesMax = 300 + pick(random, 4000);
    const options = { segmentBytesMax, sealedCountMax: 1 + pick(random, 3) };
    this.#machine = new Machine(random, options, wiring);
    for (let index = 0; index < WRITER_COUNT; index++) this.#histories.push(this.#newHistory());
  }

  async run(cutCount: number): Promise<StormReport> {
    for (let cut = 1; cut <= cutCount && this.#violation === undefined; cut++) {
      await this.#live();
    }
    return {
      violation: this.#violation && `seed ${this.#seed}, life ${this.#life}: ${this.#violation}`,
      acknowledgedCount: this.#acknowledgedCount,
      keptCount: this.#keptCount,
      interrupted: this.#interrupted,
    };
  }

  /** From the start of the machine to the next cut, which may come before it is up. */
  async #live(): Promise<void> {
    const life = ++this.#life;
    const moment = pick(this.#random, this.#random.next() < 0.2 ? 40 : 400);
    this.#machine.boot().then(
      (store) => {
        if (life === this.#life) this.#goOn(store, life);
      },
      (error: unknown) => {
        if (life === this.#life) this.#violation ??= `the store does not open: ${String(error)}`;
      },
    );
    await ticks(moment);
    // What a reader sees at the last moment must be there afterwards.
    if (this.#store !== undefined) this.#compare(this.#store);
    this.#store = undefined;
    // From here on the writers of this life are nobody's: they end at their next step.
    this.#life++;
    for (const activity of this.#machine.cutPower()) {
      this.#interrupted.set(activity, (this.#interrupted.get(activity) ?? 0) + 1);
    }
  }

  #goOn(store: EmbeddedStore, life: number): void {
    this.#compare(store);
    for (const history of this.#histories) history.forgetUnknown();
    this.#store = store;
    for (let writer = 0; writer < WRITER_COUNT; writer++) {
      this.#write(store, writer, life).catch((error: unknown) => {
        if (life === this.#life) this.#violation ??= `a write failed: ${String(error)}`;
      });
    }
  }

  async #write(store: EmbeddedStore, writer: number, life: number): Promise<void> {
    while (life === this.#life) {
      const history = this.#histories[writer]!;
      if (history.isDropped) {
        this.#dropped.push(history.part);
        this.#histories[writer] = this.#newHistory();
        continue;
      }
      const step = nextStep(this.#random, history);
      history.begin(step);
      await perform(store, history.part, step);
      // An answer that arrives after the cut was never given.
      if (life !== this.#life) return;
      history.acknowledge(step);
      this.#acknowledgedCount++;
    }
  }

  #compare(store: EmbeddedStore): void {
    for (const history of this.#histories) {
      const verdict = history.verdict(store);
      if (verdict.kind === "kept") this.#keptCount++;
      if (verdict.kind === "violation") this.#violation ??= verdict.message;
    }
    const returned = store.parts().filter((part) => this.#dropped.includes(part));
    if (returned.length > 0) this.#violation ??= `parts ${returned} were dropped and are back`;
  }

  #newHistory(): PartHistory {
    return new PartHistory(this.#nextPart++, KEYS);
  }
}
