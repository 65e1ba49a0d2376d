/**
 * What an account was told, and what may therefore be found in it after a power cut.
 *
 * Every database, container and item is a slot: what was acknowledged, and what was begun since.
 * Each slot has one client at a time, so at most one operation on it is unknown. Items belong to
 * one container, known by its rid: a container made again under the same name is another one.
 *
 * `reconcile` compares all of it with a newly opened account, and takes over what it finds.
 */
import type { Account } from "../../src/engine/account.ts";
import type { Database } from "../../src/engine/catalog/database.ts";
import { etagOf, objectOf } from "../../src/engine/item/itemBody.ts";
import { epkOfKey } from "../../src/engine/item/itemKey.ts";
import { itemTermsOf } from "../../src/engine/item/itemTerms.ts";
import type { Container } from "../../src/engine/partition/container.ts";
import { WHOLE_RANGE } from "../../src/partition/epkRange.ts";
import type { EmbeddedStore } from "../../src/store/embedded/embeddedStore.ts";
import type { FamilyTally, StoredItem } from "../../src/store/partitionStore.ts";

/** What an item holds besides its id: text that no other version has. */
type Marker = string;

export interface ItemSlot {
  /** Undefined: acknowledged to be gone, or never there. */
  marker: Marker | undefined;
  etag: string | undefined;
  /** What an operation under way would leave; `null` stands for nothing. */
  unknown: Marker | null | undefined;
}

export interface ContainerSlot {
  rid: string | undefined;
  etag: string | undefined;
  unknown: "create" | "replace" | "delete" | undefined;
  items: Map<string, ItemSlot>;
}

interface DatabaseSlot {
  rid: string | undefined;
  unknown: "create" | "delete" | undefined;
  readonly containers: Map<string, ContainerSlot>;
}

export const newItem = (): ItemSlot => ({ marker: undefined, etag: undefined, unknown: undefined });
export const newContainer = (): ContainerSlot => ({
  rid: undefined,
  etag: undefined,
  unknown: undefined,
  items: new Map(),
});
export const newDatabase = (): DatabaseSlot => ({
  rid: undefined,
  unknown: undefined,
  containers: new Map(),
});

/** A broken promise; its message is what a failing test shows. */
export class Violation extends Error {
  override readonly name = "Violation";
}

function demand(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Violation(message);
}

export class AccountModel {
  readonly databases: Map<string, DatabaseSlot> = new Map<string, DatabaseSlot>();
  readonly #ownerOfEtag = new Map<string, string>();

  /** An etag stands for one version of one resource, for ever. */
  noteEtag(etag: string, version: string): void {
    const owner = this.#ownerOfEtag.get(etag);
    demand(owner === undefined || owner === version, `${etag} is of ${owner} and of ${version}`);
    this.#ownerOfEtag.set(etag, version);
  }

  async reconcile(account: Account, store: EmbeddedStore): Promise<void> {
    const parts = new Set([0]);
    for (const [id, slot] of this.databases) {
      const database = account.catalog.database(id);
      reconcileDatabase(id, slot, database);
      for (const [name, container] of slot.containers) {
        const found = database?.containers.get(name);
        reconcileContainer(name, container, found, database === undefined);
        if (found === undefined) continue;
        this.noteEtag(found.record.etag, `${found.rid} ${JSON.stringify(found.definition)}`);
        for (const { part } of found.map.entries) parts.add(part);
        await this.#reconcileItems(account, store, container, found);
      }
      const names = [...(database?.containers.keys() ?? [])];
      demand(
        names.every((name) => slot.containers.has(name)),
        `strange containers in ${id}`,
      );
    }
    demand(
      account.catalog.databases().every(({ record }) => this.databases.has(record.id)),
      "there are strange databases",
    );
    const found = store.parts().filter((part) => !parts.has(part));
    demand(found.length === 0, `parts ${found} belong to no container`);
  }

