/**
 * Searching by a vector index, beside the same items without one: the answers must be the same,
 * row by row, whatever was written, deleted, split or has expired in between.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assert } from "../../base/assert.ts";
import { seededRandom } from "../../base/world.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import type { VectorQuestion } from "../../query/execute/source.ts";
import type { Container } from "../partition/container.ts";
import type { QueryAnswer } from "../query/queryItems.ts";
import type { Simulated } from "../simulatedAccount.fake.ts";
import { containerIn, databaseIn, simulatedAccount } from "../simulatedAccount.fake.ts";
import { write } from "../simulatedRequests.fake.ts";
import { VectorTables } from "./vectorTables.ts";

const DIMENSIONS = 3;

const EMBEDDINGS = {
  vectorEmbeddingPolicy: {
    vectorEmbeddings: [
      {
        path: "/v",
        dataType: "float32",
        dimensions: DIMENSIONS,
        distanceFunction: "euclidean",
      },
    ],
  },
  defaultTtl: -1,
} as const;

interface Stage extends Simulated {
  readonly indexed: Container;
  readonly plain: Container;
  /** Does the same to both. */
  both(act: (container: Container) => Promise<unknown>): Promise<void>;
  ask(container: Container, text: string, setting?: Asked): Promise<Answered>;
  /** The rows, which must not depend on the index. */
  same(text: string, setting?: Asked): Promise<readonly JsonValue[]>;
}

interface Asked {
  readonly countMax?: number;
  readonly parameters?: Readonly<Record<string, JsonValue>>;
}

interface Answered {
  readonly rows: readonly JsonValue[];
  readonly first: QueryAnswer;
}

async function stage(type = "quantizedFlat"): Promise<Stage> {
  const simulated = await simulatedAccount();
  const { account } = simulated;
  const database = await databaseIn(account);
  const indexingPolicy = { vectorIndexes: [{ path: "/v", type }] };
  const indexed = await containerIn(account, database, undefined, {
    id: "indexed",
    indexingPolicy,
    ...EMBEDDINGS,
  });
  const plain = await containerIn(account, database, undefined, { id: "plain", ...EMBEDDINGS });
  const ask: Stage["ask"] = async (container, text, { countMax = 100, parameters = {} } = {}) => {
    const rows: JsonValue[] = [];
    let first: QueryAnswer | undefined;
    let continuation: string | undefined;
    do {
      const answer = await account.queryItems(container, {
        text,
        parameters: new Map(Object.entries(parameters)),
        parameterNames: new Set(Object.keys(parameters)),
        scope: { kind: "container" },
        isFanOutAllowed: true,
        continuation,
        countMax,
      });
      assert(answer.ok, `refused: ${JSON.stringify(answer)}`);
      first ??= answer.value;
      continuation = answer.value.continuation;
      for (const row of answer.value.rows) rows.push(JSON.parse(row.toString()) as JsonValue);
    } while (continuation !== undefined);
    return { rows, first };
  };
  return {
    ...simulated,
    indexed,
    plain,
    ask,
    both: async (act) => {
      await act(indexed);
      await act(plain);
    },
    same: async (text, setting) => {
      const [found, expected] = [
        await ask(indexed, text, setting),
        await ask(plain, text, setting),
      ];
      expect(found.rows, text).toEqual(expected.rows);
      expect(found.first.work.access).toContain("index(vector)");
      expect(expected.first.work.access).not.toContain("index(vector)");
      return found.rows;
    },
  };
}

const put = (stage: Stage, id: string, members: JsonObject, pk = "k"): Promise<void> =>
  stage.both((container) => write(stage.account, container, "upsert", id, members, pk));

const NEAREST = "ORDER BY VectorDistance(c.v, [0, 0, 0])";

