/** The plan in words. */
import { expect, test } from "vitest";
import { adviceWords, planLines } from "./planSteps.ts";

test("steps from the last to the first, then the lookups", () => {
  const lookups = [
    { path: "/a", condition: "=", used: true },
    {
      or: [
        { path: "/b", condition: ">", used: false },
        { path: "/c", condition: "=", used: true },
      ],
    },
  ];
  const access = { step: "access", read: "index", scope: "placement", lookups };
  const plan = {
    step: "cut",
    top: "3",
    of: { step: "filter", condition: "(c.a = 1)", of: access },
  };
  expect(planLines(plan).map(({ depth, words }) => `${depth} ${words}`)).toEqual([
    "0 cut top 3",
    "1 filter (c.a = 1)",
    "2 read by index, within one logical partition",
    "3 /a =",
    "3 any of",
    "4 /b > (not used)",
    "4 /c =",
  ]);
});

test("advice says what to do and what it saves", () => {
  const advice = {
    index: "composite",
    paths: ["/a ASC", "/b DESC"],
    ru: 3.04,
    saving: 82,
  } as const;
  expect(adviceWords(advice)).toBe(
    "A composite index on (/a ASC, /b DESC) would save 82.00 RU: 3.04 RU instead.",
  );
});
