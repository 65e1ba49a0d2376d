/** Pages that take several requests: each is bounded, and all together give what one would. */
import { describe, expect, test } from "vitest";
import { type Millis, millis } from "../../base/units.ts";
import { seededRandom } from "../../base/world.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { PagesAtWork, TURN_MS } from "../evaluate/pagesAtWork.ts";
import { ListContainer, type ListOptions } from "./listSource.fake.ts";
import type { QueryPage } from "./page.ts";
import { PageUnderWay } from "./pageUnderWay.ts";
import type { Position } from "./position.ts";

/** Every look at the clock takes a millisecond, so what is counted here is looks. */
class Looks {
  now = 0;
  /** The longest time between two turns of others. */
  longestTurn = 0;
  #turnAt = 0;

  /** A request comes in: until now others had their turns. */
  begin(): void {
    this.#turnAt = this.now;
  }

  readonly clock = { now: (): Millis => millis(this.now++), wallNow: () => 0 };
  readonly timer = {
    after: () => () => undefined,
    soon: (): Promise<void> => {
      this.longestTurn = Math.max(this.longestTurn, this.now - this.#turnAt);
      this.#turnAt = this.now;
      return Promise.resolve();
    },
  };
}

interface Run {
  readonly rows: readonly JsonValue[];
  readonly suspendedCount: number;
  /** Looks at the clock of the longest request. */
  readonly longest: number;
  readonly looks: Looks;
}

interface Setting {
  readonly timeSliceMs: number;
  readonly countMax?: number;
  readonly pages?: PagesAtWork;
  /** Called while a page is suspended. */
  readonly between?: () => void;
}

async function run(list: ListContainer, text: string, setting: Setting): Promise<Run> {
  const { countMax = 1_000, between } = setting;
  const looks = new Looks();
  const rows: JsonValue[] = [];
  let suspendedCount = 0;
  let longest = 0;
  let position: Position | undefined;
  do {
    const page: PageUnderWay = pageOf(list, text, { ...setting, looks, countMax, position });
    let ended: QueryPage | undefined;
    while (ended === undefined) {
      const before = looks.now;
      looks.begin();
      const step = await page.advance();
      longest = Math.max(longest, looks.now - before);
      if (step.kind === "suspended") {
        suspendedCount++;
        between?.();
      } else {
        if (!step.page.ok) throw new Error(JSON.stringify(step.page.error));
        ended = step.page.value;
      }
    }
    rows.push(...ended.rows.map((row) => JSON.parse(row.toString()) as JsonValue));
    position = ended.next;
  } while (position !== undefined);
  return { rows, suspendedCount, longest, looks };
}

interface Begun extends Setting {
  readonly looks: Looks;
  readonly position?: Position | undefined;
}

function pageOf(list: ListContainer, text: string, setting: Begun): PageUnderWay {
  const { looks, timeSliceMs, countMax = 1_000, position, pages } = setting;
  return new PageUnderWay({
    plan: list.plan(text),
    position,
    sources: list.sources(),
    clock: looks.clock,
    timer: looks.timer,
    random: seededRandom(1),
    parameters: new Map(),
    geometry: "Geography",
    timeSliceMs,
    limits: { countMax, bytesMax: 4_000_000 },
    pages,
  });
}

const items = (count: number): readonly JsonObject[] =>
  Array.from({ length: count }, (_, n) => ({
    id: `${n}`,
    n,
    s: `s${(n * 7919) % 97}`,
    list: Array.from({ length: 12 }, (_element, at) => (at * n) % 31),
    text: n % 3 === 0 ? "red fox" : "blue bird",
    v: [n % 7, 1],
  }));

const MANY = items(150);
const UNSORTED: ListOptions = {
  policy: { includedPaths: [{ path: "/id/?" }], excludedPaths: [{ path: "/*" }] },
};

const COLLECTED: readonly (readonly [text: string, options: ListOptions])[] = [
  ["SELECT x, COUNT(1) AS n FROM c JOIN x IN c.list JOIN y IN c.list GROUP BY x", {}],
  ["SELECT VALUE COUNT(1) FROM c JOIN x IN c.list JOIN y IN c.list", {}],
  ["SELECT VALUE {sum: SUM(x), most: MAX(CONCAT(c.s, ToString(x)))} FROM c JOIN x IN c.list", {}],
  ["SELECT DISTINCT x, c.s FROM c JOIN x IN c.list", {}],
  ["SELECT DISTINCT VALUE x + y FROM c JOIN x IN c.list JOIN y IN c.list", {}],
  ["SELECT DISTINCT c.s, c.text FROM c ORDER BY c.s", {}],
  ["SELECT c.id, x FROM c JOIN x IN c.list ORDER BY c.n DESC", { isIncomplete: true }],
  ["SELECT VALUE MAKELIST(x) FROM c JOIN x IN c.list WHERE c.n < 60", {}],
  ["SELECT c.s, MAKESET(c.n) AS all FROM c GROUP BY c.s", {}],
  ["SELECT VALUE COUNT(1) FROM (SELECT DISTINCT VALUE x FROM c JOIN x IN c.list) r", {}],
  ["SELECT TOP 30 c.id FROM c ORDER BY RANK FullTextScore(c.text, 'fox')", UNSORTED],
  [
    "SELECT TOP 30 c.id FROM c " +
      "ORDER BY RANK RRF(FullTextScore(c.text, 'fox'), VectorDistance(c.v, [1, 1]))",
    UNSORTED,
  ],
  ["SELECT TOP 30 c.id FROM c ORDER BY VectorDistance(c.v, [1, 0])", UNSORTED],
  ["SELECT VALUE c.id FROM c WHERE c.s LIKE '%9%' AND CONTAINS(c.text, 'fox')", {}],
];

/** Merged into one query that streams, or answered by the index: so few items take no time. */
const QUICK: typeof COLLECTED = [
  ["SELECT VALUE r FROM (SELECT VALUE x FROM c JOIN x IN c.list WHERE c.n % 5 = 0) r", {}],
  ["SELECT VALUE SUM(c.n) FROM c", {}],
  ["SELECT VALUE COUNT(1) FROM c WHERE c.n > 3 AND c.s != 's1'", {}],
  ["SELECT DISTINCT VALUE c.s FROM c", {}],
];

describe("what has to be collected", () => {
  test.each([
    ...COLLECTED.map(([text, options]) => [text, options, 2] as const),
    ...QUICK.map(([text, options]) => [text, options, 0] as const),
  ])("is the same however many requests it takes: %s", async (text, options, suspendedMin) => {
    const list = new ListContainer(MANY, options);
    const whole = await list.rows(text);
    expect(whole.length).toBeGreaterThan(0);
    // Every page collects anew here, so there must not be many of them.
    const countMax = Math.max(7, Math.ceil(whole.length / 4));
    for (const setting of [{ timeSliceMs: 20 }, { timeSliceMs: 1, countMax }]) {
      const found = await run(list, text, setting);
      expect(found.rows).toEqual(whole);
      if (setting.timeSliceMs === 1) {
        expect(found.suspendedCount).toBeGreaterThanOrEqual(suspendedMin);
      }
      // One turn more than the slice, and what is looked at once.
      expect(found.longest).toBeLessThanOrEqual(setting.timeSliceMs + 12 * TURN_MS);
      expect(found.looks.longestTurn).toBeLessThanOrEqual(3 * TURN_MS);
    }
  });
});

describe("a suspended page", () => {
  const TEXT = "SELECT x, COUNT(1) AS n FROM c JOIN x IN c.list GROUP BY x";

  test("goes on with what it has, and sees what is written meanwhile where it has not been", async () => {
    // Items are read some hundred at a time.
    const list = new ListContainer(items(600));
    let isFirst = true;
    const between = (): void => {
      if (!isFirst) return;
      isFirst = false;
      list.put(600, { id: "late", list: ["late"] });
      list.remove(599);
    };
    const { rows, suspendedCount } = await run(list, TEXT, { timeSliceMs: 20, between });
    expect(suspendedCount).toBeGreaterThan(1);
    expect(rows).toContainEqual({ x: "late", n: 1 });
    const numbers = rows.map((row) => (row as { readonly n: number }).n);
    const elementCount = [...list.items.values()].flatMap((item) => item["list"] as JsonValue[]);
    expect(numbers.reduce((sum, n) => sum + n, 0)).toBe(elementCount.length);
  });

  test("takes no time between two requests", async () => {
    const looks = new Looks();
    const list = new ListContainer(MANY);
    const page = pageOf(list, TEXT, { looks, timeSliceMs: 20 });
    expect((await page.advance()).kind).toBe("suspended");
    looks.now += 1_000_000;
    for (;;) {
      const step = await page.advance();
      looks.now += 1_000_000;
      if (step.kind === "suspended") continue;
      const { totalMs, loadMs, indexMs } = step.page.ok ? step.page.value.work : NO_TIMES;
      expect(totalMs).toBeLessThan(100_000);
      expect(totalMs).toBeGreaterThan(loadMs + indexMs);
      return;
    }
  });

  test("is of no use to a client that has gone", async () => {
    const page = pageOf(new ListContainer(MANY), TEXT, { looks: new Looks(), timeSliceMs: 20 });
    expect((await page.advance()).kind).toBe("suspended");
    const step = await page.advance(() => true);
    expect(step).toMatchObject({ kind: "ended", page: { ok: false } });
  });

  test("lets go of what it holds when it is dropped", async () => {
    const looks = new Looks();
    const pages = new PagesAtWork(looks.timer, looks.clock);
    const text = "SELECT DISTINCT x, c.s FROM c JOIN x IN c.list";
    const page = pageOf(new ListContainer(MANY), text, { looks, timeSliceMs: 20, pages });
    await page.advance();
    const step = await page.advance();
    expect(step.kind === "suspended" && step.state.heldBytes).toBeGreaterThan(0);
    expect(pages.heldBytes).toBeGreaterThan(0);
    page.drop();
    await Promise.resolve().then(() => undefined);
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    expect(pages.heldBytes).toBe(0);
  });

  test("is not waited for by pages that are at work, however much it holds", async () => {
    const looks = new Looks();
    const pages = new PagesAtWork(looks.timer, looks.clock);
    const sleeper = {};
    pages.hold(sleeper, 100 * 1024 * 1024);
    pages.sleep(sleeper);
    const { rows } = await run(new ListContainer(MANY), TEXT, { timeSliceMs: 20, pages });
    expect(rows).toEqual(await new ListContainer(MANY).rows(TEXT));
  });

  test("a page that waits for memory is suspended, too, and goes on when there is some", async () => {
    const looks = new Looks();
    const pages = new PagesAtWork(looks.timer, looks.clock);
    const holder = {};
    pages.hold(holder, 100 * 1024 * 1024);
    const page = pageOf(new ListContainer(MANY), TEXT, { looks, timeSliceMs: 20, pages });
    for (let request = 0; request < 5; request++) {
      expect((await page.advance()).kind).toBe("suspended");
    }
    pages.leave(holder);
    let step = await page.advance();
    while (step.kind === "suspended") step = await page.advance();
    expect(step.page.ok).toBe(true);
  });
});

test("where nobody comes back a page is refused when it takes too long", async () => {
  const page = pageOf(new ListContainer(MANY), "SELECT VALUE COUNT(1) FROM c JOIN x IN c.list", {
    looks: new Looks(),
    timeSliceMs: 20,
  });
  const step = await page.finish(100);
  expect(JSON.stringify(step)).toContain("takes too long");
});

const NO_TIMES = { totalMs: Number.NaN, loadMs: 0, indexMs: 0 };
