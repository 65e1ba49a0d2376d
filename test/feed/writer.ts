/**
 * An application that writes to logical partitions of its own: in bulk, in batches, some of which
 * are undone, and one by one. It notes in the ledger what it was told.
 *
 * Every answer has to be the one that was expected. When an answer is lost with the server, what
 * was asked for is in doubt, and the writer looks which items are there before it goes on.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "../../src/base/world.ts";
import type { Site } from "../crash/site.ts";
import { pick } from "../crash/workload.ts";
import type { ItemLine, LineAnswer, LineCall } from "./itemLine.ts";
import type { Ledger } from "./ledger.ts";
import type { PlannedWrite } from "./writePlan.ts";
import { bulkOperation, changesOf, Planner, patchOf } from "./writePlan.ts";

interface WriterSetting {
  readonly site: Site;
  readonly line: ItemLine;
  readonly ledger: Ledger;
  readonly random: Random;
  readonly keys: readonly string[];
  readonly idCount: number;
  readonly bulkCount: number;
  readonly nextMarker: () => number;
}

const REFUSED_SHARE = 0.01;
const BATCH_COUNT_MAX = 9;

/** Answers need not repeat the items. */
const MINIMAL = { prefer: "return=minimal" };
const BULK: Readonly<Record<string, string>> = {
  "x-ms-cosmos-is-batch-request": "true",
  "x-ms-cosmos-batch-atomic": "false",
  "x-ms-cosmos-batch-continue-on-error": "true",
};
const BATCH: Readonly<Record<string, string>> = {
  "x-ms-cosmos-is-batch-request": "true",
  "x-ms-cosmos-batch-atomic": "true",
};

interface OperationAnswer {
  readonly statusCode: number;
  readonly eTag?: string;
  readonly resourceBody?: { readonly n: number };
}

export class Writer {
  readonly #setting: WriterSetting;
  readonly #planner: Planner;
  readonly counts = { bulks: 0, batches: 0, undone: 0, single: 0, lost: 0 };

  constructor(setting: WriterSetting) {
    const { random, idCount, nextMarker } = setting;
    this.#setting = setting;
    this.#planner = new Planner(random, idCount, nextMarker);
  }

  async run(isOver: () => boolean, mayWrite: () => boolean): Promise<void> {
    const { random } = this.#setting;
    while (!isOver()) {
      if (!mayWrite()) {
        await delay(2);
        continue;
      }
      const chance = random.next();
      if (chance < 0.8) await this.#writeInBulk();
      else if (chance < 0.92) await this.#writeTogether(this.#isUndone());
      else await this.#writeOne();
    }
  }

