/**
 * `npm run image [-- options]`: a container image without a container runtime and without a base
 * image, made of the packed package, Node and a few packages of Debian. The same commit gives the
 * same bytes.
 *
 *   --architecture <name>   amd64 or arm64; that of this machine if absent
 *   --output <file>         orrery-image-<architecture>.tar if absent
 *   --tag <name>            orrery:<version> if absent
 *   --mirror <url>          where Debian's packages are fetched
 *   --update                writes scripts/image/parts.json anew: the newest patches of everything
 *
 * The file is an OCI image layout that `docker load`, `podman load` and `skopeo` take.
 */
import {
  copyFileSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { CONTAINER, labelsOf } from "./image/containerConfig.mjs";
import { imageOf } from "./image/ociLayout.mjs";
import { fetchParts, findNewest, MACHINES, MIRROR, npm } from "./image/pinnedParts.mjs";
import { applicationFiles, systemFiles } from "./image/rootFiles.mjs";
import { readTar, writeTar } from "./image/tarFile.mjs";

/** @typedef {import("./image/pinnedParts.mjs").Architecture} Architecture */

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PARTS = join(ROOT, "scripts", "image", "parts.json");
const CACHE = join(ROOT, "node_modules", ".cache", "orrery-image");

const { values } = parseArgs({
  options: {
    architecture: { type: "string", default: process.arch === "arm64" ? "arm64" : "amd64" },
    output: { type: "string" },
    tag: { type: "string" },
    mirror: { type: "string", default: MIRROR },
    update: { type: "boolean" },
  },
});

try {
  await (values.update === true ? update() : make());
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function update() {
  const found = await findNewest(JSON.parse(readFileSync(PARTS, "utf8")), {
    cache: CACHE,
    mirror: values.mirror,
  });
  writeFileSync(PARTS, `${JSON.stringify(found, null, 2)}\n`);
  process.stdout.write(`wrote scripts/image/parts.json, with Node ${found.node.version}\n`);
}

async function make() {
  const architecture = architectureOf(values.architecture);
  const parts = JSON.parse(readFileSync(PARTS, "utf8"));
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const fetched = await fetchParts({ parts, architecture, cache: CACHE, mirror: values.mirror });
  const system = writeTar(systemFiles({ ...fetched, suite: parts.debian.suite }));
  const machine = MACHINES[architecture];
  const application = writeTar(applicationFiles(installedFiles(machine), `linux-${machine}`));
  const tag = values.tag ?? `orrery:${manifest.version}`;
  const { tar, digest } = imageOf({
    layers: [system, application],
    architecture,
    created: new Date(Number(process.env["SOURCE_DATE_EPOCH"] ?? 0) * 1000).toISOString(),
    config: { ...CONTAINER, Labels: labelsOf(manifest) },
    tag,
  });
  const output = resolve(values.output ?? `orrery-image-${architecture}.tar`);
  writeFileSync(output, tar);
  const megabytes = (tar.length / 1e6).toFixed(1);
  const unpacked = ((system.length + application.length) / 1e6).toFixed(1);
  process.stdout.write(`${output}: ${tag}, linux/${architecture}, ${digest}\n`);
  process.stdout.write(`${megabytes} MB, ${unpacked} MB unpacked, Node ${parts.node.version}\n`);
}

/** @type {(name: string) => Architecture} */
function architectureOf(name) {
  if (name === "amd64" || name === "arm64") return name;
  throw new Error(`--architecture is '${name}'; it can be amd64 or arm64.`);
}

/** The package as it is packed, and beside it what it depends on, as the lock file has it. */
/** @type {(machine: string) => import("./image/tarFile.mjs").TarEntry[]} */
function installedFiles(machine) {
  const folder = mkdtempSync(join(tmpdir(), "orrery-image-"));
  try {
    for (const name of ["package.json", "package-lock.json"]) {
      copyFileSync(join(ROOT, name), join(folder, name));
    }
    const platform = ["--os=linux", `--cpu=${machine}`, "--libc=glibc"];
    npm(["ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", ...platform], folder);
    const options = ["--ignore-scripts", "--json", "--pack-destination", folder];
    const [{ filename }] = JSON.parse(npm(["pack", ...options], ROOT));
    const own = readTar(gunzipSync(readFileSync(join(folder, filename))));
    return [
      ...own.map((entry) => ({ ...entry, path: entry.path.replace(/^package\//, "") })),
      ...filesBelow(join(folder, "node_modules"), folder),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @type {(folder: string, root: string) => import("./image/tarFile.mjs").TarEntry[]} */
function filesBelow(folder, root) {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((found) => {
    const file = join(found.parentPath, found.name);
    const path = relative(root, file);
    const { mode } = lstatSync(file);
    /** @type {import("./image/tarFile.mjs").TarEntry[]} */
    const entries = [];
    if (found.isFile()) entries.push({ path, kind: "file", mode, content: readFileSync(file) });
    if (found.isSymbolicLink()) {
      entries.push({ path, kind: "link", mode, target: readlinkSync(file) });
    }
    return entries;
  });
}
