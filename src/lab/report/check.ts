/** The validator's answer for one key, for people and for programs. */
import type { JsonObject } from "../../json/value.ts";
import type { CheckFinding, KeyCheck } from "../advise/check.ts";
import { NONE, numberText, visible } from "../wording/plain.ts";
import { textTable, wrapped } from "../wording/textTable.ts";

const MARKS: Readonly<Record<CheckFinding["outcome"], string>> = {
  passed: "✓ passed",
  warning: "△ warning",
  unknown: "? unknown",
};

export function checkText(check: KeyCheck, width: number | undefined): string {
  const { expression, candidate, findings, isPassed } = check;
  const name = candidate === expression ? "" : `${visible(candidate)}: `;
  const warnings = findings.filter(({ outcome }) => outcome === "warning").length;
  const unknown = findings.filter(({ outcome }) => outcome === "unknown").length;
  const table = textTable(
    [
      { name: "check", isRight: false, cells: findings.map((finding) => finding.check) },
      { name: "score", isRight: true, cells: findings.map(scoreText) },
      { name: "wanted", isRight: true, cells: findings.map(wantedText) },
      { name: "", isRight: false, cells: findings.map(({ outcome }) => MARKS[outcome]) },
    ],
    width,
  );
  const verdict = isPassed
    ? unknown === 0
      ? "No warnings."
      : `No warnings, but ${unknown} of ${findings.length} could not be checked.`
    : `${warnings} of ${findings.length} checks ${warnings === 1 ? "warns" : "warn"}.`;
  const lines = [
    `${name}${visible(expression)}`,
    "",
    ...table,
    "",
    ...findings.flatMap(({ sentence }) => wrapped(visible(sentence), width, "  • ")),
    "",
    verdict,
  ];
  return `${lines.join("\n")}\n`;
}

function wantedText({ threshold, isAtMost }: CheckFinding): string {
  return `${isAtMost === true ? "at most" : "at least"} ${numberText(threshold)}`;
}

function scoreText({ score }: CheckFinding): string {
  return score === undefined ? NONE : numberText(score);
}

export function checkJson({ candidate, expression, findings, isPassed }: KeyCheck): JsonObject {
  return {
    formatVersion: 1,
    id: candidate,
    expression,
    isPassed,
    findings: findings.map(({ check, outcome, score, threshold, isAtMost, sentence }) => ({
      check,
      outcome,
      score: score ?? null,
      threshold,
      isAtMost: isAtMost === true,
      sentence,
    })),
  };
}
