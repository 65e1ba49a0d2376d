/**
 * What is known of one shape of reads: how often clients ask it and what they pay, what became of
 * the runs beside the live ones, and what both sides cost. All of it in bounded memory; quantiles
 * are right to within three percent (`LogHistogram`).
 */
import { LogHistogram } from "../../base/logHistogram.ts";
import { DAY_MS } from "../../base/units.ts";
import { warningOf } from "./warning.ts";
import type { SideAnswer } from "./wholeAnswer.ts";

/** What one run came to. */
export type RunVerdict =
  | ({ readonly kind: "match" } & BothSides)
  | ({ readonly kind: "mismatch"; readonly names: readonly string[] } & BothSides)
  /** The target did not have in time what the source had, or the answer changed meanwhile. */
  | { readonly kind: "lagging" }
  | {
      readonly kind: "error";
      readonly reason: string;
      /** True if the target refuses this shape, and would each time. */
      readonly isRefusedByTarget: boolean;
    };

type Cost = Omit<SideAnswer, "rows">;

interface BothSides {
  readonly source: Cost;
  readonly target: Cost;
}

export interface ShapeReport {
  readonly shape: string;
  /** Number of times that clients asked it since mirroring began, mirrored or not. */
  readonly liveCount: number;
  readonly runCount: number;
  readonly matchCount: number;
  readonly mismatchCount: number;
  readonly laggingCount: number;
  readonly errorCount: number;
  /** Runs that were chosen and not begun, because mirroring was behind or had spent its share. */
  readonly droppedCount: number;
  readonly errors: readonly { readonly reason: string; readonly count: number }[];
  readonly source: SideReport;
  readonly target: SideReport;
  readonly warning?: string;
  readonly mismatches: readonly string[];
}

interface SideReport {
  readonly ru: Quantiles;
  readonly ms: Quantiles;
  /** Physical partitions that a run visits, on average. */
  readonly partitions: number;
  /** What clients pay a day; on the target what they would pay, by the ratio of the runs. */
  readonly ruPerDay: number;
}

interface Quantiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

interface ReportTerms {
  /** How long live reads have been counted. */
  readonly spanMs: number;
  /** Number of physical partitions of the target. */
  readonly targetCount: number;
}

const MISMATCH_COUNT_MAX = 20;
const REASON_COUNT_MAX = 10;

class Side {
  readonly ru = new LogHistogram();
  readonly ms = new LogHistogram();
  #partitionSum = 0;

  add({ ru, ms, partitionCount }: Cost): void {
    this.ru.add(ru);
    this.ms.add(ms);
    this.#partitionSum += partitionCount;
  }

  get ruMean(): number {
    return this.ru.count === 0 ? 0 : this.ru.sum / this.ru.count;
  }

  get partitionMean(): number {
    return this.ru.count === 0 ? 0 : this.#partitionSum / this.ru.count;
  }

  report(ruPerDay: number): SideReport {
    return {
      ru: quantilesOf(this.ru),
      ms: quantilesOf(this.ms),
      partitions: Math.round(10 * this.partitionMean) / 10,
      ruPerDay: Math.round(100 * ruPerDay) / 100,
    };
  }
}

export class ShapeTally {
  readonly #source = new Side();
  readonly #target = new Side();
  readonly #counts = { match: 0, mismatch: 0, lagging: 0, error: 0 };
  readonly #reasons = new Map<string, number>();
  readonly #mismatches = new Set<string>();
  #refusal: string | undefined;
  #liveCount = 0;
  #liveRu = 0;
  #droppedCount = 0;
  /** Percent that have to pass before a read is chosen again; the first read is chosen. */
  #left = 0;

  get liveRu(): number {
    return this.#liveRu;
  }

  /** Counts a read of a client, and tells whether to run it on the target as well. */
  noteLive(ru: number, percent: number): boolean {
    this.#liveCount += 1;
    this.#liveRu += ru;
    if (percent === 0) return false;
    const isChosen = this.#left <= 0;
    this.#left += isChosen ? 100 - percent : -percent;
    return isChosen;
  }

  /** Counts a further page of a read that was counted. */
  extendLive(ru: number): void {
    this.#liveRu += ru;
  }

  noteDropped(): void {
    this.#droppedCount += 1;
  }

  note(verdict: RunVerdict): void {
    this.#counts[verdict.kind] += 1;
    if (verdict.kind === "error") this.#noteReason(verdict.reason, verdict.isRefusedByTarget);
    if (verdict.kind !== "match" && verdict.kind !== "mismatch") return;
    this.#source.add(verdict.source);
    this.#target.add(verdict.target);
    if (verdict.kind === "match") return;
    for (const name of verdict.names) {
      if (this.#mismatches.size < MISMATCH_COUNT_MAX) this.#mismatches.add(name);
    }
  }

  report(shape: string, { spanMs, targetCount }: ReportTerms): ShapeReport {
    const { match, mismatch, lagging, error } = this.#counts;
    const before = spanMs === 0 ? 0 : (this.#liveRu * DAY_MS) / spanMs;
    const ratio = this.#source.ruMean === 0 ? 0 : this.#target.ruMean / this.#source.ruMean;
    const warning = warningOf({
      source: costOf(this.#source),
      target: costOf(this.#target),
      runCount: match + mismatch,
      targetCount,
      refusal: this.#refusal,
    });
    return {
      shape,
      liveCount: this.#liveCount,
      runCount: match + mismatch + lagging + error,
      matchCount: match,
      mismatchCount: mismatch,
      laggingCount: lagging,
      errorCount: error,
      droppedCount: this.#droppedCount,
      errors: [...this.#reasons].map(([reason, count]) => ({ reason, count })),
      source: this.#source.report(before),
      target: this.#target.report(before * ratio),
      ...(warning !== undefined && { warning }),
      mismatches: [...this.#mismatches],
    };
  }

  #noteReason(reason: string, isRefusedByTarget: boolean): void {
    if (isRefusedByTarget) this.#refusal = reason;
    const isKept = this.#reasons.has(reason) || this.#reasons.size < REASON_COUNT_MAX;
    if (isKept) this.#reasons.set(reason, (this.#reasons.get(reason) ?? 0) + 1);
  }
}

function quantilesOf(histogram: LogHistogram): Quantiles {
  const at = (share: number): number => Math.round(100 * histogram.quantile(share)) / 100;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

function costOf(side: Side): Cost {
  return { ru: side.ruMean, ms: side.ms.quantile(0.5), partitionCount: side.partitionMean };
}
