/**
 * A lifecycle and a router on a real server that is killed again and again: random ranges of dates
 * are asked of the router over hot and warm, and of one container that has the same items. Between
 * the questions items are edited, where they are and in the one container; between and during them
 * the server moves what has become due, and expires what was moved.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Container } from "@azure/cosmos";
import { CosmosClient } from "@azure/cosmos";
import type { Random } from "../../src/base/world.ts";
import { RouteTooSlow } from "../../src/router/badRoute.ts";
import { hotWarmRouter } from "../../src/router/hotWarmRouter.ts";
import { orreryWatermark } from "../../src/router/orreryWatermark.ts";
import type { RangeRouter, RouteQuery } from "../../src/router/routeTypes.ts";
import type { Site } from "../crash/site.ts";
import { pick } from "../crash/workload.ts";

export interface RangesSize {
  readonly itemCount: number;
  readonly rangeCount: number;
  readonly killCount: number;
  /** Over how many seconds items become due. */
  readonly spanSeconds: number;
  /** Longer than most queries take, and shorter than the campaign. */
  readonly markTtlSeconds: number;
}

interface Dated {
  readonly id: string;
  readonly pk: string;
  /** No two are of the same millisecond. */
  readonly date: string;
  readonly score: number;
  readonly version: number;
}

const DATABASE = "ranges";
const AGE_SECONDS = 15;
const KEY_COUNT = 5;
const EDITS_BETWEEN = 2;
const KILL_DELAY_MS_MAX = 40;

export class RangesCampaign {
  readonly #site: Site;
  readonly #random: Random;
  readonly #size: RangesSize;
  readonly #client: CosmosClient;
  readonly #hot: Container;
  readonly #warm: Container;
  readonly #single: Container;
  readonly #routers: readonly RangeRouter[];
  readonly #items: Dated[] = [];
  readonly #dates = new Set<number>();
  #beganAt = 0;
  readonly problems: string[] = [];
  /** Queries by the containers that they asked, and what shows that items were on their way. */
  readonly done: {
    readonly byTiers: Map<string, number>;
    leftOutRows: number;
    editsInWarm: number;
    edits: number;
    /** Queries that were read for longer than marked items stay in hot, and asked again. */
    tooSlow: number;
  } = { byTiers: new Map(), leftOutRows: 0, editsInWarm: 0, edits: 0, tooSlow: 0 };

