/**
 * A container that is copied to another key, takes the place of its source and gives it back, while
 * clients write to it and the server is killed in every phase; and the verdict: what the clients
 * were told is what is there, in the container and in its copy.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { ItemDefinition } from "@azure/cosmos";
import { CosmosClient } from "@azure/cosmos";
import type { Random } from "../../src/base/world.ts";
import type { CopyJobEntry } from "../../src/model/copyJob.ts";
import type { Site } from "../crash/site.ts";
import { pick } from "../crash/workload.ts";
import { CopiedItems } from "./copiedItems.ts";
import { CopyDesk } from "./copyDesk.ts";
import type { Door } from "./doors.ts";
import { ClientDoor, RawDoor } from "./doors.ts";
import { ItemWriter } from "./itemWriter.ts";
import { loadItems } from "./loading.ts";

export interface CampaignSize {
  readonly itemCount: number;
  /** The new key. */
  readonly key: string;
  /** Kills in each phase. */
  readonly kills: Readonly<Record<KillPhase, number>>;
  /** Splits, and half as many merges, of the source while it is copied. */
  readonly splits: number;
  readonly pauseMs: number;
  readonly ttlMax: number;
  /** Writes between the cut-over and the way back. */
  readonly laterWrites: number;
  /** Further copies, each switched to and back without a kill, for what a switch costs writers. */
  readonly measuredRounds: number;
}

interface Measured {
  readonly longestMs: number;
  readonly text: string;
}

type KillPhase = "preparing" | "copying" | "ready" | "cutOver" | "switched" | "revert";

const DATABASE = "copies";
const NAME = "a";
const COPY = "b";
const FORMER = "a-former";
const WRITER_COUNT = 4;
const KILL_MS_MAX = 60;
const TRIES_MAX = 50;
const PROBLEMS_MAX = 1000;
const PROBLEMS_SHOWN = 20;

export class Campaign {
  readonly #site: Site;
  readonly #random: Random;
  readonly #size: CampaignSize;
  readonly #say: (line: string) => void;
  readonly #items: CopiedItems;
  readonly #desk: CopyDesk;
  readonly #doors: readonly Door[];
  readonly #writers: readonly ItemWriter[];
  readonly problems: string[] = [];
  readonly kills: Record<KillPhase, number> = {
    preparing: 0,
    copying: 0,
    ready: 0,
    cutOver: 0,
    switched: 0,
    revert: 0,
  };
  #isOver = false;

