/** The totals of a container: over days, through splits and restarts. */
import { describe, expect, test } from "vitest";

import { type Millis, millis } from "../base/units.ts";
import { seededRandom } from "../base/world.ts";
import type { PartitionKeyDefinition } from "../model/partitionKey.ts";
import { epkOf } from "../partition/epk.ts";
import { contains, type Epk } from "../partition/epkRange.ts";
import { initialRanges } from "../partition/initialRanges.ts";
import { type Chunk, restoreChunks, takeChunks } from "./chunks.ts";
import { ContainerMeter } from "./containerMeter.ts";
import type { PartitionMeter } from "./partitionMeter.ts";
import { RESOLUTIONS } from "./resolution.ts";

const V2: PartitionKeyDefinition = { paths: ["/pk"], kind: "Hash", version: 2 };
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WALL_START = 20_000 * DAY;
const KEYS: readonly Epk[] = Array.from({ length: 40 }, (_, key) => epkOf(V2, [key]));
const RANGES = initialRanges(V2, 2);
const LEFT = KEYS.filter((epk) => contains(RANGES[0]!, epk));

class Stage {
  now: Millis = millis(0);
  wallShift = WALL_START;
  container!: ContainerMeter;
  meters: PartitionMeter[] = [];

  constructor() {
    this.start();
  }

  get wallNow(): number {
    return this.now + this.wallShift;
  }

  /** A fresh server, which knows nothing yet. */
  start(): void {
    const clock = { now: () => this.now, wallNow: () => this.wallNow };
    this.container = new ContainerMeter(V2, clock);
    this.meters = RANGES.map((range, id) =>
      this.container.open({ id: String(id), range, allottedRate: 1000 }, this.now),
    );
  }

  wait(ms: number): void {
    this.now = millis(this.now + ms);
  }

  note(key: number, charge: number): void {
    const epk = KEYS[key]!;
    const index = contains(RANGES[0]!, epk) ? 0 : 1;
    this.meters[index]!.note("read", epk, charge, this.now);
  }

  timeline(ago: number, columnsMax = 360) {
    const span = { from: this.wallNow - ago, to: this.wallNow };
    return this.container.timeline(span, columnsMax, this.now);
  }

  totalRu(ago: number): number {
    return this.timeline(ago).reduce((sum, { counted }) => sum + (counted?.ru ?? 0), 0);
  }

  heatTotal(ago: number): number {
    const span = { from: this.wallNow - ago, to: this.wallNow };
    const shape = { metric: "ru", rows: 64, columns: 360 } as const;
    const { cells } = this.container.heatMap({ ...span, ...shape }, this.now);
    return cells.flat().reduce<number>((sum, cell) => sum + (cell ?? 0), 0);
  }
}

