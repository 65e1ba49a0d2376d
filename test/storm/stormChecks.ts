/**
 * What must be true of a container at any instant, whatever is under way: looked at without letting
 * anything else happen meanwhile.
 */

import { etagOf, objectOf } from "../../src/engine/item/itemBody.ts";
import { epkOfKey } from "../../src/engine/item/itemKey.ts";
import type { Container } from "../../src/engine/partition/container.ts";
import type { Limits } from "../../src/model/limits.ts";
import { epkOf } from "../../src/partition/epk.ts";
import { contains, intersect } from "../../src/partition/epkRange.ts";
import type { PartitionEntry } from "../../src/partition/partitionMap.ts";
import { decodeMap, encodeMap } from "../../src/partition/partitionMap.ts";
import type { EmbeddedStore } from "../../src/store/embedded/embeddedStore.ts";
import type { StoredItem } from "../../src/store/partitionStore.ts";
import { termProblem } from "../crash/policyStormChecks.ts";
import type { ContainerSlot } from "./stormModel.ts";
import { demand } from "./stormModel.ts";

const ALL = { countMax: 1e6, bytesMax: 1e9 };
const EVERYTHING = { min: "", max: "\xff" };

export function checkContainer(
  store: EmbeddedStore,
  slot: ContainerSlot,
  container: Container,
  limits: Limits,
): void {
  checkMap(container);
  const items: StoredItem[] = [];
  for (const entry of container.map.entries) {
    const held = store.scanItems(entry.part, 0, ALL).items;
    checkPlaces(container, entry, held);
    checkCounters(store, container, entry, held, limits);
    checkLog(store, entry, held);
    items.push(...held);
  }
  const problem = termProblem(store, container);
  demand(problem === undefined, `${slot.name}: ${problem}`);
  checkItems(slot, items);
  if (slot.kind.hasUniqueKey) checkUnique(items);
}

/** Ranges tile, ids are given once, and whoever owns a key descends from all who did. */
function checkMap({ map, partitions, link }: Container): void {
  const decoded = decodeMap(encodeMap(map));
  demand(decoded.ok, `${link}: ${!decoded.ok && decoded.error}`);
  for (const { id, range } of map.retired) {
    for (const entry of map.entries) {
      const isHeir = intersect(entry.range, range) !== undefined;
      const isRight = !isHeir || entry.parents.includes(id);
      demand(isRight, `${link}: ${entry.id} descends from ${entry.parents}, and not from ${id}`);
    }
  }
  const ids = map.entries.map(({ id }) => id).join();
  demand([...partitions.keys()].join() === ids, `${link}: partitions are not those of the map`);
  for (const { id, part } of map.entries) {
    const partition = partitions.get(id)!;
    demand(!partition.isRetired && partition.entry.part === part, `${link}: ${id} is retired`);
  }
}

function checkPlaces(
  { definition, readKey, link }: Container,
  { id, range }: PartitionEntry,
  items: readonly StoredItem[],
): void {
  for (const { key, body } of items) {
    const read = readKey(objectOf(body));
    const epk = read.ok ? epkOf(definition.partitionKey, read.value) : "";
    const isRight = epk === epkOfKey(key) && contains(range, epkOfKey(key));
    demand(isRight, `${link}: partition ${id} has an item at ${epkOfKey(key)}`);
  }
}

