/**
 * Sessions across splits and merges: a token names a range that may be gone by the time it is sent.
 * Whoever took over has all that its parents had, so an old token is good for as long as it names a
 * state that once was, and no child ever counts from a lower number than its parents did.
 */
import type { Container, CosmosClient, Item } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { merge, rangeIds, split } from "./inside.ts";
import type { Stage } from "./stage.ts";
import { clientOf, openContainer, openStage, rangeIdOf } from "./stage.ts";

let stage: Stage;
/** Names states, and takes a 404 for what it is: with one endpoint there is nobody else to ask. */
let strict: CosmosClient;
beforeAll(async () => {
  stage = await openStage();
  strict = clientOf(stage.server, {
    consistencyLevel: "Session",
    connectionPolicy: { enableEndpointDiscovery: false },
  });
});
afterAll(async () => {
  strict.dispose();
  await stage[Symbol.asyncDispose]();
});

interface Told {
  readonly headers: Readonly<Record<string, unknown>>;
}
const tokenOf = ({ headers }: Told): string => String(headers["x-ms-session-token"]);
const lsnOf = (answer: Told): number => Number(tokenOf(answer).split("#")[1]);

const KEYS = Array.from({ length: 12 }, (_, n) => `key-${n}`);

async function openKeys(): Promise<Container> {
  const container = await openContainer(stage.database);
  await Promise.all(KEYS.map((pk) => container.items.create({ id: "0", pk })));
  return container;
}

/** What a client of another process would do with a token it was handed. */
async function readWith(container: Container, pk: string, sessionToken: string): Promise<number> {
  const item: Item = strict.database(stage.database.id).container(container.id).item("0", pk);
  return (await item.read({ sessionToken })).statusCode;
}

/** The last state of every range, by its id. */
async function statesOf(container: Container): Promise<ReadonlyMap<string, Told>> {
  const states = new Map<string, Told>();
  for (const pk of KEYS) {
    const answer = await container.item("0", pk).read();
    states.set(rangeIdOf(answer), answer);
  }
  return states;
}

const ahead = (rangeId: string, lsn: number): string => `${rangeId}:0#${lsn}`;

describe("after a split", () => {
  test("the parent's token is good for every child, and one beyond it for none", async () => {
    const container = await openKeys();
    const parent = await container.item("0", KEYS[0]!).read();
    const children = await split(stage.server, container);
    expect(children).toHaveLength(2);
    const states = await statesOf(container);
    expect([...states.keys()].toSorted()).toEqual([...children].toSorted());
    for (const state of states.values()) expect(lsnOf(state)).toBe(lsnOf(parent));
    for (const pk of KEYS) {
      expect(await readWith(container, pk, tokenOf(parent))).toBe(200);
      expect(await readWith(container, pk, ahead("0", lsnOf(parent) + 1))).toBe(404);
    }
  });

  test("each child goes on counting by itself", async () => {
    const container = await openKeys();
    const parent = await container.item("0", KEYS[0]!).read();
    await split(stage.server, container);
    const latest = new Map<string, number>();
    for (const pk of KEYS) {
      const answer = await container.items.create({ id: "after", pk });
      const rangeId = rangeIdOf(answer);
      expect(lsnOf(answer)).toBe((latest.get(rangeId) ?? lsnOf(parent)) + 1);
      latest.set(rangeId, lsnOf(answer));
    }
    expect(latest.size).toBe(2);
  });

  test("a token of one child says nothing about the other", async () => {
    const container = await openKeys();
    const [left, right] = await split(stage.server, container);
    for (const pk of KEYS) {
      const served = rangeIdOf(await container.item("0", pk).read());
      expect(await readWith(container, pk, ahead(left!, 1e6))).toBe(served === left ? 404 : 200);
      expect(await readWith(container, pk, ahead(right!, 1e6))).toBe(served === right ? 404 : 200);
    }
  });

  test("tokens of grandparents and of all ranges together are good, too", async () => {
    const container = await openKeys();
    const tokens = [tokenOf(await container.item("0", KEYS[0]!).read())];
    for (let round = 0; round < 3; round++) {
      await split(stage.server, container);
      for (const pk of KEYS) tokens.push(tokenOf(await container.items.upsert({ id: "0", pk })));
    }
    expect(await rangeIds(stage.server, container)).toHaveLength(4);
    for (const pk of KEYS) {
      expect(await readWith(container, pk, tokens[0]!)).toBe(200);
      expect(await readWith(container, pk, tokens.join(","))).toBe(200);
      expect(await readWith(container, pk, [...tokens, ahead("0", 1e6)].join(","))).toBe(404);
    }
  });
});

describe("after a merge", () => {
  test("the child counts on from the parent that was ahead, and takes tokens of both", async () => {
    const container = await openKeys();
    const [left, right] = await split(stage.server, container);
    for (const pk of KEYS) {
      if (rangeIdOf(await container.item("0", pk).read()) !== left) continue;
      for (let n = 0; n < 3; n++) await container.items.upsert({ id: "0", pk, n });
    }
    const before = await statesOf(container);
    expect(lsnOf(before.get(left!)!)).toBeGreaterThan(lsnOf(before.get(right!)!));
    const [child] = await merge(stage.server, container, left!, right!);
    const after = await statesOf(container);
    expect([...after.keys()]).toEqual([child]);
    const lsn = lsnOf(after.get(child!)!);
    expect(lsn).toBeGreaterThanOrEqual(lsnOf(before.get(left!)!));

    const all = [...before.values()].map(tokenOf).join(",");
    for (const pk of KEYS) {
      for (const state of before.values()) {
        expect(await readWith(container, pk, tokenOf(state))).toBe(200);
      }
      expect(await readWith(container, pk, all)).toBe(200);
      expect(await readWith(container, pk, ahead(child!, lsn + 1))).toBe(404);
    }
    const written = await container.items.create({ id: "after", pk: KEYS[0]! });
    expect(lsnOf(written)).toBe(lsn + 1);
  });

  test("and more splits and merges, no state that was seen is ever denied", async () => {
    const container = await openKeys();
    const told: string[] = [];
    for (let round = 0; round < 6; round++) {
      const ids = await rangeIds(stage.server, container);
      if (round % 3 === 2) await merge(stage.server, container, ids[0]!, ids[1]!);
      else await split(stage.server, container);
      for (const pk of KEYS) {
        const written = await container.items.upsert({ id: "0", pk, round });
        told.push(tokenOf(written));
        expect(await readWith(container, pk, tokenOf(written))).toBe(200);
        expect(await readWith(container, pk, told.join(","))).toBe(200);
      }
    }
  });
});

describe("a client in a session", () => {
  test("reads its writes while ranges come and go", async () => {
    const { id } = await openKeys();
    const session = clientOf(stage.server, { consistencyLevel: "Session" });
    const container = session.database(stage.database.id).container(id);
    for (let round = 0; round < 5; round++) {
      for (const pk of KEYS) {
        await container.items.upsert({ id: "0", pk, round });
        expect((await container.item("0", pk).read()).resource?.["round"]).toBe(round);
      }
      const ids = await rangeIds(stage.server, container);
      if (round === 3) await merge(stage.server, container, ids[0]!, ids[1]!);
      else await split(stage.server, container);
    }
    const { resources } = await container.items.query("SELECT VALUE c.round FROM c").fetchAll();
    expect(resources.filter((round) => round === 4)).toHaveLength(KEYS.length);
    session.dispose();
  });
});
