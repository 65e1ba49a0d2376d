/**
 * What clients ask for next: batches of reads and appends on the lists of a few hot logical
 * partitions.
 *
 * Appends are made in every way there is: by a patch, by a replace or upsert under the etag of an
 * earlier read, by the creation of the item. In between there are creations of items that must be
 * there with the rest of their batch (`mark-…`, lists of one value), changes of items that are not
 * lists (`bystanders.ts`), and steps that must fail, in the middle of batches that would not.
 *
 * Always holds: no value is given out twice, and lists are never deleted.
 */
import type { Random } from "../../src/base/world.ts";
import type { Step, StepResult } from "./target.ts";
import { isOk } from "./target.ts";

export interface Plan {
  readonly partition: string;
  readonly steps: readonly Step[];
  /** One of the steps cannot succeed, whatever others do. */
  readonly isDoomed: boolean;
}

const LISTS_PER_PARTITION = 3;
/** Readings repeat all of a list: long ones would make the history long and teach nothing. */
const APPENDS_MAX = 40;
const BYSTANDERS_PER_PARTITION = 4;
const STEPS_MAX = 8;
const SINGLE_SHARE = 0.25;
const DOOMED_SHARE = 0.1;
/** How often an append goes by an etag, if it may well be the current one, and if hardly so. */
const FRESH_ETAG_SHARE = 0.8;
const OLD_ETAG_SHARE = 0.05;

/** A list that is appended to at present; full ones are left alone until the end. */
interface LiveList {
  readonly id: string;
  appendCount: number;
  /** Somebody was told so. */
  isThere: boolean;
}

interface LivePartition {
  readonly name: string;
  readonly lists: LiveList[];
  /** Of all lists there ever were, marks included. */
  readonly ids: string[];
}

/** What a client saw last of an item. */
interface Seen {
  readonly etag: string;
  readonly values: readonly number[];
  readonly etagBefore: string | undefined;
}

/** The transaction that is being put together. */
interface Draft {
  readonly client: number;
  readonly partition: LivePartition;
  /** The list that this client has just looked at. */
  readonly freshId: string | undefined;
  readonly writtenIds: Set<string>;
}

export class ListPlans {
  readonly #random: Random;
  readonly #partitions: readonly LivePartition[];
  readonly #seen: readonly Map<string, Seen>[];
  #nextValue = 0;

