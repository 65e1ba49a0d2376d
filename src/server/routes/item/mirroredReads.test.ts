/** Requests of clients to a container that is mirrored: the mirror is told of every read. */
import { expect, test } from "vitest";
import type { StagedItem } from "../../../engine/mirror/mirrorStage.fake.ts";
import { MirrorStage } from "../../../engine/mirror/mirrorStage.fake.ts";
import { decodeRequest } from "../../../protocol/request/decodeRequest.ts";
import { parseResourcePath } from "../../../protocol/request/resourcePath.ts";
import type { WireAnswer } from "../../../protocol/wire/wire.ts";
import { answer } from "../gateway.ts";
import { contextFor } from "../requestContext.fake.ts";

const item = (n: number): StagedItem => ({ id: `i${n}`, tenant: "t", user: `u${n}`, n });

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

async function send(stage: MirrorStage, { method, url, headers = {}, body }: Sent) {
  const { account } = stage.simulated;
  const bytes = Buffer.from(body === undefined ? "" : JSON.stringify(body));
  const path = parseResourcePath(`/dbs/d/colls/source/docs${url}`)!;
  const request = decodeRequest({ method, path, headers, body: bytes }, account);
  return answer(account, contextFor("x"), request);
}

const KEY = { "x-ms-documentdb-partitionkey": '["t"]' };
const QUERY = { "x-ms-documentdb-isquery": "true", "content-type": "application/query+json" };
const BULK = { "x-ms-cosmos-is-batch-request": "true", "x-ms-cosmos-batch-atomic": "false" };

test.each<[string, Sent, readonly string[]]>([
  ["a point read", { method: "GET", url: "/i1", headers: KEY }, ["point read"]],
  [
    "a point read in a bulk request",
    {
      method: "POST",
      url: "",
      headers: BULK,
      body: [{ operationType: "Read", id: "i1", partitionKey: '["t"]' }],
    },
    ["point read"],
  ],
  [
    "a query of one key",
    {
      method: "POST",
      url: "",
      headers: { ...KEY, ...QUERY },
      body: { query: "SELECT * FROM c WHERE c.n > 1" },
    },
    ["SELECT * FROM c WHERE (c.n > ?)"],
  ],
  [
    "a query of one range",
    {
      method: "POST",
      url: "",
      headers: { "x-ms-documentdb-partitionkeyrangeid": "0", ...QUERY },
      body: { query: "SELECT * FROM c" },
    },
    ["SELECT * FROM c"],
  ],
  [
    "a query that leaves it to its filter",
    {
      method: "POST",
      url: "",
      headers: { "x-ms-documentdb-query-enablecrosspartition": "true", ...QUERY },
      body: {
        query: "SELECT * FROM c WHERE c.tenant = @t",
        parameters: [{ name: "@t", value: "t" }],
      },
    },
    ["SELECT * FROM c WHERE (c.tenant = ?)"],
  ],
])("%s is run on the target, and its answer is the one without", async (_what, sent, shapes) => {
  const stage = await MirrorStage.open();
  for (let n = 0; n < 4; n++) await stage.write(item(n));
  const shown = ({ status, body }: WireAnswer): unknown => [status, String(body)];
  const plain = shown(await send(stage, sent));
  stage.start();
  expect(shown(await send(stage, sent))).toEqual(plain);
  const report = await stage.rest();
  expect(report.shapes.map(({ shape }) => shape)).toEqual(shapes);
  expect(report.shapes).toMatchObject([{ liveCount: 1, runCount: 1, matchCount: 1 }]);
});

test("what is refused, and what is no read of items, is not run", async () => {
  const stage = await MirrorStage.open();
  await stage.write(item(1));
  stage.start();
  const statuses = [
    await send(stage, { method: "GET", url: "/none", headers: KEY }),
    await send(stage, { method: "GET", url: "", headers: {} }),
    await send(stage, { method: "POST", url: "", headers: QUERY, body: { query: "SELEC" } }),
  ].map(({ status }) => status);
  expect(statuses).toEqual([404, 200, 400]);
  const { shapes } = await stage.rest();
  // Clients pay for asking in vain, so that is counted.
  expect(shapes).toMatchObject([{ shape: "point read", liveCount: 1, runCount: 0 }]);
});
