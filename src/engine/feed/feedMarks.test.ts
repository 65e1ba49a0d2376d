/** Positions in the change feed: their form, what of them is about some keys, their text. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lsn } from "../../base/units.ts";
import type { Rid } from "../../model/rid.ts";
import type { Epk, EpkRange } from "../../partition/epkRange.ts";
import { intersect, WHOLE_RANGE } from "../../partition/epkRange.ts";
import { CursorKey } from "../cursor/cursorKey.ts";
import type { FeedMark, FeedProgress } from "./feedMarks.ts";
import { encodeProgress, marksOf, marksWithin, parseProgress, progressOf } from "./feedMarks.ts";

const KEY = new CursorKey(Buffer.alloc(32, 7));
const OURS = marksOf(KEY, { rid: "abc=" as Rid, isCopy: false }, "latest");

/** `10-20:5` reads: the keys from 10 up to 20 have been read up to LSN 5. */
function marks(text: string): readonly FeedMark[] {
  return [...text.matchAll(/(\w*)-(\w*):(\d+)/g)].map(([, min, max, at]) => ({
    range: { min: min as Epk, max: max as Epk },
    lsn: lsn(Number(at)),
  }));
}

function shown(progress: FeedProgress | readonly FeedMark[] | undefined): string {
  if (progress === undefined) return "nothing";
  if ("kind" in progress && progress.kind === "number") return String(progress.lsn);
  const list = "kind" in progress ? progress.marks : progress;
  return list.map(({ range, lsn: at }) => `${range.min}-${range.max}:${at}`).join(" ");
}

describe("the position that marks come to", () => {
  test.each([
    ["one LSN for all keys is that number", "-FF:7", "7"],
    ["also if it holds for several ranges", "-10:7 10-20:7 20-FF:7", "7"],
    ["different LSNs are told apart", "-10:7 10-FF:8", "-10:7 10-FF:8"],
    ["neighbours with the same one are put together", "-10:7 10-20:8 20-FF:8", "-10:7 10-FF:8"],
    ["those that are no neighbours are not", "-10:7 10-20:8 20-FF:7", "-10:7 10-20:8 20-FF:7"],
  ])("%s", (_rule, given, expected) => {
    expect(shown(progressOf(marks(given)))).toBe(expected);
  });
});

describe("what a position says of a range of keys", () => {
  test.each([
    ["a number holds for any", "7", "10-20", "10-20:7"],
    ["a mark for the keys it is about", "-10:7 10-FF:8", "20-30", "20-30:8"],
    ["several, each for its share", "-10:7 10-20:8 20-FF:9", "05-30", "05-10:7 10-20:8 20-30:9"],
    ["nothing if it is about others", "10-20:7", "20-30", "nothing"],
    ["nothing if it is not about all of them", "10-20:7", "10-30", "nothing"],
    ["nothing if it begins behind their first", "10-20:7", "0F-20", "nothing"],
  ])("%s", (_rule, position, range, expected) => {
    const progress: FeedProgress = /^\d+$/.test(position)
      ? { kind: "number", lsn: lsn(Number(position)) }
      : { kind: "marks", marks: marks(position) };
    const [min, max] = range.split("-") as [Epk, Epk];
    expect(shown(marksWithin(progress, { min, max }))).toBe(expected);
  });
});

describe("the text of a position in a container that was made as a copy", () => {
  const COPY = marksOf(KEY, { rid: "abc=" as Rid, isCopy: true }, "latest");
  const range = { min: "10" as Epk, max: "20" as Epk };

  test("is signed, even if it is one number", () => {
    const etag = encodeProgress(COPY, { kind: "number", lsn: lsn(12) }, range);
    expect(etag).not.toBe('"12"');
    const read = parseProgress(COPY, etag);
    expect(read.ok && shown(read.value)).toBe("10-20:12");
  });

  test("is never a bare number: that is one of the container it was copied from", () => {
    expect(parseProgress(COPY, '"12"')).toMatchObject({ ok: false });
  });
});

