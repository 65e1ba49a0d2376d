/**
 * A receiver on loopback, and waits that the test lets pass by hand: an attempt's five seconds and
 * the pauses between attempts are never really waited for.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { millis } from "../base/units.ts";
import type { Timer } from "../base/world.ts";
import { parseWebhookUrls } from "./surroundings/webhookUrls.ts";
import { Webhook } from "./webhook.ts";

type Answer = (response: ServerResponse) => void;

const fine: Answer = (response) => response.writeHead(204).end();
const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(code, headers).end("no");
const silence: Answer = () => undefined;
const hangUp: Answer = (response) => response.destroy();
const endless: Answer = (response) => response.writeHead(200).write("still talking");

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

describe("delivery", () => {
  test("a message arrives as a JSON post", async () => {
    const { receiver, webhook, log } = await setUp([fine]);
    webhook.send({ event: "raised", at: 7 });
    const [got] = await receiver.received(1);
    expect(got).toMatchObject({
      method: "POST",
      url: "/hook?x=1",
      body: { event: "raised", at: 7 },
    });
    expect(got?.headers["content-type"]).toBe("application/json");
    expect(log).toEqual([]);
  });

  test("messages arrive in order, one at a time", async () => {
    const { receiver, webhook } = await setUp([fine]);
    for (let number = 0; number < 10; number += 1) webhook.send(number);
    const got = await receiver.received(10);
    expect(got.map(({ body }) => body)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(receiver.concurrentMax()).toBe(1);
  });

  test("an answer without an end is an answer, and does not hold up the next message", async () => {
    const { receiver, webhook, log } = await setUp([endless]);
    webhook.send(1);
    webhook.send(2);
    await receiver.received(2);
    expect(log).toEqual([]);
  });

  test("a receiver that is down does not hold up another", async () => {
    const { receiver, webhook } = await setUp([fine], ["http://127.0.0.1:1/"]);
    webhook.send("still");
    expect((await receiver.received(1))[0]?.body).toBe("still");
  });

  test("user and password of the URL are sent, and not logged", async () => {
    const { receiver, log } = await setUp([status(401)]);
    const url = new URL(receiver.url.href);
    url.username = "ada";
    url.password = "secret";
    const { webhook } = made([url], log);
    webhook.send(1);
    const [got] = await receiver.received(1);
    expect(got?.headers.authorization).toBe(`Basic ${btoa("ada:secret")}`);
    await until(() => log.length === 1);
    expect(JSON.stringify(log)).not.toContain("secret");
  });
});

describe("when it does not work", () => {
  test.each([
    ["an overloaded receiver", status(503)],
    ["one that is asked too often", status(429)],
    ["one that hangs up", hangUp],
  ])("%s is tried again, after longer and longer pauses", async (_, answer) => {
    const { receiver, webhook, timer, log } = await setUp([answer, answer, answer, fine]);
    webhook.send("late");
    for (const pause of [1000, 4000, 16_000]) await timer.pass(pause);
    const got = await receiver.received(4);
    expect(got.map(({ body }) => body)).toEqual(["late", "late", "late", "late"]);
    expect(log).toEqual([]);
  });

  test("after the fourth attempt a message is given up, and the next has its turn", async () => {
    const { receiver, webhook, timer, log } = await setUp([
      ...Array.from({ length: 4 }, () => status(500)),
      fine,
    ]);
    webhook.send("lost");
    webhook.send("next");
    for (const pause of [1000, 4000, 16_000]) await timer.pass(pause);
    const got = await receiver.received(5);
    expect(got.at(-1)?.body).toBe("next");
    expect(log).toEqual([
      ["webhookFailed", { host: receiver.url.host, problem: "answered 500", lostCount: 1 }],
    ]);
  });

  test("a receiver that says nothing is given up after five seconds, and tried again", async () => {
    const { receiver, webhook, timer } = await setUp([silence, fine]);
    webhook.send("again");
    await receiver.received(1);
    await timer.pass(5000);
    await timer.pass(1000);
    expect(await receiver.received(2)).toHaveLength(2);
  });

  test("a refusal is not tried again", async () => {
    const { receiver, webhook, log } = await setUp([status(400), fine]);
    webhook.send("bad");
    webhook.send("good");
    const got = await receiver.received(2);
    expect(got.map(({ body }) => body)).toEqual(["bad", "good"]);
    expect(log).toMatchObject([["webhookFailed", { problem: "answered 400" }]]);
  });

  test("a redirect is not followed", async () => {
    const elsewhere = await setUp([fine]);
    const location = elsewhere.receiver.url.href;
    const { receiver, webhook, log } = await setUp([status(307, { location }), fine]);
    webhook.send("moved");
    webhook.send("next");
    await receiver.received(2);
    expect(log).toMatchObject([["webhookFailed", { problem: "answered 307" }]]);
    expect(elsewhere.receiver.count()).toBe(0);
  });

  test("a failing receiver is complained about once a minute, with the number of losses", async () => {
    const { receiver, webhook, timer, log, setNow } = await setUp([status(400)]);
    for (let number = 0; number < 5; number += 1) webhook.send(number);
    await receiver.received(5);
    await until(() => timer.count() === 0);
    setNow(60_000);
    webhook.send("one more");
    await until(() => log.length === 2);
    expect(log.map(([, fields]) => fields["lostCount"])).toEqual([1, 5]);
  });

  test("what waits is bounded, and the oldest is dropped", async () => {
    const { receiver, webhook, timer, log } = await setUp([silence, fine]);
    webhook.send("first");
    await receiver.received(1);
    for (let number = 0; number < 150; number += 1) webhook.send(number);
    await timer.pass(5000);
    await timer.pass(1000);
    const got = await receiver.received(102);
    expect(got.slice(1).map(({ body }) => body)).toEqual([
      "first",
      ...Array.from({ length: 100 }, (_, index) => index + 50),
    ]);
    expect(log[0]).toMatchObject(["webhookFailed", { problem: "too many messages wait for it" }]);
  });
});

describe("closing", () => {
  test("it ends a pause at once, and drops what waits", async () => {
    const { receiver, webhook, timer } = await setUp([status(503)]);
    webhook.send(1);
    webhook.send(2);
    await timer.waited(1000);
    await webhook.close();
    webhook.send(3);
    expect(receiver.count()).toBe(1);
    expect(timer.count()).toBe(0);
  });

  test("it has patience for an attempt that is under way, within bounds", async () => {
    const { receiver, webhook, timer } = await setUp([silence]);
    webhook.send(1);
    await receiver.received(1);
    const closed = webhook.close();
    await timer.pass(1000);
    await closed;
    expect(timer.count()).toBe(0);
  });

  test("closing without a message, and closing twice, is nothing special", async () => {
    const { webhook } = await setUp([fine]);
    await webhook.close();
    await webhook.close();
  });
});

describe("URLs", () => {
  test.each([
    [["nonsense"], undefined, ["Webhook 1 is not a URL."]],
    [
      ["http://a/", "file:///etc/passwd"],
      undefined,
      ["Webhook 2 must begin with http:// or https://."],
    ],
    [
      ["http://u:pw@evil.example/x"],
      ["good.example"],
      ["Webhook 1 goes to evil.example, which is not among the allowed hosts."],
    ],
    [
      ["http://good.example.evil.example/"],
      ["good.example"],
      ["Webhook 1 goes to good.example.evil.example, which is not among the allowed hosts."],
    ],
    [
      ["http://good.example:81/"],
      ["good.example:80"],
      ["Webhook 1 goes to good.example:81, which is not among the allowed hosts."],
    ],
    [
      ["https://anywhere.example/"],
      [],
      ["Webhook 1 goes to anywhere.example, which is not among the allowed hosts."],
    ],
  ])("%j with %j are refused", (urls, allowHosts, complaints) => {
    expect(parseWebhookUrls(urls, allowHosts)).toEqual({ ok: false, error: complaints });
  });

  test.each([
    [["https://anywhere.example/"], undefined],
    [["https://Good.example/"], ["GOOD.example"]],
    [["http://good.example:81/"], ["good.example:81"]],
    [["http://[::1]:81/"], ["::1"]],
    [["http://[::1]:81/"], ["[::1]"]],
    [[], undefined],
  ])("%j with %j are taken", (urls, allowHosts) => {
    const parsed = parseWebhookUrls(urls, allowHosts);
    expect(parsed.ok && parsed.value.map(({ href }) => href.toLowerCase())).toEqual(
      urls.map((url) => url.toLowerCase()),
    );
  });
});

interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: unknown;
}

interface Receiver {
  readonly url: URL;
  received(count: number): Promise<readonly Received[]>;
  count(): number;
  concurrentMax(): number;
}

/** Answers the first request with the first answer and so on; the last answer goes for the rest. */
async function receiverWith(answers: readonly Answer[]): Promise<Receiver> {
  const all: Received[] = [];
  let concurrent = 0;
  let concurrentMax = 0;
  const server: Server = createServer((request, response) => {
    concurrent += 1;
    concurrentMax = Math.max(concurrentMax, concurrent);
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method, url, headers } = request;
      all.push({ method, url, headers, body: JSON.parse(Buffer.concat(chunks).toString()) });
      concurrent -= 1;
      answers[Math.min(all.length, answers.length) - 1]?.(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}/hook?x=1`),
    received: async (count) => {
      await until(() => all.length >= count);
      return all;
    },
    count: () => all.length,
    concurrentMax: () => concurrentMax,
  };
}

async function setUp(answers: readonly Answer[], others: readonly string[] = []) {
  const receiver = await receiverWith(answers);
  const log: [string, Readonly<Record<string, unknown>>][] = [];
  return { receiver, log, ...made([...others.map((url) => new URL(url)), receiver.url], log) };
}

function made(urls: readonly URL[], log: [string, Readonly<Record<string, unknown>>][]) {
  let now = 0;
  const timer = handTimer();
  const clock = { now: () => millis(now), wallNow: () => now };
  const webhook = new Webhook({
    urls,
    clock,
    timer,
    log: (event, fields = {}) => void log.push([event, fields]),
  });
  open.push(async () => {
    const closed = webhook.close();
    timer.passAll();
    await closed;
  });
  const setNow = (at: number): void => {
    now = at;
  };
  return { webhook, timer, setNow };
}

/** Waits end when the test says so. */
function handTimer() {
  const waits: { readonly delay: number; readonly action: () => void }[] = [];
  const waited = async (delay: number): Promise<void> => {
    await until(() => waits.some((wait) => wait.delay === delay));
  };
  const timer: Timer = {
    after(delay, action) {
      const wait = { delay, action };
      waits.push(wait);
      return () => {
        const index = waits.indexOf(wait);
        if (index >= 0) waits.splice(index, 1);
      };
    },
    soon: () => new Promise((resolve) => setImmediate(resolve)),
  };
  return {
    ...timer,
    waited,
    /** Lets a wait of that length pass, as soon as there is one. */
    async pass(delay: number): Promise<void> {
      await waited(delay);
      const index = waits.findIndex((wait) => wait.delay === delay);
      waits.splice(index, 1)[0]!.action();
    },
    passAll: () => {
      for (const { action } of waits.splice(0)) action();
    },
    count: () => waits.length,
  };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 1));
}
