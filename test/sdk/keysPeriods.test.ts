/** A range of time over keys that have time in them, through the official client. */
import type { Container } from "@azure/cosmos";
import { PartitionKeyKind } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seededRandom } from "../../src/base/world.ts";
import { bulkWriter } from "../../src/keys/client/bulkWriter.ts";
import type { PeriodsOptions } from "../../src/keys/client/queryPeriods.ts";
import { queryPeriods } from "../../src/keys/client/queryPeriods.ts";
import type { KeyStrategy } from "../../src/keys/strategy.ts";
import { strategyOf } from "../../src/keys/strategy.ts";
import type { Stage } from "./stage.ts";
import { openContainer, openStage } from "./stage.ts";

interface Reading {
  readonly id: string;
  readonly device: string;
  readonly ts: string;
  readonly value: number;
}

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

/** A year and a bit of three devices; about 30 readings a month. */
const READINGS: readonly Reading[] = (() => {
  const random = seededRandom(5);
  const [first, last] = [Date.UTC(2025, 10, 20), Date.UTC(2027, 0, 10)];
  return Array.from({ length: 450 }, (_, n) => ({
    id: `r${n}`,
    device: `d${n % 3}`,
    ts: new Date(first + Math.floor(random.next() * (last - first))).toISOString(),
    value: Math.floor(random.next() * 1000),
  }));
})();

const YEAR = { path: "/ts", from: "2026-01-01T00:00:00Z", to: "2027-01-01T00:00:00Z" };
const isInYear = ({ ts }: Reading): boolean => ts >= YEAR.from && ts < YEAR.to;
const byTime = (a: Reading, b: Reading): number => (a.ts < b.ts ? -1 : 1);
const idsOf = (rows: readonly Reading[]): string[] => rows.map(({ id }) => id);

async function filled(strategy: KeyStrategy): Promise<Container> {
  const { paths } = strategy;
  const isSeveral = paths.length > 1;
  const kind = isSeveral ? PartitionKeyKind.MultiHash : PartitionKeyKind.Hash;
  const partitionKey = { paths: [...paths], kind, version: 2 };
  const container = await openContainer(stage.database, { partitionKey });
  const world = { wait: () => Promise.resolve() };
  const writer = bulkWriter(container, { key: strategy, world });
  const result = await writer.write(READINGS.map((reading) => ({ ...reading })));
  expect([result.count, result.failures]).toEqual([READINGS.length, []]);
  return container;
}

describe("twelve months under monthly keys of each device", () => {
  const strategy = strategyOf("concat(/device, '-', month(/ts))");
  const d1 = READINGS.filter((reading) => reading.device === "d1" && isInYear(reading));
  let container: Container;
  beforeAll(async () => {
    container = await filled(strategy);
  });
  const ask = (options: Partial<PeriodsOptions> = {}) =>
    queryPeriods<Reading>(container, {
      strategy,
      range: YEAR,
      values: { "/device": "d1" },
      ...options,
    });

  test("are twelve keys, each asked once, and merged in the order of time", async () => {
    const query = ask();
    expect(query.keys).toHaveLength(12);
    expect(query.keys[0]).toEqual(["d1-2026-01"]);
    const { rows, ru, byKey, plannedKeyCount } = await query.all();
    expect(idsOf(rows)).toEqual(idsOf(d1.toSorted(byTime)));
    expect(plannedKeyCount).toBe(12);
    expect(byKey.map(({ key }) => key)).toEqual(query.keys);
    expect(byKey.reduce((sum, { rowCount }) => sum + rowCount, 0)).toBe(d1.length);
    expect(byKey.reduce((sum, each) => sum + each.ru, 0)).toBeCloseTo(ru, 6);
    expect(Math.min(...byKey.map((each) => each.ru))).toBeGreaterThan(2);
  });

  test("by pages of two, one request at a time, it is the same", async () => {
    const { rows, byKey } = await ask({ pageSize: 2, concurrency: 1 }).all();
    expect(idsOf(rows)).toEqual(idsOf(d1.toSorted(byTime)));
    for (const { pageCount, rowCount } of byKey) {
      expect(pageCount).toBeGreaterThanOrEqual(Math.ceil(rowCount / 2));
    }
  });

  test("the newest five cost the newest month only, or two", async () => {
    const order = { direction: "descending" } as const;
    const { rows, byKey, plannedKeyCount } = await ask({ order, limit: 5 }).all();
    expect(idsOf(rows)).toEqual(idsOf(d1.toSorted(byTime).toReversed().slice(0, 5)));
    expect(plannedKeyCount).toBe(12);
    expect(byKey[0]!.key).toEqual(["d1-2026-12"]);
    expect(byKey.length).toBeLessThanOrEqual(2);
  });

  test("by another property every key is asked, for the best of each", async () => {
    const order = { by: "/value", direction: "descending" } as const;
    const { rows, byKey } = await ask({ order, limit: 8 }).all();
    const best = d1.map(({ value }) => value).toSorted((a, b) => b - a);
    expect(rows.map(({ value }) => value)).toEqual(best.slice(0, 8));
    expect(byKey).toHaveLength(12);
    for (const { rowCount } of byKey) expect(rowCount).toBeLessThanOrEqual(8);
  });

  test("with a condition, a selection, several devices, and ends within a month", async () => {
    const range = { path: "/ts", from: "2026-02-10T00:00:00Z", to: "2026-04-02T12:00:00Z" };
    const query = ask({
      range,
      values: { "/device": ["d0", "d2"] },
      where: "c.value >= @least OR c.value < @most",
      parameters: { least: 700, most: 100 },
      select: "{ id: c.id, ts: c.ts }",
    });
    expect(query.keys).toHaveLength(6);
    const expected = READINGS.filter(
      ({ device, ts, value }) =>
        device !== "d1" && ts >= range.from && ts < range.to && (value >= 700 || value < 100),
    );
    const rows: Reading[] = [];
    for await (const row of query) rows.push(row);
    expect(rows).toEqual(expected.toSorted(byTime).map(({ id, ts }) => ({ id, ts })));
    expect(query.totals().ru).toBeGreaterThan(10);
  });

  test("who stops reading stops asking", async () => {
    const query = ask({ limit: 1000 });
    for await (const _ of query) break;
    expect(query.totals().byKey).toHaveLength(1);
  });
});

