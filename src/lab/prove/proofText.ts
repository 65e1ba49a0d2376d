/** A proof as a text for people: the scale, a table for each candidate, and what it comes to. */

import { bytesText, countText } from "../../base/wording.ts";
import { textTable } from "../wording/textTable.ts";
import type { CaseComparison, Pair, ProofComparison } from "./compare.ts";
import type { ProvenKey } from "./provenKeys.ts";
import { keysLine } from "./provenKeys.ts";
import type { SwappedPair } from "./ranking.ts";
import type { ProofScale } from "./scale.ts";
import { LATE_MAX, type ProofFinding } from "./verdicts.ts";

export interface ProofTextOptions {
  readonly width: number | undefined;
  /** All keys of the advice, the first one first. */
  readonly keys: readonly ProvenKey[];
  /** How long operations are sent at their pace. */
  readonly seconds: number;
  /** How many are sent before, to see what they ask for. */
  readonly operationCount: number;
  readonly seed: number;
  readonly remarks: readonly string[];
}

export function proofText(
  scale: ProofScale,
  proof: ProofComparison,
  options: ProofTextOptions,
): string {
  const blocks = [
    scaleLines(scale, options),
    ...proof.cases.map((each) => caseLines(each, options)),
    summaryLines(proof),
  ];
  return `${blocks.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

export function scaleLines(
  scale: ProofScale,
  {
    seconds,
    operationCount,
    seed,
    remarks,
    keys,
  }: Pick<ProofTextOptions, "seconds" | "operationCount" | "seed" | "remarks" | "keys">,
): readonly string[] {
  const { limits } = scale;
  return [
    `Scale of ${scale.workload.title}`,
    `  keys        ${keysLine(keys)}`,
    `  items       ${countText(scale.items)} of ${countText(scale.realItems)} ` +
      `(${factor(scale.itemFactor)}), over the same ${countText(scale.keptDays)} days`,
    `  operations  ${amount(scale.rate)}/s of ${amount(scale.realRate)}/s at the peak ` +
      `(${factor(scale.rateFactor)})`,
    `  throughput  ${countText(scale.provisioned)} RU/s of ` +
      `${countText(scale.realProvisioned)} RU/s`,
    `  partitions  ${bytesText(limits.logicalPartitionBytesMax)} a logical, ` +
      `${bytesText(limits.physicalPartitionBytesMax)} and ` +
      `${countText(limits.partitionRateMax)} RU/s a physical one`,
    `  run         ${countText(operationCount)} operations without a limit, then ${seconds} s at ` +
      `their pace; seed ${seed}; refused requests are not tried again`,
    ...[...scale.remarks, ...remarks].map((remark) => `  note        ${remark}`),
  ];
}

function caseLines(each: CaseComparison, { width }: ProofTextOptions): readonly string[] {
  const tables = [...partitionTable(each, width), "", ...operationTable(each, width), ""];
  const lines = [...tables, ...wholeTable(each, width)];
  const failures = [...each.failures].map(([name, times]) => `${times} × ${name}`).join(", ");
  return [
    `Candidate ${each.id}`,
    ...lines.map((line) => `  ${line}`.trimEnd()),
    ...(each.isSameMap ? [] : ["  The physical partitions are not cut where they were predicted."]),
    ...(each.isSplitMidway
      ? ["  A partition was split while operations were sent: what it did before is missing."]
      : []),
    ...(each.lateShare > LATE_MAX
      ? [`  The pace was not kept: ${percent(each.lateShare)} of the operations left late.`]
      : []),
    ...(failures === "" ? [] : [`  Other refusals: ${failures}.`]),
  ];
}

type Width = ProofTextOptions["width"];

function partitionTable({ partitions }: CaseComparison, width: Width): readonly string[] {
  return tableOf(partitions, width, [
    ["partition", ({ id }) => id],
    ["hashes", ({ from, to }) => `${percent(from)}-${percent(to)}`],
    ["RU/s predicted", ({ rate }) => amount(rate.predicted)],
    ["measured", ({ rate }) => amount(rate.measured)],
    ["error", ({ error }) => percent(error)],
    ["stored predicted", ({ bytes }) => bytesText(bytes.predicted)],
    ["measured", ({ bytes }) => bytesText(bytes.measured)],
  ]);
}

function operationTable({ operations }: CaseComparison, width: Width): readonly string[] {
  return tableOf(operations, width, [
    ["operation", ({ id }) => id, "left"],
    ["sent", ({ count }) => countText(count)],
    ["RU predicted", ({ ru }) => amount(ru.predicted)],
    ["measured", ({ ru }) => amount(ru.measured)],
    ["error", ({ error }) => percent(error)],
    ["visits predicted", ({ visited }) => amount(visited.predicted)],
    ["measured", ({ visited }) => amount(visited.measured)],
    ["ms p50", ({ latencyP50 }) => amount(latencyP50)],
    ["ms p99", ({ latencyP99 }) => amount(latencyP99)],
  ]);
}

function wholeTable(each: CaseComparison, width: Width): readonly string[] {
  return tableOf(WHOLE, width, [
    ["whole container", ({ name }) => name, "left"],
    ["predicted", ({ of, text }) => text(of(each).predicted)],
    ["measured", ({ of, text }) => text(of(each).measured)],
  ]);
}

type ColumnOf<T> = readonly [name: string, cell: (row: T) => string, side?: "left"];

function tableOf<T>(
  rows: readonly T[],
  width: Width,
  columns: readonly ColumnOf<T>[],
): readonly string[] {
  const shown = columns.map(([name, cell, side]) => ({
    name,
    isRight: side !== "left",
    cells: rows.map(cell),
  }));
  return textTable(shown, width);
}

export const WHOLE: readonly {
  readonly name: string;
  readonly of: (each: CaseComparison) => Pair;
  readonly text: (value: number) => string;
}[] = [
  { name: "RU/s", of: ({ totalRate }) => totalRate, text: amount },
  { name: "physical partitions", of: ({ partitionCount }) => partitionCount, text: countText },
  { name: "429 among answers", of: ({ throttledShare }) => throttledShare, text: percent },
  { name: "hottest over mean", of: ({ skew }) => skew, text: amount },
  {
    name: "largest logical partition",
    of: ({ largestKeyBytes }) => largestKeyBytes,
    text: bytesText,
  },
  { name: "stored beyond its limit", of: ({ overLimitShare }) => overLimitShare, text: percent },
];

export function summaryLines(proof: ProofComparison): readonly string[] {
  const { ru, ranking, throttling } = proof.verdicts;
  const isSame = proof.predictedRanking.join() === proof.measuredRanking.join();
  const late =
    throttling.late.length > 0 ? `; the pace was not kept: ${list(throttling.late)}` : "";
  return [
    "Prediction against run",
    `  RU/s of a partition  ${ru.finding}: median error ${percent(ru.medianError)}, tolerance ` +
      `${percent(ru.tolerance)}; the worst partition ${percent(ru.worstError)}`,
    `  ranking              ${ranking.finding}: ${list(proof.predictedRanking)}` +
      `${isSame ? " as measured" : ` predicted, ${list(proof.measuredRanking)} measured`}; ` +
      `tolerance: within ${percent(ranking.tolerance)} of each other there is no order`,
    ...ranking.tooClose
      .filter(({ apart }) => Math.min(apart.predicted, apart.measured) > ranking.tolerance)
      .map((pair) => `    too close to tell apart in this proof: ${pairText(pair)}`),
    ...ranking.inverted.map((pair) => `    the other way round: ${pairText(pair)}`),
    `  429 share            ${throttling.finding}: ${throttling.points.toFixed(1)} points apart` +
      `${throttling.id === undefined ? "" : ` (${throttling.id})`}, tolerance ` +
      `${throttling.pointsAllowed.toFixed(1)}: ${throttling.tolerance} points and what so short ` +
      `a run leaves open${late}`,
    `  ${OUTCOMES[worstOf([ru.finding, ranking.finding, throttling.finding])]}`,
  ];
}

function pairText({ better, worse, apart, open }: SwappedPair): string {
  return (
    `${better} and ${worse}, predicted ${percent(apart.predicted)} and measured ` +
    `${percent(apart.measured)} apart, of which what was sent leaves ${percent(open)} open`
  );
}

const OUTCOMES: Readonly<Record<ProofFinding, string>> = {
  held: "The prediction held.",
  undecided: "The prediction held as far as it could be seen.",
  failed: "The prediction did not hold.",
};

function worstOf(findings: readonly ProofFinding[]): ProofFinding {
  return (["failed", "undecided"] as const).find((each) => findings.includes(each)) ?? "held";
}

function list(names: readonly string[]): string {
  return names.join(", ");
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

export function amount(value: number): string {
  return value >= 100 ? countText(value) : value.toFixed(2);
}

function factor(value: number): string {
  return value >= 1 ? "all of it" : `1/${countText(1 / value)}`;
}
