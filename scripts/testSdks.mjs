/**
 * Runs one short, complete programme with each official SDK that is not JavaScript's, in gateway
 * mode, against a server of its own on loopback: test/sdks/<language>. That of Java runs once more
 * in direct mode, with the default options of its SDK. Those with `-tls` are the same programmes
 * over TLS, trusting the server's authority as docs/use/sdks.md says.
 *
 *     npm run campaign sdks -- [--only python,go] [--require python] [--folder <dir>] [--record]
 *
 * A language whose tools or packages are not at hand is skipped, and the last lines say which and
 * why; `--require` makes that a failure. Packages are installed, and programmes built, in a
 * throw-away folder, or in `--folder`, which is kept and makes the next run quicker; the package
 * managers' own caches of downloads are used as they are. Every step is bounded in time. Exits with
 * 1 if anything failed. The checkout is only read, but for `--record`, which writes down what came
 * of each operation; `npm run campaign compatibility` makes the table of the document from that.
 *
 * A programme reads COSMOS_ENDPOINT and COSMOS_KEY, and prints a line for each operation: its name,
 * a tab, and "ok" or what went wrong.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { importTyped } from "./importTyped.mjs";

const MINUTE_MS = 60_000;
const ROOT = fileURLToPath(new URL("..", import.meta.url));

/**
 * @typedef {readonly [command: string, ...args: string[]]} Command
 * @typedef {object} Language
 * @property {string} [source] the folder of its programme, where that is another's, too
 * @property {Command} tool says whether the package manager is there
 * @property {(folder: string) => Command[]} fetch brings the packages; no failure of ours
 * @property {(folder: string) => Command[]} build
 * @property {(folder: string) => Command} run
 * @property {(ca: string) => Record<string, string>} [trust] over TLS, in this environment
 * @typedef {{ name: string, problem: string | undefined }} Step
 * @typedef {{ language: string, steps: Step[], skipped?: string }} Report
 */

/** @param {readonly string[]} properties @returns {Language} */
function java(properties) {
  return {
    source: "java",
    tool: ["mvn", "--version"],
    fetch: () => [
      ["mvn", "-q", "-B", "dependency:build-classpath", "-Dmdep.outputFile=classpath.txt"],
    ],
    build: () => [["mvn", "-q", "-B", "compile"]],
    run: (folder) => {
      const packages = readFileSync(join(folder, "classpath.txt"), "utf8").trim();
      const classes = [join(folder, "target/classes"), packages].join(delimiter);
      // The SDK refuses plain HTTP unless it is told so from outside.
      const plain = "-DCOSMOS.HTTP_CONNECTION_WITHOUT_TLS_ALLOWED=true";
      return ["java", plain, ...properties, "-cp", classes, "Programme"];
    },
  };
}

/** @type {Language} */
const python = {
  tool: ["python3", "--version"],
  fetch: (folder) => [
    ["python3", "-m", "venv", join(folder, "venv")],
    [join(folder, "venv/bin/pip"), "install", "--quiet", "-r", "requirements.txt"],
  ],
  build: () => [],
  run: (folder) => [join(folder, "venv/bin/python"), "programme.py"],
};

/** @type {Language} */
const go = {
  tool: ["go", "version"],
  fetch: () => [["go", "mod", "download"]],
  build: () => [["go", "build", "-mod=readonly", "-o", "programme", "."]],
  run: (folder) => [join(folder, "programme")],
};

/** Java has a file of its own for whom it trusts. @returns {Language} */
function javaOverTls() {
  const store = `trust-${process.pid}.p12`;
  const password = "changeit";
  const plain = java([
    `-Djavax.net.ssl.trustStore=${store}`,
    `-Djavax.net.ssl.trustStorePassword=${password}`,
  ]);
  const imported = ["-importcert", "-noprompt", "-alias", "orrery", "-file", "../ca.pem"];
  const kept = ["-keystore", store, "-storetype", "PKCS12", "-storepass", password];
  return {
    ...plain,
    build: (at) => [...plain.build(at), ["keytool", ...imported, ...kept]],
    trust: () => ({}),
  };
}

