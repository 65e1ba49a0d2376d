/** Promises can be broken: a store that lies is found out, whatever it lies about. */
import { expect, test } from "vitest";
import { seededRandom } from "../../base/world.ts";
import { realTimer } from "../../server/surroundings/realWorld.ts";
import { EmbeddedStore } from "../embedded/embeddedStore.ts";
import type { PartHead, PartitionStore } from "../partitionStore.ts";
import { STORE_PROMISES } from "./allPromises.ts";
import { followModel } from "./randomHistory.ts";
import type { StoreSubject } from "./storePromise.ts";

/** Instead of the method of that name; `call` is the honest one. */
type Lie = (call: (...args: unknown[]) => unknown, args: unknown[]) => unknown;

const LIES: Readonly<Record<string, Lie>> = {
  commit: (call, [part, _epoch, ...others]) => call(part, 1, ...others),
  adopt: (call, [part, epoch, versions]) => call(part, epoch, versions, 100),
  drop: () => Promise.resolve(),
  tally: () => ({ itemCount: 1, itemBytes: 1 }),
  readLog: () => ({ entries: [], isLast: true }),
  scanTerms: () => ({ entries: [], isLast: true }),
  acquireLease: (_call, [, owner, nowMs, durationMs]) =>
    Promise.resolve({ owner, fencingToken: 1, until: Number(nowMs) + Number(durationMs) }),
  head: (call, args) => ({ ...(call(...args) as PartHead), numberMax: 0 }),
};

test.each(Object.entries(LIES))("a store that lies in %s breaks a promise", async (name, lie) => {
  const subject = lyingIn(name, lie);
  const asked = STORE_PROMISES.map(async (promise) => promise.keep(subject));
  asked.push(followModel(subject, seededRandom(1), 20));
  const kept = await Promise.allSettled(asked);
  expect(kept.filter(({ status }) => status === "rejected")).not.toEqual([]);
});

function lyingIn(name: string, lie: Lie): StoreSubject {
  const open = async (): ReturnType<StoreSubject["open"]> => {
    const honest = EmbeddedStore.inMemory(realTimer);
    const store = new Proxy<PartitionStore>(honest, {
      get: (_target, member) => {
        const found: unknown = Reflect.get(honest, member, honest);
        if (typeof found !== "function") return found;
        const call = (...args: unknown[]): unknown => found.apply(honest, args);
        return member === name ? (...args: unknown[]) => lie(call, args) : call;
      },
    });
    return { store };
  };
  return { open };
}
