/** The JSON of `orrery lab prove`, and what the page says of it. */
import { bytesText } from "../../base/wording.ts";
import type { JsonValue } from "../../json/value.ts";
import { numberText, percentText, plural, rateText } from "../../lab/wording/plain.ts";
import type { TagTone } from "../parts/tag.tsx";

interface Pair {
  readonly predicted: number;
  readonly measured: number;
}

interface ProvenCase {
  readonly id: string;
  readonly totalRate: Pair;
  readonly throttledShare: Pair;
  readonly partitionCount: Pair;
  readonly skew: Pair;
  readonly largestKeyBytes: Pair;
  readonly medianError: number;
}

type Finding = "held" | "failed" | "undecided";

export interface LabProof {
  readonly scale: { readonly items: number; readonly rate: number; readonly seconds: number };
  readonly remarks: readonly string[];
  readonly candidates: readonly ProvenCase[];
  readonly summary: {
    readonly predictedRanking: readonly string[];
    readonly measuredRanking: readonly string[];
    readonly verdicts: {
      readonly ru: { readonly finding: Finding; readonly medianError: number };
      readonly ranking: { readonly finding: Finding };
      readonly throttling: { readonly finding: Finding; readonly points: number };
    };
    readonly agrees: boolean;
  };
}

const SCHEMA_VERSION = 1;

export function proofIn(result: JsonValue | undefined): LabProof | undefined {
  const proof = result as (Partial<LabProof> & { readonly schemaVersion?: number }) | undefined;
  return proof?.schemaVersion === SCHEMA_VERSION && proof.summary !== undefined
    ? (proof as LabProof)
    : undefined;
}

export function outcomeText({ summary, candidates, scale }: LabProof): string {
  const what =
    `${plural(candidates.length, "key")} ran on the engine with ` +
    `${plural(scale.items, "item")} at ${numberText(scale.rate)} operations a second`;
  return summary.agrees
    ? `The prediction held: ${what}.`
    : `The prediction did not hold in everything: ${what}.`;
}

interface FindingLine {
  readonly tone: TagTone;
  readonly word: string;
  readonly text: string;
}

const TONES: Readonly<Record<Finding, TagTone>> = {
  held: "good",
  failed: "bad",
  undecided: "none",
};

/** The three things that are asked of a prediction, and how each came out. */
export function findingLines({ summary }: LabProof): readonly FindingLine[] {
  const { ru, ranking, throttling } = summary.verdicts;
  const line = (finding: Finding, text: string): FindingLine => ({
    tone: TONES[finding] ?? "none",
    word: finding,
    text,
  });
  return [
    line(ru.finding, `RU/s of a partition: off by ${percentText(ru.medianError)} in the median.`),
    line(
      ranking.finding,
      `Ranking: predicted ${summary.predictedRanking.join(", ")}; measured ` +
        `${summary.measuredRanking.join(", ")}.`,
    ),
    line(
      throttling.finding,
      `429s: off by ${numberText(throttling.points)} points of a hundred at most.`,
    ),
  ];
}

interface ProofRow {
  readonly name: string;
  readonly predicted: string;
  readonly measured: string;
}

export function proofRows(each: ProvenCase): readonly ProofRow[] {
  const row = (name: string, pair: Pair, text: (amount: number) => string): ProofRow => ({
    name,
    predicted: text(pair.predicted),
    measured: text(pair.measured),
  });
  return [
    row("RU/s in all", each.totalRate, rateText),
    row("429s", each.throttledShare, percentText),
    row("physical partitions", each.partitionCount, numberText),
    row("busiest over the mean", each.skew, (skew) => `${numberText(skew)} ×`),
    row("largest key", each.largestKeyBytes, bytesText),
  ];
}
