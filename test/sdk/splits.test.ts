/**
 * Splits and merges under the official client: whatever is under way goes on, no error reaches the
 * application, nothing is lost and nothing is there twice.
 *
 * Every test changes the physical partitions by the admin API while a client works that has a map
 * of before. That client never asks for the map again by itself, but in bulks.
 */
import type {
  Container,
  CosmosClientOptions,
  FeedOptions,
  ItemDefinition,
  OperationInput,
  Plugin,
} from "@azure/cosmos";
import { PluginOn } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { locate, merge, rangeIds, reportOf, split } from "./inside.ts";
import type { Stage } from "./stage.ts";
import { clientOf, openContainer, openStage, temporaryDirectory } from "./stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

const KEY_COUNT = 30;
const ITEM_COUNT = 120;

interface Sample extends ItemDefinition {
  readonly id: string;
  readonly pk: string;
  readonly n: number;
  readonly color: string;
}

const SAMPLES: readonly Sample[] = Array.from({ length: ITEM_COUNT }, (_, n) => ({
  id: `item-${n}`,
  pk: `pk-${n % KEY_COUNT}`,
  n,
  color: ["red", "green", "blue"][n % 3]!,
}));

async function openSamples(): Promise<Container> {
  const container = await openContainer(stage.database);
  await Promise.all(SAMPLES.map((sample) => container.items.create(sample)));
  return container;
}

/** Splits the largest physical partition, or merges the first two: never the same ones twice. */
async function reshape(container: Container, step: number): Promise<void> {
  const ids = await rangeIds(stage.server, container);
  if (step % 3 === 2 && ids.length > 1) await merge(stage.server, container, ids[0]!, ids[1]!);
  else await split(stage.server, container);
}

describe("while clients write, read, query and load in bulk", () => {
  const STEP_COUNT = 8;
  /** For a test with much to do, on a machine that has more to do. */
  const BUSY_MS = 240_000;

  test(
    "physical partitions are split and merged, and nobody notices",
    async () => {
      const plain = await openSamples();
      // Sends its session with every request; others do not, unless they are asked to.
      const client = clientOf(stage.server, { consistencyLevel: "Session" });
      const container = client.database(plain.database.id).container(plain.id);
      let isOver = false;
      const goesOn = (): boolean => !isOver;
      const expected = new Map<string, number>();
      const workers = [
        ...[0, 1].map((worker) => countUp(container, `counter-${worker}`, expected, goesOn)),
        comeAndGo(container, goesOn),
        readPoints(container, goesOn),
        askAround(container, 0, goesOn),
        askAround(plain, 1, goesOn),
        loadInBulk(container, expected, goesOn),
      ];
      for (let step = 0; step < STEP_COUNT; step++) await reshape(container, step);
      isOver = true;
      const counts = await Promise.all(workers);
      expect(Math.min(...counts)).toBeGreaterThan(0);

      const ids = await rangeIds(stage.server, container);
      expect(ids.length).toBeGreaterThan(3);
      await expectAll(container, expected);
      await expectAll(afresh(container), expected);
      client.dispose();
    },
    BUSY_MS,
  );
});

/** Adds one to a number of its own, by turns in one way and another. */
async function countUp(
  container: Container,
  id: string,
  expected: Map<string, number>,
  goesOn: () => boolean,
): Promise<number> {
  const item = container.item(id, id);
  await container.items.create({ id, pk: id, n: 0 });
  let count = 0;
  while (goesOn()) {
    count++;
    if (count % 3 === 0) await item.replace({ id, pk: id, n: count });
    else if (count % 3 === 1) await item.patch([{ op: "incr", path: "/n", value: 1 }]);
    else await container.items.upsert({ id, pk: id, n: count });
    // What was acknowledged is there for the next one who looks.
    expect((await item.read<Sample>()).resource?.n).toBe(count);
    expected.set(id, count);
  }
  return count;
}

async function comeAndGo(container: Container, goesOn: () => boolean): Promise<number> {
  let count = 0;
  while (goesOn()) {
    const pk = `guest-${count++}`;
    const { resource } = await container.items.create({ id: "guest", pk });
    const accessCondition = { type: "IfMatch", condition: resource!._etag };
    expect((await container.item("guest", pk).delete({ accessCondition })).statusCode).toBe(204);
    expect((await container.item("guest", pk).read()).statusCode).toBe(404);
  }
  return count;
}

async function readPoints(container: Container, goesOn: () => boolean): Promise<number> {
  let count = 0;
  while (goesOn()) {
    const { id, pk, n } = SAMPLES[(count++ * 7) % ITEM_COUNT]!;
    expect((await container.item(id, pk).read<Sample>()).resource?.n).toBe(n);
  }
  return count;
}

