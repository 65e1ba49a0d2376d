/**
 * Many connections and bad-mannered ones. While they last, another client is served as ever: its
 * requests succeed, each within a time that only a server that stands still would miss.
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { splitAnswers } from "./rawAnswers.ts";
import type { Wire } from "./wire.ts";
import { checked, expectStatus, ITEMS, openWire, PARTITION_KEY } from "./wire.ts";

let wire: Wire;
beforeAll(async () => {
  wire = await openWire();
});
afterAll(() => wire[Symbol.asyncDispose]());

/** Reads, writes and lists as a client that has nothing to do with the others. */
async function expectServed(round: string): Promise<void> {
  const body = JSON.stringify({ id: `served-${round}`, pk: "a" });
  await expectStatus(201, wire.call("POST", ITEMS, { body, headers: PARTITION_KEY }));
  await expectStatus(200, wire.item("GET", `served-${round}`));
  await expectStatus(200, wire.call("GET", ["dbs"]));
}

function open(): Socket {
  const socket = connect(wire.server.port, "127.0.0.1");
  // The server may hang up at any time; that is not what a test is about unless it says so.
  socket.on("error", () => undefined);
  return socket;
}

const IDLE_COUNT_MAX = process.env["ORRERY_LONG"] !== undefined ? 5_000 : 2_000;
/** For everything else a process has open: the test runner's pipes, files, the other clients. */
const SPARE_DESCRIPTORS = 500;

/** Both ends of a connection are in this process, so each takes two descriptors. */
function idleCount(): number {
  const open = /Max open files\s+(\d+)/.exec(limitsText())?.[1];
  const limit = open === undefined ? IDLE_COUNT_MAX : Number(open);
  return Math.min(IDLE_COUNT_MAX, Math.floor((limit - SPARE_DESCRIPTORS) / 2));
}

function limitsText(): string {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch {
    return ""; // Not Linux: try the full number.
  }
}

/** Ten seconds for the headers, up to five until the server looks, some for a slow machine. */
const SLOW_MS_MAX = 25_000;

/** At the same time, because the last of them takes its time. */
describe.concurrent("connections that do nothing", () => {
  test("in thousands leave the others alone", async () => {
    const count = idleCount();
    if (count < IDLE_COUNT_MAX) {
      process.stderr.write(`Only ${count} idle connections: the limit of open files is low.\n`);
    }
    const sockets: Socket[] = [];
    while (sockets.length < count) {
      const batch = Array.from({ length: Math.min(250, count - sockets.length) }, open);
      await Promise.all(batch.map((socket) => once(socket, "connect")));
      sockets.push(...batch);
    }
    for (let round = 0; round < 20; round++) await expectServed(`idle-${round}`);
    for (const socket of sockets) socket.destroy();
    await expectServed("after idle");
  });

  test("that come and go in a storm leave the others alone", async () => {
    for (let round = 0; round < 10; round++) {
      const sockets = Array.from({ length: 100 }, open);
      await Promise.all(sockets.map((socket) => once(socket, "connect")));
      for (const socket of sockets) socket.resetAndDestroy();
      await expectServed(`storm-${round}`);
    }
  });

  test("but drip are told that they took too long, and the others do not notice", async () => {
    const slow = Array.from({ length: 50 }, () => {
      const socket = open();
      const received: Buffer[] = [];
      socket.on("data", (chunk: Buffer) => received.push(chunk));
      socket.write("GET /dbs HTTP/1.1\r\nHost: 127.0.0.1\r\n");
      const dripping = setInterval(() => socket.write("x-drop: 1\r\n"), 500);
      socket.on("close", () => clearInterval(dripping));
      return { socket, received };
    });
    const ended = Promise.all(slow.map(({ socket }) => once(socket, "close")));
    let isOver = false;
    const over = Promise.race([ended, wait(SLOW_MS_MAX, undefined, { ref: false })]).then(() => {
      isOver = true;
    });
    for (let round = 0; !isOver; round++) {
      await expectServed(`drip-${round}`);
      await Promise.race([over, wait(500)]);
    }
    expect(slow.filter(({ socket }) => !socket.closed)).toHaveLength(0);
    for (const { received } of slow) {
      const answers = splitAnswers(Buffer.concat(received));
      expect(answers.map((answer) => checked(answer).status)).toEqual([408]);
    }
  });
});

describe("a client that never reads its answers", () => {
  test("is not waited for", async () => {
    const text = "x".repeat(1_000_000);
    const body = JSON.stringify({ id: "large", pk: "a", text });
    await expectStatus(201, wire.call("POST", ITEMS, { body, headers: PARTITION_KEY }));
    const request = wire.requestText("GET", [...ITEMS, "large"], { headers: PARTITION_KEY });
    const sockets = Array.from({ length: 5 }, () => {
      const socket = open();
      socket.pause();
      socket.write(request.repeat(40));
      return socket;
    });
    for (let round = 0; round < 10; round++) await expectServed(`unread-${round}`);
    for (const socket of sockets) socket.destroy();
    await expectServed("after unread");
  });

  test("does not make the server hold them all in memory", async () => {
    const text = "x".repeat(1_900_000);
    for (const id of ["feed-1", "feed-2"]) {
      const body = JSON.stringify({ id, pk: "feed", text });
      await expectStatus(201, wire.call("POST", ITEMS, { body }));
    }
    const headers = { "x-ms-documentdb-partitionkey": '["feed"]' };
    const socket = open();
    socket.pause();
    const bytesBefore = process.memoryUsage().external;
    // A page is almost 4 MB; what the system buffers for a connection is less than two of them.
    socket.write(wire.requestText("GET", ITEMS, { headers }).repeat(80));
    for (let round = 0; round < 10; round++) await expectServed(`unread feed-${round}`);
    const bytesHeld = process.memoryUsage().external - bytesBefore;
    socket.destroy();
    // Memory is what this is about: all eighty pages would be three times as much.
    expect(bytesHeld).toBeLessThan(100_000_000);
  });

  test("but hangs up at once is forgotten", async () => {
    const request = wire.requestText("GET", ITEMS, { headers: PARTITION_KEY });
    for (let round = 0; round < 100; round++) {
      const socket = open();
      socket.write(request, () => socket.destroy());
      await once(socket, "close");
    }
    await expectServed("after hanging up");
  });
});

describe("a client that does not send its body", () => {
  test("keeps only itself waiting", async () => {
    const slow = Array.from({ length: 50 }, () => {
      const socket = open();
      const head = wire.requestText("POST", ITEMS, {
        headers: { ...PARTITION_KEY, "content-length": "1000000" },
      });
      socket.write(`${head}{`);
      return socket;
    });
    for (let round = 0; round < 10; round++) await expectServed(`slow body-${round}`);
    for (const socket of slow) socket.destroy();
    await expectServed("after slow bodies");
  });
});
