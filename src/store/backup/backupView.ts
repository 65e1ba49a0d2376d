/**
 * A data directory that is only read: the tables, and the journal above them in memory. Nothing is
 * removed, absorbed or claimed, so the directory stays as it is, byte by byte.
 *
 * It answers as the store would that opens the directory. Nobody may have it open meanwhile.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Lsn } from "../../base/units.ts";
import type { Bottom } from "../bottom.ts";
import { JOURNAL_FOLDER } from "../dataLayout.ts";
import type { ReadableDisk } from "../disk.ts";
import type { FoundJournal, UsableSegment } from "../journal/foundJournal.ts";
import { findJournal, NOTHING_ABSORBED } from "../journal/foundJournal.ts";
import { visitRecords } from "../journal/recordVisitor.ts";
import type { Layer } from "../memory/layer.ts";
import type { TallyScan } from "../memory/layeredReads.ts";
import {
  itemByKey,
  readLog,
  readVersions,
  scanItems,
  scanTallies,
  scanTerms,
} from "../memory/layeredReads.ts";
import { MemoryTable } from "../memory/memoryTable.ts";
import { EMPTY_HEAD } from "../partHead.ts";
import type {
  ItemPage,
  LogPage,
  PartHead,
  PartitionStore,
  ScanLimits,
  StoredItem,
  TallyPage,
  TermPage,
  TermScan,
  VersionPage,
} from "../partitionStore.ts";
import { StoreFault } from "../partitionStore.ts";

/** The reading half of a store. */
export type ReadableStore = Pick<
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

export class StoreView implements ReadableStore {
  readonly #layers: readonly Layer[];
  readonly #heads: Map<number, PartHead>;

  constructor(bottom: Bottom | undefined, segments: readonly UsableSegment[]) {
    this.#heads = new Map(bottom?.heads());
    const tables = segments.map(({ frames }) => {
      const table = new MemoryTable({ isBottom: false });
      for (const { bytes, start, end } of frames) {
        table.absorb(bytes, start, end);
        visitRecords(bytes, start, end, {
          head: (part, head) => this.#heads.set(part, head),
          drop: (part) => this.#heads.delete(part),
        });
      }
      return table;
    });
    this.#layers = [...tables.reverse(), ...(bottom === undefined ? [] : [bottom])];
  }

  getMany(part: number, keys: readonly string[]): readonly (StoredItem | undefined)[] {
    return keys.map((key) => itemByKey(this.#layers, part, key));
  }

  scanItems(part: number, afterNumber: number, limits: ScanLimits): ItemPage {
    return scanItems(this.#layers, part, afterNumber, limits);
  }

  scanTerms(part: number, scan: TermScan): TermPage {
    return scanTerms(this.#layers, part, scan);
  }

  readLog(part: number, afterLsn: Lsn, countMax: number): LogPage {
    const { sweptLsn } = this.head(part) ?? EMPTY_HEAD;
    return readLog(this.#layers, part, { afterLsn, sweptLsn, countMax });
  }

  readVersions(part: number, afterLsn: Lsn, limits: ScanLimits): VersionPage {
    const { sweptLsn } = this.head(part) ?? EMPTY_HEAD;
    const after = afterLsn > sweptLsn ? afterLsn : sweptLsn;
    return readVersions(this.#layers, part, after, limits);
  }

  scanTallies(part: number, scan: TallyScan): TallyPage {
    return scanTallies(this.#layers, part, scan);
  }

  head(part: number): PartHead | undefined {
    return this.#heads.get(part);
  }

  parts(): readonly number[] {
    return [...this.#heads.keys()].sort((a, b) => a - b);
  }
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
