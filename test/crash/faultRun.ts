/**
 * A store that meets a fault, and what follows: it goes on or stops, as the fault demands; what was
 * acknowledged can be read at every moment; and after the power has gone too, a machine without
 * faults finds it all and goes on.
 */
import { expect } from "vitest";
import type { Random } from "../../src/base/world.ts";
import { seededRandom } from "../../src/base/world.ts";
import type { EmbeddedStore } from "../../src/store/embedded/embeddedStore.ts";
import { StoreFault } from "../../src/store/partitionStore.ts";
import type { FaultOptions } from "./faultPlan.ts";
import { FaultPlan } from "./faultPlan.ts";
import type { Wiring } from "./machine.ts";
import { Machine, ticks } from "./machine.ts";
import { PartHistory, perform } from "./partHistory.ts";
import { KEYS, nextStep, pick } from "./workload.ts";

const WRITER_COUNT = 3;
const STEP_COUNT = 8;
/** Ticks between a fault and a power cut that follows on its heels. */
const HEEL_TICKS_MAX = 40;
/** More than a simulated machine takes for ten seconds, absorbing included. */
const PASSING_TICKS_MAX = 600;

export interface FaultRunOptions extends FaultOptions {
  readonly seed: number;
  /** Cut the power soon after the fault; otherwise the writers come to rest first. */
  readonly isCutSoon?: boolean;
  /** A bug between the store and the disk that fails, which the run has to find. */
  readonly planted?: Wiring;
}

/** Returns the plan, to tell whether its fault was reached. */
export async function runWithFault(options: FaultRunOptions): Promise<FaultPlan> {
  const plan = new FaultPlan(options);
  const wiring = options.planted === undefined ? plan.wiring : over(plan.wiring, options.planted);
  const run = new FaultRun(options.seed, plan, wiring, options.code === "ENOSPC");
  try {
    await run.live();
    plan.arm();
    if (options.isCutSoon) await run.liveShortly();
    else await run.liveWithFault();
    plan.disarm();
    await run.live();
    await run.live();
  } finally {
    // A store that waits for room would wait for ever.
    run.cutPower();
  }
  return plan;
}

/** What `upper` does to what `lower` makes. */
function over(lower: Wiring, upper: Wiring): Wiring {
  return {
    disk: (disk, simulated) => {
      const made = lower.disk!(disk, simulated);
      return upper.disk?.(made, simulated) ?? made;
    },
    bottom: (bottom) => {
      const made = lower.bottom!(bottom);
      return upper.bottom?.(made) ?? made;
    },
  };
}

class FaultRun {
  readonly #plan: FaultPlan;
  readonly #isDiskFull: boolean;
  readonly #random: Random;
  readonly #machine: Machine;
  readonly #histories: PartHistory[] = [];
  #life = 0;
  #isToldAtOpen = false;

  constructor(seed: number, plan: FaultPlan, wiring: Wiring, isDiskFull: boolean) {
    this.#plan = plan;
    this.#isDiskFull = isDiskFull;
    this.#random = seededRandom(seed);
    const options = { segmentBytesMax: 1200, sealedCountMax: 2 };
    this.#machine = new Machine(this.#random, options, wiring);
    for (let part = 1; part <= WRITER_COUNT; part++) {
      this.#histories.push(new PartHistory(part, KEYS));
    }
  }

  /** A life without a fault: everything is found, and everything works. */
  async live(): Promise<void> {
    const store = await this.#machine.boot();
    for (const history of this.#histories) {
      const verdict = history.verdict(store);
      expect(verdict.kind, JSON.stringify(verdict)).not.toBe("violation");
      history.forgetUnknown();
    }
    await this.#writeAll(store);
    expect(store.fault).toBeUndefined();
    this.#expectAcknowledged(store);
    this.cutPower();
  }

  /** The life in which the fault occurs, until all writers have ended or given up. */
  async liveWithFault(): Promise<void> {
    const store = await this.#boot();
    await this.#writeAll(store);
    const { failedOperation } = this.#plan;
    if (!this.#isDiskFull && failedOperation !== undefined && !this.#isToldAtOpen) {
      await this.#expectStopped(store);
    }
    // A file that cannot be closed may be a reason to stop even so; losing it is not allowed.
    if (this.#isDiskFull && failedOperation !== "close") {
      expect(store.fault, "a full disk is waited out").toBeUndefined();
      await this.#expectPassed(store);
    }
    this.#expectAcknowledged(store);
    this.cutPower();
  }

  /** The same, with the power going while the fault is still fresh. */
  async liveShortly(): Promise<void> {
    const store = await this.#boot();
    let isDone = false;
    this.#writeAll(store).then(
      () => {
        isDone = true;
      },
      () => undefined,
    );
    while (this.#plan.failedOperation === undefined && !isDone) await ticks(1);
    await ticks(pick(this.#random, HEEL_TICKS_MAX));
    this.cutPower();
  }

  /** A fault while opening is told, and the next attempt has nothing to do with it. */
  async #boot(): Promise<EmbeddedStore> {
    for (;;) {
      try {
        return await this.#machine.boot();
      } catch (error) {
        expect(String(error)).toContain("simulated");
        this.#isToldAtOpen = true;
        this.cutPower();
      }
    }
  }

  cutPower(): void {
    this.#life++;
    this.#machine.cutPower();
  }

  async #writeAll(store: EmbeddedStore): Promise<void> {
    await Promise.all(this.#histories.map((history) => this.#write(store, history, this.#life)));
  }

  async #write(store: EmbeddedStore, history: PartHistory, life: number): Promise<void> {
    for (let count = 0; count < STEP_COUNT && !history.isDropped; count++) {
      const step = nextStep(this.#random, history);
      history.begin(step);
      try {
        await perform(store, history.part, step);
        if (life !== this.#life) return;
        history.acknowledge(step);
      } catch (error) {
        if (life !== this.#life) return;
        expect(error).toBeInstanceOf(StoreFault);
        if (!this.#isDiskFull) return;
      }
    }
  }

  /** When there is room again, writes come back by themselves. */
  async #expectPassed(store: EmbeddedStore): Promise<void> {
    this.#plan.disarm();
    await ticks(PASSING_TICKS_MAX);
    expect(store.obstacle, `after ${this.#plan.failedOperation}`).toBeUndefined();
    await expect(store.claim(99, 1)).resolves.toMatchObject({ epoch: 1 });
  }

  async #expectStopped(store: EmbeddedStore): Promise<void> {
    // A fault of the absorber may still be on its way when the writers are done.
    await ticks(HEEL_TICKS_MAX);
    expect(store.fault, `after ${this.#plan.failedOperation}`).toBeInstanceOf(StoreFault);
    await expect(store.claim(99, 1)).rejects.toBe(store.fault);
    for (const { part, isDropped } of this.#histories) {
      if (!isDropped) await expect(store.commit(part, 1, [])).rejects.toThrow();
    }
  }

  /** What was refused must not show: its place has been given to others. */
  #expectAcknowledged(store: EmbeddedStore): void {
    for (const history of this.#histories) {
      const verdict = history.verdict(store);
      expect(verdict.kind, JSON.stringify(verdict)).toBe("asAcknowledged");
    }
  }
}
