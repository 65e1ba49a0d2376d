/**
 * What can be read of damaged tables, in the order of the keys, without the engine: the entries of
 * whole pages; of a damaged page those that carry a checksum and still fit it; and between them the
 * ranges that are lost.
 *
 * A page that leads to others is put right if a single changed bit explains its sum: what it leads
 * to confirms it. Otherwise all below it is lost, because a wrong pointer may lead to a page of
 * former times that is whole. Pages with entries are not put right: nothing would confirm those.
 */
import { changedBit, flipBit } from "../../journal/oneBit.ts";
import type { LostRange } from "../lostRanges.ts";
import { KEYS_END } from "../lostRanges.ts";
import { isSealedKey, isWhole } from "../seal.ts";
import type { PageFile } from "./pageFile.ts";
import type { LeafNode, Meta } from "./pageFormat.ts";
import { childrenOf, headerOf, leafNodesOf, longValue } from "./pageFormat.ts";
import type { PageSums } from "./pageSums.ts";
import { pageSum } from "./pageSums.ts";

export type Survivor =
  | { readonly kind: "entry"; readonly key: string; readonly value: Buffer }
  /** Its place is known and its value does not fit its checksum. */
  | { readonly kind: "damaged"; readonly key: string; readonly value: Buffer }
  | { readonly kind: "lost"; readonly range: LostRange };

/** Keys below a page: at least `min`, below `max`; an empty bound is open. */
interface Window {
  readonly min: string;
  readonly max: string;
}

/** Branch pages on the way to a leaf; a tree that is deeper has a damaged pointer in it. */
const DEPTH_MAX = 32;

export function* survivorsOf(
  file: PageFile,
  { entryRoot, pageCount }: Meta,
  sums: PageSums,
): Generator<Survivor, void, undefined> {
  if (entryRoot === undefined) return;
  let min = "";
  let isLosing = false;
  const close = (max: string): Survivor => {
    isLosing = false;
    return { kind: "lost", range: { min, max } };
  };
  for (const found of piecesOf({ file, sums, pageCount }, entryRoot, { min: "", max: "" }, 0)) {
    if (found === LOST) {
      isLosing = true;
      continue;
    }
    if (isLosing) yield close(found.key);
    yield found;
    // The first key behind this one.
    min = `${found.key}\x00`;
  }
  if (isLosing) yield close(KEYS_END);
}

const LOST = Symbol("lost");

type Piece = Exclude<Survivor, { readonly kind: "lost" }> | typeof LOST;

interface Ground {
  readonly file: PageFile;
  readonly sums: PageSums;
  readonly pageCount: number;
}

function* piecesOf(
  ground: Ground,
  page: number,
  window: Window,
  depth: number,
): Generator<Piece, void, undefined> {
  if (page >= ground.pageCount || depth > DEPTH_MAX) {
    yield LOST;
    return;
  }
  const found = ground.file.read(page);
  const isFitting = ground.sums.fits(page, found);
  const bytes = isFitting ? found : (mendedBranch(page, found, ground.sums) ?? found);
  const header = headerOf(bytes);
  if (header?.number !== page || header.kind === "overflow") yield LOST;
  else if (header.kind === "branch") {
    if (isFitting || bytes !== found) yield* piecesOfBranch(ground, bytes, window, depth);
    else yield LOST;
  } else yield* piecesOfLeaf(ground, bytes, window, isFitting);
}

/** The page as it was, if it is a branch page of which one bit has changed. */
function mendedBranch(page: number, found: Buffer, sums: PageSums): Buffer | undefined {
  const bit = changedBit(sums.sumOf(page), pageSum(page, found), found.length);
  if (bit === undefined) return undefined;
  const mended = Buffer.from(found);
  flipBit(mended, bit);
  const isMended = sums.fits(page, mended) && headerOf(mended)?.kind === "branch";
  return isMended ? mended : undefined;
}

function* piecesOfBranch(
  ground: Ground,
  bytes: Buffer,
  window: Window,
  depth: number,
): Generator<Piece, void, undefined> {
  const children = childrenOf(bytes);
  const bounds = children?.map(({ separator }, index) => (index === 0 ? window.min : separator));
  if (children === undefined || !isAscendingWithin(bounds!, window)) {
    yield LOST;
    return;
  }
  for (const [index, child] of children.entries()) {
    const below = { min: bounds![index]!, max: bounds![index + 1] ?? window.max };
    yield* piecesOf(ground, child.page, below, depth + 1);
  }
}

function* piecesOfLeaf(
  ground: Ground,
  bytes: Buffer,
  window: Window,
  isFitting: boolean,
): Generator<Piece, void, undefined> {
  let last = "";
  for (const node of leafNodesOf(bytes)) {
    const piece =
      node === undefined || !isWithin(node.key, window) || node.key <= last
        ? LOST
        : pieceOf(ground, node, isFitting);
    if (piece !== LOST) last = piece.key;
    yield piece;
  }
}

/** The place of an entry can be believed if its page fits, or if its checksum does. */
function pieceOf(ground: Ground, node: LeafNode, isFitting: boolean): Piece {
  const { key } = node;
  const value = nodeValue(ground, node);
  if (value === undefined) return LOST;
  const { bytes } = value;
  const isSound = isFitting && value.isFitting;
  if (isSound || (isSealedKey(key) && isWhole(key, bytes)))
    return { kind: "entry", key, value: bytes };
  return isFitting ? { kind: "damaged", key, value: bytes } : LOST;
}

function nodeValue(
  { file, sums, pageCount }: Ground,
  { value, overflow }: LeafNode,
): { readonly bytes: Buffer; readonly isFitting: boolean } | undefined {
  if (overflow === undefined) return { bytes: value, isFitting: true };
  if (overflow.page + overflow.pageCount > pageCount) return undefined;
  const pages = file.read(overflow.page, overflow.pageCount);
  const areFitting = Array.from({ length: overflow.pageCount }, (_, index) => {
    const from = index * file.pageBytes;
    return sums.fits(overflow.page + index, pages.subarray(from, from + file.pageBytes));
  });
  return { bytes: longValue(pages, overflow), isFitting: areFitting.every(Boolean) };
}

function isAscendingWithin(keys: readonly string[], window: Window): boolean {
  return keys.every(
    (key, index) => isWithin(key, window) && (index === 0 || key > keys[index - 1]!),
  );
}

function isWithin(key: string, { min, max }: Window): boolean {
  return key >= min && (max === "" || key < max);
}