/** @type {Readonly<Record<string, Language>>} */
const LANGUAGES = {
  python,
  go,
  java: java([]),
  // The certificate of a throw-away server is known to nobody.
  "java-direct": java([
    "-Ddirect=true",
    "-DCOSMOS.EMULATOR_SERVER_CERTIFICATE_VALIDATION_DISABLED=true",
  ]),
  "python-tls": { ...python, source: "python", trust: () => ({}) },
  "go-tls": { ...go, source: "go", trust: (ca) => ({ SSL_CERT_FILE: ca }) },
  "java-tls": javaOverTls(),
  rust: {
    tool: ["cargo", "--version"],
    fetch: () => [["cargo", "fetch", "--locked", "--quiet"]],
    build: () => [["cargo", "build", "--locked", "--offline", "--quiet"]],
    run: (folder) => [join(folder, "target/debug/programme")],
  },
};

const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    require: { type: "string", default: "" },
    folder: { type: "string" },
    record: { type: "boolean", default: false },
  },
});

/** All that was started and has not ended: nothing of it outlives this process. */
const running = new Set();
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    for (const child of running) child.kill("SIGKILL");
    process.exit(1);
  });
}

const chosen = languagesIn(options.only) ?? Object.keys(LANGUAGES);
const required = languagesIn(options.require) ?? [];
const kept = options.folder === undefined ? undefined : resolve(options.folder);
const folder = kept ?? mkdtempSync(join(tmpdir(), "orrery-sdks-"));
const server = await startServer();
try {
  /** @type {Report[]} */
  const reports = [];
  for (const language of chosen) reports.push(await runLanguage(language, server));
  process.exitCode = conclude(reports) ? 0 : 1;
  if (options.record) await record(reports);
} finally {
  server.stop();
  if (kept === undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

/**
 * @param {string | undefined} text
 * @returns {string[] | undefined}
 */
function languagesIn(text) {
  if (text === undefined) return undefined;
  const names = text.split(",").filter((name) => name !== "");
  const unknown = names.find((name) => !Object.hasOwn(LANGUAGES, name));
  if (unknown === undefined) return names;
  const known = Object.keys(LANGUAGES).join(", ");
  throw new Error(`there is no programme for "${unknown}"; there are: ${known}`);
}

/** @returns {Promise<{ endpoint: string, key: string, stop: () => void }>} */
async function startServer() {
  const cli = join(ROOT, "dist/cli.js");
  const args = ["--json", "--memory", "--port", "0", "--ca-file", join(folder, "ca.pem")];
  const child = spawn(process.execPath, [cli, "start", ...args], {
    cwd: tmpdir(),
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"] },
    stdio: ["ignore", "pipe", "inherit"],
  });
  running.add(child);
  const lines = createInterface({ input: child.stdout });
  const ended = once(child, "exit").then(() => {
    throw new Error("the server did not start; run `npm run build` and look at what it says");
  });
  const [line] = await Promise.race([once(lines, "line"), ended]);
  ended.catch(() => {}); // It ends when we stop it, and that is no surprise.
  const { endpoint, key } = JSON.parse(line);
  return { endpoint, key, stop: () => child.kill("SIGTERM") };
}

/**
 * @param {string} language
 * @param {{ endpoint: string, key: string }} account
 * @returns {Promise<Report>}
 */
async function runLanguage(language, { endpoint, key }) {
  const {
    tool,
    fetch,
    build,
    run,
    trust,
    source = language,
  } = /** @type {Language} */ (LANGUAGES[language]);
  const at = join(folder, language);
  mkdirSync(at, { recursive: true });
  cpSync(join(ROOT, "test/sdks", source), at, { recursive: true });
  const skip = (/** @type {string} */ why) => ({ language, steps: [], skipped: why });

  const found = await bounded(tool, { at, ms: MINUTE_MS });
  if (found.code !== 0) return skip(`${tool[0]} is not installed`);
  process.stdout.write(`${language}: bringing its packages, building\n`);
  for (const command of fetch(at)) {
    const { code, output } = await bounded(command, { at, ms: 15 * MINUTE_MS });
    if (code !== 0) return skip(`its packages could not be brought: ${gistOf(output)}`);
  }
  for (const command of build(at)) {
    const { code, output } = await bounded(command, { at, ms: 20 * MINUTE_MS });
    if (code !== 0) return { language, steps: [{ name: "build", problem: output.trim() }] };
  }
  /** @type {Step[]} */
  const steps = [];
  const { code, output } = await bounded(run(at), {
    at,
    ms: 5 * MINUTE_MS,
    env: {
      // The port serves both.
      COSMOS_ENDPOINT: trust === undefined ? endpoint : endpoint.replace(/^http:/, "https:"),
      COSMOS_KEY: key,
      ...trust?.(join(folder, "ca.pem")),
    },
    onLine: (line) => steps.push(...stepOf(language, line)),
  });
  if (code !== 0) steps.push({ name: "run to its end", problem: gistOf(output) });
  if (steps.length === 0) steps.push({ name: "run", problem: "it did nothing" });
  return { language, steps };
}

/**
 * Shows and reads one line of a programme; other output of an SDK is no step.
 * @param {string} language
 * @param {string} line
 * @returns {Step[]}
 */
function stepOf(language, line) {
  const [name, said] = line.split("\t");
  if (name === undefined || said === undefined) return [];
  process.stdout.write(`${language.padEnd(12)}${name.padEnd(42)}${said}\n`);
  return [{ name, problem: said === "ok" ? undefined : said }];
}

/**
 * @param {Command} command
 * @param {{ at: string, ms: number, env?: Record<string, string>,
 *   onLine?: (line: string) => void }} how
 * @returns {Promise<{ code: number, output: string }>}
 */
async function bounded([command, ...args], { at, ms, env = {}, onLine = () => {} }) {
  const child = spawn(command, args, {
    cwd: at,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      output = `${output}${line}\n`.slice(-20_000);
      if (stream === child.stdout) onLine(line);
    });
  }
  const timer = setTimeout(() => {
    output += `${command} was ended after ${ms / MINUTE_MS} minutes\n`;
    child.kill("SIGKILL");
  }, ms);
  const code = await new Promise((done) => {
    child.once("error", (problem) => {
      output += `${problem.message}\n`;
      done(-1);
    });
    child.once("close", (ended) => done(ended ?? -1));
  });
  clearTimeout(timer);
  running.delete(child);
  return { code, output };
}

/**
 * The line that tells most: the first that speaks of an error, or else the last.
 * @param {string} output
 */
function gistOf(output) {
  const lines = output.trim().split("\n");
  return (lines.find((line) => /error/i.test(line)) ?? lines.at(-1))?.trim() || "it said nothing";
}

/**
 * The table, what was left out, and whether all is well.
 * @param {readonly Report[]} reports
 */
function conclude(reports) {
  process.stdout.write("\nlanguage         ok  failed\n");
  for (const { language, steps, skipped } of reports) {
    const failed = steps.filter(({ problem }) => problem !== undefined);
    const counts = [steps.length - failed.length, failed.length].map((count) => `${count}`);
    const [passed = "", broken = ""] = skipped === undefined ? counts : ["-", "-"];
    const state = `${language.padEnd(14)}${passed.padStart(5)}${broken.padStart(8)}`;
    process.stdout.write(`${state}${skipped === undefined ? "" : "  not run"}\n`);
    for (const { name, problem } of failed) process.stdout.write(`  ${name}: ${problem}\n`);
  }
  const left = reports.filter(({ skipped }) => skipped !== undefined);
  const reasons = left.map(({ language, skipped }) => `${language} (${skipped})`);
  process.stdout.write(
    left.length === 0 ? "none was left out\n" : `not run: ${reasons.join("; ")}\n`,
  );
  const ran = reports.filter(({ skipped }) => skipped === undefined);
  const missing = required.filter((name) => !ran.some(({ language }) => language === name));
  for (const name of missing) process.stdout.write(`${name} is required and was not run\n`);
  const isBroken = reports.some(({ steps }) => steps.some(({ problem }) => problem !== undefined));
  return !isBroken && missing.length === 0;
}

/**
 * Languages that were not run keep what was recorded of them before.
 * @param {readonly Report[]} reports
 */
async function record(reports) {
  const digest = await importTyped("test/compatibility/programmeDigest.ts");
  const { programmeDigest } =
    /** @type {typeof import("../test/compatibility/programmeDigest.ts")} */ (digest);
  const path = join(ROOT, "test/compatibility/sdkRuns.json");
  const recorded = JSON.parse(readFileSync(path, "utf8"));
  for (const { language, steps, skipped } of reports) {
    if (skipped !== undefined || LANGUAGES[language]?.trust !== undefined) continue;
    const outcomes = steps.map(({ name, problem }) => [name, problem ?? "ok"]);
    const { source = language } = /** @type {Language} */ (LANGUAGES[language]);
    const programme = programmeDigest(join(ROOT, "test/sdks", source));
    recorded[language] = { programme, operations: Object.fromEntries(outcomes) };
  }
  writeFileSync(path, `${JSON.stringify(recorded, undefined, 2)}\n`);
  process.stdout.write("recorded; npm run campaign compatibility writes the document\n");
}
