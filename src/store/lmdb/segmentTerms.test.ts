/** The terms of a segment against the plainest model there is: a list of what happened. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { TERM_BYTES } from "../journal/record.ts";
import { SegmentTerms } from "./segmentTerms.ts";

interface Happened {
  readonly term: string;
  readonly number: number;
  readonly isGain: boolean;
}

/** Many begin alike, some with each other, and some go on with zeros. */
const anyTerm = fc.oneof(
  fc.string({ unit: fc.constantFrom("\x00", "a", "\xff"), maxLength: 9 }),
  fc.nat(99).map((value) => `the same beginning of all ${value}`),
);
const anyHistory = fc.array(
  fc.record({ term: anyTerm, number: fc.integer({ min: 1, max: 9 }), isGain: fc.boolean() }),
  { maxLength: 400 },
);

test("terms come in the order of their bytes, each with what became of its items", () => {
  fc.assert(
    fc.property(anyHistory, (history) => {
      const terms = termsOf(history);
      const found = [...terms.inOrder()].map((index) => {
        const { gained, regained, lost } = terms.changeAt(index);
        return [terms.termAt(index), new Set(gained), new Set(regained), new Set(lost)];
      });
      expect(found).toEqual(modelOf(history));
    }),
    { numRuns: 300 },
  );
});

test("ten thousand terms are told from each other and put in order", () => {
  const history = Array.from({ length: 10_000 }, (_, index) => ({
    term: `part ${(index * 7919) % 10_000}`,
    number: index + 1,
    isGain: true,
  }));
  const terms = termsOf(history);
  const found = [...terms.inOrder()].map((index) => terms.termAt(index));
  expect(found).toEqual(history.map(({ term }) => term).sort());
});

function termsOf(history: readonly Happened[]): SegmentTerms {
  const entries = history.map(({ term, isGain }) => {
    const head = Buffer.from([isGain ? 1 : 0, term.length & 255, term.length >>> 8]);
    return Buffer.concat([head, Buffer.from(term, "latin1")]);
  });
  const terms = new SegmentTerms(Buffer.concat(entries));
  let at = 0;
  for (const { number, term } of history) {
    terms.note(number, at, at + TERM_BYTES + term.length);
    at += TERM_BYTES + term.length;
  }
  return terms;
}

/** What an item has in the beginning is told by what first happens to it. */
function modelOf(history: readonly Happened[]): unknown[] {
  const names = [...new Set(history.map(({ term }) => term))].sort();
  return names.map((name) => {
    const own = history.filter(({ term }) => term === name);
    const numbers = [...new Set(own.map(({ number }) => number))];
    const having = (hadIt: boolean, hasIt: boolean): Set<number> =>
      new Set(
        numbers.filter((number) => {
          const events = own.filter((event) => event.number === number);
          return events[0]!.isGain !== hadIt && events.at(-1)!.isGain === hasIt;
        }),
      );
    return [name, having(false, true), having(true, true), having(true, false)];
  });
}
