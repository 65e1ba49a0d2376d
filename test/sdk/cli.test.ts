/** The `orrery start` command, as scripts and containers run it: from `dist`, as a process. */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { get } from "node:https";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { WELL_KNOWN_KEY } from "../../src/index.ts";
import { clientOf, refusalOf, temporaryDirectory } from "./stage.ts";

const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

interface Ready {
  readonly ready: boolean;
  readonly endpoint: string;
  readonly key: string;
  readonly pid: number;
}

interface Running extends AsyncDisposable {
  readonly process: ChildProcess;
  readonly ready: Ready;
  /** All that stdout has said so far, line by line. */
  readonly lines: readonly string[];
  /** Sends the signal and waits; the exit code, or the signal that ended it. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>;
}

type Environment = Readonly<Record<string, string>>;

/** Nothing of this process's own surroundings decides what a server under test does. */
function launch(args: readonly string[], environment: Environment, cwd: string): ChildProcess {
  const { PATH, HOME } = process.env;
  return spawn(process.execPath, [CLI, ...args], {
    cwd,
    env: { PATH, HOME, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function start(
  args: readonly string[],
  { environment = {}, cwd }: { readonly environment?: Environment; readonly cwd: string },
): Promise<Running> {
  const child = launch(["start", "--json", ...args], environment, cwd);
  const errors = text(child.stderr!);
  const exited = once(child, "exit");
  const lines: string[] = [];
  const output = createInterface({ input: child.stdout! });
  output.on("line", (line) => lines.push(line));
  await Promise.race([once(output, "line"), exited]);
  if (lines.length === 0) throw new Error(`the server did not start: ${await errors}`);
  const end = async (signal: NodeJS.Signals): Promise<number | NodeJS.Signals> => {
    child.kill(signal);
    await exited;
    return child.exitCode ?? child.signalCode!;
  };
  return {
    process: child,
    ready: JSON.parse(lines[0]!) as Ready,
    lines,
    end,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) await end("SIGKILL");
    },
  };
}

/** Runs a command to its end. */
async function run(
  args: readonly string[],
  { environment = {}, cwd }: { readonly environment?: Environment; readonly cwd: string },
): Promise<{ readonly code: number | null; readonly output: string; readonly errors: string }> {
  const child = launch(args, environment, cwd);
  const [output, errors] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, "close"),
  ]);
  return { code: child.exitCode, output, errors };
}

const EPHEMERAL = ["--port", "0", "--memory"];

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, "close");
  return port;
}

describe.concurrent("a server that is started", () => {
  test("says in one line of JSON where it is, serves, and ends in order", async () => {
    using directory = temporaryDirectory();
    const cwd = directory.path;
    await using running = await start(["--port", "0", "--data", join(cwd, "data")], { cwd });
    const { ready } = running;
    const endpoint = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string;
    expect(ready).toEqual({
      ready: true,
      endpoint,
      key: WELL_KNOWN_KEY,
      connectionString: `AccountEndpoint=${ready.endpoint}/;AccountKey=${WELL_KNOWN_KEY};`,
      caPath: null,
      pid: running.process.pid,
    });
    const client = clientOf(ready);
    await client.databases.create({ id: "d" });
    expect(await running.end("SIGTERM")).toBe(0);
    expect(running.lines).toHaveLength(1);
    client.dispose();
  });

  test("ends in order when it is interrupted, too", async () => {
    using directory = temporaryDirectory();
    await using running = await start(EPHEMERAL, { cwd: directory.path });
    expect(await running.end("SIGINT")).toBe(0);
  });

  test("without --json tells a person how to connect", async () => {
    using directory = temporaryDirectory();
    const child = launch(["start", ...EPHEMERAL], {}, directory.path);
    const output = text(child.stdout!);
    await once(child.stdout!, "data");
    child.kill("SIGTERM");
    const told = await output;
    for (const part of ["http://127.0.0.1:", WELL_KNOWN_KEY, "AccountEndpoint=", "CosmosClient"]) {
      expect(told).toContain(part);
    }
  });

  test("keeps its data in .orrery where it was started, unless told otherwise", async () => {
    using directory = temporaryDirectory();
    const cwd = directory.path;
    await using running = await start(["--port", "0"], { cwd });
    expect(existsSync(join(cwd, ".orrery"))).toBe(true);
    expect(await running.end("SIGTERM")).toBe(0);
  });

  test("with --memory leaves nothing behind", async () => {
    using directory = temporaryDirectory();
    const cwd = directory.path;
    await using running = await start(EPHEMERAL, { cwd });
    expect(await running.end("SIGTERM")).toBe(0);
    expect(existsSync(join(cwd, ".orrery"))).toBe(false);
  });
});

