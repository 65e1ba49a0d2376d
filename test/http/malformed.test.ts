/**
 * What is barely HTTP, or not at all. The server answers in HTTP or hangs up, and goes on serving
 * everybody else.
 */
import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Answer, Wire } from "./wire.ts";
import { expectStatus, ITEMS, openWire, PARTITION_KEY } from "./wire.ts";

let wire: Wire;
beforeAll(async () => {
  wire = await openWire();
});
afterEach(() => wire.assertAlive());
afterAll(() => wire[Symbol.asyncDispose]());

const statusesOf = (answers: readonly Answer[]): number[] => answers.map(({ status }) => status);
const itemText = (id: string): string => JSON.stringify({ id, pk: "a" });

/** A signed POST of an item, up to and without its framing headers. */
const createHead = (): string =>
  wire.requestText("POST", ITEMS, { headers: PARTITION_KEY }).replace(/\r\n\r\n$/, "\r\n");

describe("headers", () => {
  test.each([
    ["one of 17 KB", { "x-large": "x".repeat(17_000) }],
    ["a hundred of 200 bytes", repeatedHeaders(100, 200)],
    ["three thousand of 10 bytes", repeatedHeaders(3000, 10)],
  ])("of more than 16 KB are a 431: %s", async (_rule, headers) => {
    const { answers, isClosed } = await wire.exchange(
      wire.requestText("GET", ["dbs"], { headers }),
    );
    expect(statusesOf(answers)).toEqual([431]);
    expect(isClosed).toBe(true);
  });

  test("include the path", async () => {
    const { answers } = await wire.exchange(
      wire.requestText("GET", ["dbs"], { path: `/dbs/${"x".repeat(20_000)}` }),
    );
    expect(statusesOf(answers)).toEqual([431]);
  });

  test("of almost 16 KB are fine", async () => {
    const headers = { "x-large": "x".repeat(15_000) };
    await expectStatus(200, wire.call("GET", ["dbs"], { headers }));
  });

  test("that nobody knows are ignored", async () => {
    const headers = { "x-ms-unknown": "\u00ff\u00fe", __proto__x: "1", constructor: "x" };
    await expectStatus(200, wire.call("GET", ["dbs"], { headers }));
  });

  test("may come twice", async () => {
    const text = wire.requestText("GET", ["dbs"]);
    const twice = ["x-ms-date: x", "authorization: x", "x-ms-max-item-count: 1"];
    const doubled = text.replace(/\r\n\r\n$/, `\r\n${twice.join("\r\n")}\r\n\r\n`);
    const { answers } = await wire.exchange(doubled, { answerCount: 1 });
    expect(answers).toHaveLength(1);
  });
});

const POST = "POST / HTTP/1.1\r\nHost: localhost\r\n";

