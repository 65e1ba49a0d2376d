/** What whoever runs a server has of it, wired to an account. */

import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { seededRandom } from "../base/world.ts";
import {
  containerIn,
  databaseIn,
  LIMITED,
  put,
  settled,
  simulatedAccount,
} from "../engine/simulatedAccount.fake.ts";
import { SERVICE_LIMITS } from "../model/limits.ts";
import { AccountKeys } from "./access/accountKeys.ts";
import type { AdminDoor } from "./admin/door.ts";
import { FaultBook } from "./faultBook.ts";
import { Outbox } from "./http/outbox.ts";
import type { OperatorSetting } from "./operations.ts";
import { openOperations } from "./operations.ts";
import { RequestLog } from "./requests/requestLog.ts";
import { Seeding } from "./seed/seeding.ts";
import type { OrreryOptions } from "./surroundings/orreryOptions.ts";

const SMALL = { logicalPartitionBytesMax: 2000, physicalPartitionBytesMax: 1_000_000 };

describe("alerts", () => {
  test("are raised from the account, logged, and to be had from the admin API", async () => {
    const { account, container, time, logged, alerts } = await stage();
    for (let n = 0; n < 4; n++) {
      await put(account, container, { pk: "a", id: `i${n}`, pad: "x".repeat(150) });
    }
    await time.advance(20_000);
    expect(logged("alertRaised")).toMatchObject([
      { rule: "largeLogicalPartition", container: "d/c" },
    ]);
    expect(JSON.stringify(await alerts())).toMatch(/largeLogicalPartition/);
  });

  test("go with their container", async () => {
    const { account, container, database, time, logged, wake } = await stage();
    for (let n = 0; n < 4; n++) {
      await put(account, container, { pk: "a", id: `i${n}`, pad: "x".repeat(150) });
    }
    await time.advance(20_000);
    await account.catalog.deleteContainer(database, container);
    wake();
    await time.advance(20_000);
    expect(logged("alertCleared").length).toBe(1);
    expect(logged("alertingFailed")).toEqual([]);
  });

  test("of storage are raised and cleared at once, also what was found before", async () => {
    const log = (): void => undefined;
    const faults = new FaultBook({ log, wallNow: () => 0, directory: "data" });
    faults.note({ kind: "tailDropped", file: "1.journal", offset: 28, bytes: 3 });
    const { logged } = await stage({}, {}, faults);
    await settled();
    expect(logged("alertRaised")).toMatchObject([{ rule: "droppedTail", severity: "info" }]);
    const trouble = { kind: "full", activity: "writing the journal", reason: "ENOSPC" } as const;
    faults.note({ kind: "began", trouble });
    await settled();
    expect(logged("alertRaised").at(-1)).toMatchObject({ rule: "storageFault" });
    faults.note({ kind: "ended", trouble });
    await settled();
    expect(logged("alertCleared")).toMatchObject([{ rule: "storageFault" }]);
  });

  test("are silent where nothing is counted", async () => {
    const { account, container, time, lines } = await stage({}, { hasStatistics: false });
    for (let n = 0; n < 4; n++) {
      await put(account, container, { pk: "a", id: `i${n}`, pad: "x".repeat(150) });
    }
    await time.advance(60_000);
    expect(lines).toEqual([]);
  });

  test("do not fail when a database is deleted while they look", async () => {
    for (let turns = 0; turns < 60; turns += 4) {
      const { account, database, time, logged, trouble } = await stage();
      trouble.isDistant = true;
      const looked = time.advance(10_000);
      for (let turn = 0; turn < 2000 + turns; turn++) await Promise.resolve();
      await account.catalog.deleteDatabase(database);
      await looked;
      expect(logged("alertingFailed")).toEqual([]);
    }
  });
});

test("answers are counted by their status", async () => {
  const { outbox, metrics } = await stage();
  for (const status of [200, 200, 429]) answer(outbox, status);
  expect(await metrics()).toMatch(/status="200"[^\n]* 2\n/);
  expect(await metrics()).toMatch(/status="429"[^\n]* 1\n/);
});

test("after closing nobody waits, and answers on their way out wake nobody", async () => {
  const { operations, account, outbox, time } = await stage();
  await operations.close();
  answer(outbox, 200);
  await account.close();
  await settled();
  expect(time.waitingCount).toBe(0);
});

/** An answer of which nothing but the status is looked at. */
function answer(outbox: Outbox, status: number): void {
  const request = new IncomingMessage(new Socket());
  outbox.onAnswer(new ServerResponse(request), { status, headers: [] });
}

async function stage(
  options: OrreryOptions = {},
  more: { hasStatistics?: boolean } = {},
  faults?: FaultBook,
) {
  const limits = { ...SERVICE_LIMITS, ...SMALL };
  const simulated = await simulatedAccount({ rates: LIMITED, limits, ...more });
  const { account, time } = simulated;
  const database = await databaseIn(account);
  const container = await containerIn(account, database);
  const lines: [string, Readonly<Record<string, unknown>> | undefined][] = [];
  const outbox = new Outbox(time.timer, (defect) => lines.push(["defect", { defect }]));
  const setting: OperatorSetting = {
    account,
    keys: new AccountKeys({
      options: {},
      mayUseWellKnown: true,
      directory: undefined,
      random: seededRandom(1),
    }),
    seeding: new Seeding({ account, seeds: [], kept: undefined }),
    outbox,
    requests: new RequestLog({
      level: "none",
      format: "line",
      clock: time.clock,
      write: () => undefined,
    }),
    log: (event, fields) => lines.push([event, fields]),
    clock: time.clock,
    timer: time.timer,
    random: seededRandom(1),
    data: undefined,
    faults,
  };
  const operations = openOperations(options, setting);
  const logged = (event: string) =>
    lines.filter(([name]) => name === event).map(([, fields]) => fields);
  return {
    ...simulated,
    database,
    container,
    operations,
    outbox,
    lines,
    logged,
    wake: () => answer(outbox, 200),
    alerts: () => askDoor(operations.door, "/_orrery/v1/alerts"),
    metrics: () => askDoor(operations.door, "/_orrery/metrics"),
  };
}

/** The body of an answer to somebody on this machine. */
function askDoor(door: AdminDoor, url: string): Promise<string> {
  const request = { method: "GET", url, headers: {}, socket: { remoteAddress: "127.0.0.1" } };
  return new Promise((resolve) => {
    const response = {
      headersSent: false,
      writeHead: () => undefined,
      end: (body: Buffer | string) => resolve(body.toString()),
    };
    door(request as unknown as IncomingMessage, response as unknown as ServerResponse);
  });
}
