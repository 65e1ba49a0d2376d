/**
 * The file of the embedded engine, as far as Orrery reads it without the engine: pages of one size,
 * two of them meta pages that name the roots of two trees (free pages, and entries). A tree has
 * branch pages, leaf pages, and overflow pages for long values. Each page names itself and the
 * transaction that wrote it; a written page is never changed while a tree has it.
 *
 * The layout is that of data version 2 of the engine, which `package.json` pins. Everything here
 * takes bytes that may be damaged: what does not parse is `undefined`, never an exception, and
 * nothing is read beyond a page.
 */
/** Before the nodes of a page, or the first bytes of a long value. */
export const PAGE_HEADER_BYTES = 24;
const HEADER_BYTES: number = PAGE_HEADER_BYTES;
const NODE_HEADER_BYTES = 8;
const META_MAGIC = 0xbeefc0de;
const META_VERSION = 2;
/** Offsets in a meta page. */
const MAGIC_AT = HEADER_BYTES;
const MAP_BYTES_AT = HEADER_BYTES + 16;
const FREE_TREE_AT = HEADER_BYTES + 24;
const ENTRY_TREE_AT = HEADER_BYTES + 72;
const LAST_PAGE_AT = HEADER_BYTES + 120;
const TXN_AT = HEADER_BYTES + 128;
const ROOT_IN_TREE = 40;
/** As much of a meta page as the engine uses. */
export const META_BYTES: number = HEADER_BYTES + 144;

const KINDS: Readonly<Record<number, PageKind>> = { 1: "branch", 2: "leaf", 4: "overflow" };
const LONG_VALUE = 1;

type PageKind = "branch" | "leaf" | "overflow";

export interface Meta {
  /** The transaction that wrote it. */
  readonly txn: number;
  readonly pageBytes: number;
  /** With the two meta pages. */
  readonly pageCount: number;
  readonly freeRoot: number | undefined;
  readonly entryRoot: number | undefined;
}

interface PageHeader {
  readonly number: number;
  readonly txn: number;
  readonly kind: PageKind;
}

interface Child {
  /** No key below the child is smaller; empty for the first child. */
  readonly separator: string;
  readonly page: number;
}

export interface LeafNode {
  readonly key: string;
  /** Of a long value: where it lies. */
  readonly overflow: OverflowPlace | undefined;
  /** Empty when the value is long. */
  readonly value: Buffer;
}

export interface OverflowPlace {
  readonly page: number;
  readonly pageCount: number;
  readonly txn: number;
  readonly valueBytes: number;
}

export function decodeMeta(bytes: Buffer): Meta | undefined {
  if (bytes.length < META_BYTES || bytes.readUInt32LE(MAGIC_AT) !== META_MAGIC) return undefined;
  if (bytes.readUInt32LE(MAGIC_AT + 4) !== META_VERSION) return undefined;
  const pageBytes = bytes.readUInt32LE(FREE_TREE_AT);
  const isPageSize =
    pageBytes >= 512 && pageBytes <= 65_536 && Number.isInteger(Math.log2(pageBytes));
  const lastPage = numberAt(bytes, LAST_PAGE_AT);
  const txn = numberAt(bytes, TXN_AT);
  if (!isPageSize || lastPage === undefined || txn === undefined) return undefined;
  return {
    txn,
    pageBytes,
    pageCount: lastPage + 1,
    freeRoot: numberAt(bytes, FREE_TREE_AT + ROOT_IN_TREE),
    entryRoot: numberAt(bytes, ENTRY_TREE_AT + ROOT_IN_TREE),
  };
}

/** Everything of a meta page that a reader relies on; the map's size grows without a commit. */
export function isSameMeta(a: Buffer, b: Buffer): boolean {
  const isSame = (from: number, to: number): boolean =>
    a.subarray(from, to).equals(b.subarray(from, to));
  return isSame(0, MAP_BYTES_AT) && isSame(MAP_BYTES_AT + 8, META_BYTES);
}

