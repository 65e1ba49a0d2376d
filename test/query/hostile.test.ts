/**
 * Queries of somebody who means harm, or does not know better. Each has an answer, soon: rows, a
 * page to go on from, or a refusal that says why. The server lives on, and others get their turn.
 */
import type { Container } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { millis } from "../../src/base/units.ts";
import { seededRandom } from "../../src/base/world.ts";
import type { JsonObject, JsonValue } from "../../src/json/value.ts";
import { Effort, GO_MS_MAX, MADE_PER_ITEM_MAX } from "../../src/query/evaluate/effort.ts";
import { PagesAtWork, TURN_MS } from "../../src/query/evaluate/pagesAtWork.ts";
import { ListContainer } from "../../src/query/execute/listSource.fake.ts";
import { loadSome } from "../../src/query/execute/loadSome.ts";
import { runPage } from "../../src/query/execute/page.ts";
import type { Source } from "../../src/query/execute/source.ts";
import { boundedText, sizeOf, VALUE_UNITS_MAX } from "../../src/query/functions/valueSize.ts";
import type { Stage } from "../sdk/stage.ts";
import { openStage } from "../sdk/stage.ts";
import { ask, fillContainer } from "./arena.ts";

const count = (n: number): readonly number[] => Array.from({ length: n }, (_, index) => index);

/** `SELECT VALUE … FROM (SELECT VALUE …)`, each naming the one inside it twice. */
function doubled(times: number, first: string, of: (name: string) => string): string {
  return count(times).reduce(
    (inner, at) => `(SELECT VALUE ${of(`x${at}`)} FROM (SELECT VALUE ${inner}) x${at})`,
    first,
  );
}

const pair = (name: string): string => `[${name}, ${name}]`;
const DEEP = doubled(40, "[c.id]", pair);
const PRODUCT = "x IN c.list JOIN y IN c.list JOIN z IN c.list";

/** As [longitude, latitude]. */
function circle(radius: number, pointCount: number, isReversed = false): JsonValue {
  const points = count(pointCount).map((at) => {
    const angle = ((isReversed ? -1 : 1) * 2 * Math.PI * at) / pointCount;
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  });
  return [...points, points[0]!];
}

