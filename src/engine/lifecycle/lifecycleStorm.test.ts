/**
 * Random clients, clocks, kills and splits against a naive model: at every step every item that the
 * model has is in hot or in warm as it was written last, and in the end each is where it belongs.
 *
 * The model knows what clients wrote. It does not know when an item leaves hot, so it is told: what
 * hot does not show any more has to be in warm, and is history from then on.
 */
import { expect, it } from "vitest";
import { assert } from "../../base/assert.ts";
import { DAY_MS, DAY_SECONDS } from "../../base/units.ts";
import { seededRandom } from "../../base/world.ts";
import type { JsonObject } from "../../json/value.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { StoreFault } from "../../store/partitionStore.ts";
import { Account } from "../account.ts";
import type { ItemOutcome } from "../item/itemCommand.ts";
import type { Container } from "../partition/container.ts";
import { type Fault, troubledStore } from "../simulatedAccount.fake.ts";
import {
  begun,
  itemsIn,
  type LifecycleStage,
  lifecycleStage,
  patch,
  write,
} from "./lifecycleStage.fake.ts";

const AGE_DAYS = 10;
const IDS = 14;

interface ModelItem {
  readonly content: JsonObject;
  /** Whether it could have been moved at some time. */
  wasDue: boolean;
}

class Storm {
  readonly #stage: LifecycleStage;
  readonly #random: ReturnType<typeof seededRandom>;
  /** What hot has, and what is in warm alone. */
  readonly #hot = new Map<string, ModelItem>();
  readonly #history = new Map<string, JsonObject>();
  #account: Account;
  #trouble: { fault?: Fault | undefined };
  #writeCount = 0;
  #splitCount = 0;

  constructor(stage: LifecycleStage, seed: number) {
    this.#stage = stage;
    this.#random = seededRandom(seed);
    this.#account = stage.account;
    this.#trouble = stage.trouble;
  }

