/**
 * Archived months back into a container. All files that are asked for are verified before the
 * first item is written. What the container has under the same id is newer, and stays as it is; of
 * several parts of a month the last one counts first, for the same reason.
 */
import type { Container } from "@azure/cosmos";
import { BadFeedInput } from "../feedItem.ts";
import type { ArchivedItem, ArchiveFolder } from "./archiveFolder.ts";
import { type Creation, createItems } from "./batches.ts";
import type { Manifest } from "./manifest.ts";

export interface RestoredMonth extends Creation {
  readonly month: string;
  readonly part: number;
}

interface Target {
  readonly container: Container;
  /** Another container than the one that was archived: the archive stays what it is. */
  readonly isElsewhere: boolean;
}

export async function restoreMonths(
  folder: ArchiveFolder,
  { container, isElsewhere }: Target,
  months: readonly string[] | undefined,
): Promise<readonly RestoredMonth[]> {
  const archived = (await folder.manifests()).filter(({ state }) => state !== "restored");
  const unknown = months?.find((month) => archived.every((manifest) => manifest.month !== month));
  if (unknown !== undefined) {
    const known = [...new Set(archived.map(({ month }) => month))].join(", ") || "no month";
    throw new BadFeedInput(`${unknown} is not archived in ${folder.path}, which has ${known}.`);
  }
  const wanted = archived.filter(({ month }) => months?.includes(month) ?? true);
  const path = (await container.read()).resource?.partitionKey?.paths[0];
  for (const manifest of wanted) {
    if (manifest.partitionKeyPath !== path) {
      throw new BadFeedInput(
        `Items of ${manifest.file} have their key in ${manifest.partitionKeyPath}, ` +
          `the container ${container.id} has its key in ${path}.`,
      );
    }
    await folder.verify(manifest);
  }
  const done: RestoredMonth[] = [];
  for (const manifest of wanted.toReversed()) {
    const { month, part } = manifest;
    const creation = await createItems(container, month, unchangedOf(folder, manifest));
    if (!isElsewhere) await folder.save({ ...manifest, state: "restored" });
    done.push({ month, part, ...creation });
  }
  return done.reverse();
}

/** Without those that never left the container: what became of them is its own story. */
async function* unchangedOf(
  folder: ArchiveFolder,
  manifest: Manifest,
): AsyncGenerator<ArchivedItem> {
  const changed = new Set(manifest.changedIds);
  for await (const item of folder.items(manifest)) if (!changed.has(item.id)) yield item;
}
