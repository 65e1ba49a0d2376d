/**
 * What was accepted comes to an end: over restarts, full disks and deleted containers, and its
 * asker can read to which. Crashes at every moment are in `test/crash`.
 */
import { describe, expect, test } from "vitest";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { Epk } from "../../partition/epkRange.ts";
import { Fenced, StoreFault } from "../../store/partitionStore.ts";
import type { Account } from "../account.ts";
import { CATALOG_PART } from "../catalog/catalogRecords.ts";
import { offersOf, replaceOffer } from "../catalog/offers.ts";
import type { Container } from "../partition/container.ts";
import {
  containerIn,
  databaseIn,
  LIMITED,
  put,
  type Simulated,
  settled,
  simulatedAccount,
  stopped,
} from "../simulatedAccount.fake.ts";
import type { ReshapeJob } from "./reshapeJob.ts";
import type { ReshapeRequest } from "./reshapePlan.ts";

const SPLIT = { kind: "split", partitionId: "0", at: "middle" } as const;
const FULL = new StoreFault("the disk is full");

describe("an accepted split", () => {
  test("goes on after a restart, under its id", async () => {
    const stage = await staged();
    const { id } = await accepted(stage.account, SPLIT);
    await stopped(stage.account);
    expect(rangeIds(stage.account)).toEqual(["0"]);
    const again = await reopened(stage);
    expect(again.reshaping.jobs).toMatchObject([
      { id, outcome: { state: "done", newPartitionIds: ["1", "2"] } },
    ]);
    expect(rangeIds(again)).toEqual(["1", "2"]);
  });

  test("is shown as waiting by a server that has just come up", async () => {
    const stage = await staged();
    const { id, startedAt } = await accepted(stage.account, SPLIT);
    await stopped(stage.account);
    const again = await stage.reopen();
    expect(again.reshaping.jobs).toMatchObject([{ id, startedAt, state: "waiting" }]);
  });

  test("that is done stays done, and is not done again", async () => {
    const stage = await staged();
    await accepted(stage.account, SPLIT);
    await settled();
    const told = stage.account.reshaping.jobs;
    for (let restart = 0; restart < 3; restart++) {
      const again = await reopened(stage);
      expect(again.reshaping.jobs).toEqual(told);
      expect(rangeIds(again)).toEqual(["1", "2"]);
    }
  });

  test("keeps its cut over a restart", async () => {
    const stage = await staged();
    const epk = "20000000000000000000000000000000" as Epk;
    await accepted(stage.account, { ...SPLIT, at: { epk } });
    await stopped(stage.account);
    const again = await reopened(stage);
    expect(containerOf(again).map.entries[1]!.range.min).toBe(epk);
  });

  test("waits for a full disk to have room again", async () => {
    const stage = await staged();
    const { account, trouble, time } = stage;
    await accepted(account, SPLIT);
    trouble.fault = (operation) => (operation === "adopt" ? FULL : undefined);
    await time.advance(20_000);
    expect(account.reshaping.jobs).toMatchObject([{ state: "waiting" }]);
    trouble.fault = undefined;
    await time.advance(31_000);
    expect(account.reshaping.jobs).toMatchObject([{ outcome: { state: "done" } }]);
  });

  test("is left for the next opening when somebody else has taken over", async () => {
    const stage = await staged();
    const { account, trouble, time } = stage;
    const { id } = await accepted(account, SPLIT);
    trouble.fault = (operation) => (operation === "adopt" ? new Fenced("deposed") : undefined);
    await time.advance(59_000);
    const [job] = account.reshaping.jobs;
    expect(job).toMatchObject({ id, state: "waiting" });
    expect(job!.outcome).toBeUndefined();
    trouble.fault = undefined;
    const again = await reopened(stage);
    expect(again.reshaping.jobs).toMatchObject([{ id, outcome: { state: "done" } }]);
  });

  test("is not accepted when it cannot be kept", async () => {
    const stage = await staged();
    const { account, trouble } = stage;
    trouble.fault = (operation, part) =>
      operation === "commit" && part === CATALOG_PART ? FULL : undefined;
    const answer = await account.reshaping.accept(containerOf(account), SPLIT);
    expect(answer).toMatchObject({ ok: false, error: { kind: "unavailable" } });
    trouble.fault = undefined;
    await settled();
    expect(account.reshaping.jobs).toEqual([]);
    expect((await reopened(stage)).reshaping.jobs).toEqual([]);
    expect(rangeIds(account)).toEqual(["0"]);
  });

  test("has an id that no job before a restart had", async () => {
    const stage = await staged();
    const first = await accepted(stage.account, SPLIT);
    await settled();
    const again = await reopened(stage);
    const second = await accepted(again, { ...SPLIT, partitionId: "1" });
    expect(second.id).not.toBe(first.id);
  });
});

