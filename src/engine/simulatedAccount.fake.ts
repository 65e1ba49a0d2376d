/**
 * An account in memory whose time stands still until it is told to go on, on a store that can be
 * told to fail, or to answer like one that is far away. For tests.
 */
import { assert } from "../base/assert.ts";
import { millis, ru } from "../base/units.ts";
import type { Clock, Timer } from "../base/world.ts";
import { seededRandom } from "../base/world.ts";
import type { JsonObject } from "../json/value.ts";
import type { Caller } from "../model/caller.ts";
import { HIGH_CALLER } from "../model/caller.ts";
import { SERVICE_LIMITS } from "../model/limits.ts";
import type { RateSetting, Throughput } from "../model/throughput.ts";
import { EmbeddedStore } from "../store/embedded/embeddedStore.ts";
import type { PartitionStore } from "../store/partitionStore.ts";
import type { AccountSetting } from "./account.ts";
import { Account } from "./account.ts";
import type { Database } from "./catalog/database.ts";
import { parseContainerDefinition } from "./definition/containerDefinition.ts";
import type { ItemOutcome } from "./item/itemCommand.ts";
import type { Container } from "./partition/container.ts";

const WALL_START = 1_700_000_000_000;

/** Rates are limited, and nothing is saved up. */
export const LIMITED: RateSetting = {
  isLimited: true,
  isServerless: false,
  hasBurst: false,
  manualRatePerPartition: SERVICE_LIMITS.partitionRateMax,
};

/** Time and waiting; nothing but `advance` moves either. */
export class SimulatedTime {
  #now = 0;
  #wallShift = 0;
  readonly #waiting = new Map<() => void, number>();

  readonly clock: Clock = {
    now: () => millis(this.#now),
    wallNow: () => WALL_START + this.#now + this.#wallShift,
  };

  readonly timer: Timer = {
    after: (delay, action) => {
      const due = (): void => action();
      this.#waiting.set(due, this.#now + delay);
      return () => this.#waiting.delete(due);
    },
    soon: () => Promise.resolve(),
  };

  /** How many wait for something that has not come yet. */
  get waitingCount(): number {
    return this.#waiting.size;
  }

  /** Lets time pass, and everybody act whose time comes, each after those before have finished. */
  async advance(duration: number): Promise<void> {
    const end = this.#now + duration;
    for (;;) {
      await settled();
      const next = [...this.#waiting].sort(([, one], [, other]) => one - other)[0];
      if (next === undefined || next[1] > end) break;
      this.#now = Math.max(this.#now, next[1]);
      this.#waiting.delete(next[0]);
      next[0]();
    }
    this.#now = end;
    await settled();
  }

  /** Without letting anybody act. */
  skip(duration: number): void {
    this.#now += duration;
  }

  /** Sets the clock on the wall, ahead or back. What waits for a time to pass does not notice. */
  setWall(by: number): void {
    this.#wallShift += by;
  }
}

const TURNS = 2000;

/** When nothing goes on any more that needs no time, or does not come to an end. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await Promise.resolve();
}

/** What an operation on a part is to fail with, if it is to. */
export type Fault = (operation: string, part: number) => Error | undefined;

/** `isDistant`: every answer takes a while. */
export function troubledStore(
  store: EmbeddedStore,
  trouble: { fault?: Fault | undefined; isDistant?: boolean | undefined },
): PartitionStore {
  const ask = (name: string, method: (...args: unknown[]) => unknown, args: unknown[]): unknown => {
    const error = trouble.fault?.(name, args[0] as number);
    // What answers at once answers with the fault.
    if (error !== undefined) return name === "obstacleOf" ? error : Promise.reject(error);
    if (trouble.isDistant !== true) return method.apply(store, args);
    return settledSoon().then(() => method.apply(store, args));
  };
  return new Proxy<PartitionStore>(store, {
    get: (_target, name) => {
      const member: unknown = Reflect.get(store, name, store);
      if (typeof member !== "function") return member;
      const method = member as (...args: unknown[]) => unknown;
      return (...args: unknown[]) => ask(String(name), method, args);
    },
  });
}

async function settledSoon(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
}

export interface Simulated {
  readonly account: Account;
  readonly time: SimulatedTime;
  /** As it is, without trouble. */
  readonly store: EmbeddedStore;
  /** May be changed at any moment. */
  readonly trouble: { fault?: Fault | undefined; isDistant?: boolean | undefined };
  /** The same store, after a restart. */
  reopen(more?: Partial<AccountSetting>): Promise<Account>;
}

export async function simulatedAccount(more: Partial<AccountSetting> = {}): Promise<Simulated> {
  const time = new SimulatedTime();
  const store = EmbeddedStore.inMemory(time.timer);
  const trouble = {};
  const reopen = (again: Partial<AccountSetting> = {}): Promise<Account> =>
    Account.open({
      store: troubledStore(store, trouble),
      clock: time.clock,
      timer: time.timer,
      random: seededRandom(1),
      limits: SERVICE_LIMITS,
      hasStatistics: true,
      ...more,
      ...again,
    });
  return { account: await reopen(), time, store, trouble, reopen };
}

/** Ends all work of an account; its store stays open for the next account. */
export async function stopped({ jobs, catalog }: Account): Promise<void> {
  await jobs.stop();
  await catalog.close();
}

export async function databaseIn(
  { catalog }: Account,
  throughput?: Throughput,
  id = "d",
): Promise<Database> {
  const made = await catalog.createDatabase(id, throughput);
  assert(made.ok, "the stage could not be set");
  return made.value;
}

/** Its items have their partition key at `/pk`. */
export async function containerIn(
  { catalog, limits }: Account,
  database: Database,
  throughput?: Throughput,
  body: JsonObject = {},
): Promise<Container> {
  const partitionKey = { paths: ["/pk"], kind: "Hash", version: 2 };
  const asked = { id: "c", partitionKey, ...body };
  const definition = parseContainerDefinition(asked, undefined, limits);
  assert(definition.ok, "the stage could not be set");
  const made = await catalog.createContainer(database, definition.value, { throughput });
  assert(made.ok, "the stage could not be set");
  return made.value;
}

export function put(
  account: Account,
  container: Container,
  item: { readonly pk: string; readonly id: string } & JsonObject,
  caller: Caller = HIGH_CALLER,
): Promise<ItemOutcome> {
  const written = account.writeItem(
    container,
    { kind: "upsert", key: [item.pk], body: item },
    caller,
  );
  assert(written.ok, "an item was refused before it was written");
  return written.value;
}

/** Spends what a physical partition has, as work on it would. */
export function spend(container: Container, rangeId: string, charge: number): void {
  const { spending } = container.partitions.get(rangeId)!;
  spending.settle("query", undefined, ru(charge), HIGH_CALLER);
}