describe("totals", () => {
  test("are those of all physical partitions", () => {
    const stage = new Stage();
    for (let key = 0; key < KEYS.length; key++) stage.note(key, 2);
    stage.wait(2 * SECOND);
    expect(stage.container.load(stage.now)).toMatchObject({ ru: 80, requestCount: 40 });
    expect(stage.heatTotal(HOUR)).toBeCloseTo(80, 6);
  });

  test("a load without a key lies in the range it was about", () => {
    const stage = new Stage();
    stage.meters[1]!.note("query", undefined, 64, stage.now);
    stage.wait(2 * SECOND);
    const span = { from: stage.wallNow - HOUR, to: stage.wallNow };
    const shape = { metric: "ru", rows: 4, columns: 100 } as const;
    const { cells } = stage.container.heatMap({ ...span, ...shape }, stage.now);
    const sums = cells.map((row) => row.reduce<number>((sum, cell) => sum + (cell ?? 0), 0));
    [0, 0, 32, 32].forEach((expected, row) => {
      expect(sums[row]).toBeCloseTo(expected, 4);
    });
  });

  test("load without a key counts once, in the minute it was in", () => {
    const stage = new Stage();
    for (const charge of [10, 20, 30]) {
      stage.meters[0]!.note("query", undefined, charge, stage.now);
      stage.meters[0]!.noteThrottled("query", undefined, stage.now);
      stage.wait(MINUTE);
    }
    const span = { from: WALL_START, to: WALL_START + 3 * MINUTE };
    for (const [metric, expected] of [
      ["ru", [10, 20, 30]],
      ["throttled", [1, 1, 1]],
    ] as const) {
      const question = { ...span, metric, rows: 1, columns: 3 };
      const [row] = stage.container.heatMap(question, stage.now).cells;
      row!.forEach((cell, column) => {
        expect(cell! / expected[column]!).toBeCloseTo(1, 3);
      });
    }
  });

  test("a second that is told of five minutes late is not taken for a recent one", () => {
    const stage = new Stage();
    stage.meters[0]!.note("read", undefined, 100, stage.now);
    stage.wait(301 * SECOND);
    stage.meters[1]!.note("read", undefined, 5, stage.now);
    stage.wait(SECOND);
    stage.meters[1]!.note("read", undefined, 7, stage.now);
    stage.wait(SECOND);
    expect(stage.container.load(stage.now).ru).toBe(12);
    expect(stage.totalRu(HOUR)).toBe(112);
  });

  test("keep what a retired physical partition counted, to the last request", () => {
    const stage = new Stage();
    for (const epk of LEFT) stage.meters[0]!.note("read", epk, 1, stage.now);
    stage.container.retire("0");
    const child = { id: "2", range: RANGES[0]!, allottedRate: 500 };
    const meter = stage.container.open(child, stage.now);
    stage.wait(5 * SECOND);
    expect(meter.load(300, stage.now).ru).toBe(0);
    expect(stage.container.load(stage.now).ru).toBe(LEFT.length);
    expect(stage.totalRu(HOUR)).toBe(LEFT.length);
    expect([...stage.container.meters.keys()]).toEqual(["1", "2"]);
  });

  test("queries count as crossing when they are about several physical partitions", () => {
    const stage = new Stage();
    for (const visited of [1, 2, 1, 9]) stage.container.noteQuery(visited, stage.now);
    stage.wait(SECOND);
    const queries = { queryCount: 4, crossPartitionQueryCount: 2 };
    expect(stage.container.queryLoad(stage.now)).toEqual(queries);
    expect(stage.timeline(HOUR).at(-1)!.counted).toMatchObject({ ...queries, requestCount: 0 });
    stage.wait(301 * SECOND);
    expect(stage.container.queryLoad(stage.now).queryCount).toBe(0);
  });

  test("a minute without requests is zero while somebody counts, and a gap otherwise", () => {
    const stage = new Stage();
    stage.note(0, 3);
    stage.wait(MINUTE);
    stage.container.noteSizes(1, 100, stage.now);
    stage.wait(2 * MINUTE);
    stage.container.noteSizes(1, 100, stage.now);
    stage.wait(SECOND);
    const counted = stage.timeline(4 * MINUTE).map((column) => column.counted?.ru ?? null);
    expect(counted.slice(-4)).toEqual([3, 0, null, 0]);
  });
});

describe("growth", () => {
  test.each<[string, number, number | undefined]>([
    ["less than an hour", 59 * MINUTE, undefined],
    ["some hours", 6 * HOUR, 1000 * 24 * 60],
    ["some days", 3 * DAY, 1000 * 24 * 60],
    ["some weeks", 30 * DAY, 1000 * 24 * 60],
  ])("is known from the sizes of %s", (_, lasting, bytesPerDay) => {
    const stage = new Stage();
    const step = lasting > DAY ? 10 * MINUTE : MINUTE;
    let itemBytes = 5000;
    for (let at = 0; at <= lasting; at += step) {
      stage.container.noteSizes(1, itemBytes, stage.now);
      itemBytes += (1000 * step) / MINUTE;
      stage.wait(step);
    }
    const found = stage.container.bytesPerDay(itemBytes);
    if (bytesPerDay === undefined) expect(found).toBeUndefined();
    else expect(found! / bytesPerDay).toBeCloseTo(1, 1);
  });

  test("is not known without sizes, nor from the future", () => {
    const stage = new Stage();
    stage.note(0, 1);
    stage.container.noteSizes(1, 1000, stage.now);
    stage.wallShift -= 3 * DAY;
    stage.wait(2 * HOUR);
    expect(stage.container.bytesPerDay(99)).toBeUndefined();
  });
});