describe.concurrent("a data directory", () => {
  test("that is in use is refused, naming the holder", async () => {
    using directory = temporaryDirectory();
    const cwd = directory.path;
    const args = ["--port", "0", "--data", cwd];
    await using holder = await start(args, { cwd });
    const { code, output, errors } = await run(["start", "--json", ...args], { cwd });
    expect(code).toBe(2);
    expect(output).toBe("");
    expect(errors).toContain(String(holder.ready.pid));
    expect(errors.trimEnd().split("\n")).toHaveLength(1);
    const client = clientOf(holder.ready);
    expect((await client.databases.create({ id: "still there" })).statusCode).toBe(201);
    client.dispose();
  });

  test("of a server that was killed opens again, with everything it had acknowledged", async () => {
    using directory = temporaryDirectory();
    const cwd = directory.path;
    const args = ["--port", "0", "--data", cwd];
    for (let round = 0; round < 3; round++) {
      await using running = await start(args, { cwd });
      const client = clientOf(running.ready);
      const { database } = await client.databases.createIfNotExists({ id: "d" });
      const { container } = await database.containers.createIfNotExists({
        id: "c",
        partitionKey: "/pk",
      });
      const { resources } = await container.items.readAll().fetchAll();
      expect(resources.map(({ id }) => id)).toEqual(
        Array.from({ length: round }, (_, earlier) => `round-${earlier}`),
      );
      await container.items.create({ id: `round-${round}`, pk: "a" });
      client.dispose();
      expect(await running.end("SIGKILL")).toBe("SIGKILL");
    }
  });
});

describe.concurrent("the account key", () => {
  const isAccepted = async (endpoint: string, key: string): Promise<boolean> => {
    const client = clientOf({ endpoint, key });
    const attempt = client.databases.readAll().fetchAll();
    const isFine = await attempt.then(
      () => true,
      async () => (await refusalOf(attempt)).status !== 401,
    );
    client.dispose();
    return isFine;
  };

  test("is made up and kept when other machines can reach the server", async () => {
    using directory = temporaryDirectory();
    const cwd = directory.path;
    const args = ["--port", "0", "--host", "0.0.0.0", "--data", cwd];
    const keys: string[] = [];
    for (let round = 0; round < 2; round++) {
      await using running = await start(args, { cwd });
      const { endpoint, key } = running.ready;
      expect(endpoint).toMatch(/^http:\/\/127\.0\.0\.1:/);
      expect(await isAccepted(endpoint, key)).toBe(true);
      expect(await isAccepted(endpoint, WELL_KNOWN_KEY)).toBe(false);
      keys.push(key);
      expect(await running.end("SIGTERM")).toBe(0);
    }
    expect(keys[0]).not.toBe(WELL_KNOWN_KEY);
    expect(keys[1]).toBe(keys[0]);
    expect(Buffer.from(keys[0]!, "base64")).toHaveLength(64);
    const file = join(cwd, "account.key");
    expect(readFileSync(file, "utf8").trim()).toBe(keys[0]);
    expect(statSync(file).mode & 0o077).toBe(0);
  });

  test("is the emulator's when its owner says so", async () => {
    using directory = temporaryDirectory();
    const args = [...EPHEMERAL, "--host", "0.0.0.0", "--well-known-key"];
    await using running = await start(args, { cwd: directory.path });
    expect(running.ready.key).toBe(WELL_KNOWN_KEY);
    expect(await isAccepted(running.ready.endpoint, WELL_KNOWN_KEY)).toBe(true);
  });

  test("is the one that was given", async () => {
    using directory = temporaryDirectory();
    const [key, second] = [randomBytes(32), randomBytes(32)].map((bytes) =>
      bytes.toString("base64"),
    );
    const args = [...EPHEMERAL, "--key", key!, "--secondary-key", second!];
    await using running = await start(args, { cwd: directory.path });
    const { endpoint } = running.ready;
    expect(running.ready.key).toBe(key);
    const accepted = [key!, second!, WELL_KNOWN_KEY].map((each) => isAccepted(endpoint, each));
    expect(await Promise.all(accepted)).toEqual([true, true, false]);
  });
});

