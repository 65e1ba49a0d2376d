/**
 * `fan-out`: the same items in containers of one, three and nine physical partitions, and the same
 * question asked of each, once by the partition key and once by another property with as many
 * different values. By the key it goes to one physical partition however many there are; by the
 * other property to all of them, and each has its price whether or not it finds anything.
 */

import type { BulkOperationResult, Container, OperationInput } from "@azure/cosmos";
import { DAY_SECONDS } from "../../base/units.ts";
import { METRICS_PATH } from "../../protocol/admin.ts";
import { HEADER } from "../../protocol/wire/headerNames.ts";
import type { ContainerReport } from "../../statistics/report.ts";
import { partitionTable } from "../partitions/partitions.ts";
import { CommandFailure } from "../terminal/failure.ts";
import type { LiveRow, Section } from "../terminal/liveTable.ts";
import { numberText } from "../terminal/liveTable.ts";
import type { Demo, DemoResult } from "./demo.ts";
import type { LoadResult } from "./pacedLoad.ts";
import { pacedLoad, sumOf } from "./pacedLoad.ts";
import type { DemoAnswer, Stage } from "./stage.ts";
import { DATABASE } from "./stage.ts";

const PARTITION_RATE = 10_000;
const PARTITION_COUNTS: readonly number[] = [1, 3, 9];
/** Each customer and each product has as many orders as the other. */
const VALUE_COUNT = 30;
const ORDER_COUNT = 600;
const QUERIES_PER_SECOND = 20;

/** What costs per day are told for. */
const BUSY_PER_SECOND = 100;
/** List price of the service for a manual rate in one region, as of 2026. */
const DOLLARS_PER_100_RU_HOUR = 0.008;

type Path = "customer" | "product";

export const FAN_OUT: Demo = {
  name: "fan-out",
  about: "a query without the partition key visits every physical partition",
  seconds: 16,
  options: {},
  run,
};

async function run(stage: Stage): Promise<DemoResult> {
  const { story } = stage;
  story.say(
    `${numberText(ORDER_COUNT)} orders, the same in ${PARTITION_COUNTS.length} containers with ` +
      `${PARTITION_COUNTS.join(", ")} physical partitions, by /customer. There are ` +
      `${VALUE_COUNT} customers and ${VALUE_COUNT} products, all with equally many orders. ` +
      "Nothing is scaled here.",
  );
  const orders = ordersOf(stage);
  const measured: Measured[] = [];
  for (const count of PARTITION_COUNTS) {
    const container = await loaded(stage, count, orders);
    measured.push(await measure(stage, container, count));
  }
  const widest = measured.at(-1)!;

  story.title("One query, asked in two ways");
  story.table(measured.flatMap(rowsOf), NUMBERS);
  sayOnce(stage, measured);

  story.title(`${QUERIES_PER_SECOND} queries a second on ${widest.partitionCount} partitions`);
  const byKey = await underLoad(stage, widest.container, "customer");
  const byOther = await underLoad(stage, widest.container, "product");
  story.table(
    [loadRow("by customer, the key", byKey), loadRow("by product", byOther)],
    ["queries/s", "partition visits/s", "RU/s"],
  );
  const { figures } = await report(stage, widest.container);
  story.say(
    `${numberText(byKey.queriesPerSecond)} queries a second by the key took ` +
      `${numberText(byKey.ruPerSecond)} RU/s, ${numberText(byOther.queriesPerSecond)} by product ` +
      `${numberText(byOther.ruPerSecond)} RU/s. The server counts ` +
      `${numberText(figures.crossPartitionQueryCount)} of ${numberText(figures.queryCount)} ` +
      "queries that were about more than one physical partition.",
  );
  const perDay = sayPerDay(stage, widest);

  return {
    facts: {
      measured: measured.map(({ container: _, ...rest }) => rest),
      load: { byKey, byOther },
      perDay,
    },
    reports: [await stage.report(widest.container)],
  };
}

interface Order {
  readonly id: string;
  readonly customer: string;
  readonly product: string;
  readonly total: number;
  readonly note: string;
}

/** Which customer ordered which product is mixed, so that neither says anything of the other. */
function ordersOf({ random }: Stage): readonly Order[] {
  return Array.from({ length: ORDER_COUNT }, (_, at) => {
    const round = Math.floor(at / VALUE_COUNT);
    return {
      id: `order-${at}`,
      customer: `customer-${at % VALUE_COUNT}`,
      product: `product-${(at + 7 * round) % VALUE_COUNT}`,
      total: Math.round(random.next() * 10_000) / 100,
      note: "n".repeat(200),
    };
  });
}

