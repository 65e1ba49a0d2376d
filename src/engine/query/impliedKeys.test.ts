/** Filters that name the key a query is confined to: they cost nothing, and stay right. */
import { beforeAll, describe, expect, test } from "vitest";
import { assert } from "../../base/assert.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import { WHOLE_CONTAINER } from "../../model/request/itemScope.ts";
import { epkOf } from "../../partition/epk.ts";
import { rangeOfKey } from "../../partition/epkRange.ts";
import type { Container } from "../partition/container.ts";
import type { Simulated } from "../simulatedAccount.fake.ts";
import { containerIn, databaseIn, simulatedAccount } from "../simulatedAccount.fake.ts";
import type { QueryAnswer, QueryCommand } from "./queryItems.ts";

const LONG = "x".repeat(100);

interface Asked {
  readonly key?: PartitionKey;
  readonly parameters?: Readonly<Record<string, JsonValue>>;
  readonly countMax?: number;
  readonly continuation?: string | undefined;
}

class Stage {
  readonly #simulated: Simulated;
  readonly container: Container;

  constructor(simulated: Simulated, container: Container) {
    this.#simulated = simulated;
    this.container = container;
  }

  static async of(partitionKey: JsonObject, members: JsonObject = {}): Promise<Stage> {
    const simulated = await simulatedAccount();
    const database = await databaseIn(simulated.account);
    const definition = { id: "c", partitionKey, ...members };
    const made = await containerIn(simulated.account, database, undefined, definition);
    return new Stage(simulated, made);
  }

  async write(item: JsonObject, key: PartitionKey): Promise<void> {
    const request = { kind: "create", body: item, key } as const;
    const written = this.#simulated.account.writeItem(this.container, request);
    assert(written.ok, "the item was refused");
    const outcome = await written.value;
    assert(outcome.kind === "created", JSON.stringify(outcome));
  }

  async page(text: string, asked: Asked = {}): Promise<QueryAnswer> {
    const { key, parameters = {}, countMax = 10, continuation } = asked;
    const command: QueryCommand = {
      text,
      parameters: new Map(Object.entries(parameters)),
      parameterNames: new Set(Object.keys(parameters)),
      scope:
        key === undefined
          ? WHOLE_CONTAINER
          : { kind: "key", range: rangeOfKey(this.container.definition.partitionKey, key) },
      isFanOutAllowed: true,
      continuation,
      countMax,
    };
    const answer = await this.#simulated.account.queryItems(this.container, command);
    assert(answer.ok, `refused: ${JSON.stringify(answer)}`);
    return answer.value;
  }

  async rows(text: string, asked: Asked = {}): Promise<readonly JsonValue[]> {
    const rows: JsonValue[] = [];
    let continuation: string | undefined;
    do {
      const page = await this.page(text, { ...asked, continuation });
      rows.push(...page.rows.map((row) => JSON.parse(row.toString()) as JsonValue));
      continuation = page.continuation;
    } while (continuation !== undefined);
    return rows;
  }

  /** Terms that each page of a query reads. */
  async termCounts(text: string, asked: Asked): Promise<readonly number[]> {
    const counts: number[] = [];
    let continuation: string | undefined;
    do {
      const page = await this.page(text, { ...asked, continuation });
      counts.push(page.work.termCount);
      continuation = page.continuation;
    } while (continuation !== undefined && counts.length < 5);
    return counts;
  }
}

const ITEM_COUNT = 600;

describe("a page within one key reads as many terms with the filter as without", () => {
  let one: Stage;
  let tree: Stage;
  beforeAll(async () => {
    one = await Stage.of({ paths: ["/a/pk"], kind: "Hash", version: 2 });
    tree = await Stage.of({ paths: ["/t", "/u"], kind: "MultiHash", version: 2 });
    for (let n = 0; n < ITEM_COUNT; n++) {
      const pk = n % 5 === 0 ? "other" : "k";
      await one.write({ id: `${n}`, a: { pk }, n }, [pk]);
      await tree.write({ id: `${n}`, t: pk, u: n % 5 === 1 ? 2 : 1, n }, [pk, n % 5 === 1 ? 2 : 1]);
    }
  });

  test.each([
    ["c.a.pk = @pk"],
    ["@pk = c.a.pk"],
    ["c['a'][\"pk\"] = @pk"],
    ["c.a[@name] = @pk"],
    ["c.a.pk IN (@pk)"],
    ["c.a.pk IN ('k', 'other')"],
    ["c.a.pk = @pk AND c.a.pk != 'x'"],
    ["(c.a.pk = 'y' OR c.a.pk = @pk)"],
    ["ARRAY_CONTAINS([@pk], c.a.pk)"],
    ["c.a.pk LIKE 'k'"],
    ["true AND c.a.pk = @pk AND c.n % 2 >= 0"],
  ])("%s", async (where) => {
    const asked = { key: ["k"], parameters: { "@pk": "k", "@name": "pk" } };
    const plain = await one.termCounts("SELECT * FROM c", asked);
    const text = `SELECT * FROM c WHERE ${where}`;
    expect(await one.termCounts(text, asked)).toEqual(plain);
    expect(await one.rows(text, asked)).toEqual(await one.rows("SELECT * FROM c", asked));
  });

  test("without a key in the request, too", async () => {
    const plain = await one.termCounts("SELECT * FROM c", { key: ["k"] });
    expect(await one.termCounts("SELECT * FROM c WHERE c.a.pk = 'k'", {})).toEqual(plain);
  });

  test.each([
    ["c.t = 'k' AND c.u = 1", ["k", 1]],
    ["c.u = 1 AND c.t = 'k' AND c.n >= 0 AND IS_DEFINED(c.u)", ["k", 1]],
    ["c.t = 'k'", ["k", 1]],
  ])("of two levels: %s", async (where, key) => {
    const isOnlyKey = !where.includes("c.n");
    const plain = await tree.termCounts("SELECT * FROM c", { key });
    const found = await tree.termCounts(`SELECT * FROM c WHERE ${where}`, { key });
    if (isOnlyKey) expect(found).toEqual(plain);
    expect(await tree.rows(`SELECT VALUE c.id FROM c WHERE ${where}`, { key })).toEqual(
      await tree.rows("SELECT VALUE c.id FROM c", { key }),
    );
  });

  test("the beginning of a key is walked in the index, not gathered", async () => {
    const [first] = await tree.termCounts("SELECT * FROM c WHERE c.t = 'k'", { key: ["k"] });
    expect(first).toBeLessThan(30);
  });

  test.each(["", " WHERE c.a.pk = 'k'", " WHERE c.a.pk IN ('k', 'x')"])(
    "COUNT of a key reads a counter, and no term:%s",
    async (where) => {
      const text = `SELECT VALUE COUNT(1) FROM c${where}`;
      const { work, rows, charge } = await one.page(text, { key: ["k"] });
      expect(rows.map(String)).toEqual([`${(ITEM_COUNT * 4) / 5}`]);
      expect(work.termCount).toBe(0);
      // What is read is our choice: the price is that of the terms.
      const read = await one.page(`${text}${where === "" ? " WHERE" : " AND"} c.n >= 0`, {
        key: ["k"],
      });
      expect(read.rows.map(String)).toEqual(rows.map(String));
      expect(charge).toBeGreaterThan(2);
    },
  );

  test("what it costs, and which index is named, stays as it is", async () => {
    const asked = { key: ["k"] };
    const { charge, work } = await one.page("SELECT * FROM c WHERE c.a.pk = 'k'", asked);
    const plain = await one.page("SELECT * FROM c", asked);
    expect(charge).toBe(plain.charge);
    expect([...work.usedLookups].map(({ path }) => path.segments)).toEqual([["a", "pk"]]);
    expect(work.isPlacementUsed).toBe(false);
    expect(plain.work.isPlacementUsed).toBe(true);
  });
});

