/**
 * Runs the JavaScript SDK's own tests against this server, and holds the outcome to the list of
 * those that cannot pass (`test/compatibility/sdkSuite.ts`).
 *
 *     npm run campaign sdk-suite -- --suite <folder> [--only <part of a name>] [--verbose] [--record]
 *
 * The folder is that of the cosmos package in a checkout of azure-sdk-for-js
 * (`sdk/cosmosdb/cosmos`), with its dependencies installed, vitest among them. Nothing of it is
 * changed; a configuration for vitest is written to a temporary folder.
 *
 * Files are run one after the other, since they delete each other's databases, each against a
 * throw-away server of its own on a free port of loopback. A test that fails and is not listed is
 * an error, and so is a listed one that passes. `--record` writes down what came of a whole run;
 * `npm run campaign compatibility` makes the table of the document from that.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startOrrery } from "orrery";
import { importTyped } from "./importTyped.mjs";

/** What the server was told is there if a test passed only with that. */
/** @typedef {{ fullName: string, status: string, failureMessages: string[], server?: object }} Told */

const FILE_MINUTES_MAX = 10;

const { values: options } = parseArgs({
  options: {
    suite: { type: "string" },
    only: { type: "string", default: "" },
    verbose: { type: "boolean", default: false },
    record: { type: "boolean", default: false },
  },
});
const suite = resolve(options.suite ?? "");
const tests = join(suite, "test", "public");
const vitest = join(suite, "node_modules", "vitest", "vitest.mjs");
if (options.suite === undefined || !existsSync(tests) || !existsSync(vitest)) {
  process.stderr.write(
    "Give --suite the folder sdk/cosmosdb/cosmos of a checkout of azure-sdk-for-js, with its\n" +
      "dependencies installed there.\n",
  );
  process.exit(2);
}
if (options.record && options.only !== "") {
  process.stderr.write("--record is about all files: leave out --only.\n");
  process.exit(2);
}

const lists = await importTyped("test/compatibility/sdkSuite.ts");
const { NOT_RUN, SUITE_EXCEPTIONS, SECOND_RUNS } =
  /** @type {typeof import("../test/compatibility/sdkSuite.ts")} */ (lists);
