/**
 * Applications on one container, all through the official client: they write, read, query, page
 * through everything and load in bulk, whatever happens to the physical partitions or the server.
 *
 * What each was told is in a history of every item; none of them may ever see anything else.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Container, ItemDefinition, PartitionKey } from "@azure/cosmos";
import type { Random } from "../../src/base/world.ts";
import { ItemHistory } from "../storm/stormModel.ts";
import type { Site } from "./site.ts";
import { pick } from "./workload.ts";

const WRITER_COUNT = 4;
const ITEMS_PER_WRITER = 40;
const KEY_COUNT = 23;
const SAMPLE_COUNT = 120;
const BULK_ROUNDS = 8;
const BULK_COUNT = 40;
const VERBS = ["create", "upsert", "upsert", "replace", "patch", "delete"] as const;

interface Row extends ItemDefinition {
  readonly id: string;
  readonly pk: string;
  readonly marker: string;
}

/** Items that nobody touches: what queries are asked about. */
const SAMPLES = Array.from({ length: SAMPLE_COUNT }, (_, n) => ({
  id: `s-${n}`,
  pk: `k${n % KEY_COUNT}`,
  marker: `sample ${n}`,
  n,
  color: ["red", "green", "blue"][n % 3]!,
}));

interface WorkerSetting {
  readonly site: Site;
  readonly random: Random;
  /** Two clients, of which one keeps a session. */
  readonly containers: readonly [Container, Container];
}

export class SplitWorkers {
  readonly #site: Site;
  readonly #random: Random;
  readonly #containers: readonly [Container, Container];
  readonly #items = new Map<string, ItemHistory>();
  readonly counts = { writes: 0, lost: 0, reads: 0, queries: 0, feeds: 0, bulks: 0, pages: 0 };
  #now = 0;
  #isOver = false;

  constructor({ site, random, containers }: WorkerSetting) {
    this.#site = site;
    this.#random = random;
    this.#containers = containers;
  }

