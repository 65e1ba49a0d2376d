/**
 * What is on the disk of a server that has ended: the index of every container compared with one
 * that is made from its items.
 */
import { join } from "node:path";
import { Account } from "../../src/engine/account.ts";
import { SERVICE_LIMITS } from "../../src/model/limits.ts";
import { realClock, realRandom, realTimer } from "../../src/server/surroundings/realWorld.ts";
import { openDirectory } from "../../src/store/disk.ts";
import { EmbeddedStore } from "../../src/store/embedded/embeddedStore.ts";
import { LmdbBottom } from "../../src/store/lmdb/lmdbBottom.ts";
import { termProblem } from "../crash/policyStormChecks.ts";

const STORE_OPTIONS = { segmentBytesMax: 32 * 1024 * 1024, sealedCountMax: 3 };

export async function indexProblems(data: string): Promise<readonly string[]> {
  const journalDirectory = join(data, "journal");
  const disk = await openDirectory(journalDirectory);
  const bottom = await LmdbBottom.open({ journalDirectory, tablesDirectory: join(data, "tables") });
  const store = await EmbeddedStore.open(realTimer, STORE_OPTIONS, { disk, bottom });
  const world = { clock: realClock, timer: realTimer, random: realRandom };
  const account = await Account.open({ ...world, store, limits: SERVICE_LIMITS });
  const problems: string[] = [];
  for (const { containers } of account.catalog.databases()) {
    for (const container of containers.values()) {
      if (container.indexProgress < 100) problems.push("it is not indexed yet");
      const problem = termProblem(store, container);
      if (problem !== undefined) problems.push(problem);
    }
  }
  await account.close();
  return problems;
}