describe("ends with its reason, which a restart leaves readable,", () => {
  test("when its container was deleted", async () => {
    const stage = await staged();
    const { account, database, trouble } = stage;
    trouble.isDistant = true;
    const { id } = await accepted(account, SPLIT);
    await account.catalog.deleteContainer(database, containerOf(account));
    await stage.time.advance(1_000);
    const outcome = { state: "cancelled", reason: "The container was deleted." };
    expect(account.reshaping.jobs).toMatchObject([{ id, outcome }]);
    const again = await reopened(stage);
    expect(again.reshaping.jobs).toMatchObject([{ id, container: "c", outcome }]);
  });

  test("when its container was deleted right before a crash", async () => {
    const stage = await staged();
    const { account, database } = stage;
    const { id } = await accepted(account, SPLIT);
    await account.jobs.stop();
    await account.catalog.deleteDatabase(database);
    const again = await stage.reopen();
    expect(again.reshaping.jobs).toMatchObject([{ id, state: "waiting" }]);
    await settled();
    const outcome = { state: "cancelled", reason: "The container was deleted." };
    expect(again.reshaping.jobs).toMatchObject([{ id, outcome }]);
    expect((await reopened(stage)).reshaping.jobs).toMatchObject([{ id, outcome }]);
  });

  test("when another job was there first", async () => {
    const stage = await staged();
    await accepted(stage.account, SPLIT);
    const { id } = await accepted(stage.account, SPLIT);
    await settled();
    const again = await reopened(stage);
    const job = again.reshaping.jobs.find((one) => one.id === id);
    expect(job!.outcome).toMatchObject({ state: "failed" });
    expect(JSON.stringify(job!.outcome)).toMatch(/no physical partition '0'; there are 1, 2/);
  });

  test("when a rate that rose meanwhile needs the partitions that were to be merged", async () => {
    const stage = await staged();
    const { account } = stage;
    await account.reshaping.request(containerOf(account), SPLIT);
    const { id } = await accepted(account, { kind: "merge", partitionIds: ["1", "2"] });
    await account.jobs.stop();
    await raise(account, 20_000);
    const again = await reopened(stage);
    expect(rangeIds(again)).toEqual(["1", "2"]);
    const job = again.reshaping.jobs.find((one) => one.id === id);
    expect(JSON.stringify(job!.outcome)).toMatch(/failed.*Lower the rate first/);
    expect((await reopened(stage)).reshaping.jobs).toEqual(again.reshaping.jobs);
  });

  test("once the disk has room for it: nobody is told before", async () => {
    const stage = await staged();
    const { account, trouble, time } = stage;
    await accepted(account, SPLIT);
    const { id } = await accepted(account, SPLIT);
    const isOpen = (): boolean =>
      account.reshaping.jobs.some((job) => job.id === id && job.outcome === undefined);
    let isDone = false;
    trouble.fault = (operation, part) => {
      if (operation !== "commit" || part !== CATALOG_PART) return undefined;
      isDone ||= rangeIds(account).length === 2;
      return isDone ? FULL : undefined;
    };
    await time.advance(10_000);
    expect(isDone).toBe(true);
    expect(isOpen()).toBe(true);
    trouble.fault = undefined;
    await time.advance(31_000);
    expect(isOpen()).toBe(false);
  });
});

describe("there are bounds:", () => {
  test("a hundred may wait, and the next one is told to come back", async () => {
    const { account, trouble, time } = await staged();
    trouble.fault = (operation) => (operation === "adopt" ? FULL : undefined);
    for (let count = 0; count < 100; count++) await accepted(account, SPLIT);
    const more = await account.reshaping.accept(containerOf(account), SPLIT);
    expect(more).toMatchObject({ ok: false, error: { kind: "unavailable" } });
    trouble.fault = undefined;
    await time.advance(60_000);
    const { jobs } = account.reshaping;
    expect(jobs.filter(({ outcome }) => outcome?.state === "done").length).toBe(1);
    expect(jobs.filter(({ outcome }) => outcome?.state === "failed").length).toBe(99);
  });

  test("a hundred that ended are kept, the oldest is forgotten for good", async () => {
    const stage = await staged();
    const { account, store } = stage;
    const first = await accepted(account, SPLIT);
    await settled();
    for (let count = 0; count < 100; count++) {
      const [left, right] = rangeIds(account);
      await accepted(
        account,
        right === undefined
          ? { ...SPLIT, partitionId: left! }
          : { kind: "merge", partitionIds: [left!, right] },
      );
      await settled();
    }
    const before = store.head(CATALOG_PART)!.itemCount;
    const again = await reopened(stage);
    const { jobs } = again.reshaping;
    expect(jobs.length).toBe(100);
    expect(jobs.some(({ id }) => id === first.id)).toBe(false);
    expect(store.head(CATALOG_PART)!.itemCount).toBe(before);
  });
});

async function accepted(account: Account, request: ReshapeRequest): Promise<ReshapeJob> {
  const answer = await account.reshaping.accept(containerOf(account), request);
  if (!answer.ok) throw new Error(JSON.stringify(answer.error));
  return answer.value;
}

/** When nothing goes on any more. */
async function reopened({ reopen, time }: Simulated): Promise<Account> {
  const account = await reopen();
  await settled();
  await time.advance(1_000);
  return account;
}

function containerOf({ catalog }: Account): Container {
  return catalog.container("d", "c")!;
}

function rangeIds(account: Account): readonly string[] {
  return containerOf(account).map.entries.map(({ id }) => id);
}

async function raise({ catalog }: Account, ratePerSecond: number): Promise<void> {
  const rules = { limits: SERVICE_LIMITS };
  const [offer] = offersOf(catalog, rules);
  const throughput = { kind: "manual", ratePerSecond } as const;
  const change = { kind: "set", throughput } as const;
  const asked = { ok: true, value: change } as const;
  const changed = await replaceOffer(catalog, rules, offer!.rid, () => asked);
  expect(changed.ok).toBe(true);
}

/** One physical partition with a few items. */
async function staged() {
  const simulated = await simulatedAccount({ rates: LIMITED });
  const { account } = simulated;
  const database = await databaseIn(account);
  const throughput = { kind: "manual", ratePerSecond: 10_000 } as const;
  const container = await containerIn(account, database, throughput);
  for (let n = 0; n < 6; n++) await put(account, container, { pk: `k${n}`, id: "i" });
  return { ...simulated, database };
}
