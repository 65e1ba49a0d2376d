/**
 * `split`: a container grows until its physical partitions are too large and are split, again and
 * again, while clients write, read and query. Children get half of the bytes each; the same rate is
 * divided by more partitions; the clients notice nothing, and every write that was acknowledged is
 * there at the end, once.
 *
 * 50 GB take long to fill, so the sizes of partitions are a twenty-thousandth of what they are in
 * the service.
 */

import type { Container } from "@azure/cosmos";
import { shortBytesText } from "../../base/wording.ts";
import type { ContainerReport, PartitionReport } from "../../statistics/report.ts";
import { partitionTable } from "../partitions/partitions.ts";
import type { Section } from "../terminal/liveTable.ts";
import { numberText } from "../terminal/liveTable.ts";
import type { Demo, DemoResult } from "./demo.ts";
import type { Sender } from "./pacedLoad.ts";
import { pacedLoad } from "./pacedLoad.ts";
import type { DemoAnswer, Stage } from "./stage.ts";
import { DATABASE } from "./stage.ts";

const SCALE = 20_000;
const RATE = 10_000;
const CUSTOMER_COUNT = 200;
const NOTE_BYTES = 4_000;
/** In all, if the time is long enough for it at the highest pace. */
const ORDER_COUNT = 3_200;
const WRITES_PER_SECOND_MAX = 300;
const READS_PER_SECOND = 20;
const QUERIES_PER_SECOND = 5;
/** Whatever the time: one, and each of its children. */
const SPLIT_COUNT_MIN = 3;
const LOOK_MS = 100;

export const SPLIT_BY_SIZE: Demo = {
  name: "split",
  about: "physical partitions split as they grow, and clients notice nothing",
  seconds: 22,
  options: { scaleLimits: 1 / SCALE },
  run,
};

async function run(stage: Stage): Promise<DemoResult> {
  const { story } = stage;
  const { database } = await stage.client().databases.createIfNotExists({ id: DATABASE });
  const { container } = await database.containers.create({
    id: "orders",
    partitionKey: { paths: ["/customer"], version: 2 },
    throughput: RATE,
  });
  const { limits } = await stage.report(container);
  const writesPerSecond = Math.min(WRITES_PER_SECOND_MAX, ORDER_COUNT / stage.seconds);
  story.say(
    `A physical partition may hold ${shortBytesText(limits.physicalPartitionBytesMax)} here: the ` +
      `service's 50 GB at a scale of 1/${numberText(SCALE)}. About ` +
      `${numberText(writesPerSecond)} orders a second come in for ${CUSTOMER_COUNT} customers; ` +
      `meanwhile ${READS_PER_SECOND} orders a second are read and ${QUERIES_PER_SECOND} queries ` +
      "asked, and every answer is compared with what was written.",
  );
  const clients = new Clients(stage, container);
  const watch = new Watch(stage, container);
  const load = pacedLoad(stage, clients.senders(writesPerSecond), {
    seconds: stage.seconds * 0.9,
    overtime: { seconds: 90, isEnough: () => watch.splits.length >= SPLIT_COUNT_MIN },
  });
  await stage.drawing(async () => watch.sections(), watch.during(load));
  await watch.untilCalm();

  const report = await stage.report(container);
  story.show([partitionTable(report)]);
  saySplits(stage, watch, report);
  const kept = await clients.kept();
  sayClients(stage, clients, kept);

  const { writeCount, readCount, queryCount, errors, surprises } = clients;
  return {
    facts: {
      scale: `1/${SCALE}`,
      physicalPartitionBytesMax: limits.physicalPartitionBytesMax,
      splits: watch.splits,
      partitionCount: report.partitions.length,
      clients: { writeCount, readCount, queryCount, errors, surprises },
      slowestWriteMs: clients.slowestWriteMs,
      kept,
    },
    reports: [report],
  };
}

/** What is there at the end, against what was acknowledged. */
interface Kept {
  readonly acknowledgedCount: number;
  readonly foundCount: number;
  readonly missingCount: number;
  readonly doubledCount: number;
}