describe("a server under attack", () => {
  let stage: Stage;
  let container: Container;

  beforeAll(async () => {
    stage = await openStage();
    container = await fillContainer(stage.database, {}, [
      { id: "a", pk: "p", list: count(400), text: "a".repeat(1_000_000) },
      { id: "b", pk: "p", list: count(400), text: "b" },
    ]);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  const TOO_MANY_STEPS = "steps on a single item";
  const TOO_LONG = "ms on a single item";
  const TOO_MUCH = "MB of strings and arrays";
  const TOO_LARGE = "too large to hold";

  test.each<readonly [what: string, text: string, ...complaints: string[]]>([
    ["a product, counted", `SELECT VALUE COUNT(1) FROM c JOIN ${PRODUCT}`, TOO_MANY_STEPS],
    [
      "a product inside EXISTS",
      `SELECT VALUE c.id FROM c WHERE EXISTS(SELECT VALUE 1 FROM ${PRODUCT} WHERE x + y + z < 0)`,
      TOO_MANY_STEPS,
      TOO_LONG,
    ],
    [
      "a product inside ARRAY",
      `SELECT VALUE ARRAY(SELECT x, y, z FROM ${PRODUCT}) FROM c`,
      TOO_MANY_STEPS,
      TOO_LONG,
      TOO_MUCH,
    ],
    [
      "a product over collected rows",
      "SELECT VALUE COUNT(1) FROM (SELECT DISTINCT VALUE c.list FROM c) r " +
        "JOIN x IN r JOIN y IN r JOIN z IN r",
      TOO_MANY_STEPS,
    ],
    [
      "strings made and kept",
      "SELECT VALUE ARRAY(SELECT VALUE UPPER(c.text) FROM x IN c.list) FROM c",
      TOO_MUCH,
      TOO_LONG,
    ],
    [
      "a long string looked at again and again",
      "SELECT VALUE ARRAY(SELECT VALUE REGEXMATCH(c.text, 'a*b') FROM x IN c.list) FROM c",
      TOO_LONG,
    ],
    ["a value inside itself, as a row", `SELECT VALUE ${DEEP} FROM c`, TOO_LARGE],
    ["the same, distinct", `SELECT DISTINCT VALUE ${DEEP} FROM c`, TOO_LARGE],
    [
      "the same, compared",
      `SELECT VALUE c.id FROM c WHERE ${DEEP} = ${DEEP.replaceAll("x", "y")}`,
      TOO_LARGE,
    ],
    ["the same, as a set", `SELECT VALUE SETUNION(${DEEP}, []) FROM c`, TOO_LARGE],
    ["the same, searched", `SELECT VALUE ARRAY_CONTAINS([${DEEP}], ${DEEP}) FROM c`, TOO_LARGE],
    [
      "an item a thousand times over",
      `SELECT VALUE [${count(1_000).map(() => "c")}] FROM c`,
      TOO_LARGE,
    ],
    ["conditions within conditions", `SELECT VALUE true${"?1:true".repeat(9_999)}`, "too deeply"],
    [
      "a pattern that nearly matches everywhere",
      `SELECT VALUE c.id FROM c WHERE c.text LIKE '%${"a_".repeat(4_000)}b%'`,
      "too much work",
    ],
    [
      "a pattern that never ends",
      `SELECT VALUE c.id FROM c WHERE c.id LIKE '${"%a_".repeat(4_000)}'`,
      "too many",
    ],
  ])("refuses %s", async (_, text, ...complaints) => {
    const answer = await ask(container, text);
    if (answer.kind !== "refused") throw new Error(`it was ${answer.kind}`);
    expect(answer.status).toBe(400);
    expect(complaints.filter((complaint) => answer.message.includes(complaint))).not.toEqual([]);
  });

  test.each<readonly [what: string, text: string, rows: readonly JsonValue[]]>([
    [
      "strings that double until they are too long",
      `SELECT VALUE LENGTH(${doubled(60, "c.text", (name) => `CONCAT(${name}, ${name})`)}) FROM c`,
      [],
    ],
    [
      "arrays that double",
      `SELECT VALUE ARRAY_LENGTH(${doubled(12, "c.list", (name) => `ARRAY_CONCAT(${name}, ${name})`)}) FROM c`,
      [1_638_400, 1_638_400],
    ],
    [
      "a list of as many as there may be",
      `SELECT VALUE c.id FROM c WHERE c.id IN (${count(15_999).map((n) => `'${n}'`)}, 'b')`,
      ["b"],
    ],
    [
      "two thousand conditions on one path",
      `SELECT VALUE c.id FROM c WHERE ${count(1_999)
        .map((n) => `c.id != '${n}'`)
        .join(" AND ")}`,
      ["a", "b"],
    ],
    [
      "thousands of keys to group by, and the same selected",
      `SELECT ${count(3_000).map((n) => `c.a${n}`)} FROM c ` +
        `GROUP BY ${count(3_000).map((n) => `c.a${n}`)}`,
      [{}],
    ],
    [
      "a wide row",
      `SELECT VALUE ARRAY_LENGTH([${"1,".repeat(120_000)}1]) FROM c`,
      [120_001, 120_001],
    ],
  ])("answers %s", async (_, text, rows) => {
    expect(await ask(container, text)).toEqual({ kind: "rows", rows });
  });

  test("how far a dot is from the circle around it is found", async () => {
    const dot = { type: "Polygon", coordinates: [circle(1e-7, 4_000)] };
    const ring = { type: "Polygon", coordinates: [circle(5, 9), circle(1, 4_000, true)] };
    const text = "SELECT VALUE ROUND(ST_DISTANCE(@dot, @ring) / 1000)";
    const answer = await ask(container, text, { "@dot": dot, "@ring": ring });
    expect(answer).toEqual({ kind: "rows", rows: [111] });
  });

  test("rows of megabytes come one page after the other, all of them", async () => {
    const items = count(6).map((n) => ({
      id: `${n}`,
      pk: "p",
      text: `${"t".repeat(1_900_000)}${n}`,
    }));
    const large = await fillContainer(stage.database, {}, items);
    const expected = items.map(({ id }) => id);
    const idsOf = async (text: string): Promise<readonly unknown[]> => {
      const found: unknown[] = [];
      const pages = large.items.query<{ id: string }>(text, { maxItemCount: 100 });
      while (pages.hasMoreResults()) {
        for (const row of (await pages.fetchNext()).resources ?? []) found.push(row.id);
      }
      return found;
    };
    expect(await idsOf("SELECT * FROM c ORDER BY c.text")).toEqual(expected);
    expect(await idsOf("SELECT c.text, MAX(c.id) AS id FROM c GROUP BY c.text")).toEqual(expected);
    expect(await idsOf("SELECT DISTINCT c.text, c.id FROM c")).toEqual(expected);
  });

  test("groups of several ranges that take longer than a page are all there", async () => {
    const ITEM_COUNT = 24;
    const items = count(ITEM_COUNT).map((n) => ({ id: `${n}`, pk: `${n}`, list: count(300) }));
    const spread = await fillContainer(stage.database, { throughput: 30_000 }, items);
    const text =
      "SELECT x % 7 AS rest, COUNT(1) AS n FROM c JOIN x IN c.list JOIN y IN c.list GROUP BY x % 7";
    const { resources } = await spread.items.query<{ n: number }>(text).fetchAll();
    expect(resources).toHaveLength(7);
    const total = resources.reduce((sum, { n }) => sum + n, 0);
    expect(total).toBe(ITEM_COUNT * 300 * 300);
  });
});

describe("the effort of one item", () => {
  const clockAt = (time: { now: number }) => ({ now: () => millis(time.now) });

  test("has an end in time, from its beginning or the last turn of others", () => {
    const time = { now: 0 };
    const effort = new Effort(clockAt(time));
    time.now = GO_MS_MAX;
    effort.spend(1_000_000);
    time.now++;
    expect(() => effort.spend(1_000_000)).toThrow();
    effort.goOn();
    effort.spend(1_000_000);
  });

  test("has an end without a clock", () => {
    const effort = new Effort();
    let units = 0;
    const spendAll = (): void => {
      for (; units < 1e9; units += 1024) effort.spend(1024);
    };
    expect(spendAll).toThrow();
    expect(units).toBeGreaterThan(1_000_000);
  });

  test("has an end in what is made", () => {
    const effort = new Effort();
    effort.make(MADE_PER_ITEM_MAX);
    expect(() => effort.make(1)).toThrow();
    effort.begin();
    effort.make(MADE_PER_ITEM_MAX);
  });
});

describe("the size of a value", () => {
  test("counts every part as often as it occurs, and no longer than need be", () => {
    const deep = count(60).reduce<JsonValue>((inner) => [inner, inner], ["x"]);
    expect(sizeOf(deep)).toBeLessThan(2 * VALUE_UNITS_MAX);
    expect(sizeOf(deep)).toBeGreaterThan(VALUE_UNITS_MAX);
    expect(() => boundedText(deep)).toThrow(RangeError);
    expect(boundedText({ b: 1, a: [] })).toBe('{"a":[],"b":1}');
  });
});

describe("pages at work", () => {
  /** Turns of the event loop, taken by hand. */
  function handTurned() {
    const waiting: (() => void)[] = [];
    const time = { now: 0 };
    const soon = (): Promise<void> => new Promise((resolve) => waiting.push(resolve));
    const turn = async (): Promise<void> => {
      for (const start of waiting.splice(0)) start();
      for (let microtask = 0; microtask < 10; microtask++) await Promise.resolve();
    };
    const pages = new PagesAtWork({ soon }, { now: () => millis(time.now) });
    return { pages, time, turn };
  }

  test("go on one after the other, one in each turn", async () => {
    const { pages, turn } = handTurned();
    const gone: number[] = [];
    for (const n of count(3)) void pages.next({}).then(() => gone.push(n));
    for (const n of count(3)) {
      await turn();
      expect(gone).toEqual(count(n + 1));
    }
  });

  test("begin at once as long as those before took no more than a turn", async () => {
    const { pages, time, turn } = handTurned();
    expect(pages.enter()).toBeUndefined();
    time.now = TURN_MS - 1;
    expect(pages.enter()).toBeUndefined();
    time.now = TURN_MS;
    const late = pages.enter();
    expect(late).toBeInstanceOf(Promise);
    await turn();
    await late;
    expect(pages.enter()).toBeUndefined();
  });

  test("that hold too much together wait for the one that has held for longest", async () => {
    const { pages, turn } = handTurned();
    const [first, second, other] = [{}, {}, {}];
    pages.hold(first, 60e6);
    pages.hold(second, 60e6);
    const gone: string[] = [];
    void pages.next(second).then(() => gone.push("second"));
    void pages.next(first).then(() => gone.push("first"));
    void pages.next(other).then(() => gone.push("other"));
    for (let n = 0; n < 6; n++) await turn();
    expect(gone).toEqual(["first", "other"]);
    pages.leave(first);
    for (let n = 0; n < 2; n++) await turn();
    expect(gone).toEqual(["first", "other", "second"]);
  });
});

describe("loading by number", () => {
  const sourceOf = (bytes: number): Pick<Source, "load"> => ({
    load: (numbers) => numbers.map((number) => ({ number, body: Buffer.alloc(bytes) })),
  });
  test.each([
    ["small items come all at once", 1_000, 256],
    ["large ones a few at a time", 1_500_000, 8],
  ])("%s", async (_, bytes, expected) => {
    const { items, count: looked } = await loadSome(sourceOf(bytes) as Source, count(256));
    expect(looked).toBe(expected);
    expect(items).toHaveLength(expected);
  });
});

describe("a client that has gone away", () => {
  test("is not worked for any longer", async () => {
    const items: readonly JsonObject[] = count(50).map((n) => ({ id: `${n}`, list: count(300) }));
    const list = new ListContainer(items);
    let asked = 0;
    let now = 0;
    const page = await runPage({
      plan: list.plan("SELECT VALUE COUNT(1) FROM c JOIN x IN c.list JOIN y IN c.list"),
      position: undefined,
      sources: list.sources({}),
      clock: { now: () => millis(now++), wallNow: () => 0 },
      timer: { after: () => () => undefined, soon: () => Promise.resolve() },
      random: seededRandom(1),
      parameters: new Map(),
      geometry: "Geography",
      timeSliceMs: 500,
      limits: { countMax: 100, bytesMax: 1_000_000 },
      isGone: () => ++asked === 3,
    });
    expect(page.ok).toBe(false);
    expect(asked).toBe(3);
  });
});
