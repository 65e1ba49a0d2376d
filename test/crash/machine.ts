/**
 * A machine that can lose power: a simulated disk, the tables under the store, and whatever store
 * was started on them last.
 *
 * All of it runs in microtasks, so a test that counts them can cut the power between any two steps
 * and do it again from the same seed. What an old store does after the cut reaches nobody: its
 * disk hangs, and so do its tables. Not here: what is written, and what must be found afterwards.
 */
import type { Random, Timer } from "../../src/base/world.ts";
import type { Bottom } from "../../src/store/bottom.ts";
import type { Disk } from "../../src/store/disk.ts";
import type { EmbeddedOptions } from "../../src/store/embedded/embeddedStore.ts";
import { EmbeddedStore } from "../../src/store/embedded/embeddedStore.ts";
import { SimulatedBottom } from "../../src/store/simulatedBottom.fake.ts";
import { SimulatedDisk } from "../../src/store/simulatedDisk.fake.ts";

/** What may be going on when the power goes. */
export type Activity = "open" | "create" | "append" | "remove" | "absorb" | "count";

/** Puts something between the store and what it stands on: a fault, or a planted bug. */
export interface Wiring {
  disk?(disk: Disk, simulated: SimulatedDisk): Disk;
  bottom?(bottom: Bottom): Bottom;
  store?(store: EmbeddedStore): void;
}

interface Left {
  readonly disk: SimulatedDisk;
  readonly bottom: SimulatedBottom;
}

const DISK_TICKS_MAX = 6;
const ABSORB_TICKS_MAX = 80;
const NEVER: Promise<never> = new Promise(() => undefined);

interface Life {
  isOn: boolean;
  readonly underWay: Set<Activity>;
}

export class Machine {
  readonly #random: Random;
  readonly #options: EmbeddedOptions;
  readonly #wiring: Wiring;
  readonly #bottom: SimulatedBottom;
  #disk: SimulatedDisk;
  #life: Life = { isOn: false, underWay: new Set() };

  /** On an empty disk, unless it is to go on with what another version has left. */
  constructor(random: Random, options: EmbeddedOptions, wiring: Wiring = {}, left?: Left) {
    this.#random = random;
    this.#options = options;
    this.#wiring = wiring;
    this.#disk = left?.disk ?? new SimulatedDisk(random);
    this.#bottom = left?.bottom ?? new SimulatedBottom(this.#disk);
  }

  /** The disk of the present life; for tests that damage it. */
  get disk(): SimulatedDisk {
    return this.#disk;
  }

  async boot(): Promise<EmbeddedStore> {
    const life: Life = { isOn: true, underWay: new Set(["open"]) };
    this.#life = life;
    const { disk: wireDisk, bottom: wireBottom, store: wireStore } = this.#wiring;
    const disk = this.#watchedDisk(wireDisk?.(this.#disk, this.#disk) ?? this.#disk, life);
    const bottom = this.#watchedBottom(wireBottom?.(this.#bottom) ?? this.#bottom, life);
    const store = await EmbeddedStore.open(storeTimer, this.#options, { disk, bottom });
    life.underWay.delete("open");
    wireStore?.(store);
    return store;
  }

  /** Ends the present life; says what was under way. The next `boot` finds what survived. */
  cutPower(): readonly Activity[] {
    this.#life.isOn = false;
    this.#disk = this.#disk.powerCut();
    this.#bottom.reopenedOn(this.#disk);
    return [...this.#life.underWay];
  }

  /** A write waits before it starts, and its answer before it arrives. */
  #watchedDisk(disk: Disk, life: Life): Disk {
    const slowly = <T>(activity: Activity, run: () => Promise<T>): Promise<T> =>
      during(life, activity, async () => {
        await this.#pause(DISK_TICKS_MAX);
        const outcome = await run();
        await this.#pause(DISK_TICKS_MAX);
        return outcome;
      });
    return overriding(disk, {
      async create(name, bytes) {
        const file = await slowly("create", () => disk.create(name, bytes));
        return overriding(file, { append: (more) => slowly("append", () => file.append(more)) });
      },
      remove: (name) => slowly("remove", () => disk.remove(name)),
    });
  }

  /**
   * The tables outlive the machine, so a store of an earlier life must not get at them. Absorbing
   * takes its time, now more, now less: segments pile up.
   */
  #watchedBottom(bottom: Bottom, life: Life): Bottom {
    return overriding(bottom, {
      absorb: (...what) =>
        during(life, "absorb", async () => {
          await this.#pause(ABSORB_TICKS_MAX);
          return life.isOn ? bottom.absorb(...what) : NEVER;
        }),
      countTallies: () =>
        during(life, "count", async () => {
          await this.#pause(ABSORB_TICKS_MAX);
          return life.isOn ? bottom.countTallies() : NEVER;
        }),
    });
  }

  #pause(ticksMax: number): Promise<void> {
    return ticks(Math.floor(this.#random.next() * ticksMax));
  }
}

/** Waits are microtasks: nothing in a simulated machine leaves the turn of the event loop. */
export const microTimer: Timer = {
  after: () => () => undefined,
  soon: () => Promise.resolve(),
};

/** How many steps of others a store of a simulated machine takes for a second. */
const TICKS_PER_SECOND = 30;

/** The same for a store: it waits for room on a full disk, and for nothing else. */
const storeTimer: Timer = {
  ...microTimer,
  after(delay, action) {
    let isCancelled = false;
    void ticks((delay / 1000) * TICKS_PER_SECOND).then(() => {
      if (!isCancelled) action();
    });
    return () => {
      isCancelled = true;
    };
  },
};

/** Lets the others take this many steps. */
export async function ticks(count: number): Promise<void> {
  for (let tick = 0; tick < count; tick++) await Promise.resolve();
}

/** `target` with some of its members replaced. */
export function overriding<T extends object>(target: T, overrides: Partial<T>): T {
  return new Proxy(target, {
    get(_, name) {
      const source = Object.hasOwn(overrides, name) ? overrides : target;
      const member: unknown = Reflect.get(source, name, source);
      return typeof member === "function" ? member.bind(source) : member;
    },
  });
}

async function during<T>(life: Life, activity: Activity, run: () => Promise<T>): Promise<T> {
  if (!life.isOn) return NEVER;
  life.underWay.add(activity);
  try {
    return await run();
  } finally {
    life.underWay.delete(activity);
  }
}
