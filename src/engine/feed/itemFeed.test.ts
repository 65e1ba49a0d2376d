/**
 * Listing items page by page. Whatever the scope, the order and the size of a page: the pages laid
 * end to end are the whole, and what was there all the time is listed once, whatever is written
 * between two pages.
 */
import { describe, expect, test } from "vitest";
import { millis } from "../../base/units.ts";
import type { Random } from "../../base/world.ts";
import { seededRandom } from "../../base/world.ts";
import type { JsonObject } from "../../json/value.ts";
import { HIGH_CALLER } from "../../model/caller.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { rangeOfKey, WHOLE_RANGE } from "../../partition/epkRange.ts";
import { realTimer } from "../../server/surroundings/realWorld.ts";
import { EmbeddedStore } from "../../store/embedded/embeddedStore.ts";
import { Account } from "../account.ts";
import { CursorKey } from "../cursor/cursorKey.ts";
import { parseContainerDefinition } from "../definition/containerDefinition.ts";
import { objectOf } from "../item/itemBody.ts";
import type { Container } from "../partition/container.ts";
import { encodeFeedCursor, feedQuestion, parseFeedCursor } from "./feedCursor.ts";
import type { FeedPosition, FeedRequest, FeedScope } from "./itemFeed.ts";
import { readFeed } from "./itemFeed.ts";

const KEYS = ["a", "b", "c", "d", "e"];
const CURSORS = new CursorKey(Buffer.alloc(32, 7)).cursorsOf(() => feedQuestion("r", undefined));

describe("pages", () => {
  test.each([1, 2, 3, 7, 50, 1000])("of %i laid end to end are the whole", async (countMax) => {
    const stage = await filledStage(40);
    for (const scope of stage.scopes) {
      const expected = stage.idsIn(scope);
      const pages = await stage.pagesOf(scope, countMax);
      expect(pages.flat().toSorted()).toEqual(expected);
      // Only the last may be short, and none is empty unless all is.
      expect(pages.slice(0, -1).every((page) => page.length === countMax)).toBe(true);
      expect(pages.at(-1)!.length > 0 || expected.length === 0).toBe(true);
    }
  });

  test("come in one order, whatever their size", async () => {
    const stage = await filledStage(40);
    for (const scope of stage.scopes) {
      const whole = (await stage.pagesOf(scope, 1000)).flat();
      expect((await stage.pagesOf(scope, 3)).flat()).toEqual(whole);
    }
  });

  test("of one logical partition list its items in order of creation", async () => {
    const stage = await filledStage(40);
    const ids = (await stage.pagesOf(stage.scopeOfKey("b"), 4)).flat();
    const numbers = ids.map((id) => Number(id.slice(1)));
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  });

  test("end at the limit of bytes, with at least one item each", async () => {
    const stage = await filledStage(10, 300);
    for (const scope of stage.scopes) {
      const pages = await stage.pagesOf(scope, 1000);
      expect(pages.flat().toSorted()).toEqual(stage.idsIn(scope));
      expect(pages.every((page) => page.length <= 2)).toBe(true);
    }
  });

  test("leave out what has expired, and do not end early for it", async () => {
    const stage = await filledStage(30);
    stage.advance(100);
    for (let index = 100; index < 104; index++) await stage.write(`i${index}`, KEYS[index % 5]!);
    expect((await stage.pagesOf(stage.scopes[0]!, 3)).map((page) => page.length)).toEqual([3, 1]);
  });

  test("of an empty container are one, and it is empty", async () => {
    const stage = await filledStage(0);
    for (const scope of stage.scopes) expect(await stage.pagesOf(scope, 10)).toEqual([[]]);
  });
});

describe("with writes between the pages", () => {
  test.each([1, 2, 3, 4, 5])("nothing stays out and nothing comes twice, seed %i", async (seed) => {
    const random = seededRandom(seed);
    const stage = await filledStage(30);
    for (const scope of stage.scopes) {
      const untouched = new Set(stage.idsIn(scope));
      const countMax = 1 + Math.floor(random.next() * 5);
      const pages = await stage.pagesOf(scope, countMax, async () => {
        for (const id of await disturb(stage, random)) untouched.delete(id);
      });
      const listed = pages.flat();
      for (const id of untouched) {
        expect(
          listed.filter((other) => other === id),
          `${id} in ${scope.order}`,
        ).toHaveLength(1);
      }
    }
  });
});

