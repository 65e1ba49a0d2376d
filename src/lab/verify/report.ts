/** A verification for people and for programs. */
import { bytesText, countText } from "../../base/wording.ts";
import type { JsonObject } from "../../json/value.ts";
import { numberText, percentText, visible } from "../wording/plain.ts";
import { textTable, wrapped } from "../wording/textTable.ts";
import type { FigureCheck, FigureFinding } from "./check.ts";
import type { Verification } from "./verify.ts";

/** Icon and word: no colour has to be seen. */
const MARKS: Readonly<Record<FigureFinding, string>> = {
  held: "✓ held",
  failed: "✕ failed",
  undecided: "? undecided",
  noted: "",
};

const SENTENCES: Readonly<Record<Verification["finding"], string>> = {
  held: "The prediction holds.",
  failed: "The prediction does not hold.",
  undecided: "Nothing is decided yet: too little was asked of the container to tell.",
};

/** Nobody has measured how far predictions of this kind are off. */
const ALLOWED =
  "What is allowed was chosen, not calibrated: a margin for the prices and the layout, and twice " +
  "the error of a mean where one is measured.";

export function verificationText(verification: Verification, width: number | undefined): string {
  const { container, key, seconds, checks, remarks, finding } = verification;
  const column = (name: string, isRight: boolean, cellOf: (check: FigureCheck) => string) => ({
    name,
    isRight,
    cells: checks.map((check) => visible(cellOf(check))),
  });
  const table = textTable(
    [
      column("figure", false, ({ title }) => title),
      column("predicted", true, (check) => amountText(check, check.predicted)),
      column("measured", true, (check) => amountText(check, check.measured)),
      column("difference", true, (check) => signedText(check)),
      column("allowed", true, (check) => allowedText(check)),
      column("verdict", false, (check) => MARKS[check.finding]),
    ],
    width,
  );
  const notes = checks.flatMap(({ title, note }) =>
    note === undefined ? [] : [`${title}: ${note}`],
  );
  return `${[
    visible(`${container} under ${key}, measured for ${numberText(seconds)} s`),
    "",
    ...table,
    "",
    ...[...notes, ...remarks].flatMap((text) => wrapped(visible(text), width, "  • ")),
    ...(notes.length + remarks.length > 0 ? [""] : []),
    ...wrapped(ALLOWED, width, ""),
    "",
    SENTENCES[finding],
  ].join("\n")}\n`;
}

function amountText({ unit }: FigureCheck, amount: number | undefined): string {
  if (amount === undefined) return "–";
  if (unit === "bytes") return bytesText(amount);
  if (unit === "count") return countText(amount);
  return unit === "share" ? percentText(amount) : numberText(amount);
}

function signedText({ unit, difference }: FigureCheck): string {
  if (difference === undefined) return "–";
  const amount = unit === "share" ? difference : 100 * difference;
  const text = amount.toFixed(1).replace(/^-(?=0\.0$)/, "");
  return `${Number(text) > 0 ? "+" : ""}${text} ${unit === "share" ? "points" : "%"}`;
}

function allowedText({ unit, tolerance }: FigureCheck): string {
  if (tolerance === undefined) return "";
  return unit === "share"
    ? `+${tolerance.toFixed(1)} points`
    : `±${(100 * tolerance).toFixed(1)} %`;
}

/** Shares and differences are of 1; those of 429s are points of a hundred. */
export function verificationJson(verification: Verification): JsonObject {
  const { container, key, seconds, rateFactor, finding, checks, remarks } = verification;
  return {
    formatVersion: 1,
    container,
    key,
    seconds,
    rateFactor,
    finding,
    checks: checks.map((check) => ({
      name: check.name,
      title: check.title,
      unit: check.unit,
      predicted: check.predicted,
      measured: check.measured ?? null,
      difference: check.difference ?? null,
      tolerance: check.tolerance ?? null,
      finding: check.finding,
      note: check.note ?? null,
    })),
    remarks,
  };
}
