/**
 * Runs an application with each official SDK through a switch of names: it writes, reads, asks by
 * the old key and follows the change feed, with everything in its caches, while a copy of its
 * container with another key takes over the name, and then goes on. Nothing is restarted.
 *
 *     npm run campaign switch -- [--only python,go] [--folder <dir>] [--rounds 60]
 *
 * Programmes are in test/switch/<language>; one whose tools or packages are not at hand is left out,
 * and the last lines say so. JavaScript's is the test `test/switch/switch.test.ts`, run for longer. A programme prints lines of words with tabs between them: `round` when
 * one is over, `failed` with a call that failed and why, `kept` with an item that was acknowledged.
 * Afterwards all that was acknowledged must be there, and nothing twice.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { CosmosClient } from "@azure/cosmos";
import { importTyped } from "./importTyped.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const MINUTE_MS = 60_000;
/** Until then everything is in the caches of the clients. */
const ROUNDS_BEFORE = 5;

/**
 * @typedef {readonly [command: string, ...args: string[]]} Command
 * @typedef {{ build: (folder: string) => Command[], run: (folder: string) => Command }} Language
 */

/** @type {Readonly<Record<string, Language>>} */
const LANGUAGES = {
  python: {
    build: (folder) => [
      ["python3", "-m", "venv", join(folder, "venv")],
      [join(folder, "venv/bin/pip"), "install", "--quiet", "-r", "requirements.txt"],
    ],
    run: (folder) => [join(folder, "venv/bin/python"), "programme.py"],
  },
  go: {
    build: () => [["go", "build", "-mod=readonly", "-o", "programme", "."]],
    run: (folder) => [join(folder, "programme")],
  },
  java: {
    build: () => [
      ["mvn", "-q", "-B", "dependency:build-classpath", "-Dmdep.outputFile=classpath.txt"],
      ["mvn", "-q", "-B", "compile"],
    ],
    run: (folder) => {
      const packages = readFileSync(join(folder, "classpath.txt"), "utf8").trim();
      const classes = [join(folder, "target/classes"), packages].join(delimiter);
      const plain = "-DCOSMOS.HTTP_CONNECTION_WITHOUT_TLS_ALLOWED=true";
      return ["java", plain, "-cp", classes, "Programme"];
    },
  },
  rust: {
    build: () => [["cargo", "build", "--locked", "--quiet"]],
    run: (folder) => [join(folder, "target/debug/programme")],
  },
};

const JAVASCRIPT = "javascript";

