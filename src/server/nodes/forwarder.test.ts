/** From one node to another, without a database: what is handed on, and how an attempt ends. */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, expect, test } from "vitest";
import { Connections } from "../connections/connections.ts";
import { originOf } from "../http/origin.ts";
import { Outbox } from "../http/outbox.ts";
import { realClock, realTimer } from "../surroundings/realWorld.ts";
import { Errand } from "./errand.ts";
import { Forwarder } from "./forwarder.ts";
import { NodePort, refuseToWork } from "./nodePort.ts";

const SECRET = Buffer.alloc(32, 7);
const ACTIVITY = "0123abcd-0000-4000-8000-0123456789ab";

let closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.toReversed()) await close();
  closers = [];
});

interface Stage {
  /** What the other node does with a request. */
  readonly take: (request: IncomingMessage, response: ServerResponse) => void;
  readonly secret?: Buffer;
}

/** A node that forwards everything, and says in a header how the attempt ended. */
async function stage({ take, secret = SECRET }: Stage) {
  const failures: string[] = [];
  const port = await NodePort.open({
    host: "127.0.0.1",
    port: 0,
    secret,
    take,
    takeBinary: () => false,
    onFailure: (reason) => failures.push(reason),
  });
  const outbox = new Outbox(realTimer, (defect) => {
    throw defect;
  });
  const connections = new Connections({
    clock: realClock,
    timer: realTimer,
    log: () => undefined,
    deadlines: { headMs: 10_000, bodyMs: 60_000, idleMs: 130_000 },
    connectionsMax: 100,
  });
  const parts = { outbox, connections, timer: realTimer };
  const forwarder = new Forwarder({ name: "near", secret: SECRET, ...parts });
  const target = { name: "far", host: "127.0.0.1", port: port.port };
  const ends: string[] = [];
  const front = createServer((asked, response) => {
    const errand = new Errand(asked, response, ACTIVITY);
    void forwarder.attempt(errand, target).then((end) => {
      ends.push(end);
      if (end !== "answered") response.writeHead(599).end();
    });
  });
  front.listen(0, "127.0.0.1");
  await once(front, "listening");
  closers.push(
    () => port.close(),
    () => forwarder.close(),
    () => {
      front.closeAllConnections();
      front.close();
    },
  );
  const { port: frontPort } = front.address() as AddressInfo;
  const ask = async (method: string, headers: Record<string, string>, body: string) => {
    const terms = { port: frontPort, host: "127.0.0.1", path: "/dbs?x=1", method, headers };
    const asking = request({ ...terms, agent: false });
    // As bytes: a text would be joined to the head, in its own coding.
    asking.end(Buffer.from(body));
    const [answer] = (await once(asking, "response")) as [IncomingMessage];
    return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
  };
  return { ask, ends, failures, frontPort, port };
}

test("what a client says of its connection, or as a node, goes no further", async () => {
  const heard: unknown[] = [];
  const { ask } = await stage({
    take: (asked, response) => {
      const { method, url, headers } = asked;
      heard.push({ method, url, origin: originOf(asked), headers });
      asked.resume();
      response.writeHead(200, { "x-answer": "1", "keep-alive": "timeout=1" }).end("fine");
    },
  });
  const answer = await ask(
    "POST",
    {
      host: "client.example",
      "orrery-forwarded": "from=x&for=127.0.0.1",
      "x-ms-activity-id": "mine",
      connection: "x-hop",
      "x-hop": "1",
      te: "trailers",
      "x-kept": "é",
    },
    "body",
  );
  expect(answer).toMatchObject({ status: 200, body: "fine", headers: { "x-answer": "1" } });
  const [told] = heard as [{ headers: Record<string, string>; origin: object }];
  expect(told).toMatchObject({ method: "POST", url: "/dbs?x=1" });
  expect(told.origin).toEqual({ remoteAddress: "127.0.0.1", isSecure: false });
  expect(told.headers).toMatchObject({ host: "client.example", "x-ms-activity-id": ACTIVITY });
  expect(Object.keys(told.headers)).not.toContain("x-hop");
  expect(Object.keys(told.headers)).not.toContain("te");
  expect(told.headers["x-kept"]).toBe("é");
});

test("bodies and answers of any length and framing come through whole", async () => {
  const { ask } = await stage({
    take: (asked, response) => {
      void text(asked).then((body) => response.writeHead(200).end(body + body));
    },
  });
  for (const length of [0, 1, 70_000, 1_500_000]) {
    const body = "x".repeat(length);
    expect((await ask("POST", { "transfer-encoding": "chunked" }, body)).body).toBe(body + body);
    const sized = { "content-length": String(length) };
    expect((await ask("PUT", sized, body)).body).toBe(body + body);
  }
});

test.each([
  ["refused", refuseToWork],
  ["lost", (asked: IncomingMessage) => void asked.socket.destroy()],
] as const)("an attempt is %s, and the client has heard nothing", async (end, take) => {
  const { ask, ends } = await stage({ take });
  expect((await ask("POST", {}, "body")).status).toBe(599);
  expect(ends).toEqual([end]);
});

test("a node that is gone, or has another secret, is not reached", async () => {
  const gone = await stage({ take: refuseToWork });
  await gone.port.close();
  closers.shift();
  expect((await gone.ask("POST", {}, "body")).status).toBe(599);
  const other = await stage({ take: refuseToWork, secret: Buffer.alloc(32, 8) });
  expect((await other.ask("POST", {}, "body")).status).toBe(599);
  expect([...gone.ends, ...other.ends]).toEqual(["unreached", "unreached"]);
  expect(other.failures).not.toEqual([]);
});

test("an answer that breaks off breaks off for the client, too", async () => {
  const { frontPort } = await stage({
    take: (asked, response) => {
      asked.resume();
      response.writeHead(200, { "content-length": "1000000" });
      response.write("x".repeat(1000), () => response.destroy());
    },
  });
  const socket = connect(frontPort, "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
  const heard = await text(socket);
  expect(heard).toContain("content-length: 1000000");
  expect(heard.length).toBeLessThan(100_000);
});
