/** The campaign finds what it is for: servers with one bug each. */
import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { seededRandom } from "../../src/base/world.ts";
import { BAD_CLIENTS } from "./badClients.ts";
import { runCampaign } from "./campaign.ts";

const ACTIVITY_ID = "00000000-0000-0000-0000-000000000000";
const TOO_MANY = 1_000_000;

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

function answer(response: ServerResponse, status: number, headers = {}, message = "why"): void {
  const body = JSON.stringify({ code: "Code", message });
  response.writeHead(status, {
    "x-ms-activity-id": ACTIVITY_ID,
    "content-length": body.length,
    ...headers,
  });
  response.end(body);
}

/** Serves a good client, refuses strangers at once, and waits for bodies. */
const decent: Serve = (request, response) => {
  if (request.headers.authorization === undefined) {
    answer(response, 401, { connection: "close" });
    return;
  }
  if (Number(request.headers["content-length"] ?? 0) > 1_000_000) {
    answer(response, 413, { connection: "close" });
    return;
  }
  request.resume();
  request.on("end", () => answer(response, request.method === "GET" ? 200 : 201));
};

const named = (...names: readonly string[]) =>
  BAD_CLIENTS.filter(({ name }) => names.includes(name));

async function findingsOf(
  serve: Serve,
  names: readonly string[],
  { descriptorCount = (): number => 0, prepare = (_server: Server): void => undefined } = {},
): Promise<readonly string[]> {
  const server = createServer({ requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 }, serve);
  prepare(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const target = { port, key: "a2V5", deadlineMs: 60_000, descriptorCount };
  const clients = named(...names);
  expect(clients).toHaveLength(names.length);
  const { findings } = await runCampaign(target, {
    clients,
    crowd: clients.length,
    rounds: 1,
    random: seededRandom(1),
    patienceMs: 500,
  });
  server.closeAllConnections();
  server.close();
  return findings;
}

const STOPS = "stops in a body that it may send";
const STRANGER = "stops in a body as a stranger";

test("a server without a fault is found without a fault", async () => {
  const names = [STRANGER, "announces too much", "is gone in its body"];
  expect(await findingsOf(decent, names)).toEqual([]);
});

test("bodies that are waited for without end", async () => {
  expect(await findingsOf(decent, [STOPS])).toEqual([`who ${STOPS} is held`]);
});

test("headers that are waited for without end", async () => {
  const name = "drips its headers";
  expect(await findingsOf(decent, [name])).toEqual([`who ${name} is held`]);
});

test("a refusal without an activity id, or without words", async () => {
  const terse: Serve = (request, response) => {
    if (request.headers.authorization !== undefined) decent(request, response);
    else response.writeHead(401, { connection: "close", "content-length": 0 }).end();
  };
  expect(await findingsOf(terse, [STRANGER])).toEqual([
    `who ${STRANGER} gets 401 without an activity id`,
  ]);
  const numbered: Serve = (request, response) => {
    response.setHeader("x-ms-activity-id", ACTIVITY_ID);
    terse(request, response);
  };
  expect(await findingsOf(numbered, [STRANGER])).toEqual([
    `who ${STRANGER} gets 401 without a code and a message`,
  ]);
});

test("a connection that is cut instead of answered", async () => {
  const rude: Serve = (request, response) => {
    if (Number(request.headers["content-length"] ?? 0) > 1_000_000) request.socket.destroy();
    else decent(request, response);
  };
  const name = "announces too much";
  expect(await findingsOf(rude, [name])).toEqual([`who ${name} gets []`]);
});

test("a go-ahead before the refusal", async () => {
  const eager: Serve = (request, response) => {
    response.writeContinue();
    decent(request, response);
  };
  const name = "waits for a go-ahead as a stranger";
  const prepare = (server: Server): void => void server.on("checkContinue", eager);
  expect(await findingsOf(decent, [name], { prepare })).toEqual([`who ${name} gets [100,401]`]);
});

test("a good client that is turned away while there are others", async () => {
  let isBusy = false;
  const single: Serve = (request, response) => {
    if (request.headers["content-length"] === "1000") isBusy = true;
    else if (isBusy) request.socket.destroy();
    else decent(request, response);
  };
  expect(await findingsOf(single, [STOPS])).toEqual([
    "a good client gets ECONNRESET",
    `who ${STOPS} is held`,
  ]);
});

test("descriptors that do not come back", async () => {
  let count = 10;
  const descriptorCount = (): number => {
    const now = count;
    count = TOO_MANY;
    return now;
  };
  expect(await findingsOf(decent, [STRANGER], { descriptorCount })).toEqual([
    `${TOO_MANY} files are open; there were 10`,
  ]);
});