const { values: options } = parseArgs({
  options: {
    only: { type: "string", default: [JAVASCRIPT, ...Object.keys(LANGUAGES)].join(",") },
    folder: { type: "string" },
    rounds: { type: "string", default: "60" },
  },
});
const kept = options.folder === undefined ? undefined : resolve(options.folder);
const folder = kept ?? mkdtempSync(join(tmpdir(), "orrery-switch-"));
const copies = /** @type {typeof import("../test/switch/copyJob.ts")} */ (
  await importTyped("test/switch/copyJob.ts")
);
const KEYS = [["/tenant"], ["concat(/tenant, '-', hash(/pk) % 4)"]];
const lines = [];
try {
  for (const language of options.only.split(",")) lines.push(...(await runLanguage(language)));
} finally {
  if (kept === undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
process.stdout.write(`\n${lines.map(({ text }) => text).join("\n")}\n`);
process.exitCode = lines.every(({ isGood }) => isGood) ? 0 : 1;

/** @param {string} language */
async function runLanguage(language) {
  if (language === JAVASCRIPT) return [await runJavaScript()];
  const known = LANGUAGES[language];
  if (known === undefined) throw new Error(`there is no programme for "${language}"`);
  const at = join(folder, language);
  mkdirSync(at, { recursive: true });
  cpSync(join(ROOT, "test/switch", language), at, { recursive: true });
  for (const command of known.build(at)) {
    const code = await ended(command, { at, ms: 20 * MINUTE_MS });
    if (code === 0) continue;
    return [{ text: `${language}: not run, ${command[0]} did not do its part`, isGood: true }];
  }
  const said = [];
  for (const key of KEYS) said.push(await runThrough(language, known.run(at), { at, key }));
  return said;
}

/** The test runs a third of the rounds before the switch, during it, and after it. */
async function runJavaScript() {
  const env = { ORRERY_SWITCH_ROUNDS: String(Math.ceil(Number(options.rounds) / 3)) };
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const command = /** @type {Command} */ ([process.execPath, vitest, "run", "test/switch"]);
  const onLine = (/** @type {string} */ line) => process.stdout.write(`${line}\n`);
  const code = await ended(command, { at: ROOT, ms: 5 * MINUTE_MS, env, onLine });
  const text = `${JAVASCRIPT}: ${options.rounds} rounds, ${code === 0 ? "no failure" : "failed"}`;
  return { text, isGood: code === 0 };
}

/**
 * @param {string} language
 * @param {Command} command
 * @param {{ at: string, key: string[] }} how
 */
async function runThrough(language, command, { at, key }) {
  const server = await startServer();
  const client = new CosmosClient({ endpoint: server.endpoint, key: server.key });
  try {
    const { database } = await client.databases.create({ id: "d" });
    const partitionKey = { paths: ["/pk"] };
    await database.containers.create({ id: "c", partitionKey, throughput: 21_000 });
    /** @type {Map<string, number>} */
    const items = new Map();
    /** @type {string[]} */
    const failures = [];
    /** @type {Promise<void> | undefined} */
    let switching;
    let isSwitched = false;
    let since = 0;
    const env = {
      COSMOS_ENDPOINT: server.endpoint,
      COSMOS_KEY: server.key,
      SWITCH_ROUNDS: options.rounds,
    };
    const onLine = (/** @type {string} */ line) => {
      const [word, ...more] = line.split("\t");
      if (word === "failed") failures.push(more.join(": "));
      if (word === "kept") items.set(String(more[0]), Number(more[1]));
      if (word !== "round") return;
      if (isSwitched) since++;
      if (Number(more[0]) < ROUNDS_BEFORE) return;
      switching ??= copies.copyOf(server.endpoint, key).then(async (id) => {
        await copies.switchNames(server.endpoint, id);
        isSwitched = true;
      });
    };
    const code = await ended(command, { at, ms: 5 * MINUTE_MS, env, onLine });
    await switching;
    if (code !== 0) failures.push(`the programme ended with ${code}`);
    if (since < 10) failures.push(`only ${since} rounds came after the switch`);
    failures.push(...(await missing(server, items)));
    for (const failure of new Set(failures)) process.stdout.write(`${language}: ${failure}\n`);
    const text =
      `${language}, ${key}: ${items.size} items, ${since} of ${options.rounds} rounds after the ` +
      `switch, ${failures.length} failures`;
    process.stdout.write(`${text}\n`);
    return { text, isGood: failures.length === 0 };
  } finally {
    client.dispose();
    server.stop();
  }
}

/**
 * What is not as it was acknowledged, as a client sees it that comes now.
 * @param {{ endpoint: string, key: string }} server
 * @param {ReadonlyMap<string, number>} items
 */
async function missing({ endpoint, key }, items) {
  const client = new CosmosClient({ endpoint, key });
  const { resources } = await client
    .database("d")
    .container("c")
    .items.query("SELECT c.id, c.n FROM c")
    .fetchAll();
  client.dispose();
  /** @type {string[]} */
  const found = [];
  const rows = new Map(resources.map(({ id, n }) => [id, n]));
  if (rows.size < resources.length) found.push("an item is there twice");
  for (const [id, n] of items) if (rows.get(id) !== n) found.push(`${id} is not as it was written`);
  for (const id of rows.keys()) if (!items.has(id)) found.push(`${id} should not be there`);
  return found;
}

/** @returns {Promise<{ endpoint: string, key: string, stop: () => void }>} */
async function startServer() {
  const cli = join(ROOT, "dist/cli.js");
  const args = [cli, "start", "--json", "--memory", "--port", "0", "--no-rate-limit"];
  const child = spawn(process.execPath, args, {
    cwd: tmpdir(),
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"] },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const { endpoint, key } = JSON.parse(line);
  return { endpoint: endpoint.replace(/\/$/, ""), key, stop: () => child.kill("SIGTERM") };
}

/**
 * @param {Command} command
 * @param {{ at: string, ms: number, env?: Record<string, string>,
 *   onLine?: (line: string) => void }} how
 * @returns {Promise<number>}
 */
async function ended([command, ...args], { at, ms, env = {}, onLine = () => {} }) {
  const child = spawn(command, args, {
    cwd: at,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  createInterface({ input: child.stdout }).on("line", onLine);
  const timer = setTimeout(() => child.kill("SIGKILL"), ms);
  const code = await new Promise((done) => {
    child.once("error", () => done(-1));
    child.once("close", (status) => done(status ?? -1));
  });
  clearTimeout(timer);
  return code;
}