  async loadSamples(): Promise<void> {
    await Promise.all(
      SAMPLES.map(async (sample) => {
        const item = this.#item(sample.id, sample.pk);
        item.begin(sample.marker);
        const { etag } = await this.#containers[0].items.create(sample);
        item.acknowledge(++this.#now, etag, undefined);
      }),
    );
  }

  /** Resolves when all have stopped; rejects as soon as one of them sees what it must not. */
  run(): Promise<unknown> {
    const [one, other] = this.#containers;
    return Promise.all([
      ...Array.from({ length: WRITER_COUNT }, (_, writer) => this.#write(writer)),
      this.#read(one),
      this.#read(other),
      this.#query(one, 0),
      this.#query(other, 4),
      this.#followKey(one),
      this.#feed(other),
      this.#bulk(other),
    ]);
  }

  stop(): void {
    this.#isOver = true;
  }

  /** Everything is there once, and as it was acknowledged. */
  async verify(container: Container): Promise<void> {
    const { resources } = await container.items.readAll<Row>({ maxItemCount: 50 }).fetchAll();
    const found = new Map(resources.map((row) => [row.id, row]));
    must(found.size === resources.length, "a feed lists an item twice");
    for (const item of this.#items.values()) {
      const row = found.get(item.id);
      found.delete(item.id);
      const { marker, etag } = item.known;
      const is = `${row?.marker} ${row?.["_etag"]}`;
      must((row?.marker ?? null) === marker, `${item.id} is ${is}, acknowledged ${marker}`);
      must(row === undefined || row["_etag"] === etag, `${item.id} has another etag`);
    }
    must(found.size === 0, `${[...found.keys()]} were never written`);
    await Promise.all([...this.#items.values()].map((item) => this.#verifyOne(container, item)));
    for (const question of QUESTIONS) must(await this.#isRight(container, question), question.text);
  }

  async #verifyOne(container: Container, { id, key, known }: ItemHistory): Promise<void> {
    const { resource } = await container.item(id, key[0]!).read<Row>();
    must((resource?.marker ?? null) === known.marker, `${id} reads as ${resource?.marker}`);
  }

  get itemCount(): number {
    return [...this.#items.values()].filter(({ known }) => known.marker !== null).length;
  }

  async #write(writer: number): Promise<void> {
    const container = this.#containers[writer % 2]!;
    for (let count = 0; !this.#isOver; count++) {
      const index = pick(this.#random, ITEMS_PER_WRITER);
      const item = this.#item(`w${writer}-${index}`, `k${(index + writer) % KEY_COUNT}`);
      await this.#writeOne(container, item, `m${writer}-${count}`);
    }
  }

  async #writeOne(container: Container, item: ItemHistory, marker: string): Promise<void> {
    const verb = VERBS[pick(this.#random, VERBS.length)]!;
    const isThere = item.known.marker !== null;
    item.begin(verb === "delete" ? null : marker);
    const asked = await this.#site.ask(() => this.#send(container, item, verb, marker));
    if (asked.kind === "lost") return this.#lookFor(container, item);
    if (asked.kind === "answered") {
      this.counts.writes++;
      item.acknowledge(++this.#now, verb === "delete" ? undefined : asked.value, undefined);
      return;
    }
    const expected = isThere ? verb === "create" && 409 : verb !== "create" && 404;
    must(asked.status === expected, `${verb} of ${item.id} was refused with ${asked.status}`);
    item.withdraw();
  }

  async #send(
    container: Container,
    { id, key }: ItemHistory,
    verb: (typeof VERBS)[number],
    marker: string,
  ): Promise<string | undefined> {
    const pk = key[0]!;
    const text = "x".repeat(pick(this.#random, 900));
    const body = { id, pk, marker, n: pick(this.#random, 100), text };
    const item = container.item(id, pk);
    switch (verb) {
      case "create":
        return (await container.items.create(body)).etag;
      case "upsert":
        return (await container.items.upsert(body)).etag;
      case "replace":
        return (await item.replace(body)).etag;
      case "patch":
        return (await item.patch([{ op: "set", path: "/marker", value: marker }])).etag;
      case "delete":
        return void (await item.delete());
    }
  }

  /** What a request that nobody answered has done. */
  async #lookFor(container: Container, item: ItemHistory): Promise<void> {
    this.counts.lost++;
    const read = () => container.item(item.id, item.key[0]!).read<Row>();
    const { resource } = await this.#site.persist(read);
    const marker = resource?.marker ?? null;
    const { known, undecided } = item;
    const isFair = marker === known.marker || marker === undecided?.marker;
    must(isFair, `${item.id} is ${marker}, acknowledged ${known.marker}`);
    if (marker === known.marker && resource?.["_etag"] === known.etag) item.withdraw();
    else item.acknowledge(++this.#now, resource?.["_etag"] as string | undefined, undefined);
  }

  async #read(container: Container): Promise<void> {
    while (!this.#isOver) {
      const all = [...this.#items.values()];
      const item = all[pick(this.#random, all.length)]!;
      const since = ++this.#now;
      const read = () => container.item(item.id, item.key[0]!).read<Row>();
      const { resource } = await this.#site.persist(read);
      const marker = resource?.marker ?? null;
      must(item.mayBe(marker, since), `a read of ${item.id} gave ${marker}`);
      this.counts.reads++;
    }
  }

  async #query(container: Container, first: number): Promise<void> {
    for (let count = first; !this.#isOver; count++) {
      const question = QUESTIONS[count % QUESTIONS.length]!;
      const isRight = await this.#site.persist(() => this.#isRight(container, question));
      must(isRight, question.text);
      this.counts.queries++;
    }
  }

  /** Page by page, with time between them. */
  async #isRight(container: Container, { text, rows, isOrdered }: Question): Promise<boolean> {
    const iterator = container.items.query<unknown>(text, { maxItemCount: 9 });
    const found: string[] = [];
    while (iterator.hasMoreResults()) {
      const { resources } = await iterator.fetchNext();
      found.push(...(resources ?? []).map((row) => JSON.stringify(row)));
      await this.#idle();
    }
    const expected = rows.map((row) => JSON.stringify(row));
    if (isOrdered) return found.join() === expected.join();
    return found.toSorted().join() === expected.toSorted().join();
  }

  /** One logical partition by a query whose continuation outlives its client's iterator. */
  async #followKey(container: Container): Promise<void> {
    while (!this.#isOver) {
      const partitionKey = `k${pick(this.#random, KEY_COUNT)}`;
      const text = "SELECT c.id, c.marker FROM c";
      await this.#walk(partitionKey, (continuationToken) =>
        container.items
          .query<Row>(text, { maxItemCount: 4, partitionKey, ...continuationToken })
          .fetchNext(),
      );
      this.counts.queries++;
    }
  }

  async #feed(container: Container): Promise<void> {
    while (!this.#isOver) {
      await this.#walk(undefined, (continuationToken) =>
        container.items.readAll<Row>({ maxItemCount: 25, ...continuationToken }).fetchNext(),
      );
      this.counts.feeds++;
    }
  }

  /** What nobody touched comes exactly once, and nothing twice that was not deleted meanwhile. */
  async #walk(
    key: PartitionKey | undefined,
    page: (continuation: { readonly continuationToken?: string }) => Promise<{
      readonly resources: readonly Row[];
      readonly continuationToken: string;
    }>,
  ): Promise<void> {
    const since = ++this.#now;
    const counts = new Map<string, number>();
    let continuationToken: string | undefined;
    do {
      const at = ++this.#now;
      const { resources, continuationToken: next } = await this.#site.persist(() =>
        page(continuationToken === undefined ? {} : { continuationToken }),
      );
      for (const { id, marker } of resources) {
        must(this.#items.get(id)?.mayBe(marker, at) === true, `a page has ${id} as ${marker}`);
        counts.set(id, (counts.get(id) ?? 0) + 1);
      }
      continuationToken = next;
      this.counts.pages++;
      await this.#idle();
    } while (continuationToken !== undefined);
    for (const item of this.#items.values()) {
      const count = counts.get(item.id) ?? 0;
      const isMeant = key === undefined || key === item.key[0];
      const isMissed = isMeant && count === 0 && item.isUntouched(since);
      const isDoubled = count > 1 && item.isUndeleted(since);
      must(!isMissed && !isDoubled, `pages have ${item.id} ${count} times`);
    }
  }

  async #bulk(container: Container): Promise<void> {
    for (let round = 0; !this.#isOver; round++) {
      const items = Array.from({ length: BULK_COUNT }, (_, index) => {
        const id = `b${round % BULK_ROUNDS}-${index}`;
        return this.#item(id, `k${(round + 3 * index) % BULK_ROUNDS}-${index % 5}`);
      });
      const marker = `round ${round}`;
      for (const item of items) item.begin(marker);
      const etags = await this.#loadAll(container, items, marker);
      items.forEach((item, index) => {
        item.acknowledge(++this.#now, etags[index], undefined);
      });
      this.counts.bulks++;
      // One load after the other would leave little for anybody else.
      await delay(100);
    }
  }

  /** Upserts, which can be repeated until all of them have been answered. */
  async #loadAll(
    container: Container,
    items: readonly ItemHistory[],
    marker: string,
  ): Promise<readonly (string | undefined)[]> {
    const etags = new Map<ItemHistory, string | undefined>();
    while (etags.size < items.length) {
      const left = items.filter((item) => !etags.has(item));
      const operations = left.map(({ id, key }) => ({
        operationType: "Upsert" as const,
        partitionKey: key[0]!,
        resourceBody: { id, pk: key[0]!, marker, n: -1 },
      }));
      const responses = await this.#site.persist(() => container.items.bulk(operations));
      left.forEach((item, index) => {
        const { statusCode, eTag } = responses[index]!;
        if (statusCode < 300) etags.set(item, eTag);
        // Single operations of a bulk are for the application to wait with.
        else must(statusCode === 429, `an operation of a bulk was refused with ${statusCode}`);
      });
      if (etags.size < items.length) await delay(50);
    }
    return items.map((item) => etags.get(item));
  }

  #item(id: string, pk: string): ItemHistory {
    const item = this.#items.get(id) ?? new ItemHistory(id, [pk]);
    this.#items.set(id, item);
    return item;
  }

  async #idle(): Promise<void> {
    if (this.#random.next() < 0.3) await delay(pick(this.#random, 20));
  }
}

interface Question {
  readonly text: string;
  readonly rows: readonly unknown[];
  readonly isOrdered?: true;
}

const NUMBERS = SAMPLES.map(({ n }) => n);
const OF_SAMPLES = "WHERE IS_DEFINED(c.color)";

const QUESTIONS: readonly Question[] = [
  { text: `SELECT VALUE c.n FROM c ${OF_SAMPLES}`, rows: NUMBERS },
  {
    text: `SELECT VALUE c.n FROM c ${OF_SAMPLES} ORDER BY c.n DESC`,
    rows: NUMBERS.toReversed(),
    isOrdered: true,
  },
  {
    text: `SELECT TOP 25 VALUE c.n FROM c ${OF_SAMPLES} ORDER BY c.n`,
    rows: NUMBERS.slice(0, 25),
    isOrdered: true,
  },
  {
    text: `SELECT VALUE c.n FROM c ${OF_SAMPLES} ORDER BY c.n OFFSET 40 LIMIT 30`,
    rows: NUMBERS.slice(40, 70),
    isOrdered: true,
  },
  { text: `SELECT DISTINCT VALUE c.color FROM c ${OF_SAMPLES}`, rows: ["red", "green", "blue"] },
  {
    text: `SELECT VALUE SUM(c.n) FROM c ${OF_SAMPLES}`,
    rows: [NUMBERS.reduce((sum, n) => sum + n, 0)],
  },
  {
    text: `SELECT c.color, COUNT(1) AS count FROM c ${OF_SAMPLES} GROUP BY c.color`,
    rows: ["red", "green", "blue"].map((color) => ({ color, count: SAMPLE_COUNT / 3 })),
  },
];

function must(condition: boolean, problem: string): asserts condition {
  if (!condition) throw new Error(problem);
}
