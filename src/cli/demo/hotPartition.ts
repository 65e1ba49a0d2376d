/**
 * `hot-partition`: six tenants on three physical partitions, two on each, and one of them wants
 * more than a third of the rate. Its partition throttles while the others have room; a higher rate
 * and a split change nothing for a single key; a suffix on the key does.
 *
 * Real rates would need more requests than a laptop makes, so a physical partition serves a
 * twentieth of what it does in the service. Which tenants lie together is up to their hashes, so
 * their names are chosen by where they fall.
 */
import type { Container, CosmosClient } from "@azure/cosmos";
import type { PartitionReport } from "../../statistics/report.ts";
import { partitionTable } from "../partitions/partitions.ts";
import type { LiveRow, Section } from "../terminal/liveTable.ts";
import { barOf, numberText, percentText } from "../terminal/liveTable.ts";
import type { Demo, DemoResult } from "./demo.ts";
import type { LoadResult, Sender, SenderTally, Sum } from "./pacedLoad.ts";
import { pacedLoad, sumOf } from "./pacedLoad.ts";
import type { Stage } from "./stage.ts";
import { DATABASE } from "./stage.ts";

const SERVICE_PARTITION_RATE = 10_000;
const SCALE = 20;
const PARTITION_RATE: number = SERVICE_PARTITION_RATE / SCALE;
const RATE: number = 3 * PARTITION_RATE;
const SUFFIX_COUNT = 400;

const HEAVY_PER_SECOND = 90;
const LIGHT_PER_SECOND = 6;

interface Tenant {
  readonly letter: string;
  readonly name: string;
  readonly perSecond: number;
}

export const HOT_PARTITION: Demo = {
  name: "hot-partition",
  about: "one tenant saturates its physical partition while the others idle",
  seconds: 24,
  options: { limits: { partitionRate: PARTITION_RATE } },
  run,
};

async function run(stage: Stage): Promise<DemoResult> {
  const { story } = stage;
  // As an application that handles 429 itself: what is refused is seen, and not tried again.
  const client = stage.client({ connectionPolicy: { retryOptions: { maxRetryAttemptCount: 0 } } });
  const orders = await containerOf(client, "orders");
  const tenants = await chooseTenants(stage, orders);
  const heavy = tenants.find(({ letter }) => letter === "D")!;
  story.say(
    `Six tenants write their orders into a container with ${numberText(RATE)} RU/s over three ` +
      "physical partitions, two tenants on each. That is the service's case of 30,000 RU/s at a " +
      `scale of 1/${SCALE}: a physical partition serves ${numberText(PARTITION_RATE)} RU/s here, ` +
      `not ${numberText(SERVICE_PARTITION_RATE)}. ${heavy.name} writes ${HEAVY_PER_SECOND} ` +
      `orders a second, the others ${LIGHT_PER_SECOND} each, and nobody tries again what was ` +
      "refused.",
  );
  const phase = (title: string, share: number, container: Container, keyOf: KeyOf) =>
    runPhase(stage, { title, seconds: stage.seconds * share, container, tenants, keyOf });

  const hot = await phase("The key is the tenant", 0.3, orders, plainKey);
  sayHot(stage, hot, tenants);

  await raiseRate(stage, client, orders);
  const raised = await phase("Twice the rate", 0.2, orders, plainKey);
  sayRaised(stage, hot, raised, heavy);

  const { partitionId } = await stage.locate(orders, heavy.name);
  await stage.split(orders, partitionId, "middle");
  const split = await phase("And a split by hand", 0.2, orders, plainKey);
  saySplit(stage, raised, split, { heavy, partitionId });

  const spread = await containerOf(client, "ordersSpread");
  const suffixed: KeyOf = (tenant, count) =>
    tenant === heavy ? `${tenant.name}-${count % SUFFIX_COUNT}` : tenant.name;
  const suffix = await phase("The key of one tenant gets a suffix", 0.3, spread, suffixed);
  saySuffix(stage, hot, suffix, heavy);
  const counts = await countOrders(stage, { orders, spread, heavy });

  return {
    facts: {
      scale: `1/${SCALE}`,
      tenants: tenants.map(({ letter, name, perSecond }) => ({ letter, name, perSecond })),
      heavyTenant: heavy.name,
      phases: { hot, raised, split, suffix },
      countQuery: counts,
    },
    reports: [await stage.report(orders), await stage.report(spread)],
  };
}

