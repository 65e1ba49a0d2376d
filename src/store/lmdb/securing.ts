/**
 * What happens to the tables before the engine may use them: an interrupted replacement is
 * finished, every page is compared with its checksum, damaged tables are rebuilt from what is left
 * of them, tables of a former format are converted. Afterwards the engine can trust its file.
 */

import { closeSync, existsSync, openSync, statfsSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { shortBytesText } from "../../base/wording.ts";
import { TABLES_FILE } from "../dataLayout.ts";
import { StoreFault } from "../partitionStore.ts";
import type { LmdbEnvironment } from "./environment.ts";
import { FORMAT_KEY, UNSEALED_FORMATS } from "./keys.ts";
import { isFatal, lostText } from "./lostRanges.ts";
import { sumChangedPages } from "./pages/changedPages.ts";
import type { Inspection } from "./pages/inspection.ts";
import { inspectPages } from "./pages/inspection.ts";
import { newestMeta, PageFile } from "./pages/pageFile.ts";
import { PageSums, SUMS_FILE } from "./pages/pageSums.ts";
import type { Survivor } from "./pages/survivors.ts";
import { survivorsOf } from "./pages/survivors.ts";
import type { Rebuilt } from "./rebuild.ts";
import { rebuildTables } from "./rebuild.ts";
import { isSealedKey, placeOf, sealed } from "./seal.ts";
import { draftFolder, finishReplacement, replaceTables, syncFolder } from "./tablesFolder.ts";

/** Who is told what becomes of the tables; each text is a sentence without its full stop. */
export interface TablesWatcher {
  /** What was written is not what is there. */
  onDamage(text: string): void;
  /** Something that an operator may want to know, and need not see to. */
  onNotice(text: string): void;
  /** Of work that takes long. */
  onProgress(text: string): void;
}

export const NO_WATCHER: TablesWatcher = {
  onDamage: () => undefined,
  onNotice: () => undefined,
  onProgress: () => undefined,
};

/** More room than the entries need: pages of new tables are not as full as they may be. */
const ROOM_FACTOR = 1.5;

export async function secureTables(directory: string, watcher: TablesWatcher): Promise<void> {
  finishReplacement(directory);
  if (!existsSync(join(directory, TABLES_FILE))) return;
  const file = openFile(directory);
  try {
    const onBytes = (done: number, total: number): void =>
      watcher.onProgress(
        `verifying the tables: ${shortBytesText(done)} of ${shortBytesText(total)}`,
      );
    const found = inspectPages(file, PageSums.read(directory), onBytes);
    if (found.damagedPages.length > 0) await mendTables(directory, file, found, watcher);
    else settle(directory, file, found, watcher);
  } finally {
    file.close();
  }
}

function openFile(directory: string): PageFile {
  const file = PageFile.open(directory);
  if (file !== undefined) return file;
  throw new StoreFault(
    `${join(directory, TABLES_FILE)} is damaged: neither of its first two pages can be read. ` +
      "Restore a backup.",
  );
}

/** No page in use is damaged: what is left is to put meta pages and sums in order. */
function settle(
  directory: string,
  file: PageFile,
  { sums, hadSums, lostSumCount, metaRepairs }: Inspection,
  watcher: TablesWatcher,
): void {
  for (const { slot, bytes } of metaRepairs) {
    writeAt(join(directory, TABLES_FILE), bytes, slot * file.pageBytes);
    watcher.onDamage(
      `page ${slot} of ${join(directory, TABLES_FILE)} was damaged, and was written anew from ` +
        `the copy in ${SUMS_FILE}; nothing is lost`,
    );
  }
  if (lostSumCount > 0) {
    watcher.onDamage(
      `${join(directory, SUMS_FILE)} was damaged: the checksums of ${lostSumCount} pages were ` +
        "made anew from the pages as they are now",
    );
  }
  if (!hadSums) {
    watcher.onNotice(`${directory} had no checksums of its pages; they have been made now`);
  }
  sums.saveAnew(directory);
}

async function mendTables(
  directory: string,
  file: PageFile,
  { meta, sums, damagedPages }: Inspection,
  watcher: TablesWatcher,
): Promise<void> {
  const path = join(directory, TABLES_FILE);
  watcher.onDamage(`${damagedPages.length} of ${meta!.pageCount} pages of ${path} are damaged`);
  checkRoom(directory, file.fileBytes);
  const rebuilt = await rebuildTables(
    draftFolder(directory),
    survivorsOf(file, meta!, sums),
    (count) => watcher.onProgress(`rebuilding damaged tables: ${count} entries`),
  );
  const fatal = rebuilt.lost.find(isFatal);
  if (fatal !== undefined) {
    throw new StoreFault(
      `${path} cannot be mended: damage has taken ${lostText(fatal)}, without which nobody knows ` +
        "what else there was. Restore a backup.",
    );
  }
  sumAnew(draftFolder(directory));
  const keptAt = replaceTables(directory, "mended");
  for (const text of damageTexts(rebuilt)) watcher.onDamage(text);
  watcher.onNotice(
    `the tables were rebuilt with ${rebuilt.entryCount} entries; the damaged ones are in ${keptAt}`,
  );
}

/** What is lost, and is answered with an error from now on. */
function damageTexts({ lost, damagedKeys }: Rebuilt): readonly string[] {
  return [
    ...damagedKeys.map((key) => `${placeOf(key)} is damaged: its value does not fit its checksum`),
    ...lost.map((range) => `damage has taken ${lostText(range)}`),
  ];
}

/** Tables whose values carry no checksums get some. Closes `former`, which the engine has open. */
export async function convertTables(
  directory: string,
  former: LmdbEnvironment,
  format: string,
  watcher: TablesWatcher,
): Promise<void> {
  watcher.onNotice(
    `${directory} was written by a former version (format ${format}) and is converted, once; ` +
      "that version cannot open it afterwards",
  );
  try {
    checkRoom(directory, fileBytesOf(directory));
    const converted = convertedEntries(former, UNSEALED_FORMATS[format]!);
    await rebuildTables(draftFolder(directory), converted, (count) =>
      watcher.onProgress(`converting the tables: ${count} entries`),
    );
  } finally {
    await former.close();
  }
  sumAnew(draftFolder(directory));
  replaceTables(directory, "converted");
  watcher.onNotice(`${directory} has been converted`);
}

function* convertedEntries(
  former: LmdbEnvironment,
  format: string,
): Generator<Survivor, void, undefined> {
  for (const { key, value } of former.getRange({ start: "\x00" })) {
    if (key === FORMAT_KEY) continue;
    yield { kind: "entry", key, value: isSealedKey(key) ? sealed(key, value) : value };
  }
  yield { kind: "entry", key: FORMAT_KEY, value: sealed(FORMAT_KEY, Buffer.from(format)) };
}

/** The sums of tables that nobody has summed yet. */
export function sumAnew(directory: string): void {
  const file = openFile(directory);
  const sums = new PageSums();
  try {
    sumChangedPages(file, newestMeta(file.metaPages())!, sums);
  } finally {
    file.close();
  }
  sums.saveAnew(directory);
  syncFolder(directory);
}

function checkRoom(directory: string, bytes: number): void {
  const { bsize, bavail } = statfsSync(dirname(directory));
  const needed = Math.ceil(bytes * ROOM_FACTOR);
  if (bsize * bavail >= needed) return;
  throw new StoreFault(
    `${needed} bytes are needed beside ${directory} to write the tables anew, and ` +
      `${bsize * bavail} are free. Make room there first.`,
  );
}

function fileBytesOf(directory: string): number {
  const file = openFile(directory);
  try {
    return file.fileBytes;
  } finally {
    file.close();
  }
}

function writeAt(path: string, bytes: Buffer, position: number): void {
  // Written through: the engine reads it right after.
  const file = openSync(path, "rs+");
  try {
    writeSync(file, bytes, 0, bytes.length, position);
  } finally {
    closeSync(file);
  }
}
