/** Open queries: which there are, and how they are called. */
import { expect, test } from "vitest";
import { besideTab, newTabId, tabTitle, withTab } from "./queryTabs.ts";

const tab = (id: string, text = `q${id}`) => ({ id, addressed: text, text, isRun: true });
const TABS = [tab("1"), tab("2"), tab("7")];

test("a tab takes the place of the former one, a new one comes last", () => {
  expect(withTab(TABS, tab("2", "new")).map(({ text }) => text)).toEqual(["q1", "new", "q7"]);
  expect(withTab(TABS, tab("8")).map(({ id }) => id)).toEqual(["1", "2", "7", "8"]);
});

test("a new tab has a number of its own", () => {
  expect(newTabId(TABS)).toBe("8");
  expect(newTabId([])).toBe("1");
  expect(newTabId([tab("of a link")])).toBe("1");
});

test("beside a closed tab is the next, or the last", () => {
  expect(besideTab(TABS, "1")?.id).toBe("2");
  expect(besideTab(TABS, "7")?.id).toBe("2");
  expect(besideTab([tab("1")], "1")).toBeUndefined();
});

test.each([
  ["", "nothing yet"],
  ["SELECT * FROM c", "SELECT * FROM c"],
  ["SELECT *\n  FROM c\n  WHERE c.a = 1", "… WHERE c.a = 1"],
  ["SELECT c.name, c.total, c.address FROM c", "SELECT c.name, c.total, c.a…"],
])("%j is called %s", (text, title) => {
  expect(tabTitle(text)).toBe(title);
});
