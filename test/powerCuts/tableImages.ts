/**
 * The files of a store before and after each absorption, and what a power cut in the middle of it
 * may have left: the engine writes its pages where nothing lives, syncs them, and then writes a
 * root that names them. So before the root any part of the pages may be there; the root is shorter
 * than a sector; and the segment goes after that.
 *
 * This takes the engine's word for that order. That it keeps to it is what the traced runs show.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "../../src/base/world.ts";
import type { Bottom } from "../../src/store/bottom.ts";
import { JOURNAL_FOLDER, TABLES_FOLDER } from "../../src/store/dataLayout.ts";
import { segmentName } from "../../src/store/journal/segment.ts";
import { overriding } from "../crash/machine.ts";
import type { Expectation } from "./ledger.ts";
import type { FoundDisk } from "./tracedDisk.ts";

const SECTOR_BYTES = 512;
/** As the engine is told to (`store/lmdb/environment.ts`): its two roots are the first two pages. */
const PAGE_BYTES = 8192;
const ROOT_COUNT = 2;
const TABLES_FILE = "data.mdb";

/** A moment: the files, and what was promised by then. */
interface Image {
  readonly tables: Buffer;
  /** Segments by the names of their files. */
  readonly journal: ReadonlyMap<string, Buffer>;
  readonly expectation: Expectation;
}

export interface Absorption {
  readonly segment: number;
  readonly before: Image;
  readonly after: Image;
}

/** A kind of power cut: which part of an absorption had come to the disk. */
interface CutKind {
  readonly name: string;
  /** Whether no store in its right mind leaves that. */
  readonly isPlanted: boolean;
  stateOf(absorption: Absorption, random: Random): { disk: FoundDisk; expectation: Expectation };
}

/** Tells of each absorption that passes through; nothing else happens while it looks. */
export function watched(
  bottom: Bottom,
  imageNow: () => Image,
  onAbsorbed: (absorption: Absorption) => void,
): Bottom {
  return overriding(bottom, {
    absorb: async (segment, frameEnd) => {
      const before = imageNow();
      await bottom.absorb(segment, frameEnd);
      onAbsorbed({ segment, before, after: imageNow() });
    },
  });
}

/** Reads without suspending: whatever is acknowledged later is not in the expectation. */
export function imageOf(directory: string, expectation: Expectation): Image {
  const folder = join(directory, JOURNAL_FOLDER);
  const names = readdirSync(folder);
  return {
    expectation,
    journal: new Map(names.map((name) => [name, readFileSync(join(folder, name))])),
    tables: readFileSync(join(directory, TABLES_FOLDER, TABLES_FILE)),
  };
}

/** True if it was one transaction: every one writes the root that is not in force. */
export function isOneStep({ before, after }: Absorption): boolean {
  const rootOf = ({ tables }: Image, index: number): Buffer =>
    tables.subarray(index * PAGE_BYTES, (index + 1) * PAGE_BYTES);
  const changed = [0, 1].filter((index) => !rootOf(before, index).equals(rootOf(after, index)));
  return changed.length === 1;
}

export const CUT_KINDS: readonly CutKind[] = [
  {
    name: "while pages are written",
    isPlanted: false,
    stateOf: ({ before, after }, random) =>
      found(torn(before.tables, after.tables, random, { hasRoot: false }), before),
  },
  {
    name: "before the root, with all that others wrote meanwhile",
    isPlanted: false,
    stateOf: ({ before, after }, random) =>
      found(torn(before.tables, after.tables, random, { hasRoot: false }), after),
  },
  {
    name: "before the segment is deleted",
    isPlanted: false,
    stateOf: ({ after }) => found(after.tables, after),
  },
  {
    name: "after the segment is deleted",
    isPlanted: false,
    stateOf: ({ segment, after }) => found(after.tables, after, segment),
  },
  {
    name: "a root that came before its pages",
    isPlanted: true,
    stateOf: ({ segment, before, after }, random) =>
      found(torn(before.tables, after.tables, random, { hasRoot: true }), after, segment),
  },
  {
    name: "a segment that was deleted before the tables had it",
    isPlanted: true,
    stateOf: ({ segment, before, after }) => found(before.tables, after, segment),
  },
];

/** The data directory, named "data", with tables and journal, less a segment that is gone. */
function found(
  tables: Buffer,
  { journal, expectation }: Image,
  gone?: number,
): ReturnType<CutKind["stateOf"]> {
  const disk = new Map<string, Buffer | undefined>([
    ["data", undefined],
    [`data/${TABLES_FOLDER}`, undefined],
    [`data/${TABLES_FOLDER}/${TABLES_FILE}`, tables],
    [`data/${JOURNAL_FOLDER}`, undefined],
  ]);
  for (const [name, bytes] of journal) {
    if (gone === undefined || name !== segmentName(gone)) {
      disk.set(`data/${JOURNAL_FOLDER}/${name}`, bytes);
    }
  }
  return { disk, expectation };
}

/** Some of the sectors that differ are those of after; roots as of before, or as of after. */
function torn(
  before: Buffer,
  after: Buffer,
  random: Random,
  { hasRoot }: { readonly hasRoot: boolean },
): Buffer {
  const share = random.next();
  const length = random.next() < 0.5 ? before.length : after.length;
  const bytes = Buffer.alloc(Math.max(before.length, length));
  before.copy(bytes);
  const rootsEnd = ROOT_COUNT * PAGE_BYTES;
  if (hasRoot) after.copy(bytes, 0, 0, rootsEnd);
  for (let at = rootsEnd; at < after.length; at += SECTOR_BYTES) {
    if (random.next() < share) after.copy(bytes, at, at, at + SECTOR_BYTES);
  }
  return bytes;
}