  constructor(random: Random, counts: { readonly clients: number; readonly partitions: number }) {
    this.#random = random;
    this.#seen = Array.from({ length: counts.clients }, () => new Map());
    this.#partitions = Array.from({ length: counts.partitions }, (_, index) => {
      const partition: LivePartition = { name: `p${index}`, lists: [], ids: [] };
      while (partition.lists.length < LISTS_PER_PARTITION) {
        partition.lists.push(this.#freshList(partition));
      }
      return partition;
    });
  }

  /** Logical partition → every list that was ever asked for. */
  get lists(): ReadonlyMap<string, readonly string[]> {
    return new Map(this.#partitions.map(({ name, ids }) => [name, ids]));
  }

  /** A read by itself, so that the client knows an etag when it plans the next transaction. */
  planLook(): Plan | undefined {
    const { name: partition, lists } = this.#oneOf(this.#partitions);
    const there = lists.filter(({ isThere }) => isThere);
    if (there.length === 0) return undefined;
    return { partition, steps: [{ kind: "read", id: this.#oneOf(there).id }], isDoomed: false };
  }

  planTransaction(client: number, look: Plan | undefined): Plan {
    const looked = this.#partitions.find(({ name }) => name === look?.partition);
    const partition = looked ?? this.#oneOf(this.#partitions);
    const draft = { client, partition, freshId: look?.steps[0]?.id, writtenIds: new Set<string>() };
    const isSingle = this.#random.next() < SINGLE_SHARE;
    const length = isSingle ? 1 : 2 + this.#pick(STEPS_MAX - 1);
    const steps = Array.from({ length }, () => this.#step(draft));
    const isDoomed = this.#random.next() < DOOMED_SHARE;
    if (isDoomed) steps[this.#pick(length)] = this.#doomedStep(draft);
    return { partition: partition.name, steps, isDoomed };
  }

  /** What a client knows after an answer. */
  learn(client: number, plan: Plan, results: readonly StepResult[]): void {
    const { lists } = this.#partitions.find(({ name }) => name === plan.partition)!;
    const isDone = isOk(results);
    plan.steps.forEach(({ id }, at) => {
      const { status, etag, values } = results[at]!;
      const list = lists.find((live) => live.id === id);
      // A conflict may be with a creation in the same batch, which was undone with it.
      const isTaken = status === 409 && plan.steps.filter((step) => step.id === id).length === 1;
      if (list !== undefined && (isDone || isTaken)) list.isThere = true;
      if (list === undefined || etag === undefined || values === undefined) return;
      const name = `${plan.partition}/${id}`;
      const before = this.#seen[client]!.get(name);
      const etagBefore = before?.etag === etag ? before.etagBefore : before?.etag;
      this.#seen[client]!.set(name, { etag, values, etagBefore });
    });
  }

  #step(draft: Draft): Step {
    const { partition, writtenIds } = draft;
    const list = this.#oneOf(partition.lists);
    const chance = this.#random.next();
    if (chance < 0.85) {
      const mayRead = list.isThere || writtenIds.has(list.id);
      return mayRead && chance < 0.35 ? { kind: "read", id: list.id } : this.#append(draft, list);
    }
    if (chance < 0.91) return this.#mark(partition);
    const id = `bystander-${this.#pick(BYSTANDERS_PER_PARTITION)}`;
    if (chance < 0.94) return { kind: "delete", id };
    return { kind: chance < 0.97 ? "create" : "upsert", id, values: [] };
  }

  #append({ client, partition, freshId, writtenIds }: Draft, list: LiveList): Step {
    const { id, isThere } = list;
    const isWritten = writtenIds.has(id);
    writtenIds.add(id);
    const value = this.#valueFor(partition, list);
    if (!isThere && !isWritten) return { kind: "create", id, values: [value] };
    const seen = this.#seen[client]!.get(`${partition.name}/${id}`);
    const isFresh = id === freshId && !isWritten;
    const etagShare = isFresh ? FRESH_ETAG_SHARE : OLD_ETAG_SHARE;
    if (seen === undefined || this.#random.next() >= etagShare) return { kind: "push", id, value };
    const kind = this.#random.next() < 0.7 ? "replace" : "upsert";
    return { kind, id, values: [...seen.values, value], ifMatch: seen.etag };
  }

  #mark({ ids }: LivePartition): Step {
    const value = ++this.#nextValue;
    const id = `mark-${value}`;
    ids.push(id);
    return { kind: "create", id, values: [value] };
  }

  /** Whoever sends it, and whenever. */
  #doomedStep({ client, partition }: Draft): Step {
    const there = partition.lists.filter(({ isThere }) => isThere);
    const chance = this.#pick(there.length > 0 ? 5 : 3);
    if (chance === 0) return { kind: "read", id: "nowhere" };
    if (chance === 1) return { kind: "delete", id: "nowhere" };
    if (chance === 2) return { kind: "push", id: "nowhere", value: 0 };
    const list = this.#oneOf(there);
    const { id } = list;
    const value = this.#valueFor(partition, list);
    if (chance === 3) return { kind: "create", id, values: [value] };
    const seen = this.#seen[client]!.get(`${partition.name}/${id}`);
    const ifMatch = seen?.etagBefore ?? '"never-given-out"';
    return { kind: "replace", id, values: [...(seen?.values ?? []), value], ifMatch };
  }

  /** The next value for a list; one that has had its share makes room for another. */
  #valueFor(partition: LivePartition, list: LiveList): number {
    if (++list.appendCount === APPENDS_MAX) {
      partition.lists[partition.lists.indexOf(list)] = this.#freshList(partition);
    }
    return ++this.#nextValue;
  }

  #freshList({ ids }: LivePartition): LiveList {
    const id = `list-${++this.#nextValue}`;
    ids.push(id);
    return { id, appendCount: 0, isThere: false };
  }

  #oneOf<T>(values: readonly T[]): T {
    return values[this.#pick(values.length)]!;
  }

  #pick(bound: number): number {
    return Math.floor(this.#random.next() * bound);
  }
}
