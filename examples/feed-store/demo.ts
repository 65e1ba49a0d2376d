/**
 * The whole life of a feed in half a minute: articles are stored, asked for, put away and brought
 * back. Each line says what it cost.
 */
import { ArchiveFolder } from "./archive/archiveFolder.ts";
import type { Answer } from "./ask.ts";
import type { FeedContainers } from "./feedContainers.ts";
import { FeedStore } from "./feedStore.ts";
import { type FeedVolume, generateItems, itemCountOf, PROVIDERS, TOPICS } from "./generate.ts";
import type { Moving } from "./hotWarm/moving.ts";
import { loadItems } from "./load.ts";

interface DemoSetting {
  readonly containers: FeedContainers;
  readonly volume: FeedVolume;
  readonly archivePath: string;
  /** Whoever moves articles, where there are two containers. */
  readonly moving?: Moving | undefined;
}

interface DemoWorld {
  readonly now: () => Date;
  readonly print: (line: string) => void;
  /** Shows how far something is that takes a while; an empty text takes it away. */
  readonly progress: (text: string) => void;
  readonly wait: (ms: number) => Promise<unknown>;
}

export async function runDemo(
  { containers, volume, archivePath, moving }: DemoSetting,
  { now, print, progress, wait }: DemoWorld,
): Promise<void> {
  const { current, historical } = containers;
  const store = await FeedStore.open(containers, { now });

  const all = itemCountOf(volume);
  const onProgress = (count: number): void => progress(`stored ${count} of ${all}`);
  const loaded = await loadItems(current, generateItems(volume), { wait, onProgress });
  progress("");
  print(`Stored ${all} articles for ${loaded.ru.toFixed(0)} RU.`);
  if (moving !== undefined) {
    await moving.caughtUp((count) => progress(`moved ${count} to ${historical.id}`));
    progress("");
    print(`Moved ${await moving.movedCount()} of them to ${historical.id}.`);
  }

  const [providerId = "", other = ""] = PROVIDERS.keys();
  const tell = (what: string, { rows, cost }: Answer<unknown>): void => {
    const asked = monthsText(cost.months);
    const where = moving === undefined ? "" : ` in ${cost.containers.join(" and ")}`;
    print(`${what}: ${rows.length} rows, ${cost.ru.toFixed(2)} RU, asked: ${asked}${where}.`);
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

const LISTED_MAX = 6;

function monthsText(months: readonly string[] | undefined): string {
  if (months === undefined) return "every month";
  return months.length > LISTED_MAX ? `${months.length} months` : months.join(", ");
}
