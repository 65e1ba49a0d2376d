/** What is behind the front of a server: the one there is, or one of several nodes. */

import type { WireAnswer } from "../protocol/wire/wire.ts";
import { AccountKeys } from "./access/accountKeys.ts";
import { withDataDirectory } from "./directory/dataDirectory.ts";
import type { DataLock } from "./directory/dataLock.ts";
import type { TakeBinary } from "./door/door.ts";
import { healthAnswer } from "./health.ts";
import type { Take } from "./listener.ts";
import { openStore } from "./openStore.ts";
import type { InitReport } from "./seed/initReport.ts";
import type { Seeding } from "./seed/seeding.ts";
import { serve } from "./serving.ts";
import { isLoopback } from "./surroundings/addresses.ts";
import { DEFAULT_HOST } from "./surroundings/options.ts";
import type { OrreryOptions } from "./surroundings/orreryOptions.ts";
import { realRandom } from "./surroundings/realWorld.ts";
import type { Front } from "./work.ts";
import { openWork } from "./work.ts";

export interface BehindFront {
  readonly take: Take;
  /** Absent where nobody serves clients in direct mode. */
  readonly takeBinary: TakeBinary | undefined;
  readonly keys: AccountKeys;
  /** Its name among several. */
  readonly node: string | undefined;
  /** The name of the one that works, as far as it is known. */
  worker(): string | undefined;
  health(path: string): WireAnswer;
  /** What came of the seed; absent where there was none, or another node works. */
  readonly init: InitReport | undefined;
  /** Back to the beginnings; rejects where data is kept. */
  reset(): Promise<void>;
  /** Where clients come, once that is known. */
  tellEndpoint(endpoint: string): Promise<void>;
  /** Clients are waited for, and scripts not for long, unless it is called off. */
  hurryScripts(): () => void;
  close(): Promise<void>;
}

/** A server on a data directory, or on none. */
export async function serveAlone(
  options: OrreryOptions,
  front: Front,
  lock: DataLock | undefined,
): Promise<BehindFront> {
  const { log, data, faults } = front;
  const { keys, work } = await withDataDirectory(data, async () => {
    const keys = new AccountKeys({
      options,
      mayUseWellKnown: mayUseWellKnown(options),
      directory: data,
      random: realRandom,
    });
    const opened = await openStore({ lock, log, faults });
    return { keys, work: await openWork({ options, front, keys, ...opened }) };
  });
  const init = await begun(work);
  return {
    init,
    reset: () => work.seeding.reset(),
    take: (request, response, activityId) => serve(work.serving, request, response, activityId),
    takeBinary: work.serving.takeBinary,
    keys,
    node: undefined,
    worker: () => undefined,
    health: (path) => healthAnswer(path, work.account),
    tellEndpoint: async () => undefined,
    hurryScripts: () => work.hurryScripts(),
    close: () => work.close(),
  };
}

/** Makes the seed before anybody is served. A server that cannot be so does not start. */
export async function begun({
  seeding,
  close,
}: {
  readonly seeding: Seeding;
  close(): Promise<void>;
}): Promise<InitReport | undefined> {
  try {
    return await seeding.begin();
  } catch (error) {
    await close();
    throw error;
  }
}

/** The key that everybody knows is for servers that only this machine reaches. */
export function mayUseWellKnown({ host = DEFAULT_HOST, wellKnownKey }: OrreryOptions): boolean {
  return isLoopback(host) || wellKnownKey === true;
}
