/** The JSON of `orrery lab advise`, as far as the page shows it, and as drawings want it. */
import type { JsonValue } from "../../json/value.ts";
import type { DrawnKey } from "../../lab/drawing/drawnKey.ts";

export interface LabAdvice {
  readonly workload: string;
  readonly title: string;
  readonly best: { readonly expression: string } | null;
  readonly summary: readonly string[];
  readonly candidates: readonly LabCandidate[];
  readonly sensitivities: readonly { readonly sentence: string }[];
  readonly measureNext: string | null;
  readonly alternatives: readonly LabAlternative[];
  readonly remarks: readonly string[];
}

interface LabAlternative {
  readonly kind: string;
  readonly sentence: string;
  /** An index that would help, as it would stand in the indexing policy. */
  readonly index: readonly { readonly path: string; readonly order: string }[] | null;
}

export interface LabCandidate {
  readonly id: string;
  readonly expression: string;
  readonly origin: string;
  readonly verdict: "best" | "workable" | "conditional" | "bad";
  readonly isShortOfRate: boolean;
  readonly rank: number;
  readonly surpassed: string | null;
  readonly reasons: readonly LabReason[];
  readonly merits: readonly string[];
  readonly figures: LabFigures;
  readonly operations: readonly LabOperation[];
  readonly months: DrawnKey["months"];
  readonly partitions: DrawnKey["partitions"];
}

interface LabReason {
  readonly code: string;
  readonly weight: string;
  readonly sentence: string;
  readonly counterExample: string | null;
}

interface Estimated {
  readonly value: number;
}

interface LabFigures {
  readonly keys: {
    readonly count: Estimated;
    readonly gini: number;
    readonly effective: number;
    readonly lorenz: DrawnKey["keys"]["lorenz"];
    readonly measured: {
      readonly label: string;
      readonly items: number;
      readonly largestShare: Estimated;
    } | null;
    readonly largest: { readonly key: string; readonly bytes: Estimated; readonly share: number };
  };
  readonly limits: {
    readonly passes15GbOnDay: number | null;
    readonly passes20GbOnDay: number | null;
    readonly keysOver20Gb: number;
    readonly missingShare: number;
    readonly changingShare: number;
    readonly partitions: number;
  };
  readonly load: {
    readonly peakRate: number;
    readonly provisionedRate: number;
    /** Null: no rate is enough. */
    readonly neededRate: number | null;
    readonly hottestPartition: {
      readonly id: string;
      readonly rate: Estimated;
      readonly share: number;
      readonly overMean: number;
    };
    readonly hottestKey: {
      readonly key: string;
      readonly rate: Estimated;
      readonly writeShare: number;
      readonly readShare: number;
    };
    readonly archetype: DrawnKey["load"]["archetype"];
  };
  readonly throttling: { readonly share: number; readonly waitP99: number };
  readonly routing: { readonly oneKeyShare: number; readonly everywhereShare: number };
  readonly cost: {
    readonly storage: number;
    readonly manual: number | null;
    readonly autoscale: number | null;
    readonly serverless: number | null;
    readonly cheapest: { readonly value: number | null };
    readonly cheapestMode: string | null;
    readonly laidOut: number | null;
  };
  readonly transactions: { readonly broken: readonly string[] };
}

export interface LabOperation {
  readonly id: string;
  readonly kind: string;
  readonly ratePerSecond: number;
  readonly routing: "key" | "keys" | "prefix" | "everywhere";
  readonly partitionsVisited: number;
  readonly ruEach: number;
}

const FORMAT_VERSION = 1;

/** The result of a run; undefined if it is none that this page knows. */
export function adviceIn(result: JsonValue | undefined): LabAdvice | undefined {
  const advice = result as (Partial<LabAdvice> & { readonly formatVersion?: number }) | undefined;
  return advice?.formatVersion === FORMAT_VERSION && advice.candidates !== undefined
    ? (advice as LabAdvice)
    : undefined;
}

export function drawnKeyOf({ figures, months, partitions }: LabCandidate): DrawnKey {
  const { keys, limits, load } = figures;
  return {
    keys: {
      count: keys.count,
      giniBytes: keys.gini,
      effectiveKeys: keys.effective,
      lorenz: keys.lorenz,
      largest: {
        label: keys.largest.key,
        bytesAtEnd: keys.largest.bytes,
        passes15GbOnDay: limits.passes15GbOnDay ?? undefined,
        passes20GbOnDay: limits.passes20GbOnDay ?? undefined,
        overLimitCount: limits.keysOver20Gb,
      },
    },
    months,
    partitions,
    load: { archetype: load.archetype, hottestPartition: load.hottestPartition },
  };
}

/** So many stand side by side. */
export const COMPARED_MAX = 4;

/**
 * The candidates that are compared: those that were picked, by rank; if none were, the first ones,
 * with the key in use in the last place.
 */
export function comparedOf(
  candidates: readonly LabCandidate[],
  picked: readonly number[],
  current: string | undefined,
): readonly LabCandidate[] {
  const chosen = candidates.filter(({ rank }) => picked.includes(rank)).slice(0, COMPARED_MAX);
  if (chosen.length > 0) return chosen;
  const first = candidates.slice(0, COMPARED_MAX);
  const inUse = candidates.find(({ expression }) => expression === current);
  return inUse === undefined || first.includes(inUse)
    ? first
    : [...first.slice(0, COMPARED_MAX - 1), inUse];
}

/** What all of it rests on, in a sentence. */
export function basisText(advice: LabAdvice): string {
  const [first] = advice.candidates;
  const monthCount = Math.max(0, (first?.months.length ?? 0) - 1);
  const measured = advice.candidates.find(({ figures }) => figures.keys.measured !== null)?.figures
    .keys.measured;
  const data =
    measured === undefined || measured === null
      ? "Keys are as the workload declares them; no data was looked at."
      : `Keys ${measured.label}.`;
  return (
    `Workload ${advice.title || advice.workload}: ${advice.candidates.length} keys, simulated ` +
    `month by month for ${monthCount} months. ${data}`
  );
}
