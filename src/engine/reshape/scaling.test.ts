/** Rates that need more physical partitions than there are. */
import { describe, expect, test } from "vitest";
import { no } from "../../base/result.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { badRequest } from "../../model/refusal.ts";
import type { Throughput } from "../../model/throughput.ts";
import { Fenced, StoreFault } from "../../store/partitionStore.ts";
import type { Account } from "../account.ts";
import { CATALOG_PART } from "../catalog/catalogRecords.ts";
import type { Database } from "../catalog/database.ts";
import { neededCount } from "../catalog/database.ts";
import { offersOf, replaceOffer } from "../catalog/offers.ts";
import type { Container } from "../partition/container.ts";
import {
  containerIn,
  databaseIn,
  LIMITED,
  put,
  settled,
  simulatedAccount,
  stopped,
} from "../simulatedAccount.fake.ts";

const TOO_NARROW = badRequest("Physical partition 0 is too narrow to be cut in two.");

describe("a rate beyond what there is", () => {
  test("is pending until there are physical partitions for it, then in force", async () => {
    const { account, container } = await stage(manual(10_000));
    await raise(account, container, manual(25_000));
    expect(stateOf(container)).toEqual({ rate: 10_000, pending: 25_000, partitionCount: 1 });
    await settled();
    expect(stateOf(container)).toEqual({ rate: 25_000, pending: undefined, partitionCount: 3 });
    const rates = [...container.partitions.values()].map((one) => one.spending.purse.ratePerSecond);
    for (const rate of rates) expect(rate).toBeCloseTo(25_000 / 3);
    const { jobs } = account.reshaping;
    expect(jobs.map(({ reason, outcome }) => [reason, outcome?.state])).toEqual([
      ["throughput", "done"],
      ["throughput", "done"],
    ]);
  });

  test("goes on after a restart", async () => {
    const { account, container, reopen, trouble } = await stage(manual(10_000));
    // Nothing is copied, so nothing is split before the restart.
    await put(account, container, { pk: "a", id: "i" });
    trouble.fault = (operation) => (operation === "adopt" ? FULL : undefined);
    await raise(account, container, manual(20_000));
    await settled();
    expect(stateOf(container).pending).toBe(20_000);
    await stopped(account);
    trouble.fault = undefined;
    const again = (await reopen()).catalog.containers()[0]!;
    expect(stateOf(again).pending).toBe(20_000);
    await settled();
    expect(stateOf(again)).toEqual({ rate: 20_000, pending: undefined, partitionCount: 2 });
  });

  test("of a database widens every container that shares it, also one that joins", async () => {
    const { account } = await simulatedAccount({ rates: LIMITED });
    const database = await databaseIn(account, manual(10_000));
    const first = await containerIn(account, database, undefined, { id: "first" });
    await containerIn(account, database, manual(400), { id: "own" });
    await raise(account, database, manual(30_000));
    const second = await containerIn(account, database, undefined, { id: "second" });
    await settled();
    expect(database.record.throughput).toMatchObject({ ratePerSecond: 30_000 });
    expect(database.record.throughput?.pending).toBeUndefined();
    expect([first, second].map(({ map }) => map.entries.length)).toEqual([3, 3]);
    expect(database.containers.get("own")!.map.entries.length).toBe(1);
  });

  test("is forgotten with its owner", async () => {
    const { account, container, database, time } = await stage(manual(10_000));
    await raise(account, container, manual(50_000));
    await account.catalog.deleteContainer(database, container);
    await time.advance(100);
    expect(account.reshaping.jobsOf(container)).toEqual([]);
    await account.close();
    expect(time.waitingCount).toBe(0);
  });

  test("finds its way when somebody else splits the same physical partition", async () => {
    const { account, container } = await stage(manual(10_000));
    const request = { kind: "split", partitionId: "0", at: "middle" } as const;
    const byHand = account.reshaping.request(container, request);
    await raise(account, container, manual(30_000));
    expect((await byHand).ok).toBe(true);
    await settled();
    expect(stateOf(container)).toEqual({ rate: 30_000, pending: undefined, partitionCount: 3 });
  });
});