  async step(): Promise<void> {
    const { time } = this.#stage;
    const chance = this.#random.next();
    if (chance < 0.3) await this.#put();
    else if (chance < 0.45) await this.#patch();
    else if (chance < 0.55) await this.#delete();
    else if (chance < 0.75) await time.advance(this.#below(3000));
    else if (chance < 0.85) time.skip(this.#below(3 * DAY_MS));
    else if (chance < 0.88) time.skip(this.#below(120 * DAY_MS));
    else if (chance < 0.97) await this.#kill();
    else await this.#split();
    await this.check();
  }

  /** Every item is in hot or in warm, as it was written last. */
  async check(): Promise<void> {
    const [hot, warm] = [await this.#contentsOf("hot"), await this.#contentsOf("warm")];
    for (const [id, item] of this.#hot) {
      item.wasDue ||= this.#isDue(item.content);
      const seen = hot.get(id);
      if (seen !== undefined) {
        expect(bare(seen), `${id} in hot`).toEqual(item.content);
        continue;
      }
      expect(warm.get(id), `${id} in warm`).toEqual(item.content);
      this.#history.set(id, item.content);
      this.#hot.delete(id);
    }
    expect([...hot.keys()].filter((id) => !this.#hot.has(id))).toEqual([]);
    for (const [id, content] of this.#history) {
      const over = this.#hot.get(id);
      const seen = warm.get(id);
      // A newer item of the same id takes the place when it is due, and else takes it away.
      if (over !== undefined) {
        if (seen === undefined) this.#history.delete(id);
        else if (!over.wasDue) expect(seen, `the history of ${id}`).toEqual(content);
        continue;
      }
      expect(seen, `the history of ${id}`).toEqual(content);
    }
  }

  /** Lets everything come to rest, and asks where everything is. */
  async end(): Promise<void> {
    const { time } = this.#stage;
    for (let turn = 0; turn < 4; turn++) await time.advance(5000);
    await this.check();
    const [hot, warm] = [await this.#contentsOf("hot"), await this.#contentsOf("warm")];
    const isOld = ([, { content }]: [string, ModelItem]): boolean => this.#isDue(content);
    const old = [...this.#hot].filter(isOld).map(([id]) => id);
    const young = [...this.#hot].filter((one) => !isOld(one)).map(([id]) => id);
    for (const id of old) expect(warm.get(id)).toEqual(this.#hot.get(id)!.content);
    for (const id of young) expect(hot.get(id)).toEqual(this.#hot.get(id)!.content);
    for (const id of young) expect(warm.get(id), `${id} is young`).toBeUndefined();
    const there = new Set([...old, ...this.#history.keys()]);
    expect([...warm.keys()].filter((id) => !there.has(id))).toEqual([]);
    time.skip(2 * DAY_MS);
    await time.advance(10_000);
    const left = await this.#contentsOf("hot");
    for (const id of old) expect(left.get(id)).toBeUndefined();
    await this.check();
  }

  async #put(): Promise<void> {
    const id = `i${this.#below(IDS)}`;
    const content = { date: this.#date(), n: ++this.#writeCount };
    this.#note(
      id,
      content,
      await this.#written(write(this.#account, this.#container("hot"), id, content)),
    );
  }

  async #patch(): Promise<void> {
    const id = `i${this.#below(IDS)}`;
    const known = this.#hot.get(id);
    const change: JsonObject =
      this.#random.next() < 0.4 ? { date: this.#date() } : { n: ++this.#writeCount };
    const outcome = await this.#written(patch(this.#account, this.#container("hot"), id, change));
    if (outcome === undefined) return;
    assert(known !== undefined, `${id} was patched, and nobody has it`);
    this.#note(id, { ...known.content, ...change }, outcome);
  }

  async #delete(): Promise<void> {
    const id = `i${this.#below(IDS)}`;
    const request = { kind: "delete", key: [`p${id}`], id } as const;
    const sent = this.#account.writeItem(this.#container("hot"), request);
    assert(sent.ok, "a deletion is taken");
    if ((await this.#written(sent.value)) === undefined) return;
    const gone = this.#hot.get(id);
    this.#hot.delete(id);
    if (gone === undefined || !this.#history.has(id)) return;
    // The history has gone with it, or it went before anybody looked; only a look can tell.
    await this.#stage.time.advance(6000);
    const left = (await this.#contentsOf("warm")).get(id);
    if (left === undefined) this.#history.delete(id);
  }

  #note(id: string, content: JsonObject, outcome: ItemOutcome | undefined): void {
    if (outcome === undefined) return;
    // An item that was created is another one than that of before.
    const before = outcome.kind === "created" ? undefined : this.#hot.get(id);
    const wasDue = (before?.wasDue ?? false) || this.#isDue(content);
    this.#hot.set(id, { content, wasDue });
  }

  /** What came of a write; `undefined` if nothing did. */
  async #written(sent: Promise<ItemOutcome>): Promise<ItemOutcome | undefined> {
    const outcome = await sent;
    if (outcome.kind !== "refused") return outcome;
    expect(outcome.refusal.kind).toBe("notFound");
    return undefined;
  }

  /** From some commit on nothing reaches the disk any more; then the account is opened anew. */
  async #kill(): Promise<void> {
    const { time, store } = this.#stage;
    const trouble = this.#trouble;
    let left = this.#below(12);
    trouble.fault = (operation) => {
      if (operation === "commit" && left-- <= 0) trouble.fault = () => new StoreFault("killed");
      return left < 0 && operation === "commit" ? new StoreFault("killed") : undefined;
    };
    await time.advance(this.#below(2500));
    trouble.fault = () => new StoreFault("killed");
    const fresh: { fault?: Fault | undefined } = {};
    this.#account = await Account.open({
      store: troubledStore(store, fresh),
      clock: time.clock,
      timer: time.timer,
      // Etags of one run of a server are none of another.
      random: seededRandom(this.#below(2 ** 31)),
      limits: SERVICE_LIMITS,
    });
    this.#trouble = fresh;
  }

  async #split(): Promise<void> {
    if (++this.#splitCount > 3) return;
    const hot = this.#container("hot");
    const [partition] = hot.partitions.values();
    const partitionId = partition!.entry.id;
    await this.#account.reshaping.accept(hot, { kind: "split", partitionId, at: "middle" });
  }

  #container(name: string): Container {
    return this.#account.catalog.container("d", name)!;
  }

  async #contentsOf(name: string): Promise<ReadonlyMap<string, JsonObject>> {
    return new Map(Object.entries(await itemsIn(this.#account, this.#container(name))));
  }

  #isDue({ date }: JsonObject): boolean {
    return Date.parse(date as string) < this.#stage.time.clock.wallNow() - AGE_DAYS * DAY_MS;
  }

  #date(): string {
    const days = this.#random.next() < 0.5 ? this.#below(AGE_DAYS) : AGE_DAYS + this.#below(60);
    return new Date(this.#stage.time.clock.wallNow() - days * DAY_MS).toISOString();
  }

  #below(bound: number): number {
    return Math.floor(this.#random.next() * bound);
  }
}

function bare({ migrated: _, migratedStamp: __, ttl: ___, ...content }: JsonObject): JsonObject {
  return content;
}

const SEEDS = Number(process.env["ORRERY_LIFECYCLE_STORMS"] ?? 4);
const STEPS = 150;

it.each(Array.from({ length: SEEDS }, (_, seed) => seed + 1))(
  "nothing is lost or doubled in storm %i",
  async (seed) => {
    const stage = await lifecycleStage({ hasStatistics: false });
    await begun(stage.account, {
      ageSeconds: AGE_DAYS * DAY_SECONDS,
      intervalSeconds: 2,
      batch: 5,
    });
    const storm = new Storm(stage, seed);
    for (let step = 0; step < STEPS; step++) await storm.step();
    await storm.end();
  },
  120_000,
);