  constructor(site: Site, random: Random, size: RangesSize) {
    this.#site = site;
    this.#random = random;
    this.#size = size;
    const { endpoint, key } = site;
    this.#client = new CosmosClient({ endpoint, key });
    const container = (id: string): Container => this.#client.database(DATABASE).container(id);
    [this.#hot, this.#warm, this.#single] = [
      container("hot"),
      container("warm"),
      container("single"),
    ];
    const place = (name: string) => ({ database: DATABASE, container: name });
    const places = { hot: place("hot"), warm: place("warm") };
    const watermarks = [undefined, orreryWatermark({ endpoint, ...places })];
    this.#routers = watermarks.map((watermark) =>
      hotWarmRouter({
        hot: this.#hot,
        warm: this.#warm,
        ageProperty: "date",
        isoDigits: 3,
        ageSeconds: AGE_SECONDS,
        markTtlSeconds: size.markTtlSeconds,
        clock: Date,
        paths: ["/pk"],
        ...(watermark && { watermark }),
      }),
    );
  }

  async run(): Promise<void> {
    try {
      await this.#load();
      await this.#ask();
    } finally {
      this.#client.dispose();
    }
  }

  async #load(): Promise<void> {
    await this.#client.databases.create({ id: DATABASE });
    const partitionKey = { paths: ["/pk"] };
    await this.#client.database(DATABASE).containers.create({ id: "single", partitionKey });
    const question = {
      hot: { database: DATABASE, container: "hot" },
      warm: { database: DATABASE, container: "warm" },
      ageProperty: "/date",
      ageSeconds: AGE_SECONDS,
      intervalSeconds: 1,
      markTtlSeconds: this.#size.markTtlSeconds,
      sharePercent: 100,
      create: { partitionKey: ["/pk"] },
    };
    const answer = await fetch(`${this.#site.endpoint}/_orrery/v1/lifecycles`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(question),
    });
    if (!answer.ok) throw new Error(await answer.text());
    this.#beganAt = Date.now();
    for (let at = 0; at < this.#size.itemCount; at++) {
      const item = { id: `i${at}`, pk: `p${at % KEY_COUNT}`, score: this.#score(), version: 0 };
      this.#items.push({ ...item, date: this.#date() });
    }
    const writes = this.#items.flatMap((item) => [
      this.#hot.items.create({ ...item }),
      this.#single.items.create({ ...item }),
    ]);
    await Promise.all(writes);
  }

  async #ask(): Promise<void> {
    const { rangeCount, killCount, spanSeconds } = this.#size;
    const every = Math.max(1, Math.floor(rangeCount / (killCount + 1)));
    const paceMs = (spanSeconds * 1000) / rangeCount;
    let killing = Promise.resolve();
    for (let at = 1; at <= rangeCount; at++) {
      if (at % every === 0 && this.#site.killCount < killCount) {
        await killing;
        killing = delay(pick(this.#random, KILL_DELAY_MS_MAX)).then(() => this.#site.kill());
      }
      for (let edits = 0; edits < EDITS_BETWEEN; edits++) await this.#edit();
      await this.#compare(at);
      const early = this.#beganAt + at * paceMs - Date.now();
      if (early > 0) await delay(early);
    }
    await killing;
  }

  async #compare(at: number): Promise<void> {
    const query = this.#query();
    const router = this.#routers[at % this.#routers.length]!;
    const { rows, report } = await this.#inTime(() => router.query<Dated>(query).all());
    const expected = await this.#site.persist(() => this.#expected(query));
    const [found, wanted] = [textOf(rows, query), textOf(expected, query)];
    const what = `range ${at} ${JSON.stringify(query)}`;
    if (found !== wanted) this.problems.push(`${what}: ${found} instead of ${wanted}`);
    const asked = report.asked.join();
    this.done.byTiers.set(asked, (this.done.byTiers.get(asked) ?? 0) + 1);
    this.done.leftOutRows += report.leftOutCount;
    if (query.limit !== undefined) return;
    const { order: _, ...counted } = query;
    const { count } = await this.#inTime(() => router.count(counted));
    if (count !== expected.length) {
      this.problems.push(`${what}: counted ${count} instead of ${expected.length}`);
    }
  }

  /** A router refuses to go on with a query that takes too long, as on a machine that is busy. */
  async #inTime<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await this.#site.persist(ask);
      } catch (error) {
        if (!(error instanceof RouteTooSlow)) throw error;
        this.done.tooSlow++;
      }
    }
  }

  /** What the one container has, by a query of its own. */
  async #expected({ from, to, key, where, order, limit }: RouteQuery): Promise<readonly Dated[]> {
    const by = order?.by === "/score" ? "c.score" : "c.date";
    const direction = order?.direction === "descending" ? "DESC" : "ASC";
    const text =
      `SELECT * FROM c WHERE c.date >= @from AND c.date <= @to` +
      `${where === undefined ? "" : ` AND ${where}`} ORDER BY ${by} ${direction}`;
    const parameters = [
      { name: "@from", value: (from as Date).toISOString() },
      { name: "@to", value: (to as Date).toISOString() },
    ];
    const options = key === undefined ? {} : { partitionKey: key as string };
    const { resources } = await this.#single.items
      .query<Dated>({ query: text, parameters }, options)
      .fetchAll();
    return resources.slice(0, limit);
  }

  #query(): RouteQuery {
    const [from, to] = [this.#end(), this.#end()].toSorted((a, b) => a - b);
    const isByScore = this.#random.next() < 0.25;
    return {
      from: new Date(from!),
      to: new Date(to!),
      ...(this.#random.next() < 0.3 && { key: `p${pick(this.#random, KEY_COUNT)}` }),
      ...(this.#random.next() < 0.3 && { where: "c.score < 5" }),
      order: {
        ...(isByScore && { by: "/score" }),
        direction: this.#random.next() < 0.5 ? "ascending" : "descending",
      },
      // Items of one score have no order among each other.
      ...(!isByScore && this.#random.next() < 0.3 && { limit: 1 + pick(this.#random, 20) }),
      pageSize: 10 + pick(this.#random, 200),
    };
  }

  /** A third of the ends are at the border between young and old. */
  #end(): number {
    const now = Date.now();
    if (pick(this.#random, 3) === 0) {
      return now - AGE_SECONDS * 1000 + pick(this.#random, 2000) - 1000;
    }
    const first = this.#beganAt - (AGE_SECONDS + this.#size.spanSeconds) * 1000;
    return first + pick(this.#random, now - first);
  }

  /** Half are due from the start, and the others become due one after the other. */
  #date(): string {
    for (;;) {
      const { spanSeconds } = this.#size;
      const at = this.#beganAt - AGE_SECONDS * 1000 + pick(this.#random, 2000 * spanSeconds);
      const date = at - spanSeconds * 1000;
      if (this.#dates.has(date)) continue;
      this.#dates.add(date);
      return new Date(date).toISOString();
    }
  }

  #score(): number {
    return pick(this.#random, 10);
  }

  /** Of an item that has left hot the copy in warm is edited, and keeps its date. */
  async #edit(): Promise<void> {
    const at = pick(this.#random, this.#items.length);
    const before = this.#items[at]!;
    const edited = { ...before, score: this.#score(), version: before.version + 1 };
    const moved = this.#random.next() < 0.3 ? { ...edited, date: this.#date() } : edited;
    let after: Dated | undefined;
    while (after === undefined) {
      if (await this.#replaced(this.#hot, moved)) after = moved;
      else if (await this.#replaced(this.#warm, edited)) {
        after = edited;
        this.done.editsInWarm++;
      }
    }
    this.#items[at] = after;
    this.done.edits++;
    await this.#site.persist(() => this.#single.items.upsert({ ...after }));
  }

  /** False if the container does not have the item, or the answer was lost. */
  async #replaced(container: Container, item: Dated): Promise<boolean> {
    const asked = await this.#site.ask(() => container.item(item.id, item.pk).replace({ ...item }));
    if (asked.kind === "refused" && asked.status !== 404) {
      throw new Error(`a write was refused with ${asked.status}`);
    }
    return asked.kind === "answered";
  }
}

/** Rows as far as the order says which comes first. */
function textOf(rows: readonly Dated[], { order }: RouteQuery): string {
  const texts = rows.map((row) => {
    const { id, date, score, version } = row;
    const isMarked = Object.hasOwn(row, "migrated") || Object.hasOwn(row, "ttl");
    return { score, text: `${id} ${date} ${score} ${version}${isMarked ? " marked" : ""}` };
  });
  if (order?.by !== "/score") return texts.map(({ text }) => text).join();
  const scores = texts.map(({ score }) => score).join();
  return `${scores} ${texts.map(({ text }) => text).toSorted()}`;
}