describe("days", () => {
  /** Some requests a minute for `days`, at times that a seed decides; returns what was spent. */
  function live(stage: Stage, days: number, seed: number): { at: number; ru: number }[] {
    const random = seededRandom(seed);
    const spent: { at: number; ru: number }[] = [];
    const end = stage.now + days * DAY;
    while (stage.now < end) {
      const ru = 1 + Math.floor(random.next() * 500) / 100;
      stage.note(Math.floor(random.next() * KEYS.length), ru);
      spent.push({ at: stage.wallNow, ru });
      stage.wait(Math.floor(random.next() * 4 * MINUTE));
    }
    stage.wait(2 * SECOND);
    return spent;
  }

  test("every resolution tells the same, as far as it reaches back", () => {
    const stage = new Stage();
    const spent = live(stage, 12, 1);
    for (const ago of [HOUR, 23 * HOUR, 6 * DAY, 11 * DAY]) {
      const [first] = stage.timeline(ago);
      const inside = spent.filter(({ at }) => at >= first!.from);
      const total = inside.reduce((sum, { ru }) => sum + ru, 0);
      expect(stage.totalRu(ago)).toBeCloseTo(total, 4);
      expect(stage.heatTotal(ago) / total).toBeCloseTo(1, 3);
    }
  });

  test("a restart keeps all but the last seconds; the time between is a gap", () => {
    const stage = new Stage();
    live(stage, 3, 2);
    const before = [HOUR, 20 * HOUR, 3 * DAY].map((ago) => stage.totalRu(ago));
    const heatBefore = stage.heatTotal(3 * DAY);
    const chunks = takeChunks(stage.container, stage.now);
    stage.start();
    expect(restoreChunks(stage.container, chunks)).toEqual([]);
    expect([HOUR, 20 * HOUR, 3 * DAY].map((ago) => stage.totalRu(ago))).toEqual(before);
    expect(stage.heatTotal(3 * DAY) / heatBefore).toBeCloseTo(1, 4);

    // The monotonic clock starts anew with the machine; only the wall clock goes on.
    stage.wallShift += stage.now + 2 * HOUR;
    stage.now = millis(0);
    stage.start();
    restoreChunks(stage.container, chunks);
    stage.note(1, 50);
    stage.wait(2 * SECOND);
    const gap = stage.timeline(HOUR);
    expect(gap.slice(0, -1).every(({ counted }) => counted === null)).toBe(true);
    expect(gap.at(-1)!.counted).toMatchObject({ ru: 50 });
  });

  test("chunks: only what changed, under names that come again, and not much of it", () => {
    const stage = new Stage();
    const stored = new Map<string, Chunk>();
    for (let round = 0; round < 10; round++) {
      live(stage, 2, round);
      for (const chunk of takeChunks(stage.container, stage.now)) stored.set(chunk.name, chunk);
    }
    expect(takeChunks(stage.container, stage.now)).toEqual([]);
    stage.note(0, 1);
    stage.wait(2 * SECOND);
    const changed = takeChunks(stage.container, stage.now).map(({ name }) => name.split(":"));
    expect(changed.map(([subject, resolution]) => `${subject} ${resolution}`).toSorted()).toEqual(
      ["load", "heat"]
        .flatMap((subject) => RESOLUTIONS.map(({ name }) => `${subject} ${name}`))
        .toSorted(),
    );
    expect(stored.size).toBeLessThanOrEqual(2 * (25 + 8 + 14));
    const byteCount = [...stored.values()].reduce((sum, { bytes }) => sum + bytes.length, 0);
    expect(byteCount).toBeLessThan(1_000_000);

    const total = stage.totalRu(20 * DAY);
    stage.start();
    for (const chunk of stored.values()) restoreChunks(stage.container, [chunk]);
    expect(stage.totalRu(20 * DAY)).toBeCloseTo(total - 1, 4);
  });
});
