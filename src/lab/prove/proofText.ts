/** A proof as a text for people: the scale, a table for each candidate, and what it comes to. */

import { bytesText, countText } from "../../base/wording.ts";
import { textTable } from "../wording/textTable.ts";
import type { CaseComparison, Pair, ProofComparison } from "./compare.ts";
import type { ProvenKey } from "./provenKeys.ts";
import { keysLine } from "./provenKeys.ts";
import type { ProofScale } from "./scale.ts";
import { type Finding, LATE_MAX } from "./verdicts.ts";

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
  const { partitions, operations } = each;
  const column = (
    name: string,
    cells: readonly string[],
    isRight = true,
  ): Parameters<typeof textTable>[0][number] => ({ name, isRight, cells: [...cells] });
  const byPartition = textTable(
    [
      column(
        "partition",
        partitions.map(({ id }) => id),
      ),
      column(
        "hashes",
        partitions.map(({ from, to }) => `${percent(from)}-${percent(to)}`),
      ),
      column(
        "RU/s predicted",
        partitions.map(({ rate }) => amount(rate.predicted)),
      ),
      column(
        "measured",
        partitions.map(({ rate }) => amount(rate.measured)),
      ),
      column(
        "error",
        partitions.map(({ error }) => percent(error)),
      ),
      column(
        "stored predicted",
        partitions.map(({ bytes }) => bytesText(bytes.predicted)),
      ),
      column(
        "measured",
        partitions.map(({ bytes }) => bytesText(bytes.measured)),
      ),
    ],
    width,
  );
  const byOperation = textTable(
    [
      column(
        "operation",
        operations.map(({ id }) => id),
        false,
      ),
      column(
        "sent",
        operations.map((operation) => countText(operation.count)),
      ),
      column(
        "RU predicted",
        operations.map(({ ru }) => amount(ru.predicted)),
      ),
      column(
        "measured",
        operations.map(({ ru }) => amount(ru.measured)),
      ),
      column(
        "error",
        operations.map(({ error }) => percent(error)),
      ),
      column(
        "visits predicted",
        operations.map(({ visited }) => amount(visited.predicted)),
      ),
      column(
        "measured",
        operations.map(({ visited }) => amount(visited.measured)),
      ),
      column(
        "ms p50",
        operations.map(({ latencyP50 }) => amount(latencyP50)),
      ),
      column(
        "ms p99",
        operations.map(({ latencyP99 }) => amount(latencyP99)),
      ),
    ],
    width,
  );
  const whole = textTable(
    [
      column(
        "whole container",
        WHOLE.map(({ name }) => name),
        false,
      ),
      column(
        "predicted",
        WHOLE.map(({ of, text }) => text(of(each).predicted)),
      ),
      column(
        "measured",
        WHOLE.map(({ of, text }) => text(of(each).measured)),
      ),
    ],
    width,
  );
  const failures = [...each.failures].map(([name, times]) => `${times} × ${name}`).join(", ");
  return [
    `Candidate ${each.id}`,
    ...[...byPartition, "", ...byOperation, "", ...whole].map((line) => `  ${line}`.trimEnd()),
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
    `  429 share            ${throttling.finding}: ${throttling.points.toFixed(1)} points apart` +
      `${throttling.id === undefined ? "" : ` (${throttling.id})`}, tolerance ` +
      `${throttling.pointsAllowed.toFixed(1)}: ${throttling.tolerance} points and what so few ` +
      `answers leave open${late}`,
    `  ${OUTCOMES[worstOf([ru.finding, ranking.finding, throttling.finding])]}`,
  ];
}

const OUTCOMES: Readonly<Record<Finding, string>> = {
  held: "The prediction held.",
  undecided: "The prediction held as far as it could be seen.",
  failed: "The prediction did not hold.",
};

function worstOf(findings: readonly Finding[]): Finding {
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
