/**
 * `full-partition`: a tenant grows until its logical partition is full. From then on what would
 * grow it is refused, whatever else there is room for; deletes and smaller versions are taken;
 * neither a split nor a higher rate helps; a new key does.
 *
 * 20 GB take long to fill, so the sizes of partitions are a ten-thousandth of what they are in the
 * service.
 */

import type { Container, ItemDefinition } from "@azure/cosmos";
import { shortBytesText } from "../../base/wording.ts";
import type { LocateReport } from "../../protocol/admin.ts";
import type { ContainerReport } from "../../statistics/report.ts";
import { partitionTable } from "../partitions/partitions.ts";
import { CommandFailure } from "../terminal/failure.ts";
import type { LiveRow, Section } from "../terminal/liveTable.ts";
import { barOf, numberText, percentText } from "../terminal/liveTable.ts";
import type { Demo, DemoResult } from "./demo.ts";
import type { Sender } from "./pacedLoad.ts";
import { pacedLoad } from "./pacedLoad.ts";
import type { DemoAnswer, Stage } from "./stage.ts";
import { DATABASE } from "./stage.ts";

const SCALE = 10_000;
const RATE = 10_000;
const NOTE_BYTES = 4_000;
/** Of an item with its note and what the service adds; only the pace depends on it. */
const ITEM_BYTES = 4_300;
const BIG = "contoso";
const SMALL: readonly string[] = ["fabrikam", "tailspin", "wingtip"];
const SMALL_PER_SECOND = 2;
const DELETE_COUNT = 10;

export const FULL_PARTITION: Demo = {
  name: "full-partition",
  about: "a tenant fills its logical partition and is refused with 403",
  seconds: 20,
  options: { scaleLimits: 1 / SCALE },
  run,
};

async function run(stage: Stage): Promise<DemoResult> {
  const { story } = stage;
  const { database } = await stage.client().databases.createIfNotExists({ id: DATABASE });
  const { container } = await database.containers.create({
    id: "orders",
    partitionKey: { paths: ["/key"], version: 2 },
    throughput: RATE,
  });
  const { limits } = await stage.report(container);
  const bytesMax = limits.logicalPartitionBytesMax;
  story.say(
    `A logical partition may hold ${shortBytesText(bytesMax)} here: the service's 20 GB at a ` +
      `scale of 1/${numberText(SCALE)}. ${BIG} writes orders of about ` +
      `${shortBytesText(ITEM_BYTES)} until it is full, three small tenants beside it write a few.`,
  );
  const orders = new Orders(stage, container);

  story.title("A tenant grows");
  const wall = await stage.drawing(sectionsOf(stage, container), grow(stage, orders, bytesMax));
  await showKeys(stage, container);
  const place = await stage.locate(container, BIG);
  sayWall(stage, wall, place, await orders.attempt("fabrikam"));

  story.title("What still works, and what does not");
  const attempts = await tryAll(stage, orders);
  const children = await stage.split(container, place.partitionId, "median");
  const afterSplit = await orders.attempt(BIG);
  const home = (await stage.locate(container, BIG)).partitionId;
  sayAttempts(stage, attempts);
  story.say(
    `A split does not help: partition ${place.partitionId} was split into ` +
      `${children.join(" and ")}, all of ${BIG} went to ${home}, and its next order got ` +
      `${textOf(afterSplit)}. Nor does a higher rate: this is about bytes.`,
  );

  story.title("A new suffix");
  const next = `${BIG}-2`;
  const seconds = stage.seconds * 0.35;
  const written = orders.keep(next, growthRate(stage, bytesMax), seconds);
  await stage.drawing(sectionsOf(stage, container), written);
  await showKeys(stage, container);
  const suffix = await saySuffix(stage, orders, [BIG, next]);

  return {
    facts: {
      scale: `1/${SCALE}`,
      logicalPartitionBytesMax: bytesMax,
      wall: { ...wall, itemBytes: place.itemBytes, limitShare: place.limitShare },
      attempts,
      afterSplit,
      suffix,
    },
    reports: [await stage.report(container)],
  };
}

/** What came of one request. */
interface Attempt {
  readonly code: number;
  readonly substatus: number;
}

/** The orders of all tenants, and which of them were acknowledged. */
class Orders {
  readonly #stage: Stage;
  readonly #container: Container;
  readonly #kept = new Map<string, string[]>();
  #count = 0;

