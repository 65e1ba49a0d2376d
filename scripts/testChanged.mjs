/**
 * `npm run test:changed [-- options]`: the tests of what changed since the last commit, within
 * minutes: by the law of rooms, the tests of every room that changed and of every room that imports
 * it, and the tests that are about what else changed (a page, a script, the package).
 *
 *   --since <commit>   what changed since that commit; HEAD if absent, or the commit before it when
 *                      nothing has changed since HEAD
 *   --all              every test that reaches a changed file by imports, through any number of rooms
 *   --list             prints what would be run
 *
 * At the end it says what it left out. Before a merge that is for `.ci/run`, and for the campaigns
 * that CONTRIBUTING.md names for the rooms.
 */
import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildSync } from "esbuild";

/** @typedef {Readonly<Record<string, { values: readonly string[], types?: readonly string[] }>>} Law */

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** Quick tests about the whole project. */
const ALWAYS = ["test/tidy", "test/docsLinks.test.ts"];
/** A path that changed → tests that are about it. */
const ABOUT = /** @type {const} */ ([
  [/^(README\.md|docs\/|src\/cli\/)/, ["test/readme.test.ts"]],
  [/^(scripts\/|bench\/|CONTRIBUTING\.md|package\.json)/, ["test/commands.test.ts"]],
  [/^(package(-lock)?\.json|scripts\/(build|reachable)|CHANGELOG\.md)/, ["test/package.test.ts"]],
  [/^(scripts\/image|Dockerfile)/, ["test/image", "test/emulator"]],
  [/^docs\/inside\/architecture\.md|^test\/tidy\/law/, ["test/architecturePage.test.ts"]],
  [/^(docs\/operate\/limits\.md|src\/model\/)/, ["test/limitsTable.test.ts"]],
  [/^src\/page\//, ["test/pageWeight.test.ts"]],
]);

const { values } = parseArgs({
  options: {
    since: { type: "string" },
    all: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
  },
});

const changed = changedFiles(values.since);
if (changed.length === 0) {
  process.stdout.write("Nothing has changed.\n");
} else {
  const law = await readLaw();
  const rooms = roomsToTest(changed, law);
  process.exitCode = values.all ? runRelated(changed) : runRooms(changed, rooms);
  process.stdout.write(leftOut(rooms));
}

/** @type {(since: string | undefined) => string[]} */
function changedFiles(since) {
  const untracked = git("ls-files", "--others", "--exclude-standard");
  const found = [...git("diff", "--name-only", since ?? "HEAD"), ...untracked];
  if (found.length > 0 || since !== undefined) return found;
  return git("diff", "--name-only", "HEAD~1");
}

/** @type {(...args: string[]) => string[]} */
function git(...args) {
  const { stdout, status, stderr } = spawnSync("git", args, { cwd: ROOT, encoding: "utf8" });
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  return stdout.split("\n").filter((line) => line !== "");
}

/** The law is TypeScript, which Node 20 does not read. @returns {Promise<Law>} */
async function readLaw() {
  const entryPoints = [join(ROOT, "test", "tidy", "law.ts")];
  const { outputFiles } = buildSync({ entryPoints, bundle: true, write: false, format: "esm" });
  const code = Buffer.from(outputFiles[0].contents).toString("base64");
  return (await import(`data:text/javascript;base64,${code}`)).LAW;
}

/** Rooms that changed, and those that import values or types of one. */
/** @type {(files: readonly string[], law: Law) => string[]} */
function roomsToTest(files, law) {
  const own = new Set(files.flatMap((file) => roomOf(file, law) ?? []));
  const above = Object.entries(law).filter(([, { values: used, types = [] }]) => {
    return [...used, ...types].some((room) => own.has(room));
  });
  return [...new Set([...own, ...above.map(([room]) => room)])];
}

/** The row of the law with the longest name that the path begins with. */
/** @type {(file: string, law: Law) => string | undefined} */
function roomOf(file, law) {
  let folder = file.startsWith("src/") ? dirname(file).slice("src/".length) : ".";
  while (folder !== "." && !Object.hasOwn(law, folder)) folder = dirname(folder);
  return folder === "." ? undefined : folder;
}

/** @type {(files: readonly string[], rooms: readonly string[]) => number} */
function runRooms(files, rooms) {
  const tests = files.filter((file) => file.endsWith(".test.ts"));
  const about = ABOUT.flatMap(([pattern, found]) =>
    files.some((file) => pattern.test(file)) ? found : [],
  );
  // What tests share: all beside it may have changed.
  const shared = files.filter((file) => /^(test|examples)\//.test(file) && !tests.includes(file));
  const beside = shared.map(dirname);
  const folders = beside.filter((folder) => folder !== "test" && testsIn(folder).length > 0);
  const filters = [...rooms.flatMap(testsOf), ...tests, ...about, ...folders, ...ALWAYS];
  const unique = [...new Set(filters)].filter((path) => existsSync(join(ROOT, path)));
  process.stdout.write(
    `${unique.length} files and folders of tests, for ${files.length} changed files\n`,
  );
  if (values.list) {
    process.stdout.write(unique.map((path) => `  ${path}\n`).join(""));
    return 0;
  }
  return vitest(["run", ...unique]);
}

/** Of the room itself: the tests of a room inside it have a row of their own. */
/** @type {(room: string) => string[]} */
function testsOf(room) {
  return testsIn(join("src", room));
}

/** @type {(folder: string) => string[]} */
function testsIn(folder) {
  // Some rows are of a single file, and what changed may have been removed.
  if (!lstatSync(join(ROOT, folder), { throwIfNoEntry: false })?.isDirectory()) return [];
  const names = readdirSync(join(ROOT, folder));
  return names.filter((name) => name.endsWith(".test.ts")).map((name) => join(folder, name));
}

/** @type {(files: readonly string[]) => number} */
function runRelated(files) {
  const sources = files.filter((file) => /\.tsx?$/.test(file) && existsSync(join(ROOT, file)));
  if (values.list) return vitest(["list", "--filesOnly", "--changed", values.since ?? "HEAD"]);
  if (sources.length === 0) return vitest(["run", ...ALWAYS]);
  return vitest(["related", "--run", ...sources]);
}

/** @type {(args: readonly string[]) => number} */
function vitest(args) {
  const command = ["node_modules/vitest/vitest.mjs", ...args];
  const options = /** @type {const} */ ({ cwd: ROOT, stdio: "inherit" });
  return spawnSync(process.execPath, command, options).status ?? 1;
}

/** @type {(rooms: readonly string[]) => string} */
function leftOut(rooms) {
  const tested = rooms.length === 0 ? "no room" : rooms.join(", ");
  return (
    `Tested of src: ${tested}. Left out: its other rooms, and the folders of test/ that start ` +
    "servers,\nbrowsers and clients, unless they changed themselves. `npm run test:changed -- --all` " +
    "runs whatever reaches\na change by imports, `npm test` all there is; CONTRIBUTING.md says which " +
    "campaigns a change wants.\n"
  );
}
