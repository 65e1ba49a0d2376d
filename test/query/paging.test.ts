/**
 * Queries read page by page while other clients create, change and delete other items, and with
 * the server ended or killed between two pages: what nobody touches comes once, and in order.
 *
 * A real server in a process of its own, on disk. Every page is asked for by a query of its own,
 * which has nothing but the continuation of the page before. ORRERY_PAGING_ROUNDS repeats it all,
 * and in one physical partition, too.
 */
import type { Container, Database, IndexingPolicy } from "@azure/cosmos";
import { CosmosClient } from "@azure/cosmos";
import { afterEach, describe, expect, test } from "vitest";
import { seededRandom } from "../../src/base/world.ts";
import type { JsonObject, JsonValue } from "../../src/json/value.ts";
import type { Server } from "../crash/serverProcess.ts";
import { startServer } from "../crash/serverProcess.ts";
import { temporaryDirectory } from "../sdk/stage.ts";
import { MERGED, RATES } from "./arena.ts";
import { Draw } from "./generateItems.ts";
import type { PagedItem, Shape } from "./pagingShapes.ts";
import { keptItem, pagedProblem, passingItem, SHAPES } from "./pagingShapes.ts";

const ROUND_COUNT = Number(process.env["ORRERY_PAGING_ROUNDS"] ?? 1);
const PATIENCE_MS = 600_000;
const PARTITION_COUNTS = ROUND_COUNT > 1 ? [1, 5] : [5];
const PAGE_SIZES = [1, 7, 100];
const KEPT_COUNT = ROUND_COUNT > 1 ? 45 : 30;
const PASSING_COUNT = 30;
const WRITER_PAUSE_MS = 3;
const RESTART_COUNT = 3;
/** Pages that a reader takes at most before the server is started anew. */
const PAGES_PER_LIFE = 12;

const INDEXING_POLICY: IndexingPolicy = {
  includedPaths: [{ path: "/*" }],
  compositeIndexes: [
    [
      { path: "/k", order: "ascending" },
      { path: "/n", order: "descending" },
    ],
  ],
};

/** A server on one directory, started anew as often as is asked for. */
class Stage {
  readonly #directory = temporaryDirectory();
  #server!: Server;
  client!: CosmosClient;

  static async open(): Promise<Stage> {
    const stage = new Stage();
    await stage.#start();
    await stage.client.databases.create({ id: "d" });
    return stage;
  }

  get database(): Database {
    return this.client.database("d");
  }

  async #start(): Promise<void> {
    this.#server = await startServer(this.#directory.path);
    const { endpoint, key } = this.#server;
    this.client = new CosmosClient({ endpoint, key });
  }

  async restart(way: "end" | "kill"): Promise<void> {
    this.client.dispose();
    await this.#server[way]();
    await this.#start();
  }

  async close(): Promise<void> {
    this.client.dispose();
    await this.#server.kill();
    this.#directory[Symbol.dispose]();
  }
}

/** One query on its way through its pages. */
class Reader {
  readonly #text: string;
  readonly #maxItemCount: number;
  readonly #containerId: string;
  readonly rows: JsonValue[] = [];
  #continuationToken: string | undefined;
  isDone = false;

  constructor(containerId: string, text: string, maxItemCount: number) {
    this.#containerId = containerId;
    this.#text = text;
    this.#maxItemCount = maxItemCount;
  }

  get name(): string {
    return `${this.#text} in ${this.#containerId}, ${this.#maxItemCount} a page`;
  }

  async read({ database }: Stage, pagesMax: number): Promise<void> {
    const { items } = database.container(this.#containerId);
    for (let page = 0; page < pagesMax && !this.isDone; page++) {
      const asked = items.query<JsonValue>(this.#text, {
        ...MERGED,
        maxItemCount: this.#maxItemCount,
        ...(this.#continuationToken !== undefined && {
          continuationToken: this.#continuationToken,
        }),
      });
      const { resources, continuationToken } = await asked.fetchNext();
      expect(resources.length, this.name).toBeLessThanOrEqual(this.#maxItemCount);
      this.rows.push(...resources);
      this.#continuationToken = continuationToken;
      this.isDone = continuationToken === undefined;
      expect(asked.hasMoreResults(), this.name).toBe(!this.isDone);
    }
  }
}