  constructor(stage: Stage, container: Container) {
    this.#stage = stage;
    this.#container = container;
  }

  keptOf(key: string): readonly string[] {
    return this.#kept.get(key) ?? [];
  }

  async create(key: string): Promise<DemoAnswer> {
    const item = this.#itemOf(`order-${++this.#count}`, key, NOTE_BYTES);
    const answer = await this.#container.items.create(item);
    const kept = this.#kept.get(key);
    if (kept === undefined) this.#kept.set(key, [item.id]);
    else kept.push(item.id);
    return answer;
  }

  attempt(key: string): Promise<Attempt> {
    return this.#outcome(this.create(key));
  }

  /** The oldest order becomes so long. */
  replace(key: string, noteBytes: number): Promise<Attempt> {
    const id = this.keptOf(key)[0]!;
    const item = this.#container.item(id, key);
    return this.#outcome(item.replace(this.#itemOf(id, key, noteBytes)));
  }

  /** The newest order goes. */
  async delete(key: string): Promise<Attempt> {
    const id = this.#kept.get(key)!.pop()!;
    return this.#outcome(this.#container.item(id, key).delete());
  }

  /** Writes at a pace. */
  async keep(key: string, perSecond: number, seconds: number): Promise<void> {
    const send = (): Promise<DemoAnswer> => this.create(key);
    await pacedLoad(this.#stage, [{ name: key, perSecond, send }], { seconds });
  }

  async count(keys: readonly string[]): Promise<{ readonly count: number; readonly ru: number }> {
    const names = keys.map((_, at) => `@key${at}`);
    const query = `SELECT VALUE COUNT(1) FROM c WHERE c.key IN (${names.join(", ")})`;
    const parameters = keys.map((value, at) => ({ name: names[at]!, value }));
    const found = await this.#container.items.query<number>({ query, parameters }).fetchAll();
    return { count: found.resources[0]!, ru: found.requestCharge };
  }

  #itemOf(id: string, key: string, noteBytes: number): ItemDefinition & { readonly id: string } {
    const total = Math.round(this.#stage.random.next() * 10_000) / 100;
    return { id, key, tenant: key.split("-")[0], total, note: "n".repeat(noteBytes) };
  }

  async #outcome(request: Promise<unknown>): Promise<Attempt> {
    try {
      const { statusCode } = (await request) as { readonly statusCode: number };
      return { code: statusCode, substatus: 0 };
    } catch (error) {
      const { code, substatus } = this.#stage.refusalOf(error);
      return { code, substatus };
    }
  }
}

/** So many orders a second fill a logical partition in a bit less than half of the time. */
function growthRate({ seconds }: Stage, bytesMax: number): number {
  return bytesMax / ITEM_BYTES / (seconds * 0.4);
}

interface Wall extends Attempt {
  readonly afterSeconds: number;
  readonly orderCount: number;
}

/** Everybody writes until somebody is refused. */
async function grow(stage: Stage, orders: Orders, bytesMax: number): Promise<Wall> {
  const startedAt = stage.elapsedSeconds;
  const send = (key: string) => (): Promise<DemoAnswer> => orders.create(key);
  const senders: readonly Sender[] = [
    { name: BIG, perSecond: growthRate(stage, bytesMax), send: send(BIG) },
    ...SMALL.map((name) => ({ name, perSecond: SMALL_PER_SECOND, send: send(name) })),
  ];
  try {
    await pacedLoad(stage, senders, { seconds: PATIENCE_SECONDS });
  } catch (error) {
    const { code, substatus } = stage.refusalOf(error);
    const afterSeconds = stage.elapsedSeconds - startedAt;
    return { code, substatus, afterSeconds, orderCount: orders.keptOf(BIG).length };
  }
  throw new CommandFailure(
    `This machine did not write ${shortBytesText(bytesMax)} in ${PATIENCE_SECONDS} s.`,
  );
}

const PATIENCE_SECONDS = 300;

function sayWall(stage: Stage, wall: Wall, place: LocateReport, other: Attempt): void {
  stage.story.say(
    `After ${wall.afterSeconds.toFixed(1)} s and ${numberText(wall.orderCount)} orders ${BIG} ` +
      `had ${shortBytesText(place.itemBytes)}, ${percentText(place.limitShare)} % of what one ` +
      `logical partition may hold, and its next order got ${textOf(wall)}. fabrikam, on the same ` +
      `physical partition, got ${textOf(other)}: the wall is around a key, not around the ` +
      "container.",
  );
}

