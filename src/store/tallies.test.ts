/** What a family is, and tallies that follow from writes against items that are counted. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lsn } from "../base/units.ts";
import type { CountedWrite } from "./partHead.ts";
import { familyOf, NO_ITEMS, TallyDraft, talliesOf } from "./tallies.ts";

describe("a family", () => {
  test.each([
    ["a\x00b", "a"],
    ["a\x00b\x00c", "a"],
    ["a\x00", "a"],
    ["\x00b", ""],
    ["ab", "ab"],
    ["", ""],
  ])("of %j is %j", (key, family) => {
    expect(familyOf(key)).toBe(family);
  });
});

/** A key, and the length of its new body; a deletion has none. */
type Step = readonly [key: string, bodyBytes: number | undefined];

const KEYS: readonly string[] = ["a\x00x", "a\x00y", "b\x00x", "b\x00\x00", "c", "d"];
const anyStep: fc.Arbitrary<Step> = fc.tuple(
  fc.constantFrom(...KEYS),
  fc.option(fc.nat(50), { nil: undefined }),
);
/** Commits by frame. */
const anyFrames = fc.array(
  fc.array(fc.uniqueArray(anyStep, { selector: ([key]) => key, maxLength: 4 }), { maxLength: 4 }),
  { maxLength: 8 },
);

test("tallies that move write by write are those of the items, whatever shares a frame", () => {
  fc.assert(
    fc.property(anyFrames, (frames) => {
      const lengths = new Map<string, number>();
      const published = new Map<string, { itemCount: number; itemBytes: number }>();
      for (const commits of frames) {
        const draft = new TallyDraft((_part, family) => published.get(family) ?? NO_ITEMS);
        // What a frame says becomes true when all of it has been put together.
        const records = commits.map((steps) => draft.move(1, [writesOf(steps, lengths)]));
        for (const [family, tally] of records.flatMap((record) => [...record])) {
          if (tally.itemCount === 0) published.delete(family);
          else published.set(family, tally);
        }
        const items = [...lengths].map(([key, length]) => ({ key, body: Buffer.alloc(length) }));
        expect(published).toEqual(talliesOf(items));
      }
    }),
    { numRuns: 300 },
  );
});

test("an end that is adopted without what it ended touches no family", () => {
  const draft = new TallyDraft(() => ({ itemCount: 2, itemBytes: 9 }));
  const gone = {
    kind: "delete",
    key: "a",
    number: 1,
    tag: 0,
    before: undefined,
    termsRemoved: [],
  } as const;
  expect(draft.move(1, [[gone]])).toEqual(new Map());
});

test("parts of one frame have nothing to do with each other", () => {
  const draft = new TallyDraft(() => NO_ITEMS);
  const writes = writesOf([["a", 5]], new Map());
  expect(draft.move(1, [writes])).toEqual(new Map([["a", { itemCount: 1, itemBytes: 5 }]]));
  expect(draft.move(2, [writes])).toEqual(new Map([["a", { itemCount: 1, itemBytes: 5 }]]));
});

function writesOf(steps: readonly Step[], lengths: Map<string, number>): readonly CountedWrite[] {
  const writes: CountedWrite[] = [];
  for (const [key, bodyBytes] of steps) {
    const held = lengths.get(key);
    const before = held === undefined ? undefined : { lsn: lsn(1), bodyBytes: held };
    const shared = { key, number: KEYS.indexOf(key) + 1, tag: 0, termsRemoved: [] };
    if (bodyBytes !== undefined) {
      const body = Buffer.alloc(bodyBytes);
      writes.push({ kind: "put", ...shared, body, before, termsAdded: [] });
      lengths.set(key, bodyBytes);
    } else if (before !== undefined) {
      writes.push({ kind: "delete", ...shared, before });
      lengths.delete(key);
    }
  }
  return writes;
}
