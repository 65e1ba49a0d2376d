/**
 * Who sends damaged frames, or opens connections and does nothing with them, is nobody else's
 * trouble: a client in direct mode and one over HTTP are served all the while, no request makes the
 * server fail, and what was opened is closed in the end.
 *
 * `npm run campaign direct` (ORRERY_DIRECT=full) sends a million frames and opens a thousand
 * connections at a time; ORRERY_DIRECT_SEED repeats a run.
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import type { Socket } from "node:net";
import { connect as connectPlain } from "node:net";
import type { TLSSocket } from "node:tls";
import { connect as connectTls } from "node:tls";
import { expect, test } from "vitest";
import type { Random } from "../../src/base/world.ts";
import { seededRandom } from "../../src/base/world.ts";
import { answerHasBody } from "../../src/protocol/rntbd/answerFrame.ts";
import { encodeContext } from "../../src/protocol/rntbd/context.ts";
import { FrameReader } from "../../src/protocol/rntbd/frameReader.ts";
import { ITEMS, PARTITION_KEY } from "../http/wire.ts";
import { alteredFrame } from "./alteredFrames.ts";
import { requestFrames } from "./requestFrames.ts";
import type { DirectStage } from "./stage.ts";
import { openDirectStage, primaryOf } from "./stage.ts";

const IS_FULL = process.env["ORRERY_DIRECT"] === "full";
const SEED = Number(process.env["ORRERY_DIRECT_SEED"] ?? 23);
const FRAME_COUNT = IS_FULL ? 1_000_000 : 5_000;
/** Of one kind; there are as many of each other one. */
const CROWD = IS_FULL ? 1_000 : 60;

/** Most connections end by the first frame that cannot be read. */
const FRAMES_A_CONNECTION = 10;
const CONNECTIONS_AT_A_TIME = 8;
const LIMITS = { headBytesMax: 1 << 20, bodyBytesMax: 1 << 26 };
/** Of files and memory that the process may have taken for itself meanwhile. */
const SPARE_FILES = 12;
const SPARE_BYTES = 96 * 1024 * 1024;

test("damaged frames end in refusals or in the end of their connection", async () => {
  await using stage = await openDirectStage();
  const replicaPath = await primaryOf(stage.wire, "d", "c");
  const frames = requestFrames({ key: stage.wire.server.key, replicaPath });
  const random = seededRandom(SEED);
  const counts = new Map<number, number>();
  const filesBefore = openFileCount();
  let sentCount = 0;
  let warmBytes: number | undefined;
  while (sentCount < FRAME_COUNT) {
    const round = Array.from({ length: CONNECTIONS_AT_A_TIME }, () =>
      sendDamaged(stage, frames, random),
    );
    sentCount += CONNECTIONS_AT_A_TIME * FRAMES_A_CONNECTION;
    for (const statuses of await Promise.all(round)) {
      for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
    }
    const isServed = await served(stage, replicaPath);
    expect(isServed, `seed ${SEED}, after ${sentCount} frames`).toEqual([200, 200]);
    if (warmBytes === undefined && sentCount > FRAME_COUNT / 10) warmBytes = heldBytes();
  }
  // Nobody's fault is the server's, and the damage reached all that can refuse or serve.
  for (const [status] of counts) expect(status, `seed ${SEED}`).toBeLessThan(500);
  for (const status of [200, 400, 401, 404]) expect(counts.get(status)).toBeGreaterThan(0);
  await expect.poll(openFileCount).toBeLessThanOrEqual(filesBefore + SPARE_FILES);
  expect(heldBytes()).toBeLessThan(warmBytes! + SPARE_BYTES);
  if (IS_FULL) process.stderr.write(`${sentCount} frames: ${JSON.stringify([...counts])}\n`);
});

type Stranger = (port: number) => Promise<Socket>;