describe.concurrent("the environment of the emulator's image", () => {
  test("decides where no option does", async () => {
    using directory = temporaryDirectory();
    const cwd = directory.path;
    const port = await freePort();
    const key = randomBytes(64).toString("base64");
    const keyFile = join(cwd, "key");
    writeFileSync(keyFile, `${key}\n`);
    const environment = {
      PORT: String(port),
      PROTOCOL: "https",
      KEY_FILE: keyFile,
      DATA_PATH: join(cwd, "kept"),
      GATEWAY_PUBLIC_ENDPOINT: "https://cosmos.example:443",
    };
    await using running = await start([], { environment, cwd });
    expect(running.ready).toMatchObject({ endpoint: `https://127.0.0.1:${port}`, key });
    expect(existsSync(join(cwd, "kept"))).toBe(true);
    const path = "/_explorer/emulator.pem";
    const request = get({ host: "127.0.0.1", port, path, rejectUnauthorized: false });
    const [answer] = await once(request, "response");
    expect(await text(answer)).toContain("BEGIN CERTIFICATE");
  });

  test("gives way to options", async () => {
    using directory = temporaryDirectory();
    const cwd = directory.path;
    const environment = { PORT: "1", PROTOCOL: "http", DATA_PATH: join(cwd, "unused") };
    await using running = await start(["--port", "0", "--data", join(cwd, "used")], {
      environment,
      cwd,
    });
    expect(running.ready.endpoint).not.toBe("http://127.0.0.1:1");
    expect(existsSync(join(cwd, "used"))).toBe(true);
    expect(existsSync(join(cwd, "unused"))).toBe(false);
  });

  test.each([
    ["PORT", { PORT: "eighty" }],
    ["PORT", { PORT: "70000" }],
    ["PROTOCOL", { PROTOCOL: "gopher" }],
    ["KEY_FILE", { KEY_FILE: "/no/such/file" }],
  ])("with a mistaken %s is refused: %j", async (name, environment) => {
    using directory = temporaryDirectory();
    const cwd = directory.path;
    const { code, errors } = await run(["start", "--json"], { environment, cwd });
    expect(code).toBe(2);
    expect(errors).toContain(name);
  });
});

describe.concurrent("the command line", () => {
  test.each([
    ["start --help", ["start", "--help"], "--port"],
    ["help start", ["help", "start"], "--port"],
    ["help", ["help"], "usage"],
    ["--help", ["--help"], "usage"],
    ["version", ["version"], "."],
  ])("%s explains and ends with 0", async (_rule, args, part) => {
    using directory = temporaryDirectory();
    const { code, output, errors } = await run(args, { cwd: directory.path });
    expect([code, errors]).toEqual([0, ""]);
    expect(output).toContain(part);
  });

  test.each([
    ["an unknown option", ["start", "--prot", "1"], "--prot"],
    ["an unknown command", ["stop"], "stop"],
    ["a word too many", ["start", "now"], "now"],
    ["a port that is none", ["start", "--port", "http"], "http"],
    ["a port out of range", ["start", "--port", "65536"], "65536"],
    ["an option without its value", ["start", "--data"], "--data"],
    ["a key that is none", ["start", ...EPHEMERAL, "--key", "secret!"], "key"],
    ["both --memory and --data", ["start", "--memory", "--data", "x"], "memory"],
    ["a certificate that is not there", ["start", ...EPHEMERAL, "--cert", "x.pem"], "x.pem, which"],
    ["an address that is not ours", ["start", ...EPHEMERAL, "--host", "192.0.2.1"], "192.0.2.1"],
  ])("with %s ends with 2 and says why in one line", async (_rule, args, part) => {
    using directory = temporaryDirectory();
    const { code, output, errors } = await run(args, { cwd: directory.path });
    expect([code, output]).toEqual([2, ""]);
    expect(errors).toMatch(/^orrery: /);
    expect(errors).toContain(part);
    expect(errors).not.toMatch(/^\s+at /m);
  });

  test("with a port that is taken ends with 2 and names it", async () => {
    using directory = temporaryDirectory();
    const cwd = directory.path;
    await using running = await start(EPHEMERAL, { cwd });
    const port = new URL(running.ready.endpoint).port;
    const { code, errors } = await run(["start", "--memory", "--port", port], { cwd });
    expect(code).toBe(2);
    expect(errors).toContain(`Port ${port} is taken`);
  });
});
