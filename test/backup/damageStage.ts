/**
 * A data directory with a bit of everything in it, all of it absorbed, and ways to damage it: by
 * the embedded engine's own entries, or by commits that no engine would make.
 */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { seededRandom } from "../../src/base/world.ts";
import { Account } from "../../src/engine/account.ts";
import { decodeCatalogRecord } from "../../src/engine/catalog/catalogRecords.ts";
import { parseContainerDefinition } from "../../src/engine/definition/containerDefinition.ts";
import type { Container, ContainerRecord } from "../../src/engine/partition/container.ts";
import type { JsonObject } from "../../src/json/value.ts";
import { SERVICE_LIMITS } from "../../src/model/limits.ts";
import type { CheckReport } from "../../src/server/admin/backupCheck.ts";
import { checkData } from "../../src/server/admin/backupCheck.ts";
import { realClock, realTimer } from "../../src/server/surroundings/realWorld.ts";
import { decodeNumber } from "../../src/store/bytes.ts";
import { openDirectory } from "../../src/store/disk.ts";
import { EmbeddedStore } from "../../src/store/embedded/embeddedStore.ts";
import type { LmdbEnvironment } from "../../src/store/lmdb/environment.ts";
import { openEnvironment } from "../../src/store/lmdb/environment.ts";
import { decodeItem, PREFIX_BYTES, tablePrefix } from "../../src/store/lmdb/keys.ts";
import { LmdbBottom } from "../../src/store/lmdb/lmdbBottom.ts";
import { isSealedKey, sealed, unsealed } from "../../src/store/lmdb/seal.ts";
import type { StoredItem } from "../../src/store/partitionStore.ts";

/** Of items that are there in the end: two containers, one with partitions that were split. */
export const ITEM_COUNT = 70;

const SEGMENT_BYTES = 24 * 1024;

/** Makes the directory, with everything in the tables and an empty journal. */
export async function buildData(directory: string): Promise<void> {
  const { store } = await openStore(directory);
  const account = await Account.open({
    store,
    clock: realClock,
    timer: realTimer,
    random: seededRandom(1),
    limits: SERVICE_LIMITS,
  });
  const orders = await makeContainer(account, "orders", 2, {
    uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/mail"] }] },
  });
  const plain = await makeContainer(account, "plain", 1, {
    changeFeedPolicy: { retentionDuration: 60 },
  });
  for (let number = 0; number < 50; number++) {
    await write(account, orders, "create", { ...itemOf(number), mail: `m${number}` });
  }
  for (let number = 0; number < 30; number++) await write(account, plain, "create", itemOf(number));
  for (let number = 0; number < 20; number++) {
    await write(account, orders, "upsert", { ...itemOf(number), mail: `m${number}`, more: [1, 2] });
    await write(account, plain, "upsert", { ...itemOf(number), more: { deep: [number] } });
  }
  for (let number = 40; number < 45; number++) {
    await write(account, orders, "delete", itemOf(number));
    await write(account, plain, "delete", itemOf(number - 20));
  }
  await makeResources(account, orders);
  const split = { kind: "split", partitionId: "0", at: "median" } as const;
  await account.reshaping.start(orders, split, "request").result;
  await account.close();
  await settle(directory);
}

function itemOf(number: number): JsonObject {
  const own = number % 7 === 0 ? { ttl: 100_000 + number } : {};
  return { id: `i${number}`, pk: `p${number % 9}`, number, text: "ä".repeat(number), ...own };
}

async function makeContainer(
  account: Account,
  id: string,
  partitionCount: number,
  members: JsonObject,
): Promise<Container> {
  const found = account.catalog.database("shop");
  const made = found ?? (await account.catalog.createDatabase("shop", undefined));
  const database = "ok" in made ? (made.ok ? made.value : undefined) : made;
  const body = { id, partitionKey: { paths: ["/pk"], kind: "Hash", version: 2 }, ...members };
  const definition = parseContainerDefinition(body, undefined, SERVICE_LIMITS);
  if (!definition.ok) throw new Error(definition.error);
  const options = { partitionCount, throughput: undefined };
  const created = await account.catalog.createContainer(database!, definition.value, options);
  if (!created.ok) throw new Error(created.error.kind);
  return created.value;
}

