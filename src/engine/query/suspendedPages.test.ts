/** Suspended pages: how long they are kept, and who has to go when there is no room. */
import { describe, expect, test } from "vitest";
import { millis } from "../../base/units.ts";
import type { PageUnderWay } from "../../query/execute/pageUnderWay.ts";
import type { Container } from "../partition/container.ts";
import type { SuspendedPage } from "./suspendedPages.ts";
import { IDLE_MS_MAX, PATIENCE_MS, SuspendedPages } from "./suspendedPages.ts";

const MIB = 1024 * 1024;

class Stage {
  now = 0;
  readonly dropped: string[] = [];
  readonly pages: SuspendedPages;
  readonly #timers = new Map<number, { readonly at: number; readonly action: () => void }>();
  #timerCount = 0;

  readonly container = { map: {}, definition: { indexingPolicy: {} } } as unknown as Container;

  constructor() {
    this.pages = new SuspendedPages({
      clock: { now: () => millis(this.now) },
      timer: {
        after: (delay, action) => {
          const number = ++this.#timerCount;
          this.#timers.set(number, { at: this.now + delay, action });
          return () => void this.#timers.delete(number);
        },
      },
    });
  }

  get timerCount(): number {
    return this.#timers.size;
  }

  pass(ms: number): void {
    this.now += ms;
    for (const [number, { at, action }] of this.#timers) {
      if (at > this.now || !this.#timers.delete(number)) continue;
      action();
    }
  }

  keep(name: string, more: Partial<SuspendedPage> = {}): void {
    const page = { drop: () => void this.dropped.push(name) } as unknown as PageUnderWay;
    const { map, definition } = this.container;
    this.pages.keep(name, {
      page,
      begunAt: this.now,
      heldBytes: 0,
      state: "",
      paid: new Map(),
      map,
      indexingPolicy: definition.indexingPolicy,
      ...more,
    });
  }

  has(name: string): boolean {
    return this.pages.take(name, this.container) !== undefined;
  }
}

describe("a suspended page", () => {
  test("is there once for whoever asks the same", () => {
    const stage = new Stage();
    stage.keep("a");
    expect(stage.has("b")).toBe(false);
    expect(stage.has("a")).toBe(true);
    expect(stage.has("a")).toBe(false);
    expect(stage.dropped).toEqual([]);
    expect(stage.timerCount).toBe(0);
  });

  test("is dropped when nobody comes for it", () => {
    const stage = new Stage();
    stage.keep("a");
    stage.pass(IDLE_MS_MAX - 1);
    stage.keep("b");
    expect(stage.dropped).toEqual([]);
    stage.pass(1);
    expect(stage.dropped).toEqual(["a"]);
    expect(stage.has("b")).toBe(true);
  });

  test.each([
    ["the ranges of the container", { map: {} as Container["map"] }],
    ["its policy", { indexingPolicy: {} as SuspendedPage["indexingPolicy"] }],
  ])("is dropped when %s changed", (_rule, more) => {
    const stage = new Stage();
    stage.keep("a", more);
    expect(stage.has("a")).toBe(false);
    expect(stage.dropped).toEqual(["a"]);
  });

  test("goes with all others when the account is closed", () => {
    const stage = new Stage();
    stage.keep("a");
    stage.keep("b");
    stage.pages.close();
    expect(stage.dropped).toEqual(["a", "b"]);
    expect([stage.pages.count, stage.timerCount]).toEqual([0, 0]);
  });
});

describe("when there is no room", () => {
  test("for their number, who began last has to go", () => {
    const stage = new Stage();
    for (let n = 0; n < 100; n++) stage.keep(`${n}`, { begunAt: n });
    stage.keep("late", { begunAt: 200 });
    stage.keep("early", { begunAt: -1 });
    expect(stage.dropped).toEqual(["late", "99"]);
    expect(stage.pages.count).toBe(100);
  });

  test("for what they hold, too, and the one that began first is always there", () => {
    const stage = new Stage();
    stage.keep("first", { begunAt: 1, heldBytes: 50 * MIB });
    stage.keep("second", { begunAt: 2, heldBytes: 20 * MIB });
    expect(stage.dropped).toEqual(["second"]);
    expect(stage.has("first")).toBe(true);
    stage.keep("second", { begunAt: 2, heldBytes: 20 * MIB });
    stage.keep("first", { begunAt: 1, heldBytes: 60 * MIB });
    expect(stage.dropped).toEqual(["second", "second"]);
    expect(stage.has("first")).toBe(true);
  });

  test("but before those whose clients are quick, one that has waited long", () => {
    const stage = new Stage();
    stage.keep("idle", { begunAt: 1, heldBytes: 40 * MIB });
    stage.pass(PATIENCE_MS);
    stage.keep("busy", { begunAt: 2, heldBytes: 40 * MIB });
    expect(stage.dropped).toEqual(["idle"]);
    expect(stage.has("busy")).toBe(true);
  });

  test("what was taken out or dropped counts no more", () => {
    const stage = new Stage();
    for (let n = 0; n < 50; n++) {
      stage.keep("one", { heldBytes: 40 * MIB });
      expect(stage.has("one")).toBe(true);
    }
    expect(stage.dropped).toEqual([]);
  });
});
