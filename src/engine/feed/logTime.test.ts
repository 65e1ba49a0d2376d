/**
 * Where in a log a time is. First a log step by step; then random logs, cut and put together, where
 * every version must lie on its side.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assert } from "../../base/assert.ts";
import { lsn } from "../../base/units.ts";
import { tsOf } from "../item/itemBody.ts";
import type { Container } from "../partition/container.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";
import type { ReshapeRequest } from "../reshape/reshapePlan.ts";
import type { Simulated } from "../simulatedAccount.fake.ts";
import {
  containerIn,
  databaseIn,
  settled,
  simulatedAccount,
  troubledStore,
} from "../simulatedAccount.fake.ts";
import { write } from "../simulatedRequests.fake.ts";
import { lsnBefore } from "./logTime.ts";

const SECOND = 1000;

describe("the LSN before a time, where a was written at 0 s, b at 10 s and c at 20 s", () => {
  test.each([
    ["long before", -1e9, 0],
    ["when the first was written", 0, 0],
    ["just after: stamps are whole seconds", 0.9, 0],
    ["a second later", 1, 1],
    ["when the second was written", 10, 1],
    ["between the two", 15, 2],
    ["when the last was written", 20, 2],
    ["in the future", 1e6, 3],
  ])("%s", async (_rule, seconds, expected) => {
    const stage = await opened();
    for (const id of ["a", "b", "c"]) {
      await stage.write("upsert", id);
      stage.time.skip(10 * SECOND);
    }
    expect(await stage.before(seconds)).toBe(expected);
  });

  test("passes over what has been superseded, and over ends", async () => {
    const stage = await opened();
    for (const id of ["a", "b", "c"]) await stage.write("upsert", id);
    stage.time.skip(10 * SECOND);
    await stage.write("delete", "a");
    await stage.write("upsert", "b");
    await stage.write("delete", "c");
    expect(await stage.before(0)).toBe(0);
    expect(await stage.before(5)).toBeLessThan(5);
    expect(await stage.before(20)).toBeGreaterThanOrEqual(5);
  });

  test("of an empty log is its beginning", async () => {
    expect(await (await opened()).before(5)).toBe(0);
  });
});

test("versions of one LSN that came from several logs have times of their own", async () => {
  const stage = await opened();
  const { container, account } = stage;
  await stage.reshape({ kind: "split", partitionId: "0", at: "middle" });
  const sides = new Map<string, string>();
  for (let n = 0; sides.size < 2; n++) {
    const routed = account.route(container, [`k${n}`]);
    if (routed.ok) sides.set(routed.value.partition.entry.id, `k${n}`);
  }
  for (const id of ["1", "2"]) {
    await write(account, container, "create", "i", {}, sides.get(id));
    stage.time.skip(10 * SECOND);
  }
  await stage.reshape({ kind: "merge", partitionIds: ["1", "2"] });
  expect(await stage.before(5)).toBe(0);
});

test("a log of several, and one of many ends, is read many entries at a time", async () => {
  const stage = await opened();
  const { container, account } = stage;
  await stage.reshape({ kind: "split", partitionId: "0", at: "middle" });
  const many = Array.from({ length: 400 }, (_, n) => `${n}`);
  await Promise.all(many.map((id) => write(account, container, "create", id, {}, id)));
  await stage.reshape({ kind: "merge", partitionIds: ["1", "2"] });
  expect(await stage.calls(() => stage.before(1e6))).toBeLessThan(30);

  const other = await opened();
  await Promise.all(many.map((id) => other.write("create", id)));
  await Promise.all(many.map((id) => other.write("delete", id)));
  expect(await other.calls(() => other.before(5))).toBeLessThan(100);
});

test("a time that has not come yet is not beyond the end, even while somebody writes", async () => {
  const stage = await opened();
  await stage.write("create", "a");
  stage.trouble.isDistant = true;
  const [partition] = stage.container.partitions.values();
  const writing = Promise.all(["b", "c", "d"].map((id) => stage.write("create", id)));
  const found: Promise<readonly [number, number]>[] = [];
  for (let turn = 0; turn < 80; turn++) {
    const before = stage.before(1e6).then((at) => [at, partition!.lsn] as const);
    found.push(before);
    await Promise.resolve();
  }
  for (const [at, end] of await Promise.all(found)) expect(at).toBeLessThanOrEqual(end);
  await writing;
});

test("everything up to there is older, and what follows begins with something that is not", async () => {
  const anyAct = fc.oneof(
    fc.record({ kind: fc.constant("upsert" as const), id: fc.nat(12) }),
    fc.record({ kind: fc.constant("delete" as const), id: fc.nat(12) }),
    fc.record({ kind: fc.constant("pass" as const), id: fc.nat(3) }),
    fc.record({ kind: fc.constant("split" as const), id: fc.nat(3) }),
    fc.record({ kind: fc.constant("merge" as const), id: fc.nat(3) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(anyAct, { maxLength: 40 }), fc.nat(40), async (acts, seconds) => {
      const stage = await opened();
      const { container, account } = stage;
      for (const { kind, id } of acts) {
        const { entries } = container.map;
        const at = id % entries.length;
        if (kind === "pass") stage.time.skip(id * SECOND);
        else if (kind === "split") {
          const partitionId = entries[at]!.id;
          if (entries.length < 4) await stage.reshape({ kind, partitionId, at: "middle" });
        } else if (kind === "merge") {
          const [left, right] = entries.slice(at);
          if (right !== undefined)
            await stage.reshape({ kind, partitionIds: [left!.id, right.id] });
        } else await write(account, container, kind, "i", {}, `k${id}`);
      }
      for (const partition of container.partitions.values()) {
        const at = await stage.before(seconds, partition);
        const stamps = stage.versions(partition);
        for (const [versionLsn, ts] of stamps) {
          if (versionLsn <= at) expect(ts).toBeLessThan(stage.second(seconds));
        }
        const next = stamps.filter(([versionLsn]) => versionLsn > at);
        const isNewer = ([, ts]: readonly [number, number]): boolean => ts >= stage.second(seconds);
        expect(next.length === 0 || next.some(isNewer)).toBe(true);
      }
    }),
    { numRuns: 40 },
  );
});

interface Stage extends Simulated {
  readonly container: Container;
  readonly write: (kind: "upsert" | "create" | "delete", id: string) => Promise<unknown>;
  readonly reshape: (request: ReshapeRequest) => Promise<void>;
  /** Seconds since the stage was set. */
  readonly before: (seconds: number, partition?: PhysicalPartition) => Promise<number>;
  /** Those seconds as a stamp. */
  readonly second: (seconds: number) => number;
  /** LSN and stamp of every version that is there. */
  readonly versions: (partition: PhysicalPartition) => readonly (readonly [number, number])[];
  /** How often the store was asked. */
  readonly calls: (work: () => Promise<unknown>) => Promise<number>;
}

