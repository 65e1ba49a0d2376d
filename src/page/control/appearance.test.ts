/** How the page looks, as somebody chose it. */
import { expect, test } from "vitest";
import { attributesOf, keepAppearance, readAppearance } from "./appearance.ts";

function storeWith(text: string | null) {
  let kept = text;
  return {
    getItem: () => kept,
    setItem: (_key: string, value: string) => {
      kept = value;
    },
  };
}

const DEFAULT = { theme: "system", density: "compact", motion: "system", zone: "local" };

test.each([null, "", "{", "null", "[]", '{"theme":"purple","density":3}'])(
  "what is not ours is not believed: %s",
  (text) => {
    expect(readAppearance(storeWith(text))).toEqual(DEFAULT);
  },
);

test("what was chosen is found again", () => {
  const store = storeWith(null);
  const chosen = { theme: "dark", density: "comfortable", motion: "reduced", zone: "utc" } as const;
  keepAppearance(store, chosen);
  expect(readAppearance(store)).toEqual(chosen);
});

test("the system's wish is the absence of an attribute", () => {
  expect(attributesOf(readAppearance(storeWith(null)))).toEqual({
    "data-theme": null,
    "data-density": null,
    "data-motion": null,
  });
});
