/** Pages of queries that take several requests: what they give, cost, and survive. */
import { describe, expect, test } from "vitest";
import { assert } from "../../base/assert.ts";
import { millis } from "../../base/units.ts";
import { seededRandom } from "../../base/world.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { realTimer } from "../../server/surroundings/realWorld.ts";
import { EmbeddedStore } from "../../store/embedded/embeddedStore.ts";
import { Account } from "../account.ts";
import { parseContainerDefinition } from "../definition/containerDefinition.ts";
import type { Container } from "../partition/container.ts";
import { redefine } from "../simulatedRequests.fake.ts";
import type { QueryAnswer, QueryCommand } from "./queryItems.ts";

interface Stage {
  readonly account: Account;
  container(): Container;
  /** How many milliseconds every look at the clock takes; none at first. */
  setPace(ms: number): void;
  write(item: JsonObject): Promise<void>;
  ask(text: string, command?: Partial<QueryCommand>): Promise<QueryAnswer>;
}

async function stageOf(partitionCount: number, itemCount: number): Promise<Stage> {
  const time = { now: 0, pace: 0 };
  const account = await Account.open({
    store: EmbeddedStore.inMemory(realTimer),
    timer: realTimer,
    random: seededRandom(1),
    limits: SERVICE_LIMITS,
    clock: {
      now: () => {
        time.now += time.pace;
        return millis(time.now);
      },
      wallNow: () => 1_700_000_000_000,
    },
  });
  const stage: Stage = {
    account,
    setPace: (ms) => {
      time.pace = ms;
    },
    container: () => account.catalog.container("d", "c")!,
    write: async (item) => {
      const key = [item["pk"] as string];
      const written = account.writeItem(stage.container(), { kind: "upsert", body: item, key });
      assert(written.ok, "the item was refused");
      await written.value;
    },
    ask: async (text, command) => {
      const answer = await account.queryItems(stage.container(), {
        text,
        parameters: new Map(),
        parameterNames: new Set(),
        scope: { kind: "container" },
        isFanOutAllowed: true,
        continuation: undefined,
        countMax: 1_000,
        ...command,
      });
      assert(answer.ok, `refused: ${JSON.stringify(answer)}`);
      return answer.value;
    },
  };
  const database = await account.catalog.createDatabase("d", undefined);
  assert(database.ok, "no database");
  const body = { id: "c", partitionKey: { paths: ["/pk"] } };
  const definition = parseContainerDefinition(body, undefined, SERVICE_LIMITS);
  assert(definition.ok, "no definition");
  const provisioning = { partitionCount, throughput: undefined };
  await account.catalog.createContainer(database.value, definition.value, provisioning);
  for (let n = 0; n < itemCount; n++) await stage.write(itemOf(n));
  return stage;
}

const itemOf = (n: number): JsonObject => ({
  id: `${n}`,
  pk: `k${n % 7}`,
  n,
  list: [n % 3, n % 5, n % 11],
});

interface Asked {
  readonly rows: readonly JsonValue[];
  readonly pages: readonly QueryAnswer[];
}

/** All pages; `between` is called after each that was suspended. */
async function all(
  stage: Stage,
  text: string,
  command: Partial<QueryCommand> = {},
  between: (suspendedCount: number) => Promise<void> | undefined = () => undefined,
): Promise<Asked> {
  const pages: QueryAnswer[] = [];
  let continuation: string | undefined;
  do {
    const page = await stage.ask(text, { ...command, continuation });
    pages.push(page);
    continuation = page.continuation;
    const isSuspended = page.work.access.includes("suspended");
    if (isSuspended) await between(pages.length);
    assert(pages.length < 5_000, "there is no end to it");
  } while (continuation !== undefined);
  const rows = pages.flatMap((page) => page.rows);
  return { pages, rows: rows.map((row) => JSON.parse(row.toString()) as JsonValue) };
}

const suspendedIn = ({ pages }: Asked): number =>
  pages.filter(({ work }) => work.access.includes("suspended")).length;
const chargeOf = ({ pages }: Asked): number =>
  Math.round(100 * pages.reduce((sum, { charge }) => sum + charge, 0)) / 100;

const GROUPS = "SELECT x, COUNT(1) AS n FROM c JOIN x IN c.list JOIN y IN c.list GROUP BY x";
const TEXTS = [
  GROUPS,
  "SELECT DISTINCT x, c.pk FROM c JOIN x IN c.list",
  "SELECT VALUE COUNT(1) FROM c JOIN x IN c.list",
  "SELECT VALUE MAX(CONCAT(c.id, ToString(x))) FROM c JOIN x IN c.list",
  "SELECT VALUE r.pk FROM (SELECT DISTINCT c.pk FROM c) r",
  "SELECT c.id, x FROM c JOIN x IN c.list ORDER BY c.n DESC",
];
/** At this pace half a second is some dozen looks. */
const SLOW = 20;
/** At this one a page of all items takes more than half a second, and less than half a minute. */
const BRISK = 3;

