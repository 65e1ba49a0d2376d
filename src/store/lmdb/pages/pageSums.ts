/**
 * A checksum for every page of the tables, in a file beside them: the engine keeps none.
 *
 * The file is a row of blocks, each with a checksum of its own. The first says up to which
 * transaction of the engine the sums go and repeats both meta pages as they were then; the others
 * hold a CRC-32 for each page. Sums are written after the engine's commit and before the journal
 * segment is let go of. If the power goes in between, the tables are a few transactions ahead of
 * their sums; the pages of those transactions name them, and are summed at the next opening.
 *
 * Sums are written in place. That is safe because a page which an older tree needs is not written
 * again: a torn block can only concern pages that are summed anew.
 */
import { closeSync, fdatasyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { META_BYTES } from "./pageFormat.ts";

export const SUMS_FILE = "pages.sums";

const MAGIC = "ORRERYS1";
const BLOCK_BYTES = 4096;
const CRC_AT = BLOCK_BYTES - 4;
const SUMS_PER_BLOCK: number = CRC_AT / 4;
const METAS_AT = 24;

interface ReadSums {
  readonly sums: PageSums;
  /** How many pages have lost their sums because a block of the file is damaged. */
  readonly lostCount: number;
}

export class PageSums {
  /** The last transaction whose pages are summed; -1 before the first. */
  txn = -1;
  metas: readonly [Buffer, Buffer] = [Buffer.alloc(META_BYTES), Buffer.alloc(META_BYTES)];
  /** 0 is no sum. */
  #sums = new Uint32Array(SUMS_PER_BLOCK);
  #blockCount = 0;
  readonly #changedBlocks = new Set<number>();

  /** `undefined` when there is no such file, or one whose first block is damaged. */
  static read(directory: string): ReadSums | undefined {
    const bytes = readOrUndefined(join(directory, SUMS_FILE));
    if (bytes === undefined || !isWhole(bytes, 0)) return undefined;
    if (bytes.toString("latin1", 0, 8) !== MAGIC) return undefined;
    const sums = new PageSums();
    sums.txn = bytes.readDoubleLE(8);
    sums.metas = [metaIn(bytes, 0), metaIn(bytes, 1)];
    sums.#blockCount = bytes.readDoubleLE(16);
    let lostCount = 0;
    sums.#sums = new Uint32Array(Math.max(1, sums.#blockCount) * SUMS_PER_BLOCK);
    for (let block = 0; block < sums.#blockCount; block++) {
      const at = (block + 1) * BLOCK_BYTES;
      if (!isWhole(bytes, at)) lostCount += SUMS_PER_BLOCK;
      else {
        for (let index = 0; index < SUMS_PER_BLOCK; index++) {
          sums.#sums[block * SUMS_PER_BLOCK + index] = bytes.readUInt32LE(at + 4 * index);
        }
      }
    }
    return { sums, lostCount };
  }

  has(page: number): boolean {
    return (this.#sums[page] ?? 0) !== 0;
  }

  sumOf(page: number): number {
    return this.#sums[page] ?? 0;
  }

  fits(page: number, bytes: Buffer): boolean {
    return this.sumOf(page) === pageSum(page, bytes);
  }

  note(page: number, bytes: Buffer): void {
    while (page >= this.#sums.length) {
      const longer = new Uint32Array(this.#sums.length * 2);
      longer.set(this.#sums);
      this.#sums = longer;
    }
    this.#sums[page] = pageSum(page, bytes);
    const block = Math.floor(page / SUMS_PER_BLOCK);
    this.#changedBlocks.add(block);
    while (this.#blockCount <= block) this.#changedBlocks.add(this.#blockCount++);
  }

  /** Writes what has changed; durable when it returns. */
  save(directory: string): void {
    const path = join(directory, SUMS_FILE);
    const file = openOrMake(path);
    try {
      for (const block of this.#changedBlocks) {
        writeSync(file, this.#encodeBlock(block), 0, BLOCK_BYTES, (block + 1) * BLOCK_BYTES);
      }
      fdatasyncSync(file);
      // The first block vouches for the others, so it comes last.
      writeSync(file, this.#encodeFirst(), 0, BLOCK_BYTES, 0);
      fdatasyncSync(file);
    } finally {
      closeSync(file);
    }
    this.#changedBlocks.clear();
  }

  /** Writes all of it into a new file that takes the place of the old one. */
  saveAnew(directory: string): void {
    const bytes = Buffer.alloc((this.#blockCount + 1) * BLOCK_BYTES);
    this.#encodeFirst().copy(bytes);
    for (let block = 0; block < this.#blockCount; block++) {
      this.#encodeBlock(block).copy(bytes, (block + 1) * BLOCK_BYTES);
    }
    const draft = join(directory, `${SUMS_FILE}.new`);
    const file = openSync(draft, "w", 0o600);
    try {
      writeSync(file, bytes);
      fdatasyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, join(directory, SUMS_FILE));
    this.#changedBlocks.clear();
  }

  #encodeFirst(): Buffer {
    const bytes = Buffer.alloc(BLOCK_BYTES);
    bytes.write(MAGIC, 0, "latin1");
    bytes.writeDoubleLE(this.txn, 8);
    bytes.writeDoubleLE(this.#blockCount, 16);
    for (const [slot, meta] of this.metas.entries()) meta.copy(bytes, METAS_AT + slot * META_BYTES);
    return sealedBlock(bytes);
  }

  #encodeBlock(block: number): Buffer {
    const bytes = Buffer.alloc(BLOCK_BYTES);
    for (let index = 0; index < SUMS_PER_BLOCK; index++) {
      bytes.writeUInt32LE(this.sumOf(block * SUMS_PER_BLOCK + index), 4 * index);
    }
    return sealedBlock(bytes);
  }
}

/** The page's number is in it, so a page that lies in the place of another does not fit. */
export function pageSum(page: number, bytes: Buffer): number {
  return crc32(bytes, page) || 1;
}

function metaIn(bytes: Buffer, slot: number): Buffer {
  const at = METAS_AT + slot * META_BYTES;
  return Buffer.from(bytes.subarray(at, at + META_BYTES));
}

function sealedBlock(bytes: Buffer): Buffer {
  bytes.writeUInt32LE(crc32(bytes.subarray(0, CRC_AT)), CRC_AT);
  return bytes;
}

function isWhole(bytes: Buffer, at: number): boolean {
  if (at + BLOCK_BYTES > bytes.length) return false;
  return bytes.readUInt32LE(at + CRC_AT) === crc32(bytes.subarray(at, at + CRC_AT));
}

function openOrMake(path: string): number {
  try {
    return openSync(path, "r+");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") {
      return openSync(path, "w", 0o600);
    }
    throw error;
  }
}

function readOrUndefined(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