export function headerOf(page: Buffer): PageHeader | undefined {
  const kind = KINDS[page.readUInt16LE(18)];
  const number = numberAt(page, 0);
  const txn = numberAt(page, 8);
  if (kind === undefined || number === undefined || txn === undefined) return undefined;
  return { number, txn, kind };
}

/** Of a branch page. */
export function childrenOf(page: Buffer): readonly Child[] | undefined {
  const children: Child[] = [];
  for (const at of nodesOf(page) ?? []) {
    if (at < 0) return undefined;
    const keyEnd = at + NODE_HEADER_BYTES + page.readUInt16LE(at + 6);
    if (keyEnd > page.length) return undefined;
    children.push({
      separator: page.toString("latin1", at + NODE_HEADER_BYTES, keyEnd),
      page: page.readUIntLE(at, 6),
    });
  }
  return children.length === 0 ? undefined : children;
}

/** Of a leaf page: its nodes one by one, `undefined` in the place of one that cannot be. */
export function leafNodesOf(page: Buffer): readonly (LeafNode | undefined)[] {
  return nodesOf(page)?.map((at) => leafNodeAt(page, at)) ?? [undefined];
}

function leafNodeAt(page: Buffer, at: number): LeafNode | undefined {
  if (at < 0) return undefined;
  const valueBytes = page.readUInt32LE(at);
  const flags = page.readUInt16LE(at + 4);
  const keyEnd = at + NODE_HEADER_BYTES + page.readUInt16LE(at + 6);
  const isLong = flags === LONG_VALUE;
  if ((!isLong && flags !== 0) || keyEnd + (isLong ? 24 : valueBytes) > page.length)
    return undefined;
  const key = page.toString("latin1", at + NODE_HEADER_BYTES, keyEnd);
  if (!isLong) {
    return { key, overflow: undefined, value: page.subarray(keyEnd, keyEnd + valueBytes) };
  }
  const [number, txn, pageCount] = [0, 8, 16].map((offset) => numberAt(page, keyEnd + offset));
  if (number === undefined || txn === undefined || pageCount === undefined) return undefined;
  if (pageCount !== overflowPages(valueBytes, page.length)) return undefined;
  return {
    key,
    overflow: { page: number, pageCount, txn, valueBytes },
    value: page.subarray(0, 0),
  };
}

/** The long values of a leaf page: where they lie, of those that can be. */
export function overflowsOf(page: Buffer): readonly OverflowPlace[] {
  const found: OverflowPlace[] = [];
  for (const at of nodesOf(page) ?? []) {
    if (at < 0 || page.readUInt16LE(at + 4) !== LONG_VALUE) continue;
    const place = leafNodeAt(page, at)?.overflow;
    if (place !== undefined) found.push(place);
  }
  return found;
}

/** Of a long value, from the pages that hold it: only the first of them has a header. */
export function longValue(pages: Buffer, { valueBytes }: OverflowPlace): Buffer {
  return pages.subarray(HEADER_BYTES, HEADER_BYTES + valueBytes);
}

function overflowPages(valueBytes: number, pageBytes: number): number {
  return Math.floor((HEADER_BYTES - 1 + valueBytes) / pageBytes) + 1;
}

/** Where the nodes of a branch or leaf page start, in the order of their keys; -1 for nowhere. */
function nodesOf(page: Buffer): readonly number[] | undefined {
  const [lower, upper] = [page.readUInt16LE(20), page.readUInt16LE(22)];
  if (lower % 2 !== 0 || lower > upper || HEADER_BYTES + upper > page.length) return undefined;
  const places: number[] = [];
  for (let at = HEADER_BYTES; at < HEADER_BYTES + lower; at += 2) {
    const place = HEADER_BYTES + page.readUInt16LE(at);
    const isInside = place >= HEADER_BYTES + upper && place + NODE_HEADER_BYTES <= page.length;
    places.push(isInside ? place : -1);
  }
  return places;
}

/** The engine writes "none" as the largest number there is. */
function numberAt(bytes: Buffer, at: number): number | undefined {
  const value = bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * 2 ** 32;
  return Number.isSafeInteger(value) ? value : undefined;
}
