/** The pages of the engine's file, read from the disk and not through the engine. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { TABLES_FILE } from "../../dataLayout.ts";
import type { Meta } from "./pageFormat.ts";
import { decodeMeta, META_BYTES, PAGE_HEADER_BYTES } from "./pageFormat.ts";

export class PageFile {
  readonly #file: number;
  readonly pageBytes: number;

  /** Throws what the file system does; `undefined` when neither meta page can be read. */
  static open(directory: string): PageFile | undefined {
    const file = openSync(join(directory, TABLES_FILE), "r");
    const pageBytes = pageBytesOf(file);
    if (pageBytes !== undefined) return new PageFile(file, pageBytes);
    closeSync(file);
    return undefined;
  }

  private constructor(file: number, pageBytes: number) {
    this.#file = file;
    this.pageBytes = pageBytes;
  }

  get fileBytes(): number {
    return fstatSync(this.#file).size;
  }

  /** As much of the meta pages as the engine uses, in their order. */
  metaPages(): readonly [Buffer, Buffer] {
    return [this.#read(0, META_BYTES), this.#read(this.pageBytes, META_BYTES)];
  }

  /** `count` pages in a row; zeros behind the end of the file. */
  read(page: number, count = 1): Buffer {
    return this.#read(page * this.pageBytes, count * this.pageBytes);
  }

  /** As much of a page as tells what it is. */
  readHeader(page: number): Buffer {
    return this.#read(page * this.pageBytes, PAGE_HEADER_BYTES);
  }

  /** Fills a buffer from a page on; returns how many bytes there were. */
  readInto(into: Buffer, page: number): number {
    return readFully(this.#file, into, page * this.pageBytes);
  }

  close(): void {
    closeSync(this.#file);
  }

  #read(position: number, bytes: number): Buffer {
    const into = Buffer.alloc(bytes);
    readFully(this.#file, into, position);
    return into;
  }
}

/** The meta page that counts: the later of those that can be read. */
export function newestMeta(pages: readonly [Buffer, Buffer]): Meta | undefined {
  const [first, second] = pages.map(decodeMeta);
  if (first === undefined || second === undefined) return first ?? second;
  return first.txn >= second.txn ? first : second;
}

/** The first meta page tells; if it is damaged, the second lies at one of a few places. */
function pageBytesOf(file: number): number | undefined {
  const bytes = Buffer.alloc(META_BYTES);
  readFully(file, bytes, 0);
  const first = decodeMeta(bytes)?.pageBytes;
  for (let pageBytes = 512; pageBytes <= 65_536; pageBytes *= 2) {
    readFully(file, bytes, pageBytes);
    if (decodeMeta(bytes)?.pageBytes === pageBytes) return pageBytes;
  }
  return first;
}

function readFully(file: number, into: Buffer, position: number): number {
  let filled = 0;
  while (filled < into.length) {
    const count = readSync(file, into, filled, into.length - filled, position + filled);
    if (count === 0) break;
    filled += count;
  }
  return filled;
}