/** As a partition key, as a value of an item, and as it is written in a query. */
const VALUES: readonly (readonly [value: JsonValue | undefined, written: string])[] = [
  ["k", "'k'"],
  ["", "''"],
  ["1", "'1'"],
  [1, "1"],
  [0, "0"],
  [-0, "-0"],
  [-1.5, "-1.5"],
  [null, "null"],
  [true, "true"],
  [false, "false"],
  [undefined, "undefined"],
  [`${LONG}a`, `'${LONG}a'`],
  [`${LONG}b`, `'${LONG}b'`],
  ["ä€", "'ä€'"],
];

describe.each([1, 2])("with keys of every kind, hashed by version %d", (version) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.of({ paths: ["/pk"], kind: "Hash", version });
    for (const [at, [pk]] of VALUES.entries()) {
      for (let n = 0; n < 3; n++) {
        const item = { id: `${at}-${n}`, n, ...(pk !== undefined && { pk }) };
        await stage.write(item, [pk as string]);
      }
    }
  });

  /** By the book: which items lie in the scope, and which of them pass. */
  function expected(key: PartitionKey | undefined, passes: (pk: Value) => boolean): string[] {
    const definition = stage.container.definition.partitionKey;
    const epk = key && epkOf(definition, key);
    return VALUES.flatMap(([pk], at) => {
      const isMeant = epk === undefined || epkOf(definition, [pk as string]) === epk;
      return isMeant && passes(pk) ? [0, 1, 2].map((n) => `${at}-${n}`) : [];
    }).sort();
  }
  type Value = JsonValue | undefined;

  const CASES = VALUES.map(([value, written], at) => ({ value, written, at }));

  test.each(CASES)("whatever the scope: c.pk = $written", async ({ value, written, at }) => {
    const isEqual = (pk: Value): boolean => value !== undefined && pk === value;
    // Keys that are easily mistaken for each other are neighbours in the list.
    const near = [at, at + 1, at + VALUES.length - 1].map(
      (place) => VALUES[place % VALUES.length]!,
    );
    const scopes = [undefined, ...near.map(([key]) => [key] as PartitionKey)];
    for (const key of scopes) {
      const asked = { ...(key && { key }), countMax: 2 };
      for (const where of [
        `c.pk = ${written}`,
        `c.pk IN (${written})`,
        `c.n >= 0 AND c.pk = ${written}`,
      ]) {
        const about = `${JSON.stringify(key)} ${where}`;
        const rows = await stage.rows(`SELECT VALUE c.id FROM c WHERE ${where}`, asked);
        expect([about, [...rows].sort()]).toEqual([about, expected(key, isEqual)]);
        const counted = await stage.rows(`SELECT VALUE COUNT(1) FROM c WHERE ${where}`, asked);
        expect([about, counted]).toEqual([about, [expected(key, isEqual).length]]);
      }
      const others = await stage.rows(`SELECT VALUE c.id FROM c WHERE c.pk != ${written}`, asked);
      const isOther = (pk: Value): boolean =>
        pk !== undefined && value !== undefined && pk !== value;
      expect([...others].sort()).toEqual(expected(key, isOther));
    }
  });

  test("long keys that begin alike share an EPK where the hash takes only their beginning", () => {
    const { partitionKey } = stage.container.definition;
    const [a, b] = [`${LONG}a`, `${LONG}b`].map((key) => epkOf(partitionKey, [key]));
    expect(a === b).toBe(version === 1);
  });
});
