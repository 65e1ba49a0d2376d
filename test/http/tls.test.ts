/** A TLS port and clients that speak something else to it. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { Agent, get } from "node:https";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { OrreryServer } from "../../src/index.ts";
import { startOrrery } from "../../src/index.ts";
import type { TemporaryDirectory } from "../sdk/stage.ts";
import { temporaryDirectory } from "../sdk/stage.ts";
import { splitAnswers } from "./rawAnswers.ts";
import { checked } from "./wire.ts";

let directory: TemporaryDirectory;
let server: OrreryServer;
beforeAll(async () => {
  directory = temporaryDirectory();
  server = await startOrrery({ https: true, data: directory.path });
});
afterEach(async () => {
  const agent = new Agent({ ca: server.caCertificate! });
  const [answer] = await once(get(`${server.endpoint}/_health/ready`, { agent }), "response");
  expect(answer.statusCode).toBe(200);
  answer.resume();
});
afterAll(async () => {
  await server.close();
  directory[Symbol.dispose]();
});

test.each([
  ["plain HTTP", Buffer.from("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")],
  ["random bytes", randomBytes(1000)],
  ["half a greeting", Buffer.from("1603010200010001fc0303", "hex")],
  ["nothing", Buffer.alloc(0)],
])("%s gets no answer, and harms nobody", async (_rule, bytes) => {
  const socket = connect({ port: server.port, host: "127.0.0.1" });
  socket.on("error", () => undefined);
  let received = "";
  socket.on("data", (chunk: Buffer) => {
    received += chunk.toString("latin1");
  });
  socket.end(bytes);
  await once(socket, "close");
  expect(received).not.toContain("200 OK");
});

test("greetings that are broken off harm nobody", async () => {
  for (let round = 0; round < 50; round++) {
    const socket = connectTls({ port: server.port, host: "127.0.0.1", rejectUnauthorized: false });
    socket.on("error", () => undefined);
    if (round % 2 === 0) await once(socket, "secureConnect");
    socket.destroy();
  }
});

test("garbage inside TLS is refused as it is outside", async () => {
  const socket = connectTls({ port: server.port, host: "127.0.0.1", ca: server.caCertificate! });
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.write("\u0000garbage\r\n\r\n");
  await once(socket, "end");
  socket.destroy();
  const answers = splitAnswers(Buffer.concat(chunks));
  expect(answers.map((answer) => checked(answer).status)).toEqual([400]);
});

test("old versions of TLS are refused", async () => {
  const socket = connectTls({
    port: server.port,
    host: "127.0.0.1",
    maxVersion: "TLSv1.1",
    minVersion: "TLSv1",
    ciphers: "DEFAULT@SECLEVEL=0",
    rejectUnauthorized: false,
  });
  const [error] = await once(socket, "error").catch((thrown: unknown) => [thrown]);
  expect(error).toBeInstanceOf(Error);
});
