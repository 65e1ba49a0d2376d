/**
 * Takes the place of `server/openStore.ts` where whole suites run on PostgreSQL: every server of a
 * test has a database of its own, found again by its data directory. A store that is to be thrown
 * away is one like any other here.
 */
import pg from "pg";
import { openDatabasesAlone } from "../../src/server/databasesAlone.ts";
import type { DataLock } from "../../src/server/directory/dataLock.ts";
import type { PartitionStore } from "../../src/store/partitionStore.ts";
import { POSTGRES_VARIABLE } from "./onePostgres.ts";

interface OpenedStore {
  readonly store: PartitionStore;
  readonly backupData: undefined;
}

const databases = new Map<string, Promise<string>>();
let databaseCount = 0;

export async function openStore({
  lock,
}: {
  readonly lock: DataLock | undefined;
}): Promise<OpenedStore> {
  const store = await openDatabasesAlone(await databaseOf(lock?.directory));
  return { store, backupData: undefined };
}

function databaseOf(directory: string | undefined): Promise<string> {
  if (directory === undefined) return newDatabase();
  const known = databases.get(directory) ?? newDatabase();
  databases.set(directory, known);
  return known;
}

async function newDatabase(): Promise<string> {
  const url = new URL(process.env[POSTGRES_VARIABLE]!);
  const name = `served_${process.pid}_${++databaseCount}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query(`CREATE DATABASE ${name} TEMPLATE template0`);
  await client.end();
  url.pathname = name;
  return url.href;
}
