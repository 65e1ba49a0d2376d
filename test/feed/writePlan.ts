/**
 * What a writer is going to send, and what has to come of it.
 *
 * A writer is alone with its logical partitions, so it knows before it asks whether an item is
 * there: every operation has one right answer. Some are meant to be refused, and a batch with one
 * of those is meant to leave nothing.
 */
import type { Random } from "../../src/base/world.ts";
import { pick } from "../crash/workload.ts";
import type { Change, Operation } from "./feedCheck.ts";

type Verb = "create" | "upsert" | "replace" | "patch" | "delete";

export interface PlannedWrite {
  readonly key: string;
  readonly id: string;
  readonly verb: Verb;
  /** Undefined for a delete. */
  readonly marker: number | undefined;
  /** What it does if it is done; undefined if it is to be refused. */
  readonly operation: Operation | undefined;
  readonly status: number;
}

const PUTS_OF_PRESENT = ["replace", "replace", "patch", "patch", "upsert"] as const;
const PUTS_OF_ABSENT = ["create", "create", "upsert"] as const;
const DELETE_SHARE = 0.15;

/** Which items of some logical partitions are there, and numbers for versions. */
export class Planner {
  readonly #random: Random;
  readonly #idCount: number;
  readonly #nextMarker: () => number;
  readonly #present = new Map<string, Set<string>>();

  constructor(random: Random, idCount: number, nextMarker: () => number) {
    this.#random = random;
    this.#idCount = idCount;
    this.#nextMarker = nextMarker;
  }

  /** The next write of a logical partition; the planner goes on as if it were done. */
  plan(key: string): PlannedWrite {
    const random = this.#random;
    const id = `i${pick(random, this.#idCount)}`;
    const isThere = this.idsOf(key).has(id);
    if (isThere && random.next() < DELETE_SHARE) {
      this.idsOf(key).delete(id);
      return { key, id, verb: "delete", marker: undefined, operation: "delete", status: 204 };
    }
    const verbs: readonly Verb[] = isThere ? PUTS_OF_PRESENT : PUTS_OF_ABSENT;
    const verb = verbs[pick(random, verbs.length)]!;
    this.idsOf(key).add(id);
    const marker = this.#nextMarker();
    const operation = isThere ? "replace" : "create";
    return { key, id, verb, marker, operation, status: isThere ? 200 : 201 };
  }

  /** A create of what is there, or a replace of what is not. */
  planRefused(key: string): PlannedWrite {
    const id = `i${pick(this.#random, this.#idCount)}`;
    const isThere = this.idsOf(key).has(id);
    const verb = isThere ? "create" : "replace";
    const status = isThere ? 409 : 404;
    return { key, id, verb, marker: this.#nextMarker(), operation: undefined, status };
  }

  /** The items of a logical partition that are there. */
  idsOf(key: string): Set<string> {
    let ids = this.#present.get(key);
    if (ids === undefined) {
      ids = new Set();
      this.#present.set(key, ids);
    }
    return ids;
  }

  /** Calling what it returns undoes what is planned for the logical partition from now on. */
  mark(key: string): () => void {
    const ids = new Set(this.idsOf(key));
    return () => {
      this.#present.set(key, ids);
    };
  }
}

/**
 * The changes of a batch: an item that is written several times changes once, one that comes and
 * goes not at all, and one that goes and comes again ends and begins.
 */
export function changesOf(
  writes: readonly Pick<PlannedWrite, "id" | "marker" | "operation">[],
  etags: readonly (string | undefined)[],
): readonly Change[] {
  const changes: Change[] = [];
  writes.forEach(({ id, marker, operation }, index) => {
    const before = changes.findLastIndex((change) => change.id === id);
    const earlier = changes[before];
    const change: Change = { id, marker, operation, etag: etags[index] };
    if (earlier === undefined || earlier.operation === "delete") changes.push(change);
    else if (operation === "replace") changes[before] = { ...change, operation: earlier.operation };
    else if (earlier.operation === "create") changes.splice(before, 1);
    else changes[before] = change;
  });
  return changes;
}

/** The operation as bulks and batches have it. */
export function bulkOperation({ key, id, verb, marker }: PlannedWrite): object {
  const partitionKey = JSON.stringify([key]);
  const resourceBody = { id, pk: key, n: marker };
  switch (verb) {
    case "create":
      return { operationType: "Create", partitionKey, resourceBody };
    case "upsert":
      return { operationType: "Upsert", partitionKey, resourceBody };
    case "replace":
      return { operationType: "Replace", partitionKey, id, resourceBody };
    case "patch":
      return { operationType: "Patch", partitionKey, id, resourceBody: patchOf(marker) };
    case "delete":
      return { operationType: "Delete", partitionKey, id };
  }
}

export function patchOf(marker: number | undefined): object {
  return { operations: [{ op: "set", path: "/n", value: marker }] };
}