async function containerOf(client: CosmosClient, id: string): Promise<Container> {
  const { database } = await client.databases.createIfNotExists({ id: DATABASE });
  const partitionKey = { paths: ["/key"], version: 2 };
  const { container } = await database.containers.create({ id, partitionKey, throughput: RATE });
  return container;
}

/** A and B on the first physical partition, C and D on the second, E and F on the third. */
async function chooseTenants(stage: Stage, container: Container): Promise<readonly Tenant[]> {
  const { partitions } = await stage.report(container);
  const tenants: Tenant[] = [];
  for (const [at, letter] of [..."ABCDEF"].entries()) {
    const wanted = partitions[Math.floor(at / 2)]!.id;
    let number = 10 + Math.floor(stage.random.next() * 90);
    while ((await stage.locate(container, `${letter}${number}`)).partitionId !== wanted) number++;
    const perSecond = letter === "D" ? HEAVY_PER_SECOND : LIGHT_PER_SECOND;
    tenants.push({ letter, name: `${letter}${number}`, perSecond });
  }
  return tenants;
}

type KeyOf = (tenant: Tenant, count: number) => string;

const plainKey: KeyOf = ({ name }) => name;

interface PhaseTerms {
  readonly title: string;
  readonly seconds: number;
  readonly container: Container;
  readonly tenants: readonly Tenant[];
  readonly keyOf: KeyOf;
}

/** What was measured in one phase. */
interface Phase {
  readonly seconds: number;
  readonly provisionedRate: number;
  readonly tenants: readonly (Sum & { readonly tenant: string; readonly on: readonly string[] })[];
  readonly partitions: readonly (Sum & {
    readonly id: string;
    readonly allottedRate: number;
    readonly spentShare: number;
    readonly tenants: readonly string[];
  })[];
}

async function runPhase(stage: Stage, terms: PhaseTerms): Promise<Phase> {
  const { title, seconds, container, tenants, keyOf } = terms;
  stage.story.title(title);
  const senders = tenants.map((tenant): Sender => {
    const { name, perSecond } = tenant;
    return {
      name,
      perSecond,
      send: (count) =>
        container.items.create({
          id: `${name}-${stage.random.next()}`,
          key: keyOf(tenant, count),
          tenant: name,
          number: count,
          status: "placed",
          total: Math.round(stage.random.next() * 10_000) / 100,
          note: "·".repeat(400),
        }),
    };
  });
  const before = await stage.report(container);
  const load = pacedLoad(stage, senders, {
    seconds,
    warmUpSeconds: Math.min(2, seconds / 2),
    // Spread keys are hot nowhere; a single one on a slow machine may only become so.
    overtime: { seconds: keyOf === plainKey ? OVERTIME_SECONDS : 0, isEnough: isHot },
  });
  const draw = async (): Promise<readonly Section[]> => [
    partitionTable(await stage.report(container)),
  ];
  const result = await stage.drawing(draw, load);
  const phase = phaseOf(result, tenants, before.partitions, before.throughput.ratePerSecond);
  stage.story.table(partitionRows(phase), ["partition", "allotted", "RU/s", "429 %"]);
  stage.story.table(tenantRows(phase), ["asked/s", "served/s", "429 %"]);
  return phase;
}

function phaseOf(
  result: LoadResult,
  tenants: readonly Tenant[],
  partitions: readonly PartitionReport[],
  provisionedRate: number,
): Phase {
  const idsOf = (tenant: string): readonly string[] => {
    const isOn = (id: string): boolean =>
      result.tallies.some(({ sender, rangeId }) => sender === tenant && rangeId === id);
    return partitions.map(({ id }) => id).filter(isOn);
  };
  return {
    seconds: result.seconds,
    provisionedRate,
    tenants: tenants.map(({ name }) => ({
      tenant: name,
      on: idsOf(name),
      ...sumOf(result, ({ sender }) => sender === name),
    })),
    partitions: partitions.map(({ id, allottedRate }) => {
      const sum = sumOf(result, ({ rangeId }) => rangeId === id);
      const guests = tenants.map(({ name }) => name).filter((name) => idsOf(name).includes(id));
      return {
        id,
        allottedRate,
        tenants: guests,
        ...sum,
        spentShare: sum.ruPerSecond / allottedRate,
      };
    }),
  };
}

