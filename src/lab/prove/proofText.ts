/** A proof as a text for people: the scale, a table for each candidate, and what it comes to. */
import { textTable } from "../report/textTable.ts";
import type { CaseComparison, Pair, ProofComparison, Tolerance } from "./compare.ts";
import type { ProofScale } from "./scale.ts";

export interface ProofTextOptions {
  readonly width: number | undefined;
  readonly tolerance: Tolerance;
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
    summaryLines(proof, options),
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
  }: Pick<ProofTextOptions, "seconds" | "operationCount" | "seed" | "remarks">,
): readonly string[] {
  const { limits } = scale;
  return [
    `Scale of ${scale.workload.title}`,
    `  items       ${count(scale.items)} of ${count(scale.realItems)} ` +
      `(${factor(scale.itemFactor)}), over the same ${count(scale.keptDays)} days`,
    `  operations  ${amount(scale.rate)}/s of ${amount(scale.realRate)}/s at the peak ` +
      `(${factor(scale.rateFactor)})`,
    `  throughput  ${count(scale.provisioned)} RU/s of ${count(scale.realProvisioned)} RU/s`,
    `  partitions  ${size(limits.logicalPartitionBytesMax)} a logical, ` +
      `${size(limits.physicalPartitionBytesMax)} and ${count(limits.partitionRateMax)} RU/s a ` +
      "physical one",
    `  run         ${count(operationCount)} operations without a limit, then ${seconds} s at ` +
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
        partitions.map(({ bytes }) => size(bytes.predicted)),
      ),
      column(
        "measured",
        partitions.map(({ bytes }) => size(bytes.measured)),
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
        operations.map((operation) => count(operation.count)),
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
    ...(each.lateShare > LATE_SHARE
      ? [`  The pace was not kept: ${percent(each.lateShare)} of the operations left late.`]
      : []),
    ...(failures === "" ? [] : [`  Other refusals: ${failures}.`]),
  ];
}

const LATE_SHARE = 0.02;

export const WHOLE: readonly {
  readonly name: string;
  readonly of: (each: CaseComparison) => Pair;
  readonly text: (value: number) => string;
}[] = [
  { name: "RU/s", of: ({ totalRate }) => totalRate, text: amount },
  { name: "physical partitions", of: ({ partitionCount }) => partitionCount, text: count },
  { name: "429 among answers", of: ({ throttledShare }) => throttledShare, text: percent },
  { name: "hottest over mean", of: ({ skew }) => skew, text: amount },
  { name: "largest logical partition", of: ({ largestKeyBytes }) => largestKeyBytes, text: size },
  { name: "stored beyond its limit", of: ({ overLimitShare }) => overLimitShare, text: percent },
];

export function summaryLines(
  proof: ProofComparison,
  { tolerance }: Pick<ProofTextOptions, "tolerance">,
): readonly string[] {
  const { medianError, throttledPoints, isSameRanking } = proof;
  const mark = (isFine: boolean): string => (isFine ? "within" : "beyond");
  return [
    "Prediction against run",
    `  RU/s of a partition  median error ${percent(medianError)}, ` +
      `${mark(medianError <= tolerance.error)} ${percent(tolerance.error)}`,
    `  429 share            at most ${throttledPoints.toFixed(1)} points apart, ` +
      `${mark(throttledPoints <= tolerance.points)} ${tolerance.points} points`,
    `  ranking predicted    ${proof.predictedRanking.join(", ")}`,
    `  ranking measured     ${proof.measuredRanking.join(", ")}` +
      (isSameRanking ? "" : "  (differs)"),
    `  ${proof.agrees ? "The prediction held." : "The prediction did not hold."}`,
  ];
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

export function amount(value: number): string {
  return value >= 100 ? count(value) : value.toFixed(2);
}

export function count(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

export function size(bytes: number): string {
  const units = ["bytes", "KB", "MB", "GB", "TB"];
  let power = 0;
  while (power < units.length - 1 && bytes >= 1024 ** (power + 1)) power++;
  const value = bytes / 1024 ** power;
  return `${power === 0 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}

function factor(value: number): string {
  return value >= 1 ? "all of it" : `1/${count(1 / value)}`;
}