const GARBAGE: Readonly<Record<string, string | Buffer>> = {
  "a word": "hello\r\n\r\n",
  zeros: Buffer.alloc(2000),
  "high bytes": Buffer.alloc(2000, 0xff),
  "random bytes": randomBytes(4096),
  "HTTP/9.9": "GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
  SSH: "SSH-2.0-OpenSSH_9.6\r\n",
  "an unknown verb": "FETCH / HTTP/1.1\r\nHost: localhost\r\n\r\n",
  "a verb in lower case": "get / HTTP/1.1\r\nHost: localhost\r\n\r\n",
  "a path with a blank": "GET /a b HTTP/1.1\r\nHost: localhost\r\n\r\n",
  "a path with a zero": "GET /\u0000 HTTP/1.1\r\nHost: localhost\r\n\r\n",
  "a header without a colon": "GET / HTTP/1.1\r\nHost: localhost\r\nnonsense\r\n\r\n",
  "a header without a name": "GET / HTTP/1.1\r\nHost: localhost\r\n: x\r\n\r\n",
  "a blank before the colon": "GET / HTTP/1.1\r\nHost : localhost\r\n\r\n",
  "a zero in a header": "GET / HTTP/1.1\r\nHost: local\u0000host\r\n\r\n",
  "a header over two lines": "GET / HTTP/1.1\r\nHost: localhost\r\nx: a\r\n b\r\n\r\n",
  "line feeds only": "GET / HTTP/1.1\nHost: localhost\n\n",
  "a length that is no number": "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
  "a negative length": "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
  "an endless length": `${POST}Content-Length: ${"9".repeat(40)}\r\n\r\n`,
  "two lengths":
    "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
  "a length and chunks": `${POST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  "an unknown encoding": "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: rot13\r\n\r\n",
  "an encoding over another": `${POST}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`,
  "another encoding below": `${POST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
  "an encoding twice": `${POST}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  "chunks and a length": `${POST}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
  "two hosts": "GET / HTTP/1.1\r\nHost: localhost\r\nhOST: localhost\r\n\r\n",
  "two hosts, one of them another's":
    "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nHost: example.com\r\n\r\n{}",
  "no host": "GET / HTTP/1.1\r\n\r\n",
  "a chunk of no size":
    "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nx\r\n",
  "a tunnel": "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n",
};

const GARBAGE_STATUSES: Readonly<Record<string, number>> = { "a tunnel": 405 };

const SPOKEN_TO_OTHERS: readonly (readonly [rule: string, bytes: string | Buffer])[] = [
  ["half a greeting of TLS", Buffer.from("160301020001000200030300", "hex")],
  ["an empty line", "\r\n\r\n"],
  ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
];

describe("garbage", () => {
  test.each(Object.entries(GARBAGE))(
    "such as %s is refused, and the connection ends",
    async (rule, bytes) => {
      for (const isEnding of [true, false]) {
        const { answers, isClosed } = await wire.exchange(bytes, { isEnding });
        expect(isClosed).toBe(true);
        expect(statusesOf(answers)).toEqual([GARBAGE_STATUSES[rule] ?? 400]);
      }
    },
  );

  test.each(SPOKEN_TO_OTHERS)("such as %s is not answered in HTTP", async (_rule, bytes) => {
    const { answers } = await wire.exchange(bytes, { isEnding: true });
    expect(answers).toEqual([]);
  });

  test("of many kinds at once does not disturb anybody", async () => {
    const senders = Array.from({ length: 100 }, () =>
      wire.exchange(randomBytes(1 + Math.floor(Math.random() * 5000)), { isEnding: true }),
    );
    const readers = Array.from({ length: 100 }, () => wire.item("GET", "kept"));
    for (const { status } of await Promise.all(readers)) expect(status).toBe(200);
    await Promise.all(senders);
  });

  test("after a request does not take its answer away", async () => {
    const request = wire.requestText("GET", [...ITEMS, "kept"], { headers: PARTITION_KEY });
    const { answers, isClosed } = await wire.exchange(`${request}\u0000garbage\r\n\r\n`);
    expect(statusesOf(answers)).toEqual([200, 400]);
    expect(isClosed).toBe(true);
  });

  test("after a write is not the answer to it", async () => {
    for (let round = 0; round < 20; round++) {
      const id = `before garbage ${round}`;
      const request = wire.requestText("POST", ITEMS, {
        body: itemText(id),
        headers: PARTITION_KEY,
      });
      const { answers } = await wire.exchange(`${request}\u0000garbage\r\n\r\n`);
      const isRefused = answers.length > 0 && answers[0]?.status !== 201;
      const { status } = await wire.item("GET", id);
      if (isRefused) expect(status).toBe(404);
    }
  });
});

describe("bodies in pieces", () => {
  test.each([1, 2, 7, 1000])("of %d bytes each are put together", async (pieceBytes) => {
    const id = `pieces-${pieceBytes}`;
    const text = JSON.stringify({ id, pk: "a", text: "€".repeat(300) });
    const bytes = Buffer.from(text);
    const pieces: Buffer[] = [Buffer.from(`${createHead()}transfer-encoding: chunked\r\n\r\n`)];
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      const piece = bytes.subarray(at, at + pieceBytes);
      pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n"));
    }
    pieces.push(Buffer.from("0\r\n\r\n"));
    const { answers } = await wire.exchange(Buffer.concat(pieces), { answerCount: 1 });
    expect(statusesOf(answers)).toEqual([201]);
    expect(answers[0]?.body.toString().startsWith(text.slice(0, -1))).toBe(true);
  });

  test("of more than 2 MB are too large", async () => {
    const headers = { ...PARTITION_KEY, "transfer-encoding": "chunked" };
    const body = JSON.stringify({ id: "large", pk: "a", text: "x".repeat(2 * 1024 * 1024) });
    await expectStatus(413, wire.call("POST", ITEMS, { headers, body }));
  });

  test("that end early are no item", async () => {
    const whole = itemText("early");
    const chunk = `${whole.length.toString(16)}\r\n${whole}`;
    const truncated = [
      `${createHead()}content-length: ${whole.length + 10}\r\n\r\n${whole}`,
      `${createHead()}content-length: ${whole.length}\r\n\r\n${whole.slice(0, 9)}`,
      `${createHead()}transfer-encoding: chunked\r\n\r\n${chunk}`,
      `${createHead()}transfer-encoding: chunked\r\n\r\nff\r\n${whole}`,
      `${createHead()}transfer-encoding: chunked\r\n\r\n${chunk}\r\n`,
    ];
    for (const text of truncated) {
      // Silence is what it is about.
      const { answers } = await wire.exchange(text, { isEnding: true, patienceMs: 1000 });
      for (const { status } of answers) expect(status).toBe(400);
      await expectStatus(404, wire.item("GET", "early"));
    }
  });

  test("that a client breaks off leave nothing behind", async () => {
    const attempts = Array.from({ length: 50 }, (_, index) => {
      const socket = connect(wire.server.port, "127.0.0.1");
      socket.on("error", () => undefined);
      const text = `${createHead()}content-length: 1000\r\n\r\n${itemText(`broken-${index}`)}`;
      return new Promise<void>((resolve) => {
        socket.write(text, () => {
          socket.destroy();
          resolve();
        });
      });
    });
    await Promise.all(attempts);
    await expectStatus(404, wire.item("GET", "broken-0"));
  });
});

