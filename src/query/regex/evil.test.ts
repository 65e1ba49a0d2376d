/**
 * Patterns made to be slow. Each is run on texts made for it, of 10,000 characters or with
 * ORRERY_LONG of 50,000, and the steps
 * it takes are held against the length of the text times the size of the pattern; or it is refused.
 * Nothing is timed: a backtracking search would simply never come back from most of these.
 */
import { describe, expect, test } from "vitest";
import { PatternProblem } from "./problem.ts";
import { INSTRUCTION_COUNT_MAX } from "./program.ts";
import { Regex } from "./regex.ts";
import { STEPS_MAX, Steps } from "./steps.ts";

const LENGTH = process.env["ORRERY_LONG"] !== undefined ? 50_000 : 10_000;

/** Looked at when followed, and again when advanced; the table's own cost is less than that. */
const STEPS_PER_INSTRUCTION = 4;

const ATOMS = ["a", "[ab]", ".", "(?:a|b)", "\\p{L}", "(?i:a)"];

/** More than a pattern may name: each has to be looked up. */
const SCRIPTS =
  "Latin Greek Cyrillic Armenian Hebrew Arabic Syriac Thaana Bengali Gujarati Oriya Tamil".split(
    " ",
  );

const FAMILIES: Readonly<Record<string, readonly string[]>> = {
  "nested quantifiers": ATOMS.flatMap((atom) => [
    `(${atom}+)+$`,
    `^(${atom}+)+$`,
    `(${atom}*)*x`,
    `(${atom}+)*x`,
    `((${atom}*)*)*x`,
    `(${atom}+?)+?x`,
    `(${atom}?)*x`,
    `(?:${atom}{0,3})*x`,
  ]),
  "overlapping choices": ATOMS.flatMap((atom) => [
    `(${atom}|${atom})*x`,
    `(${atom}|${atom}${atom})+$`,
    `^(${atom}|${atom}?)+x`,
    `(?:${atom}|${atom}${atom}|${atom}${atom}${atom})*x$`,
    `(${atom}*|b)*x`,
  ]),
  "adjacent quantifiers": ATOMS.flatMap((atom) => [
    `${atom}*${atom}*${atom}*${atom}*x`,
    `${atom}+${atom}+$`,
    `${atom}*?${atom}*?${atom}*?x`,
    `.*${atom}.*${atom}.*x`,
    `${atom}*`.repeat(30),
  ]),
  "counted nests": ATOMS.flatMap((atom) => [
    `(${atom}{1,5}){1,5}x`,
    `((${atom}{2}){3}){4}x`,
    `(${atom}{0,10}){0,10}$`,
    `${atom}{1,200}x`,
    `(?:${atom}?){60}${atom}{60}`,
    `(${atom}{100}){100}`,
    `(${atom}{1000}){1000}`,
    `(?:${atom}{1,99}){1,99}`,
  ]),
  "exponentially many states": [5, 10, 15, 20, 40, 80].flatMap((count) => [
    `a.{${count}}x`,
    `(a|b)*a(a|b){${count}}$`,
    `a[ab]{${count}}c`,
    `(?:a|b)*?a(?:a|b){${count}}b\\b`,
    `(x|a.{${count}})$`,
  ]),
  classics: [
    "^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$",
    "^\\w+([.-]?\\w+)*@\\w+([.-]?\\w+)*(\\.\\w{2,3})+$",
    "(([a-z])+.)+[A-Z]([a-z])+$",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "(https?://)?([\\da-z.-]+)\\.([a-z.]{2,6})([/\\w .-]*)*/?$",
    "^(?:(?:https?|ftp)://)?(?:\\S+(?::\\S*)?@)?(?:[a-z0-9-]+\\.)*[a-z]+$",
    "<([a-z]+)([^<]+)*(?:>(.*)<|\\s+/>)",
    "^\\s+|\\s+$",
    "\\s*,\\s*",
    "(.*),(.*),(.*),(.*),(.*),x",
    "^(.*?,){20}x",
    "^(\\d+)*[^\\d]$",
    "^(([^.]+\\.)+)+$",
    '"(?:[^"\\\\]|\\\\.)*"',
    "(?:(?:a+)+b)+c",
    "(\\w+\\s?)+$",
    "^(?:.?)+x",
    "(a|a?)+$",
    "\\b(\\w+)*\\b!",
    "(?m:^a*$)*x",
    "(^a|b$|\\ba|a\\b)*x",
    "(?s:.*)*?x",
    "(()|a)+x",
    "(|a|b)*x",
    "(?:){60000}a*x",
    "(?:a{0}){60000}b",
    "(){9000}x",
  ],
  "large classes": [
    `[${Array.from({ length: 1_600 }, (_, at) => String.fromCharCode(0x100 + 3 * at)).join("")}]+x`,
    "(\\p{L}|\\p{Ll}|\\p{Lu}|\\w)+$",
    "(?i)[\\p{Lu}\\p{Nd}]*\\P{L}x",
    `(?:${Array.from({ length: 60 }, (_, at) => `[^${String.fromCharCode(0x61 + at)}]`).join("|")})*x`,
    `[${"\\p{L}\\p{N}\\p{P}".repeat(500)}]+x`,
    `[${SCRIPTS.map((script) => `\\p{${script}}`).join("")}]+x`,
    `(?i:[\\x00-\\uFFFF])${"(?i:[\\x00-\\uFFFE])".repeat(50)}x`,
    `(?:${Array.from({ length: 900 }, (_, at) => String.fromCharCode(0x4e00 + at)).join("|")})*x`,
  ],
  "deep nesting": [10, 50, 150, 199, 201, 2_000].flatMap((depth) => [
    `${"(".repeat(depth)}a${")*".repeat(depth)}x`,
    `${"(?:a|".repeat(depth)}b${")+".repeat(depth)}x`,
    `${"(?:".repeat(depth)}a${"?)?".repeat(depth)}x`,
  ]),
};

