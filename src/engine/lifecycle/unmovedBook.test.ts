/** What cannot be moved: counted exactly, listed up to a bound, and the same after a restart. */
import { expect, it } from "vitest";
import { EMPTY_BOOK, UnmovedBook } from "./unmovedBook.ts";

function entry(number: number, date?: number) {
  return {
    number,
    id: `i${number}`,
    key: ["p"],
    code: date === undefined ? ("undated" as const) : ("keyFull" as const),
    reason: "…",
    date,
    isDue: date !== undefined,
    at: 1,
  };
}

function again(book: UnmovedBook): UnmovedBook {
  return new UnmovedBook(JSON.parse(JSON.stringify(book.stored)) as typeof book.stored);
}

it("has an item once, and counts how often it was tried", () => {
  const book = new UnmovedBook(EMPTY_BOOK);
  book.add(entry(7));
  book.add(entry(7, 50));
  expect(book.entries).toMatchObject([{ number: 7, code: "keyFull", attempts: 2 }]);
  expect([book.count, book.dueCount, book.lowestDue]).toEqual([1, 1, 50]);
  book.close(7);
  expect([book.count, book.lowestDue]).toEqual([0, Number.POSITIVE_INFINITY]);
});

it("lists a thousand, and counts further ones by their numbers", () => {
  let book = new UnmovedBook(EMPTY_BOOK);
  const far = 2 ** 40;
  for (let number = 0; number < 1500; number++) book.add(entry(far + number * 3));
  book = again(book);
  expect([book.entries.length, book.count, book.isExact]).toEqual([1000, 1500, true]);
  expect([book.has(far + 1499 * 3), book.has(far + 1)]).toEqual([true, false]);
  book.close(far + 1499 * 3);
  book.close(far);
  book.close(far + 1);
  expect(again(book).count).toBe(1498);
});

it("knows the lowest date also of those that are not listed", () => {
  const book = new UnmovedBook(EMPTY_BOOK);
  for (let number = 0; number < 1000; number++) book.add(entry(number));
  expect(book.isDueCountExact).toBe(true);
  book.add(entry(5000, 40));
  expect(again(book).lowestDue).toBe(40);
  expect(again(book).isDueCountExact).toBe(false);
  book.close(5000);
  expect(book.lowestDue).toBe(Number.POSITIVE_INFINITY);
  expect(book.isDueCountExact).toBe(true);
});

it("says when there are more than it remembers, and that a due one is among them", () => {
  const book = new UnmovedBook(EMPTY_BOOK);
  for (let number = 0; number < 101_000; number++) book.add(entry(number));
  expect([book.count, book.isExact, book.hasLostDue]).toEqual([101_000, true, false]);
  book.add(entry(200_000));
  expect([book.count, book.isExact, book.hasLostDue]).toEqual([101_000, false, false]);
  book.add(entry(200_001, 3));
  expect(book.hasLostDue).toBe(true);
  book.clear();
  expect([book.count, book.isExact, book.hasLostDue]).toEqual([0, true, false]);
});

it("is gone through by turns", () => {
  const book = new UnmovedBook(EMPTY_BOOK);
  for (const number of [5, 1, 9]) book.add(entry(number));
  expect(book.nextNumbers(2)).toEqual([1, 5]);
  expect(book.nextNumbers(2)).toEqual([9, 1]);
  expect(book.nextNumbers(5)).toEqual([5, 9, 1]);
});
