/**
 * Continuations in the hands of the official client: it wraps ours in its own, sends the one of a
 * range to the children after a split, and changes the text of an order when it goes on. All of
 * that must work; a continuation of something else must not. After a merge this client asks for one
 * half of the whole only, whatever it is answered, so merges are tried without it (`test/http`).
 */
import type { Container, FeedOptions, ItemDefinition } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { split } from "./inside.ts";
import type { Stage } from "./stage.ts";
import { clientOf, openContainer, openStage, refusalOf, temporaryDirectory } from "./stage.ts";

const COUNT = 60;

interface Sample extends ItemDefinition {
  readonly id: string;
  readonly pk: string;
  readonly n: number;
}

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

/** `m` grows with `n`: the client's own condition for two columns asks no more than that. */
async function openSamples(): Promise<Container> {
  const { container } = await stage.database.containers.create({
    id: `samples-${++sampleCount}`,
    partitionKey: { paths: ["/pk"] },
    indexingPolicy: {
      compositeIndexes: [
        [
          { path: "/n", order: "ascending" },
          { path: "/m", order: "ascending" },
        ],
      ],
    },
  });
  const samples = Array.from({ length: COUNT }, (_, n) => ({
    id: `item-${n}`,
    pk: `pk-${n % 13}`,
    n,
    m: `it's ${String(n).padStart(3, "0")}`,
  }));
  await Promise.all(samples.map((sample) => container.items.create(sample)));
  await split(stage.server, container);
  return container;
}

let sampleCount = 0;

/** Of a client that knows nothing yet. */
function afresh({ id, database }: Container, { server } = stage): Container {
  return clientOf(server).database(database.id).container(id);
}

const NUMBERS = Array.from({ length: COUNT }, (_, n) => n);

describe("a query that goes on with another client for every page", () => {
  test.each([
    ["without an order", "SELECT VALUE c.n FROM c WHERE c.n >= 0", NUMBERS],
    ["up", "SELECT VALUE c.n FROM c ORDER BY c.n", NUMBERS],
    ["down", "SELECT VALUE c.n FROM c ORDER BY c.n DESC", NUMBERS.toReversed()],
    ["with a filter", "SELECT VALUE c.n FROM c WHERE c.n > 20 ORDER BY c.n", NUMBERS.slice(21)],
    ["by text", "SELECT VALUE c.n FROM c WHERE c.n > 20 ORDER BY c.m", NUMBERS.slice(21)],
    ["by two columns", "SELECT VALUE c.n FROM c ORDER BY c.n, c.m", NUMBERS],
    [
      "by two columns with a filter",
      "SELECT VALUE c.n FROM c WHERE c.n > 20 ORDER BY c.n, c.m",
      NUMBERS.slice(21),
    ],
  ])("%s, while ranges are split", async (name, query, expected) => {
    const container = await openSamples();
    const found: number[] = [];
    let continuationToken: string | undefined;
    for (let page = 0; page === 0 || continuationToken !== undefined; page++) {
      const options: FeedOptions = { maxItemCount: 3, enableQueryControl: true };
      if (continuationToken !== undefined) options.continuationToken = continuationToken;
      const iterator = afresh(container).items.query<number>(query, options);
      const answer = await iterator.fetchNext();
      found.push(...(answer.resources ?? []));
      continuationToken = answer.continuationToken;
      // Seldom enough that a range gives several pages before it is split.
      if (page === 6 || page === 12) await split(stage.server, container);
      expect(page, "it does not end").toBeLessThan(200);
    }
    const isOrdered = name !== "without an order";
    expect(isOrdered ? found : found.toSorted((a, b) => a - b)).toEqual(expected);
  });
});

describe("a continuation of the client's direct way", () => {
  const QUERY = "SELECT VALUE c.n FROM c WHERE c.n >= @least";
  const spec = (query: string, least: number) => ({
    query,
    parameters: [{ name: "@least", value: least }],
  });

  test("is good for its query, and for no other", async () => {
    const container = await openSamples();
    const other = await openSamples();
    const options = { maxItemCount: 4, partitionKey: "pk-1" };
    const asked = container.items.query<number>(spec(QUERY, 0), options);
    const { continuationToken, resources } = await asked.fetchNext();
    expect(resources).toEqual([1, 14, 27, 40]);
    const next = (
      from: Container,
      query: string,
      { least = 0, key = "pk-1", token = continuationToken } = {},
    ) =>
      afresh(from)
        .items.query<number>(spec(query, least), {
          ...options,
          partitionKey: key,
          continuationToken: token!,
        })
        .fetchNext();
    expect((await next(container, QUERY)).resources).toEqual([53]);
    const others = [
      next(container, `${QUERY} ORDER BY c.n`),
      next(container, "SELECT VALUE c.id FROM c WHERE c.n >= @least"),
      next(container, QUERY, { least: 1 }),
      next(container, QUERY, { key: "pk-2" }),
      next(container, QUERY, { token: continuationToken!.replace("n", "N") }),
      next(other, QUERY),
    ];
    for (const attempt of others) {
      const { status, message } = await refusalOf(attempt);
      expect(status).toBe(400);
      expect(message).toContain("Send it back unchanged with the same request, or begin again");
    }
  });

  test("survives a restart of the server, and is worth nothing to another one", async () => {
    using directory = temporaryDirectory();
    const first = await openStage({ data: directory.path });
    const container = await openContainer(first.database);
    for (const n of [1, 2, 3, 4]) await container.items.create({ id: `${n}`, pk: "a", n });
    const options = { maxItemCount: 2, partitionKey: "a" };
    const query = "SELECT VALUE c.n FROM c";
    const page = await container.items.query<number>(query, options).fetchNext();
    const all = await container.items.readAll<Sample>({ maxItemCount: 3 }).fetchNext();
    await first[Symbol.asyncDispose]();
    await using second = await openStage({ data: directory.path });
    const again = afresh(container, second);
    const goOn = { ...options, continuationToken: page.continuationToken! };
    expect((await again.items.query<number>(query, goOn).fetchNext()).resources).toEqual([3, 4]);
    const rest = again.items.readAll<Sample>({ continuationToken: all.continuationToken! });
    expect((await rest.fetchNext()).resources.map(({ n }) => n)).toEqual([4]);

    await using stranger = await openStage();
    const made = await openContainer(stranger.database);
    for (const n of [1, 2, 3, 4]) await made.items.create({ id: `${n}`, pk: "a", n });
    const { status } = await refusalOf(made.items.query<number>(query, goOn).fetchNext());
    expect(status).toBe(400);
  });
});
