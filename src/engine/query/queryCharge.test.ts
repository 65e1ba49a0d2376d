/**
 * What pages of queries cost: the rules of openings first, then that chance has no say. However a
 * query is cut into pages, by their size, by the clock, or by what happens to be kept, the same way
 * costs the same.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { millis } from "../../base/units.ts";
import { seededRandom } from "../../base/world.ts";
import type { JsonObject } from "../../json/value.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { rangeOfKey } from "../../partition/epkRange.ts";
import { realTimer } from "../../server/surroundings/realWorld.ts";
import { EmbeddedStore } from "../../store/embedded/embeddedStore.ts";
import { Account } from "../account.ts";
import { parseContainerDefinition } from "../definition/containerDefinition.ts";
import type { Container } from "../partition/container.ts";
import type { QueryAnswer, QueryCommand } from "./queryItems.ts";

const PARTITION_COUNT = 4;
const ITEM_COUNT = 60;
const OPEN = 2.24;
const LOOKUP = 0.55;

/** How much time passes at each look at the clock: so slow a machine cuts pages short. */
const tick = { ms: 0 };
let account: Account;
let many: Container;
let one: Container;
/** Physical partitions that hold anything. */
let usedCount = 0;

beforeAll(async () => {
  let now = 0;
  account = await Account.open({
    store: EmbeddedStore.inMemory(realTimer),
    timer: realTimer,
    random: seededRandom(1),
    limits: SERVICE_LIMITS,
    clock: {
      now: () => {
        now += tick.ms;
        return millis(now);
      },
      wallNow: () => 1_700_000_000_000,
    },
  });
  many = await containerOf("many", PARTITION_COUNT);
  one = await containerOf("one", 1);
  usedCount = [...many.partitions.values()].filter(({ head }) => head.itemCount > 0).length;
});

afterAll(() => account.close());

async function containerOf(id: string, partitionCount: number): Promise<Container> {
  const { catalog } = account;
  const database = catalog.database("d") ?? unwrapped(await catalog.createDatabase("d", undefined));
  const body = {
    id,
    partitionKey: { paths: ["/pk"] },
    indexingPolicy: {
      includedPaths: [{ path: "/*" }],
      excludedPaths: [{ path: "/secret/?" }],
      compositeIndexes: [[{ path: "/g" }, { path: "/n" }]],
    },
  };
  const definition = unwrapped(parseContainerDefinition(body, undefined, SERVICE_LIMITS));
  await catalog.createContainer(database, definition, { partitionCount, throughput: undefined });
  const container = catalog.container("d", id)!;
  for (let n = 0; n < ITEM_COUNT; n++) {
    const item: JsonObject = { id: `i${n}`, pk: `p${n % 20}`, n, g: n % 6, secret: n % 3 };
    const request = { kind: "create", body: { ...item, l: [1, 2, 3], s: `s${n % 9}` } } as const;
    await unwrapped(account.writeItem(container, { ...request, key: [`p${n % 20}`] }));
  }
  return container;
}

