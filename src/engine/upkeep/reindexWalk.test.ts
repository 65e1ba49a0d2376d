/** A walk that gives items the terms of the policy in force, page by page. */
import { describe, expect, test } from "vitest";
import { StoreFault } from "../../store/partitionStore.ts";
import {
  containerIn,
  databaseIn,
  put,
  type Simulated,
  simulatedAccount,
  stopped,
} from "../simulatedAccount.fake.ts";
import { ReindexWalk } from "./reindexWalk.ts";

const THREE = { kind: "manual", ratePerSecond: 30_000 } as const;

describe("a walk", () => {
  test("looks at every item once, and says when nothing is left", async () => {
    const { walk, scanned } = await stage();
    let stepCount = 0;
    while (await walk.step()) stepCount++;
    expect(scanned.length).toBe(stepCount);
    expect(new Set(scanned.map(String)).size).toBe(stepCount);
    expect(await walk.step()).toBe(false);
  });

  test("goes on at its place when the store has failed a step", async () => {
    const { walk, scanned, trouble } = await stage();
    await walk.step();
    await walk.step();
    const troubled = trouble.fault!;
    trouble.fault = (operation, part) => {
      troubled(operation, part);
      return new StoreFault("the disk is full");
    };
    await expect(walk.step()).rejects.toThrow("the disk is full");
    trouble.fault = troubled;
    await walk.step();
    const [failed, again] = scanned.slice(2);
    expect(again).toEqual(failed);
  });

  test("holds until a partition that is to come was split", async () => {
    const { walk, account, container } = await stage();
    expect(walk.holds).toBe(true);
    const partitionId = container.map.entries[2]!.id;
    await stopped(account);
    container.partitions.get(partitionId)!.retire((epk) => container.ownerOf(epk));
    expect(walk.holds).toBe(false);
  });
});

/** Three physical partitions with 300 items; `scanned` are the pages that were asked for. */
async function stage() {
  const simulated: Simulated = await simulatedAccount();
  const { account, trouble, store } = simulated;
  const container = await containerIn(account, await databaseIn(account), THREE);
  for (let n = 0; n < 300; n++) await put(account, container, { pk: `k${n}`, id: "i" });
  const scanned: (readonly [part: number, after: number])[] = [];
  const watched = new Proxy(store, {
    get: (target, name) => {
      if (name !== "scanItems") return Reflect.get(target, name, target) as unknown;
      return (part: number, after: number, limits: { countMax: number; bytesMax: number }) => {
        scanned.push([part, after]);
        const failure = trouble.fault?.("scanItems", part);
        return failure === undefined
          ? store.scanItems(part, after, limits)
          : Promise.reject(failure);
      };
    },
  });
  trouble.fault = () => undefined;
  return { ...simulated, container, scanned, walk: new ReindexWalk(watched, container) };
}
