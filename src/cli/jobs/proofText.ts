/** What shows whether a copy is right and what it will cost: verification, mirror, cut-over, way
 * back. */
import { counted, countText, millisText, threeDigits } from "../../base/wording.ts";
import type {
  CopyJobEntry,
  CutOverReport,
  MirrorReport,
  MirrorShape,
  VerificationReport,
  WayBack,
} from "../../model/copyJob.ts";
import type { LiveRow, Section } from "../terminal/liveTable.ts";
import { percentText } from "../terminal/liveTable.ts";
import { instantText, lagText } from "./jobWords.ts";
import { exampleText, keyText } from "./planText.ts";

export function proofSections(job: CopyJobEntry): readonly Section[] {
  return [
    ...verificationSections(job.verification),
    ...(job.mirror === undefined ? [] : mirrorSections(job.mirror)),
    ...(job.cutOver === undefined ? [] : cutOverSections(job.cutOver)),
    ...(job.wayBack === undefined ? [] : wayBackSections(job.wayBack)),
  ];
}

export function verificationSections(report: VerificationReport): readonly Section[] {
  const { differences = [], state } = report;
  const line: Section = {
    kind: "lines",
    lines: [`Verification: ${verificationText(report)}`],
    tone: state === "differs" ? "alarm" : undefined,
  };
  if (differences.length === 0) return [line];
  const rows = differences.map(({ kind, id, newKey }) => ({
    cells: { item: kind, id, "new key": keyText(newKey) },
  }));
  return [line, { kind: "table", rows, right: [] }];
}

function verificationText(report: VerificationReport): string {
  const { state, share, at, seconds, comparedCount, readCount, sum } = report;
  if (state === "none") return "none yet";
  if (state === "running") {
    return `running${share === undefined ? "" : `, ${percentText(share)} % done`}`;
  }
  const { missingCount = 0, extraCount = 0, differingCount = 0 } = report;
  const found =
    state === "differs"
      ? `${countText(missingCount)} missing, ${countText(extraCount)} too many, ` +
        `${countText(differingCount)} that differ`
      : state === "stale"
        ? "no difference, but too long or too many changes ago"
        : "no difference";
  const parts = [
    found,
    ...(comparedCount === undefined ? [] : [`${counted(comparedCount, "item")} compared`]),
    ...(readCount === undefined ? [] : [`${countText(readCount)} of them read`]),
    ...(seconds === undefined ? [] : [`in ${threeDigits(seconds)} s`]),
    ...(at === undefined ? [] : [`at ${instantText(at)}`]),
    ...(sum === undefined ? [] : [`sum ${sum}`]),
  ];
  return parts.join(", ");
}

const MIRROR_NUMBERS = ["shape", "runs", "equal", "differ", "late", "errors"];

function mirrorSections({ percent, shapes, noise }: MirrorReport): readonly Section[] {
  const told = [
    `Mirror: ${threeDigits(percent)} % of reads and queries are also run on the copy.`,
    ...(noise.runCount === 0
      ? []
      : [
          `Run twice on the source itself, ${countText(noise.differedCount)} of ` +
            `${counted(noise.runCount, "read")} differed all the same.`,
        ]),
  ];
  const warnings = shapes.flatMap(({ warning }, at) =>
    warning === undefined ? [] : [`  ${at + 1}  ${warning}`],
  );
  const mismatches = shapes.flatMap(({ mismatches: ids }, at) =>
    ids.length === 0 ? [] : [`  ${at + 1}  other answers for ${ids.join(", ")}`],
  );
  return [
    { kind: "lines", lines: ["", ...told, ...shapes.map(nameLine)] },
    { kind: "table", rows: shapes.map(shapeRow), right: MIRROR_NUMBERS },
    { kind: "lines", lines: warnings, tone: "warning" },
    { kind: "lines", lines: mismatches, tone: "alarm" },
  ];
}

/** A query has no room in a cell, so that its row has only its number. */
function nameLine({ shape }: MirrorShape, at: number): string {
  return `  ${at + 1}  ${shape}`;
}

/** Source on the left of the arrow, copy on the right. */
function shapeRow(shape: MirrorShape, at: number): LiveRow {
  const { source, target } = shape;
  const pair = (before: number, after: number): string =>
    `${threeDigits(before)} → ${threeDigits(after)}`;
  const cells = {
    shape: String(at + 1),
    runs: countText(shape.runCount),
    equal: countText(shape.matchCount),
    differ: countText(shape.mismatchCount),
    late: countText(shape.laggingCount),
    errors: countText(shape.errorCount),
    "RU p50": pair(source.ru.p50, target.ru.p50),
    "RU p95": pair(source.ru.p95, target.ru.p95),
    "RU p99": pair(source.ru.p99, target.ru.p99),
    "ms p50": pair(source.ms.p50, target.ms.p50),
    "ms p95": pair(source.ms.p95, target.ms.p95),
    "ms p99": pair(source.ms.p99, target.ms.p99),
    partitions: pair(source.partitions, target.partitions),
    "RU/day": pair(source.ruPerDay, target.ruPerDay),
  };
  const tone =
    shape.mismatchCount + shape.errorCount > 0
      ? "alarm"
      : shape.warning === undefined
        ? undefined
        : "warning";
  return { cells, tone };
}

function cutOverSections(report: CutOverReport): readonly Section[] {
  const { at, attempts, heldMs, longestWaitMs, waitedCount, switchBy, inOldTerms } = report;
  const way = switchBy === "names" ? "by swap of names" : "by the application";
  const lines = [
    `Cut-over: at ${instantText(at)} ${way}, at the ${ordinal(attempts)} attempt; writes were ` +
      `held for ${millisText(heldMs)}, ${counted(waitedCount, "write")} waited, the longest ` +
      `for ${millisText(longestWaitMs)}.`,
    ...inOldTerms.map(
      ({ program, count }) => `  ${program}: ${counted(count, "request")} in old terms since then`,
    ),
  ];
  return [{ kind: "lines", lines: ["", ...lines] }];
}

function ordinal(count: number): string {
  const known = ["zeroth", "first", "second", "third"];
  return known[count] ?? `${count}th`;
}

function wayBackSections({ isOpen, lag, obstacles }: WayBack): readonly Section[] {
  const line = isOpen
    ? `Way back: open, the old container is behind by ${lagText(lag)}.`
    : "Way back: closed, because these items cannot go back:";
  const items = obstacles.map((item) => `  ${exampleText(item)}`);
  return [
    { kind: "lines", lines: ["", line], tone: isOpen ? undefined : "alarm" },
    { kind: "lines", lines: items },
  ];
}