const folder = mkdtempSync(join(tmpdir(), "orrery-sdk-suite-"));
/** @type {string[]} */
const errors = [];
const counts = { passed: 0, excepted: 0, skipped: 0 };
/** @type {[file: string, outcome: object][]} */
const outcomes = [];
try {
  for (const file of filesToRun()) {
    const told = await runs(file);
    judge(file, told);
    outcomes.push([file, outcomeOf([...told.values()])]);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (options.record) record();
process.stdout.write(
  `\n${counts.passed} passed, ${counts.skipped} skipped by their authors, ` +
    `${counts.excepted} listed as exceptions, ${errors.length} errors\n`,
);
for (const error of errors) process.stdout.write(`  ${error}\n`);
process.exit(errors.length === 0 ? 0 : 1);

/** Names below `test/public`, without their ending. */
function filesToRun() {
  const paths = readdirSync(tests, { recursive: true, encoding: "utf8" });
  const left = new Set(NOT_RUN.map(({ file }) => file));
  return paths
    .filter((path) => path.endsWith(".spec.ts"))
    .map((path) => path.replaceAll("\\", "/").slice(0, -".spec.ts".length))
    .filter((file) => !left.has(file) && file.includes(options.only))
    .toSorted();
}

/**
 * Outcomes by the name of the test; of two runs the better one counts.
 * @param {string} file
 */
async function runs(file) {
  const settings = SECOND_RUNS.filter((one) => one.file === file);
  const isOnly = settings.some((one) => one.isOnly);
  const told = isOnly ? new Map() : await run(file, {});
  for (const { server } of settings) {
    for (const [name, one] of await run(file, server)) {
      const isBetter = one.status === "passed" && told.get(name)?.status !== "passed";
      if (isBetter || !told.has(name)) told.set(name, { ...one, server });
    }
  }
  return told;
}

/**
 * @param {string} file
 * @param {object} serverOptions
 * @returns {Promise<Map<string, Told>>}
 */
async function run(file, serverOptions) {
  const server = await startOrrery({ memory: true, ...serverOptions }).catch((problem) => {
    errors.push(`${file}: ${firstLineOf(String(problem))}`);
  });
  if (server === undefined) return new Map();
  const output = join(folder, "outcome.json");
  rmSync(output, { force: true });
  try {
    await vitestRun(file, server, output);
  } finally {
    await server.close();
  }
  if (!existsSync(output)) {
    errors.push(`${file}: did not end within ${FILE_MINUTES_MAX} minutes, or not properly`);
    return new Map();
  }
  const [result] = JSON.parse(readFileSync(output, "utf8")).testResults;
  if (result.assertionResults.length === 0) {
    errors.push(`${file}: no tests; ${result.message.replaceAll("\n", " ").slice(0, 400)}`);
  }
  return byName(result.assertionResults);
}

/**
 * Some tests share a name: the second of them is known by it and a number, so none hides another.
 * @param {readonly Told[]} results
 */
function byName(results) {
  /** @type {Map<string, Told>} */
  const told = new Map();
  for (const one of results) {
    let name = one.fullName;
    for (let count = 2; told.has(name); count++) name = `${one.fullName} (${count})`;
    told.set(name, { ...one, fullName: name });
  }
  return told;
}

/**
 * @param {string} file
 * @param {{ endpoint: string, key: string }} server
 * @param {string} output
 * @returns {Promise<void>}
 */
function vitestRun(file, server, output) {
  const config = join(folder, "vitest.config.mjs");
  const alias = { "@azure/cosmos": join(suite, "src", "index.ts") };
  const settings = { fileParallelism: false, testTimeout: 60_000, hookTimeout: 60_000 };
  const test = { ...settings, include: ["test/public/**/*.spec.ts"] };
  const text = JSON.stringify({ root: suite, resolve: { alias }, test });
  writeFileSync(config, `export default ${text};\n`);
  const args = ["run", "--config", config, "--reporter=json", `--outputFile=${output}`];
  const child = spawn(process.execPath, [vitest, ...args, `test/public/${file}.spec.ts`], {
    cwd: suite,
    stdio: options.verbose ? "inherit" : "ignore",
    timeout: FILE_MINUTES_MAX * 60_000,
    env: {
      ...process.env,
      ACCOUNT_HOST: server.endpoint.replace("127.0.0.1", "localhost"),
      ACCOUNT_KEY: server.key,
      // The server listens on the address that this name has in version 4.
      NODE_OPTIONS: "--dns-result-order=ipv4first",
    },
  });
  return new Promise((done) => child.once("close", () => done()));
}

/**
 * @param {string} file
 * @param {Map<string, Told>} told
 */
function judge(file, told) {
  const listed = SUITE_EXCEPTIONS.filter((one) => one.file === file);
  const used = new Set();
  const before = errors.length;
  let failed = 0;
  for (const { fullName, status, failureMessages } of told.values()) {
    const exception = listed.find((one) => fullName === one.test);
    const isRun = status === "passed" || status === "failed";
    if (isRun && exception !== undefined) used.add(exception);
    if (status === "passed") {
      counts.passed++;
      if (exception !== undefined) errors.push(`${file}: passes although listed: ${fullName}`);
    } else if (status === "failed") {
      failed++;
      if (exception !== undefined) counts.excepted++;
      else errors.push(`${file}: ${fullName}: ${firstLineOf(failureMessages[0])}`);
    } else {
      counts.skipped++;
    }
  }
  for (const { test } of listed.filter((one) => !used.has(one))) {
    errors.push(`${file}: listed, but no such test was run: ${test}`);
  }
  process.stdout.write(`${file}: ${told.size} tests, ${failed} failed\n`);
  for (const error of errors.slice(before)) process.stdout.write(`  ${error}\n`);
}

/** @param {readonly Told[]} told */
function outcomeOf(told) {
  const named = (/** @type {string} */ status) => told.filter((one) => one.status === status);
  const passed = named("passed");
  const failed = named("failed").map(({ fullName }) => fullName);
  const elsewhere = passed.filter(({ server }) => server !== undefined);
  const passedWith = elsewhere.map(({ fullName, server }) => ({ test: fullName, server }));
  const skipped = told.length - passed.length - failed.length;
  return { passed: passed.length, skipped, failed, passedWith };
}

function record() {
  const { version } = JSON.parse(readFileSync(join(suite, "package.json"), "utf8"));
  const path = new URL("../test/compatibility/suiteRun.json", import.meta.url);
  const recorded = { version, files: Object.fromEntries(outcomes) };
  writeFileSync(fileURLToPath(path), `${JSON.stringify(recorded, undefined, 2)}\n`);
  process.stdout.write("recorded; npm run campaign compatibility writes the document\n");
}

/** @param {string | undefined} text */
function firstLineOf(text = "") {
  return text.split("\n", 1)[0].slice(0, 200);
}
