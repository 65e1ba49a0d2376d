/** Clients that begin in HTTP/2 learn that they have to speak HTTP/1.1, however they begin. */
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { OrreryServer } from "../../src/index.ts";
import { startOrrery } from "../../src/index.ts";
import { resetOf } from "./http2.ts";

let server: OrreryServer;
beforeAll(async () => {
  server = await startOrrery({ memory: true });
});
afterAll(() => server.close());

test("a request is reset, and the reason is the version", async () => {
  for (let round = 0; round < 20; round++) {
    expect(await resetOf(connectHttp2(server.endpoint))).toBe("NGHTTP2_HTTP_1_1_REQUIRED");
  }
});

const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const SETTINGS = Buffer.from("000000040000000000", "hex");
const HEADERS = Buffer.from("00000101050000000382", "hex");
/** Length, type, flags and stream; then the last stream that was heard of, and the reason. */
const RESET = "000004030000000003" + "0000000d";
const GO_AWAY = "000008070000000000" + "00000003" + "0000000d";

test("nothing is said of a request before it has come, in however many pieces", async () => {
  const socket = connect(server.port, "127.0.0.1");
  const heard: Buffer[] = [];
  socket.on("data", (bytes: Buffer) => heard.push(bytes));
  socket.write(PREFACE);
  await once(socket, "data");
  const pieces = [SETTINGS, HEADERS].flatMap((frame) => [frame.subarray(0, 4), frame.subarray(4)]);
  for (const piece of pieces) {
    expect(Buffer.concat(heard)).toEqual(SETTINGS);
    socket.write(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await once(socket, "end");
  expect(Buffer.concat(heard).toString("hex")).toBe(SETTINGS.toString("hex") + RESET + GO_AWAY);
  socket.destroy();
});

test("a client that greets and greets is let go", async () => {
  const socket = connect(server.port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.resume();
  socket.write(PREFACE);
  socket.write(Buffer.concat(new Array<Buffer>(8_000).fill(SETTINGS)));
  await once(socket, "end");
  socket.destroy();
});