interface Attempts {
  readonly longer: Attempt;
  readonly shorter: Attempt;
  readonly deletes: readonly Attempt[];
  /** After that, until the next refusal. */
  readonly writtenCount: number;
  readonly last: Attempt;
}

async function tryAll(stage: Stage, orders: Orders): Promise<Attempts> {
  const longer = await orders.replace(BIG, 2 * NOTE_BYTES);
  const shorter = await orders.replace(BIG, NOTE_BYTES / 2);
  const deletes: Attempt[] = [];
  for (let count = 0; count < DELETE_COUNT; count++) deletes.push(await orders.delete(BIG));
  let writtenCount = 0;
  for (;;) {
    await stage.pause(0);
    const last = await orders.attempt(BIG);
    if (last.code !== CREATED) return { longer, shorter, deletes, writtenCount, last };
    writtenCount++;
  }
}

const CREATED = 201;

function sayAttempts({ story }: Stage, attempts: Attempts): void {
  const { longer, shorter, deletes, writtenCount, last } = attempts;
  const codes = [...new Set(deletes.map(textOf))].join(" and ");
  story.say(
    `A longer version of an order got ${textOf(longer)}, a shorter one ${textOf(shorter)}, and ` +
      `${deletes.length} deletes ${codes}: what does not grow the logical partition is taken. ` +
      `That made room for ${numberText(writtenCount)} new orders, and then there was ` +
      `${textOf(last)} again.`,
  );
}

interface Suffix {
  readonly keys: readonly string[];
  readonly acknowledgedCount: number;
  readonly foundCount: number;
  readonly oneKeyRu: number;
  readonly bothKeysRu: number;
}

async function saySuffix(
  stage: Stage,
  orders: Orders,
  [first, second]: readonly [string, string],
): Promise<Suffix> {
  const acknowledgedCount = orders.keptOf(first).length + orders.keptOf(second).length;
  const one = await orders.count([first]);
  const both = await orders.count([first, second]);
  stage.story.say(
    `New orders of ${BIG} have the key ${second}, and ` +
      `${numberText(orders.keptOf(second).length)} were written without a refusal. Whoever wants ` +
      `all of them asks for both keys: that found ${numberText(both.count)} of ` +
      `${numberText(acknowledgedCount)} acknowledged orders and cost ${both.ru.toFixed(2)} RU, ` +
      `where the first key alone costs ${one.ru.toFixed(2)}. Better is a key that never gets ` +
      "there: with the month or the order in it, or a hierarchical one.",
  );
  return {
    keys: [first, second],
    acknowledgedCount,
    foundCount: both.count,
    oneKeyRu: one.ru,
    bothKeysRu: both.ru,
  };
}

/** As people know it: the status, and what the service adds to it when it says no. */
function textOf({ code, substatus }: Attempt): string {
  return substatus === 0 ? String(code) : `${code}/${substatus}`;
}

function sectionsOf(stage: Stage, container: Container): () => Promise<readonly Section[]> {
  return async () => {
    const report = await stage.report(container);
    return [
      partitionTable(report),
      { kind: "lines", lines: [""] },
      { kind: "table", rows: keyRows(report), right: KEY_NUMBERS },
    ];
  };
}

async function showKeys(stage: Stage, container: Container): Promise<void> {
  stage.story.table(keyRows(await stage.report(container)), KEY_NUMBERS);
}

const KEY_NUMBERS = ["on", "orders", "size"];
const BAR_LENGTH = 20;

function keyRows({ topBySize, limits }: ContainerReport): readonly LiveRow[] {
  return topBySize.map(({ partitionKey, partitionId, itemCount, itemBytes }) => {
    const share = itemBytes / limits.logicalPartitionBytesMax;
    return {
      cells: {
        key: String(partitionKey?.[0]),
        on: partitionId,
        orders: numberText(itemCount),
        size: shortBytesText(itemBytes),
        "of its limit": `${barOf(share, BAR_LENGTH)} ${percentText(share).padStart(5)} %`,
      },
      tone: share > 0.99 ? "alarm" : undefined,
    };
  });
}