describe("requests one after the other on a connection", () => {
  test("are answered in their order without waiting for each other", async () => {
    const count = 60;
    const texts = Array.from({ length: count }, (_, index) => {
      const id = `pipelined-${index}`;
      const create = { body: itemText(id), headers: PARTITION_KEY };
      return (
        wire.requestText("POST", ITEMS, create) +
        wire.requestText("GET", [...ITEMS, index % 2 === 0 ? "kept" : `missing-${index}`], {
          headers: PARTITION_KEY,
        })
      );
    });
    const { answers } = await wire.exchange(texts.join(""), { answerCount: count * 2 });
    const expected = Array.from({ length: count }, (_, index) => [
      201,
      index % 2 === 0 ? 200 : 404,
    ]);
    expect(statusesOf(answers)).toEqual(expected.flat());
    const created = answers.filter((_, index) => index % 2 === 0);
    const ids = created.map(({ body }) => (JSON.parse(body.toString()) as { id: string }).id);
    expect(ids).toEqual(Array.from({ length: count }, (_, index) => `pipelined-${index}`));
  });

  test("with refusals in between go on", async () => {
    const texts = [
      wire.requestText("GET", ["dbs"], { key: null }),
      wire.requestText("POST", ITEMS, { key: null, body: "x".repeat(1000) }),
      wire.requestText("POST", ITEMS, { body: "no JSON", headers: PARTITION_KEY }),
      wire.requestText("GET", ["dbs"], { headers: { host: "example.com" } }),
      wire.requestText("PUT", ["dbs", "d"], { path: "/nowhere", body: "{}" }),
      wire.requestText("GET", ["dbs"]),
    ];
    const { answers } = await wire.exchange(texts.join(""), { answerCount: texts.length });
    expect(statusesOf(answers)).toEqual([401, 401, 400, 403, 400, 200]);
  });

  test("may be a GET with a body that nobody asked for", async () => {
    const read = wire.requestText("GET", ["dbs"], { body: "x".repeat(500) });
    const { answers } = await wire.exchange(read + wire.requestText("GET", []), { answerCount: 2 });
    expect(statusesOf(answers)).toEqual([200, 200]);
  });

  test("may come byte by byte", async () => {
    const text = wire.requestText("POST", ITEMS, {
      body: itemText("slow"),
      headers: PARTITION_KEY,
    });
    const socket = connect({ port: wire.server.port, host: "127.0.0.1", noDelay: true });
    let received = "";
    const answered = new Promise<void>((resolve) => {
      socket.on("data", (chunk: Buffer) => {
        received += chunk.toString();
        resolve();
      });
    });
    for (const byte of Buffer.from(text)) {
      await new Promise<void>((resolve) => socket.write(Buffer.of(byte), () => resolve()));
    }
    await answered;
    expect(received).toContain("HTTP/1.1 201 Created");
    socket.destroy();
  });
});

