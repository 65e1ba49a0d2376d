/**
 * `npm run campaign image`: makes the image twice, which has to give the same bytes, takes it apart
 * by its digests, and runs what is in it where a container runtime would: in namespaces of its own,
 * with the image's files as root directory, as the image's user. What this machine does not let it
 * do is said.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { CosmosClient } from "@azure/cosmos";
import { CERTIFICATE, KEPT, USER } from "./image/containerConfig.mjs";
import { digestOf } from "./image/ociLayout.mjs";
import { readTar } from "./image/tarFile.mjs";

/** @typedef {import("node:child_process").ChildProcess} ChildProcess */

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const KEY =
  "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";
const LINES = /^Now listening on: .*\nSystem is now fully ready to accept requests\nStarted\r\n$/;
const isRoot = process.getuid?.() === 0;

/** @type {ChildProcess[]} */
const children = [];
const base = mkdtempSync(join(tmpdir(), "orrery-image-check-"));
try {
  await check();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  // What made the namespaces takes with it whatever runs in them.
  for (const child of children) child.kill("SIGKILL");
  rmSync(base, { recursive: true, force: true });
}

async function check() {
  const files = ["one.tar", "other.tar"].map((name) => join(base, name));
  for (const file of files) {
    const options = /** @type {const} */ ({ stdio: "inherit" });
    const { status } = spawnSync(
      process.execPath,
      [join(ROOT, "scripts", "image.mjs"), "--output", file],
      options,
    );
    expect(status === 0, "the image can be made");
  }
  const [one = Buffer.alloc(0), other] = files.map((file) => readFileSync(file));
  expect(other !== undefined && one.equals(other), "made twice, it has the same bytes");
  const { layers, config } = takenApart(one);
  const root = join(base, "root");
  for (const layer of layers) unpack(readTar(layer), root);
  // Of the devices that a container has, the one that its health command writes to.
  writeFileSync(join(root, "dev", "null"), "");
  chmodSync(join(root, "dev", "null"), 0o666);
  said("its layers can be unpacked");
  if (canRun(root)) await runIn(root, config);
  else said("NOT RUN: needs root, or user namespaces, and the program unshare");
  loadIntoDocker(files[0] ?? "");
}

/** Every blob has the digest that is its name, and is what its descriptor says. */
/** @type {(image: Buffer) => { layers: Buffer[], config: any }} */
function takenApart(image) {
  const files = new Map(readTar(image).map(({ path, content }) => [path, content]));
  /** @type {(descriptor: { digest: string, size: number }) => Buffer} */
  const blob = ({ digest, size }) => {
    const bytes = files.get(`blobs/${digest.replace(":", "/")}`) ?? Buffer.alloc(0);
    expect(bytes.length === size && digestOf(bytes) === digest, `${digest} is what it is called`);
    return bytes;
  };
  const [described] = JSON.parse(String(files.get("index.json"))).manifests;
  const manifest = JSON.parse(String(blob(described)));
  const config = JSON.parse(String(blob(manifest.config)));
  const layers = manifest.layers.map(blob).map((/** @type {Buffer} */ bytes) => gunzipSync(bytes));
  expect(layers.map(digestOf).join() === config.rootfs.diff_ids.join(), "layers are as announced");
  const [former] = JSON.parse(String(files.get("manifest.json")));
  expect(files.has(former.Config) && former.Layers.length === layers.length, "Docker's index fits");
  return { layers, config: config.config };
}

/** @type {(entries: readonly import("./image/tarFile.mjs").TarEntry[], root: string) => void} */
function unpack(entries, root) {
  for (const { path, kind, mode, content = Buffer.alloc(0), target = "" } of entries) {
    const file = join(root, path);
    mkdirSync(kind === "folder" ? file : dirname(file), { recursive: true });
    if (kind === "file") writeFileSync(file, content);
    if (kind === "link") symlinkSync(target, file);
    else chmodSync(file, mode);
    if (isRoot && file === join(root, KEPT)) lchownSync(file, USER, 0);
  }
}

