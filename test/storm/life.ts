/** What everybody has in common while a machine is on. */
import type { MaybePromise } from "../../src/base/result.ts";
import type { Random } from "../../src/base/world.ts";
import type { Account } from "../../src/engine/account.ts";
import type { Container } from "../../src/engine/partition/container.ts";
import type { Refusal } from "../../src/model/refusal.ts";
import type { EmbeddedStore } from "../../src/store/embedded/embeddedStore.ts";
import type { Ledger } from "./ledger.ts";
import type { SimulatedWorld } from "./simulatedWorld.ts";
import type { ContainerSlot, StormModel } from "./stormModel.ts";
import { demand } from "./stormModel.ts";

/** A power cut ends whatever was under way without a word. */
export class PowerCut extends Error {
  override readonly name = "PowerCut";
}

/** Nobody is told to wait for longer than this. */
const WAIT_MAX = 60_000;

interface LifeSetting {
  readonly world: SimulatedWorld;
  readonly random: Random;
  readonly model: StormModel;
  readonly account: Account;
  readonly store: EmbeddedStore;
  readonly ledger: Ledger;
  readonly isOn: () => boolean;
  /** Adds a line to the history of the storm. */
  readonly note: (line: string) => void;
  /** Ends the storm, unless the power has gone meanwhile. */
  readonly complain: (problem: string) => void;
}

export class Life {
  readonly world: SimulatedWorld;
  readonly random: Random;
  readonly model: StormModel;
  readonly account: Account;
  readonly store: EmbeddedStore;
  readonly ledger: Ledger;
  readonly note: (line: string) => void;
  readonly complain: (problem: string) => void;
  readonly #isOn: () => boolean;
  /** While set, nobody begins anything. */
  isPaused = false;
  isClosing = false;
  busyCount = 0;

  constructor(setting: LifeSetting) {
    this.world = setting.world;
    this.random = setting.random;
    this.model = setting.model;
    this.account = setting.account;
    this.store = setting.store;
    this.ledger = setting.ledger;
    this.note = setting.note;
    this.complain = setting.complain;
    this.#isOn = setting.isOn;
  }

  pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.random.next() * from.length)]!;
  }

  /** A whole number below `bound`. */
  below(bound: number): number {
    return Math.floor(this.random.next() * bound);
  }

  chance(share: number): boolean {
    return this.random.next() < share;
  }

  /** The container of a slot, if it is there for certain. */
  containerOf(slot: ContainerSlot): Container | undefined {
    const container = this.account.catalog.container(slot.database, slot.name);
    const isSure = slot.undecided === undefined && container?.rid === slot.rid;
    return isSure ? container : undefined;
  }

  /** Does something again and again, with pauses of about `pauseMs`, until the power goes. */
  async repeat(pauseMs: number, act: () => Promise<void>): Promise<never> {
    for (;;) {
      await this.sleep(1 + this.below(2 * pauseMs));
      if (this.isPaused) continue;
      this.busyCount++;
      await act();
      this.busyCount--;
    }
  }

  async sleep(delay: number): Promise<void> {
    await this.world.sleep(delay);
    this.#mustBeOn();
  }

  async until<T>(answer: MaybePromise<T>): Promise<T> {
    const value = await answer;
    this.#mustBeOn();
    return value;
  }

  /** Asks until it is not told to wait any more, and waits as long as it is told. */
  async patiently<T>(
    container: Container,
    ask: () => MaybePromise<T>,
    refusalOf: (answer: T) => Refusal | undefined,
  ): Promise<T> {
    for (;;) {
      const answer = await this.until(ask());
      const refusal = refusalOf(answer);
      if (refusal?.kind !== "throttled") return answer;
      this.ledger.noteThrottled(container);
      const { retryAfterMs } = refusal;
      demand(retryAfterMs > 0 && retryAfterMs <= WAIT_MAX, `told to wait for ${retryAfterMs} ms`);
      await this.sleep(retryAfterMs);
    }
  }

  #mustBeOn(): void {
    if (!this.#isOn()) throw new PowerCut();
  }
}
