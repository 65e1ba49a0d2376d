/**
 * Keys that have their hash in common. Old definitions look at the first hundred characters of a
 * key only, so that two long ones may be told apart by nothing; and for a key of a new definition
 * anybody can make up another one with the same hash, in seconds. Nobody writes to the items of
 * another key by that: an id that is taken there is taken, and what is there is not found.
 */
import type { Container } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Stage } from "./stage.ts";
import { openContainer, openStage, refusalOf } from "./stage.ts";

const LONG = "x".repeat(101);
const CASES = [
  { about: "by their beginning", version: 1, own: `${LONG}1`, other: `${LONG}2` },
  {
    about: "made up",
    version: 2,
    own: "a",
    other: "wbml6ntmzw4cs56m64fy9bftwnyy3yuY;XcN\u0019|,td,\u0004lS\u0014",
  },
] as const;

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

describe.each(CASES)("two keys of one hash, $about", ({ version, own, other }) => {
  let container: Container;
  beforeAll(async () => {
    container = await openContainer(stage.database, { partitionKey: { paths: ["/pk"], version } });
    await container.items.create({ id: "1", pk: own, n: 1 });
  });

  test("an id that is taken under one is taken under the other", async () => {
    for (const attempt of [
      container.items.create({ id: "1", pk: other }),
      container.items.upsert({ id: "1", pk: other }),
    ]) {
      expect(await refusalOf(attempt)).toMatchObject({ status: 409, substatus: 3302 });
    }
    const [result] = await container.items.bulk([
      { operationType: "Upsert", partitionKey: other, resourceBody: { id: "1", pk: other } },
    ]);
    expect(result?.statusCode).toBe(409);
  });

  test("an item of one cannot be changed under the other", async () => {
    const item = container.item("1", other);
    for (const attempt of [
      item.replace({ id: "1", pk: other }),
      item.patch([{ op: "set", path: "/n", value: 2 }]),
      item.delete(),
    ]) {
      expect((await refusalOf(attempt)).status).toBe(404);
    }
    const batch = await container.items.batch([{ operationType: "Delete", id: "1" }], other);
    expect(batch.result?.map(({ statusCode }) => statusCode)).toEqual([404]);
    expect((await container.item("1", own).read()).resource).toMatchObject({ pk: own, n: 1 });
  });

  test("all items of one go without those of the other", async () => {
    await container.items.create({ id: "3", pk: other });
    await container.deleteAllItemsForPartitionKey(other);
    expect((await container.item("3", other).read()).statusCode).toBe(404);
    expect((await container.item("1", own).read()).statusCode).toBe(200);
  });

  test("each has items of its own beside the other's", async () => {
    const mine = container.item("2", other);
    await container.items.create({ id: "2", pk: other });
    expect((await mine.replace({ id: "2", pk: other, n: 3 })).statusCode).toBe(200);
    expect((await container.items.upsert({ id: "2", pk: other, n: 4 })).statusCode).toBe(200);
    expect((await mine.delete()).statusCode).toBe(204);
    const changed = await container.item("1", own).replace({ id: "1", pk: own, n: 1 });
    expect(changed.statusCode).toBe(200);
  });
});