async function loadInBulk(
  container: Container,
  expected: Map<string, number>,
  goesOn: () => boolean,
): Promise<number> {
  let count = 0;
  while (goesOn()) {
    const ids = Array.from({ length: 40 }, (_, index) => `bulk-${count}-${index}`);
    const results = await container.items.executeBulkOperations(ids.map((id) => create(id)));
    expect(results.map(({ response }) => response?.statusCode)).toEqual(ids.map(() => 201));
    for (const id of ids) expected.set(id, 1);
    count++;
  }
  return count;
}

/** One question after the other, each of them at least once. */
async function askAround(
  container: Container,
  first: number,
  goesOn: () => boolean,
): Promise<number> {
  let count = 0;
  while (count < QUERIES.length || goesOn()) {
    await expectAnswer(container, QUERIES[(first + count++) % QUERIES.length]!);
  }
  return count;
}

async function expectAll(
  container: Container,
  expected: ReadonlyMap<string, number>,
): Promise<void> {
  const { resources } = await container.items.readAll<Sample>({ maxItemCount: 50 }).fetchAll();
  const found = resources.map(({ id, n }) => [id, n] as const);
  const samples = SAMPLES.map(({ id, n }) => [id, n] as const);
  const byId = ([a]: readonly [string, number], [b]: readonly [string, number]): number =>
    a < b ? -1 : 1;
  expect(found.toSorted(byId)).toEqual([...samples, ...expected].toSorted(byId));
  for (const [id, n] of expected) {
    expect((await container.item(id, id).read<Sample>()).resource?.n).toBe(n);
  }
  for (const question of QUERIES) await expectAnswer(container, question);
}

const create = (id: string): OperationInput => ({
  operationType: "Create",
  resourceBody: { id, pk: id, n: 1 },
  partitionKey: id,
});

/** A query about the samples, and what it must come to however they are placed. */
interface Question {
  readonly name: string;
  readonly text: string;
  readonly options?: FeedOptions;
  readonly isOrdered?: boolean;
  readonly rows: readonly unknown[];
}

const numbers = SAMPLES.map(({ n }) => n);
const QUERIES: readonly Question[] = [
  {
    name: "in no order",
    text: "SELECT VALUE c.n FROM c WHERE STARTSWITH(c.id, 'item-')",
    rows: numbers,
  },
  {
    name: "in order",
    text: "SELECT VALUE c.n FROM c WHERE STARTSWITH(c.id, 'item-') ORDER BY c.n DESC",
    isOrdered: true,
    rows: numbers.toReversed(),
  },
  {
    name: "the first ones",
    text: "SELECT TOP 25 VALUE c.n FROM c WHERE STARTSWITH(c.id, 'item-') ORDER BY c.n",
    isOrdered: true,
    rows: numbers.slice(0, 25),
  },
  {
    name: "some in the middle",
    text: "SELECT VALUE c.n FROM c WHERE IS_DEFINED(c.color) ORDER BY c.n OFFSET 40 LIMIT 30",
    isOrdered: true,
    rows: numbers.slice(40, 70),
  },
  {
    name: "different ones",
    text: "SELECT DISTINCT VALUE c.color FROM c WHERE IS_DEFINED(c.color)",
    rows: ["blue", "green", "red"],
  },
  {
    name: "a sum",
    text: "SELECT VALUE SUM(c.n) FROM c WHERE IS_DEFINED(c.color)",
    rows: [numbers.reduce((sum, n) => sum + n, 0)],
  },
  {
    name: "groups",
    text: "SELECT c.color, COUNT(1) AS count FROM c WHERE IS_DEFINED(c.color) GROUP BY c.color",
    rows: ["blue", "green", "red"].map((color) => ({ color, count: 40 })),
  },
  {
    name: "of one key",
    text: "SELECT VALUE c.n FROM c WHERE c.pk = 'pk-4'",
    options: { maxItemCount: 1 },
    rows: [4, 34, 64, 94],
  },
];

function iteratorOf(container: Container, { text, options }: Question) {
  return container.items.query<unknown>(text, { maxItemCount: 7, ...options });
}

async function expectAnswer(container: Container, question: Question): Promise<void> {
  const { resources } = await iteratorOf(container, question).fetchAll();
  expectRows(question, resources);
}

function expectRows({ name, isOrdered, rows }: Question, found: readonly unknown[]): void {
  const texts = found.map((row) => JSON.stringify(row));
  const expected = rows.map((row) => JSON.stringify(row));
  if (isOrdered) expect(texts, name).toEqual(expected);
  else expect(texts.toSorted(), name).toEqual(expected.toSorted());
}