const TEXTS: readonly string[] = [
  `${"a".repeat(LENGTH)}!`,
  "a\n, ".repeat(LENGTH / 4),
  `${"a@a.a-".repeat(LENGTH / 6)}!`,
  pseudoRandom(LENGTH),
  "éΣ中".repeat(LENGTH / 3),
];

/** Letters a and b in no order: every window of them is different. */
function pseudoRandom(length: number): string {
  let seed = 1;
  return Array.from({ length }, () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return seed & 0x10000 ? "a" : "b";
  }).join("");
}

describe.each(Object.entries(FAMILIES))("%s", (_, patterns) => {
  const named = patterns.map((pattern) => [pattern.slice(0, 50), pattern]);
  test.each(named)("%s", (_name, pattern) => {
    const regex = regexOrRefusal(pattern!);
    if (regex === undefined) return;
    expect(regex.instructionCount).toBeLessThanOrEqual(INSTRUCTION_COUNT_MAX);
    const stepsMax = STEPS_PER_INSTRUCTION * regex.instructionCount * (LENGTH + 2);
    for (const text of TEXTS) {
      expect(stepsOf((steps) => regex.isMatch(text, steps))).toBeLessThanOrEqual(stepsMax);
    }
    for (const text of [TEXTS[0]!, TEXTS[3]!]) {
      const first = (steps: Steps): unknown => regex.matches(text, 0, steps).next();
      expect(stepsOf(first)).toBeLessThanOrEqual(2 * stepsMax);
    }
  });
});

test("there are more than two hundred of them", () => {
  expect(Object.values(FAMILIES).flat().length).toBeGreaterThan(200);
});

describe("steps", () => {
  test("a simple pattern takes one a character, whatever it has to try", () => {
    for (const pattern of ["^(a+)+$", "(a|aa)+$", "(.*)*x", "[ab]*[ac]*x", "(?i)A+B"]) {
      const steps = stepsOf((each) => new Regex(pattern, "").isMatch(TEXTS[0]!, each));
      expect(steps).toBeLessThan(LENGTH + 1_000);
    }
  });

  test("a prefix is looked for without any", () => {
    const steps = stepsOf((each) => new Regex("xy+z", "").isMatch(TEXTS[0]!, each));
    expect(steps).toBeLessThan(100);
  });

  test("all matches together share one limit", () => {
    const regex = new Regex("a.*x|a", "");
    expect(() => [...regex.matches("a".repeat(50_000))]).toThrow("needs too much work");
  });

  test("of many matches together they grow with the text, not with its square", () => {
    for (const pattern of ["a", "a+?", "[ab]", "\\b|b", "a*?", "(a)(b)?", ""]) {
      const regex = new Regex(pattern, "");
      const steps = stepsOf((each) => [...regex.matches(TEXTS[3]!, 1, each)].length);
      expect(steps).toBeLessThan(30 * LENGTH);
    }
  });
});

/** What a search spends; a search that is refused has spent what it may. */
function stepsOf(search: (steps: Steps) => unknown): number {
  const steps = new Steps(STEPS_MAX / 20);
  try {
    search(steps);
  } catch (problem) {
    expect(problem).toBeInstanceOf(PatternProblem);
    return 0;
  }
  return steps.taken;
}

function regexOrRefusal(pattern: string): Regex | undefined {
  try {
    return new Regex(pattern, "");
  } catch (problem) {
    expect(problem).toBeInstanceOf(PatternProblem);
    return undefined;
  }
}