/** Writers, readers and askers, and what they were told. */
class Clients {
  writeCount = 0;
  readCount = 0;
  queryCount = 0;
  slowestWriteMs = 0;
  /** Refusals that reached the application. */
  readonly errors: string[] = [];
  /** Answers that contradict what was acknowledged before. */
  readonly surprises: string[] = [];
  readonly #stage: Stage;
  readonly #container: Container;
  readonly #acknowledged: string[] = [];
  readonly #countOf = new Map<string, number>();
  readonly #sentOf = new Map<string, number>();

  constructor(stage: Stage, container: Container) {
    this.#stage = stage;
    this.#container = container;
  }

  senders(writesPerSecond: number): readonly Sender[] {
    const { random } = this.#stage;
    return [
      { name: "writer", perSecond: writesPerSecond, send: (count) => this.#write(count) },
      { name: "reader", perSecond: READS_PER_SECOND, send: () => this.#read(random.next()) },
      { name: "asker", perSecond: QUERIES_PER_SECOND, send: () => this.#ask(random.next()) },
    ];
  }

  /** Everything there is, read once more. */
  async kept(): Promise<Kept> {
    const { resources } = await this.#container.items
      .query<string>("SELECT VALUE c.id FROM c")
      .fetchAll();
    const found = new Set(resources);
    return {
      acknowledgedCount: this.#acknowledged.length,
      foundCount: resources.length,
      missingCount: this.#acknowledged.filter((id) => !found.has(id)).length,
      doubledCount: resources.length - found.size,
    };
  }

  #write(count: number): Promise<DemoAnswer> {
    const customer = customerOf(count);
    return this.#tried(async () => {
      const startedAt = this.#stage.elapsedSeconds;
      raise(this.#sentOf, customer);
      const id = `order-${count}`;
      const order = { id, customer, number: count, note: "n".repeat(NOTE_BYTES) };
      const answer = await this.#container.items.create(order);
      raise(this.#countOf, customer);
      this.#acknowledged.push(id);
      this.writeCount++;
      const tookMs = (this.#stage.elapsedSeconds - startedAt) * 1000;
      this.slowestWriteMs = Math.max(this.slowestWriteMs, tookMs);
      return answer;
    });
  }

  #read(chance: number): Promise<DemoAnswer> {
    const id = this.#acknowledged[Math.floor(chance * this.#acknowledged.length)];
    if (id === undefined) return Promise.resolve(NOTHING);
    const number = Number(id.slice("order-".length));
    return this.#tried(async () => {
      const answer = await this.#container.item(id, customerOf(number)).read();
      this.readCount++;
      if (answer.resource?.["number"] !== number) this.surprises.push(`${id} was not there`);
      return answer;
    });
  }

  /** One customer, or everything: no fewer than were acknowledged, no more than were sent. */
  #ask(chance: number): Promise<DemoAnswer> {
    const customer = chance < 0.5 ? undefined : customerOf(Math.floor(chance * 1e6));
    const countIn = (counts: ReadonlyMap<string, number>): number =>
      customer === undefined
        ? [...counts.values()].reduce((sum, count) => sum + count, 0)
        : (counts.get(customer) ?? 0);
    return this.#tried(async () => {
      const atLeast = countIn(this.#countOf);
      const query = `SELECT VALUE COUNT(1) FROM c${customer ? " WHERE c.customer = @c" : ""}`;
      const parameters = customer === undefined ? [] : [{ name: "@c", value: customer }];
      const asked = this.#container.items.query<number>({ query, parameters });
      const found = await asked.fetchAll();
      this.queryCount++;
      const count = found.resources[0]!;
      if (count < atLeast || count > countIn(this.#sentOf)) {
        this.surprises.push(`${count} orders of ${customer ?? "all"}, at least ${atLeast} written`);
      }
      return { headers: {} };
    });
  }

  async #tried(act: () => Promise<DemoAnswer>): Promise<DemoAnswer> {
    try {
      return await act();
    } catch (error) {
      const { code, substatus } = this.#stage.refusalOf(error);
      this.errors.push(`${code}/${substatus}`);
      return NOTHING;
    }
  }
}

const NOTHING: DemoAnswer = { headers: {} };

function customerOf(number: number): string {
  return `customer-${number % CUSTOMER_COUNT}`;
}