/** Two users, a permission of one of them, and a function. */
async function makeResources({ catalog }: Account, container: Container): Promise<void> {
  const { resources } = catalog;
  const database = catalog.database("shop")!;
  const [user] = await Promise.all(
    ["orders", "others"].map((id) => resources.create(database, "user", { id, content: {} })),
  );
  if (!user?.ok) throw new Error("no user");
  const content = { permissionMode: "Read", resource: "dbs/shop/colls/orders" };
  await resources.create(user.value, "permission", { id: "p", content });
  const body = "function (x) { return x; }";
  await resources.create(container, "userDefinedFunction", { id: "f", content: { body } });
}

async function write(
  account: Account,
  container: Container,
  kind: "create" | "upsert" | "delete",
  item: JsonObject,
): Promise<void> {
  const key = [item["pk"] as string];
  const id = item["id"] as string;
  const body = Buffer.from(JSON.stringify(item));
  const submitted = account.writeItem(
    container,
    kind === "delete" ? { kind, id, key } : { kind, body, key },
  );
  if (!submitted.ok) throw new Error(submitted.error.kind);
  const outcome = await submitted.value;
  if (outcome.kind === "refused") throw new Error(outcome.refusal.kind);
}

export async function openStore(
  directory: string,
): Promise<{ readonly store: EmbeddedStore; readonly journalDirectory: string }> {
  const journalDirectory = join(directory, "journal");
  const disk = await openDirectory(journalDirectory);
  const bottom = await LmdbBottom.open({
    journalDirectory,
    tablesDirectory: join(directory, "tables"),
  });
  const options = { segmentBytesMax: SEGMENT_BYTES, sealedCountMax: 3 };
  return {
    store: await EmbeddedStore.open(realTimer, options, { disk, bottom }),
    journalDirectory,
  };
}

/** Has everything absorbed. */
export async function settle(directory: string): Promise<void> {
  const { store, journalDirectory } = await openStore(directory);
  while (readdirSync(journalDirectory).length > 0) await realTimer.soon();
  await store.close();
}

/** A directory to be damaged. */
export class Site {
  readonly directory: string;

  constructor(template: string, directory: string) {
    this.directory = directory;
    rmSync(directory, { recursive: true, force: true });
    cpSync(template, directory, { recursive: true });
  }

  /** Changes entries of the tables. */
  async inTables(change: (tables: Tables) => void): Promise<void> {
    const environment = openEnvironment(join(this.directory, "tables"));
    environment.transactionSync(() => change(new Tables(environment)));
    await environment.close();
  }

  /** Changes what the store has, through commits of its own. */
  async inStore(change: (store: EmbeddedStore) => Promise<void>): Promise<void> {
    const { store } = await openStore(this.directory);
    await change(store);
    await store.close();
  }

  /** Changes a file; returns it as it was. */
  inFile(name: string, change: (bytes: Buffer) => Buffer): void {
    const path = join(this.directory, name);
    writeFileSync(path, change(readFileSync(path)));
  }

  check(isQuick = false): Promise<CheckReport> {
    const ignore = (): void => undefined;
    return checkData(this.directory, { isQuick, onFinding: ignore, onProgress: ignore });
  }
}

/** The entries of the tables, by what they mean. */
export class Tables {
  readonly environment: LmdbEnvironment;

  constructor(environment: LmdbEnvironment) {
    this.environment = environment;
  }

  /** Keys and values that start with a prefix. */
  entries(prefix: string): { readonly key: string; readonly value: Buffer }[] {
    const end = `${prefix}${"\xff".repeat(16)}`;
    return [...this.environment.getRange({ start: prefix, end })].map(({ key, value }) => ({
      key,
      value: Buffer.from(isSealedKey(key) ? unsealed(key, value) : value),
    }));
  }

  items(part: number): StoredItem[] {
    return this.entries(tablePrefix(part, "items")).map(({ key, value }) =>
      decodeItem(decodeNumber(key, PREFIX_BYTES), value),
    );
  }

  /** With the checksum of the value as it is now: what is planted is not to be found by that. */
  put(key: string, value: Buffer): void {
    this.environment.putSync(key, isSealedKey(key) ? sealed(key, value) : value);
  }

  remove(key: string): void {
    this.environment.removeSync(key);
  }

  /** The parts of a container, in the order of its ranges. */
  partsOf(container: string): readonly number[] {
    const record = this.records().find(({ definition }) => definition.id === container);
    return record!.map.entries.map(({ part }) => part);
  }

  records(): readonly ContainerRecord[] {
    return this.items(0).flatMap(({ body }) => {
      const record = decodeCatalogRecord(body);
      return record.kind === "container" ? [record.container] : [];
    });
  }
}