  constructor(site: Site, random: Random, size: CampaignSize, say: (line: string) => void) {
    this.#site = site;
    this.#random = random;
    this.#size = size;
    this.#say = say;
    this.#items = new CopiedItems(size.itemCount, () => Date.now());
    this.#desk = new CopyDesk(site, random);
    const link = `dbs/${DATABASE}/colls/${NAME}`;
    this.#doors = Array.from({ length: WRITER_COUNT }, (_, index) =>
      index === 0 ? new ClientDoor(site, [DATABASE, NAME]) : new RawDoor(site, link),
    );
    this.#writers = this.#doors.map((door, index) => this.#writer(door, index));
  }

  get writers(): readonly ItemWriter[] {
    return this.#writers;
  }

  /** `folder` is for the file that is loaded. */
  async run(folder: string): Promise<void> {
    await this.#load(folder);
    const writing = this.#writers.map((writer) => writer.run(() => this.#isOver));
    const everybody = Promise.all(writing);
    try {
      await Promise.race([this.#live(), everybody]);
    } finally {
      this.#isOver = true;
      await Promise.allSettled(writing);
      for (const door of this.#doors) door.close();
    }
  }

  async #live(): Promise<void> {
    await this.#copy();
    await this.#cutOver();
    await this.#follow();
    await this.#revert();
    await this.#measure();
  }

  async #load(folder: string): Promise<void> {
    const startedAt = performance.now();
    const loading = { database: DATABASE, container: NAME, folder };
    await loadItems(this.#site, this.#items, loading);
    this.#say(`${this.#items.itemCount} items were loaded in ${secondsSince(startedAt)} s`);
  }

  async #start(token: string): Promise<void> {
    await this.#desk.start({
      source: { database: DATABASE, container: NAME },
      target: { database: DATABASE, container: COPY },
      key: [this.#size.key],
      mode: "online",
      switchBy: "names",
      sharePercent: 100,
      token,
    });
  }

  /** From the question to the copy that is ready, with kills and reshaping on the way. */
  async #copy(): Promise<void> {
    const { kills, splits } = this.#size;
    const startedAt = performance.now();
    await this.#start("campaign");
    for (let count = 0; count < kills.preparing; count++) {
      await delay(pick(this.#random, KILL_MS_MAX * 3));
      await this.#kill("preparing");
    }
    const reshaping = this.#reshape(splits);
    for (let count = 1; count <= kills.copying; count++) {
      const due = count / (kills.copying + 1);
      await this.#desk.until((job) => shareOf(job) >= due);
      await this.#kill("copying");
    }
    for (let count = 0; count < kills.ready; count++) {
      await this.#desk.until(isReady);
      await delay(pick(this.#random, KILL_MS_MAX));
      await this.#kill("ready");
    }
    await reshaping;
    const { progress } = await this.#desk.until(isReady);
    const { split, merge } = this.#desk.reshaped;
    this.#say(
      `copied in ${secondsSince(startedAt)} s: ${progress.copiedCount} items, ` +
        `${progress.changeCount} changes, ${progress.removedCount} removals; ` +
        `${split} splits, ${merge} merges; ${this.#told()}`,
    );
  }

  async #cutOver(): Promise<void> {
    for (let count = 0; count < this.#size.kills.cutOver; count++) {
      await this.#desk.until((job) => isReady(job) || job.state === "switched");
      await this.#verified();
      await Promise.all([this.#desk.step("cutOver"), this.#killSoon("cutOver")]);
    }
    const measured = await this.#switch("cutOver", "switched");
    this.#say(`cut over: ${measured.text}; ${this.#told()}`);
  }

  /** After the switch both containers have what was told, and are the same. */
  async #follow(): Promise<void> {
    const { kills, laterWrites } = this.#size;
    await this.#compare("after the cut-over");
    const before = this.#writeCount;
    const due = (share: number): number => before + share * laterWrites;
    for (let count = 1; count <= kills.switched; count++) {
      await this.#written(due(count / (kills.switched + 1)));
      await this.#desk.reshape(`${DATABASE}/${NAME}`, "split");
      await this.#kill("switched");
    }
    await this.#written(due(1));
    await this.#compare(`after ${this.#writeCount - before} more writes`);
  }

  async #revert(): Promise<void> {
    for (let count = 0; count < this.#size.kills.revert; count++) {
      await Promise.all([this.#desk.step("revert"), this.#killSoon("revert")]);
    }
    const measured = await this.#switch("revert", "reverted");
    await this.#pausing(() => this.#judge(NAME, "after the way back"));
    await this.#written(this.#writeCount + WRITER_COUNT);
    this.#say(`reverted: ${measured.text}; ${this.#told()}`);
  }

  /** What a switch costs writers when nobody kills the server: every one of them is measured. */
  async #measure(): Promise<void> {
    const { measuredRounds, laterWrites } = this.#size;
    const longest = { cutOver: 0, revert: 0 };
    for (let round = 1; round <= measuredRounds; round++) {
      await this.#dropCopy();
      await this.#start(`campaign ${round}`);
      await this.#desk.until(isReady);
      const forth = await this.#switch("cutOver", "switched");
      await this.#written(this.#writeCount + laterWrites / measuredRounds);
      const back = await this.#switch("revert", "reverted");
      this.#say(`round ${round}: cut over: ${forth.text}; reverted: ${back.text}`);
      longest.cutOver = Math.max(longest.cutOver, forth.longestMs);
      longest.revert = Math.max(longest.revert, back.longestMs);
    }
    await this.#pausing(() => this.#judge(NAME, `after ${measuredRounds} more switches and back`));
    this.#say(
      `the longest write of a client at ${measuredRounds} cut-overs without kills took ` +
        `${longest.cutOver.toFixed(1)} ms, at as many ways back ${longest.revert.toFixed(1)} ms`,
    );
  }

  async #dropCopy(): Promise<void> {
    const { endpoint, key } = this.#site;
    const client = new CosmosClient({ endpoint, key });
    await client.database(DATABASE).container(COPY).delete();
    client.dispose();
  }

  /** Resolves with how long a write took at most around the switch, as its client saw it. */
  async #switch(step: "cutOver" | "revert", state: CopyJobEntry["state"]): Promise<Measured> {
    for (let tries = 1; tries <= TRIES_MAX; tries++) {
      const from = step === "cutOver" ? "ready" : "switched";
      const job = await this.#desk.until((one) => one.state === from || one.state === state);
      if (job.state === state) return { longestMs: 0, text: "not measured: a kill hit the switch" };
      if (step === "cutOver") await this.#verified();
      for (const writer of this.#writers) writer.longestMs = 0;
      if (!(await this.#desk.step(step))) continue;
      // Whoever waited has been answered when everybody has written once more.
      await this.#everybodyWrites();
      const longestMs = Math.max(...this.#writers.map((writer) => writer.longestMs));
      const { cutOver, events } = await this.#desk.job();
      const back = events.findLast(({ text }) => text.startsWith("Switched back"))?.text;
      const held =
        step === "revert"
          ? back!.replace(/^Switched back; writes were |\.$/g, "")
          : `held for ${cutOver!.heldMs.toFixed(1)} ms, and ${cutOver!.waitedCount} waited`;
      const attempt = tries > 1 ? `, at attempt ${tries}` : "";
      const text = `${held}, longest write of a client ${longestMs.toFixed(1)} ms${attempt}`;
      return { longestMs, text };
    }
    throw new Error(`${step} was refused ${TRIES_MAX} times`);
  }

  /** Asks for a comparison until there is one that is good enough for the switch. */
  async #verified(): Promise<void> {
    for (;;) {
      const { state, verification } = await this.#desk.job();
      if (state === "switched" || verification.state === "fresh") return;
      if (verification.state === "differs") {
        this.#complain(`the verification found ${JSON.stringify(verification)}`);
        return;
      }
      if (verification.state !== "running") await this.#desk.step("verify");
      await delay(10);
    }
  }

  async #everybodyWrites(): Promise<void> {
    const before = this.#writers.map(({ writeCount }) => writeCount);
    while (this.#writers.some((writer, index) => writer.writeCount === before[index])) {
      await delay(5);
    }
  }

  async #reshape(splits: number): Promise<void> {
    for (let count = 0; count < splits; count++) {
      await this.#desk.reshape(`${DATABASE}/${NAME}`, "split");
      if (count % 2 === 1) await this.#desk.reshape(`${DATABASE}/${NAME}`, "merge");
    }
  }

  async #kill(phase: KillPhase): Promise<void> {
    await this.#site.kill();
    this.kills[phase]++;
  }

  async #killSoon(phase: KillPhase): Promise<void> {
    await delay(pick(this.#random, KILL_MS_MAX));
    await this.#kill(phase);
  }

  async #compare(when: string): Promise<void> {
    await this.#pausing(async () => {
      await this.#desk.until(({ wayBack }) => wayBack?.lag.changeCount === 0);
      const [one, other] = [await this.#judge(NAME, when), await this.#judge(FORMER, when)];
      let [count, differing] = [0, 0];
      for (const [number, version] of one) {
        // What is about to expire may have gone between the two.
        if (this.#items.presence(this.#items.told(number)) !== "there") continue;
        count++;
        if (other.get(number) === version) continue;
        differing++;
        this.#complain(`i${number} is ${version}, and ${other.get(number)} in the old container`);
      }
      this.#say(`${when}: ${count} items compared with the old container, ${differing} differ`);
    });
  }

  async #pausing(action: () => Promise<unknown>): Promise<void> {
    for (const writer of this.#writers) await writer.hold();
    await action();
    for (const writer of this.#writers) writer.goOn();
  }

  /** Reads everything with a client that knows nothing; resolves with etag and time of each. */
  async #judge(name: string, when: string): Promise<ReadonlyMap<number, string>> {
    const { endpoint, key } = this.#site;
    const client = new CosmosClient({ endpoint, key });
    const { items } = client.database(DATABASE).container(name);
    const found = new Map<number, string>();
    const judging = this.#items.judging();
    const pages = items.readAll<ItemDefinition>({ maxItemCount: 1000 });
    while (pages.hasMoreResults()) {
      const { resources = [] } = await pages.fetchNext();
      for (const item of resources) {
        judging.note(item);
        found.set(Number(item.id?.slice(1)), `${String(item["_etag"])} ${String(item["_ts"])}`);
      }
    }
    client.dispose();
    const problems = judging.end();
    for (const problem of problems) this.#complain(`${when}, ${name}: ${problem}`);
    this.#say(`${when}: ${name} has ${found.size} items, ${problems.length} problems`);
    return found;
  }

  async #written(count: number): Promise<void> {
    while (this.#writeCount < count) await delay(10);
  }

  get #writeCount(): number {
    return this.#writers.reduce((sum, { writeCount }) => sum + writeCount, 0);
  }

  #told(): string {
    const sum = (name: "movedCount" | "deletedCount" | "expiringCount" | "lostCount"): number =>
      this.#writers.reduce((total, writer) => total + writer[name], 0);
    return (
      `${this.#writeCount} writes so far (${sum("movedCount")} with another key, ` +
      `${sum("deletedCount")} deletions, ${sum("expiringCount")} that expire, ` +
      `${sum("lostCount")} without an answer), ${this.#site.killCount} kills`
    );
  }

  #complain(problem: string): void {
    if (this.problems.length < PROBLEMS_SHOWN) this.#say(`wrong: ${problem}`);
    if (this.problems.length < PROBLEMS_MAX) this.problems.push(problem);
  }

  #writer(door: Door, index: number): ItemWriter {
    const { pauseMs, ttlMax } = this.#size;
    return new ItemWriter({
      site: this.#site,
      items: this.#items,
      random: this.#random,
      door,
      index,
      count: WRITER_COUNT,
      pauseMs,
      ttlMax,
      find: (id) => this.#find(id),
      complain: (problem) => this.#complain(problem),
    });
  }

  /** With a client that does not know the container yet. */
  async #find(id: string): Promise<readonly ItemDefinition[]> {
    const { endpoint, key } = this.#site;
    const client = new CosmosClient({ endpoint, key });
    const { items } = client.database(DATABASE).container(NAME);
    const query = {
      query: "SELECT * FROM c WHERE c.id = @id",
      parameters: [{ name: "@id", value: id }],
    };
    try {
      return (await items.query<ItemDefinition>(query).fetchAll()).resources;
    } finally {
      client.dispose();
    }
  }
}

function isReady({ state }: CopyJobEntry): boolean {
  return state === "ready";
}

/** How much of what was there at the beginning is copied, of 1. */
function shareOf({ state, progress }: CopyJobEntry): number {
  if (state === "preparing") return 0;
  if (state === "catchingUp" || state === "ready") return 1;
  return progress.itemCount === 0 ? 0 : progress.copiedCount / progress.itemCount;
}

function secondsSince(startedAt: number): string {
  return ((performance.now() - startedAt) / 1000).toFixed(1);
}