test.each([
  ["suffix(month(/ts), hash(/device), 4)", { "/device": "d1" }, 12],
  ["suffix(month(/ts), hash(/device), 4)", {}, 48],
  ["suffix(quarter(/ts), turn(), 3)", {}, 12],
  ["choose(/device, ['d0'], month(/ts), quarter(/ts))", {}, 16],
  ["[/device, month(/ts)]", { "/device": ["d0", "d1", "d2"] }, 36],
  ["[month(/ts), /device]", {}, 12],
  ["/device", { "/device": ["d0", "d1", "d2"] }, 3],
  ["week(/ts)", {}, 53],
] as const)("%s, knowing %j: %i keys", async (text, values, keyCount) => {
  const strategy = strategyOf(text);
  const container = await filled(strategy);
  const isAsked = ({ device }: Reading): boolean =>
    !("/device" in values) || [values["/device"]].flat().includes(device as "d0");
  const expected = READINGS.filter((reading) => isInYear(reading) && isAsked(reading));
  const up = queryPeriods<Reading>(container, { strategy, range: YEAR, values });
  expect(up.keys).toHaveLength(keyCount);
  expect(idsOf((await up.all()).rows)).toEqual(idsOf(expected.toSorted(byTime)));
  const order = { direction: "descending" } as const;
  const down = queryPeriods<Reading>(container, { strategy, range: YEAR, values, order, limit: 9 });
  const newest = expected.toSorted(byTime).toReversed().slice(0, 9);
  expect(idsOf((await down.all()).rows)).toEqual(idsOf(newest));
});

describe("what cannot be asked", () => {
  const strategy = strategyOf("concat(/device, '-', month(/ts))");
  const any = { items: { query: () => expect.unreachable() } };
  test.each<[string, Partial<PeriodsOptions>, RegExp]>([
    ["a key whose values are not known", {}, /cannot be listed without values for \/device/],
    ["no time", { range: { ...YEAR, to: "soon" } }, /range\.to: soon is no time/],
    ["no path", { values: { device: "d1" } }, /"device" is no path/],
    ["too many", { range: { ...YEAR, from: "0001" }, values: manyDevices() }, /too many to visit/],
    ["no rows at all", { values: { "/device": "d1" }, limit: 0 }, /limit: 0/],
  ])("%s", (_what, options, message) => {
    const asked = () => queryPeriods(any as never, { strategy, range: YEAR, ...options });
    expect(asked).toThrow(message);
  });

  test("an empty range has no keys", async () => {
    const range = { ...YEAR, to: YEAR.from };
    const query = queryPeriods(any as never, { strategy, range, values: { "/device": "d1" } });
    expect(await query.all()).toMatchObject({ rows: [], ru: 0, plannedKeyCount: 0 });
  });

  function manyDevices(): Record<string, string[]> {
    return { "/device": Array.from({ length: 20_000 }, (_, n) => `d${n}`) };
  }
});
