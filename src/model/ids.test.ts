/** What may be an id: the table is the rule, the properties say how checks relate. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../json/value.ts";
import { checkItemId, checkName, checkNewItemId } from "./ids.ts";
import { SERVICE_LIMITS } from "./limits.ts";

interface Rule {
  readonly what: string;
  readonly id: JsonValue | undefined;
  readonly item: "fine" | "refused";
  readonly name: "fine" | "refused";
}

const RULES: readonly Rule[] = [
  { what: "a plain name", id: "orders-2024", item: "fine", name: "fine" },
  { what: "letters of any script", id: "中文 鱀", item: "fine", name: "fine" },
  { what: "a character outside the basic plane", id: "😀", item: "fine", name: "fine" },
  { what: "spaces in front", id: "  a", item: "fine", name: "fine" },
  { what: "a space at the end", id: "a ", item: "fine", name: "refused" },
  { what: "percent signs", id: "a%20b", item: "fine", name: "fine" },
  { what: "control characters", id: "a\t\r\nb", item: "fine", name: "fine" },
  { what: "a question mark", id: "a?b", item: "fine", name: "refused" },
  { what: "a number sign", id: "a#b", item: "fine", name: "refused" },
  { what: "a slash", id: "a/b", item: "fine", name: "refused" },
  { what: "a backslash", id: "a\\b", item: "fine", name: "refused" },
  { what: "half a surrogate pair", id: "a\ud800", item: "refused", name: "refused" },
  { what: "nothing", id: "", item: "refused", name: "refused" },
  { what: "an absent id", id: undefined, item: "refused", name: "refused" },
  { what: "null", id: null, item: "refused", name: "refused" },
  { what: "a number", id: 7, item: "refused", name: "refused" },
  { what: "an object", id: { id: "a" }, item: "refused", name: "refused" },
  { what: "255 characters", id: "a".repeat(255), item: "fine", name: "fine" },
  { what: "256 characters", id: "a".repeat(256), item: "fine", name: "refused" },
  { what: "255 characters of 3 bytes", id: "鱀".repeat(255), item: "fine", name: "fine" },
  { what: "1,023 bytes", id: "鱀".repeat(341), item: "fine", name: "refused" },
  { what: "1,024 bytes", id: `${"鱀".repeat(341)}a`, item: "refused", name: "refused" },
];

describe("ids", () => {
  test.each(RULES)("$what: an item id is $item, a name is $name", ({ id, item, name }) => {
    expect(answer(checkItemId(id, SERVICE_LIMITS))).toBe(item);
    expect(answer(checkName(id, SERVICE_LIMITS))).toBe(name);
  });

  test("a new item's id has no backslash, and may have anything else", () => {
    expect(checkNewItemId("a\\b")).toContain("must not contain '\\'");
    for (const { id } of RULES.filter(
      ({ item, what }) => item === "fine" && what !== "a backslash",
    )) {
      expect(checkNewItemId(String(id))).toBeUndefined();
    }
  });

  test("the limits are those passed in", () => {
    const limits = { ...SERVICE_LIMITS, itemIdBytesMax: 3, nameCharactersMax: 2 };
    expect(checkItemId("abc", limits)).toBeUndefined();
    expect(checkItemId("abcd", limits)).toContain("less than '4' characters");
    expect(checkName("ab", limits)).toBeUndefined();
    expect(checkName("abc", limits)).toContain("less than '2' characters");
  });

  test("a complaint names the limit as the service words it", () => {
    expect(checkItemId("a".repeat(1024), SERVICE_LIMITS)).toContain("less than '1024' characters");
    expect(checkName("a".repeat(256), SERVICE_LIMITS)).toContain("less than '255' characters");
  });

  test("a complaint shows the beginning of the id, not megabytes of it", () => {
    expect(checkName("a/b", SERVICE_LIMITS)).toContain("'a/b'");
    expect(checkItemId("x".repeat(100_000), SERVICE_LIMITS)!.length).toBeLessThan(250);
  });
});

describe("ids, properties", () => {
  test("what is fine for a name is fine for an item, and survives UTF-8", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        if (checkName(text, SERVICE_LIMITS) !== undefined) return;
        expect(checkItemId(text, SERVICE_LIMITS)).toBeUndefined();
        expect(Buffer.from(text, "utf8").toString("utf8")).toBe(text);
      }),
    );
  });

  test("an item id is any text of 1 to 1,023 bytes", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 600 }), (text) => {
        const bytes = Buffer.from(text, "utf8");
        const isFine = bytes.length > 0 && bytes.length < 1024;
        expect(checkItemId(text, SERVICE_LIMITS) === undefined).toBe(isFine);
      }),
    );
  });
});

function answer(complaint: string | undefined): "fine" | "refused" {
  return complaint === undefined ? "fine" : "refused";
}
