/**
 * Clients that write items and change the indexing policy, splits and merges, and the power going
 * again and again.
 *
 * After every cut the terms of an item lie between two bounds: it has those that every policy it
 * may be indexed under gives it, and none that no such policy does. When indexing anew has ended
 * the index is the one that would be built from nothing. And at any time, finished or not, queries
 * find what a look at every item finds.
 */
import { assert } from "../../src/base/assert.ts";
import { millis } from "../../src/base/units.ts";
import type { Random } from "../../src/base/world.ts";
import { seededRandom } from "../../src/base/world.ts";
import { Account } from "../../src/engine/account.ts";
import type { ContainerDefinition } from "../../src/engine/definition/containerDefinition.ts";
import { parseContainerDefinition } from "../../src/engine/definition/containerDefinition.ts";
import type { Container } from "../../src/engine/partition/container.ts";
import type { JsonObject } from "../../src/json/value.ts";
import { SERVICE_LIMITS } from "../../src/model/limits.ts";
import type { WriteRequest } from "../../src/model/request/writeRequest.ts";
import type { EmbeddedStore } from "../../src/store/embedded/embeddedStore.ts";
import type { Wiring } from "./machine.ts";
import { Machine, microTimer, ticks } from "./machine.ts";
import { POLICIES, policyProblems } from "./policyStormChecks.ts";
import { pick } from "./workload.ts";

interface PolicyStormReport {
  readonly violation: string | undefined;
  readonly acknowledgedCount: number;
  readonly openedCount: number;
  /** Cuts that came while items were being indexed anew. */
  readonly cutReindexCount: number;
  readonly finishedCount: number;
  /** Splits and merges that were seen to end. */
  readonly reshapedCount: number;
}

const WRITER_COUNT = 3;
const ITEMS_PER_WRITER = 40;
const LIFE_TICKS_MAX = 2500;
/** Far more than indexing this many items anew takes. */
const FINISH_TICKS_MAX = 200_000;
const LOCATION = { type: "Point", coordinates: [0, 0] };

export function runPolicyStorm(
  seed: number,
  cutCount: number,
  wiring: Wiring = {},
): Promise<PolicyStormReport> {
  return new PolicyStorm(seed, wiring).run(cutCount);
}

