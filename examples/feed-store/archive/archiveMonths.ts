/**
 * Old months out of the container and into files, one month at a time, in the guide's four steps
 * and one more: query, copy, **verify**, delete, note what was done.
 *
 * At every instant each item is in the container or in a file whose manifest counts. Items are
 * deleted only after their file was read back from the disk and found whole, and only in the
 * version that is in the file: who edits an item meanwhile keeps it. A run that was cut off is
 * finished by the next one, which verifies again before it deletes.
 *
 * Deleting all of a key in one request is not used: it would take along what came after the copy.
 */
import type { Container } from "@azure/cosmos";
import { BadFeedInput } from "../feedItem.ts";
import { isMonth, PARTITION_KEY_PATH } from "../months.ts";
import type { ArchivedItem, ArchiveFolder } from "./archiveFolder.ts";
import { type Deletion, deleteItems } from "./batches.ts";
import type { Manifest } from "./manifest.ts";

export interface ArchivedMonth extends Deletion {
  readonly month: string;
  readonly part: number;
  readonly itemCount: number;
  readonly fileBytes: number;
}

export async function archiveMonths(
  container: Container,
  folder: ArchiveFolder,
  { before, at }: { readonly before: string; readonly at: string },
): Promise<readonly ArchivedMonth[]> {
  const manifests = await folder.manifests();
  const foreign = manifests.find((manifest) => !isOf(manifest, container));
  if (foreign !== undefined) {
    throw new BadFeedInput(
      `${folder.path} holds the archive of ${foreign.database}/${foreign.container}; ` +
        `choose another folder for ${container.database.id}/${container.id}.`,
    );
  }
  const done: ArchivedMonth[] = [];
  for (const manifest of manifests.filter(({ state }) => state === "copied")) {
    done.push(await finish(container, folder, manifest));
  }
  for (const month of await monthsBefore(container, before)) {
    const manifest = await copy(container, folder, month, at);
    if (manifest !== undefined) done.push(await finish(container, folder, manifest));
  }
  return done;
}

function isOf({ database, container: name }: Manifest, container: Container): boolean {
  return database === container.database.id && name === container.id;
}

/** Months that have items, the oldest first. */
async function monthsBefore(container: Container, before: string): Promise<readonly string[]> {
  const query = "SELECT DISTINCT VALUE c.partitionKey FROM c WHERE c.partitionKey < @before";
  const parameters = [{ name: "@before", value: before }];
  const { resources } = await container.items.query<unknown>({ query, parameters }).fetchAll();
  return resources.filter(isMonth).sort();
}

/** Undefined if the month has nothing any more. */
async function copy(
  container: Container,
  folder: ArchiveFolder,
  month: string,
  at: string,
): Promise<Manifest | undefined> {
  const facts = await folder.write(month, itemsOf(container, month));
  if (facts === undefined) return undefined;
  await folder.verify(facts);
  const manifest: Manifest = {
    format: 1,
    database: container.database.id,
    container: container.id,
    partitionKeyPath: PARTITION_KEY_PATH,
    month,
    state: "copied",
    copiedAt: at,
    changedIds: [],
    ...facts,
  };
  await folder.save(manifest);
  return manifest;
}

async function* itemsOf(container: Container, month: string): AsyncGenerator<ArchivedItem> {
  const pages = container.items.query<ArchivedItem>("SELECT * FROM c", {
    partitionKey: month,
    maxItemCount: 1000,
  });
  while (pages.hasMoreResults()) yield* (await pages.fetchNext()).resources ?? [];
}

async function finish(
  container: Container,
  folder: ArchiveFolder,
  manifest: Manifest,
): Promise<ArchivedMonth> {
  await folder.verify(manifest);
  const { month, part, itemCount, fileBytes } = manifest;
  const deletion = await deleteItems(container, month, folder.items(manifest));
  await folder.save({ ...manifest, state: "archived", changedIds: deletion.changedIds });
  return { month, part, itemCount, fileBytes, ...deletion };
}