describe("between the pages of one query", () => {
  test.each(QUERIES.map((question) => [question.name, question] as const))(
    "physical partitions may change: %s",
    async (_name, question) => {
      const container = await openSamples();
      const iterator = iteratorOf(container, question);
      const found: unknown[] = [];
      for (let page = 0; iterator.hasMoreResults(); page++) {
        found.push(...((await iterator.fetchNext()).resources ?? []));
        // The first pages of one that was begun are the ones that matter.
        if (page < 6) await reshape(container, page);
      }
      expectRows(question, found);
      await expectAnswer(container, question);
      await expectAnswer(afresh(container), question);
    },
  );

  test("and between those of a feed", async () => {
    const container = await openSamples();
    const iterator = container.items.readAll<Sample>({ maxItemCount: 10 });
    const found: number[] = [];
    for (let page = 0; iterator.hasMoreResults(); page++) {
      found.push(...(await iterator.fetchNext()).resources.map(({ n }) => n));
      if (page < 6) await reshape(container, page);
    }
    expect(found.toSorted((a, b) => a - b)).toEqual(numbers);
  });

  test("another client goes on where the first one was", async () => {
    const container = await openSamples();
    const query = "SELECT VALUE c.n FROM c WHERE c.pk = 'pk-4' ORDER BY c.n";
    const options = { maxItemCount: 1, partitionKey: "pk-4" };
    const found: number[] = [];
    let continuationToken: string | undefined;
    for (let page = 0; page === 0 || continuationToken !== undefined; page++) {
      const iterator = afresh(container).items.query<number>(query, {
        ...options,
        ...(continuationToken !== undefined && { continuationToken }),
      });
      const answer = await iterator.fetchNext();
      found.push(...answer.resources);
      continuationToken = answer.continuationToken;
      await reshape(container, page);
    }
    expect(found).toEqual([4, 34, 64, 94]);
  });
});

/** Why queries by a retired range are answered. If it fails, decision 0030 can be thought over. */
test("a query whose range is gone is repeated by the client, without a new map", async () => {
  const container = await openSamples();
  await split(stage.server, container);
  const REPEATED = 40;
  let goneCount = 0;
  let mapCount = 0;
  const plugin: Plugin<unknown> = (context, _diagnostics, next) => {
    if (context.path?.includes("/pkranges")) mapCount++;
    if (context.headers?.["x-ms-documentdb-partitionkeyrangeid"] === undefined)
      return next(context);
    // It would never end by itself, not even if the range were there again.
    const code = ++goneCount > REPEATED ? 400 : 410;
    return Promise.reject(Object.assign(new Error("made up"), { code, substatus: 1002 }));
  };
  const options = { plugins: [{ on: PluginOn.request, plugin }] } as CosmosClientOptions;
  const client = clientOf(stage.server, options);
  const again = client.database(container.database.id).container(container.id);
  const iterator = again.items.query<number>("SELECT VALUE c.n FROM c ORDER BY c.n");
  await expect(iterator.fetchAll()).rejects.toMatchObject({ code: 400 });
  expect(goneCount).toBeGreaterThan(REPEATED);
  expect(mapCount).toBe(1);
});

describe("a bulk with an old map", () => {
  test("is sorted anew by the client, and done once", async () => {
    const container = await openContainer(stage.database);
    const idsOf = (round: number) => Array.from({ length: 50 }, (_, index) => `${round}-${index}`);
    for (let round = 0; round < 2; round++) {
      const ids = idsOf(round);
      const results = await container.items.executeBulkOperations(ids.map(create));
      expect(results.map(({ response }) => response?.statusCode)).toEqual(ids.map(() => 201));
      if (round === 0) {
        await split(stage.server, container);
        await split(stage.server, container);
      }
    }
    const { resources } = await container.items.readAll().fetchAll();
    expect(resources.map(({ id }) => id).toSorted()).toEqual([...idsOf(0), ...idsOf(1)].toSorted());
  });

  test("works in its older form, too", async () => {
    const container = await openContainer(stage.database);
    const ids = Array.from({ length: 30 }, (_, index) => String(index));
    expect((await container.items.bulk([create("first")]))[0]?.statusCode).toBe(201);
    await split(stage.server, container, { at: "middle" });
    const results = await container.items.bulk(ids.map(create));
    expect(results.map(({ statusCode }) => statusCode)).toEqual(ids.map(() => 201));
    await merge(stage.server, container, ...(await twoIds(container)));
    const reads = await container.items.bulk(
      ids.map((id) => ({ operationType: "Read", id, partitionKey: id }) as const),
    );
    expect(reads.map(({ statusCode }) => statusCode)).toEqual(ids.map(() => 200));
  });
});

