/** A server in memory with a database, for the tests of the example. */
import { type Container, CosmosClient, type Database } from "@azure/cosmos";
import { startOrrery } from "orrery";
import { oneContainer } from "./feedContainers.ts";
import type { FeedItem, StoredFeedItem } from "./feedItem.ts";
import { FeedStore } from "./feedStore.ts";
import type { MovingServer } from "./hotWarm/moving.ts";
import { setUpFeeds } from "./setUp.ts";

export interface Stage extends AsyncDisposable {
  readonly database: Database;
  readonly server: MovingServer;
  /** A container of its own for each who asks, and a store over it. */
  open(options?: { readonly now?: string; readonly fullText?: boolean }): Promise<OpenedStore>;
}

interface OpenedStore {
  readonly container: Container;
  readonly store: FeedStore;
}

const NOW = "2026-03-03T12:00:00.000Z";

export async function openStage(): Promise<Stage> {
  const server = await startOrrery({ memory: true, rateLimit: false });
  const client = new CosmosClient(server.connectionString);
  const { database } = await client.databases.create({ id: "feed" });
  let count = 0;
  return {
    database,
    server,
    async open({ now = NOW, fullText = false } = {}) {
      count += 1;
      const container = await setUpFeeds(database, { id: `feeds-${count}`, fullText });
      const containers = oneContainer(container);
      const store = await FeedStore.open(containers, { now: () => new Date(now) });
      return { container, store };
    },
    async [Symbol.asyncDispose]() {
      client.dispose();
      await server.close();
    },
  };
}

/** An article that is plain in all that a test does not name. */
export function article(
  id: string,
  publishedDate: string,
  others: Partial<FeedItem> = {},
): FeedItem {
  return {
    id,
    feedProviderId: "northgate",
    title: "A title",
    content: "A text",
    publishedDate,
    crawledDate: publishedDate,
    sourceUrl: `https://northgate.example/${id}`,
    tags: ["weather"],
    metadata: { language: "en", wordCount: 2 },
    ...others,
  };
}

export function idsOf(rows: readonly { readonly id: string }[]): readonly string[] {
  return rows.map(({ id }) => id);
}

/** Never called where nothing is throttled. */
export function noWait(): Promise<never> {
  return Promise.reject(new Error("a server without a rate limit made somebody wait"));
}

/** All items of a container without what the server adds, in the order of months and ids. */
export async function contentsOf(container: Container): Promise<readonly StoredFeedItem[]> {
  const { resources } = await container.items.readAll<StoredFeedItem>().fetchAll();
  const own = resources.map(
    (item) =>
      Object.fromEntries(
        Object.entries(item).filter(([name]) => !name.startsWith("_")),
      ) as unknown as StoredFeedItem,
  );
  const nameOf = ({ partitionKey, id }: StoredFeedItem): string => `${partitionKey} ${id}`;
  return own.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}
