/**
 * The store of a server on a database: opened with what watches over it, for one server at a time.
 * Loaded when it is asked for.
 */
import { hostname } from "node:os";
import { pause } from "../base/retry.ts";
import { codeOf, reasonOf } from "../store/faults.ts";
import type { Notify } from "../store/notice.ts";
import { StoreFault } from "../store/partitionStore.ts";
import { PostgresStore } from "../store/postgres/postgresStore.ts";
import type { Log } from "./surroundings/log.ts";
import { BadOption } from "./surroundings/options.ts";
import { realClock, realRandom, realTimer } from "./surroundings/realWorld.ts";
import { storePlace } from "./surroundings/storeOption.ts";

interface DatabaseSetting {
  readonly url: string;
  /** Wait while another server has the database. */
  readonly isStandby: boolean;
  readonly log: Log;
  readonly notify: Notify;
}

const NAME_BYTES = 4;
const LOOK_EVERY_MS = 1000;

export async function openDatabaseStore(setting: DatabaseSetting): Promise<PostgresStore> {
  const { url, isStandby, log, notify } = setting;
  const place = storePlace(url);
  let isTold = false;
  try {
    return await PostgresStore.open({
      url,
      clock: realClock,
      timer: realTimer,
      random: realRandom,
      notify,
      owner: ownName(),
      onTaken: async ({ owner, remainingMs }) => {
        if (!isStandby) throw taken(place, owner, remainingMs);
        if (!isTold) log("standby", { says: `Waits for ${owner}, which works on ${place}.` });
        isTold = true;
        await pause(realTimer, LOOK_EVERY_MS);
      },
    });
  } catch (error) {
    if (error instanceof BadOption || error instanceof StoreFault) throw error;
    throw new BadOption(`The database ${place} cannot be used: ${wordsOf(error)}.`, {
      cause: error,
    });
  }
}

function ownName(): string {
  const unique = Buffer.from(realRandom.bytes(NAME_BYTES)).toString("hex");
  return `${hostname()}, process ${process.pid} (${unique})`;
}

function taken(place: string, owner: string, remainingMs: number): BadOption {
  const seconds = Math.ceil(remainingMs / 1000);
  return new BadOption(
    `Another server works on ${place}: ${owner}. Stop it, or start this one with --standby to ` +
      `take over when it ends. If it has gone already, the database is free in ${seconds} s.`,
  );
}

/** A host with several addresses fails with an error for each, and no words of its own. */
function wordsOf(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const words = reasonOf(first).replace(/\.$/, "");
  return words === "" ? String(codeOf(first)) : words;
}