describe("a session", () => {
  test("is good with the children of the physical partition it is from", async () => {
    const container = await openSamples();
    const written = await container.items.create({ id: "mine", pk: "mine", n: 1 });
    const { sessionToken } = written.headers as { readonly sessionToken?: string } & object;
    const token = String(sessionToken ?? written.headers["x-ms-session-token"]);
    for (let step = 0; step < 4; step++) {
      await reshape(container, step);
      const read = await afresh(container).item("mine", "mine").read({ sessionToken: token });
      expect(read.statusCode).toBe(200);
      expect(read.etag).toBe(written.etag);
    }
    const { partitionId } = await locate(stage.server, container, "mine");
    expect(token).not.toContain(`${partitionId}:`);
  });

  test("of after a split says more than one of before", async () => {
    const container = await openSamples();
    const before = (await reportOf(stage.server, container)).partitions[0]!;
    await split(stage.server, container);
    const { partitions } = await reportOf(stage.server, container);
    for (const { lsn, parents } of partitions) {
      expect(lsn).toBeGreaterThanOrEqual(before.lsn);
      expect(parents).toEqual([before.id]);
    }
  });
});

describe("a rate above what there is room for", () => {
  test("splits under load, and is in force then", async () => {
    const container = await openSamples();
    let isOver = false;
    const expected = new Map<string, number>();
    const workers = [
      countUp(container, "counter", expected, () => !isOver),
      askAround(container, 1, () => !isOver),
    ];
    const { resource, offer } = await container.readOffer();
    const content = { ...resource!.content!, offerThroughput: 45_000 };
    await offer!.replace({ ...resource!, content });
    await expect
      .poll(async () => (await offer!.read()).headers["x-ms-offer-replace-pending"])
      .toBe("false");
    isOver = true;
    await Promise.all(workers);
    const { throughput, partitions } = await reportOf(stage.server, container);
    expect(throughput.ratePerSecond).toBe(45_000);
    expect(partitions.map(({ allottedRate }) => allottedRate)).toEqual(Array(5).fill(9000));
    await expectAll(afresh(container), expected);
  });
});

describe("a hierarchical key", () => {
  test("is cut below its first level if it must be, never within a full key", async () => {
    const partitionKey = { paths: ["/tenant", "/user"], kind: "MultiHash", version: 2 } as const;
    const container = await openContainer(stage.database, { partitionKey: partitionKey as never });
    const users = Array.from({ length: 20 }, (_, index) => `user-${index}`);
    for (const user of users) {
      for (const id of ["1", "2"]) await container.items.create({ id, tenant: "t", user });
    }
    const query = "SELECT VALUE c.user FROM c WHERE c.tenant = 't' ORDER BY c.user";
    const iterator = container.items.query<string>(query, { maxItemCount: 6 });
    const found = [...(await iterator.fetchNext()).resources];
    await split(stage.server, container);
    const { partitions } = await reportOf(stage.server, container);
    expect(partitions.map(({ itemCount }) => itemCount)).toEqual([20, 20]);
    while (iterator.hasMoreResults()) found.push(...(await iterator.fetchNext()).resources);
    expect(found).toEqual(users.flatMap((user) => [user, user]).toSorted());
    for (const user of users) {
      const { itemCount } = await locate(stage.server, container, "t", user);
      expect(itemCount).toBe(2);
    }
  });
});

test("a restart finds the physical partitions as they were left", async () => {
  using directory = temporaryDirectory();
  const options = { data: directory.path };
  const before = await (async () => {
    await using first = await openStage(options);
    const { container } = await first.database.containers.create({
      id: "kept",
      partitionKey: "/pk",
    });
    await Promise.all(SAMPLES.map((sample) => container.items.create(sample)));
    const [left] = await split(first.server, container);
    await split(first.server, container, { partitionId: left! });
    await container.item("item-0", "pk-0").patch([{ op: "set", path: "/n", value: 0 }]);
    return placesOf(await reportOf(first.server, container));
  })();
  await using second = await openStage(options);
  const container = second.database.container("kept");
  expect(placesOf(await reportOf(second.server, container))).toEqual(before);
  for (const question of QUERIES) await expectAnswer(container, question);
});

function placesOf({ partitions }: Awaited<ReturnType<typeof reportOf>>) {
  return partitions.map(({ id, min, max, parents, lsn, itemCount }) => ({
    ...{ id, min, max, parents, lsn, itemCount },
  }));
}

function afresh({ id, database }: Container): Container {
  return clientOf(stage.server).database(database.id).container(id);
}

async function twoIds(container: Container): Promise<readonly [string, string]> {
  const [first, second] = await rangeIds(stage.server, container);
  return [first!, second!];
}
