/**
 * Clients of one account, and the power going again and again. Some write items, one makes and
 * deletes databases and containers under their hands, and physical partitions are split and merged.
 */
import { assert } from "../../src/base/assert.ts";
import type { Result } from "../../src/base/result.ts";
import { ok } from "../../src/base/result.ts";
import { millis } from "../../src/base/units.ts";
import type { Random } from "../../src/base/world.ts";
import { seededRandom } from "../../src/base/world.ts";
import { Account } from "../../src/engine/account.ts";
import type { ContainerDefinition } from "../../src/engine/definition/containerDefinition.ts";
import { parseContainerDefinition } from "../../src/engine/definition/containerDefinition.ts";
import type { ItemOutcome } from "../../src/engine/item/itemCommand.ts";
import type { Container } from "../../src/engine/partition/container.ts";
import type { ReshapeRequest } from "../../src/engine/reshape/reshapePlan.ts";
import { SERVICE_LIMITS } from "../../src/model/limits.ts";
import type { Refusal } from "../../src/model/refusal.ts";
import type { WriteRequest } from "../../src/model/request/writeRequest.ts";
import type { EmbeddedStore } from "../../src/store/embedded/embeddedStore.ts";
import type { ContainerSlot, ItemSlot } from "./accountModel.ts";
import { AccountModel, newContainer, newDatabase, newItem, Violation } from "./accountModel.ts";
import type { Wiring } from "./machine.ts";
import { Machine, microTimer, ticks } from "./machine.ts";
import { pick } from "./workload.ts";

interface AccountStormReport {
  readonly violation: string | undefined;
  readonly acknowledgedCount: number;
  readonly openedCount: number;
  /** Splits and merges that were seen to end. */
  readonly reshapedCount: number;
}

const WRITER_COUNT = 4;
const DATABASES = ["shop", "press"];
const CONTAINERS = ["a", "b", "c"];
const VERBS = ["create", "upsert", "replace", "patch", "delete"] as const;
const LIFE_TICKS_MAX = 1500;

export function runAccountStorm(
  seed: number,
  cutCount: number,
  wiring: Wiring = {},
): Promise<AccountStormReport> {
  return new AccountStorm(seed, wiring).run(cutCount);
}

class AccountStorm {
  readonly #seed: number;
  readonly #random: Random;
  readonly #machine: Machine;
  readonly #model = new AccountModel();
  #life = 0;
  #markerCount = 0;
  #acknowledgedCount = 0;
  #openedCount = 0;
  #reshapedCount = 0;
  #violation: string | undefined;
  /** Jobs that were accepted, with what became of them as far as was seen. */
  readonly #accepted = new Map<string, string | undefined>();

