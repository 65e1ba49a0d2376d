/** The guides' selector beside the lab's opinion of each of its rules. */
import type { JsonObject } from "../../json/value.ts";
import { printKeyLevels } from "../../keys/expressionText.ts";
import type { Advice } from "../advise/advice.ts";
import { candidateWith, opinionOf, type SelectorRule } from "../advise/select.ts";
import { NONE, visible } from "../wording/plain.ts";
import { textTable, wrapped } from "../wording/textTable.ts";
import { verdictText } from "./figures.ts";

export function selectText(
  rules: readonly SelectorRule[],
  advice: Advice,
  width: number | undefined,
): string {
  const chosen = rules.find(({ holds }) => holds);
  const column = (name: string, cell: (rule: SelectorRule) => string) => ({
    name,
    isRight: false,
    cells: rules.map(cell),
  });
  const lines = [
    "The guides' selector: the first rule that holds decides",
    "",
    ...textTable(
      [
        column("rule", ({ number }) => String(number)),
        column("asks for", ({ asks }) => asks),
        column("holds", (rule) => (rule === chosen ? "→ yes" : rule.holds ? "yes" : "no")),
        column("key", ({ levels }) =>
          levels === undefined ? NONE : visible(printKeyLevels(levels)),
        ),
        column("the lab says", (rule) => verdictIn(rule, advice) ?? NONE),
      ],
      width,
    ),
    "",
    ...rules.flatMap((rule) =>
      wrapped(visible(`${rule.number}. ${rule.because}. ${opinionOf(rule, advice)}`), width, "  "),
    ),
    "",
    ...wrapped(visible(summaryOf(chosen, advice)), width),
  ];
  return `${lines.join("\n")}\n`;
}

function verdictIn({ levels }: SelectorRule, advice: Advice): string | undefined {
  const found = levels && candidateWith(levels, advice);
  return found && verdictText(found);
}

function summaryOf(chosen: SelectorRule | undefined, { best }: Advice): string {
  const key = chosen?.levels === undefined ? "nothing" : printKeyLevels(chosen.levels);
  const own = best === undefined ? "finds no key good enough" : `finds ${best.expression} best`;
  return best?.expression === key
    ? `The selector takes ${key}, and so does the lab.`
    : `The selector takes ${key}; the lab ${own}.`;
}

export function selectJson(rules: readonly SelectorRule[], advice: Advice): JsonObject {
  const chosen = rules.find(({ holds }) => holds);
  return {
    formatVersion: 1,
    workload: advice.workload,
    selected: chosen?.levels === undefined ? null : printKeyLevels(chosen.levels),
    best: advice.best?.expression ?? null,
    rules: rules.map((rule) => ({
      rule: rule.number,
      asks: rule.asks,
      holds: rule.holds,
      because: rule.because,
      key: rule.levels === undefined ? null : printKeyLevels(rule.levels),
      verdict: (rule.levels && candidateWith(rule.levels, advice)?.verdict) ?? null,
      opinion: opinionOf(rule, advice),
    })),
  };
}
