/** Statistics that survive a restart, and are not worth a failure. */
import { describe, expect, test } from "vitest";
import { Fenced, StoreFault } from "../../store/partitionStore.ts";
import type { Account } from "../account.ts";
import { STATISTICS_PART } from "../catalog/parts.ts";
import type { Container } from "../partition/container.ts";
import type { Simulated } from "../simulatedAccount.fake.ts";
import {
  containerIn,
  databaseIn,
  simulatedAccount,
  spend,
  stopped,
  troubledStore,
} from "../simulatedAccount.fake.ts";
import { KeptStatistics } from "./keptStatistics.ts";

const MINUTE = 60_000;

describe("after a restart", () => {
  test("there is what was counted before", async () => {
    const stage = await filled();
    expect(ruOf(stage, stage.container)).toBe(30);
    await stopped(stage.account);
    await stage.kept.save();
    const again = await reopened(stage);
    expect(ruOf(stage, again)).toBe(30);
    spend(again, "0", 5);
    stage.time.skip(MINUTE);
    expect(ruOf(stage, again)).toBe(35);
  });

  test("what was not put away is a gap", async () => {
    const stage = await filled();
    expect(ruOf(stage, await reopened(stage))).toBeUndefined();
  });

  test("what came after a failed attempt is there as well", async () => {
    const stage = await filled();
    stage.trouble.fault = failing("commit");
    await stage.kept.save();
    stage.trouble.fault = undefined;
    expect(stage.store.head(STATISTICS_PART)!.itemCount).toBe(0);
    await stage.kept.save();
    expect(ruOf(stage, await reopened(stage))).toBe(30);
  });

  test("damage to one chunk costs that one", async () => {
    const stage = await filled();
    await stage.kept.save();
    const { items } = stage.store.scanItems(STATISTICS_PART, 0, ALL);
    const damaged = items.find(({ key }) => key.includes("heat:minute"))!;
    const before = { lsn: damaged.lsn, bodyBytes: damaged.body.length };
    const body = Buffer.from(damaged.body);
    body[body.length - 1]! ^= 0xff;
    const write = { ...damaged, kind: "put", body, before, termsAdded: [], termsRemoved: [] };
    const { epoch } = stage.account.catalog;
    await stage.store.commit(STATISTICS_PART, epoch, [[write as never]]);
    const again = await reopened(stage);
    expect(ruOf(stage, again)).toBe(30);
    const span = { from: stage.time.clock.wallNow() - 10 * MINUTE, to: stage.time.clock.wallNow() };
    const question = { ...span, metric: "ru", rows: 4, columns: 10 } as const;
    const heat = again.meter!.heatMap(question, stage.time.clock.now());
    expect(heat.cells.flat().every((cell) => !cell)).toBe(true);
  });
});

describe("what is written", () => {
  test("is nothing when nothing has changed", async () => {
    const stage = await filled();
    await stage.kept.save();
    const { lsn } = stage.store.head(STATISTICS_PART)!;
    await stage.kept.save();
    expect(stage.store.head(STATISTICS_PART)!.lsn).toBe(lsn);
  });

  test("takes the place of what was there, so there is never more than some hundred", async () => {
    const stage = await filled();
    for (let minute = 0; minute < 600; minute++) {
      spend(stage.container, "0", 1);
      stage.time.skip(MINUTE);
      if (minute % 20 === 0) await stage.kept.save();
    }
    await stage.kept.save();
    const { itemCount, itemBytes } = stage.store.head(STATISTICS_PART)!;
    expect(itemCount).toBeLessThan(100);
    const { items } = stage.store.scanItems(STATISTICS_PART, 0, ALL);
    expect(items.reduce((sum, { body }) => sum + body.length, 0)).toBe(itemBytes);
  });

  test("goes with its container, and one of the same name begins anew", async () => {
    const stage = await filled();
    await stage.kept.save();
    expect(stage.store.head(STATISTICS_PART)!.itemCount).toBeGreaterThan(0);
    await stage.account.catalog.deleteContainer(stage.database, stage.container);
    await stage.kept.save();
    expect(stage.store.head(STATISTICS_PART)!.itemCount).toBe(0);
    const made = await containerIn(stage.account, stage.database);
    expect(ruOf(stage, made)).toBeUndefined();
  });

  test("of a container that was deleted while the server was down goes, too", async () => {
    const stage = await filled();
    await stage.kept.save();
    await stage.account.catalog.deleteContainer(stage.database, stage.container);
    const again = await stage.reopen();
    const kept = await keptOf(stage, again);
    await kept.save();
    expect(stage.store.head(STATISTICS_PART)!.itemCount).toBe(0);
  });

  test("is not taken for the part of a container", async () => {
    const stage = await filled();
    await stage.kept.save();
    const again = await stage.reopen();
    const other = await containerIn(again, again.catalog.databases()[0]!, undefined, { id: "x" });
    expect(other.map.entries[0]!.part).toBeLessThan(100);
    expect(stage.store.parts()).toContain(STATISTICS_PART);
  });
});

describe("a save", () => {
  test.each([
    ["a full disk", new StoreFault("the disk is full")],
    ["somebody who has taken over", new Fenced("deposed")],
  ])("does not mind %s", async (_rule, error) => {
    const stage = await filled();
    stage.trouble.fault = (operation) => (operation === "commit" ? error : undefined);
    await expect(stage.kept.save()).resolves.toBeUndefined();
  });

  test("tells of a defect, and the next one is tried all the same", async () => {
    const stage = await filled();
    stage.trouble.fault = (operation) => (operation === "head" ? new TypeError("x") : undefined);
    await expect(stage.kept.save()).rejects.toThrow(TypeError);
    stage.trouble.fault = undefined;
    await stage.kept.save();
    expect(stage.store.head(STATISTICS_PART)!.itemCount).toBeGreaterThan(0);
  });

  test("waits for the one before", async () => {
    const stage = await filled();
    stage.trouble.isDistant = true;
    await Promise.all([stage.kept.save(), stage.kept.save(), stage.kept.save()]);
    expect(ruOf(stage, await reopened(stage))).toBe(30);
  });
});

const ALL = { countMax: 1e6, bytesMax: 1e9 };

function failing(name: string) {
  return (operation: string): Error | undefined =>
    operation === name ? new StoreFault("the disk is full") : undefined;
}

type Stage = Awaited<ReturnType<typeof filled>>;

/** Thirty request units, three minutes ago; nothing of it is put away yet. */
async function filled() {
  const simulated = await simulatedAccount();
  const { account, time } = simulated;
  const database = await databaseIn(account);
  const container = await containerIn(account, database);
  const kept = await keptOf(simulated, account);
  spend(container, "0", 30);
  time.skip(3 * MINUTE);
  return { ...simulated, database, container, kept };
}

function keptOf({ time, trouble, store }: Simulated, { catalog }: Account) {
  const troubled = troubledStore(store, trouble);
  return KeptStatistics.open({ store: troubled, clock: time.clock, catalog });
}

/** The first container, after a restart. */
async function reopened(stage: Stage): Promise<Container> {
  const account = await stage.reopen();
  await keptOf(stage, account);
  return account.catalog.containers()[0]!;
}

/** Of the last hour. */
function ruOf({ time }: Pick<Stage, "time">, { meter }: Container): number | undefined {
  const to = time.clock.wallNow();
  const columns = meter!.timeline({ from: to - 60 * MINUTE, to }, 120, time.clock.now());
  const counted = columns.flatMap((column) => column.counted ?? []);
  if (counted.length === 0) return undefined;
  return counted.reduce((sum, slot) => sum + slot.ru, 0);
}
