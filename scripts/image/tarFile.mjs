/**
 * Tar archives in memory, written so that the same entries always give the same bytes: sorted by
 * path, with a fixed time, and with numbers for owners. Read as npm and Debian write them.
 */

/**
 * @typedef {object} TarEntry
 * @property {string} path without a slash at its beginning or end
 * @property {"file" | "folder" | "link"} kind a link is a symbolic one
 * @property {number} mode permissions
 * @property {number} [owner] user id; root's unless said otherwise
 * @property {number} [group] group id; root's unless said otherwise
 * @property {Buffer} [content] of a file
 * @property {string} [target] of a link
 */

const BLOCK_BYTES = 512;
/** Type flags of the format. */
const FLAGS = { file: "0", link: "2", folder: "5" };
/** What follows the name of the format, and readers of it look for. */
const MAGIC = "ustar\u000000";

/** @type {(entries: readonly TarEntry[]) => Buffer} */
export function writeTar(entries) {
  const parts = [];
  let previous = "";
  for (const entry of sorted(entries)) {
    if (entry.path === previous) throw new Error(`${entry.path} is there twice`);
    previous = entry.path;
    const content = entry.content ?? Buffer.alloc(0);
    parts.push(headOf(entry, content.length), content, padding(content.length));
  }
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK_BYTES)]);
}

/** Bytewise: a locale must not decide what an image looks like. */
/** @type {(entries: readonly TarEntry[]) => TarEntry[]} */
function sorted(entries) {
  return [...entries].sort((one, other) => Buffer.compare(nameOf(one), nameOf(other)));
}

/** @type {(entry: TarEntry) => Buffer} */
function nameOf({ path, kind }) {
  return Buffer.from(kind === "folder" ? `${path}/` : path);
}

/** @type {(entry: TarEntry, byteCount: number) => Buffer} */
function headOf(entry, byteCount) {
  const { kind, mode, owner = 0, group = 0, target = "" } = entry;
  const head = Buffer.alloc(BLOCK_BYTES);
  const [name, prefix] = splitName(nameOf(entry));
  name.copy(head, 0);
  octal(mode, 8).copy(head, 100);
  octal(owner, 8).copy(head, 108);
  octal(group, 8).copy(head, 116);
  octal(byteCount, 12).copy(head, 124);
  octal(0, 12).copy(head, 136);
  head.fill(" ", 148, 156);
  head.write(FLAGS[kind], 156);
  if (Buffer.byteLength(target) > 100) throw new Error(`${entry.path} leads too far: ${target}`);
  head.write(target, 157);
  head.write(MAGIC, 257, "latin1");
  prefix.copy(head, 345);
  const sum = head.reduce((total, byte) => total + byte, 0);
  Buffer.from(`${sum.toString(8).padStart(6, "0")}\0 `).copy(head, 148);
  return head;
}

/** A name of more than 100 bytes is written in two parts, cut at a slash. */
/** @type {(name: Buffer) => readonly [Buffer, Buffer]} */
function splitName(name) {
  if (name.length <= 100) return [name, Buffer.alloc(0)];
  for (let cut = name.indexOf("/"); cut > 0 && cut <= 155; cut = name.indexOf("/", cut + 1)) {
    const rest = name.subarray(cut + 1);
    if (rest.length > 0 && rest.length <= 100) return [rest, name.subarray(0, cut)];
  }
  throw new Error(`${name} is too long for a tar archive`);
}

/** @type {(value: number, byteCount: number) => Buffer} */
function octal(value, byteCount) {
  return Buffer.from(`${value.toString(8).padStart(byteCount - 1, "0")}\0`);
}

/** @type {(byteCount: number) => Buffer} */
function padding(byteCount) {
  return Buffer.alloc((BLOCK_BYTES - (byteCount % BLOCK_BYTES)) % BLOCK_BYTES);
}

/**
 * Files, folders and symbolic links. Whatever else an archive can hold is refused, because nobody
 * here has a use for it.
 * @type {(bytes: Buffer) => TarEntry[]}
 */
export function readTar(bytes) {
  const entries = [];
  /** What a record says of the entry that follows it. @type {{ path?: string, target?: string }} */
  let said = {};
  for (let at = 0; at + BLOCK_BYTES <= bytes.length && bytes[at] !== 0; ) {
    const head = bytes.subarray(at, at + BLOCK_BYTES);
    const byteCount = Number.parseInt(text(head, 124, 12), 8);
    const content = bytes.subarray(at + BLOCK_BYTES, at + BLOCK_BYTES + byteCount);
    at += BLOCK_BYTES + byteCount + padding(byteCount).length;
    const flag = text(head, 156, 1);
    if (flag === "L") said = { ...said, path: text(content, 0, byteCount) };
    else if (flag === "K") said = { ...said, target: text(content, 0, byteCount) };
    else if (flag === "x") said = { ...said, ...paxOf(content.toString()) };
    else if (flag !== "g") {
      entries.push(entryOf(head, content, flag, said));
      said = {};
    }
  }
  return entries.filter(({ path }) => path !== "");
}

/** @type {(head: Buffer, content: Buffer, flag: string, said: { path?: string, target?: string }) => TarEntry} */
function entryOf(head, content, flag, said) {
  const prefix = text(head, 257, 6) === "ustar" ? text(head, 345, 155) : "";
  const name = said.path ?? (prefix === "" ? "" : `${prefix}/`) + text(head, 0, 100);
  const path = name.replace(/^\.?\//, "").replace(/\/$/, "");
  const mode = Number.parseInt(text(head, 100, 8), 8) & 0o7777;
  switch (flag) {
    case "":
    case FLAGS.file:
      return { path, kind: "file", mode, content };
    case FLAGS.folder:
      return { path: path === "." ? "" : path, kind: "folder", mode };
    case FLAGS.link:
      return { path, kind: "link", mode, target: said.target ?? text(head, 157, 100) };
    default:
      throw new Error(`${path} is of a kind that is not expected: ${flag}`);
  }
}

/** Lines such as "30 path=a/b/c". */
/** @type {(records: string) => { path?: string, target?: string }} */
function paxOf(records) {
  const path = /^\d+ path=(.*)$/m.exec(records)?.[1];
  const target = /^\d+ linkpath=(.*)$/m.exec(records)?.[1];
  return { ...(path && { path }), ...(target && { target }) };
}

/** @type {(bytes: Buffer, start: number, byteCount: number) => string} */
function text(bytes, start, byteCount) {
  return bytes
    .subarray(start, start + byteCount)
    .toString()
    .replace(/\0.*$/s, "")
    .trim();
}
