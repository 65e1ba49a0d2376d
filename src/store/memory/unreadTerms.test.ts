/** Terms that are read a little at a time are those that are read at once, in the same order. */
import { describe, expect, test } from "vitest";
import type { StoreRecord } from "../journal/record.ts";
import { frameOf } from "../journal/record.ts";
import { visitRecords } from "../journal/recordVisitor.ts";
import type { FrameView } from "../journal/segment.ts";
import { EMPTY_HEAD } from "../partHead.ts";
import type { ItemPut } from "../partitionStore.ts";
import type { TermVisitor } from "./unreadTerms.ts";
import { UnreadTerms } from "./unreadTerms.ts";

type Told = readonly unknown[];

describe("terms that nobody has asked for yet", () => {
  const frames = [
    frameOf([commitOf(1, 3, 40), { kind: "drop", part: 2 }, commitOf(3, 0, 5)]),
    frameOf([commitOf(1, 500, 1)]),
    frameOf([commitOf(4, 0, 1), { kind: "drop", part: 1 }]),
  ];
  const all = toldBy((visitor) => {
    for (const { bytes, start, end } of frames) visitRecords(bytes, start, end, visitor);
  });

  test.each([1, 7, 100, 1_000, Number.POSITIVE_INFINITY])("in steps of %d bytes", (bytesMax) => {
    const steps: number[] = [];
    const told = toldBy((visitor, count) => {
      const unread = unreadOf(frames, visitor);
      while (unread.bytes > 0) {
        const before = count();
        unread.read(bytesMax);
        steps.push(count() - before);
      }
    });
    expect(told).toEqual(all);
    // A term that begins before the border is read to its end; drops take nothing.
    expect(Math.max(...steps)).toBeLessThanOrEqual(Math.ceil(bytesMax / TERM_BYTES_MIN) + 2);
  });

  test("what was begun is ended in one go when somebody asks, and more may come meanwhile", () => {
    const told = toldBy((visitor) => {
      const unread = unreadOf(frames.slice(0, 2), visitor);
      unread.read(50);
      unread.add(frames[2]!);
      unread.read(Number.POSITIVE_INFINITY);
      expect(unread.bytes).toBe(0);
    });
    expect(told).toEqual(all);
  });
});

const TERM_BYTES_MIN = 7;

function unreadOf(frames: readonly FrameView[], visitor: TermVisitor): UnreadTerms {
  const unread = new UnreadTerms(visitor);
  for (const frame of frames) unread.add(frame);
  return unread;
}

function toldBy(action: (visitor: TermVisitor, count: () => number) => void): readonly Told[] {
  const told: Told[] = [];
  action(
    {
      term: (...rest) => told.push(["term", ...rest]),
      drop: (part) => told.push(["drop", part]),
    },
    () => told.length,
  );
  return told;
}

function commitOf(part: number, termCount: number, writeCount: number): StoreRecord {
  const writes = Array.from({ length: writeCount }, (_, number): ItemPut => {
    const termsAdded = Array.from({ length: termCount }, (_, index) => `term ${index}`);
    const body = Buffer.from("{}");
    const key = `key ${number}`;
    const termsRemoved = number % 2 === 0 ? ["gone"] : [];
    return { kind: "put", key, number, tag: 0, body, before: undefined, termsAdded, termsRemoved };
  });
  return { kind: "commit", part, head: EMPTY_HEAD, groups: [writes], tallies: new Map() };
}
