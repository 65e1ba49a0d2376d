/**
 * How tools find out that a container of the image is ready, replayed against what the image
 * starts: its entrypoint, with the variables and arguments that the tool gives. Each has to be
 * content at its first look once the server has said that it started, and its first request served.
 */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { get as getPlain } from "node:http";
import { get as getSecure } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WELL_KNOWN_KEY } from "../../src/server/surroundings/options.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const { CONTAINER, CERTIFICATE } = (await import(
  join(ROOT, "scripts", "image", "containerConfig.mjs")
)) as {
  readonly CONTAINER: { readonly Entrypoint: readonly string[]; readonly Env: readonly string[] };
  readonly CERTIFICATE: string;
};

let folder: string;
let child: ChildProcess | undefined;
let output = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "orrery-waits-"));
  output = "";
});
afterEach(async () => {
  if (child?.exitCode === null) {
    child.kill("SIGTERM");
    await once(child, "exit");
  }
  rmSync(folder, { recursive: true, force: true });
});

/** As in a container, but for what belongs to this machine: its ports, its folders, its address. */
function start(
  variables: Readonly<Record<string, string>>,
  args: readonly string[] = ["--port", "0", "--health-port", "0"],
): void {
  const [, , ...entrypoint] = CONTAINER.Entrypoint;
  const ours = entrypoint.map((word) => (word === CERTIFICATE ? join(folder, "ca.pem") : word));
  const known = Object.fromEntries(CONTAINER.Env.map((text) => text.split("=")));
  const command = [join(ROOT, "dist", "cli.js"), ...ours, "--host", "127.0.0.1", ...args];
  const env = { ...known, PATH: process.env["PATH"], ...variables };
  child = spawn(process.execPath, command, {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  child.stdout!.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
}

/** Until the log has what a tool waits for; an end of the process before that is a failure. */
async function logged(pattern: RegExp): Promise<void> {
  const ended = once(child!, "close").then(() => Promise.reject(new Error(`ended: ${output}`)));
  while (!pattern.test(output)) await Promise.race([once(child!.stdout!, "data"), ended]);
  ended.catch(() => undefined);
}

const portIn = (log: string): string => /listening on: \w+:\/\/[^:]+:(\d+)/.exec(log)![1]!;

/** One look: a status, or why there was no answer. */
async function look(url: string, headers: Record<string, string> = {}): Promise<number | string> {
  const asking = url.startsWith("https:")
    ? getSecure(url, { rejectUnauthorized: false, agent: false, headers })
    : getPlain(url, { agent: false, headers });
  try {
    const [answer] = (await once(asking, "response")) as [IncomingMessage];
    answer.resume();
    return answer.statusCode!;
  } catch (error) {
    return String((error as { readonly code?: unknown }).code);
  }
}

/** What a client of the tool's user asks first: for the account. */
function readAccount(endpoint: string): Promise<number | string> {
  const date = new Date().toUTCString();
  const lines = `get\n\n\n${date.toLowerCase()}\n\n`;
  const digest = createHmac("sha256", Buffer.from(WELL_KNOWN_KEY, "base64")).update(lines);
  const signature = `type=master&ver=1.0&sig=${digest.digest("base64")}`;
  const authorization = encodeURIComponent(signature);
  return look(`${endpoint}/`, { authorization, "x-ms-date": date, "x-ms-version": "2020-07-15" });
}

async function freePort(): Promise<string> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as { readonly port: number };
  probe.close();
  await once(probe, "close");
  return String(port);
}

test("Testcontainers for Node, over TLS, on the port that it chose", async () => {
  const port = await freePort();
  const variables = { PROTOCOL: "https", ENABLE_TELEMETRY: "false", ENABLE_EXPLORER: "false" };
  start({ PORT: port, ...variables }, ["--health-port", "0"]);
  await logged(/Now listening on: .*\n/);
  expect(portIn(output)).toBe(port);
  expect(await readAccount(`https://127.0.0.1:${port}`)).toBe(200);
});

test("Testcontainers for Python: log, page over TLS, databases, certificate in a file", async () => {
  start({
    AZURE_COSMOS_EMULATOR_PARTITION_COUNT: "None",
    AZURE_COSMOS_EMULATOR_IP_ADDRESS_OVERRIDE: "172.17.0.3",
    AZURE_COSMOS_EMULATOR_ENABLE_DATA_PERSISTENCE: "0",
    AZURE_COSMOS_EMULATOR_KEY: WELL_KNOWN_KEY,
  });
  await logged(/Started\s*$/);
  const endpoint = `https://127.0.0.1:${portIn(output)}`;
  expect(await look(`${endpoint}/_explorer/index.html`)).toBe(200);
  expect(await readAccount(endpoint)).toBe(200);
  expect(readFileSync(join(folder, "ca.pem"), "utf8")).toMatch(/^-----BEGIN CERTIFICATE-----/);
  // Data was not to be kept.
  expect(existsSync(join(folder, ".orrery", "journal"))).toBe(false);
});

test("Testcontainers for Java, .NET and Go: log, then the account by HTTP and by TLS", async () => {
  start({}, ["--port", "0", "--health-port", "0", "--enable-explorer", "false"]);
  await logged(/(?:^|\n).*Started\r\n$/);
  const port = portIn(output);
  expect(await look(`https://127.0.0.1:${port}/_explorer/emulator.pem`)).toBe(200);
  expect(await readAccount(`https://127.0.0.1:${port}`)).toBe(200);
  expect(await readAccount(`http://127.0.0.1:${port}`)).toBe(200);
});

test("Aspire: looks at the health port until it is told 200, then reads the account", async () => {
  const [port, health] = [await freePort(), await freePort()];
  const ports = ["--port", port, "--health-port", health];
  start({ ENABLE_EXPLORER: "false", DATA_PATH: join(folder, "data") }, ports);
  const seen: (number | string)[] = [];
  await expect
    .poll(
      async () => {
        seen.push(await look(`http://127.0.0.1:${health}/ready`));
        return seen.at(-1);
      },
      { interval: 20 },
    )
    .toBe(200);
  expect(await readAccount(`http://127.0.0.1:${port}`)).toBe(200);
  // Nobody there, then not ready yet, then ready; never an answer of another kind.
  expect(seen.filter((answer) => !["ECONNREFUSED", 503, 200].includes(answer))).toEqual([]);
  expect(seen.filter((answer) => answer === 200)).toHaveLength(1);
});
