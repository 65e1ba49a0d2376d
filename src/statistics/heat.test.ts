/** Heat: rows of buckets, how they are packed, and the table that is drawn. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { PartitionKeyDefinition } from "../model/partitionKey.ts";
import { Heat } from "./heat.ts";
import { type HeatMapQuestion, heatMap } from "./heatMap.ts";
import { BUCKET_COUNT, HEAT_PACKING, newHeatRow } from "./heatRow.ts";
import { History } from "./history.ts";
import { newRow } from "./slotTable.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = 20_000 * DAY;
const V2: PartitionKeyDefinition = { paths: ["/pk"], kind: "Hash", version: 2 };

describe("a packed row", () => {
  const anyAmount = fc.oneof(fc.constant(0), fc.nat(2048), fc.nat(2 ** 45));

  test("keeps small whole numbers exactly and others to within one part in 2048", () => {
    fc.assert(
      fc.property(fc.array(anyAmount, { maxLength: BUCKET_COUNT }), fc.nat(255), (amounts, at) => {
        const row = newHeatRow();
        amounts.forEach((amount, index) => {
          row.ru[(at + index) % BUCKET_COUNT] = amount / 100;
          row.throttled[(at + 7 * index) % BUCKET_COUNT] = amount;
        });
        const unpacked = HEAT_PACKING.unpack(HEAT_PACKING.pack(row))!;
        const isKept = (amount: number, found: number): boolean => {
          const isExact = Number.isInteger(amount) && amount <= 2048;
          return Math.abs(found - amount) <= (isExact ? 0 : amount / 2048);
        };
        expect(row.ru.every((ru, bucket) => isKept(ru, unpacked.ru[bucket]!))).toBe(true);
        const { throttled } = row;
        expect(throttled.every((count, at) => isKept(count, unpacked.throttled[at]!))).toBe(true);
      }),
    );
  });

  test.each<[string, number, number]>([
    ["nothing", 0, 2],
    ["one bucket", 1, 36],
    ["all buckets", 256, 514],
  ])("takes little space: %s", (_, usedCount, byteCount) => {
    const row = newHeatRow();
    row.ru.fill(1234.56, 0, usedCount);
    expect(HEAT_PACKING.pack(row).length).toBe(byteCount);
  });

  test("any bytes are a row or refused", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
        const row = HEAT_PACKING.unpack(bytes);
        if (row !== undefined) expect(row.ru.length).toBe(BUCKET_COUNT);
      }),
    );
    expect(HEAT_PACKING.unpack(Uint8Array.of(3, 0))).toBeUndefined();
    expect(HEAT_PACKING.unpack(Uint8Array.of(0, 0, 0))).toBeUndefined();
  });
});

describe("load without a place", () => {
  test.each<[string, number, number, readonly [number, number][]]>([
    ["one bucket", 0, 1 / 256, [[0, 8]]],
    [
      "two buckets",
      2 / 256,
      4 / 256,
      [
        [2, 4],
        [3, 4],
      ],
    ],
    [
      "one and a half",
      2 / 256,
      3.5 / 256,
      [
        [2, 16 / 3],
        [3, 8 / 3],
      ],
    ],
    ["part of a bucket", 2.25 / 256, 2.5 / 256, [[2, 8]]],
    ["no length", 0.5, 0.5, [[128, 8]]],
    ["the end", 255 / 256, 1, [[255, 8]]],
  ])("is spread over its range: %s", (_, from, to, expected) => {
    const heat = new Heat();
    heat.spread({ from, to }, "ru", 8);
    const found = [...heat.pending.ru.entries()].filter(([, ru]) => ru !== 0);
    expect(found.map(([bucket]) => bucket)).toEqual(expected.map(([bucket]) => bucket));
    found.forEach(([, ru], index) => {
      expect(ru).toBeCloseTo(expected[index]![1], 9);
    });
  });
});

/** One request each: when, in minutes after the start, and where. */
function heatOf(requests: readonly (readonly [minute: number, bucket: number, ru: number])[]) {
  const heat = new Heat();
  const history = new History();
  for (const [minute, bucket, ru] of requests) {
    const wallAt = START + minute * MINUTE;
    heat.enter(wallAt);
    heat.pending.ru[bucket]! += ru;
    history.add(wallAt, newRow());
  }
  heat.settle();
  return { heat, history, definition: V2 };
}

describe("a heat map", () => {
  const question: HeatMapQuestion = {
    from: START,
    to: START + 4 * MINUTE,
    metric: "ru",
    rows: 2,
    columns: 4,
  };

  test("has a cell for each stretch of keys and span of time; null where nobody counted", () => {
    const sources = heatOf([
      [0, 0, 5],
      [0, 127, 2],
      [1, 128, 3],
      [3, 255, 4],
    ]);
    const drawn = heatMap({ ...sources, wallNow: START + 10 * MINUTE }, question);
    const half = "20000000000000000000000000000000";
    expect(drawn.rows).toEqual([
      { min: "", max: half },
      { min: half, max: "FF" },
    ]);
    expect(drawn.columns.map(({ from }) => (from - START) / MINUTE)).toEqual([0, 1, 2, 3]);
    expect(drawn.cells).toEqual([
      [7, 0, null, 0],
      [0, 3, null, 4],
    ]);
  });

  test("has no more rows than buckets and no more columns than can be drawn", () => {
    const sources = heatOf([[0, 0, 1]]);
    const large = { ...question, to: START + DAY, rows: 512, columns: 1000 };
    const drawn = heatMap({ ...sources, wallNow: START + DAY - 1 }, large);
    expect(drawn.rows.length).toBe(256);
    expect(drawn.cells.length).toBe(256);
    expect(drawn.columns.length).toBe(360);
  });

  test("for all requests and shapes, cells come to the sum of what lies in them", () => {
    const anyRequest = fc.tuple(fc.nat(14 * 24 * 60), fc.nat(255), fc.integer({ min: 1, max: 9 }));
    const anyRequests = fc.array(anyRequest, { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(
        anyRequests,
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 2, max: 60 }),
        fc.constantFrom(HOUR, DAY, 5 * DAY, 20 * DAY),
        (unsorted, rows, columns, ago) => {
          const requests = unsorted.toSorted((one, other) => one[0] - other[0]);
          const wallNow = START + requests.at(-1)![0] * MINUTE + 30_000;
          const span = { from: wallNow - ago, to: wallNow, rows, columns, metric: "ru" } as const;
          const drawn = heatMap({ ...heatOf(requests), wallNow }, span);
          const expected = drawn.columns.map(({ from, to }) => {
            const inside = requests.filter(([minute]) => {
              const at = START + minute * MINUTE;
              return at >= from && at < to;
            });
            return inside.length === 0 ? null : inside.reduce((sum, [, , ru]) => sum + ru, 0);
          });
          const found = drawn.columns.map((_, column) => {
            const cells = drawn.cells.map((row) => row[column]!);
            if (cells.every((cell) => cell === null)) return null;
            return cells.reduce((sum, cell) => sum + cell!, 0);
          });
          expect(found).toEqual(expected);
        },
      ),
      { numRuns: 60, seed: 20_261_116 },
    );
  });
});
