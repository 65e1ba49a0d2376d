/** Words on the scale of heat can be read on each of its steps, in every theme. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** What WCAG 2.2 asks of text of this size (1.4.3). */
const CONTRAST_MIN = 4.5;

const TOKENS = readFileSync("src/page/style/tokens.css", "utf8");
const RULES = readFileSync("src/page/style/chart.css", "utf8");
const THEMES = ["light", "dark"] as const;

test.each(THEMES.flatMap((theme) => Array.from({ length: 10 }, (_, step) => ({ theme, step }))))(
  "step $step in $theme",
  ({ theme, step }) => {
    const ground = colourOf(`--h${step}`, theme);
    expect(contrastOf(colourOf(wordsToken(step), theme), ground)).toBeGreaterThanOrEqual(
      CONTRAST_MIN,
    );
  },
);

test("no theme has colours of its own for heat, so light and dark are all there are", () => {
  const names = [
    ...Array.from({ length: 10 }, (_, step) => `--h${step}`),
    "--on-low-heat",
    "--on-h6",
    "--on-high-heat",
  ];
  for (const name of names) expect([name, TOKENS.split(`${name}:`).length - 1]).toEqual([name, 1]);
});

/** The token that a step's rule names for its words; a step without one has that of all. */
function wordsToken(step: number): string {
  return wordsOfRule(`.heat.h${step}`) ?? wordsOfRule(".heat")!;
}

function wordsOfRule(selector: string): string | undefined {
  const from = RULES.indexOf(`\n${selector} {`);
  if (from < 0) return undefined;
  return /[^-]color: var\((--[\w-]+)\)/.exec(RULES.slice(from, RULES.indexOf("}", from)))?.[1];
}

function colourOf(token: string, theme: (typeof THEMES)[number]): string {
  const [, value] = new RegExp(`${token}: ([^;]+);`).exec(TOKENS)!;
  const colours = value!.match(/#[0-9a-f]{6}/g)!;
  return theme === "light" ? colours[0]! : colours.at(-1)!;
}

/** As WCAG 2.2 defines it, between 1 and 21. */
function contrastOf(one: string, other: string): number {
  const [lighter, darker] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => b - a);
  return (lighter! + 0.05) / (darker! + 0.05);
}

function luminanceOf(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}
