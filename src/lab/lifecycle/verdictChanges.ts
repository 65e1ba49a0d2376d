/**
 * What would change the verdict: each figure of the decision is moved past its threshold, or turned
 * round, and the framework is asked again. Only what leads to another branch is told, with how far
 * away it is.
 */
import { bytesText } from "../../base/wording.ts";
import { numberText, rateText } from "../wording/plain.ts";
import {
  type Branch,
  type DecisionFigures,
  decide,
  isHighLoad,
  isLarge,
  isSmall,
  LARGE_BYTES,
  SMALL_BYTES,
} from "./decision.ts";

export interface VerdictChange {
  readonly figure: "volume" | "queryLoad" | "analytics" | "realTime" | "simple" | "periods";
  /** What would have to be the case, as the beginning of a sentence. */
  readonly change: string;
  readonly branch: Branch;
  /** How many times larger the figure would have to be; undefined: it is a yes or a no. */
  readonly factor: number | undefined;
  /** Within a factor of two: the verdict is about to change, or has just changed. */
  readonly isNear: boolean;
}

const NEAR = 2;
/** Past a threshold, not on it. */
const PAST = 1 + 1e-9;

export function verdictChanges(
  figures: DecisionFigures,
  /** Reads a second, to say a load in what the user gave. */
  readsPerSecond: number,
): readonly VerdictChange[] {
  const { branch } = decide(figures);
  return [...measured(figures, readsPerSecond), ...turned(figures)]
    .map(({ changed, ...told }) => ({ ...told, branch: decide(changed).branch }))
    .filter((change) => change.branch !== branch);
}

type Tried = Omit<VerdictChange, "branch"> & { readonly changed: DecisionFigures };

function measured(figures: DecisionFigures, readsPerSecond: number): readonly Tried[] {
  const { volumeBytes, queryLoad, highLoad } = figures;
  const volume = (threshold: number, to: number, change: string): Tried => ({
    figure: "volume",
    change,
    ...distance(threshold / volumeBytes),
    changed: { ...figures, volumeBytes: to },
  });
  const tried = [
    isLarge(figures)
      ? volume(LARGE_BYTES, LARGE_BYTES, `With ${bytesText(LARGE_BYTES)} or less`)
      : volume(LARGE_BYTES, LARGE_BYTES * PAST, `With more than ${bytesText(LARGE_BYTES)}`),
    isSmall(figures)
      ? volume(SMALL_BYTES, SMALL_BYTES, `With ${bytesText(SMALL_BYTES)} or more`)
      : volume(SMALL_BYTES, SMALL_BYTES / PAST, `With less than ${bytesText(SMALL_BYTES)}`),
  ];
  if (queryLoad === 0) return tried;
  const factor = highLoad / queryLoad;
  const reads = `${numberText(readsPerSecond * factor)} reads a second like these`;
  const load = `${rateText(highLoad)}, about ${reads}`;
  return [
    ...tried,
    {
      figure: "queryLoad",
      change: isHighLoad(figures)
        ? `With reads that need no more than ${load},`
        : `With reads that need more than ${load},`,
      ...distance(factor),
      changed: { ...figures, queryLoad: isHighLoad(figures) ? highLoad : highLoad * PAST },
    },
  ];
}

function distance(factor: number): Pick<VerdictChange, "factor" | "isNear"> {
  return { factor, isNear: factor <= NEAR && factor >= 1 / NEAR };
}

function turned(figures: DecisionFigures): readonly Tried[] {
  const { needsAnalytics, needsRealTime, isSimple, hasIndependentPeriods } = figures;
  const turn = (
    figure: VerdictChange["figure"],
    change: string,
    changed: Partial<DecisionFigures>,
  ): Tried => ({
    figure,
    change,
    factor: undefined,
    isNear: false,
    changed: { ...figures, ...changed },
  });
  return [
    turn("analytics", needsAnalytics ? "Without analytics across time" : ANALYTICS, {
      needsAnalytics: !needsAnalytics,
      // Whoever wants analytics has no simple requirements.
      isSimple: isSimple && needsAnalytics,
    }),
    turn("realTime", needsRealTime ? "If recent reads may wait" : REAL_TIME, {
      needsRealTime: !needsRealTime,
    }),
    turn("simple", isSimple ? "With requirements that are not simple" : SIMPLE, {
      isSimple: !isSimple,
    }),
    turn("periods", hasIndependentPeriods ? "If no period is managed alone" : PERIODS, {
      hasIndependentPeriods: !hasIndependentPeriods,
    }),
  ];
}

const ANALYTICS = "With analytics across time";
const REAL_TIME = "If recent reads have to be served in real time";
const SIMPLE = "With simple requirements";
const PERIODS = "If periods are managed one by one";
