/**
 * What a patched item must still be: as large, as deep and as long-lived as an item may be, and
 * under its own unique values. A patch that leads beyond is refused and changes nothing.
 */
import type { Container, PatchOperation } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Stage } from "./stage.ts";
import { openContainer, openStage, refusalOf } from "./stage.ts";

let stage: Stage;
let container: Container;
beforeAll(async () => {
  stage = await openStage();
  container = await openContainer(stage.database, { defaultTtl: -1 });
});
afterAll(() => stage[Symbol.asyncDispose]());

const MIB = 1024 * 1024;
const DEPTH_MAX = 128;

/** As many objects as said, one in the other. */
function nested(depth: number): unknown {
  return depth === 0 ? 1 : { a: nested(depth - 1) };
}

async function expectUnchanged(id: string, operations: PatchOperation[], status: number) {
  const item = container.item(id, "a");
  const { resource } = await item.read();
  const refusal = await refusalOf(item.patch(operations));
  expect(refusal.status).toBe(status);
  expect((await item.read()).resource).toEqual(resource);
}

describe("a patched item", () => {
  test("may have 2 MiB, and not more, however small the patch is", async () => {
    await container.items.create({ id: "large", pk: "a", text: "x".repeat(1.5 * MIB) });
    const item = container.item("large", "a");
    const more: PatchOperation = { op: "set", path: "/more", value: "y".repeat(0.4 * MIB) };
    expect((await item.patch([more])).statusCode).toBe(200);
    await expectUnchanged("large", [{ ...more, path: "/evenMore" }], 413);
    expect((await item.patch([{ ...more, value: "" }])).statusCode).toBe(200);
    expect((await item.patch([{ ...more, path: "/evenMore" }])).statusCode).toBe(200);
  });

  test("may be 128 levels deep, and not more, by value or by path", async () => {
    await container.items.create({ id: "deep", pk: "a" });
    const item = container.item("deep", "a");
    const deepest = nested(DEPTH_MAX - 1) as never;
    for (const body of [
      [{ op: "set", path: "/v", value: deepest }],
      { operations: [{ op: "set", path: "/v", value: deepest }] },
    ]) {
      expect((await item.patch(body as PatchOperation[])).statusCode).toBe(200);
    }
    const bottom = `/v${"/a".repeat(DEPTH_MAX - 1)}`;
    expect((await item.patch([{ op: "incr", path: bottom, value: 1 }])).statusCode).toBe(200);
    await expectUnchanged("deep", [{ op: "set", path: bottom, value: [] }], 400);
    await expectUnchanged("deep", [{ op: "move", from: "/v", path: "/w/v" } as never], 400);
    const tooDeep = nested(DEPTH_MAX) as never;
    await expectUnchanged("deep", [{ op: "set", path: "/v", value: tooDeep }], 400);
    await expectUnchanged("deep", [{ op: "set", path: "/a".repeat(200), value: 1 }], 400);
  });

  test("may be given a time to live, and lose it", async () => {
    await container.items.create({ id: "mortal", pk: "a" });
    const item = container.item("mortal", "a");
    const live = (value: unknown): PatchOperation[] => [
      { op: "set", path: "/ttl", value } as never,
    ];
    expect((await item.patch(live(3600))).resource?.["ttl"]).toBe(3600);
    expect((await item.patch(live(-1))).resource?.["ttl"]).toBe(-1);
    expect((await item.patch([{ op: "remove", path: "/ttl" }])).statusCode).toBe(200);
    for (const value of [0, -2, 1.5, "60", null, 2 ** 31]) {
      await expectUnchanged("mortal", live(value), 400);
    }
    expect((await item.patch(live(1))).statusCode).toBe(200);
    const status = async () => (await item.read()).statusCode;
    await expect.poll(status, { interval: 100 }).toBe(404);
    expect((await refusalOf(item.patch(live(60)))).status).toBe(404);
  });

  test("has a new etag, and keeps its identity", async () => {
    const { resource: before } = await container.items.create({ id: "same", pk: "a", n: 1 });
    const item = container.item("same", "a");
    const { resource, etag } = await item.patch([{ op: "incr", path: "/n", value: 1 }]);
    expect(resource).toMatchObject({ _rid: before!._rid, _self: before!._self, n: 2 });
    expect(resource?._etag).not.toBe(before!._etag);
    expect(etag).toBe(resource?._etag);
    const stale = { accessCondition: { type: "IfMatch", condition: before!._etag } };
    const again = item.patch([{ op: "incr", path: "/n", value: 1 }], stale);
    expect((await refusalOf(again)).status).toBe(412);
    expect((await item.read()).resource).toEqual(resource);
  });

  test("was patched by all who incremented it", async () => {
    await container.items.create({ id: "counter", pk: "a" });
    const item = container.item("counter", "a");
    const one: PatchOperation[] = [{ op: "incr", path: "/n", value: 1 }];
    await Promise.all(Array.from({ length: 50 }, () => item.patch(one)));
    expect((await item.read()).resource?.["n"]).toBe(50);
  });

  test("keeps a partition key that lies below what is set", async () => {
    const inner = await openContainer(stage.database, { partitionKey: { paths: ["/t/k"] } });
    await inner.items.create({ id: "item", t: { k: "a", n: 1 } });
    const item = inner.item("item", "a");
    const moves: readonly PatchOperation[] = [
      { op: "set", path: "/t/k", value: "b" },
      { op: "set", path: "/t", value: { k: "b" } },
      { op: "remove", path: "/t" },
      { op: "move", from: "/t", path: "/u" } as never,
    ];
    for (const move of moves) expect((await refusalOf(item.patch([move]))).status).toBe(400);
    const kept = await item.patch([{ op: "incr", path: "/t/n", value: 1 }]);
    expect(kept.resource?.["t"]).toEqual({ k: "a", n: 2 });
  });
});
