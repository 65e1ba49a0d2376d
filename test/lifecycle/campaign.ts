/**
 * A lifecycle on a real server that is killed again and again, while clients edit, delete and write
 * anew, and while time passes: items become due every second, are moved, and leave hot a second
 * later. At every restart each item has to be in hot or in warm as it was written last.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { ItemDefinition } from "@azure/cosmos";
import { CosmosClient } from "@azure/cosmos";
import type { Random } from "../../src/base/world.ts";
import type { LifecycleEntry } from "../../src/model/lifecycle.ts";
import { RawDoor } from "../copies/doors.ts";
import type { Site } from "../crash/site.ts";
import { pick } from "../crash/workload.ts";
import type { Seen, Version } from "./agedItems.ts";
import { AgedItems } from "./agedItems.ts";

export interface CampaignSize {
  readonly itemCount: number;
  readonly killCount: number;
  /** Over how many seconds items become due. */
  readonly spanSeconds: number;
  /** Between two writes of a client. */
  readonly pauseMs: number;
}

const DATABASE = "ageing";
const DOOR_COUNT = 4;
const AGE_SECONDS = 20;
const MARK_TTL_SECONDS = 1;
const HOUR_MS = 3_600_000;
const KILL_MS_MAX = 1500;
const KEY_COUNT = 50;
/** Every so many writes of a client one is a deletion. */
const DELETION_EVERY = 5;
const FILLER = "x".repeat(200);

export class Campaign {
  readonly #site: Site;
  readonly #random: Random;
  readonly #size: CampaignSize;
  readonly #say: (line: string) => void;
  readonly #items = new AgedItems();
  readonly #doors: readonly RawDoor[];
  readonly problems: string[] = [];
  #beganAt = 0;
  #isOver = false;
  /** How many clients are to stand still, and how many do. */
  #isHeld = false;
  #restingCount = 0;
  readonly done = { edits: 0, deletions: 0, lost: 0, checks: 0 };