class PolicyStorm {
  readonly #seed: number;
  readonly #random: Random;
  readonly #machine: Machine;
  readonly #partitionCount: number;
  /** The versions that each item may have: one, or two while a write is under way. */
  readonly #items = new Map<string, readonly (string | undefined)[]>();
  #life = 0;
  #account: Account | undefined;
  #report = {
    acknowledgedCount: 0,
    openedCount: 0,
    cutReindexCount: 0,
    finishedCount: 0,
    reshapedCount: 0,
  };
  #violation: string | undefined;

  constructor(seed: number, wiring: Wiring) {
    this.#seed = seed;
    this.#random = seededRandom(seed);
    const segmentBytesMax = 4_000 + pick(this.#random, 40_000);
    const options = { segmentBytesMax, sealedCountMax: 1 + pick(this.#random, 3) };
    this.#machine = new Machine(this.#random, options, wiring);
    this.#partitionCount = 1 + pick(this.#random, 3);
  }

  async run(cutCount: number): Promise<PolicyStormReport> {
    for (let cut = 1; cut <= cutCount && this.#violation === undefined; cut++) {
      await this.#lifeUntil(() => ticks(pick(this.#random, LIFE_TICKS_MAX)));
    }
    // The last one is left in peace until everything is indexed.
    if (this.#violation === undefined) await this.#lifeUntil((living) => living, true);
    return { violation: this.#violation, ...this.#report };
  }

  async #lifeUntil(end: (living: Promise<void>) => Promise<void>, isQuiet = false): Promise<void> {
    const life = ++this.#life;
    this.#account = undefined;
    const living = this.#live(life, isQuiet).catch((error: unknown) => {
      if (life === this.#life) this.#violation ??= `seed ${this.#seed}: ${String(error)}`;
    });
    await end(living);
    this.#life++;
    if ((containerOf(this.#account)?.indexProgress ?? 100) < 100) this.#report.cutReindexCount++;
    this.#machine.cutPower();
  }

  async #live(life: number, isQuiet: boolean): Promise<void> {
    const store = await this.#machine.boot();
    const account = await this.#open(store);
    if (life !== this.#life) return;
    this.#account = account;
    const container = containerOf(account) ?? (await this.#createContainer(account));
    if (life !== this.#life) return;
    this.#report.openedCount++;
    this.#reconcile(store, container);
    await this.#check(account, store, container, life);
    // Some lives watch the end of what the life before began.
    if (isQuiet || this.#random.next() < 0.3) await this.#finish(account, store, container, life);
    if (isQuiet || life !== this.#life) return;
    const writers = Array.from({ length: WRITER_COUNT }, (_, writer) =>
      this.#write(account, container, writer, life),
    );
    await Promise.all([
      ...writers,
      this.#change(account, container, life),
      this.#reshape(account, container, life),
    ]);
  }

  #open(store: EmbeddedStore): Promise<Account> {
    let now = 1_700_000_000_000;
    return Account.open({
      store,
      timer: microTimer,
      random: this.#random,
      limits: SERVICE_LIMITS,
      clock: { now: () => millis(now), wallNow: () => now++ },
    });
  }

  async #createContainer({ catalog }: Account): Promise<Container> {
    const found = catalog.database("d") ?? (await catalog.createDatabase("d", undefined));
    const database = "ok" in found ? (found.ok ? found.value : undefined) : found;
    assert(database !== undefined, "a database could not be made");
    const provisioning = { partitionCount: this.#partitionCount, throughput: undefined };
    const made = await catalog.createContainer(database, definitionOf({}), provisioning);
    assert(made.ok, "a container could not be made");
    return made.value;
  }

  /** Everything acknowledged is there; of a write under way, all or nothing. */
  #reconcile(store: EmbeddedStore, container: Container): void {
    const found = new Map<string, string>();
    for (const { part } of container.map.entries) {
      for (const { body } of store.scanItems(part, 0, ALL).items) {
        const item = JSON.parse(body.toString()) as Record<string, string>;
        found.set(item["id"]!, item["marker"]!);
      }
    }
    for (const [id, versions] of this.#items) {
      const marker = found.get(id);
      found.delete(id);
      if (!versions.includes(marker)) throw new Error(`${id} is ${marker}, not one of ${versions}`);
      this.#items.set(id, [marker]);
    }
    if (found.size > 0) throw new Error(`items ${[...found.keys()]} were never written`);
  }

  async #check(
    account: Account,
    store: EmbeddedStore,
    container: Container,
    life: number,
  ): Promise<void> {
    const problem = await policyProblems(account, store, container, () => life !== this.#life);
    if (life === this.#life && problem !== undefined) throw new Error(problem);
  }

  /** Checks again and again until everything is indexed, and once after that. */
  async #finish(
    account: Account,
    store: EmbeddedStore,
    container: Container,
    life: number,
  ): Promise<void> {
    for (let tick = 0; container.indexProgress < 100 && life === this.#life; tick++) {
      if (tick > FINISH_TICKS_MAX) throw new Error("indexing anew does not end");
      await ticks(1);
      if (tick % 50 === 0) await this.#check(account, store, container, life);
    }
    if (life !== this.#life) return;
    this.#report.finishedCount++;
    await this.#check(account, store, container, life);
  }

  async #write(
    account: Account,
    container: Container,
    writer: number,
    life: number,
  ): Promise<void> {
    while (life === this.#life) {
      await ticks(pick(this.#random, 4));
      const id = `w${writer}-${pick(this.#random, ITEMS_PER_WRITER)}`;
      const known = this.#items.get(id)?.[0];
      const isDelete = known !== undefined && this.#random.next() < 0.2;
      const marker = isDelete ? undefined : `m${this.#report.acknowledgedCount}-${writer}`;
      const request = this.#request(id, marker);
      this.#items.set(id, [known, marker]);
      const submitted = account.writeItem(container, request);
      assert(submitted.ok, "a well-formed request was refused");
      const outcome = await submitted.value;
      if (life !== this.#life) return;
      if (outcome.kind === "refused") throw new Error(`${id} was refused: ${outcome.refusal.kind}`);
      this.#items.set(id, [marker]);
      this.#report.acknowledgedCount++;
    }
  }

  #request(id: string, marker: string | undefined): WriteRequest {
    const key = [`key ${id}`];
    if (marker === undefined) return { kind: "delete", key, id };
    const n = pick(this.#random, 9);
    const longitude = pick(this.#random, 10) * 5;
    const item: JsonObject = {
      id,
      pk: key[0]!,
      marker,
      ...(this.#random.next() < 0.9 && { n }),
      s: `text ${pick(this.#random, 5)}${n === 0 ? "x".repeat(300) : ""}`,
      tags: Array.from({ length: pick(this.#random, 4) }, () => `t${pick(this.#random, 6)}`),
      ...(n % 3 === 0 && { loc: { ...LOCATION, coordinates: [longitude, n] } }),
    };
    return { kind: "upsert", key, body: Buffer.from(JSON.stringify(item)) };
  }

  async #change(account: Account, container: Container, life: number): Promise<void> {
    while (life === this.#life) {
      await ticks(pick(this.#random, 900));
      if (life !== this.#life) return;
      const policy = POLICIES[pick(this.#random, POLICIES.length)]!;
      const changed = await account.catalog.replaceContainer(container, definitionOf(policy));
      if (life !== this.#life) return;
      assert(changed.ok, "a policy could not be changed");
      this.#report.acknowledgedCount++;
    }
  }

  async #reshape(account: Account, container: Container, life: number): Promise<void> {
    while (life === this.#life) {
      await ticks(pick(this.#random, 300));
      if (life !== this.#life) return;
      const { entries } = container.map;
      const at = pick(this.#random, entries.length);
      const [one, other] = [entries[at]!.id, entries[at + 1]?.id];
      const request =
        entries.length > 3 && other !== undefined
          ? ({ kind: "merge", partitionIds: [one, other] } as const)
          : ({ kind: "split", partitionId: one, at: "middle" } as const);
      const result = await account.reshaping.request(container, request);
      if (life !== this.#life) return;
      if (result.ok) this.#report.reshapedCount++;
      else if (result.error.kind !== "badRequest") throw new Error(JSON.stringify(result.error));
    }
  }
}

const ALL = { countMax: 100_000, bytesMax: 1e9 };

function containerOf(account: Account | undefined): Container | undefined {
  return account?.catalog.container("d", "c");
}

function definitionOf(indexingPolicy: JsonObject): ContainerDefinition {
  const body = { id: "c", partitionKey: { paths: ["/pk"] }, indexingPolicy };
  const definition = parseContainerDefinition(body, undefined, SERVICE_LIMITS);
  assert(definition.ok, "the definition of a test container is wrong");
  return definition.value;
}
