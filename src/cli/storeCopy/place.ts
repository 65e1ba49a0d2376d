/** What `orrery copy` is given of a whole store: a data directory or a database. */
import { existsSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { openDatabasesAlone } from "../../server/databasesAlone.ts";
import { openDataStore, withDirectory } from "../../server/dataStore.ts";
import { findDataDirectory, makeDataDirectory } from "../../server/directory/dataDirectory.ts";
import { lockData } from "../../server/directory/lockData.ts";
import { LOCK_NAME } from "../../server/directory/lockFile.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import { storeComplaint, storePlace } from "../../server/surroundings/storeOption.ts";
import { JOURNAL_FOLDER, TABLES_FOLDER } from "../../store/dataLayout.ts";
import type { PartitionStore } from "../../store/partitionStore.ts";

export type StorePlace =
  | { readonly kind: "directory"; readonly path: string }
  | { readonly kind: "database"; readonly url: string };

interface OpenedPlace {
  readonly store: PartitionStore;
  close(): Promise<void>;
}

/** An account is an http URL; whatever else is no URL is a directory. */
export function isStorePlace(text: string | undefined): boolean {
  return text !== undefined && !/^https?:/i.test(text);
}

export function storePlaceOf(option: string, text: string): StorePlace {
  if (text === "") throw new BadOption(`${option} is empty; it names a directory or a database.`);
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return { kind: "directory", path: resolve(text) };
  const complaint = storeComplaint({ store: text });
  if (complaint !== undefined) throw new BadOption(`${option}: ${complaint}`);
  return { kind: "database", url: text };
}

/** Without passwords. */
export function placeText(place: StorePlace): string {
  return place.kind === "directory" ? place.path : storePlace(place.url);
}

export function isSamePlace(one: StorePlace, other: StorePlace): boolean {
  return placeText(one) === placeText(other);
}

/** Has it alone: nobody else can open it until it is closed. */
export async function openSource(place: StorePlace): Promise<OpenedPlace> {
  if (place.kind === "database") return openDatabase(place.url);
  await findDataDirectory(place.path);
  if (!existsSync(resolve(place.path, JOURNAL_FOLDER))) {
    throw new BadOption(`${place.path} is no data directory of a server.`);
  }
  return openDirectory(place.path);
}

/** Of a directory that is to be the target nothing may be there, or what an earlier copy left. */
export async function openTarget(place: StorePlace): Promise<OpenedPlace> {
  if (place.kind === "database") return openDatabase(place.url);
  await makeDataDirectory(place.path);
  const own: readonly string[] = [LOCK_NAME, JOURNAL_FOLDER, TABLES_FOLDER, "reserve"];
  const foreign = readdirSync(place.path).find((name) => !own.some((one) => name.startsWith(one)));
  if (foreign !== undefined) {
    throw new BadOption(
      `${place.path} is not empty: it has ${foreign}. A copy needs an empty one.`,
    );
  }
  return openDirectory(place.path);
}

async function openDirectory(path: string): Promise<OpenedPlace> {
  const lock = await lockData(path);
  try {
    const quiet = (): void => undefined;
    const { store } = await openDataStore(lock, quiet, quiet);
    const close = async (): Promise<void> => {
      await store.close();
      lock.release();
    };
    return { store, close };
  } catch (error) {
    lock.release();
    throw withDirectory(error, path);
  }
}

async function openDatabase(url: string): Promise<OpenedPlace> {
  const store = await openDatabasesAlone(url);
  return { store, close: () => store.close() };
}
