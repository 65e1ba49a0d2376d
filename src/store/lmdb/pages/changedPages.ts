/**
 * The pages that a tree has got since a transaction. A tree is never changed in place: a page that
 * was written brings new pages for all that lead to it, so pages written later hang together from
 * the root, and a page that is older has nothing newer below it.
 */
import type { PageFile } from "./pageFile.ts";
import type { Meta, OverflowPlace } from "./pageFormat.ts";
import { childrenOf, headerOf, overflowsOf, PAGE_HEADER_BYTES } from "./pageFormat.ts";
import type { PageSums } from "./pageSums.ts";

/** Takes down the sums of all pages that the engine has written since the last time. */
export function sumChangedPages(file: PageFile, meta: Meta, sums: PageSums): void {
  for (const root of [meta.freeRoot, meta.entryRoot]) {
    if (root !== undefined) sumTree(file, root, sums);
  }
  sums.txn = meta.txn;
  sums.metas = file.metaPages();
}

function sumTree(file: PageFile, root: number, sums: PageSums): void {
  const waiting = [root];
  // A segment changes thousands of pages, so all are read into the same memory.
  const header = Buffer.alloc(PAGE_HEADER_BYTES);
  const bytes = Buffer.alloc(file.pageBytes);
  for (let page = waiting.pop(); page !== undefined; page = waiting.pop()) {
    if ((headerOf(filled(file, header, page))?.txn ?? 0) <= sums.txn) continue;
    sums.note(page, filled(file, bytes, page));
    const kind = headerOf(bytes)?.kind;
    if (kind === "branch") for (const child of childrenOf(bytes) ?? []) waiting.push(child.page);
    if (kind === "leaf") {
      for (const place of overflowsOf(bytes)) {
        if (place.txn > sums.txn) sumOverflow(file, place, sums);
      }
    }
  }
}

/** Fills a buffer from a page on, with zeros behind the end of the file. */
function filled(file: PageFile, into: Buffer, page: number): Buffer {
  return into.fill(0, file.readInto(into, page));
}

function sumOverflow(file: PageFile, { page, pageCount }: OverflowPlace, sums: PageSums): void {
  const bytes = file.read(page, pageCount);
  for (let index = 0; index < pageCount; index++) {
    const from = index * file.pageBytes;
    sums.note(page + index, bytes.subarray(from, from + file.pageBytes));
  }
}
