/** The store of a server without a database: in memory, or on a data directory. */
import type { OpenData } from "../store/backup/backup.ts";
import { EmbeddedStore } from "../store/embedded/embeddedStore.ts";
import type { PartitionStore } from "../store/partitionStore.ts";
import { openDataStore, withDirectory } from "./dataStore.ts";
import type { DataLock } from "./directory/dataLock.ts";
import type { FaultBook } from "./faultBook.ts";
import type { Log } from "./surroundings/log.ts";
import { realTimer } from "./surroundings/realWorld.ts";
import { refuseUnfinished } from "./unfinishedStore.ts";

interface StoreSetting {
  /** Absent for a throw-away server. */
  readonly lock: DataLock | undefined;
  readonly log: Log;
  readonly faults: FaultBook | undefined;
}

interface OpenedStore {
  readonly store: PartitionStore;
  /** Present where a data directory has the data. */
  readonly backupData: OpenData | undefined;
}

export async function openStore({ lock, log, faults }: StoreSetting): Promise<OpenedStore> {
  if (lock === undefined || faults === undefined) {
    return { store: EmbeddedStore.inMemory(realTimer), backupData: undefined };
  }
  const opened = await openDataStore(lock, log, faults.note).catch((error: unknown) => {
    throw withDirectory(error, lock.directory);
  });
  await refuseUnfinished(opened.store, lock.directory);
  return opened;
}