let stage: Stage | undefined;
afterEach(async () => {
  await stage?.close();
  stage = undefined;
});

async function fill(container: Container, items: readonly JsonObject[]): Promise<void> {
  await Promise.all(items.map((item) => container.items.create(item)));
}

function shuffled<T>(draw: Draw, list: readonly T[]): readonly T[] {
  const keyed = list.map((element) => ({ element, key: draw.below(1e9) }));
  return keyed.toSorted((a, b) => a.key - b.key).map(({ element }) => element);
}

/** Creates, changes and deletes items of its own until it is stopped. */
function writeTo(container: Container, draw: Draw): { stop(): Promise<number> } {
  let isStopped = false;
  const writing = (async () => {
    let count = 0;
    for (; !isStopped; count++) {
      const item = passingItem(draw, draw.below(PASSING_COUNT));
      if (draw.chance(0.3)) await container.item(item.id, item.pk).delete().catch(onlyMissing);
      else await container.items.upsert(item);
      await new Promise((resolve) => setTimeout(resolve, WRITER_PAUSE_MS));
    }
    return count;
  })();
  // When a check fails nobody waits for it any more.
  writing.catch(() => undefined);
  return {
    stop() {
      isStopped = true;
      return writing;
    },
  };
}

function onlyMissing(error: unknown): void {
  if ((error as { readonly code?: unknown }).code !== 404) throw error;
}

/** Lets all readers read to the end, through a few lives of the server. */
async function readAll(
  open: Stage,
  readers: readonly Reader[],
  writersOf: () => readonly { stop(): Promise<number> }[],
): Promise<number> {
  let writeCount = 0;
  for (let life = 0; readers.some(({ isDone }) => !isDone); life++) {
    const isLast = life === RESTART_COUNT;
    const writers = writersOf();
    const pagesMax = isLast ? Number.POSITIVE_INFINITY : PAGES_PER_LIFE;
    await Promise.all(readers.map((reader) => reader.read(open, pagesMax)));
    for (const writer of writers) writeCount += await writer.stop();
    if (!isLast) await open.restart(life % 2 === 0 ? "kill" : "end");
  }
  return writeCount;
}

