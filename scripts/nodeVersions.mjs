/**
 * `npm run campaign node-versions [-- options]`: the build and the unit tests on each version of Node
 * that is alive, and on the one that runs this. npm carries each version as a package for the
 * platform, so nothing else has to be installed.
 *
 *   --versions <list>   22,24,26 if absent; each the newest of its major version, or as it is written
 *   --without-tests     starts, the newest official client, the page and the figures only
 *
 * For each: the unit tests; a server is started, the newest official client that takes that version
 * writes and reads, the page is there, and the server ends in order. At last the figures that
 * README.md quotes, of one interleaved run (`npm run bench nodes`).
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const CLIENTS = ["@azure/cosmos@latest", "@azure/cosmos@4.9"];
/** What an application does: it prints what it has read, and whether the page is there. */
const APPLICATION = `import { CosmosClient } from "@azure/cosmos";
const [endpoint, key] = process.argv.slice(2);
const client = new CosmosClient({ endpoint, key });
const { database } = await client.databases.createIfNotExists({ id: "shop" });
const { container } = await database.containers.createIfNotExists({ id: "a", partitionKey: "/pk" });
await container.items.create({ id: "1", pk: "x", total: 12.5 });
const { resource } = await container.item("1", "x").read();
const { resources } = await container.items.query("SELECT VALUE c.total FROM c").fetchAll();
const page = await fetch(endpoint + "/_explorer/");
if (resources[0] !== resource.total) throw new Error("a query found something else");
process.stdout.write(resource.total + " " + page.status);
`;

const { values } = parseArgs({
  options: {
    versions: { type: "string", default: "22,24,26" },
    "without-tests": { type: "boolean", default: false },
  },
});

const base = mkdtempSync(join(tmpdir(), "orrery-node-versions-"));
/** @type {string[]} */
const failures = [];
try {
  const others = values.versions.split(",").map(installed);
  const programs = [process.execPath, ...others];
  for (const program of programs) await tryOut(program);
  heading("figures of one interleaved run");
  const env = { ...process.env, ORRERY_BENCH_NODES: programs.join(",") };
  if (!node(process.execPath, ["bench/nodes.mjs"], { env })) failures.push("no figures");
  process.stdout.write(failures.length === 0 ? "all of it passed\n" : `${failures.join("\n")}\n`);
  process.exitCode = failures.length === 0 ? 0 : 1;
} finally {
  rmSync(base, { recursive: true, force: true });
}

/** @type {(version: string) => string} */
function installed(version) {
  const folder = mkdtempSync(join(base, "node-"));
  const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  npm(["install", "--prefix", folder, `${name}@${version}`]);
  const bin = join(folder, "node_modules", name, "bin");
  return join(bin, process.platform === "win32" ? "node.exe" : "node");
}

/** @type {(program: string) => Promise<void>} */
async function tryOut(program) {
  const version = output(program, ["--version"]);
  heading(version);
  if (!values["without-tests"]) {
    const args = ["node_modules/vitest/vitest.mjs", "run", "src", "--reporter=dot"];
    if (!node(program, args)) failures.push(`${version}: unit tests failed`);
  }
  const client = clientFor(version);
  const error = await serve(program, client);
  if (error !== undefined) failures.push(`${version}: ${error}`);
  process.stdout.write(`${version} with ${client.name}: ${error ?? "serves, and ends in order"}\n`);
}

/** The newest client that says it takes that version. */
/** @type {(version: string) => { folder: string, name: string }} */
function clientFor(version) {
  for (const wanted of CLIENTS) {
    const folder = mkdtempSync(join(base, "client-"));
    npm(["install", "--prefix", folder, wanted]);
    const manifest = join(folder, "node_modules", "@azure", "cosmos", "package.json");
    const { version: own, engines } = JSON.parse(readFileSync(manifest, "utf8"));
    const lowest = Number(/\d+/.exec(engines?.node ?? "")?.[0] ?? 0);
    const major = Number(version.slice(1).split(".")[0]);
    if (major >= lowest) return { folder, name: `@azure/cosmos ${own}` };
  }
  throw new Error(`no official client takes ${version}`);
}

/** What an application does, on the same version as the server. */
/** @type {(program: string, client: { folder: string }) => Promise<string | undefined>} */
async function serve(program, { folder }) {
  const args = [join(ROOT, "dist", "cli.js"), "start", "--memory", "--json", "--port", "0"];
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const { endpoint, key } = JSON.parse(await firstLine(child));
    const file = join(folder, "application.mjs");
    writeFileSync(file, APPLICATION);
    const said = output(program, [file, endpoint, key]);
    if (said !== "12.5 200") return `the client said ${said}`;
    child.kill("SIGTERM");
    const [code] = await once(child, "exit");
    return code === 0 ? undefined : `the server ended with ${code}`;
  } catch (error) {
    return String(error);
  } finally {
    child.kill("SIGKILL");
  }
}

/** @type {(child: import("node:child_process").ChildProcessByStdio<null, import("node:stream").Readable, null>) => Promise<string>} */
async function firstLine(child) {
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error("the server ended without a word");
}

/** @type {(program: string, args: readonly string[], options?: object) => boolean} */
function node(program, args, options = {}) {
  const all = /** @type {const} */ ({ cwd: ROOT, stdio: "inherit", ...options });
  return spawnSync(program, args, all).status === 0;
}

/** @type {(args: readonly string[]) => void} */
function npm(args) {
  output("npm", [...args, "--no-audit", "--no-fund", "--no-save"]);
}

/** @type {(program: string, args: readonly string[]) => string} */
function output(program, args) {
  const options = /** @type {const} */ ({ cwd: base, encoding: "utf8" });
  const { status, stdout, stderr, error } = spawnSync(program, args, options);
  if (status === 0) return stdout.trim();
  throw new Error(`${program} ${args.join(" ")}: ${error?.message ?? stderr}`);
}

/** @type {(text: string) => void} */
function heading(text) {
  process.stdout.write(`\n== ${text}\n`);
}
