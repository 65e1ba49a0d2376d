/**
 * A store on a real PostgreSQL to which the way is cut, which is killed, or whose transactions
 * collide: every commit that was told is there, once, in the order of the LSNs, and nothing else
 * is.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lsn } from "../../src/base/units.ts";
import { seededRandom } from "../../src/base/world.ts";
import { realClock, realTimer } from "../../src/server/surroundings/realWorld.ts";
import type { StoreNotice } from "../../src/store/notice.ts";
import type { ItemPut, PartitionStore } from "../../src/store/partitionStore.ts";
import { Fenced } from "../../src/store/partitionStore.ts";
import { hasPostgres, LocalPostgres } from "../../src/store/postgres/localPostgres.fake.ts";
import { PostgresStore } from "../../src/store/postgres/postgresStore.ts";
import { CutWay } from "./cutWay.ts";

const COMMITS = process.env["ORRERY_DATABASE"] === "full" ? 2000 : 60;
const KILLS = process.env["ORRERY_DATABASE"] === "full" ? 30 : 2;
const PARTS = [1, 2, 3];

describe.runIf(hasPostgres())("a store on PostgreSQL", () => {
  let postgres: LocalPostgres;

  beforeAll(async () => {
    postgres = await LocalPostgres.start({
      isDurable: true,
      settings: ["default_transaction_isolation=serializable"],
    });
  });

  afterAll(() => postgres?.stop());

  test("a commit whose answer is lost happens once", async () => {
    const random = seededRandom(7);
    const url = await postgres.newDatabase();
    const way = await CutWay.open(postgres.port, random);
    const store = await opened(url.replace(String(postgres.port), String(way.port)), "cut");
    for (const part of PARTS) await store.claim(part, 1);
    way.cutChance = 0.05;
    const told = await Promise.all(PARTS.map((part) => committed(store, part, COMMITS)));
    way.cutChance = 0;
    expect(way.cutCount).toBeGreaterThan(0);
    for (const [index, part] of PARTS.entries()) await expectKept(store, part, told[index]!);
    await store.close();
    way.close();
  });

  test("what was told survives kills of the database, which are told of", async () => {
    const notices: StoreNotice[] = [];
    const url = await postgres.newDatabase();
    const store = await opened(url, "killed", notices);
    for (const part of PARTS) await store.claim(part, 1);
    const writing = Promise.all(PARTS.map((part) => committed(store, part, COMMITS)));
    for (let kill = 0; kill < KILLS; kill++) {
      const { lsn: at } = (await store.head(1))!;
      await expect.poll(async () => (await store.head(1))!.lsn, POLL).toBeGreaterThan(at);
      await postgres.kill();
      await postgres.start();
    }
    const told = await writing;
    for (const [index, part] of PARTS.entries()) await expectKept(store, part, told[index]!);
    const kinds = notices.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "began").length).toBe(
      kinds.filter((kind) => kind === "ended").length,
    );
    await store.close();
  });

  test("a second server is told who is there, and takes over when that one ends", async () => {
    const url = await postgres.newDatabase();
    const first = await opened(url, "first");
    await first.claim(1, 1);
    const holders: string[] = [];
    let isFree: () => void = () => undefined;
    const freed = new Promise<void>((resolve) => {
      isFree = resolve;
    });
    const second = PostgresStore.open({
      ...termsOf(url, "second", []),
      onTaken: async ({ owner }) => {
        holders.push(owner);
        await freed;
      },
    });
    await expect.poll(() => holders).toEqual(["first"]);
    await first.commit(1, 1, [[putOf(1)]]);
    await first.close();
    isFree();
    const store = await second;
    expect(await store.claim(1, 2)).toMatchObject({ lsn: 1, itemCount: 1 });
    await expect(store.commit(1, 1, [[putOf(2)]])).rejects.toThrow(Fenced);
    await store.close();
  });
});

const POLL = { timeout: 60_000, interval: 5 };

function termsOf(url: string, owner: string, notices: StoreNotice[]) {
  return {
    url,
    owner,
    clock: realClock,
    timer: realTimer,
    random: seededRandom(1),
    notify: (notice: StoreNotice) => void notices.push(notice),
    onTaken: () => Promise.reject(new Error("taken")),
  };
}

function opened(url: string, owner: string, notices: StoreNotice[] = []): Promise<PostgresStore> {
  return PostgresStore.open(termsOf(url, owner, notices));
}

/** Commits one item after the other; resolves with the LSNs that were told. */
async function committed(
  store: PartitionStore,
  part: number,
  count: number,
): Promise<readonly number[]> {
  const told: number[] = [];
  for (let number = 1; number <= count; number++) {
    const { lsns } = await store.commit(part, 1, [[putOf(number)]]);
    told.push(...lsns);
  }
  return told;
}

async function expectKept(
  store: PartitionStore,
  part: number,
  told: readonly number[],
): Promise<void> {
  expect(told).toEqual(told.map((_, index) => index + 1));
  const { entries } = await store.readLog(part, lsn(0), told.length + 1);
  expect(entries.map((entry) => [entry.lsn, entry.number])).toEqual(told.map((at) => [at, at]));
  const head = { itemCount: told.length, lsn: told.length, numberMax: told.length };
  expect(await store.head(part)).toMatchObject(head);
  const scan = { range: { min: "", max: "\xff" }, withItems: false };
  const terms = await store.scanTerms(part, { ...scan, countMax: 1e6, bytesMax: 1e9 });
  expect(terms.entries).toHaveLength(2 * told.length);
  expect(await store.tally(part, "f")).toMatchObject({ itemCount: told.length });
}

function putOf(number: number): ItemPut {
  return {
    kind: "put",
    key: `f\x00${number}`,
    number,
    tag: 0,
    body: Buffer.from(`item ${number}`),
    before: undefined,
    termsAdded: ["all", `n${number}`],
    termsRemoved: [],
  };
}
