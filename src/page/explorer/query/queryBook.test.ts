/** The book of queries: newest first, bounded, and what was saved stays. */
import { expect, test } from "vitest";
import {
  HISTORY_COUNT_MAX,
  keepBook,
  noted,
  type QueryNote,
  readBook,
  renamed,
} from "./queryBook.ts";

const note = (text: string, ru = 1): QueryNote => ({ text, of: "a/b", at: 0, ru, rows: 0 });

test("the same query again takes the place of the former note, and keeps its name", () => {
  const book = renamed(noted(noted([], note("one")), note("two")), note("one"), "mine");
  expect(noted(book, note("one", 9))).toEqual([{ ...note("one", 9), name: "mine" }, note("two")]);
});

test("the oldest are forgotten, those with a name never", () => {
  let book = renamed(noted([], note("kept")), note("kept"), "mine");
  for (let index = 0; index < HISTORY_COUNT_MAX + 5; index++) book = noted(book, note(`q${index}`));
  expect(book).toHaveLength(HISTORY_COUNT_MAX + 1);
  expect(book.some(({ text }) => text === "kept")).toBe(true);
  expect(book.some(({ text }) => text === "q0")).toBe(false);
});

test("what is kept is read again; what is no book is empty", () => {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
  expect(readBook(storage)).toEqual([]);
  keepBook(storage, [note("one")]);
  expect(readBook(storage)).toEqual([note("one")]);
  kept.set("orrery.queries", "{broken");
  expect(readBook(storage)).toEqual([]);
  kept.set("orrery.queries", '[{"text":1}]');
  expect(readBook(storage)).toEqual([]);
});