const WAITING = { headers: { expect: "100-continue", "content-length": "10" } };
const HOPING = { headers: { expect: "100-continue", "content-length": "10000000" } };
const ELSEWHERE = { headers: { ...WAITING.headers, host: "example.com" } };
const itemsOf = (database: string, container: string): string[] => [
  "dbs",
  database,
  "colls",
  container,
  "docs",
];

describe("expectations", () => {
  test("of a go-ahead are met before the body is sent", async () => {
    const head = `${createHead()}expect: 100-continue\r\n`;
    const body = itemText("expected");
    const waiting = await wire.exchange(`${head}content-length: ${body.length}\r\n\r\n`, {
      answerCount: 1,
    });
    expect(statusesOf(waiting.answers)).toEqual([100]);
    const whole = `${head}content-length: ${body.length}\r\n\r\n${body}`;
    const { answers } = await wire.exchange(whole, { answerCount: 2 });
    expect(statusesOf(answers)).toEqual([100, 201]);
  });

  test.each([
    ["a stranger", 401, () => wire.requestText("POST", ITEMS, { key: null, ...WAITING })],
    ["what is too large", 413, () => wire.requestText("POST", ITEMS, HOPING)],
    ["no path", 400, () => wire.requestText("POST", ["dbs"], { path: "/nowhere", ...WAITING })],
    ["no container", 404, () => wire.requestText("POST", itemsOf("d", "none"), WAITING)],
    ["no database", 404, () => wire.requestText("POST", itemsOf("none", "c"), WAITING)],
    ["no database to delete", 404, () => wire.requestText("DELETE", ["dbs", "none"], WAITING)],
    ["no owner", 404, () => wire.requestText("POST", ["dbs", "none", "colls"], WAITING)],
    ["no host", 403, () => wire.requestText("POST", ITEMS, ELSEWHERE)],
  ])("of a go-ahead are disappointed at once by a refusal: %s", async (_rule, status, text) => {
    const { answers, isClosed } = await wire.exchange(text());
    expect(statusesOf(answers)).toEqual([status]);
    // The client may send its body all the same, or the next request: nobody can tell.
    expect(isClosed).toBe(true);
  });

  test("of a go-ahead for nothing are met by the answer", async () => {
    const headers = { expect: "100-continue" };
    const { answers } = await wire.exchange(wire.requestText("GET", ["dbs"], { headers }), {
      answerCount: 1,
    });
    expect(statusesOf(answers)).toEqual([200]);
  });

  test("of anything else are refused", async () => {
    const text = wire.requestText("GET", ["dbs"], { headers: { expect: "miracles" } });
    const { answers, isClosed } = await wire.exchange(text);
    expect(statusesOf(answers)).toEqual([417]);
    expect(isClosed).toBe(true);
  });

  test("of another protocol are not met", async () => {
    const headers = { connection: "Upgrade", upgrade: "websocket" };
    const { answers } = await wire.exchange(wire.requestText("GET", ["dbs"], { headers }), {
      answerCount: 1,
    });
    expect(answers[0]?.status).not.toBe(101);
  });
});

function repeatedHeaders(count: number, valueBytes: number): Record<string, string> {
  const names = Array.from({ length: count }, (_, index) => `x-${index}`);
  return Object.fromEntries(names.map((name) => [name, "x".repeat(valueBytes)]));
}