  async #reconcileItems(
    account: Account,
    store: EmbeddedStore,
    slot: ContainerSlot,
    container: Container,
  ): Promise<void> {
    const bodies = await readAll(account, container);
    const found = new Map(bodies.map((body) => [objectOf(body)["id"] as string, body]));
    demand(found.size === bodies.length, "an item is listed twice");
    for (const [id, item] of slot.items) {
      const body = found.get(id);
      found.delete(id);
      const marker = body && (objectOf(body)["marker"] as string);
      const isUnknown = item.unknown !== undefined && (item.unknown ?? undefined) === marker;
      demand(
        marker === item.marker || isUnknown,
        `item ${id} holds ${marker}, acknowledged ${item.marker}, unknown ${item.unknown}`,
      );
      const etag = body && etagOf(body);
      if (etag !== undefined) this.noteEtag(etag, `${container.rid}/${id} ${marker}`);
      if (marker === item.marker) demand(etag === item.etag, `the etag of ${id} changed`);
      slot.items.set(id, { marker, etag, unknown: undefined });
    }
    demand(found.size === 0, `items ${[...found.keys()]} were never written`);
    checkTables(store, container, bodies.length);
  }
}

function reconcileDatabase(id: string, slot: DatabaseSlot, found: Database | undefined): void {
  const rid = found?.rid;
  const mayDiffer = slot.unknown === (rid === undefined ? "delete" : "create");
  demand(rid === slot.rid || mayDiffer, `database ${id} is ${rid}, acknowledged ${slot.rid}`);
  slot.rid = rid;
  slot.unknown = undefined;
}

function reconcileContainer(
  name: string,
  slot: ContainerSlot,
  found: Container | undefined,
  isDatabaseGone: boolean,
): void {
  const rid = found?.rid;
  const mayDiffer = isDatabaseGone || slot.unknown === (rid === undefined ? "delete" : "create");
  demand(rid === slot.rid || mayDiffer, `container ${name} is ${rid}, acknowledged ${slot.rid}`);
  if (rid !== undefined && rid === slot.rid) {
    const isSame = found?.record.etag === slot.etag || slot.unknown === "replace";
    demand(isSame, `container ${name} lost a replacement`);
  }
  if (rid !== slot.rid) slot.items = new Map();
  slot.rid = rid;
  slot.etag = found?.record.etag;
  slot.unknown = undefined;
}

async function readAll(account: Account, container: Container): Promise<readonly Buffer[]> {
  const scope = { range: WHOLE_RANGE, order: "creation" } as const;
  const bodies: Buffer[] = [];
  let position: Parameters<Account["readItems"]>[1]["position"];
  do {
    const page = await account.readItems(container, { scope, position, countMax: 7 });
    demand(page.ok, "a feed was refused");
    bodies.push(...page.value.bodies);
    position = page.value.next;
  } while (position !== undefined);
  return bodies;
}

/** The index is what it would be if it were built anew, and the counters are right. */
function checkTables(store: EmbeddedStore, container: Container, itemCount: number): void {
  let count = 0;
  const all = { countMax: 100_000, bytesMax: 1e9 };
  const range = { min: "", max: "\xff".repeat(16) };
  for (const { part } of container.map.entries) {
    const { items } = store.scanItems(part, 0, all);
    const expected = items.flatMap(({ key, number, body }) => {
      const { terms } = itemTermsOf(container, epkOfKey(key), objectOf(body));
      return terms.map((term) => `${term} ${number}`);
    });
    const { entries } = store.scanTerms(part, { range, withItems: false, ...all });
    const found = entries.map(({ term, number }) => `${term} ${number}`);
    demand(
      found.toSorted().join() === expected.toSorted().join(),
      `part ${part}: the index is not that of its items`,
    );
    const head = store.head(part)!;
    const bytes = items.reduce((total, { body }) => total + body.length, 0);
    demand(head.itemCount === items.length && head.itemBytes === bytes, `part ${part}: counters`);
    const { tallies } = store.scanTallies(part, { range, countMax: 100_000 });
    demand(
      JSON.stringify(tallies) === JSON.stringify(talliesOf(items)),
      `part ${part}: the tallies are not those of its items`,
    );
    count += items.length;
  }
  demand(count === itemCount, "the feed is not the items of the container");
}

function talliesOf(items: readonly StoredItem[]): readonly FamilyTally[] {
  const byEpk = new Map<string, FamilyTally>();
  for (const { key, body } of items) {
    const family = epkOfKey(key);
    const { itemCount = 0, itemBytes = 0 } = byEpk.get(family) ?? {};
    const grown = { itemCount: itemCount + 1, itemBytes: itemBytes + body.length };
    byEpk.set(family, { family, ...grown });
  }
  return [...byEpk.values()].sort((one, other) => (one.family < other.family ? -1 : 1));
}
