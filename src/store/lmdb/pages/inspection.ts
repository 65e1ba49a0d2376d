/**
 * Looks at the tables before the engine may: does every page that is in use have the checksum that
 * was noted for it? The engine trusts its file; from a damaged one it gives wrong answers, or takes
 * the process down. Nothing is changed here; `mending.ts` acts on what is found.
 *
 * | found                                        | is                                           |
 * | -------------------------------------------- | -------------------------------------------- |
 * | a meta page newer than the sums, whose root  | a commit whose sums a crash prevented; its   |
 * | that same transaction wrote                  | pages are summed now                         |
 * | any other meta page that is not as noted     | damage; the noted one takes its place        |
 * | a page in use that does not fit its sum      | damage                                       |
 * | a page not in use that does not fit          | nothing: what a crash left in a free page    |
 * | a page in use without a sum                  | a page whose block of sums is damaged        |
 * | no sums at all                               | a restored backup; all pages are summed now  |
 */
import { sumChangedPages } from "./changedPages.ts";
import type { PageFile } from "./pageFile.ts";
import { newestMeta } from "./pageFile.ts";
import type { Meta } from "./pageFormat.ts";
import { childrenOf, decodeMeta, headerOf, isSameMeta, leafNodesOf } from "./pageFormat.ts";
import { PageSums } from "./pageSums.ts";

export interface Inspection {
  /** `undefined` when neither meta page can be read, and none was noted. */
  readonly meta: Meta | undefined;
  /** Of all pages as they ought to be, those summed now included. */
  readonly sums: PageSums;
  /** False: there were none that could be read, so nothing could be compared. */
  readonly hadSums: boolean;
  /** How many pages have lost their sums because the file of sums is damaged. */
  readonly lostSumCount: number;
  /** Meta pages that are damaged, and what they have to be. */
  readonly metaRepairs: readonly { readonly slot: number; readonly bytes: Buffer }[];
  /** Pages in use that do not fit their sums, in order. */
  readonly damagedPages: readonly number[];
}

/** How much of the file is read at a time. */
const CHUNK_BYTES = 1024 * 1024;

type OnBytes = (done: number, total: number) => void;

export function inspectPages(
  file: PageFile,
  read: ReturnType<typeof PageSums.read>,
  onBytes: OnBytes,
): Inspection {
  const sums = read?.sums ?? new PageSums();
  const found = file.metaPages();
  const metaRepairs = read === undefined ? [] : damagedMetas(file, found, sums);
  const metas = [found[0], found[1]] as [Buffer, Buffer];
  for (const { slot, bytes } of metaRepairs) metas[slot] = bytes;
  const meta = newestMeta(metas);
  if (meta === undefined) {
    return { meta, sums, hadSums: false, lostSumCount: 0, metaRepairs, damagedPages: [] };
  }
  if (meta.txn > sums.txn) sumChangedPages(file, meta, sums);
  sums.metas = metas;
  const suspects = misfits(file, meta, sums, onBytes);
  const lostSumCount = read?.lostCount ?? 0;
  const hadSums = read !== undefined;
  if (suspects.size === 0 && lostSumCount === 0) {
    return { meta, sums, hadSums, lostSumCount, metaRepairs, damagedPages: [] };
  }
  const damagedPages: number[] = [];
  for (const page of pagesInUse(file, meta)) {
    if (suspects.has(page)) damagedPages.push(page);
    else if (!sums.has(page)) sums.note(page, file.read(page));
  }
  damagedPages.sort((a, b) => a - b);
  return { meta, sums, hadSums, lostSumCount, metaRepairs, damagedPages };
}

function damagedMetas(
  file: PageFile,
  found: readonly [Buffer, Buffer],
  sums: PageSums,
): Inspection["metaRepairs"] {
  return [0, 1].flatMap((slot) => {
    const noted = sums.metas[slot]!;
    if (isSameMeta(found[slot]!, noted) || isLaterCommit(file, found[slot]!, sums.txn)) return [];
    return [{ slot, bytes: noted }];
  });
}

/** A commit writes its root anew, so an older meta page with a false number gives itself away. */
function isLaterCommit(file: PageFile, bytes: Buffer, summedTxn: number): boolean {
  const meta = decodeMeta(bytes);
  if (meta?.entryRoot === undefined || meta.txn <= summedTxn) return false;
  const root = headerOf(file.readHeader(meta.entryRoot));
  return root?.number === meta.entryRoot && root.txn === meta.txn;
}

/** Pages that do not fit the sums they have, whether in use or not. */
function misfits(
  file: PageFile,
  { pageCount, pageBytes }: Meta,
  sums: PageSums,
  onBytes: OnBytes,
): ReadonlySet<number> {
  const suspects = new Set<number>();
  const perChunk = CHUNK_BYTES / pageBytes;
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (let first = 0; first < pageCount; first += perChunk) {
    chunk.fill(0, file.readInto(chunk, first));
    const end = Math.min(perChunk, pageCount - first);
    for (let index = 0; index < end; index++) {
      const page = first + index;
      if (!sums.has(page)) continue;
      const bytes = chunk.subarray(index * pageBytes, (index + 1) * pageBytes);
      if (!sums.fits(page, bytes)) suspects.add(page);
    }
    onBytes((first + end) * pageBytes, pageCount * pageBytes);
  }
  return suspects;
}

/** Every page that the trees lead to, as far as damage lets them; each once. */
function pagesInUse(file: PageFile, { freeRoot, entryRoot, pageCount }: Meta): Set<number> {
  const seen = new Set<number>();
  const waiting = [freeRoot, entryRoot].filter((root) => root !== undefined);
  for (let page = waiting.pop(); page !== undefined; page = waiting.pop()) {
    if (page >= pageCount || seen.has(page)) continue;
    seen.add(page);
    const bytes = file.read(page);
    const kind = headerOf(bytes)?.kind;
    if (kind === "branch") for (const child of childrenOf(bytes) ?? []) waiting.push(child.page);
    if (kind === "leaf") {
      for (const node of leafNodesOf(bytes)) {
        for (let index = 0; index < (node?.overflow?.pageCount ?? 0); index++) {
          const at = node!.overflow!.page + index;
          if (at < pageCount) seen.add(at);
        }
      }
    }
  }
  return seen;
}