  constructor(site: Site, random: Random, size: CampaignSize, say: (line: string) => void) {
    this.#site = site;
    this.#random = random;
    this.#size = size;
    this.#say = say;
    this.#doors = Array.from(
      { length: DOOR_COUNT },
      () => new RawDoor(site, `dbs/${DATABASE}/colls/hot`),
    );
  }

  async run(): Promise<void> {
    await this.#load();
    const writing = this.#doors.map((door, index) => this.#write(door, index));
    try {
      await Promise.race([this.#kills(), Promise.all(writing)]);
    } finally {
      this.#isOver = true;
      this.#isHeld = false;
      await Promise.allSettled(writing);
      for (const door of this.#doors) door.close();
    }
    await this.#end();
  }

  async #load(): Promise<void> {
    const { endpoint, key } = this.#site;
    const client = new CosmosClient({ endpoint, key });
    await client.databases.create({ id: DATABASE });
    client.dispose();
    await this.#ask("lifecycles", {
      hot: { database: DATABASE, container: "hot" },
      warm: { database: DATABASE, container: "warm" },
      ageProperty: "/date",
      ageSeconds: AGE_SECONDS,
      intervalSeconds: 1,
      markTtlSeconds: MARK_TTL_SECONDS,
      sharePercent: 100,
      // Shorter than the campaign: nothing may expire by it.
      create: { partitionKey: ["/pk"], hotTtlSeconds: AGE_SECONDS },
    });
    this.#beganAt = Date.now();
    const ids = Array.from({ length: this.#size.itemCount }, (_, at) => `i${at}`);
    await Promise.all(
      this.#doors.map(async (door, index) => {
        for (let at = index; at < ids.length; at += DOOR_COUNT) {
          const version = this.#items.nextVersion(this.#date());
          this.#items.loaded(ids[at]!, version);
          await this.#put(door, ids[at]!, version);
        }
      }),
    );
    this.#say(`${ids.length} items were written`);
  }

  /** A third is due from the start, a third becomes due meanwhile, a third stays young. */
  #date(): number {
    const { spanSeconds } = this.#size;
    const kind = pick(this.#random, 3);
    if (kind === 0) return this.#beganAt - HOUR_MS - pick(this.#random, HOUR_MS);
    if (kind === 2) return this.#beganAt + HOUR_MS + pick(this.#random, HOUR_MS);
    return this.#beganAt - AGE_SECONDS * 1000 + pick(this.#random, spanSeconds * 1000);
  }

  async #write(door: RawDoor, index: number): Promise<void> {
    const own = this.#items.ids.filter((_, at) => at % DOOR_COUNT === index);
    for (let count = index; !this.#isOver; count++) {
      if (this.#isHeld) {
        this.#restingCount++;
        while (this.#isHeld) await delay(5);
        this.#restingCount--;
      }
      await delay(this.#size.pauseMs);
      const id = own[pick(this.#random, own.length)]!;
      // By turns, so that there are some on a slow machine too.
      if (count % DELETION_EVERY === 0) await this.#delete(door, id);
      else await this.#edit(door, id);
    }
  }

  async #edit(door: RawDoor, id: string): Promise<void> {
    const version = this.#items.nextVersion(this.#date());
    const status = await this.#put(door, id, version);
    this.#items.put(id, version, status);
    this.done.edits++;
  }

  async #delete(door: RawDoor, id: string): Promise<void> {
    const asked = await this.#site.ask(() => door.call({ kind: "delete", id, key: keyOf(id) }));
    const status = asked.kind === "answered" ? asked.value.status : undefined;
    if (status !== undefined && status !== 204 && status !== 404) {
      throw new Error(`a deletion was answered with ${status}`);
    }
    if (status === undefined) this.done.lost++;
    if (status === 204) this.done.deletions++;
    this.#items.deleted(id, status);
  }

  async #put(door: RawDoor, id: string, version: Version): Promise<number | undefined> {
    const date = new Date(version.date).toISOString();
    const item = { id, pk: keyOf(id), date, version: version.version, filler: FILLER };
    const asked = await this.#site.ask(() => door.call({ kind: "upsert", item }));
    if (asked.kind !== "answered") {
      this.done.lost++;
      return undefined;
    }
    const { status, text } = asked.value;
    if (status !== 200 && status !== 201)
      throw new Error(`a write was answered: ${status} ${text}`);
    return status;
  }

  async #kills(): Promise<void> {
    for (let count = 0; count < this.#size.killCount; count++) {
      await delay(pick(this.#random, KILL_MS_MAX));
      // Half of the checks see what a kill left behind before anybody could mend it.
      await this.#site.kill();
      await this.#holding(() => this.#check(`after kill ${count + 1}`));
    }
    const left = this.#beganAt + this.#size.spanSeconds * 1000 - Date.now();
    await delay(Math.max(0, left));
    // On a slow machine clients may not have come to each kind of write by now.
    while (this.done.edits === 0 || this.done.deletions === 0) await delay(20);
  }

  async #holding(action: () => Promise<void>): Promise<void> {
    this.#isHeld = true;
    while (this.#restingCount < DOOR_COUNT) await delay(5);
    await action();
    this.#isHeld = false;
    while (this.#restingCount > 0) await delay(5);
  }

  async #check(when: string): Promise<void> {
    // In this order: an item is in warm before it leaves hot.
    const hot = await this.#read("hot");
    const warm = await this.#read("warm");
    const problems = this.#items.lostAmong(hot, warm);
    this.problems.push(...problems.map((problem) => `${when}: ${problem}`));
    this.done.checks++;
    if (this.done.checks % 10 !== 1 && problems.length === 0) return;
    this.#say(`${when}: ${hot.size} in hot, ${warm.size} in warm, ${problems.length} problems`);
  }

  /** Waits until everything that is old has been moved and has left hot. */
  async #end(): Promise<void> {
    const due = this.#beganAt + this.#size.spanSeconds * 1000 - AGE_SECONDS * 1000;
    for (;;) {
      const { lifecycles } = await this.#ask<{ lifecycles: readonly LifecycleEntry[] }>(
        "lifecycles",
      );
      const [entry] = lifecycles;
      const settled = entry?.settledBefore ?? 0;
      const hot = await this.#read("hot");
      const isEmptied = ![...hot.values()].some(({ isMarked }) => isMarked);
      if (settled > due && entry!.lagCount === 0 && isEmptied) break;
      await delay(200);
    }
    const [hot, warm] = [await this.#read("hot"), await this.#read("warm")];
    const problems = this.#items.misplacedAmong(hot, warm, due);
    this.problems.push(...problems.map((problem) => `in the end: ${problem}`));
    this.#say(
      `in the end: ${hot.size} in hot, ${warm.size} in warm, ${problems.length} problems; ` +
        JSON.stringify(this.done),
    );
  }

  async #read(name: string): Promise<ReadonlyMap<string, Seen>> {
    const { endpoint, key } = this.#site;
    const client = new CosmosClient({ endpoint, key });
    const found = new Map<string, Seen>();
    const pages = client
      .database(DATABASE)
      .container(name)
      .items.readAll<ItemDefinition>({ maxItemCount: 1000 });
    while (pages.hasMoreResults()) {
      const { resources = [] } = await pages.fetchNext();
      for (const { id, version, ttl, migrated } of resources) {
        const before = found.get(id!)?.version;
        // Whoever pages through warm may see an old item, and later what took its place.
        const isTwice = before !== undefined && (this.#isOver || before >= version);
        if (isTwice) this.problems.push(`${name} has ${id} twice, ${before} and ${version}`);
        found.set(id!, { version, isMarked: ttl !== undefined || migrated !== undefined });
      }
    }
    client.dispose();
    return found;
  }

  async #ask<T>(path: string, body?: object): Promise<T> {
    const headers = { "content-type": "application/json" };
    const post = { method: "POST", headers, body: JSON.stringify(body) };
    const answer = await fetch(`${this.#site.endpoint}/_orrery/v1/${path}`, body && post);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${text}`);
    return JSON.parse(text) as T;
  }
}

function keyOf(id: string): string {
  return `k${Number(id.slice(1)) % KEY_COUNT}`;
}
