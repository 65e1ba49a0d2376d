/**
 * docs/operate/alerts.md holds the catalogue as tables, and the tables are made from the rules.
 * When rules change, run this test with `-u`, which writes the document anew.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { describeRules, type RuleDescription } from "./catalogue.ts";
import type { DocsPage } from "./docsPages.ts";

const DOCUMENT = fileURLToPath(new URL("../../../docs/operate/alerts.md", import.meta.url));
const CATALOGUE = /(?<=<!-- catalogue: .* -->\n)[\s\S]*?(?=<!-- end of catalogue -->)/;

test("the document has the catalogue as it is", async () => {
  const document = readFileSync(DOCUMENT, "utf8");
  expect(document).toMatch(CATALOGUE);
  const made = document.replace(CATALOGUE, () => `\n${catalogueText()}\n`);
  await expect(made).toMatchFileSnapshot(DOCUMENT);
});

test("every rule is described with its settings and where they come from", () => {
  for (const { id, title, fires, severities, settings } of describeRules()) {
    expect(`${title}.${fires}`, id).toMatch(/^[A-Z][^.]*\.[A-Z].*\.$/);
    expect(severities.length, id).toBeGreaterThan(0);
    expect(settings.length, id).toBeGreaterThan(0);
  }
});

function catalogueText(): string {
  const rules = describeRules();
  const overview = table(
    ["rule", "what it tells", "severity", "window", "raised after", "cleared after"],
    rules.map((rule) => [
      `[\`${rule.id}\`](#${rule.id.toLowerCase()})`,
      rule.title,
      rule.severities.join(", "),
      WINDOWS[rule.window],
      `${rule.forSeconds} s`,
      `${rule.clearSeconds} s`,
    ]),
  );
  return [overview, ...rules.map(ruleText)].join("\n");
}

const WINDOWS: Readonly<Record<RuleDescription["window"], string>> = {
  now: "now",
  lastMinute: "1 minute",
  lastFiveMinutes: "5 minutes",
  lastDay: "1 day",
  history: "all that is kept",
};

function ruleText(rule: RuleDescription): string {
  const settings = table(
    ["setting", "default", "meaning", "origin"],
    rule.settings.map(({ name, value, unit, meaning, origin, page }) => [
      `\`${name}\``,
      `${value} ${unit === "percent" ? "%" : unit === "fraction" ? "" : unit}`.trim(),
      meaning,
      `${origin === "guidance" ? "guidance" : "platform limit"}${page ? `: ${linkTo(page)}` : ""}`,
    ]),
  );
  const docs = rule.docs.length === 0 ? "" : `\nSee ${rule.docs.map(linkTo).join(", ")}.\n`;
  return `### ${rule.id}\n\n${rule.fires}\n\n${settings}${docs}`;
}

function linkTo({ title, url }: DocsPage): string {
  return `[${title}](${url})`;
}

/** With columns in line, as a reader of the plain text wants them. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((r) => r[column]!.length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |\n`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |\n`;
  return line(head) + rule + rows.map(line).join("");
}
