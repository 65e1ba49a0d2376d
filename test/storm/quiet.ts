/** The two ends of a life: what is found after a start, and what is left when all is done. */
import type { Clock } from "../../src/base/world.ts";
import type { Account } from "../../src/engine/account.ts";
import { etagOf, objectOf } from "../../src/engine/item/itemBody.ts";
import { itemKeyOf } from "../../src/engine/item/itemKey.ts";
import { partitionCountNeeded } from "../../src/model/throughput.ts";
import { epkOf } from "../../src/partition/epk.ts";
import type { Life } from "./life.ts";
import type { ContainerSlot, ItemHistory } from "./stormModel.ts";
import { demand } from "./stormModel.ts";

/** Takes over what became of everything that nobody had an answer to. */
export function reconcile(life: Life): void {
  for (const slot of life.model.slots) {
    const found = life.account.catalog.container(slot.database, slot.name)?.rid;
    const mayDiffer = slot.undecided === (found === undefined ? "delete" : "create");
    demand(found === slot.rid || mayDiffer, `${slot.name} is ${found}, acknowledged ${slot.rid}`);
    slot.become(found);
    for (const item of slot.items.values()) decide(life, slot, item);
  }
}

function decide(life: Life, slot: ContainerSlot, item: ItemHistory): void {
  const { undecided, known } = item;
  if (undecided === undefined) return;
  const container = life.containerOf(slot)!;
  const epk = epkOf(container.definition.partitionKey, item.key);
  const { part } = container.ownerOf(epk).entry;
  const stored = life.store.get(part, itemKeyOf(epk, item.id));
  const marker = stored === undefined ? null : (objectOf(stored.body)["marker"] as string);
  if (marker === known.marker || marker !== undecided.marker) item.withdraw();
  else item.acknowledge(life.model.tick(), stored && etagOf(stored.body), stored?.lsn);
}

/** All that statistics know to have been spent, by container. */
export function countedRu({ catalog }: Account, clock: Clock): ReadonlyMap<string, number> {
  const wallNow = clock.wallNow();
  const span = { from: wallNow - 3_600_000, to: wallNow + 1 };
  return new Map(
    catalog.containers().map(({ rid, meter }) => {
      const columns = meter!.timeline(span, 100, clock.now());
      return [rid, columns.reduce((sum, { counted }) => sum + (counted?.ru ?? 0), 0)];
    }),
  );
}

/** What is still to be done though nobody asks for anything any more. */
export function quietProblem({ account, store }: Life): string | undefined {
  const { catalog, limits } = account;
  const running = account.reshaping.jobs.filter(({ outcome }) => outcome === undefined);
  if (running.length > 0) return `${running.length} splits and merges do not end`;
  for (const container of catalog.containers()) {
    const { link, record, map } = container;
    const throughput = record.throughput ?? catalog.databaseOf(container).record.throughput!;
    if (throughput.pending !== undefined) return `the rate of ${link} is pending for ever`;
    if (container.indexProgress < 100) return `${link} is never indexed anew`;
    if (map.entries.length < partitionCountNeeded(throughput, limits)) {
      return `${link} has too few partitions for its rate`;
    }
    for (const [id, { head, entry }] of container.partitions) {
      const range = { min: "", max: "\xff" };
      const { tallies } = store.scanTallies(entry.part, { range, countMax: 2 });
      const isOvergrown = head.itemBytes > limits.physicalPartitionBytesMax;
      if (isOvergrown && tallies.length > 1) return `partition ${id} of ${link} is too large`;
    }
  }
  return undefined;
}
