/** The part of a check that reads the data, in a process that may not survive it. */
import { counted, shortBytesText } from "../../base/wording.ts";
import type { CheckReport } from "../../server/admin/backupCheck.ts";
import { checkData } from "../../server/admin/backupCheck.ts";
import { numberText } from "../terminal/liveTable.ts";
import type { ProgressLine } from "../terminal/progressLine.ts";
import { contentsText } from "./contentsText.ts";

export type CheckOutcome = Pick<CheckReport, "findings" | "damageCount"> &
  Partial<CheckReport> & {
    /** Of a backup of which only the checksums were looked at. */
    readonly digest?: string;
  };

/** Resolves with the exit code. */
export async function checkInside(
  directory: string,
  { isQuick, isJson }: { readonly isQuick: boolean; readonly isJson: boolean },
  progress: ProgressLine,
): Promise<number> {
  const report = await checkData(directory, {
    isQuick,
    // At once: this process may not live to tell it later.
    onFinding: (finding) => {
      if (!isJson) process.stdout.write(`${findingText(finding)}\n`);
    },
    onProgress: (text) => progress.show(() => text),
  });
  progress.clear();
  process.stdout.write(isJson ? jsonText(report) : summaryText(report));
  return report.damageCount > 0 ? 1 : 0;
}

/** Findings that nobody has told of yet, and what they come to. */
export function outcomeText(outcome: CheckOutcome, isJson: boolean): string {
  if (isJson) return jsonText(outcome);
  const lines = outcome.findings.map((finding) => `${findingText(finding)}\n`);
  return lines.join("") + summaryText(outcome);
}

function jsonText(outcome: CheckOutcome): string {
  return `${JSON.stringify(outcome)}\n`;
}

function findingText({ kind, place, text }: CheckReport["findings"][number]): string {
  return `${kind}  ${oneLine(`${place}: ${text}`)}`;
}

function summaryText(outcome: CheckOutcome): string {
  const { findings, damageCount, contents, journal, tables, digest } = outcome;
  const lines: string[] = [];
  if (journal !== undefined) {
    const { segmentCount, frameCount } = journal;
    lines.push(`Journal: ${counted(segmentCount, "segment")}, ${counted(frameCount, "frame")}.`);
  }
  if (tables !== undefined) {
    lines.push(
      `Tables: ${numberText(tables.entryCount)} entries, ${shortBytesText(tables.bytes)}.`,
    );
  }
  if (digest !== undefined) lines.push(`SHA-256 ${digest}, verified.`);
  if (contents !== undefined) lines.push(contentsText(contents).trimEnd());
  const damages = findings.filter(({ kind }) => kind === "damage").length;
  if (damageCount > damages)
    lines.push(`${numberText(damageCount - damages)} more are not listed.`);
  lines.push(damageCount === 0 ? "No damage." : `Damage: ${counted(damageCount, "finding")}.`);
  return `${lines.join("\n")}\n`;
}

/** Names of users are in it, and may hold anything. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\uFFFD");
}
