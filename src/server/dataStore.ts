/**
 * The store of a server on its data directory: opened with everything that watches over it, also on
 * a disk that has no room left.
 */
import { join } from "node:path";
import type { Millis } from "../base/units.ts";
import { millis } from "../base/units.ts";
import type { OpenData } from "../store/backup/backup.ts";
import { removeLeftCopy } from "../store/backup/backup.ts";
import { openReserve, yieldToStart } from "../store/commit/reserve.ts";
import { JOURNAL_FOLDER, TABLES_FILE, TABLES_FOLDER } from "../store/dataLayout.ts";
import { openDirectory } from "../store/disk.ts";
import { EmbeddedStore } from "../store/embedded/embeddedStore.ts";
import { codeOf, reasonOf } from "../store/faults.ts";
import { LmdbBottom } from "../store/lmdb/lmdbBottom.ts";
import type { TablesWatcher } from "../store/lmdb/securing.ts";
import type { Damage, Notify } from "../store/notice.ts";
import { StoreFault } from "../store/partitionStore.ts";
import type { DataLock } from "./directory/dataLock.ts";
import { DataLost, fencedDisk } from "./directory/fencedDisk.ts";
import { holdTables } from "./directory/lockData.ts";
import type { Log } from "./surroundings/log.ts";
import { realClock, realTimer } from "./surroundings/realWorld.ts";

/**
 * Larger segments are absorbed more cheaply, because more items share a term; smaller ones are read
 * back faster after a crash, and take less memory: with what the absorber holds of one, about six
 * times their bytes. Twice as large ones did not make a create measurably cheaper
 * (docs/inside/decisions/0056). Writers wait when this many are sealed.
 */
const STORE_OPTIONS = { segmentBytesMax: 16 * 1024 * 1024, sealedCountMax: 3 };

interface DataStore {
  readonly store: EmbeddedStore;
  /** To be copied while it is open. */
  readonly backupData: OpenData;
}

export async function openDataStore(lock: DataLock, log: Log, notify: Notify): Promise<DataStore> {
  const data = lock.directory;
  await removeLeftCopy(data);
  const journalDirectory = join(data, JOURNAL_FOLDER);
  const disk = fencedDisk(await openDirectory(journalDirectory), {
    isStillHeld: () => lock.isStillHeld(),
    onLost: () => log("dataLost", { data, reason: new DataLost().message }),
  });
  const tablesDirectory = join(data, TABLES_FOLDER);
  const watcher = tablesWatcher(log, notify);
  const bottom = await LmdbBottom.open({ journalDirectory, tablesDirectory }, watcher);
  await holdTables(lock);
  const reserve = await openReserve(data);
  const durability = { disk, bottom, reserve, clock: realClock, notify };
  const store = await EmbeddedStore.open(realTimer, STORE_OPTIONS, durability);
  const copyTables = (folder: string): Promise<void> => bottom.copyTo(folder);
  return {
    store,
    backupData: { directory: data, holdJournal: () => store.holdJournal(), copyTables },
  };
}

/** How often whoever waits for a start is told how far it is. */
const PROGRESS_INTERVAL: Millis = millis(2000);

/** What becomes of the tables is told in the log; damage is told like all faults of the disk. */
function tablesWatcher(log: Log, notify: Notify): TablesWatcher {
  let toldAt = realClock.now();
  return {
    onDamage: (text) => notify({ kind: "damaged", damage: damageOf(text) }),
    onNotice: (text) => log("tables", { says: `${text}.` }),
    onProgress: (text) => {
      if (realClock.now() - toldAt < PROGRESS_INTERVAL) return;
      toldAt = realClock.now();
      log("tables", { says: `${text}.` });
    },
  };
}

/** Places in the tables start with their part, by which the container is known. */
function damageOf(text: string): Damage {
  const place = /^(?:damage has taken )?tables, part (\d+), (.+)$/s.exec(text);
  if (place === null) return { file: TABLES_FILE, part: undefined, what: text };
  return { file: TABLES_FILE, part: Number(place[1]), what: place[2]! };
}

/** Does what a start needs some room for, if it must with room that was kept back for that. */
export async function withRoomToStart<T>(
  directory: string,
  attempt: () => T | Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (codeOf(error) !== "ENOSPC" || !yieldToStart(directory)) throw error;
    }
  }
}

/** A start that failed on its disk says which directory that was. */
export function withDirectory(error: unknown, directory: string): unknown {
  const isDisks = error instanceof StoreFault || codeOf(error) === "ENOSPC";
  if (!isDisks || reasonOf(error).includes(directory)) return error;
  const message = `${reasonOf(error)} The data directory is ${directory}.`;
  return new StoreFault(message, { cause: error });
}