describe("a search by the vector index", () => {
  test("finds what a scan does, and reads the items it gives only", async () => {
    const on = await stage();
    for (let n = 0; n < 40; n++) await put(on, `i${n}`, { v: [n, 0, 0], even: n % 2 === 0 });
    expect(await on.same(`SELECT TOP 3 VALUE c.id FROM c ${NEAREST}`)).toEqual(["i0", "i1", "i2"]);
    const { first } = await on.ask(on.indexed, `SELECT TOP 3 VALUE c.id FROM c ${NEAREST}`);
    expect(first.work.itemCount).toBe(4);
    const other = await on.ask(on.plain, `SELECT TOP 3 VALUE c.id FROM c ${NEAREST}`);
    expect(other.first.work.itemCount).toBe(40);
    expect(first.charge).toBeLessThan(3);
  });

  test("answers under every metric, both ways, with filters, offsets and joins", async () => {
    const on = await stage();
    for (let n = 0; n < 40; n++) {
      const v = [Math.sin(n), Math.cos(n * 7), n % 5];
      await put(on, `i${n}`, { v, n, tags: [n, n + 1] }, `k${n % 3}`);
    }
    const cosine = "VectorDistance([1, 0, 1], c.v, false, {distanceFunction: 'cosine'})";
    const product = "VectorDistance(c.v, @q, true, {distanceFunction: 'DotProduct'})";
    const setting = { parameters: { "@q": [1, 2, 3] }, countMax: 4 };
    for (const order of [cosine, `_${cosine} ASC`, product, `_${product} ASC`]) {
      await on.same(
        `SELECT TOP 11 c.id, ${order.replace(" ASC", "")} AS d FROM c ORDER BY ${order}`,
        setting,
      );
      await on.same(
        `SELECT VALUE c.id FROM c WHERE c.n > 30 ORDER BY ${order} OFFSET 2 LIMIT 5`,
        setting,
      );
      await on.same(`SELECT TOP 50 VALUE c.id FROM c WHERE c.n % 7 = 0 ORDER BY ${order}`, setting);
      await on.same(`SELECT TOP 9 c.id, t FROM c JOIN t IN c.tags ORDER BY ${order}`, setting);
      await on.same(`SELECT TOP 9 VALUE c.id FROM c WHERE c.pk = 'k1' ORDER BY ${order}`, setting);
    }
  });

  test("follows the policy where a parameter names the path", async () => {
    const on = await stage();
    for (let n = 0; n < 40; n++) await put(on, `i${n}`, { v: [n, 0, 0], w: [-n, 0, 0], n });
    const text =
      "SELECT TOP @limit c[@idKey] AS id, VectorDistance(c[@key], @q) AS score FROM c " +
      "WHERE c[@n] >= 10 ORDER BY VectorDistance(c[@key], @q)";
    const ask = (key: string): Promise<readonly JsonValue[]> => {
      const parameters = { "@limit": 2, "@idKey": "id", "@key": key, "@n": "n", "@q": [0, 0, 0] };
      return key === "v"
        ? on.same(text, { parameters })
        : on.ask(on.plain, text, { parameters }).then(({ rows }) => rows);
    };
    expect(await ask("v")).toEqual([
      { id: "i10", score: 10 },
      { id: "i11", score: 11 },
    ]);
    // The policy has nothing for it, so it is compared by cosine, and nothing is near.
    expect(await ask("w")).not.toEqual(await ask("v"));
    expect(await ask("v")).toEqual(await ask("v"));
  });

  test("leaves other questions to a scan", async () => {
    const on = await stage();
    await put(on, "a", { v: [1, 1, 1] });
    for (const text of [
      "SELECT TOP 9 VALUE c.id FROM c ORDER BY VectorDistance(c.v, [1, 2])",
      "SELECT TOP 9 VALUE c.id FROM c ORDER BY VectorDistance(c.w, [1, 2, 3])",
      "SELECT TOP 9 VALUE c.id FROM c ORDER BY VectorDistance(c.v, c.v)",
      "SELECT TOP 9 VALUE c.id FROM c " +
        "ORDER BY VectorDistance(c.v, [1, 2, 3], false, {dataType: 'int8'})",
      "SELECT DISTINCT TOP 9 VALUE c.id FROM c ORDER BY VectorDistance(c.v, [1, 2, 3])",
    ]) {
      const { rows, first } = await on.ask(on.indexed, text);
      expect([text, rows]).toEqual([text, ["a"]]);
      expect(first.work.access).not.toContain("index(vector)");
    }
  });

  test("an item without a vector of that length has no distance, which is the lowest", async () => {
    const on = await stage();
    await put(on, "none", {});
    await put(on, "short", { v: [1] });
    await put(on, "far", { v: [9, 9, 9] });
    await put(on, "near", { v: [1, 1, 1] });
    const rows = await on.same(`SELECT TOP 99 VALUE c.id FROM c ${NEAREST}`);
    expect(rows).toEqual(["none", "short", "near", "far"]);
    await put(on, "short", { v: [5, 5, 5] });
    await put(on, "near", { v: "gone" });
    expect(await on.same(`SELECT TOP 99 VALUE c.id FROM c ${NEAREST}`)).toEqual([
      "none",
      "near",
      "short",
      "far",
    ]);
  });

  test("what has expired is not found", async () => {
    const on = await stage();
    await put(on, "short", { v: [1, 1, 1], ttl: 10 });
    await put(on, "long", { v: [2, 2, 2] });
    expect(await on.same(`SELECT TOP 1 VALUE c.id FROM c ${NEAREST}`)).toEqual(["short"]);
    on.time.skip(11_000);
    expect(await on.same(`SELECT TOP 1 VALUE c.id FROM c ${NEAREST}`)).toEqual(["long"]);
    await on.account.close();
  });

  const anyStep = fc.oneof(
    fc.record({
      kind: fc.constant("put" as const),
      id: fc.integer({ min: 0, max: 12 }),
      v: fc.oneof(
        fc.array(fc.integer({ min: -2, max: 2 }), { minLength: 3, maxLength: 3 }),
        fc.constant([1]),
      ),
    }),
    fc.record({ kind: fc.constant("delete" as const), id: fc.integer({ min: 0, max: 12 }) }),
    fc.record({ kind: fc.constant("split" as const) }),
    fc.record({
      kind: fc.constant("ask" as const),
      q: fc.array(fc.integer({ min: -2, max: 2 }), { minLength: 3, maxLength: 3 }),
      metric: fc.constantFrom("cosine", "dotproduct", "euclidean"),
      direction: fc.constantFrom("", " ASC", " DESC"),
      filter: fc.constantFrom("", "WHERE c.x > 1", "WHERE c.pk = 'k1'", "WHERE c.x + 0 > 1"),
      top: fc.integer({ min: 1, max: 6 }),
      countMax: fc.integer({ min: 1, max: 4 }),
    }),
  );

  test("after any row of writes, deletions and splits", async () => {
    const property = fc.asyncProperty(
      fc.array(anyStep, { minLength: 10, maxLength: 30 }),
      async (steps) => {
        const on = await stage("diskANN");
        for (const step of steps) await take(on, step);
        await on.account.close();
      },
    );
    await fc.assert(property, { numRuns: 12 });
  });

  async function take(on: Stage, step: typeof anyStep extends fc.Arbitrary<infer S> ? S : never) {
    switch (step.kind) {
      case "put":
        return put(on, `i${step.id}`, { v: step.v, x: step.v[0]! }, `k${step.id % 4}`);
      case "delete":
        return on.both((container) =>
          write(on.account, container, "delete", `i${step.id}`, {}, `k${step.id % 4}`),
        );
      case "split":
        return on.both((container) => {
          const partitionId = container.map.entries[0]!.id;
          const request = { kind: "split", partitionId, at: "middle" } as const;
          return on.account.reshaping.request(container, request);
        });
      case "ask": {
        const { q, metric, direction, filter, top, countMax } = step;
        const options = `{distanceFunction: '${metric}'}`;
        const order = `_VectorDistance(c.v, @q, false, ${options})${direction}`;
        const text = `SELECT TOP ${top} VALUE c.id FROM c ${filter} ORDER BY ${order}`;
        await on.same(text, { parameters: { "@q": q }, countMax });
      }
    }
  }
});