async function loaded(
  stage: Stage,
  partitionCount: number,
  orders: readonly Order[],
): Promise<Container> {
  const { database } = await stage.client().databases.createIfNotExists({ id: DATABASE });
  const { container } = await database.containers.create({
    id: `orders${partitionCount}`,
    partitionKey: { paths: ["/customer"], version: 2 },
    throughput: partitionCount * PARTITION_RATE,
  });
  const operations = orders.map(
    (order): OperationInput => ({
      operationType: "Create",
      partitionKey: order.customer,
      resourceBody: { ...order },
    }),
  );
  const results: BulkOperationResult[] = await container.items.executeBulkOperations(operations);
  const failed = results.filter(({ error }) => error !== undefined).length;
  if (failed > 0) throw new CommandFailure(`${failed} orders could not be written.`);
  await stage.pause(0);
  return container;
}

interface Asked {
  readonly ru: number;
  /** Physical partitions that had a part in it. */
  readonly visitedCount: number;
  readonly foundCount: number;
}

interface Measured {
  readonly container: Container;
  readonly partitionCount: number;
  readonly pointReadRu: number;
  readonly byKey: Asked;
  readonly byOther: Asked;
}

async function measure(
  stage: Stage,
  container: Container,
  partitionCount: number,
): Promise<Measured> {
  const read = await container.item("order-7", "customer-7").read();
  return {
    container,
    partitionCount,
    pointReadRu: read.requestCharge,
    byKey: await visited(stage, container, () => ask(container, "customer", 7)),
    byOther: await visited(stage, container, () => ask(container, "product", 7)),
  };
}

interface Found extends DemoAnswer {
  readonly requestCharge: number;
  readonly resources: readonly unknown[];
}

async function ask(container: Container, path: Path, value: number): Promise<Found> {
  const query = `SELECT c.id, c.total FROM c WHERE c.${path} = @value`;
  const parameters = [{ name: "@value", value: `${path}-${value % VALUE_COUNT}` }];
  const found = await container.items.query({ query, parameters }).fetchAll();
  // All pages together; the headers alone would be those of the last one.
  const headers = { [HEADER.requestCharge]: found.requestCharge };
  return { requestCharge: found.requestCharge, resources: found.resources, headers };
}

/** The client does not say where the server looked, so the counters of the partitions are read. */
async function visited(
  stage: Stage,
  container: Container,
  act: () => Promise<Found>,
): Promise<Asked> {
  const before = await queryCounts(stage, container);
  const { requestCharge, resources } = await act();
  const after = await queryCounts(stage, container);
  const visitedCount = [...after].filter(([id, count]) => count > (before.get(id) ?? 0)).length;
  return { ru: requestCharge, visitedCount, foundCount: resources.length };
}

/** Queries that each physical partition had a part in, since the server started. */
async function queryCounts(
  { server }: Stage,
  { id }: Container,
): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(server.endpoint + METRICS_PATH)).text();
  const of = `orrery_partition_requests_total{database="${DATABASE}",container="${id}",`;
  const counts = new Map<string, number>();
  for (const line of text.split("\n")) {
    const [, partition, count] = line.startsWith(of)
      ? (/partition="(\d+)",kind="query"\} (\d+)/.exec(line) ?? [])
      : [];
    if (partition !== undefined) counts.set(partition, Number(count));
  }
  return counts;
}

const NUMBERS: readonly string[] = ["partitions", "visited", "found", "RU", "times the key's"];

function rowsOf({ partitionCount, pointReadRu, byKey, byOther }: Measured): readonly LiveRow[] {
  const row = (query: string, visited: string, found: number, ru: number): LiveRow => ({
    cells: {
      partitions: String(partitionCount),
      query,
      visited,
      found: String(found),
      RU: ru.toFixed(2),
      "times the key's": (ru / byKey.ru).toFixed(1),
    },
  });
  const asked = (query: string, { visitedCount, foundCount, ru }: Asked): LiveRow =>
    row(query, String(visitedCount), foundCount, ru);
  return [
    row("point read by id and key", "1", 1, pointReadRu),
    asked("c.customer = …, the key", byKey),
    asked("c.product = …", byOther),
  ];
}

