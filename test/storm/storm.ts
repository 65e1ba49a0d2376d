/**
 * The whole engine in a simulated world: clients that write, read, query and page through feeds,
 * somebody who changes policies and rates and splits and merges, and a machine that loses power.
 *
 * Lives follow one another on one disk. After every event it is looked at who has spent what, every
 * now and then and after every start at everything a container holds. Between phases all clients
 * pause: then what they were told must add up. The last life is left in peace until everything that
 * was begun is done.
 */
import { createHash } from "node:crypto";
import type { Random } from "../../src/base/world.ts";
import { seededRandom } from "../../src/base/world.ts";
import { Account } from "../../src/engine/account.ts";
import { STATISTICS_PART } from "../../src/engine/catalog/parts.ts";
import type { RateSetting } from "../../src/model/throughput.ts";
import type { EmbeddedStore } from "../../src/store/embedded/embeddedStore.ts";
import type { Wiring } from "../crash/machine.ts";
import { Machine, overriding } from "../crash/machine.ts";
import { Director } from "./director.ts";
import { ItemClient } from "./itemClient.ts";
import { Ledger } from "./ledger.ts";
import { Life, PowerCut } from "./life.ts";
import { PageReader } from "./pageReader.ts";
import { countedRu, quietProblem, reconcile } from "./quiet.ts";
import { SimulatedWorld } from "./simulatedWorld.ts";
import { checkContainer } from "./stormChecks.ts";
import type { StormSize } from "./stormContainers.ts";
import { KINDS, SIZES } from "./stormContainers.ts";
import { demand, StormModel } from "./stormModel.ts";

export interface StormReport {
  readonly violation: string | undefined;
  /** Of all that happened, in order. */
  readonly digest: string;
  readonly simulatedMs: number;
  readonly eventCount: number;
  readonly counts: Readonly<Record<CountName, number>>;
}

type CountName =
  | "acknowledged"
  | "throttled"
  | "full"
  | "walks"
  | "pages"
  | "overtaken"
  | "splitsByHand"
  | "merges"
  | "splitsBySize"
  | "splitsByRate"
  | "pending"
  | "policies"
  | "deleted"
  | "cuts"
  | "closings";

interface Kept {
  /** Whether there was time to put everything away. */
  readonly isExact: boolean;
  readonly ruByRid: ReadonlyMap<string, number>;
}

const CLIENT_COUNT = 6;
const READER_COUNT = 3;
const LIFE_COUNT = 4;
const PHASES_MAX = 3;
const PHASE_MS_MAX = 12_000;
const DISK_MS_MAX = 8;
/** Events between two looks at everything that some container holds. */
const CHECK_EVERY = 200;
/** Far more than everything that was begun takes. */
const QUIET_MS_MAX = 600_000;

export function runStorm(seed: number, wiring: Wiring = {}): Promise<StormReport> {
  return new Storm(seed, wiring).run();
}

class Storm {
  readonly #seed: number;
  readonly #random: Random;
  readonly #world: SimulatedWorld;
  readonly #machine: Machine;
  readonly #rates: RateSetting;
  readonly #model = new StormModel(KINDS);
  readonly #size: StormSize;
  readonly #clients: readonly ItemClient[];
  readonly #readers = Array.from({ length: READER_COUNT }, () => new PageReader());
  readonly #director: Director;
  readonly #digest = createHash("sha256");
  readonly #counts = { throttled: 0, cuts: 0, closings: 0, splitsBySize: 0, splitsByRate: 0 };
  /** What statistics had at the end of the life before, by container. */
  #kept: Kept = { isExact: false, ruByRid: new Map() };
  #lifeNumber = 0;
  #violation: string | undefined;

