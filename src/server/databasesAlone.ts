/**
 * The store of databases for one process that has them alone, such as a copy of all their data.
 * Servers open theirs in `servedByNodes.ts`. Loaded when it is asked for.
 */
import { hostname } from "node:os";
import type { PartitionStore } from "../store/partitionStore.ts";
import { PostgresStore } from "../store/postgres/postgresStore.ts";
import { inOrder, joinDatabases } from "./databases.ts";
import { withDatabase } from "./databaseTrouble.ts";
import { BadOption } from "./surroundings/options.ts";
import { realClock, realRandom, realTimer } from "./surroundings/realWorld.ts";
import { storePlace } from "./surroundings/storeOption.ts";

const NAME_BYTES = 4;

export async function openDatabasesAlone(store: string): Promise<PartitionStore> {
  const urls = await withDatabase(store, () => inOrder(store));
  return joinDatabases(await openAlone(urls[0]), urls, openAlone);
}

function openAlone(url: string): Promise<PostgresStore> {
  return withDatabase(url, () =>
    PostgresStore.open({
      url,
      clock: realClock,
      timer: realTimer,
      random: realRandom,
      notify: () => undefined,
      owner: ownName(),
      onTaken: async ({ owner, remainingMs }) => {
        throw taken(storePlace(url), owner, remainingMs);
      },
    }),
  );
}

function ownName(): string {
  const unique = Buffer.from(realRandom.bytes(NAME_BYTES)).toString("hex");
  return `${hostname()}, process ${process.pid} (${unique})`;
}

function taken(place: string, owner: string, remainingMs: number): BadOption {
  const seconds = Math.ceil(remainingMs / 1000);
  return new BadOption(
    `A server works on ${place}: ${owner}. Stop it first. ` +
      `If it has gone already, the database is free in ${seconds} s.`,
  );
}