describe.each([1, 3])("over %d physical partitions", (partitionCount) => {
  test.each(TEXTS)("rows and price are those of one request: %s", async (text) => {
    const stage = await stageOf(partitionCount, 200);
    const quick = await all(stage, text, { countMax: 40 });
    expect(suspendedIn(quick)).toBe(0);
    stage.setPace(SLOW);
    const slow = await all(stage, text, { countMax: 40 });
    expect(slow.rows).toEqual(quick.rows);
    if (!text.includes("ORDER BY")) expect(suspendedIn(slow)).toBeGreaterThan(0);
    // Each physical partition is rounded for itself while its part is paid.
    expect(Math.abs(chargeOf(slow) - chargeOf(quick))).toBeLessThan(0.01 * partitionCount);
    for (const { charge, charges } of slow.pages) {
      const parts = [...charges.values()].reduce((sum, part) => sum + part, 0);
      expect(Math.round(100 * parts)).toBe(Math.round(100 * charge));
    }
  });
});

describe("a page of groups that a client merges with others", () => {
  const GROUPED = [GROUPS, "SELECT VALUE COUNT(1) FROM c JOIN x IN c.list"];

  test.each(GROUPED)("is never empty before its range is done: %s", async (text) => {
    const stage = await stageOf(3, 200);
    const askAll = async (): Promise<Asked[]> => {
      const scopes = stage.container().map.entries.map(({ range }) => range);
      return Promise.all(
        scopes.map((range) => {
          const scope = { kind: "range", range } as const;
          return all(stage, text, { scope, queryId: "q", countMax: 4 });
        }),
      );
    };
    const quick = await askAll();
    stage.setPace(BRISK);
    const slow = await askAll();
    expect(slow.map(({ rows }) => rows)).toEqual(quick.map(({ rows }) => rows));
    for (const { pages } of slow) {
      for (const { rows, continuation } of pages.filter(
        (page) => page.continuation !== undefined,
      )) {
        expect(rows, continuation).not.toEqual([]);
      }
    }
  });

  test("is not empty either where the groups before are not known any more", async () => {
    const stage = await stageOf(1, 200);
    const { rows } = await all(stage, GROUPS);
    const first = await stage.ask(GROUPS, { countMax: 4 });
    await stage.write({ id: "other", pk: "k0" });
    stage.setPace(BRISK);
    const second = await stage.ask(GROUPS, { countMax: 4, continuation: first.continuation });
    const found = [...first.rows, ...second.rows].map((row) => JSON.parse(row.toString()));
    expect(found).toEqual(rows.slice(0, 8));
  });

  test("is refused when there is no end to it", async () => {
    const stage = await stageOf(3, 600);
    const { range } = stage.container().map.entries[0]!;
    stage.setPace(60_000);
    const asking = stage.ask(GROUPS, { scope: { kind: "range", range }, queryId: "q" });
    await expect(asking).rejects.toThrow("takes too long");
  });
});

describe("a suspended page", () => {
  test("gives an empty page with a continuation that is no larger than others", async () => {
    const stage = await stageOf(1, 300);
    stage.setPace(SLOW);
    const [first] = (await all(stage, GROUPS)).pages;
    expect(first!.rows).toEqual([]);
    expect(first!.continuation!.length).toBeLessThan(200);
  });

  test("begins anew after all were dropped, and is right", async () => {
    const stage = await stageOf(1, 200);
    const expected = await all(stage, GROUPS);
    stage.setPace(SLOW);
    let isDropped = false;
    const found = await all(stage, GROUPS, {}, async () => {
      if (isDropped) return;
      isDropped = true;
      stage.setPace(0);
      await redefine(stage.account, stage.container(), {
        indexingPolicy: { includedPaths: [{ path: "/n/?" }], excludedPaths: [{ path: "/*" }] },
      });
      stage.setPace(SLOW);
    });
    expect(isDropped).toBe(true);
    expect(found.rows).toEqual(expected.rows);
  });

  test("is not taken for another: with another size it begins anew", async () => {
    const stage = await stageOf(1, 200);
    const expected = await all(stage, GROUPS);
    stage.setPace(SLOW);
    const { continuation } = await stage.ask(GROUPS);
    stage.setPace(0);
    const few = await stage.ask(GROUPS, { continuation, countMax: 2 });
    expect(few.rows).toHaveLength(2);
    const own = await stage.ask(GROUPS, { continuation });
    expect(own.rows.length).toBe(expected.rows.length);
  });

  test("asked for twice gives the same twice", async () => {
    const stage = await stageOf(1, 200);
    const expected = await all(stage, GROUPS);
    stage.setPace(SLOW);
    const { continuation } = await stage.ask(GROUPS);
    stage.setPace(0);
    for (const _ of [1, 2]) {
      const { rows } = await stage.ask(GROUPS, { continuation });
      expect(rows.map((row) => JSON.parse(row.toString()) as JsonValue)).toEqual(expected.rows);
    }
  });

  test("counts every item once while others are written", async () => {
    const stage = await stageOf(1, 600);
    stage.setPace(SLOW);
    let written = 0;
    const text = "SELECT VALUE COUNT(1) FROM c JOIN x IN c.list WHERE c.n < 600";
    const found = await all(stage, text, {}, async () => {
      const item = itemOf(written);
      await stage.write({ ...item, touched: true });
      await stage.write(itemOf(1_000 + written++));
    });
    expect(written).toBeGreaterThan(1);
    expect(found.rows).toEqual([1_800]);
  });

  test("is gone when the account is closed, and closes with it", async () => {
    const stage = await stageOf(1, 200);
    stage.setPace(SLOW);
    await stage.ask(GROUPS);
    await stage.account.close();
  });
});
