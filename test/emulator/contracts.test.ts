/**
 * What tools that start an emulator for people wait for, replayed against the process: their own
 * patterns and paths, on whatever protocol they use.
 */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { get as getPlain } from "node:http";
import { get as getSecure } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { connect } from "node:tls";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startOrrery } from "../../src/index.ts";
import {
  CERTIFICATE_PEM,
  CERTIFICATE_PFX,
  CERTIFICATE_SECRET,
  KEY_PEM,
  LOCKED_KEY_PEM,
} from "./certificates.fake.ts";

const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "orrery-contracts-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

interface Started {
  readonly child: ChildProcess;
  readonly output: string;
  readonly errors: string;
}

function start(args: readonly string[], variables: Readonly<Record<string, string>> = {}): Started {
  const env = { PATH: process.env["PATH"], ...variables };
  const child = spawn(process.execPath, [CLI, "start", ...args], { env, cwd: directory });
  const started = { child, output: "", errors: "" };
  child.stdout.on("data", (chunk: Buffer) => {
    started.output += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    started.errors += chunk.toString();
  });
  return started;
}

/** Resolves when the process has printed what is waited for; fails when it ends before. */
async function printed(started: Started, pattern: RegExp): Promise<void> {
  const { child } = started;
  const ended = once(child, "close").then(() => Promise.reject(new Error(started.errors)));
  while (!pattern.test(started.output)) await Promise.race([once(child.stdout!, "data"), ended]);
  ended.catch(() => undefined);
}

async function end({ child }: Started): Promise<void> {
  child.kill("SIGTERM");
  if (child.exitCode === null) await once(child, "exit");
}

/** Answers of servers that this test started, whoever signed their certificates. */
async function ask(url: string): Promise<{ readonly status: number; readonly body: string }> {
  const asking = url.startsWith("https:")
    ? getSecure(url, { rejectUnauthorized: false, agent: false })
    : getPlain(url, { agent: false });
  const [answer] = (await once(asking, "response")) as [IncomingMessage];
  return { status: answer.statusCode!, body: await text(answer) };
}

describe("a process that is told to speak like the emulator", () => {
  let started: Started;
  let port: number;
  beforeAll(async () => {
    started = start(["--memory", "--port", "0", "--emulator-log"], {
      ENABLE_EXPLORER: "true",
      ENABLE_TELEMETRY: "false",
    });
    await printed(started, /Started\s*$/);
    port = Number(/listening on: http:\/\/127\.0\.0\.1:(\d+)/.exec(started.output)![1]);
  });
  afterAll(() => end(started));

  test.each([
    ["Testcontainers for .NET and Go", /Started/],
    ["Testcontainers for Java", /(?:^|\n).*Started\r\n/],
    ["Testcontainers for Node", /(?:^|\n).*Now listening on: .*\n/],
    ["Testcontainers for Python", /Started\s*$/],
    ["people", /^System is now fully ready to accept requests$/m],
  ])("prints what %s waits for", (_who, pattern) => {
    expect(started.output).toMatch(pattern);
  });

  test("says that it has started last, and nothing else on standard output", () => {
    expect(started.output.match(/Started/g)).toHaveLength(1);
    expect(started.output).toMatch(/^Now [^\n]*\nSystem [^\n]*\nStarted\r\n$/);
    expect(started.errors).toBe("");
  });

  test.each([
    ["Aspire asks whether it is ready", "/ready", 200],
    ["probes ask whether it lives", "/alive", 200],
    ["probes ask for its status", "/status", 200],
    ["Testcontainers for Python looks for the page", "/_explorer/index.html", 200],
    ["the script of Entity Framework wants to be refused", "/", 401],
  ])("%s: %s is %d, by HTTP and by TLS", async (_who, path, status) => {
    expect((await ask(`http://127.0.0.1:${port}${path}`)).status).toBe(status);
    expect((await ask(`https://127.0.0.1:${port}${path}`)).status).toBe(status);
  });

  test("Testcontainers for Java fetches whom to trust, and it is good for TLS", async () => {
    const { body: ca } = await ask(`https://127.0.0.1:${port}/_explorer/emulator.pem`);
    expect(ca.match(/BEGIN CERTIFICATE/g)).toHaveLength(1);
    const socket = connect({ port, host: "127.0.0.1", servername: "localhost", ca });
    await once(socket, "secureConnect");
    expect(socket.authorized).toBe(true);
    socket.destroy();
  });
});

test("a health port answers by plain HTTP, and closes with the server", async () => {
  const server = await startOrrery({ memory: true, https: true, healthPort: 0, data: undefined });
  const origin = `http://127.0.0.1:${server.healthPort}`;
  for (const path of ["/alive", "/ready", "/status"]) {
    expect((await ask(`${origin}${path}`)).status).toBe(200);
  }
  expect((await ask(`${origin}/dbs`)).status).toBe(404);
  await server.close();
  await expect(ask(`${origin}/alive`)).rejects.toThrow("ECONNREFUSED");
});