describe("values too large for a continuation", () => {
  const COUNT = 24;
  const order = Array.from({ length: COUNT }, (_, index) => index);
  /** Sorted as their index is, and alike up to the very end. */
  const ends = order.map((index) => String(index).padStart(3, "0"));
  const [big, ascii, foreign] = ["x".repeat(20_000), "y".repeat(5_000), "é😀".repeat(1_250)];
  const rows = (of: (index: number) => JsonValue): readonly JsonValue[] => order.map(of);

  const QUESTIONS: readonly { readonly text: string; readonly rows: readonly JsonValue[] }[] = [
    { text: "SELECT VALUE c.n FROM c ORDER BY c.ascii", rows: order },
    { text: "SELECT VALUE c.n FROM c ORDER BY c.foreign DESC", rows: order.toReversed() },
    {
      text: "SELECT VALUE [c.n, t] FROM c JOIN t IN c.tags ORDER BY c.foreign",
      rows: order.flatMap((n) => ["a", "b", "c"].map((tag) => [n, tag])),
    },
    { text: "SELECT VALUE c.n FROM c ORDER BY c.k, c.foreign", rows: order },
    {
      text: "SELECT TOP 20 VALUE c.n FROM c ORDER BY c.foreign",
      rows: order.slice(0, 20),
    },
    {
      text: "SELECT VALUE c.n FROM c ORDER BY c.foreign OFFSET 3 LIMIT 18",
      rows: order.slice(3, 21),
    },
    {
      text: "SELECT DISTINCT VALUE c.big FROM c",
      rows: rows((index) => `${big}${ends[index]}`),
    },
    {
      text: "SELECT DISTINCT c.big, c.k FROM c WHERE c.n >= 0",
      rows: rows((index) => ({ big: `${big}${ends[index]}`, k: 1 })),
    },
    {
      text: "SELECT DISTINCT VALUE c.big FROM c OFFSET 4 LIMIT 15",
      rows: rows((index) => `${big}${ends[index]}`).slice(4, 19),
    },
    {
      text: "SELECT c.big, COUNT(1) AS many FROM c GROUP BY c.big",
      rows: rows((index) => ({ big: `${big}${ends[index]}`, many: 1 })),
    },
    {
      text: "SELECT VALUE COUNT(1) FROM c GROUP BY c.foreign",
      rows: rows(() => 1),
    },
  ];

  test.each(PARTITION_COUNTS)(
    "in %d physical partitions",
    async (partitionCount) => {
      stage = await Stage.open();
      const throughput = RATES[partitionCount]!;
      const indexingPolicy: IndexingPolicy = {
        includedPaths: [{ path: "/*" }],
        compositeIndexes: [["/k", "/foreign"].map((path) => ({ path, order: "ascending" }))],
      };
      const definition = { id: "c", partitionKey: "/pk", indexingPolicy, throughput };
      const { container } = await stage.database.containers.create(definition);
      const items = ends.map((end, n) => {
        const values = {
          big: `${big}${end}`,
          ascii: `${ascii}${end}`,
          foreign: `${foreign}${end}`,
        };
        return { id: end, pk: `key ${end}`, n, k: 1, tags: ["a", "b", "c"], ...values };
      });
      await fill(container, items);
      const readers = QUESTIONS.flatMap(({ text }) =>
        [1, 7].map((size) => new Reader("c", text, size)),
      );
      await readAll(stage, readers, () => []);
      for (const [index, reader] of readers.entries()) {
        const expected = QUESTIONS[Math.floor(index / 2)]!.rows;
        const isRight = JSON.stringify(reader.rows) === JSON.stringify(expected);
        expect(isRight, `${reader.name}: ${reader.rows.length} rows`).toBe(true);
      }
    },
    PATIENCE_MS,
  );
});

test.each(Array.from({ length: ROUND_COUNT }, (_, round) => round + 1))(
  "what nobody touches comes once and in order, round %d",
  async (round) => {
    const draw = new Draw(seededRandom(round));
    const kept: readonly PagedItem[] = Array.from({ length: KEPT_COUNT }, (_, index) =>
      keptItem(draw, index),
    );
    stage = await Stage.open();
    const readers: { readonly shape: Shape; readonly reader: Reader }[] = [];
    for (const partitionCount of PARTITION_COUNTS) {
      const id = `in ${partitionCount}`;
      const definition = { id, partitionKey: "/pk", indexingPolicy: INDEXING_POLICY };
      const throughput = RATES[partitionCount]!;
      const { container } = await stage.database.containers.create({ ...definition, throughput });
      const passing = Array.from({ length: PASSING_COUNT }, (_, index) => passingItem(draw, index));
      // Mixed, so that some of those that go were there before those that stay.
      await fill(container, shuffled(draw, [...kept, ...passing]));
      for (const shape of SHAPES) {
        for (const size of PAGE_SIZES) {
          readers.push({ shape, reader: new Reader(id, shape.text, size) });
        }
      }
    }
    const open = stage;
    const writeCount = await readAll(
      open,
      readers.map(({ reader }) => reader),
      () => PARTITION_COUNTS.map((count) => writeTo(open.database.container(`in ${count}`), draw)),
    );
    for (const { shape, reader } of readers) {
      expect(pagedProblem(shape, kept, reader.rows), reader.name).toBeUndefined();
    }
    expect(writeCount).toBeGreaterThan(20);
  },
  PATIENCE_MS,
);