const OVERTIME_SECONDS = 6;
const THROTTLED_MIN = 20;

function isHot(tallies: readonly SenderTally[]): boolean {
  return tallies.some(({ throttledCount }) => throttledCount >= THROTTLED_MIN);
}

const BAR_LENGTH = 20;

function partitionRows({ partitions }: Phase): readonly LiveRow[] {
  return partitions.map(({ id, allottedRate, tenants, ...sum }) => ({
    cells: {
      partition: id,
      tenants: tenants.join(" "),
      allotted: numberText(allottedRate),
      "RU/s": numberText(sum.ruPerSecond),
      spent: `${barOf(sum.spentShare, BAR_LENGTH)} ${percentText(sum.spentShare).padStart(5)} %`,
      "429 %": percentText(sum.throttledShare),
    },
    tone: sum.throttledCount > 0 ? "alarm" : undefined,
  }));
}

function tenantRows({ tenants, seconds }: Phase): readonly LiveRow[] {
  return tenants.map(({ tenant, on, servedCount, throttledCount, throttledShare }) => ({
    cells: {
      tenant,
      "on partition": on.join(", "),
      "asked/s": numberText((servedCount + throttledCount) / seconds),
      "served/s": numberText(servedCount / seconds),
      "429 %": percentText(throttledShare),
    },
    tone: throttledCount > 0 ? "alarm" : undefined,
  }));
}

/** The physical partition that served a tenant most. */
function homeOf({ tenants, partitions }: Phase, { name }: Tenant): Phase["partitions"][number] {
  const { on } = tenants.find(({ tenant }) => tenant === name)!;
  return partitions
    .filter(({ id }) => on.includes(id))
    .reduce((busiest, next) => (next.ruPerSecond > busiest.ruPerSecond ? next : busiest));
}

function sharedText(phase: Phase, { name }: Tenant): string {
  const { throttledShare } = phase.tenants.find(({ tenant }) => tenant === name)!;
  return `${percentText(throttledShare)} %`;
}

function rateOf(phase: Phase, { name }: Tenant): number {
  return phase.tenants.find(({ tenant }) => tenant === name)!.ruPerSecond;
}

function sayHot(stage: Stage, phase: Phase, tenants: readonly Tenant[]): void {
  const heavy = tenants.find(({ letter }) => letter === "D")!;
  const neighbour = tenants.find(({ letter }) => letter === "C")!;
  const home = homeOf(phase, heavy);
  const others = phase.partitions.filter(({ id }) => id !== home.id);
  const idle = others.reduce(
    (sum, { allottedRate, ruPerSecond: ru }) => sum + allottedRate - ru,
    0,
  );
  const refused = others.reduce((sum, { throttledCount }) => sum + throttledCount, 0);
  const all = phase.partitions.reduce((sum, { ruPerSecond }) => sum + ruPerSecond, 0);
  stage.story.say(
    `Partition ${home.id} spent ${numberText(home.ruPerSecond)} of its ` +
      `${numberText(home.allottedRate)} RU/s and refused the rest: ${sharedText(phase, heavy)} ` +
      `of the requests of ${heavy.name} got 429, and ${sharedText(phase, neighbour)} of those of ` +
      `${neighbour.name}, who did nothing but live on the same partition. The other two had ` +
      `${numberText(idle)} RU/s to spare and refused ${numberText(refused)} requests: a rate is ` +
      "divided evenly, and what one partition does not spend no other can. Of " +
      `${numberText(phase.provisionedRate)} RU/s paid for, ${numberText(all)} were used.`,
  );
}

async function raiseRate(stage: Stage, client: CosmosClient, orders: Container): Promise<void> {
  const { resource: found } = await orders.readOffer();
  const offer = client.offer(found!.id);
  const content = { ...found!.content!, offerThroughput: 2 * RATE };
  await offer.replace({ ...found!, content });
  await stage.until(async () => {
    const { resource } = await offer.read();
    return resource?.content?.offerThroughput === 2 * RATE ? true : undefined;
  });
}