test("a taken health port is told with its option, and nothing is left behind", async () => {
  await using first = await startOrrery({ memory: true, healthPort: 0 });
  const taken = startOrrery({ memory: true, healthPort: first.healthPort });
  await expect(taken).rejects.toThrow("--health-port");
});

describe("a certificate of the owner", () => {
  const file = (name: string): string => join(directory, name);
  beforeAll(() => {
    writeFileSync(file("both.pfx"), CERTIFICATE_PFX);
    writeFileSync(file("both.pem"), CERTIFICATE_PEM + KEY_PEM);
    writeFileSync(file("certificate.pem"), CERTIFICATE_PEM);
    writeFileSync(file("key.pem"), KEY_PEM);
    writeFileSync(file("locked.pem"), LOCKED_KEY_PEM);
  });

  test.each([
    ["a PFX file", { cert: "both.pfx", certSecret: CERTIFICATE_SECRET }],
    ["PEM with its key", { cert: "both.pem" }],
    ["PEM with its key in another file", { cert: "certificate.pem", certKey: "key.pem" }],
    [
      "PEM with a key that needs a secret",
      { cert: "certificate.pem", certKey: "locked.pem", certSecret: CERTIFICATE_SECRET },
    ],
  ])("is served from %s, and told to whoever asks whom to trust", async (_what, options) => {
    const paths = Object.entries(options).map(([name, value]) => [
      name,
      name === "certSecret" ? value : file(value),
    ]);
    await using server = await startOrrery({ memory: true, ...Object.fromEntries(paths) });
    const { body: ca } = await ask(`${server.endpoint}/_explorer/emulator.pem`);
    expect(ca).not.toContain("PRIVATE KEY");
    const socket = connect({ port: server.port, host: "127.0.0.1", servername: "localhost", ca });
    await once(socket, "secureConnect");
    expect(socket.authorized).toBe(true);
    socket.destroy();
  });

  test("that cannot be used stops the start, with the file and the reason", async () => {
    writeFileSync(file("empty.pfx"), "");
    const refused = async (options: object): Promise<string> => {
      const started = startOrrery({ memory: true, ...options });
      return started.then(
        async (server) => {
          await server.close();
          return "started";
        },
        (error: unknown) => String(error),
      );
    };
    const wrong = await refused({ cert: file("both.pfx"), certSecret: "wrong" });
    expect(wrong).toContain("both.pfx");
    expect(wrong).toContain("mac verify failure");
    expect(await refused({ cert: file("empty.pfx") })).toContain("cannot be used as a PFX file");
    expect(await refused({ cert: file("certificate.pem") })).toContain("cannot be used as a PEM");
    expect(await refused({ cert: file("absent.pfx") })).toContain("does not exist");
    expect(await refused({ cert: directory })).toContain("cannot be read (EISDIR)");
    expect(await refused({ certSecret: CERTIFICATE_SECRET })).toContain("cert, which is absent");
  });
});

test("the certificate to trust is in a file before the first request, if its owner wants", async () => {
  const caFile = join(directory, "for", "clients", "ca.pem");
  await using server = await startOrrery({ memory: true, caFile });
  const ca = readFileSync(caFile, "utf8");
  const { body } = await ask(`${server.endpoint}/_explorer/emulator.pem`);
  expect(ca).toBe(body);
  const socket = connect({ port: server.port, host: "127.0.0.1", servername: "localhost", ca });
  await once(socket, "secureConnect");
  expect(socket.authorized).toBe(true);
  socket.destroy();
  const unwritable = startOrrery({ memory: true, caFile: join(caFile, "below") });
  await expect(unwritable).rejects.toThrow("which cannot be written (");
});

test.each([
  ["a variable", [], { EXPLORER_PORT: "1234" }, "EXPLORER_PORT is 1234: the page has no port"],
  ["an argument", ["--log-level", "loud"], {}, "--log-level is 'loud'; it can be quiet"],
])("%s that cannot be honoured stops the start", async (_what, args, variables, message) => {
  const started = start(["--memory", "--port", "0", ...args], variables);
  const [code] = await once(started.child, "close");
  expect(code).toBe(2);
  expect(started.errors).toContain(message);
});

test("requests are logged on standard error, the refused ones with why", async () => {
  const started = start(["--memory", "--port", "0", "--json", "--log-level", "info"]);
  await printed(started, /\n/);
  const { endpoint } = JSON.parse(started.output) as { readonly endpoint: string };
  await ask(`${endpoint}/ready`);
  await ask(`${endpoint}/dbs`);
  await expect.poll(() => started.errors).toContain("\n");
  const stamp = /^\S+Z GET \/dbs 401 0 RU [\d.]+ ms [0-9a-f-]{36} .*authorization.*\n$/i;
  expect(started.errors).toMatch(stamp);
  await end(started);
});