describe("tables", () => {
  const PLACE = {
    segments: ["v"],
    elementType: "float32",
    dimensions: DIMENSIONS,
    isApproximate: false,
  } as const;
  const question = (members: Partial<VectorQuestion> = {}): VectorQuestion => ({
    place: PLACE,
    metric: "euclidean",
    query: Float32Array.of(0, 0, 0),
    isDescending: false,
    within: undefined,
    countWanted: 1,
    mayBeApproximate: false,
    thoroughness: 1,
    pause: () => undefined,
    ...members,
  });

  test("those not searched lately make room; without room there is none", async () => {
    const on = await stage();
    const random = seededRandom(3);
    for (let n = 0; n < 10; n++) await put(on, `i${n}`, { v: [random.next(), 0, 0] });
    const { store, time } = on;
    const one = on.indexed.partitions.get("0")!;
    const two = on.plain.partitions.get("0")!;
    const tables = new VectorTables({ store, ...time, bytesMax: 30_000 });
    expect(await tables.rank(one, question())).toBeDefined();
    const { bytes } = tables;
    expect(bytes).toBeGreaterThan(15_000);
    expect(await tables.rank(two, question())).toBeUndefined();
    expect(tables.bytes).toBe(bytes);
    time.skip(20_000);
    expect(await tables.rank(two, question())).toBeDefined();
    expect(tables.bytes).toBe(bytes);
    expect(await tables.rank(one, question())).toBeUndefined();
    const small = new VectorTables({ store, ...time, bytesMax: 10_000 });
    expect(await small.rank(one, question())).toBeUndefined();
  });

  test("a table is made anew when ends have left the log", async () => {
    const on = await stage();
    for (const id of ["a", "b", "c"]) await put(on, id, { v: [id.charCodeAt(0), 0, 0] });
    expect(await on.same(`SELECT TOP 99 VALUE c.id FROM c ${NEAREST}`)).toEqual(["a", "b", "c"]);
    await on.both((container) => write(on.account, container, "delete", "a"));
    await on.both(async (container) => {
      const partition = container.partitions.get("0")!;
      await partition.exclusively(() => partition.sweepLog(partition.lsn));
    });
    expect(await on.same(`SELECT TOP 99 VALUE c.id FROM c ${NEAREST}`)).toEqual(["b", "c"]);
  });

  test("a search that runs while others write finds all that stays", async () => {
    const on = await stage();
    for (let n = 0; n < 30; n++) await put(on, `i${n}`, { v: [n, 0, 0] });
    const tables = new VectorTables({ store: on.store, ...on.time });
    const partition = on.indexed.partitions.get("0")!;
    await tables.rank(partition, question());
    const searching = tables.rank(partition, question());
    await put(on, "i0", { v: [100, 0, 0] });
    await on.both((container) => write(on.account, container, "delete", "i1"));
    const again = await tables.rank(partition, question());
    const ranking = await searching;
    const numbers = new Set(await ranking!.next(100));
    for (const number of await again!.next(100)) expect(numbers).toContain(number);
  });

  test("vectors that sketches cannot tell apart are compared, though they may be estimated", async () => {
    const on = await stage();
    const random = seededRandom(9);
    const dimensions = 64;
    const sparse = () =>
      Array.from({ length: dimensions }, () => (random.next() < 0.05 ? random.next() : 0));
    for (let n = 0; n < 1_500; n++) await put(on, `i${n}`, { w: sparse() });
    const tables = new VectorTables({ store: on.store, ...on.time, likelyRowsMin: 1_000 });
    const partition = on.indexed.partitions.get("0")!;
    const place = { ...PLACE, segments: ["w"], dimensions, isApproximate: true };
    for (let count = 0; count < 10; count++) {
      const query = Float32Array.from(sparse());
      const asked = { place, query, countWanted: 1 };
      const likely = await tables.rank(partition, question({ ...asked, mayBeApproximate: true }));
      const exact = await tables.rank(partition, question(asked));
      expect(await likely!.next(5)).toEqual(await exact!.next(5));
    }
  });
});