function raise(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

interface SplitSeen {
  readonly afterSeconds: number;
  readonly parent: Share;
  readonly children: readonly Share[];
}

interface Share {
  readonly id: string;
  readonly itemBytes: number;
  readonly allottedRate: number;
}

/** Looks at the partitions again and again, and tells of each that has become two. */
class Watch {
  readonly splits: SplitSeen[] = [];
  readonly #stage: Stage;
  readonly #container: Container;
  #report: ContainerReport | undefined;

  constructor(stage: Stage, container: Container) {
    this.#stage = stage;
    this.#container = container;
  }

  sections(): readonly Section[] {
    return this.#report === undefined ? [] : [partitionTable(this.#report)];
  }

  async during(load: Promise<unknown>): Promise<void> {
    let isOver = false;
    const ended = load.finally(() => {
      isOver = true;
    });
    ended.catch(() => undefined);
    while (!isOver) {
      await this.#look();
      await this.#stage.pause(LOOK_MS);
    }
    await ended;
  }

  /** A split that is under way at the end is waited for. */
  async untilCalm(): Promise<void> {
    await this.#stage.until(async () => {
      await this.#look();
      return this.#report!.jobs.length === 0 ? true : undefined;
    });
  }

  async #look(): Promise<void> {
    const before = this.#report?.partitions ?? [];
    this.#report = await this.#stage.report(this.#container);
    const { partitions } = this.#report;
    const isNew = ({ id }: PartitionReport): boolean => before.every((old) => old.id !== id);
    for (const parent of before) {
      const children = partitions.filter((child) => isNew(child) && isWithin(child, parent));
      if (children.length > 0) this.#tell(parent, children);
    }
  }

  #tell(parent: PartitionReport, children: readonly PartitionReport[]): void {
    const { story, elapsedSeconds } = this.#stage;
    this.splits.push({
      afterSeconds: elapsedSeconds,
      parent: shareOf(parent),
      children: children.map(shareOf),
    });
    const sizes = children.map(({ id, itemBytes }) => `${id} (${shortBytesText(itemBytes)})`);
    const { allottedRate } = children[0]!;
    story.wipe();
    story.say(
      `After ${elapsedSeconds.toFixed(1)} s partition ${parent.id} ` +
        `(${shortBytesText(parent.itemBytes)}, ${numberText(parent.allottedRate)} RU/s) became ` +
        `${sizes.join(" and ")}; there are ${this.#report!.partitions.length} now, with ` +
        `${numberText(allottedRate)} RU/s each.`,
    );
  }
}

function shareOf({ id, itemBytes, allottedRate }: PartitionReport): Share {
  return { id, itemBytes, allottedRate };
}

function isWithin(child: PartitionReport, parent: PartitionReport): boolean {
  return parent.min <= child.min && child.max <= parent.max;
}

function saySplits(stage: Stage, { splits }: Watch, report: ContainerReport): void {
  const { partitions, throughput, figures } = report;
  const rates = partitions.map(({ allottedRate }) => allottedRate);
  stage.story.say(
    `${numberText(splits.length)} splits: ${shortBytesText(figures.itemBytes)} now lie on ` +
      `${partitions.length} physical partitions, the largest with ` +
      `${shortBytesText(figures.largestPhysicalBytes)}. Nobody paid for more: the ` +
      `${numberText(throughput.ratePerSecond)} RU/s of the container are divided by ` +
      `${partitions.length}, and what was ${numberText(RATE)} RU/s for any one key is ` +
      `${numberText(Math.min(...rates))} now. Growth alone makes a hot key slower.`,
  );
}

function sayClients(stage: Stage, clients: Clients, kept: Kept): void {
  const { writeCount, readCount, queryCount, errors, surprises, slowestWriteMs } = clients;
  stage.story.say(
    `The clients made ${numberText(writeCount)} writes, ${numberText(readCount)} reads and ` +
      `${numberText(queryCount)} queries; ${errors.length} of them failed, and ` +
      `${surprises.length} answers contradicted an earlier one. The slowest write took ` +
      `${numberText(slowestWriteMs)} ms. At the end ${numberText(kept.foundCount)} orders are ` +
      `there, ${numberText(kept.acknowledgedCount)} were acknowledged: ` +
      `${numberText(kept.missingCount)} are missing, ${numberText(kept.doubledCount)} are there ` +
      "twice.",
  );
}