function sayOnce({ story }: Stage, measured: readonly Measured[]): void {
  const narrow = measured[0]!;
  const wide = measured.at(-1)!;
  const perVisit =
    (wide.byOther.ru - narrow.byOther.ru) /
    (wide.byOther.visitedCount - narrow.byOther.visitedCount);
  story.say(
    `By the key the query visits ${wide.byKey.visitedCount} physical partition of ` +
      `${wide.partitionCount} and costs ${wide.byKey.ru.toFixed(2)} RU (on ` +
      `${narrow.partitionCount}: ${narrow.byKey.ru.toFixed(2)}). By product it finds ` +
      `${wide.byOther.foundCount} orders as well, but visits ${wide.byOther.visitedCount} and ` +
      `costs ${wide.byOther.ru.toFixed(2)} RU: each further partition adds about ` +
      `${perVisit.toFixed(2)} RU, even if nothing is there. On ${narrow.partitionCount} ` +
      `partition the two cost ${narrow.byKey.ru.toFixed(2)} and ${narrow.byOther.ru.toFixed(2)} ` +
      "RU, and nobody notices the key was wrong until the container has grown. Whoever has key " +
      "and id reads the item for " +
      `${wide.pointReadRu.toFixed(2)} RU.`,
  );
}

interface Loaded {
  readonly queriesPerSecond: number;
  readonly visitsPerSecond: number;
  readonly ruPerSecond: number;
}

/** Draws while it lasts; for people it is as instructive as the sum. */
async function underLoad(stage: Stage, container: Container, path: Path): Promise<Loaded> {
  const before = await queryCounts(stage, container);
  const send = (count: number): Promise<DemoAnswer> => ask(container, path, count);
  const senders = [{ name: path, perSecond: QUERIES_PER_SECOND, send }];
  const load = pacedLoad(stage, senders, { seconds: stage.seconds * 0.35 });
  const draw = async (): Promise<readonly Section[]> => [
    partitionTable(await stage.report(container)),
  ];
  const result: LoadResult = await stage.drawing(draw, load);
  const after = await queryCounts(stage, container);
  const visits = [...after].reduce((sum, [id, count]) => sum + count - (before.get(id) ?? 0), 0);
  const { servedCount, ruPerSecond } = sumOf(result, () => true);
  const { seconds } = result;
  return {
    queriesPerSecond: servedCount / seconds,
    visitsPerSecond: visits / seconds,
    ruPerSecond,
  };
}

function loadRow(what: string, load: Loaded): LiveRow {
  return {
    cells: {
      query: what,
      "queries/s": numberText(load.queriesPerSecond),
      "partition visits/s": numberText(load.visitsPerSecond),
      "RU/s": numberText(load.ruPerSecond),
    },
  };
}

/** With the second that is running: a report is about those before it. */
async function report(stage: Stage, container: Container): Promise<ContainerReport> {
  await stage.pause(1_000);
  return stage.report(container);
}

interface PerDay {
  readonly queriesPerSecond: number;
  readonly byKey: Cost;
  readonly byOther: Cost;
}

interface Cost {
  readonly ruPerSecond: number;
  readonly ruPerDay: number;
  readonly dollarsPerDay: number;
}

function sayPerDay({ story }: Stage, { byKey, byOther, partitionCount }: Measured): PerDay {
  const costOf = ({ ru }: Asked): Cost => {
    const ruPerSecond = ru * BUSY_PER_SECOND;
    return {
      ruPerSecond,
      ruPerDay: ruPerSecond * DAY_SECONDS,
      dollarsPerDay: (ruPerSecond / 100) * DOLLARS_PER_100_RU_HOUR * 24,
    };
  };
  const [right, wrong] = [costOf(byKey), costOf(byOther)];
  const money = ({ dollarsPerDay }: Cost): string => `$${dollarsPerDay.toFixed(2)}`;
  story.say(
    `What a bad key costs: ${BUSY_PER_SECOND} such queries a second on ${partitionCount} ` +
      `physical partitions need ${numberText(right.ruPerSecond)} RU/s by the key and ` +
      `${numberText(wrong.ruPerSecond)} by product. In a day that is ` +
      `${numberText(right.ruPerDay / 1e6)} against ${numberText(wrong.ruPerDay / 1e6)} million ` +
      `RU, or, provisioned at $${DOLLARS_PER_100_RU_HOUR} for 100 RU/s and hour, ${money(right)} ` +
      `against ${money(wrong)}.`,
  );
  return { queriesPerSecond: BUSY_PER_SECOND, byKey: right, byOther: wrong };
}
