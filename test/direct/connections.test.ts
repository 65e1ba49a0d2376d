/** What a connection in direct mode does with what is sent, and what it never does to others. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { encodeContext } from "../../src/protocol/rntbd/context.ts";
import { writeFrame } from "../../src/protocol/rntbd/frame.ts";
import { ITEMS, openWire, PARTITION_KEY } from "../http/wire.ts";
import { connectDirect } from "./directClient.ts";
import type { DirectStage } from "./stage.ts";
import { addressesOf, openDirectStage } from "./stage.ts";

const KEY = PARTITION_KEY;
let stage: DirectStage;
let replicaPath: string;

beforeAll(async () => {
  stage = await openDirectStage();
  replicaPath = (await stage.replicasOf("d", "c")).get("0")!;
});

afterAll(() => stage[Symbol.asyncDispose]());

const context = (): Buffer =>
  encodeContext({ version: "2020-07-15", userAgent: "t/1" }, randomUUID());
/** A request that says nothing but its number. */
const request = (word: number, id = 1): Buffer =>
  writeFrame({ word, activityId: randomUUID() }, [{ id: 0x4d, type: "ulong", value: id }]);
const READ_ITEM = 0x0003_0003;

test("a long request does not hold up those behind it", async () => {
  const body = "function () { const end = Date.now() + 300; while (Date.now() < end); }";
  const sprocs = ["dbs", "d", "colls", "c", "sprocs"];
  await stage.wire.call("POST", sprocs, { body: JSON.stringify({ id: "slow", body }) });
  const order: string[] = [];
  const { client } = stage;
  const slow = client
    .call("POST", [...sprocs, "slow"], { headers: KEY, body: "[]", replicaPath })
    .then(({ status }) => order.push(`slow ${status}`));
  const quick = client
    .call("GET", [...ITEMS, "kept"], { headers: KEY, replicaPath })
    .then(({ status }) => order.push(`quick ${status}`));
  await Promise.all([slow, quick]);
  expect(order).toEqual(["quick 200", "slow 200"]);
});

test("requests that come in one piece are all answered, and no more than room is for at a time", async () => {
  const answers = await Promise.all(
    Array.from({ length: 500 }, (_, index) =>
      stage.client.call("POST", ITEMS, {
        headers: { ...KEY, "x-ms-documentdb-is-upsert": "True" },
        body: JSON.stringify({ id: `piece ${index % 10}`, pk: "a" }),
        replicaPath,
      }),
    ),
  );
  expect(answers.every(({ status }) => status === 200 || status === 201)).toBe(true);
});

test("a body that is too large is refused, and the connection goes on", async () => {
  const body = JSON.stringify({ id: "large", pk: "a", text: "x".repeat(5 * 1024 * 1024) });
  const refused = await stage.client.call("POST", ITEMS, { headers: KEY, body, replicaPath });
  expect(refused.status).toBe(413);
  const read = await stage.client.call("GET", [...ITEMS, "kept"], { headers: KEY, replicaPath });
  expect(read.status).toBe(200);
});

test.each([
  ["a number that is no operation", 0x00ff_0003],
  ["a number that is no resource", 0x0003_00ff],
  ["no name of a resource", READ_ITEM],
])("%s: refused, and the connection goes on", async (_what, word) => {
  await using client = await connectDirect(stage.wire.server);
  client.socket.write(request(word));
  await expect.poll(() => client.others.length).toBe(2);
  expect(client.others[1]!.word).toBe(400);
  const { status } = await client.call("GET", [...ITEMS, "kept"], { headers: KEY, replicaPath });
  expect(status).toBe(200);
});

test.each([
  ["a request before the greeting", () => request(READ_ITEM)],
  [
    "a greeting of another version",
    () => writeFrame({ word: 0, activityId: randomUUID() }, [{ id: 0, type: "ulong", value: 2 }]),
  ],
  ["a second greeting", () => Buffer.concat([context(), context()])],
])("%s is refused with a body, and ends the connection", async (_what, bytes) => {
  await using client = await connectDirect(stage.wire.server, { isGreeting: false });
  client.socket.write(bytes());
  await client.ended;
  const refusal = client.others.at(-1)!;
  expect(refusal.word).toBe(400);
  expect(JSON.parse(String(refusal.body))).toMatchObject({ code: "BadRequest" });
});