/** What comes before a command that is to run inside. @type {(root: string) => string[]} */
function inside(root) {
  const who = isRoot ? ["--setuid", String(USER), "--setgid", "0"] : ["--user", "--map-root-user"];
  const spaces = ["--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
  return [...spaces, ...who, `--root=${root}`, `--wd=${KEPT}`];
}

/** @type {(root: string) => boolean} */
function canRun(root) {
  return spawnSync("unshare", [...inside(root), "/bin/sh", "-c", "exit 0"]).status === 0;
}

/** @type {(root: string, config: any) => Promise<void>} */
async function runIn(root, { Entrypoint, Env, Healthcheck }) {
  const [port, health] = [await freePort(), await freePort()];
  // Nothing of this process's environment is inside.
  const env = Object.fromEntries(Env.map((/** @type {string} */ text) => text.split("=")));
  /** @type {(command: readonly string[]) => ChildProcess} */
  const start = (command) => {
    const child = spawn("unshare", [...inside(root), ...command], {
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    children.push(child);
    return child;
  };
  // It has no network of its own, and other machines have no business with it.
  const ours = ["--host", "127.0.0.1", "--port", port, "--health-port", health];
  const command = [...Entrypoint, ...ours];
  const http = `http://127.0.0.1:${port}`;
  for (const round of ["first", "second"]) {
    const child = start(command);
    let output = "";
    child.stdout?.on("data", (chunk) => {
      output += chunk;
    });
    const looks = await looksUntil(() => LINES.test(output), child);
    said(`started in its own root directory (${round} time), seen at look ${looks}`);
    await asToolsDo(http, `http://127.0.0.1:${health}`);
    const ca = readFileSync(join(root, CERTIFICATE), "utf8");
    expect(
      ca.startsWith("-----BEGIN CERTIFICATE-----"),
      "the certificate is where Python copies it",
    );
    const probe = Healthcheck.Test.slice(1).map((/** @type {string} */ word) => {
      return word.replace("8080", health);
    });
    const probing = start(["/usr/bin/env", ...probe]);
    expect((await once(probing, "exit"))[0] === 0, "its health command is content");
    await useIt(http, round);
    expect((await end(child)) === 0, "it ends in order when told to");
  }
}

/** @type {(http: string, health: string) => Promise<void>} */
async function asToolsDo(http, health) {
  /** @type {(url: string) => Promise<number>} */
  const statusOf = async (url) => (await fetch(url)).status;
  for (const path of ["/alive", "/ready", "/status"]) {
    expect((await statusOf(health + path)) === 200, `${path} of the health port is 200`);
  }
  expect((await statusOf(`${http}/`)) === 401, "GET / without a signature is 401");
  expect((await statusOf(`${http}/_explorer/index.html`)) === 200, "the page is there");
}

/** @type {(endpoint: string, round: string) => Promise<void>} */
async function useIt(endpoint, round) {
  const client = new CosmosClient({ endpoint, key: KEY });
  const { database } = await client.databases.createIfNotExists({ id: "shop" });
  const { container } = await database.containers.createIfNotExists({
    id: "a",
    partitionKey: "/pk",
  });
  if (round === "first") await container.items.create({ id: "1", pk: "x", total: 7 });
  const { resource } = await container.item("1", "x").read();
  expect(resource?.total === 7, `the official client reads what was written (${round} time)`);
  client.dispose();
}

/** The process inside is the child of the one that made its namespaces. */
/** @type {(child: ChildProcess) => Promise<number | null>} */
async function end(child) {
  const ended = once(child, "exit");
  const { pid } = child;
  const inner = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  process.kill(Number(inner), "SIGTERM");
  return (await ended)[0];
}

/** @type {(isSo: () => boolean, child: ChildProcess) => Promise<number>} */
async function looksUntil(isSo, child) {
  for (let looks = 1; looks <= 1200; looks++) {
    if (isSo()) return looks;
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("it did not start within a minute");
}

/** @type {(file: string) => void} */
function loadIntoDocker(file) {
  if (spawnSync("docker", ["info"]).status !== 0) {
    said("NOT LOADED: no Docker daemon answers here");
    return;
  }
  expect(spawnSync("docker", ["load", "--input", file]).status === 0, "Docker loads it");
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

/** @type {(isSo: boolean, what: string) => void} */
function expect(isSo, what) {
  if (!isSo) throw new Error(`NOT SO: ${what}`);
  said(what);
}

/** @type {(what: string) => void} */
function said(what) {
  process.stdout.write(`${what}\n`);
}