  constructor(seed: number, wiring: Wiring) {
    this.#seed = seed;
    this.#random = seededRandom(seed);
    this.#world = new SimulatedWorld(this.#random.next() < 0.3 ? 0.5 : 0.001);
    this.#size = SIZES[this.#random.next() < 0.75 ? 0 : 1]!;
    const { limits, itemsPerClient } = this.#size;
    this.#clients = Array.from(
      { length: CLIENT_COUNT },
      (_, number) => new ItemClient(number, itemsPerClient),
    );
    this.#rates = {
      isLimited: true,
      isServerless: false,
      hasBurst: this.#random.next() < 0.5,
      manualRatePerPartition: limits.partitionRateMax,
    };
    this.#director = new Director(this.#rates);
    const options = {
      segmentBytesMax: 20_000 + this.#below(60_000),
      sealedCountMax: 1 + this.#below(3),
    };
    this.#machine = new Machine(this.#random, options, this.#slowly(wiring));
  }

  async run(): Promise<StormReport> {
    for (let life = 1; life <= LIFE_COUNT && this.#violation === undefined; life++) {
      try {
        await this.#live(life === LIFE_COUNT);
      } catch (error) {
        this.#complain(String(error));
      }
      this.#lifeNumber++;
      this.#machine.cutPower();
    }
    return {
      violation: this.#violation,
      digest: this.#digest.digest("hex"),
      simulatedMs: this.#world.now,
      eventCount: this.#world.eventCount,
      counts: this.#totals(),
    };
  }

  async #live(isLast: boolean): Promise<void> {
    const number = ++this.#lifeNumber;
    const life = await this.#start(() => number === this.#lifeNumber, isLast);
    if (life === undefined) return;
    reconcile(life);
    this.#checkKept(life);
    this.#checkAll(life);
    const acts = [
      ...this.#clients.map((client) => life.repeat(60, () => client.act(life))),
      ...this.#readers.map((reader) => life.repeat(100, () => reader.act(life))),
      life.repeat(500, () => this.#director.act(life)),
    ];
    for (const act of acts) act.catch((error: unknown) => this.#fail(error));
    const phaseCount = 1 + this.#below(PHASES_MAX);
    for (let phase = 1; phase <= phaseCount; phase++) {
      life.isPaused = false;
      await this.#runFor(life, 1 + this.#below(PHASE_MS_MAX));
      if (phase < phaseCount || isLast) await this.#pause(life);
    }
    this.#countJobs(life);
    if (isLast) await this.#comeToRest(life);
    if (isLast || this.#random.next() < 0.25) await this.#close(life);
    else await this.#cut(life);
    this.#counts.throttled += life.ledger.throttledCount();
  }

  /** Undefined if the power went before it was there. */
  async #start(isOn: () => boolean, isLast: boolean): Promise<Life | undefined> {
    let opened: { readonly account: Account; readonly store: EmbeddedStore } | undefined;
    const opening = async (): Promise<void> => {
      const store = await this.#machine.boot();
      opened = { store, account: await this.#open(store, isOn) };
    };
    opening().catch((error: unknown) => this.#fail(error));
    const isPatient = isLast || this.#random.next() < 0.9;
    const end = this.#world.now + (isPatient ? QUIET_MS_MAX : this.#below(80));
    await this.#world.runUntil(() => opened !== undefined || this.#isOver(end));
    if (opened === undefined) {
      demand(!isPatient, "the account does not open");
      return undefined;
    }
    const { limits } = this.#size;
    const { hasBurst } = this.#rates;
    const ledger = new Ledger({ limits, hasBurst, pagesMax: READER_COUNT });
    return new Life({
      ...opened,
      ledger,
      isOn,
      world: this.#world,
      random: this.#random,
      model: this.#model,
      note: (line) => isOn() && this.#note(line),
      complain: (problem) => isOn() && this.#complain(problem),
    });
  }

  #open(store: EmbeddedStore, isOn: () => boolean): Promise<Account> {
    return Account.open({
      store,
      clock: this.#world.clock,
      timer: this.#world.timer(isOn),
      random: this.#random,
      limits: this.#size.limits,
      rates: this.#rates,
      hasStatistics: true,
      isKept: true,
    });
  }

  async #runFor(life: Life, duration: number): Promise<void> {
    const end = this.#world.now + duration;
    await this.#world.runUntil(() => {
      this.#look(life);
      return this.#isOver(end);
    });
  }

  /** Nobody begins anything any more, and what is under way comes to its end. */
  async #pause(life: Life): Promise<void> {
    life.isPaused = true;
    const end = this.#world.now + QUIET_MS_MAX;
    await this.#world.runUntil(() => {
      this.#look(life);
      return life.busyCount === 0 || this.#isOver(end);
    });
    if (this.#violation !== undefined) return;
    demand(life.busyCount === 0, "somebody waits for ever");
    await this.#runFor(life, 2_000);
    this.#checkAll(life);
    for (const container of life.account.catalog.containers()) {
      life.ledger.check(container, this.#world.now);
    }
  }

  /** Everything that goes by itself ends, and leaves nothing behind. */
  async #comeToRest(life: Life): Promise<void> {
    life.isPaused = true;
    const end = this.#world.now + QUIET_MS_MAX;
    await this.#world.runUntil(() => {
      this.#look(life);
      return quietProblem(life) === undefined || this.#isOver(end);
    });
    const problem = quietProblem(life);
    demand(problem === undefined || this.#violation !== undefined, `${problem}`);
    this.#checkAll(life);
    const named = life.account.catalog.containers().flatMap(({ map }) => map.entries);
    const parts = new Set([0, STATISTICS_PART, ...named.map(({ part }) => part)]);
    const strange = life.store.parts().filter((part) => !parts.has(part));
    demand(strange.length === 0, `parts ${strange} belong to no container`);
  }

  /** In good order: what was counted survives. */
  async #close(life: Life): Promise<void> {
    await this.#pause(life);
    const { account } = life;
    this.#kept = { isExact: true, ruByRid: countedRu(account, this.#world.clock) };
    let isClosed = false;
    life.isClosing = true;
    account.close().then(
      () => (isClosed = true),
      (error: unknown) => this.#fail(error),
    );
    const end = this.#world.now + QUIET_MS_MAX;
    await this.#world.runUntil(() => isClosed || this.#isOver(end));
    demand(isClosed || this.#violation !== undefined, "the account does not close");
    this.#counts.closings++;
  }

  /** In the middle of something. */
  async #cut(life: Life): Promise<void> {
    this.#kept = { isExact: false, ruByRid: countedRu(life.account, this.#world.clock) };
    await this.#world.begin(this.#below(60));
    this.#counts.cuts++;
  }

  #look(life: Life): void {
    try {
      life.ledger.watch(life.account, this.#world.now);
      if (this.#world.eventCount % CHECK_EVERY !== 0) return;
      const slots = this.#model.slots.filter((slot) => life.containerOf(slot) !== undefined);
      const slot = slots[Math.floor(this.#world.eventCount / CHECK_EVERY) % slots.length];
      if (slot !== undefined) {
        checkContainer(life.store, slot, life.containerOf(slot)!, life.account.limits);
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  #checkAll(life: Life): void {
    for (const slot of this.#model.slots) {
      const container = life.containerOf(slot);
      if (container !== undefined) checkContainer(life.store, slot, container, life.account.limits);
    }
  }

  /** A power cut may take the last minute of statistics; nothing is ever counted twice. */
  #checkKept({ account }: Life): void {
    const { isExact, ruByRid } = this.#kept;
    for (const [rid, ru] of countedRu(account, this.#world.clock)) {
      const before = ruByRid.get(rid) ?? 0;
      const isRight = ru < before + 0.01 && (!isExact || ru > before - 0.01);
      demand(isRight, `statistics of ${rid} have ${ru} RU, ${before} before it was started`);
    }
  }

  #countJobs(life: Life): void {
    for (const { reason, outcome } of life.account.reshaping.jobs) {
      if (outcome?.state !== "done") continue;
      if (reason === "storage") this.#counts.splitsBySize++;
      if (reason === "throughput") this.#counts.splitsByRate++;
    }
  }

  #totals(): StormReport["counts"] {
    const sum = <T>(from: readonly T[], of: (one: T) => number): number =>
      from.reduce((total, one) => total + of(one), 0);
    const director = this.#director;
    return {
      ...this.#counts,
      acknowledged: sum(this.#clients, ({ acknowledgedCount }) => acknowledgedCount),
      full: sum(this.#clients, ({ fullCount }) => fullCount),
      walks: sum(this.#readers, ({ finishedCount }) => finishedCount),
      pages: sum(this.#readers, ({ pageCount }) => pageCount),
      overtaken: sum(this.#readers, ({ overtakenCount }) => overtakenCount),
      splitsByHand: director.splitCount,
      merges: director.mergeCount,
      pending: director.pendingCount,
      policies: director.policyCount,
      deleted: director.deletedCount,
    };
  }

  #slowly(wiring: Wiring): Wiring {
    const delay = (): Promise<void> => this.#world.sleep(this.#random.next() * DISK_MS_MAX);
    return {
      ...wiring,
      disk: (disk, simulated) => {
        const wired = wiring.disk?.(disk, simulated) ?? disk;
        return overriding(wired, {
          create: async (name, bytes) => {
            await delay();
            const file = await wired.create(name, bytes);
            const append = async (more: Uint8Array): Promise<void> => {
              await delay();
              await file.append(more);
            };
            return overriding(file, { append });
          },
        });
      },
    };
  }

  #isOver(end: number): boolean {
    return this.#world.now >= end || this.#violation !== undefined;
  }

  #fail(error: unknown): void {
    if (error instanceof PowerCut) return;
    this.#complain(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }

  #complain(problem: string): void {
    this.#violation ??= `seed ${this.#seed}, ${this.#world.now.toFixed(0)} ms: ${problem}`;
  }

  #note(line: string): void {
    this.#digest.update(`${this.#world.now.toFixed(3)} ${line}\n`);
  }

  #below(bound: number): number {
    return Math.floor(this.#random.next() * bound);
  }
}