async function opened(): Promise<Stage> {
  const simulated = await simulatedAccount();
  const { account, time, store, trouble } = simulated;
  const container = await containerIn(account, await databaseIn(account));
  const start = time.clock.wallNow();
  let callCount = 0;
  const counted = troubledStore(store, {
    fault: () => {
      callCount++;
      return undefined;
    },
  });
  const setting = (): { store: typeof counted; timer: typeof time.timer } => ({
    store: trouble.isDistant === true ? troubledStore(store, trouble) : counted,
    timer: time.timer,
  });
  const first = (): PhysicalPartition => [...container.partitions.values()][0]!;
  return {
    ...simulated,
    container,
    write: (kind, id) => write(account, container, kind, id),
    reshape: async (request) => {
      const made = await account.reshaping.request(container, request);
      assert(made.ok || request.kind === "merge", "a split was refused");
      await settled();
    },
    before: (seconds, partition = first()) =>
      lsnBefore(setting(), partition, start + seconds * SECOND),
    second: (seconds) => start / SECOND + seconds,
    versions: ({ entry }) =>
      store
        .scanItems(entry.part, 0, { countMax: 1e6, bytesMax: 1e9 })
        .items.map((item) => [lsn(item.lsn), tsOf(item.body)] as const),
    calls: async (work) => {
      callCount = 0;
      await work();
      return callCount;
    },
  };
}
