/**
 * A data directory that is only read: the tables, and the journal above them in memory. Nothing is
 * removed, absorbed or claimed, so the directory stays as it is, byte by byte.
 *
 * It answers as the store would that opens the directory. Nobody may have it open meanwhile.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Bottom } from "../bottom.ts";
import { JOURNAL_FOLDER } from "../dataLayout.ts";
import type { ReadableDisk } from "../disk.ts";
import type { FoundJournal, UsableSegment } from "../journal/foundJournal.ts";
import { findJournal, NOTHING_ABSORBED } from "../journal/foundJournal.ts";
import { VisibleState } from "../memory/visibleState.ts";
import type { PartitionStore } from "../partitionStore.ts";
import { StoreFault } from "../partitionStore.ts";

/** What of a store can be asked without opening it. */
export type ReadOnlyStore = Pick<
  PartitionStore,
  | "getMany"
  | "scanItems"
  | "scanTerms"
  | "readLog"
  | "readVersions"
  | "scanTallies"
  | "head"
  | "parts"
>;

/** Tables, if there are any, and the segments above them, oldest first. */
export function storeView(
  bottom: Bottom | undefined,
  segments: readonly UsableSegment[],
): ReadOnlyStore {
  const state = new VisibleState(bottom);
  for (const { frames } of segments) state.restore(frames);
  return state;
}

/** The journal that belongs to tables, in a data directory that is only read. */
export function findJournalIn(
  directory: string,
  bottom: Bottom | undefined,
): Promise<FoundJournal> {
  const folder = join(directory, JOURNAL_FOLDER);
  const disk: ReadableDisk = {
    names: async () => {
      try {
        return await readdir(folder);
      } catch {
        throw new StoreFault(`${folder} cannot be read: this is no data directory.`);
      }
    },
    read: (name) => readFile(join(folder, name)),
  };
  return findJournal(disk, bottom ?? NOTHING_ABSORBED);
}
