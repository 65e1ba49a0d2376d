/**
 * Groups in FROM that are sorted, as libraries write them that filter and sort what they have
 * aggregated. The service answers them for one key, and for all keys of one physical partition.
 */
import type { Container, FeedOptions } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { split } from "./inside.ts";
import type { Stage } from "./stage.ts";
import { openContainer, openStage } from "./stage.ts";

const GROUPS =
  'SELECT * FROM (SELECT COUNT(1) AS n, c["color"] FROM c GROUP BY c["color"]) agg ' +
  'WHERE (agg["n"] > @least) ORDER BY agg["color"] DESC OFFSET 0 LIMIT 100';

let stage: Stage;
let container: Container;
beforeAll(async () => {
  stage = await openStage();
  container = await openContainer(stage.database);
  for (let n = 0; n < 12; n++) {
    const color = ["red", "green", "blue"][n % 3]!;
    await container.items.create({ id: `${n}`, pk: `p${n % 4}`, color });
  }
});
afterAll(() => stage[Symbol.asyncDispose]());

const asked = (options?: FeedOptions) => {
  const parameters = [{ name: "@least", value: 0 }];
  return container.items.query({ query: GROUPS, parameters }, options);
};

const colors = (n: number) => ["red", "green", "blue"].map((color) => ({ n, color }));

describe("groups in FROM that are sorted", () => {
  test.each([
    ["of one key", { partitionKey: "p1" }, 1],
    ["of all keys of one physical partition", {}, 4],
    ["of all its keys, by a plan", { forceQueryPlan: true }, 4],
    ["of all its keys, page by page", { maxItemCount: 1 }, 4],
  ])("%s", async (_, options, n) => {
    const { resources } = await asked(options).fetchAll();
    expect(resources).toEqual(colors(n));
  });

  test("are refused across partitions, also in the middle of an answer", async () => {
    const begun = asked({ maxItemCount: 1 });
    expect((await begun.fetchNext()).resources).toEqual([{ n: 4, color: "red" }]);
    await split(stage.server, container);
    await expect(begun.fetchAll()).rejects.toMatchObject({ code: 400 });
    await expect(asked().fetchAll()).rejects.toMatchObject({ code: 400 });
    const { resources } = await asked({ partitionKey: "p1" }).fetchAll();
    expect(resources).toEqual(colors(1));
  });
});
