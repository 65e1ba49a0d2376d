/**
 * Packages of Debian: an `ar` archive with two tar archives in it, one of files and one about the
 * package. Both are packed with xz, which Node cannot read, so the program `xz` is asked.
 */
import { spawnSync } from "node:child_process";
import { readTar } from "./tarFile.mjs";

/**
 * @typedef {object} DebianPackage
 * @property {string} name
 * @property {string} control what the package says about itself
 * @property {readonly import("./tarFile.mjs").TarEntry[]} files
 */

const AR_MAGIC = "!<arch>\n";
const AR_HEAD_BYTES = 60;

/** @type {(name: string, bytes: Buffer) => DebianPackage} */
export function readDebianPackage(name, bytes) {
  const members = readAr(name, bytes);
  const about = readTar(unpacked(members, "control.tar.xz"));
  const control = about.find(({ path }) => path === "control")?.content?.toString();
  if (control === undefined) throw new Error(`${name} does not say what it is`);
  return { name, control, files: readTar(unpacked(members, "data.tar.xz")) };
}

/** @type {(bytes: Buffer) => Buffer} */
export function withoutXz(bytes) {
  const options = { input: bytes, maxBuffer: 1024 ** 3 };
  const { stdout, status, error } = spawnSync("xz", ["--decompress", "--stdout"], options);
  if (status === 0) return stdout;
  throw new Error(
    `xz is needed to read Debian's packages: ${error?.message ?? `it said ${status}`}`,
  );
}

/** @type {(members: ReadonlyMap<string, Buffer>, name: string) => Buffer} */
function unpacked(members, name) {
  const bytes = members.get(name);
  if (bytes === undefined) throw new Error(`a package has no ${name} but ${[...members.keys()]}`);
  return withoutXz(bytes);
}

/** @type {(name: string, bytes: Buffer) => Map<string, Buffer>} */
function readAr(name, bytes) {
  if (bytes.toString("latin1", 0, AR_MAGIC.length) !== AR_MAGIC) {
    throw new Error(`${name} is no package of Debian`);
  }
  const members = new Map();
  for (let at = AR_MAGIC.length; at + AR_HEAD_BYTES <= bytes.length; ) {
    const head = bytes.toString("latin1", at, at + AR_HEAD_BYTES);
    const byteCount = Number(head.slice(48, 58));
    const start = at + AR_HEAD_BYTES;
    members.set(
      head.slice(0, 16).trim().replace(/\/$/, ""),
      bytes.subarray(start, start + byteCount),
    );
    at = start + byteCount + (byteCount % 2);
  }
  return members;
}