const STRANGERS: readonly (readonly [what: string, open: Stranger])[] = [
  ["greets and waits", (port) => greeting(port)],
  ["says nothing inside TLS", (port) => secured(port)],
  ["stops within the first frame", (port) => secured(port, firstFrame().subarray(0, 9))],
  ["stops within a request", (port) => greeting(port, Buffer.from([200, 0, 0, 0, 3, 0]))],
  ["stops in the handshake", (port) => plain(port, Buffer.from([0x16, 3, 1, 2, 0, 1]))],
  ["says nothing at all", (port) => plain(port)],
];

test("many who do nothing keep nobody from being served, and are let go in the end", async () => {
  await using stage = await openDirectStage({ headerTimeout: 30, idleTimeout: 30 });
  const replicaPath = await primaryOf(stage.wire, "d", "c");
  const { port } = stage.wire.server;
  const filesBefore = openFileCount();
  const opened: Socket[] = [];
  for (const [, open] of STRANGERS) {
    for (let count = 0; count < CROWD; count += CONNECTIONS_AT_A_TIME) {
      const some = Math.min(CONNECTIONS_AT_A_TIME, CROWD - count);
      opened.push(...(await Promise.all(Array.from({ length: some }, () => open(port)))));
      expect(await served(stage, replicaPath)).toEqual([200, 200]);
    }
  }
  expect(opened).toHaveLength(STRANGERS.length * CROWD);
  // A flood of handshakes that lead nowhere.
  for (let count = 0; count < CROWD; count += CONNECTIONS_AT_A_TIME) {
    const flood = Array.from({ length: CONNECTIONS_AT_A_TIME }, async () => {
      (await secured(port)).destroy();
    });
    const [answered] = await Promise.all([served(stage, replicaPath), ...flood]);
    expect(answered).toEqual([200, 200]);
  }
  for (const socket of opened) socket.destroy();
  await expect.poll(openFileCount).toBeLessThanOrEqual(filesBefore + SPARE_FILES);
  expect(await served(stage, replicaPath)).toEqual([200, 200]);
});

/** What a good client gets by each of the two roads. */
async function served(stage: DirectStage, replicaPath: string): Promise<readonly number[]> {
  const [direct, http] = await Promise.all([
    stage.client.call("GET", [...ITEMS, "kept"], { headers: PARTITION_KEY, replicaPath }),
    stage.wire.item("GET", "kept"),
  ]);
  return [direct.status, http.status];
}

/** Sends damaged frames by a connection of its own until that has ended: the statuses it got. */
async function sendDamaged(
  { wire }: DirectStage,
  frames: readonly Buffer[],
  random: Random,
): Promise<readonly number[]> {
  const socket = await secured(wire.server.port);
  const reader = new FrameReader(LIMITS, answerHasBody);
  const statuses: number[] = [];
  socket.on("data", (bytes: Buffer) => {
    for (const { word } of reader.push(bytes)) statuses.push(word);
  });
  const closed = new Promise((resolve) => socket.once("close", resolve));
  const damaged = Array.from({ length: FRAMES_A_CONNECTION }, () => alteredFrame(frames, random));
  socket.end(Buffer.concat([firstFrame(), ...damaged]));
  await closed;
  expect(reader.complaint).toBeUndefined();
  return statuses;
}

function firstFrame(): Buffer {
  return encodeContext({ version: "2020-07-15", userAgent: "hostile/1" }, randomUUID());
}

async function greeting(port: number, rest?: Buffer): Promise<TLSSocket> {
  const socket = await secured(port, firstFrame());
  await once(socket, "data");
  if (rest !== undefined) socket.write(rest);
  return socket;
}

async function secured(port: number, bytes?: Buffer): Promise<TLSSocket> {
  const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false });
  await once(socket, "secureConnect");
  return quiet(socket, bytes);
}

async function plain(port: number, bytes?: Buffer): Promise<Socket> {
  const socket = connectPlain({ port, host: "127.0.0.1" });
  await once(socket, "connect");
  return quiet(socket, bytes);
}

function quiet<S extends Socket>(socket: S, bytes: Buffer | undefined): S {
  socket.on("error", () => undefined);
  if (bytes !== undefined) socket.write(bytes);
  return socket;
}

/** Of this process, which is server and clients; 0 where nobody can tell. */
function openFileCount(): number {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return 0;
  }
}

function heldBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
