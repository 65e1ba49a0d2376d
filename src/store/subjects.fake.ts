/**
 * Every kind of store that there is, each made anew for a test, with segments so small that
 * absorption happens all the time. Used by the tests of the contract only.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lsn } from "../base/units.ts";
import type { Timer } from "../base/world.ts";
import { seededRandom } from "../base/world.ts";
import { openDirectory } from "./disk.ts";
import { EmbeddedStore } from "./embedded/embeddedStore.ts";
import { LmdbBottom } from "./lmdb/lmdbBottom.ts";
import type { KeptVersion, PartitionStore, ScanLimits } from "./partitionStore.ts";
import { SimulatedBottom } from "./simulatedBottom.fake.ts";
import { SimulatedDisk } from "./simulatedDisk.fake.ts";

const SUBJECT_OPTIONS = { segmentBytesMax: 3000, sealedCountMax: 2 } as const;

interface StoreSubject {
  readonly name: string;
  /** `reopen` is there if the store survives being closed. */
  open(): Promise<{ store: PartitionStore; reopen?: () => Promise<PartitionStore> }>;
}

/** All kept versions of a part, read page by page. One that a page cuts off would be missing. */
export async function versionsIn(
  store: PartitionStore,
  part: number,
  limits: ScanLimits = { countMax: 2, bytesMax: 100 },
): Promise<readonly KeptVersion[]> {
  const versions: KeptVersion[] = [];
  for (;;) {
    const page = await store.readVersions(part, versions.at(-1)?.lsn ?? lsn(0), limits);
    versions.push(...page.versions);
    if (page.isLast) return versions;
  }
}

export class StoreSubjects {
  readonly all: readonly StoreSubject[];
  readonly #timer: Timer;
  readonly #directories: string[] = [];

  constructor(timer: Timer) {
    this.#timer = timer;
    this.all = [
      { name: "memory", open: async () => ({ store: EmbeddedStore.inMemory(timer) }) },
      { name: "simulated disk", open: () => this.#openSimulated() },
      { name: "lmdb", open: () => this.#openDurable() },
    ];
  }

  /** Takes away what the stores have left on the disk. */
  async remove(): Promise<void> {
    for (const directory of this.#directories) {
      await rm(directory, { recursive: true, force: true });
    }
  }

  async #openSimulated(): ReturnType<StoreSubject["open"]> {
    const disk = new SimulatedDisk(seededRandom(1));
    const bottom = new SimulatedBottom(disk);
    const reopen = () => EmbeddedStore.open(this.#timer, SUBJECT_OPTIONS, { disk, bottom });
    return { store: await reopen(), reopen };
  }

  async #openDurable(): ReturnType<StoreSubject["open"]> {
    const root = await mkdtemp(join(tmpdir(), "orrery-contract-"));
    this.#directories.push(root);
    const paths = { journalDirectory: join(root, "journal"), tablesDirectory: join(root, "t") };
    const reopen = async () => {
      const disk = await openDirectory(paths.journalDirectory);
      const bottom = await LmdbBottom.open(paths);
      return EmbeddedStore.open(this.#timer, SUBJECT_OPTIONS, { disk, bottom });
    };
    return { store: await reopen(), reopen };
  }
}