describe("when it cannot be", () => {
  test("because there can never be enough, the old rate stays, and nobody tries again", async () => {
    const { account, container, time } = await stage(manual(10_000));
    let asked = 0;
    account.reshaping.widen = async () => {
      asked++;
      return no(TOO_NARROW);
    };
    await raise(account, container, manual(20_000));
    await settled();
    expect(stateOf(container)).toEqual({ rate: 10_000, pending: undefined, partitionCount: 1 });
    await time.advance(59_000);
    expect(asked).toBe(1);
    // And another change is taken.
    await raise(account, container, manual(5000));
    expect(stateOf(container).rate).toBe(5000);
  });

  test("because of a defect, the job ends, and whoever closes is told", async () => {
    const { account, container, time } = await stage(manual(10_000));
    let asked = 0;
    account.reshaping.widen = () => {
      asked++;
      return Promise.reject(new TypeError("a defect"));
    };
    await raise(account, container, manual(20_000));
    await time.advance(59_000);
    expect(asked).toBe(1);
    expect(stateOf(container).pending).toBe(20_000);
    await expect(account.close()).rejects.toThrow("a defect");
    expect(time.waitingCount).toBe(0);
  });

  test("because the disk is full, it is tried again, less and less often", async () => {
    const { account, container, time, trouble } = await stage(manual(10_000));
    await raise(account, container, manual(20_000));
    let failed = 0;
    trouble.fault = (operation, part) => {
      if (operation !== "commit" || part !== CATALOG_PART) return undefined;
      failed++;
      return FULL;
    };
    await time.advance(50_000);
    expect(stateOf(container).pending).toBe(20_000);
    expect(failed).toBeGreaterThan(3);
    expect(failed).toBeLessThan(15);
    trouble.fault = undefined;
    await time.advance(31_000);
    expect(stateOf(container)).toEqual({ rate: 20_000, pending: undefined, partitionCount: 2 });
  });

  test("because somebody else has taken over, it ends", async () => {
    const { account, container, time, trouble } = await stage(manual(10_000));
    await raise(account, container, manual(20_000));
    let failed = 0;
    trouble.fault = (operation, part) => {
      if (operation !== "commit" || part !== CATALOG_PART) return undefined;
      failed++;
      return new Fenced("deposed");
    };
    await time.advance(59_000);
    expect(failed).toBe(1);
    await account.close();
  });

  test("yet, closing does not wait for the next attempt", async () => {
    const { account, container, time, trouble } = await stage(manual(10_000));
    await raise(account, container, manual(20_000));
    trouble.fault = (operation) => (operation === "claim" ? FULL : undefined);
    await time.advance(20_000);
    const { waitingCount } = time;
    expect(waitingCount).toBeGreaterThan(0);
    // Time stands still: whatever waits for it would never end.
    await account.close();
    expect(time.waitingCount).toBe(0);
  });
});

test("the partitions that a container needs are those of the rate it is on its way to", async () => {
  const { account, container, database } = await stage(manual(10_000));
  const needed = (): number => neededCount(database, container, SERVICE_LIMITS);
  expect(needed()).toBe(1);
  await raise(account, container, manual(25_000));
  expect(needed()).toBe(3);
  await settled();
  expect(needed()).toBe(3);
  await raise(account, container, manual(1000));
  expect(needed()).toBe(1);
});

const FULL = new StoreFault("the disk is full");

function manual(ratePerSecond: number): Throughput {
  return { kind: "manual", ratePerSecond };
}

async function stage(throughput: Throughput) {
  const simulated = await simulatedAccount({ rates: LIMITED });
  const database = await databaseIn(simulated.account);
  const container = await containerIn(simulated.account, database, throughput);
  return { ...simulated, database, container };
}

async function raise(
  { catalog }: Account,
  owner: Database | Container,
  throughput: Throughput,
): Promise<void> {
  const rules = { limits: SERVICE_LIMITS };
  const { rid } = offersOf(catalog, rules).find((offer) => offer.owner === owner)!;
  const change = { kind: "set", throughput } as const;
  const changed = await replaceOffer(catalog, rules, rid, () => ({ ok: true, value: change }));
  expect(changed.ok).toBe(true);
}

function stateOf({ record, map }: Container) {
  const { throughput } = record;
  const rate = throughput?.kind === "manual" ? throughput.ratePerSecond : undefined;
  const pending = throughput?.pending;
  return {
    rate,
    pending: pending?.kind === "manual" ? pending.ratePerSecond : undefined,
    partitionCount: map.entries.length,
  };
}
