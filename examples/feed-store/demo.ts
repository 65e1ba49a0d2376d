/**
 * The whole life of a feed in half a minute: articles are stored, asked for, put away and brought
 * back. Each line says what it cost.
 */
import type { Database } from "@azure/cosmos";
import { ArchiveFolder } from "./archive/archiveFolder.ts";
import type { Answer } from "./ask.ts";
import { FeedStore } from "./feedStore.ts";
import { type FeedVolume, generateItems, itemCountOf, PROVIDERS, TOPICS } from "./generate.ts";
import { loadItems } from "./load.ts";
import { setUpFeeds } from "./setUp.ts";

interface DemoWorld {
  readonly print: (line: string) => void;
  readonly wait: (ms: number) => Promise<unknown>;
}

export async function runDemo(
  database: Database,
  { volume, archivePath }: { readonly volume: FeedVolume; readonly archivePath: string },
  { print, wait }: DemoWorld,
): Promise<void> {
  const container = await setUpFeeds(database);
  const store = await FeedStore.open(container, { now: () => volume.to });
  print(`Container ${container.id}: key YYYY-MM of publishedDate, autoscale up to 4,000 RU/s.`);

  const loaded = await loadItems(container, generateItems(volume), { wait });
  print(`Stored ${itemCountOf(volume)} articles for ${loaded.ru.toFixed(0)} RU.`);

  const [providerId = "", other = ""] = PROVIDERS.keys();
  const tell = (what: string, { rows, cost }: Answer<unknown>): void => {
    const asked = cost.months?.join(", ") ?? "every month";
    print(`${what}: ${rows.length} rows, ${cost.ru.toFixed(2)} RU, asked: ${asked}.`);
  };
  tell(`Recent, ${providerId}`, await store.recent({ providerId }));
  tell("Recent, all, the first 20", await store.recent({ limit: 20 }));
  const monthAgo = new Date(volume.to.getTime() - 30 * 86_400_000);
  tell(`30 days of ${other}`, await store.byProvider(other, monthAgo, volume.to));
  tell(`Search for "${TOPICS[0]}" by ${store.searchMethod}`, await store.search(TOPICS[0]!));
  tell("Counts by provider", await store.countsByProvider(volume.from, volume.to));

  const folder = new ArchiveFolder(archivePath);
  for (const { month, itemCount, deletedCount, fileBytes } of await store.archive(folder)) {
    print(`Archived ${month}: ${itemCount} items, ${fileBytes} bytes, ${deletedCount} deleted.`);
  }
  const restored = await store.restore(folder);
  const count = restored.reduce((sum, { createdCount }) => sum + createdCount, 0);
  const months = restored.map(({ month }) => month).join(", ") || "nothing";
  print(`Restored ${months}: ${count} items.`);
}