function unwrapped<T>(result: { ok: true; value: T } | { ok: false; error: unknown }): T {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

interface Asking extends Partial<QueryCommand> {
  readonly in?: Container;
  readonly betweenPages?: () => void;
}

async function pagesOf(text: string, asking: Asking = {}): Promise<readonly QueryAnswer[]> {
  const { in: container = many, betweenPages, ...command } = asking;
  const pages: QueryAnswer[] = [];
  let continuation: string | undefined;
  do {
    const page = await account.queryItems(container, {
      text,
      parameters: new Map(),
      parameterNames: new Set(),
      scope: { kind: "container" },
      isFanOutAllowed: true,
      countMax: 1_000,
      ...command,
      continuation,
    });
    pages.push(unwrapped(page));
    ({ continuation } = pages.at(-1)!);
    betweenPages?.();
  } while (continuation !== undefined);
  return pages;
}

function sumOf(pages: readonly QueryAnswer[]): number {
  return pages.reduce((sum, { charge }) => sum + Math.round(charge * 100), 0) / 100;
}

/** Rows that come one after the other, in key order or merged in that of an index. */
const IN_KEY_ORDER = ["SELECT * FROM c", "SELECT * FROM c WHERE c.g < 3"];
const SCANNING = "SELECT * FROM c WHERE c.secret = 1";
const PARTLY = "SELECT * FROM c WHERE c.g < 5 AND c.secret = 1";
const JOINING = "SELECT VALUE e FROM c JOIN e IN c.l WHERE c.n > 20";
const MERGED = ["SELECT * FROM c ORDER BY c.n", "SELECT * FROM c ORDER BY c.n DESC"];
const MERGED_PAST = "SELECT * FROM c WHERE c.g < 5 ORDER BY c.n";
const COLLECTED = [
  "SELECT c.g, COUNT(1) AS k FROM c GROUP BY c.g",
  "SELECT DISTINCT c.s FROM c",
  "SELECT DISTINCT VALUE c.s FROM c",
  "SELECT * FROM c WHERE c.g = 2 ORDER BY c.n",
  "SELECT VALUE r.n FROM (SELECT DISTINCT c.n FROM c WHERE c.g = 1) AS r",
];
const ALL = [
  ...IN_KEY_ORDER,
  SCANNING,
  PARTLY,
  JOINING,
  ...MERGED,
  MERGED_PAST,
  ...COLLECTED,
  "SELECT TOP 11 * FROM c WHERE c.g < 3",
  "SELECT * FROM c ORDER BY c.n OFFSET 5 LIMIT 20",
  "SELECT VALUE COUNT(1) FROM c WHERE c.g = 1",
  "SELECT VALUE UPPER(c.s) FROM c WHERE CONTAINS(c.s, '1')",
];

describe("openings", () => {
  test("a physical partition without a match costs its opening and the lookup", async () => {
    const [page] = await pagesOf("SELECT * FROM c WHERE c.g = 99");
    expect(page!.charge).toBe(Math.round(PARTITION_COUNT * (OPEN + LOOKUP) * 100) / 100);
    expect([...page!.charges.values()]).toHaveLength(PARTITION_COUNT);
  });

  test("a filter on the key leaves one", async () => {
    const [page] = await pagesOf("SELECT * FROM c WHERE c.pk = 'none'");
    expect(page!.charge).toBe(OPEN + LOOKUP);
    expect(page!.charges.size).toBe(1);
  });

  test("a query that nothing can pass, or about nothing, is run somewhere", async () => {
    for (const text of ["SELECT * FROM c WHERE c.pk = '1' AND c.pk = '2'", "SELECT 1"]) {
      const [page] = await pagesOf(text);
      expect(page!.charge).toBeCloseTo(OPEN, 1);
      expect(page!.charges.size).toBe(1);
    }
  });

  test.each(IN_KEY_ORDER)("a page pays for those it comes to: %s", async (text) => {
    const pages = await pagesOf(text, { countMax: 1 });
    for (const { charges } of pages.slice(0, -1)) expect(charges.size).toBe(1);
    const opening = OPEN + (text.includes("WHERE") ? LOOKUP : 0);
    const [whole] = await pagesOf(text);
    // One row lies where the page before ended, or is the first of the next one.
    const empty = PARTITION_COUNT - usedCount;
    const extra = (pages.length + empty - PARTITION_COUNT) * opening;
    expect(sumOf(pages) - whole!.charge).toBeCloseTo(extra, 0);
  });

  test.each(MERGED)("merged rows open all at first, then one on each page: %s", async (text) => {
    const [first, ...others] = await pagesOf(text, { countMax: 7 });
    const [whole] = await pagesOf(text);
    expect(first!.charges.size).toBe(PARTITION_COUNT);
    expect(first!.charge).toBeGreaterThan(PARTITION_COUNT * (OPEN + LOOKUP));
    const rest = whole!.charge - first!.charge + others.length * (OPEN + LOOKUP);
    expect(sumOf(others)).toBeCloseTo(rest, 0);
  });

  test.each(COLLECTED)("the first page pays for collecting: %s", async (text) => {
    const [first, ...others] = await pagesOf(text, { countMax: 2 });
    expect(first!.charge).toBeGreaterThan(PARTITION_COUNT * OPEN);
    for (const { charge } of others) expect(charge - OPEN).toBeLessThan(0.5);
  });

  test.each(ALL)("n pages over p pay for n + p - 1 at most: %s", async (text) => {
    const [whole] = await pagesOf(text);
    for (const countMax of [1, 7]) {
      const pages = await pagesOf(text, { countMax });
      // Joined rows: an item that is cut in two is read twice.
      const again = text === JOINING ? pages.length * 0.05 : 0;
      const most = whole!.charge + (pages.length - 1) * (OPEN + LOOKUP) + again;
      expect(sumOf(pages)).toBeLessThanOrEqual(most + pages.length * 0.01);
      expect(sumOf(pages)).toBeGreaterThanOrEqual(whole!.charge - pages.length * 0.01);
    }
  });
});

describe("chance has no say", () => {
  test.each(ALL)("the parts add up, and a second time costs the same: %s", async (text) => {
    for (const countMax of [1, 7, 1_000]) {
      const pages = await pagesOf(text, { countMax });
      for (const { charge, charges } of pages) {
        const parts = [...charges.values()].map((part) => Math.round(part * 100));
        expect(parts.reduce((sum, part) => sum + part, 0)).toBe(Math.round(charge * 100));
      }
      const again = await pagesOf(text, { countMax });
      expect(again.map(({ charge }) => charge)).toEqual(pages.map(({ charge }) => charge));
    }
  });

  test.each(ALL)("whether rows were kept or are collected anew: %s", async (text) => {
    const kept = await pagesOf(text, { countMax: 3 });
    const betweenPages = (): void => many.collected.clear();
    const anew = await pagesOf(text, { countMax: 3, betweenPages });
    expect(anew.map(({ charge }) => charge)).toEqual(kept.map(({ charge }) => charge));
  });

  test.each(ALL)("how slow the machine is: %s", async (text) => {
    for (const countMax of [7, 1_000]) {
      tick.ms = 0;
      const quick = await pagesOf(text, { countMax });
      tick.ms = 60;
      const slow = await pagesOf(text, { countMax });
      tick.ms = 0;
      expect(slow.flatMap(({ rows }) => rows)).toEqual(quick.flatMap(({ rows }) => rows));
      // Who pays for a look ahead that was cut off is left open, and every page is rounded.
      const tolerance = text.includes("secret") ? 0.01 * quick.length : 0;
      expect(Math.abs(sumOf(slow) - sumOf(quick))).toBeLessThan(tolerance + 0.005);
    }
  });

  test("slow machines do cut pages", async () => {
    tick.ms = 60;
    const pages = await pagesOf(SCANNING);
    tick.ms = 0;
    expect(pages.length).toBeGreaterThan(5);
  });
});

describe("what is counted", () => {
  const chargeOf = async (text: string, asking: Asking = {}): Promise<number> =>
    (await pagesOf(text, { in: one, ...asking }))[0]!.charge;

  test("items that the index rules out are not, those that only they can tell are", async () => {
    const itemCountOf = async (text: string): Promise<number> =>
      (await pagesOf(text, { in: one }))[0]!.work.itemCount;
    expect(await itemCountOf("SELECT * FROM c WHERE c.g = 1")).toBe(10);
    expect(await itemCountOf("SELECT * FROM c WHERE c.secret = 1")).toBe(ITEM_COUNT);
    expect(await itemCountOf("SELECT * FROM c WHERE c.g = 1 AND c.secret = 0")).toBe(10);
    expect(await itemCountOf("SELECT TOP 10 * FROM c")).toBe(11);
  });

  test("a function that the index does not know reads every item", async () => {
    const upper = await chargeOf("SELECT * FROM c WHERE UPPER(c.s) = 'S1'");
    const loaded = await chargeOf("SELECT VALUE 1 FROM c WHERE c.secret >= 0");
    expect(upper).toBeGreaterThan(loaded + ITEM_COUNT * 0.015);
  });

  test("with a condition that it does know, only what that leaves", async () => {
    const both = await chargeOf("SELECT * FROM c WHERE c.n = 5 AND UPPER(c.s) = 'S5'");
    expect(both).toBeCloseTo(await chargeOf("SELECT * FROM c WHERE c.n = 5"), 1);
  });

  test("the order of another index is walked, that of a composite one is not", async () => {
    const walked = await chargeOf("SELECT * FROM c WHERE c.s = 's1' ORDER BY c.n");
    const found = await chargeOf("SELECT * FROM c WHERE c.s = 's1'");
    expect(walked - found).toBeCloseTo(0.1 + ITEM_COUNT * 0.0041, 1);
    const composite = await chargeOf("SELECT * FROM c WHERE c.g = 1 ORDER BY c.g, c.n");
    expect(composite).toBeCloseTo(await chargeOf("SELECT * FROM c WHERE c.g = 1"), 1);
  });

  test("an aggregate that the index has reads its entries only", async () => {
    const whole = OPEN + ITEM_COUNT * 0.0035;
    expect(await chargeOf("SELECT VALUE COUNT(1) FROM c")).toBeCloseTo(whole, 1);
    expect(await chargeOf("SELECT VALUE SUM(c.n) FROM c")).toBeCloseTo(whole, 1);
    expect(await chargeOf("SELECT VALUE COUNT(1) FROM c WHERE CONTAINS(c.s, '1')")).toBeGreaterThan(
      whole + ITEM_COUNT * 0.008,
    );
  });

  test("the scope that a client gives is a way in, a key that is not indexed is none", async () => {
    const scope = { kind: "key", range: rangeOfKey(one.definition.partitionKey, ["p1"]) } as const;
    const page = await chargeOf("SELECT * FROM c", { scope });
    expect(page).toBeCloseTo(await chargeOf("SELECT * FROM c WHERE c.pk = 'p1'"), 2);
  });

  test("strong reads cost twice", async () => {
    const text = "SELECT * FROM c WHERE c.g = 1";
    const twice = 2 * (await chargeOf(text));
    expect(await chargeOf(text, { consistency: "strong" })).toBeCloseTo(twice, 1);
  });
});