function checkCounters(
  store: EmbeddedStore,
  { partitions, link }: Container,
  { id, part }: PartitionEntry,
  items: readonly StoredItem[],
  { logicalPartitionBytesMax }: Limits,
): void {
  const head = store.head(part)!;
  const sizes = new Map<string, { itemCount: number; itemBytes: number }>();
  let bytes = 0;
  for (const { key, number, lsn, body } of items) {
    const size = sizes.get(epkOfKey(key)) ?? { itemCount: 0, itemBytes: 0 };
    size.itemCount++;
    size.itemBytes += body.length;
    sizes.set(epkOfKey(key), size);
    bytes += body.length;
    demand(number <= head.numberMax && lsn <= head.lsn, `${link}: ${id} is behind its items`);
  }
  const isCounted = head.itemCount === items.length && head.itemBytes === bytes;
  demand(isCounted, `${link}: the counters of ${id} are wrong`);
  demand(partitions.get(id)!.lsn <= head.lsn, `${link}: ${id} tells of what is not committed`);
  const { tallies } = store.scanTallies(part, { range: EVERYTHING, countMax: 1e6 });
  const told = tallies.map(({ family, itemCount, itemBytes }) => [family, itemCount, itemBytes]);
  const real = [...sizes].map(([epk, size]) => [epk, size.itemCount, size.itemBytes]);
  demand(told.sort().join() === real.sort().join(), `${link}: the tallies of ${id} are wrong`);
  for (const [epk, { itemBytes }] of sizes) {
    const isWithin = itemBytes <= logicalPartitionBytesMax;
    demand(isWithin, `${link}: the logical partition ${epk} has ${itemBytes} bytes`);
  }
}

/** It names each item that is there once, by its latest version, and no other as being there. */
function checkLog(
  store: EmbeddedStore,
  { id, part }: PartitionEntry,
  items: readonly StoredItem[],
): void {
  const { entries } = store.readLog(part, 0 as never, 1e6);
  const live = new Map(items.map((item) => [`${item.key} ${item.number} ${item.lsn}`, item]));
  let last = 0;
  for (const entry of entries) {
    demand(entry.lsn >= last, `the log of ${id} goes back at ${entry.lsn}`);
    last = entry.lsn;
    if (entry.kind === "deleted") continue;
    const isLive = live.delete(`${entry.key} ${entry.number} ${entry.lsn}`);
    demand(isLive, `the log of ${id} names ${entry.key}, ${entry.lsn}, twice or in vain`);
  }
  demand(live.size === 0, `the log of ${id} lacks ${[...live.keys()]}`);
  demand(last <= store.head(part)!.lsn, `the log of ${id} is ahead`);
}

/** Everything acknowledged is there, as it was acknowledged, and nothing else. */
function checkItems(slot: ContainerSlot, items: readonly StoredItem[]): void {
  const found = new Map<string, StoredItem>();
  const numbers = new Set<number>();
  for (const item of items) {
    const id = objectOf(item.body)["id"] as string;
    demand(!found.has(id), `${slot.name}/${id} is there twice`);
    found.set(id, item);
    numbers.add(item.number);
  }
  demand(numbers.size === items.length, `${slot.name}: two items have one number`);
  for (const item of slot.items.values()) {
    const stored = found.get(item.id);
    found.delete(item.id);
    const marker = stored === undefined ? null : (objectOf(stored.body)["marker"] as string);
    const { known, undecided } = item;
    const name = `${slot.name}/${item.id}`;
    demand(
      marker === known.marker || (undecided !== undefined && undecided.marker === marker),
      `${name} holds ${marker}, acknowledged ${known.marker}, undecided ${undecided?.marker}`,
    );
    if (stored === undefined || marker !== known.marker) continue;
    demand(etagOf(stored.body) === known.etag, `the etag of ${name} changed`);
    const isSame = known.itemLsn === undefined || known.itemLsn === stored.lsn;
    demand(isSame, `${name} has LSN ${stored.lsn}, acknowledged ${known.itemLsn}`);
  }
  demand(found.size === 0, `${slot.name}: ${[...found.keys()]} were never written`);
}

function checkUnique(items: readonly StoredItem[]): void {
  const held = new Set<string>();
  for (const { key, body } of items) {
    const value = `${epkOfKey(key)} ${objectOf(body)["u"]}`;
    demand(!held.has(value), `two items have the unique value ${value}`);
    held.add(value);
  }
}