test.each([
  ["a head of 4 GB", () => Buffer.concat([context(), Buffer.alloc(4, 0xff)])],
  [
    "a request without a number",
    () => Buffer.concat([context(), writeFrame({ word: READ_ITEM, activityId: randomUUID() }, [])]),
  ],
  [
    "a body of 4 GB",
    () => {
      const head = writeFrame({ word: READ_ITEM, activityId: randomUUID() }, [
        { id: 2, type: "byte", value: 1 },
      ]);
      return Buffer.concat([context(), head, Buffer.alloc(4, 0xff)]);
    },
  ],
])("%s ends the connection, and no other", async (_what, bytes) => {
  await using client = await connectDirect(stage.wire.server, { isGreeting: false });
  client.socket.write(bytes());
  await client.ended;
  const read = await stage.client.call("GET", [...ITEMS, "kept"], { headers: KEY, replicaPath });
  expect(read.status).toBe(200);
});

test("a connection that ends in the middle of a frame leaves nothing behind", async () => {
  for (let cut = 1; cut < 60; cut += 9) {
    await using client = await connectDirect(stage.wire.server);
    client.socket.write(request(READ_ITEM).subarray(0, cut));
  }
  await stage.wire.assertAlive();
});

test.each([
  ["a path that is no address", "/nowhere", 400, undefined],
  ["a range that is not there", "7", 410, "1007"],
  ["a container that is not the one of that name", "other", 410, "1000"],
])("%s: %s", async (_what, path, status, substatus) => {
  const elsewhere = (
    await stage.wire.call("POST", ["dbs", "d", "colls"], {
      body: '{"id":"other","partitionKey":{"paths":["/pk"]}}',
    })
  ).status;
  expect([201, 409]).toContain(elsewhere);
  const other = (await stage.replicasOf("d", "other")).get("0")!;
  const asked =
    path === "7"
      ? replicaPath.replace("/partitions/0/", "/partitions/7/")
      : path === "other"
        ? other
        : path;
  const refused = await stage.client.call("GET", [...ITEMS, "kept"], {
    headers: KEY,
    replicaPath: asked,
  });
  expect([refused.status, refused.headers["x-ms-substatus"]]).toEqual([status, substatus]);
});

test("a request that names the range that is gone learns that, and not to try again", async () => {
  const refused = await stage.client.call("GET", ITEMS, {
    headers: { "x-ms-documentdb-partitionkeyrangeid": "7" },
    replicaPath,
  });
  expect([refused.status, refused.headers["x-ms-substatus"]]).toEqual([410, "1002"]);
});

test("a server that closes answers what has come, and sends who comes later elsewhere", async () => {
  const closing = await openDirectStage();
  const path = (await closing.replicasOf("d", "c")).get("0")!;
  const made = closing.client.call("POST", ITEMS, {
    headers: KEY,
    body: '{"id":"last","pk":"a"}',
    replicaPath: path,
  });
  expect((await made).status).toBe(201);
  const closed = closing.wire.server.close({ quietMs: 300 });
  const late = await closing.client.call("GET", [...ITEMS, "kept"], {
    headers: KEY,
    replicaPath: path,
  });
  expect([200, 410]).toContain(late.status);
  await closed;
  await closing.client.ended;
});

test("a server without direct mode says what to do, and takes no frames", async () => {
  await using wire = await openWire({ memory: true, direct: false });
  const listed = await wire.call("GET", ["dbs"], { path: "/addresses/?$resolveFor=dbs" });
  expect(listed.status).toBe(400);
  expect(String(listed.body)).toContain("gatewayMode()");
  await using client = await connectDirect(wire.server, { isGreeting: false });
  client.socket.write(context());
  await client.ended;
});

test("replicas are addressed at the host and port by which the client came", async () => {
  const addresses = await addressesOf(stage.wire, "d", "c", "&$partitionKeyRangeIds=0,9");
  const { port } = stage.wire.server;
  expect(addresses.map(({ isPrimary }) => isPrimary)).toEqual([true, false]);
  for (const { physcialUri, partitionKeyRangeId } of addresses) {
    expect(physcialUri).toMatch(new RegExp(`^rntbd://127.0.0.1:${port}/apps/.*/$`));
    expect(partitionKeyRangeId).toBe("0");
  }
});