/** Creates, replaces and deletes; returns the ids that were not there all the time. */
async function disturb(stage: Stage, random: Random): Promise<readonly string[]> {
  const gone: string[] = [];
  for (let count = Math.floor(random.next() * 4); count > 0; count--) {
    const ids = [...stage.items.keys()];
    const id = ids[Math.floor(random.next() * ids.length)]!;
    const chance = random.next();
    if (chance < 0.3) await stage.write(`i${stage.items.size + gone.length + 1000 + count}`, "c");
    else if (chance < 0.7) await stage.write(id, stage.items.get(id)!);
    else {
      await stage.remove(id);
      gone.push(id);
    }
  }
  return gone;
}

interface Stage {
  /** Keys by id. */
  readonly items: ReadonlyMap<string, string>;
  readonly scopes: readonly FeedScope[];
  scopeOfKey(key: string): FeedScope;
  write(id: string, key: string): Promise<void>;
  remove(id: string): Promise<void>;
  idsIn(scope: FeedScope): readonly string[];
  /** The ids of each page; `between` runs between two pages. */
  pagesOf(
    scope: FeedScope,
    countMax: number,
    between?: () => Promise<void>,
  ): Promise<readonly (readonly string[])[]>;
  advance(seconds: number): void;
}

/** A container of four physical partitions with `count` items. */
async function filledStage(
  count: number,
  pageBytesMax: number = SERVICE_LIMITS.pageBytesMax,
): Promise<Stage> {
  let nowMs = 1_700_000_000_000;
  const store = EmbeddedStore.inMemory(realTimer);
  const limits = { ...SERVICE_LIMITS, pageBytesMax };
  const clock = { now: () => millis(nowMs), wallNow: () => nowMs };
  const random = seededRandom(1);
  const account = await Account.open({ store, timer: realTimer, random, limits, clock });
  const container = await containerIn(account, { defaultTtl: 60 });
  const items = new Map<string, string>();
  const rangeOf = (key: string) => rangeOfKey(container.definition.partitionKey, [key]);

  const stage: Stage = {
    items,
    scopes: [
      { range: WHOLE_RANGE, order: "creation" },
      { range: WHOLE_RANGE, order: "placement" },
      { range: container.map.entries[1]!.range, order: "creation" },
      { range: container.map.entries[2]!.range, order: "placement" },
      { range: rangeOf("b"), order: "placement" },
      { range: rangeOf("nobody"), order: "placement" },
    ],
    scopeOfKey: (key) => ({ range: rangeOf(key), order: "placement" }),
    async write(id, pk) {
      const written = account.writeItem(container, { kind: "upsert", key: [pk], body: { id, pk } });
      if (written.ok) await written.value;
      items.set(id, pk);
    },
    async remove(id) {
      const removed = account.writeItem(container, { kind: "delete", key: [items.get(id)!], id });
      if (removed.ok) await removed.value;
      items.delete(id);
    },
    idsIn: ({ range }) =>
      [...items.keys()]
        .filter((id) => {
          const { min } = rangeOf(items.get(id)!);
          return range.min <= min && min < range.max;
        })
        .sort(),
    async pagesOf(scope, countMax, between) {
      const pages: string[][] = [];
      let position: FeedPosition | undefined;
      do {
        if (pages.length > 0) await between?.();
        const asked = { scope, position, countMax, caller: HIGH_CALLER, consistency: "session" };
        const page = await readFeed({ store, limits }, container, asked as FeedRequest);
        if (!page.ok) throw new Error(page.error.kind);
        const { bodies, next } = page.value;
        pages.push(bodies.map((body) => objectOf(body)["id"] as string));
        // Through its text and back, as between two requests.
        const read = next && parseFeedCursor(CURSORS, encodeFeedCursor(CURSORS, next));
        if (read?.ok === false) throw new Error("a cursor did not come back");
        position = read?.value;
      } while (position !== undefined);
      return pages;
    },
    advance: (seconds) => {
      nowMs += seconds * 1000;
    },
  };
  for (let index = 0; index < count; index++) await stage.write(`i${index}`, KEYS[index % 5]!);
  return stage;
}

async function containerIn(account: Account, members: JsonObject): Promise<Container> {
  const database = await account.catalog.createDatabase("d", undefined);
  const body = { id: "c", partitionKey: { paths: ["/pk"] }, ...members };
  const definition = parseContainerDefinition(body, undefined, SERVICE_LIMITS);
  if (!database.ok || !definition.ok) throw new Error("the stage could not be set");
  const made = await account.catalog.createContainer(database.value, definition.value, {
    partitionCount: 4,
    throughput: undefined,
  });
  if (!made.ok) throw new Error("the stage could not be set");
  return made.value;
}
