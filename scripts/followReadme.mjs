/**
 * Follows README.md word by word, as a newcomer would: every command line and every example of it,
 * from top to bottom, in one folder. A command has to end with 0, a server has to say that it is
 * ready, and an example has to print what its comments say.
 *
 *   npm run campaign readme [-- --except <words>]   in a fresh clone of the last commit
 *   node scripts/followReadme.mjs --short           in an empty folder, with the build that is here
 *
 * The short form leaves out `npm ci` and every command whose comment says that it takes minutes.
 * The port is one that is free: 8081 is often somebody else's.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/**
 * @typedef {object} Step
 * @property {number} line where in the README
 * @property {"command" | "server" | "example"} kind
 * @property {string} text
 * @property {boolean} isLong takes minutes, as its comment says
 * @property {readonly string[]} printed what an example has to print
 */

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const DEFAULT_PORT = "8081";

const { values } = parseArgs({
  options: { short: { type: "boolean" }, except: { type: "string", multiple: true } },
});
const isShort = values.short === true;
const except = values.except ?? [];

const base = mkdtempSync(join(tmpdir(), "orrery-readme-"));
const folder = join(base, "orrery");
const port = await freePort();
const hasCurl = spawnSync("curl", ["--version"]).status === 0;
/** @type {import("node:child_process").ChildProcess | undefined} */
let server;

try {
  prepare();
  const steps = stepsOf(readFileSync(join(ROOT, "README.md"), "utf8"));
  let count = 0;
  for (const step of steps) {
    if (isLeftOut(step)) continue;
    process.stdout.write(`README.md:${step.line}  ${step.text.split("\n", 1)[0]}\n`);
    await follow(step);
    count++;
  }
  process.stdout.write(`followed ${count} of ${steps.length} steps\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await endServer();
  rmSync(base, { recursive: true, force: true });
}

/** A clone, or a folder from which the examples find the package and the official client. */
function prepare() {
  if (!isShort) {
    run("git", ["clone", "--quiet", ROOT, folder], base);
    return;
  }
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  symlinkSync(ROOT, join(folder, "node_modules", "orrery"));
  symlinkSync(join(ROOT, "node_modules", "@azure"), join(folder, "node_modules", "@azure"));
}

/** @type {(readme: string) => Step[]} */
function stepsOf(readme) {
  /** @type {Step[]} */
  const steps = [];
  for (const { 1: language = "", 2: text = "", index } of readme.matchAll(
    /^```(sh|js|ts)\n(.*?)^```$/gms,
  )) {
    const line = readme.slice(0, index).split("\n").length + 1;
    if (language === "sh") steps.push(...commandsOf(text, line));
    else steps.push(exampleOf(text, line));
  }
  return steps;
}

/** @type {(text: string, line: number) => Step[]} */
function commandsOf(text, line) {
  return text.split("\n").flatMap((written, offset) => {
    const [command = "", comment = ""] = written.split(/\s+# /);
    if (command.trim() === "") return [];
    /** @type {Step["kind"]} */
    const kind = /^npm start\b/.test(command) ? "server" : "command";
    const isLong = /\b(minutes?|hours?)\b/.test(comment);
    return [{ line: line + offset, kind, text: command.trim(), isLong, printed: [] }];
  });
}

/** @type {(text: string, line: number) => Step} */
function exampleOf(text, line) {
  const printed = [...text.matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map(([, said = ""]) => said);
  if (printed.length === 0) throw new Error(`README.md:${line} does not say what it prints`);
  return { line, kind: "example", text, isLong: false, printed };
}

/** @type {(step: Step) => boolean} */
function isLeftOut({ text, isLong }) {
  if (except.some((words) => text.includes(words))) return true;
  // A machine to develop on may lack this one.
  if (isShort && text.startsWith("curl ") && !hasCurl) return true;
  return isShort && (isLong || text === "npm ci");
}

/** @type {(step: Step) => Promise<void>} */
async function follow({ line, kind, text, printed }) {
  const words = isShort ? withoutNpm(text) : text;
  const here = words.replaceAll(DEFAULT_PORT, port);
  switch (kind) {
    case "command":
      run("bash", ["-c", here], folder);
      return;
    case "server":
      await startServer(here);
      return;
    case "example": {
      const { transformSync } = await import("esbuild");
      const options = /** @type {const} */ ({ loader: "ts", target: "node20", format: "esm" });
      const file = join(folder, `example-${line}.mjs`);
      writeFileSync(file, transformSync(here, options).code);
      const said = run(process.execPath, [file], folder).trim().split("\n");
      if (said.join("\n") !== printed.join("\n")) {
        throw new Error(`README.md:${line} printed ${said.join(" | ")}`);
      }
    }
  }
}

/** What npm would run, without the build that comes first. @type {(text: string) => string} */
function withoutNpm(text) {
  const [all = "", name = ""] = /^npm (?:run -s )?([a-z]+)(?: --)?/.exec(text) ?? [];
  if (name === "") return text;
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const own = String(scripts[name]).split(" && ").at(-1) ?? "";
  return own.replace("node ", `"${process.execPath}" ${ROOT}`) + text.slice(all.length);
}

/** @type {(command: string) => Promise<void>} */
async function startServer(command) {
  await endServer();
  // A group of its own: what npm and a shell start on the way is ended with it.
  const child = spawn("bash", ["-c", command], {
    cwd: folder,
    env: environment(),
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  server = child;
  let said = "";
  for await (const text of child.stdout.setEncoding("utf8")) {
    said += text;
    if (!said.includes("End it with Ctrl-C.")) continue;
    child.stdout.resume();
    return;
  }
  throw new Error(`the server ended: ${said}`);
}

async function endServer() {
  const child = server;
  server = undefined;
  if (child?.pid === undefined || child.exitCode !== null) return;
  const ended = once(child, "exit");
  process.kill(-child.pid, "SIGTERM");
  await ended;
}

/** @type {(program: string, args: readonly string[], cwd: string) => string} */
function run(program, args, cwd) {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd,
    env: environment(),
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) return stdout;
  throw new Error(`${args.join(" ")} ended with ${status}\n${stdout}${stderr}`);
}

/** Without what an outer npm or a test says about the project they run in. */
function environment() {
  const outer = /^(npm_|INIT_CWD$|NODE_OPTIONS$|VITEST|NODE_ENV$|TEST$)/;
  const kept = Object.entries(process.env).filter(([name]) => {
    return !outer.test(name) || /^npm_config_(registry|cache|userconfig)$/.test(name);
  });
  return { ...Object.fromEntries(kept), PORT: port };
}

/** @returns {Promise<string>} */
async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return String(address.port);
}
