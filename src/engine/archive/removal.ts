/**
 * Deletes the items of one proven file, each only if it is still the version that was archived. An
 * item that has changed stays, and so does one that came since; both are counted.
 *
 * The file is read whole before its first item goes, and once more while they go. All of it may be
 * done again after a crash: an item that is gone already counts as deleted.
 */
import type { PartitionFile } from "../../archive/manifest.ts";
import type { FileDamage } from "../../archive/verifyArchive.ts";
import { verifyFile } from "../../archive/verifyArchive.ts";
import type { PartlyArchived } from "../../model/archiveJob.ts";
import type { Epk } from "../../partition/epkRange.ts";
import { sameKey } from "../../partition/partitionKeyOf.ts";
import { StoreFault } from "../../store/partitionStore.ts";
import { TargetGone } from "../copy/copyWriter.ts";
import { objectOf } from "../item/itemBody.ts";
import type { ItemOutcome } from "../item/itemCommand.ts";
import { idOfKey } from "../item/itemKey.ts";
import type { ArchivedItem } from "./archivedItem.ts";
import { archivedItemOf, inPieces } from "./archivedItem.ts";
import type { ArchiveRun } from "./archiveRun.ts";
import { itemsOf } from "./logicalWalk.ts";
import { RunInterrupted } from "./recordedRun.ts";

type Removed =
  | { readonly kind: "damaged"; readonly damage: FileDamage }
  | {
      readonly kind: "removed";
      /** Archived items that are not in the container any more. */
      readonly deletedCount: number;
      readonly changedCount: number;
      readonly newCount: number;
      /** Present if the logical partition has items left. */
      readonly partly?: PartlyArchived | undefined;
    };

const EXAMPLES_MAX = 10;

export async function removeItems(run: ArchiveRun, file: PartitionFile): Promise<Removed> {
  const { folder, container, setting, mustStop } = run;
  const stopping = async (): Promise<void> => {
    if (mustStop()) throw new RunInterrupted();
  };
  const before = await verifyFile(folder, file, { onLines: stopping });
  if (before !== undefined) return { kind: "damaged", damage: before };
  const tally = { deletedCount: 0, changedIds: [] as string[], changedCount: 0 };
  let first: ArchivedItem | undefined;
  const damage = await verifyFile(folder, file, {
    onLines: async (lines) => {
      const items = lines.map((line) => archivedItemOf(container, setting.limits, line, file.name));
      first ??= items[0];
      const countMax = run.pace.countFor(container.partitions.values(), run.ruPerDeletion);
      for (const piece of inPieces(items, countMax)) await removePiece(run, piece, tally);
    },
  });
  if (damage !== undefined) return { kind: "damaged", damage };
  const left = first === undefined ? [] : await itemsLeft(run, first);
  const newIds = left.filter((id) => !tally.changedIds.includes(id));
  const newCount = Math.max(0, left.length - tally.changedCount);
  const { deletedCount, changedCount } = tally;
  if (left.length === 0) return { kind: "removed", deletedCount, changedCount, newCount };
  const examples = [...tally.changedIds, ...newIds].slice(0, EXAMPLES_MAX);
  const partly = { key: file.key, changedCount, newCount, examples };
  return { kind: "removed", deletedCount, changedCount, newCount, partly };
}

async function removePiece(
  run: ArchiveRun,
  items: readonly ArchivedItem[],
  tally: { deletedCount: number; changedIds: string[]; changedCount: number },
): Promise<void> {
  const { container, mustStop } = run;
  if (mustStop()) throw new RunInterrupted();
  const partition = container.ownerOf(items[0]!.epk);
  const outcomes = await Promise.all(
    items.map(({ epk, key, id, etag }) =>
      partition.submitCopy({ kind: "delete", epk, key, id, ifMatch: `"${etag}"` }),
    ),
  );
  let charge = 0;
  for (const [index, outcome] of outcomes.entries()) {
    charge += outcome.charge;
    if (isGone(outcome)) tally.deletedCount++;
    else {
      tally.changedCount++;
      if (tally.changedIds.length < EXAMPLES_MAX) tally.changedIds.push(items[index]!.id);
    }
  }
  run.spent({ writeRu: charge });
  run.noteDeleted(items.length, charge);
  await run.paced(partition, charge, container);
}

/** True if the item is not there any more, false if it is another version now. */
function isGone(outcome: ItemOutcome): boolean {
  if (outcome.kind !== "refused") return true;
  const { refusal } = outcome;
  switch (refusal.kind) {
    case "notFound":
      return true;
    case "preconditionFailed":
      return false;
    case "ownerNotFound":
      throw new TargetGone();
    case "unavailable":
      throw new StoreFault(refusal.message);
    default:
      throw new StoreFault(`an item could not be deleted: ${refusal.kind}`);
  }
}

/** The ids of what is still in a logical partition. */
async function itemsLeft(run: ArchiveRun, { epk, key }: ArchivedItem): Promise<readonly string[]> {
  const { container, setting } = run;
  const ids: string[] = [];
  for await (const { items, partition, charge } of itemsOf(setting.store, container, epk as Epk)) {
    for (const item of items) {
      const own = container.readKey(objectOf(item.body));
      if (own.ok && sameKey(own.value, key)) ids.push(idOfKey(item.key));
    }
    run.spent({ readRu: charge });
    await run.paced(partition, charge, container);
  }
  return ids;
}
