/** What is counted about one physical partition. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { type Millis, millis } from "../base/units.ts";
import type { PartitionKeyDefinition } from "../model/partitionKey.ts";
import { epkOf } from "../partition/epk.ts";
import { WHOLE_RANGE } from "../partition/epkRange.ts";
import { ContainerMeter } from "./containerMeter.ts";
import type { PartitionMeter, RequestKind } from "./partitionMeter.ts";
import { RESOLUTIONS, slotOf } from "./resolution.ts";
import { slotFrom } from "./slotTable.ts";

const V2: PartitionKeyDefinition = { paths: ["/pk"], kind: "Hash", version: 2 };
const WALL_START = 20_000 * 24 * 3_600_000;
const KEY = epkOf(V2, ["a"]);
const OTHER = epkOf(V2, ["b"]);

class Stage {
  now: Millis = millis(0);
  wallShift = WALL_START;
  readonly container: ContainerMeter;
  readonly meter: PartitionMeter;

  constructor(allottedRate = 1000) {
    const wallNow = (): number => this.now + this.wallShift;
    this.container = new ContainerMeter(V2, { now: () => this.now, wallNow });
    this.meter = this.container.open({ id: "0", range: WHOLE_RANGE, allottedRate }, this.now);
  }

  note(at: number, charge: number, kind: RequestKind = "read"): void {
    this.now = millis(at);
    this.meter.note(kind, KEY, charge, this.now);
  }

  load(seconds: number, at: number) {
    return this.meter.load(seconds, millis(at));
  }
}

test("within a second, every request counts for its key and its stretch of keys", () => {
  const stage = new Stage();
  for (let n = 0; n < 300; n++) stage.note(100, 2);
  expect(stage.meter.keyLoad(KEY, stage.now)).toMatchObject({ ru: 600, errorRu: 0 });
  const from = WALL_START;
  const question = { from, to: from + 60_000, metric: "ru", rows: 1, columns: 2 } as const;
  const { cells } = stage.container.heatMap(question, millis(2000));
  expect(cells.flat().reduce<number>((sum, ru) => sum + (ru ?? 0), 0)).toBe(600);
});

describe("the last seconds", () => {
  test("the running second does not count yet", () => {
    const stage = new Stage();
    stage.note(5100, 100);
    stage.note(5900, 200);
    expect(stage.load(1, 5999).ru).toBe(0);
    expect(stage.load(1, 6000)).toEqual({
      seconds: 1,
      ru: 300,
      requestCount: 2,
      throttledCount: 0,
      normalizedPercent: 30,
    });
    expect(stage.load(1, 7000).ru).toBe(0);
    expect(stage.load(2, 7000).ru).toBe(300);
  });

  test("a span is as long as there was time", () => {
    const stage = new Stage();
    expect(stage.load(60, 0).seconds).toBe(0);
    expect(stage.load(60, 10_500).seconds).toBe(10);
    expect(stage.load(60, 100_000).seconds).toBe(60);
  });

  test("the busiest second says how busy it was, and no more than 100 %", () => {
    const stage = new Stage(100);
    stage.note(500, 40);
    stage.note(1500, 90);
    stage.note(2500, 20);
    expect(stage.load(60, 3000).normalizedPercent).toBe(90);
    stage.note(3500, 500);
    expect(stage.load(60, 4000).normalizedPercent).toBe(100);
  });

  test("a throttled request is a request and spends nothing", () => {
    const stage = new Stage();
    stage.note(100, 5);
    stage.meter.noteThrottled("write", KEY, millis(200));
    stage.meter.noteThrottled("query", undefined, millis(300));
    expect(stage.load(1, 1000)).toMatchObject({ ru: 5, requestCount: 3, throttledCount: 2 });
    expect(stage.meter.keyLoad(KEY, millis(1000))).toMatchObject({ ru: 5, throttledCount: 1 });
  });

  test("after 300 seconds nothing is left", () => {
    const stage = new Stage();
    stage.note(500, 1);
    expect(stage.load(300, 300_999).ru).toBe(1);
    expect(stage.load(300, 301_000).ru).toBe(0);
    stage.note(301_500, 2);
    expect(stage.load(300, 302_000).ru).toBe(2);
  });

  test.each<[string, number, readonly (readonly [at: number, rate: number])[], number, number]>([
    ["before the second", 100, [[2500, 200]], 3900, 50],
    ["at its start", 100, [[3000, 200]], 3900, 50],
    ["in the middle of it", 100, [[3500, 300]], 3900, 50],
    [
      "twice in it",
      100,
      [
        [3250, 200],
        [3500, 325],
      ],
      3900,
      42.105,
    ],
    [
      "in it and the second before",
      100,
      [
        [2500, 200],
        [3500, 300],
      ],
      3900,
      40,
    ],
    ["in the second after", 100, [[4500, 800]], 3900, 100],
    ["to nothing", 100, [[2500, 0]], 3900, 100],
    ["to no limit", 100, [[2500, Number.POSITIVE_INFINITY]], 3900, 0],
  ])("the rate changes: %s", (_, rate, changes, at, percent) => {
    const stage = new Stage(rate);
    for (const [changeAt, changed] of changes.filter(([changeAt]) => changeAt <= at)) {
      stage.meter.setAllotted(changed, millis(changeAt));
    }
    stage.note(at, 100);
    for (const [changeAt, changed] of changes.filter(([changeAt]) => changeAt > at)) {
      stage.meter.setAllotted(changed, millis(changeAt));
    }
    expect(stage.load(60, 6000).normalizedPercent).toBeCloseTo(percent, 2);
  });

  test("for all requests, a load is the sum over its seconds", () => {
    const anyRequest = fc.record({ gap: fc.nat(40_000), charge: fc.integer({ min: 1, max: 300 }) });
    const anyCount = fc.integer({ min: 1, max: 300 });
    fc.assert(
      fc.property(fc.array(anyRequest, { maxLength: 80 }), anyCount, (requests, count) => {
        const stage = new Stage(100);
        const noted: { readonly second: number; readonly charge: number }[] = [];
        let at = 0;
        for (const { gap, charge } of requests) {
          at += gap;
          stage.note(at, charge);
          noted.push({ second: Math.floor(at / 1000), charge });
        }
        const end = Math.floor(at / 1000);
        const inside = noted.filter(({ second }) => second >= end - count && second < end);
        const spent = new Map<number, number>();
        for (const { second, charge } of inside) {
          spent.set(second, (spent.get(second) ?? 0) + charge);
        }
        expect(stage.load(count, at)).toEqual({
          seconds: Math.min(count, end),
          ru: inside.reduce((sum, { charge }) => sum + charge, 0),
          requestCount: inside.length,
          throttledCount: 0,
          normalizedPercent: Math.max(0, ...[...spent.values()].map((ru) => Math.min(100, ru))),
        });
      }),
    );
  });
});

describe("logical partitions", () => {
  test("the heaviest of the last five minutes first", () => {
    const stage = new Stage();
    stage.meter.note("read", KEY, 3, millis(0));
    stage.meter.note("read", OTHER, 5, millis(61_000));
    stage.meter.note("write", KEY, 1, millis(62_000));
    stage.meter.note("query", undefined, 100, millis(63_000));
    const keysAt = (at: number) =>
      stage.meter.topKeys(9, millis(at)).map(({ epk, ru }) => [epk, ru]);
    expect(keysAt(64_000)).toEqual([
      [OTHER, 5],
      [KEY, 4],
    ]);
    expect(keysAt(301_000)).toEqual([
      [OTHER, 5],
      [KEY, 1],
    ]);
    expect(keysAt(400_000)).toEqual([]);
  });
});

describe("history", () => {
  function slotAt(stage: Stage, resolution: number, wallAt: number) {
    const firstSlot = slotOf(RESOLUTIONS[resolution]!, wallAt);
    const group = { firstSlot, endSlot: firstSlot + 1, from: 0, to: 0 };
    const [sum] = stage.meter.history.sums(resolution, [group]);
    return sum === undefined ? undefined : slotFrom(sum);
  }

  test("everything goes to its minute, its ten minutes and its hour", () => {
    const stage = new Stage(100);
    stage.note(1000, 10, "read");
    stage.note(2000, 50, "write");
    stage.note(3000, 20, "feed");
    stage.meter.noteThrottled("query", undefined, millis(3000));
    stage.note(120_000, 5, "read");
    stage.now = millis(125_000);
    stage.meter.noteSizes(7, 7000, stage.now);
    const minute = {
      ru: 80,
      requestCount: 4,
      throttledCount: 1,
      readCount: 1,
      writeCount: 1,
      queryPageCount: 1,
      feedCount: 1,
      queryCount: 0,
      crossPartitionQueryCount: 0,
      normalizedPercent: 50,
      itemCount: undefined,
      itemBytes: undefined,
    };
    const all = { ...minute, ru: 85, requestCount: 5, readCount: 2, itemCount: 7, itemBytes: 7000 };
    expect(slotAt(stage, 0, WALL_START)).toEqual(minute);
    expect(slotAt(stage, 0, WALL_START + 60_000)).toBeUndefined();
    expect(slotAt(stage, 0, WALL_START + 120_000)).toMatchObject({ ru: 5, itemCount: 7 });
    expect(slotAt(stage, 1, WALL_START)).toEqual(all);
    expect(slotAt(stage, 2, WALL_START)).toEqual(all);
  });

  test("a wall clock that jumps back goes on where it is, and loses nothing", () => {
    const stage = new Stage();
    stage.note(1000, 1);
    stage.note(601_000, 2);
    stage.wallShift -= 600_000;
    stage.note(602_000, 4);
    stage.wallShift += 600_000;
    stage.note(603_000, 8);
    stage.meter.close();
    expect(slotAt(stage, 0, WALL_START)).toMatchObject({ ru: 5 });
    expect(slotAt(stage, 0, WALL_START + 600_000)).toMatchObject({ ru: 10 });
    expect(slotAt(stage, 2, WALL_START)).toMatchObject({ ru: 15 });
  });
});