function sayRaised(stage: Stage, before: Phase, phase: Phase, heavy: Tenant): void {
  const home = homeOf(phase, heavy);
  stage.story.say(
    `With ${numberText(phase.provisionedRate)} RU/s instead of ` +
      `${numberText(before.provisionedRate)} there are ${phase.partitions.length} physical ` +
      `partitions, because one serves no more than ${numberText(PARTITION_RATE)}. ${heavy.name} ` +
      `is one key, and one key lies on one of them: partition ${home.id}, with ` +
      `${numberText(home.allottedRate)} RU/s as before. It spent ` +
      `${numberText(home.ruPerSecond)}, and ${sharedText(phase, heavy)} of the requests of ` +
      `${heavy.name} still got 429 (before: ${sharedText(before, heavy)}).`,
  );
}

function saySplit(
  stage: Stage,
  before: Phase,
  phase: Phase,
  { heavy, partitionId }: { readonly heavy: Tenant; readonly partitionId: string },
): void {
  const home = homeOf(phase, heavy);
  stage.story.say(
    `Partition ${partitionId} was split, and all of ${heavy.name} went to ${home.id}: a split ` +
      `never cuts through a key. The same rate is now divided by ${phase.partitions.length} ` +
      `instead of ${before.partitions.length}, so ${home.id} has ` +
      `${numberText(home.allottedRate)} RU/s, and ${heavy.name} gets ` +
      `${numberText(rateOf(phase, heavy))} instead of ${numberText(rateOf(before, heavy))}; ` +
      `${sharedText(phase, heavy)} of its requests got 429. For a single hot key a split is no ` +
      "help, and can be worse.",
  );
}

function saySuffix(stage: Stage, before: Phase, phase: Phase, heavy: Tenant): void {
  const { on } = phase.tenants.find(({ tenant }) => tenant === heavy.name)!;
  const shares = phase.partitions.map(({ spentShare }) => spentShare);
  const refused = phase.partitions.reduce((sum, { throttledCount }) => sum + throttledCount, 0);
  stage.story.say(
    `The same load on a new container with ${numberText(phase.provisionedRate)} RU/s, as at ` +
      `first. Orders of ${heavy.name} now have one of ${SUFFIX_COUNT} keys, ${heavy.name}-0 to ` +
      `${heavy.name}-${SUFFIX_COUNT - 1}, by their number, so they lie on ${on.length} physical ` +
      `partitions, which spent ${percentText(Math.min(...shares))} to ` +
      `${percentText(Math.max(...shares))} % of their rate. ${heavy.name} gets ` +
      `${numberText(rateOf(phase, heavy))} RU/s instead of ${numberText(rateOf(before, heavy))}, ` +
      `and ${numberText(refused)} requests of all tenants got 429.`,
  );
}

interface CountQuery {
  readonly byTenantRu: number;
  readonly bySuffixRu: number;
}

/** What the suffix costs whoever wants all orders of the tenant. */
async function countOrders(
  stage: Stage,
  terms: { readonly orders: Container; readonly spread: Container; readonly heavy: Tenant },
): Promise<CountQuery> {
  const patient = stage.client().database(DATABASE);
  const ask = async ({ id }: Container, path: string): Promise<number> => {
    const query = `SELECT VALUE COUNT(1) FROM c WHERE c.${path} = @tenant`;
    const parameters = [{ name: "@tenant", value: terms.heavy.name }];
    const found = patient.container(id).items.query({ query, parameters });
    return (await found.fetchAll()).requestCharge;
  };
  const byTenantRu = await ask(terms.orders, "key");
  const bySuffixRu = await ask(terms.spread, "tenant");
  stage.story.say(
    `What it costs: to count all orders of ${terms.heavy.name} took ${byTenantRu.toFixed(2)} RU ` +
      `where they had one key, and ${bySuffixRu.toFixed(2)} RU where they have many. A ` +
      "hierarchical key (/tenant, /order) spreads a tenant as well once its partition is split, " +
      "and a query for a tenant then still goes only to where that tenant is.",
  );
  return { byTenantRu, bySuffixRu };
}
