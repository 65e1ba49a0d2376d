/**
 * Which stores make a fleet, and where their parts go. That a fleet answers as a store does is said
 * by `contract.test.ts`.
 */
import { expect, test } from "vitest";
import { seededRandom } from "../../base/world.ts";
import { realTimer } from "../../server/surroundings/realWorld.ts";
import { EmbeddedStore } from "../embedded/embeddedStore.ts";
import { NOTES_PART } from "../notes.ts";
import type { PartitionStore } from "../partitionStore.ts";
import { StoreFault } from "../partitionStore.ts";
import { putOf } from "../promises/sample.ts";
import type { FleetMember } from "./fleetStore.ts";
import { formFleet } from "./formFleet.ts";

const LAST_PART = 2 ** 32 - 1;

function memberOf(name: string): FleetMember {
  return { name, store: EmbeddedStore.inMemory(realTimer) };
}

function formed(...members: readonly FleetMember[]): Promise<PartitionStore> {
  return formFleet(members as [FleetMember, ...FleetMember[]], seededRandom(9));
}

async function dataParts({ store }: FleetMember): Promise<readonly number[]> {
  return (await store.parts()).filter((part) => part !== NOTES_PART);
}

async function claimed(store: PartitionStore, ...parts: readonly number[]): Promise<void> {
  for (const part of parts) await store.claim(part, 1);
}

test("parts are spread evenly, and what is no container's is with the catalogue", async () => {
  const members = [memberOf("a"), memberOf("b"), memberOf("c")];
  const fleet = await formed(...members);
  await claimed(fleet, 0, LAST_PART, 1, 2, 3, 4, 5, 6);
  expect(await Promise.all(members.map(dataParts))).toEqual([
    [0, 1, 4, LAST_PART],
    [2, 5],
    [3, 6],
  ]);
  expect(await fleet.parts()).toEqual([0, 1, 2, 3, 4, 5, 6, LAST_PART]);
  await fleet.drop(5);
  await claimed(fleet, 7);
  expect(fleet.placement?.endpointOf(7)).toBe("b");
});

test("a part goes where it is assigned, and stays there", async () => {
  const [a, b] = [memberOf("a"), memberOf("b")];
  const fleet = await formed(a, b);
  await claimed(fleet, 0);
  fleet.placement!.assign(8, "b");
  fleet.placement!.assign(9, "b");
  await claimed(fleet, 8, 9);
  await fleet.commit(9, 1, [[putOf("k", 1, "x", [])]]);
  expect(await dataParts(b)).toEqual([8, 9]);
  const again = await formed(b, a);
  expect(again.placement?.endpointOf(9)).toBe("b");
  expect(await again.get(9, "k")).toMatchObject({ number: 1 });
});

test("the order in which they are named does not matter, nor what they are called", async () => {
  const [a, b] = [memberOf("a"), memberOf("b")];
  await claimed(await formed(a, b), 0, 1, 2);
  const renamed = { ...b, name: "moved" };
  const fleet = await formed(renamed, a);
  expect(fleet.placement?.endpoints.map(({ name }) => name)).toEqual(["a", "moved"]);
  expect(fleet.placement?.endpointOf(0)).toBe("a");
});

test("an empty one joins, and gets parts", async () => {
  const [a, b] = [memberOf("a"), memberOf("b")];
  const alone = await formed(a);
  await claimed(alone, 0, 1, 2);
  const fleet = await formed(a, b);
  await claimed(fleet, 3, 4, 5);
  expect(await dataParts(b)).toEqual([3, 4]);
});

test.each<[string, (a: FleetMember, b: FleetMember) => Promise<readonly FleetMember[]>, RegExp]>([
  ["one is missing", async (a) => [a], /The data is in b as well/],
  ["the catalogue is missing", async (_a, b) => [b], /b is one of several databases/],
  ["one is of others", async (a, b) => [a, b, await ofOthers()], /c belongs to other databases/],
  ["one has data of its own", async (a, b) => [a, b, await withData(5)], /c holds data already/],
  ["two have catalogues", async (a, b) => [a, b, await withData(0)], /have a catalogue each/],
])("it is refused that %s", async (_what, choose, words) => {
  const [a, b] = [memberOf("a"), memberOf("b")];
  await claimed(await formed(a, b), 0, 1, 2);
  await expect(choose(a, b).then((chosen) => formed(...chosen))).rejects.toThrow(words);
});

async function ofOthers(): Promise<FleetMember> {
  const others = [memberOf("d"), memberOf("c")] as const;
  await formFleet(others as unknown as [FleetMember, ...FleetMember[]], seededRandom(77));
  return others[1];
}

async function withData(part: number): Promise<FleetMember> {
  const member = memberOf("c");
  await member.store.claim(part, 1);
  return member;
}

test("one that cannot be reached is in the way of its own parts only", async () => {
  const [a, b] = [memberOf("a"), memberOf("b")];
  const fleet = await formed(a, b);
  await claimed(fleet, 0, 1, 2);
  const fault = new StoreFault("away");
  Object.defineProperty(b.store, "obstacle", { get: () => fault });
  expect([fleet.obstacle, fleet.obstacleOf(1), fleet.obstacleOf(2)]).toEqual([
    undefined,
    undefined,
    fault,
  ]);
  expect(fleet.placement?.endpoints).toEqual([
    { name: "a", isReachable: true },
    { name: "b", isReachable: false },
  ]);
  await claimed(fleet, 3, 4);
  expect(fleet.placement?.endpointOf(4)).toBe("a");
});
