/** docs/operate/limits.md agrees with `src/model/limits.ts`, and every limit is one that acts. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { SERVICE_LIMITS } from "../src/model/limits.ts";
import type { NamedLimit } from "../src/model/scaledLimits.ts";
import { changedLimits, LIMITS, limitText, limitValue } from "../src/model/scaledLimits.ts";
import { limitsOf } from "../src/server/surroundings/options.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const DOCUMENT = readFileSync(`${ROOT}docs/operate/limits.md`, "utf8");

test("the table has every limit, with its value and how it can be set", () => {
  const rows = rowsUnder("## The table");
  for (const [name, , source, effect] of rows) {
    expect(source, name).not.toBe("");
    expect(effect, name).not.toBe("");
  }
  expect(rows.map(([name, value, , , byName]) => [name, value, byName])).toEqual(
    LIMITS.map((limit) => [
      `\`${limit.name}\``,
      limitText(limitValue(SERVICE_LIMITS, limit.place), limit.unit),
      rangeText(limit),
    ]),
  );
});

test("the example of a scale is what that scale does", () => {
  expect(rowsUnder("## A smaller world")).toEqual(
    changedLimits(limitsOf({ scaleLimits: "1/1000" })).map(
      ({ name, unit, value, serviceValue }) => [
        `\`${name}\``,
        limitText(serviceValue, unit),
        limitText(value, unit),
      ],
    ),
  );
});

test("every limit is read where it acts", () => {
  const texts = readdirSync(`${ROOT}src`, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .filter((path) => !/^(model.(limits|scaledLimits)|cli.start)\.ts$/.test(path))
    .map((path) => readFileSync(`${ROOT}src/${path}`, "utf8"));
  const members = LIMITS.map(({ place }) => (typeof place === "string" ? place : place[1]));
  const idle = members.filter((name) => !texts.some((text) => text.includes(name)));
  expect(idle).toEqual([]);
});

function rangeText({ range, unit }: NamedLimit): string {
  if (range === undefined) return "no";
  const [min, max] = [limitText(range.min, unit), limitText(range.max, unit)];
  const [amount, minUnit] = min.split(" ");
  return max.endsWith(` ${minUnit}`) ? `${amount} to ${max}` : `${min} to ${max}`;
}

/** The cells of the first table below a heading. */
function rowsUnder(heading: string): readonly (readonly string[])[] {
  const [, below] = DOCUMENT.split(`\n${heading}\n`);
  const lines = below!.split("\n");
  const first = lines.findIndex((line) => line.startsWith("|"));
  const end = lines.findIndex((line, index) => index > first && !line.startsWith("|"));
  return lines.slice(first + 2, end).map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
}
