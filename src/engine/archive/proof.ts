/**
 * The proof that comes before anything is deleted: a file of the archive is read back whole and
 * compared with its manifest, and its items with those of the container. A version that is still
 * there has to have the same bytes in the file.
 */
import type { PartitionFile } from "../../archive/manifest.ts";
import type { FileDamage } from "../../archive/verifyArchive.ts";
import { verifyFile } from "../../archive/verifyArchive.ts";
import type { StoredItem } from "../../store/partitionStore.ts";
import { chargeOf } from "../../throughput/charge.ts";
import { TargetGone } from "../copy/copyWriter.ts";
import { bareEtagOf } from "../item/itemBody.ts";
import type { Container } from "../partition/container.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";
import type { ArchivedItem } from "./archivedItem.ts";
import { archivedItemOf, inPieces } from "./archivedItem.ts";
import type { ArchiveRun } from "./archiveRun.ts";
import { RunInterrupted } from "./recordedRun.ts";

const PIECE_COUNT = 128;

/** What is wrong with a file; `undefined` if it is proven. */
export async function proveFile(
  run: ArchiveRun,
  file: PartitionFile,
): Promise<FileDamage | undefined> {
  const { container, folder, setting, mustStop } = run;
  const stopping = async (): Promise<void> => {
    if (mustStop()) throw new RunInterrupted();
    await setting.timer.soon();
  };
  // Lines are read as items when it is known that they are as they were written.
  const unlike = await verifyFile(folder, file, { onLines: stopping });
  if (unlike !== undefined) return unlike;
  let wrong: ArchivedItem | undefined;
  const damage = await verifyFile(folder, file, {
    onLines: async (lines) => {
      for (const piece of inPieces(lines, PIECE_COUNT)) {
        const items = piece.map((line) =>
          archivedItemOf(container, setting.limits, line, file.name),
        );
        wrong ??= await differing(run, items);
      }
    },
  });
  if (damage !== undefined || wrong === undefined) return damage;
  const message =
    `${file.name} in ${folder.place} has other bytes than the container for the item ` +
    `'${wrong.id}', which has not changed since.`;
  return { file: file.name, what: "contents", message };
}

/** The first item whose version is still there, but not as it is in the archive. */
async function differing(
  run: ArchiveRun,
  items: readonly ArchivedItem[],
): Promise<ArchivedItem | undefined> {
  const { container } = run;
  const { found, partition } = await storedOf(run, container, items);
  const itemBytes = found.flatMap((item) => item?.body.length ?? []);
  const charge = itemBytes.length === 0 ? 0 : chargeOf({ kind: "feedPage", itemBytes });
  partition.spending.settleLeftOver(charge);
  run.spent({ readRu: charge });
  await run.paced(partition, charge, container);
  return items.find((item, index) => {
    const stored = found[index];
    if (stored === undefined || bareEtagOf(stored.body) !== item.etag) return false;
    return !stored.body.equals(item.body);
  });
}

/** The items of one logical partition as they are now. */
async function storedOf(
  { setting, mustStop }: ArchiveRun,
  container: Container,
  items: readonly ArchivedItem[],
): Promise<{
  readonly found: readonly (StoredItem | undefined)[];
  readonly partition: PhysicalPartition;
}> {
  for (;;) {
    if (mustStop()) throw new RunInterrupted();
    const { map } = container;
    const partition = container.ownerOf(items[0]!.epk);
    const keys = items.map(({ itemKey }) => itemKey);
    const found = await setting.store.getMany(partition.entry.part, keys);
    if (container.isDeleted) throw new TargetGone();
    if (container.map === map) return { found, partition };
  }
}
