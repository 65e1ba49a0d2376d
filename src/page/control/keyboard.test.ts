/** Keys: which action each stands for, and when it does not count. */
import { describe, expect, test } from "vitest";
import type { KeyPress } from "./keyboard.ts";
import { Keyboard, nameOf } from "./keyboard.ts";
import { KEY_TABLE, keyGroups } from "./keyTable.ts";

const NO_MODIFIERS = { ctrlKey: false, metaKey: false, shiftKey: false, altKey: false };
const press = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
  ...NO_MODIFIERS,
  key,
  ...more,
});

describe("a press has a name", () => {
  test.each<[string, KeyPress]>([
    ["Mod+K", press("k", { ctrlKey: true })],
    ["Mod+K", press("k", { metaKey: true })],
    ["Mod+K", press("K", { ctrlKey: true })],
    ["?", press("?", { shiftKey: true })],
    ["Shift+F6", press("F6", { shiftKey: true })],
    ["Mod+Enter", press("Enter", { ctrlKey: true })],
    ["Mod+.", press(".", { metaKey: true })],
    ["Alt+d", press("d", { altKey: true })],
    ["g", press("g")],
  ])("%s", (name, pressed) => {
    expect(nameOf(pressed)).toBe(name);
  });
});

function bound(): { readonly keyboard: Keyboard; readonly said: string[] } {
  const keyboard = new Keyboard();
  const said: string[] = [];
  for (const id of ["palette", "keyList", "overview", "pause"] as const) {
    keyboard.bind(id, () => {
      said.push(id);
      return undefined;
    });
  }
  return { keyboard, said };
}

test("keys that follow each other are one action, and others between them end it", () => {
  const { keyboard, said } = bound();
  expect(keyboard.press(press("g"), false)).toBe(false);
  expect(keyboard.press(press("o"), false)).toBe(true);
  keyboard.press(press("g"), false);
  keyboard.press(press("x"), false);
  expect(keyboard.press(press("o"), false)).toBe(false);
  keyboard.press(press("g"), false);
  keyboard.press(press("Shift"), false);
  expect(keyboard.press(press("o"), false)).toBe(true);
  expect(said).toEqual(["overview", "overview"]);
});

test("while somebody types, only keys that are meant for it count", () => {
  const { keyboard, said } = bound();
  expect(keyboard.press(press("?", { shiftKey: true }), true)).toBe(false);
  expect(keyboard.press(press("p"), true)).toBe(false);
  keyboard.press(press("g"), true);
  expect(keyboard.press(press("o"), true)).toBe(false);
  expect(keyboard.press(press("k", { ctrlKey: true }), true)).toBe(true);
  expect(said).toEqual(["palette"]);
});

test("who binds a key last gets it, and may leave it to the others", () => {
  const { keyboard, said } = bound();
  let isWanted = true;
  const unbind = keyboard.bind("pause", () => {
    if (isWanted) said.push("mine");
    return isWanted;
  });
  keyboard.press(press("p"), false);
  isWanted = false;
  keyboard.press(press("p"), false);
  unbind();
  keyboard.press(press("p"), false);
  expect(said).toEqual(["mine", "pause", "pause"]);
});

test("a key that nobody has bound is left to the browser", () => {
  expect(new Keyboard().press(press("k", { ctrlKey: true }), false)).toBe(false);
});

test("no key of a browser or a screen reader is taken", () => {
  // `F5` runs a query in the editor, where people's fingers expect that, and nowhere else.
  const { runInEditor: _allowed, ...others } = KEY_TABLE;
  const keys = Object.values(others).flatMap((row): readonly string[] => row.keys);
  expect(keys.filter((key) => /^Alt\+|^Mod\+[NTWLRFPQ]$|^F5$/.test(key))).toEqual([]);
});

test("within one place a key has one meaning", () => {
  for (const [where, rows] of keyGroups()) {
    const keys = rows.flatMap((row) => row.keys);
    expect(new Set(keys).size, where).toBe(keys.length);
  }
});