  constructor(seed: number, wiring: Wiring) {
    this.#seed = seed;
    this.#random = seededRandom(seed);
    const segmentBytesMax = 1000 + pick(this.#random, 8000);
    const options = { segmentBytesMax, sealedCountMax: 1 + pick(this.#random, 3) };
    this.#machine = new Machine(this.#random, options, wiring);
    for (const id of DATABASES) {
      const database = newDatabase();
      for (const name of CONTAINERS) database.containers.set(name, newContainer());
      this.#model.databases.set(id, database);
    }
  }

  async run(cutCount: number): Promise<AccountStormReport> {
    for (let cut = 1; cut <= cutCount && this.#violation === undefined; cut++) {
      const life = ++this.#life;
      this.#live(life).catch((error: unknown) => {
        if (life === this.#life) this.#violation ??= `seed ${this.#seed}: ${String(error)}`;
      });
      await ticks(pick(this.#random, LIFE_TICKS_MAX));
      this.#life++;
      this.#machine.cutPower();
    }
    return {
      violation: this.#violation,
      acknowledgedCount: this.#acknowledgedCount,
      openedCount: this.#openedCount,
      reshapedCount: this.#reshapedCount,
    };
  }

  async #live(life: number): Promise<void> {
    const store = await this.#machine.boot();
    const account = await this.#open(store);
    if (life !== this.#life) return;
    await this.#model.reconcile(account, store);
    if (life !== this.#life) return;
    this.#noteJobs(account);
    this.#openedCount++;
    const writers = Array.from({ length: WRITER_COUNT }, (_, writer) =>
      this.#writeItems(account, writer, life),
    );
    await Promise.all([...writers, this.#change(account, life), this.#reshape(account, life)]);
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

  async #writeItems(account: Account, writer: number, life: number): Promise<void> {
    while (life === this.#life) {
      await ticks(1);
      const database = DATABASES[pick(this.#random, DATABASES.length)]!;
      const name = CONTAINERS[pick(this.#random, CONTAINERS.length)]!;
      const slot = this.#model.databases.get(database)!.containers.get(name)!;
      const container = account.catalog.container(database, name);
      if (container === undefined || container.rid !== slot.rid) continue;
      const id = `w${writer}-${pick(this.#random, 4)}`;
      const items = slot.items;
      if (!items.has(id)) items.set(id, newItem());
      const item = items.get(id)!;
      const request = this.#request(id, item);
      const submitted = account.writeItem(container, request);
      assert(submitted.ok, "a well-formed request was refused");
      const outcome = await submitted.value;
      if (life !== this.#life) return;
      this.#settle(`${container.rid}/${id}`, item, request, outcome);
    }
  }

  #request(id: string, item: ItemSlot): WriteRequest {
    const kind = VERBS[pick(this.#random, VERBS.length)]!;
    const key = [`key ${id}`];
    if (kind === "delete") {
      item.unknown = null;
      return { kind, key, id };
    }
    const marker = `m${++this.#markerCount}`;
    item.unknown = marker;
    if (kind === "patch") {
      const operations = [{ op: "set", path: "/marker", value: marker }];
      return { kind, key, id, body: Buffer.from(JSON.stringify({ operations })) };
    }
    const filler = "x".repeat(pick(this.#random, 10) === 0 ? 1500 : pick(this.#random, 200));
    const body = Buffer.from(JSON.stringify({ id, pk: key[0], marker, filler }));
    return kind === "replace" ? { kind, key, id, body } : { kind, key, body };
  }

  #settle(version: string, item: ItemSlot, request: WriteRequest, outcome: ItemOutcome): void {
    const marker = item.unknown;
    item.unknown = undefined;
    if (outcome.kind === "refused") {
      const { kind } = outcome.refusal;
      const isThere = item.marker !== undefined;
      const expected = isThere ? request.kind === "create" && "idTaken" : "notFound";
      if (kind !== expected && kind !== "ownerNotFound") {
        throw new Violation(`${request.kind} of ${version} was refused: ${kind}`);
      }
      return;
    }
    this.#acknowledgedCount++;
    item.marker = marker ?? undefined;
    item.etag = outcome.etag;
    if (outcome.etag !== undefined) this.#model.noteEtag(outcome.etag, `${version} ${marker}`);
  }

  async #change(account: Account, life: number): Promise<void> {
    while (life === this.#life) {
      await ticks(pick(this.#random, 60));
      const id = DATABASES[pick(this.#random, DATABASES.length)]!;
      const slot = this.#model.databases.get(id)!;
      if (slot.rid === undefined) await this.#createDatabase(account, id, life);
      else if (this.#random.next() < 0.03) await this.#deleteDatabase(account, id, life);
      else {
        const name = CONTAINERS[pick(this.#random, CONTAINERS.length)]!;
        await this.#changeContainer(account, id, name, life);
      }
    }
  }

  async #reshape(account: Account, life: number): Promise<void> {
    while (life === this.#life) {
      await ticks(1 + pick(this.#random, 40));
      const database = DATABASES[pick(this.#random, DATABASES.length)]!;
      const name = CONTAINERS[pick(this.#random, CONTAINERS.length)]!;
      const container = account.catalog.container(database, name);
      if (container === undefined) continue;
      const { entries } = container.map;
      const at = pick(this.#random, entries.length);
      const neighbour = entries[at + 1];
      const isMerge = entries.length > 3 && neighbour !== undefined;
      const request: ReshapeRequest = isMerge
        ? { kind: "merge", partitionIds: [entries[at]!.id, neighbour.id] }
        : { kind: "split", partitionId: entries[at]!.id, at: "middle" };
      const result = await this.#ask(account, container, request);
      if (life !== this.#life) return;
      if (result.ok && typeof result.value === "string")
        this.#accepted.set(result.value, undefined);
      else if (result.ok) this.#reshapedCount++;
      else if (!["badRequest", "notFound"].includes(result.error.kind)) {
        throw new Violation(`a split or merge was refused: ${JSON.stringify(result.error)}`);
      }
    }
  }

  /** Half of them until they are accepted, which gives an id; the others until they are done. */
  async #ask(
    { reshaping }: Account,
    container: Container,
    request: ReshapeRequest,
  ): Promise<Result<string | readonly string[], Refusal>> {
    if (this.#random.next() < 0.5) return reshaping.request(container, request);
    const answer = await reshaping.accept(container, request);
    return answer.ok ? ok(answer.value.id) : answer;
  }

  /** What was accepted is there, and what has ended stays as it ended. */
  #noteJobs({ reshaping }: Account): void {
    const found = new Map(reshaping.jobs.map((job) => [job.id, job]));
    for (const [id, outcome] of this.#accepted) {
      const job = found.get(id);
      if (job === undefined) throw new Violation(`job ${id} was accepted and is forgotten`);
      const isKept = outcome === undefined || outcome === JSON.stringify(job.outcome);
      if (!isKept) throw new Violation(`job ${id} had ended with ${outcome}`);
      if (outcome === undefined && job.outcome?.state === "done") this.#reshapedCount++;
      this.#accepted.set(id, job.outcome && JSON.stringify(job.outcome));
    }
  }

  async #createDatabase(account: Account, id: string, life: number): Promise<void> {
    const slot = this.#model.databases.get(id)!;
    slot.unknown = "create";
    const made = await account.catalog.createDatabase(id, undefined);
    if (life !== this.#life) return;
    assert(made.ok, "a database could not be made");
    slot.rid = made.value.rid;
    slot.unknown = undefined;
    this.#acknowledgedCount++;
  }

  async #deleteDatabase(account: Account, id: string, life: number): Promise<void> {
    const slot = this.#model.databases.get(id)!;
    slot.unknown = "delete";
    const gone = await account.catalog.deleteDatabase(account.catalog.database(id)!);
    if (life !== this.#life) return;
    assert(gone.ok, "a database could not be deleted");
    slot.rid = undefined;
    slot.unknown = undefined;
    for (const name of CONTAINERS) slot.containers.set(name, newContainer());
    this.#acknowledgedCount++;
  }

  async #changeContainer(account: Account, id: string, name: string, life: number): Promise<void> {
    const slot = this.#model.databases.get(id)!.containers.get(name)!;
    const { catalog } = account;
    const found = catalog.container(id, name);
    if (found === undefined) {
      slot.unknown = "create";
      const provisioning = { partitionCount: 1 + pick(this.#random, 3), throughput: undefined };
      const definition = definitionOf(name, undefined);
      const made = await catalog.createContainer(catalog.database(id)!, definition, provisioning);
      if (life !== this.#life) return;
      assert(made.ok, "a container could not be made");
      this.#containerIs(slot, made.value);
    } else if (this.#random.next() < 0.6) {
      slot.unknown = "replace";
      const definition = definitionOf(name, 1000 + pick(this.#random, 1_000_000));
      const replaced = await catalog.replaceContainer(found, definition);
      if (life !== this.#life) return;
      assert(replaced.ok, "a container could not be replaced");
      this.#containerIs(slot, replaced.value);
    } else {
      slot.unknown = "delete";
      const gone = await catalog.deleteContainer(catalog.database(id)!, found);
      if (life !== this.#life) return;
      assert(gone.ok, "a container could not be deleted");
      Object.assign(slot, newContainer());
    }
    this.#acknowledgedCount++;
  }

  #containerIs(
    slot: ContainerSlot,
    { rid, record }: { readonly rid: string; readonly record: { readonly etag: string } },
  ): void {
    slot.rid = rid;
    slot.etag = record.etag;
    slot.unknown = undefined;
  }
}

function definitionOf(id: string, defaultTtl: number | undefined): ContainerDefinition {
  const body = { id, partitionKey: { paths: ["/pk"] }, ...(defaultTtl && { defaultTtl }) };
  const definition = parseContainerDefinition(body, undefined, SERVICE_LIMITS);
  assert(definition.ok, "the definition of a test container is wrong");
  return definition.value;
}
