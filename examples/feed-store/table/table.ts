/**
 * The guide's performance table with three figures in each place: the guide's estimate, the
 * prediction, and what a running server charged.
 */
import type { Container } from "@azure/cosmos";
import { type TextColumn, textTable } from "../../../src/lab/wording/textTable.ts";
import { askAll, askMonths, type Cost } from "../ask.ts";
import type { FeedVolume } from "../generate.ts";
import { monthsIn } from "../months.ts";
import { type Pattern, patternsOf, type Span } from "./patterns.ts";
import { type Figures, Prediction } from "./predict.ts";

export interface TableSetting {
  readonly volume: FeedVolume;
  /** Of the container, autoscale. */
  readonly rateMax: number;
  readonly providerId: string;
}

export interface TableRow {
  readonly id: string;
  readonly name: string;
  readonly guide: Pattern["guide"];
  readonly predicted: Figures;
  readonly measured: Figures & { readonly rowCount: number; readonly pageCount: number };
  /** Of what was measured, against what the guide says. */
  readonly verdict: { readonly partitions: Verdict; readonly ru: Verdict };
}

type Verdict = "within" | "below" | "above";

interface PredictedPattern {
  readonly pattern: Pattern;
  readonly predicted: Figures;
}

/** Before anything is loaded. */
export function predictTable(setting: TableSetting): readonly PredictedPattern[] {
  const { volume, rateMax, providerId } = setting;
  const prediction = new Prediction(volume, rateMax);
  const patterns = patternsOf({ now: volume.to, start: volume.from, providerId });
  return patterns.map((pattern) => ({ pattern, predicted: prediction.of(pattern) }));
}

/** The container has been loaded with the volume of the prediction. */
export async function measureTable(
  container: Container,
  patterns: readonly PredictedPattern[],
): Promise<readonly TableRow[]> {
  const rows: TableRow[] = [];
  for (const { pattern, predicted } of patterns) {
    const measured = await measure(container, pattern);
    const { id, name, guide } = pattern;
    const verdict = {
      partitions: verdictOf(measured.logicalPartitions, guide.partitions),
      ru: verdictOf(measured.ru, guide.ru),
    };
    rows.push({ id, name, guide, predicted, measured, verdict });
  }
  return rows;
}

async function measure(container: Container, pattern: Pattern): Promise<TableRow["measured"]> {
  const { query, range, asks } = pattern;
  const answer =
    asks === "months"
      ? await askMonths<unknown>(container, monthsIn(range), query)
      : await askAll<unknown>(container, query);
  const { cost, rows } = answer;
  return {
    logicalPartitions: cost.months?.length ?? (await logicalPartitionsIn(container, pattern)),
    physicalPartitions: physicalPartitionsIn(cost),
    ru: Math.round(cost.ru * 100) / 100,
    rowCount: rows.length,
    pageCount: cost.pageCount,
  };
}

/** Those that hold what was asked for, as nobody named them. */
async function logicalPartitionsIn(container: Container, { range }: Pattern): Promise<number> {
  const query =
    "SELECT DISTINCT VALUE c.partitionKey FROM c " +
    "WHERE c.publishedDate >= @from AND c.publishedDate < @to";
  const parameters = [
    { name: "@from", value: range.from },
    { name: "@to", value: range.to },
  ];
  const { resources } = await container.items.query<string>({ query, parameters }).fetchAll();
  return new Set(resources).size;
}

function physicalPartitionsIn({ physicalPartitions }: Cost): number {
  if (physicalPartitions.length > 0) return physicalPartitions.length;
  throw new Error("The server does not say which physical partition answered.");
}

function verdictOf(figure: number, { min, max = Number.POSITIVE_INFINITY }: Span): Verdict {
  return figure < min ? "below" : figure > max ? "above" : "within";
}

export function tableText(rows: readonly TableRow[], width: number | undefined): string {
  const column = (
    name: string,
    cellOf: (row: TableRow) => string,
    isRight: boolean = true,
  ): TextColumn => ({ name, isRight, cells: rows.map(cellOf) });
  return textTable(
    [
      column("query pattern", ({ name }) => name, false),
      column("guide", ({ guide }) => spanText(guide.partitions)),
      column("predicted", ({ predicted }) => hitText(predicted)),
      column("measured", ({ measured }) => hitText(measured)),
      column("guide RU", ({ guide }) => spanText(guide.ru)),
      column("predicted RU", ({ predicted }) => predicted.ru.toFixed(2)),
      column("measured RU", ({ measured }) => measured.ru.toFixed(2)),
      column("off", offText),
      column("rows", ({ measured }) => String(measured.rowCount)),
      column("pages", ({ measured }) => String(measured.pageCount)),
      column("partitions, RU", ({ verdict }) => `${verdict.partitions}, ${verdict.ru}`, false),
    ],
    width,
  ).join("\n");
}

/** Logical partitions, and the physical ones they lie in. */
function hitText({ logicalPartitions, physicalPartitions }: Figures): string {
  return `${logicalPartitions} in ${physicalPartitions}`;
}

function spanText({ min, max }: Span): string {
  if (max === undefined) return `${min}+`;
  return min === max ? String(min) : `${min}-${max}`;
}

/** By how much the prediction missed. */
function offText({ predicted, measured }: TableRow): string {
  const off = (100 * (predicted.ru - measured.ru)) / measured.ru;
  return `${off < 0 ? "" : "+"}${off.toFixed(1)} %`;
}
