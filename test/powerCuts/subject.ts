/**
 * The account whose disk loses power: the real store with the embedded engine, on a real directory,
 * with segments so small that they are absorbed all the time. The driver writes to it, and the
 * judge opens what a power cut has left of it.
 */
import { join } from "node:path";
import { assert } from "../../src/base/assert.ts";
import { seededRandom } from "../../src/base/world.ts";
import { Account } from "../../src/engine/account.ts";
import { parseContainerDefinition } from "../../src/engine/definition/containerDefinition.ts";
import type { Container } from "../../src/engine/partition/container.ts";
import { SERVICE_LIMITS } from "../../src/model/limits.ts";
import { realClock, realTimer } from "../../src/server/surroundings/realWorld.ts";
import type { Bottom } from "../../src/store/bottom.ts";
import { JOURNAL_FOLDER, TABLES_FOLDER } from "../../src/store/dataLayout.ts";
import { makeDirectory, openDirectory } from "../../src/store/disk.ts";
import { EmbeddedStore } from "../../src/store/embedded/embeddedStore.ts";
import { LmdbBottom } from "../../src/store/lmdb/lmdbBottom.ts";

/** Some dozens of frames in a segment, a segment in a few milliseconds. */
const OPTIONS = { segmentBytesMax: 24 * 1024, sealedCountMax: 2 };

interface Subject {
  readonly account: Account;
  close(): Promise<void>;
}

/** `wire` may put something between the store and its tables. */
export async function openSubject(
  directory: string,
  wire: (bottom: Bottom) => Bottom = (bottom) => bottom,
  /** Entries that one transaction of the tables puts down, if not as many as usual. */
  steps: { readonly stepCountMax?: number } = {},
): Promise<Subject> {
  const paths = {
    journalDirectory: join(directory, JOURNAL_FOLDER),
    tablesDirectory: join(directory, TABLES_FOLDER),
    ...steps,
  };
  // As the server does: `server/start.ts`.
  await makeDirectory(directory);
  const disk = await openDirectory(paths.journalDirectory);
  const bottom = wire(await LmdbBottom.open(paths));
  const store = await EmbeddedStore.open(realTimer, OPTIONS, { disk, bottom });
  const account = await Account.open({
    store,
    timer: realTimer,
    clock: realClock,
    random: seededRandom(1),
    limits: SERVICE_LIMITS,
  });
  return { account, close: () => account.close() };
}

/** Two containers with two physical partitions each; one of them keeps versions for its feed. */
export async function makeContainers({ catalog, limits }: Account): Promise<void> {
  const database = await catalog.createDatabase("d", undefined);
  assert(database.ok, "the database could not be made");
  for (const id of ["plain", "kept"]) {
    const body = {
      id,
      partitionKey: { paths: ["/pk"], kind: "Hash", version: 2 },
      ...(id === "kept" && { changeFeedPolicy: { retentionDuration: 10 } }),
    };
    const definition = parseContainerDefinition(body, undefined, limits);
    assert(definition.ok, "the definition of a test container is wrong");
    const provisioning = { partitionCount: 2, throughput: undefined };
    const made = await catalog.createContainer(database.value, definition.value, provisioning);
    assert(made.ok, "a container could not be made");
  }
}

export function containerIn({ catalog }: Account, id: string): Container | undefined {
  return catalog.container("d", id);
}