  /** A fifth of them; one of the first, however few there will be. */
  #isUndone(): boolean {
    const { batches, undone } = this.counts;
    return this.#setting.random.next() < 0.2 || (batches > 0 && undone === 0);
  }

  async #writeInBulk(): Promise<void> {
    const { ledger, random, bulkCount } = this.#setting;
    const writes = Array.from({ length: bulkCount }, () => {
      const key = this.#anyKey();
      return random.next() < REFUSED_SHARE
        ? this.#planner.planRefused(key)
        : this.#planner.plan(key);
    });
    const answer = await this.#send({ method: "POST", headers: BULK, body: bodyOf(writes) });
    if (answer === undefined) return this.#doubt(writes.map((write) => [write]));
    this.counts.bulks++;
    const results = operationsOf(answer, writes);
    writes.forEach((write, index) => {
      const { statusCode, eTag } = results[index]!;
      must(statusCode === write.status, `${nameOf(write)} was answered with ${statusCode}`);
      if (write.operation !== undefined) ledger.commit(write.key, changesOf([write], [eTag]));
    });
  }

  /** All of them or, if the last is one that cannot be done, none. */
  async #writeTogether(isUndone: boolean): Promise<void> {
    const { ledger, random } = this.#setting;
    const key = this.#anyKey();
    const undo = this.#planner.mark(key);
    const count = 2 + pick(random, BATCH_COUNT_MAX - 1);
    const writes = Array.from({ length: count }, () => this.#planner.plan(key));
    if (isUndone) writes.push(this.#planner.planRefused(key));
    const headers = { ...BATCH, "x-ms-documentdb-partitionkey": JSON.stringify([key]) };
    const answer = await this.#send({ method: "POST", headers, body: bodyOf(writes) });
    if (isUndone) undo();
    if (answer === undefined) return this.#doubt(isUndone ? [] : [writes]);
    const results = operationsOf(answer, writes);
    writes.forEach((write, index) => {
      const isCulprit = write.operation === undefined;
      const expected = !isUndone || isCulprit ? write.status : 424;
      const { statusCode } = results[index]!;
      must(statusCode === expected, `in a batch ${nameOf(write)} was answered with ${statusCode}`);
    });
    this.counts[isUndone ? "undone" : "batches"]++;
    if (isUndone) return;
    const changes = changesOf(
      writes,
      results.map(({ eTag }) => eTag),
    );
    if (changes.length > 0) ledger.commit(key, changes);
  }

  async #writeOne(): Promise<void> {
    const write = this.#planner.plan(this.#anyKey());
    const answer = await this.#send(singleCall(write));
    if (answer === undefined) return this.#doubt([[write]]);
    this.counts.single++;
    const { status, etag, itemLsn } = answer;
    must(status === write.status, `${nameOf(write)} was answered with ${status} ${answer.body}`);
    const told = write.verb === "delete" ? undefined : etag;
    this.#setting.ledger.commit(write.key, changesOf([write], [told]), itemLsn);
  }

  /** Undefined when the answer was lost. */
  async #send(call: LineCall): Promise<LineAnswer | undefined> {
    const { site, line } = this.#setting;
    const headers = { ...MINIMAL, ...call.headers };
    const asked = await site.ask(() => line.call({ ...call, headers }));
    if (asked.kind === "refused") throw new Error(`a write was refused with ${asked.status}`);
    if (asked.kind === "answered") return asked.value;
    this.counts.lost++;
    return undefined;
  }

  /** Each of `commits` was done or not, whole. The items that are there now tell of some. */
  async #doubt(commits: readonly (readonly PlannedWrite[])[]): Promise<void> {
    const { ledger, site, line } = this.#setting;
    const confirm = new Map<number, () => void>();
    const touched = new Map<string, PlannedWrite>();
    for (const writes of commits) {
      if (writes[0]!.operation === undefined) continue;
      for (const write of writes) touched.set(`${write.key} ${write.id}`, write);
      const changes = changesOf(writes, []);
      if (changes.length === 0) continue;
      const confirmed = ledger.doubt(writes[0]!.key, changes);
      for (const { marker } of changes) if (marker !== undefined) confirm.set(marker, confirmed);
    }
    const places = [...touched.values()];
    if (places.length === 0) return;
    const reads = places.map(({ key, id }) => ({
      operationType: "Read",
      partitionKey: JSON.stringify([key]),
      id,
    }));
    const body = JSON.stringify(reads);
    const answer = await site.persist(() => line.call({ method: "POST", headers: BULK, body }));
    const results = operationsOf(answer, places);
    places.forEach(({ key, id }, index) => {
      const { statusCode, resourceBody } = results[index]!;
      must(statusCode === 200 || statusCode === 404, `a read was answered with ${statusCode}`);
      if (statusCode === 404) this.#planner.idsOf(key).delete(id);
      else this.#planner.idsOf(key).add(id);
      if (resourceBody !== undefined) confirm.get(resourceBody.n)?.();
    });
  }

  #anyKey(): string {
    const { random, keys } = this.#setting;
    return keys[pick(random, keys.length)]!;
  }
}

function bodyOf(writes: readonly PlannedWrite[]): string {
  return JSON.stringify(writes.map(bulkOperation));
}

function operationsOf({ status, body }: LineAnswer, of: readonly unknown[]): OperationAnswer[] {
  must(status === 200 || status === 207, `a request of ${of.length} got ${status}: ${body}`);
  const results = JSON.parse(body) as OperationAnswer[];
  must(results.length === of.length, `${of.length} operations got ${results.length} answers`);
  return results;
}

function singleCall({ key, id, verb, marker }: PlannedWrite): LineCall {
  const headers = { "x-ms-documentdb-partitionkey": JSON.stringify([key]) };
  const body = JSON.stringify({ id, pk: key, n: marker });
  switch (verb) {
    case "create":
      return { method: "POST", headers, body };
    case "upsert":
      return { method: "POST", headers: { ...headers, "x-ms-documentdb-is-upsert": "true" }, body };
    case "replace":
      return { method: "PUT", id, headers, body };
    case "patch":
      return { method: "PATCH", id, headers, body: JSON.stringify(patchOf(marker)) };
    case "delete":
      return { method: "DELETE", id, headers };
  }
}

function nameOf({ verb, key, id, status }: PlannedWrite): string {
  return `${verb} of ${key}/${id}, expected ${status},`;
}

function must(condition: boolean, problem: string): asserts condition {
  if (!condition) throw new Error(problem);
}