describe("the text of a position", () => {
  test("of one number is that number, in quotes", () => {
    expect(encodeProgress(OURS, { kind: "number", lsn: lsn(12) }, WHOLE_RANGE)).toBe('"12"');
  });

  const text = (json: unknown, cursors = OURS): string => {
    const encoded = Buffer.from(JSON.stringify(json)).toString("base64url");
    return `"${encoded}.${cursors.key.tagOf(cursors.question, encoded)}"`;
  };
  const whole = {
    from: "",
    marks: [
      ["10", 1],
      ["FF", 2],
    ],
  };
  test.each([
    ["a number", '"12"', "12"],
    ["a number that lost its quotes", "12", "12"],
    ["nothing has been read", '"0"', "0"],
    ["what was given out", text(whole), "-10:1 10-FF:2"],
    ["what was given out, without quotes", text(whole).slice(1, -1), "-10:1 10-FF:2"],
    ["digits in lower case", text({ ...whole, marks: [["1a", 1]] }), "-1A:1"],
    [
      "another container's",
      text(whole, marksOf(KEY, { rid: "xyz=" as Rid, isCopy: false }, "latest")),
      "another container",
    ],
    [
      "another mode's",
      text(whole, marksOf(KEY, { rid: "abc=" as Rid, isCopy: false }, "all")),
      "another container or mode",
    ],
    ["one without a signature", text(whole).replace(/\..*"/, '"'), "earlier version"],
    ["one with two", text(whole).replace(/(\..*)"/, '$1$1"'), "not a continuation"],
    ["a number that no log reaches", '"1234567890123456"', "not a continuation"],
    ["a negative number", '"-1"', "not a continuation"],
    ["nothing", '""', "not a continuation"],
    ["a word", '"hello"', "not a continuation"],
    ["JSON that is no object", text([1]), "not a continuation"],
    ["no beginning", text({ ...whole, from: 1 }), "not a continuation"],
    ["a beginning that is no key", text({ ...whole, from: "XY" }), "not a continuation"],
    ["no marks", text({ ...whole, marks: [] }), "not a continuation"],
    ["marks that are no list", text({ ...whole, marks: { length: 1 } }), "not a continuation"],
    ["a mark that is no pair", text({ ...whole, marks: ["10"] }), "not a continuation"],
    ["a mark without an LSN", text({ ...whole, marks: [["10"]] }), "not a continuation"],
    ["a fraction", text({ ...whole, marks: [["10", 1.5]] }), "not a continuation"],
    ["an LSN below zero", text({ ...whole, marks: [["10", -1]] }), "not a continuation"],
    ["a mark that ends beyond all keys", text({ ...whole, marks: [["FFFF", 1]] }), "not a cont"],
    [
      "marks out of order",
      text({
        ...whole,
        marks: [
          ["20", 1],
          ["10", 1],
        ],
      }),
      "not a continuation",
    ],
    ["an empty mark", text({ ...whole, marks: [["", 1]] }), "not a continuation"],
  ])("%s", (_rule, etag, expected) => {
    const parsed = parseProgress(OURS, etag);
    expect(parsed.ok ? shown(parsed.value) : parsed.error).toContain(expected);
  });
});

const anyBoundary = fc.integer({ min: 1, max: 0xfe }).map((n) => hex(n) as Epk);
const anyMarks = fc
  .tuple(fc.uniqueArray(anyBoundary, { maxLength: 6 }), fc.array(fc.nat(3), { minLength: 7 }))
  .map(([cuts, lsns]): readonly FeedMark[] => {
    const bounds = ["", ...cuts.sort(), "FF"] as Epk[];
    return bounds.slice(1).map((max, index) => ({
      range: { min: bounds[index]!, max },
      lsn: lsn(lsns[index]!),
    }));
  });

test("a position says of every key what the marks said, also after a way over the wire", () => {
  const anyRange = fc.tuple(anyBoundary, anyBoundary).filter(([min, max]) => min < max);
  fc.assert(
    fc.property(anyMarks, anyRange, (given, [min, max]) => {
      const sent = encodeProgress(OURS, progressOf(given), WHOLE_RANGE);
      const parsed = parseProgress(OURS, sent);
      expect(parsed.ok).toBe(true);
      if (!parsed.ok) return;
      const range: EpkRange = { min, max };
      const inside = marksWithin(parsed.value, range)!;
      expect([inside[0]!.range.min, inside.at(-1)!.range.max]).toEqual([min, max]);
      for (let n = Number.parseInt(min, 16); n < Number.parseInt(max, 16); n++) {
        const key = { min: hex(n) as Epk, max: `${hex(n)}00` as Epk };
        const lsnIn = (list: readonly FeedMark[]): readonly number[] =>
          list.filter((mark) => intersect(mark.range, key)).map((mark) => mark.lsn);
        expect(lsnIn(inside)).toEqual(lsnIn(given));
      }
    }),
  );
});

test("a position that is no number is refused after any change", () => {
  const etag = encodeProgress(
    OURS,
    { kind: "marks", marks: marks("-10:7 10-20:12 20-FF:3") },
    WHOLE_RANGE,
  );
  expect(parseProgress(OURS, etag).ok).toBe(true);
  for (let at = 1; at < etag.length - 1; at++) {
    for (const character of ["A", "0", "_", ".", ""]) {
      const changed = etag.slice(0, at) + character + etag.slice(at + 1);
      if (changed !== etag) expect(parseProgress(OURS, changed).ok, changed).toBe(false);
    }
  }
});

test("no text is more than refused", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json(), fc.base64String()), (text) => {
      const encoded = Buffer.from(text).toString("base64url");
      for (const etag of [text, `"${text}"`, encoded]) parseProgress(OURS, etag);
    }),
  );
});

function hex(n: number): string {
  return n.toString(16).toUpperCase().padStart(2, "0");
}
