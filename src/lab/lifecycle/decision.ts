/**
 * The guides' decision framework for data that ages, as questions that are asked one after the
 * other. Every answer has the numbers it rests on; nothing here is computed but comparisons.
 *
 * The framework leaves two things open. "High query load" has no number in it, so the load is
 * compared with a threshold that is stated (`highLoad`). And where it only says to reconsider, the
 * caller decides between the two that are left by what they would cost.
 */
import { bytesText } from "../../base/wording.ts";
import { percentText, rateText } from "../wording/plain.ts";
import type { ApproachId } from "./approach.ts";

const GB: number = 1024 ** 3;

/** The thresholds of the guides. A volume has to be above the one and below the other. */
export const LARGE_BYTES: number = 500 * GB;
export const SMALL_BYTES: number = 100 * GB;

export interface DecisionFigures {
  readonly volumeBytes: number;
  /** RU/s that all reads together need at the peak, if everything lies in one container. */
  readonly queryLoad: number;
  /** RU/s from which on that is high. */
  readonly highLoad: number;
  /** Share of the reads that are about hot data. */
  readonly recentShare: number;
  /** Whether queries add up over more than the hot data. */
  readonly needsAnalytics: boolean;
  /** Whether recent data has to be served at any time as quickly as at others. */
  readonly needsRealTime: boolean;
  /** Whether nothing of what follows is wanted. */
  readonly isSimple: boolean;
  /** Whether periods are to be managed one by one: restored, billed or deleted for themselves. */
  readonly hasIndependentPeriods: boolean;
}

export type Branch = "hotWarm" | "nearRealTime" | "single" | "perPeriod" | "reconsider";

/** The approach that a branch names; that of "reconsider" is decided by cost. */
export const APPROACH_OF: Readonly<Record<Exclude<Branch, "reconsider">, ApproachId>> = {
  hotWarm: "hotWarm",
  nearRealTime: "nearRealTime",
  single: "single",
  perPeriod: "perYear",
};

interface DecisionStep {
  readonly question: string;
  readonly answer: "yes" | "no";
  /** The numbers, in a sentence. */
  readonly because: string;
}

export interface Decision {
  readonly branch: Branch;
  /** The questions up to the first that was answered with yes. */
  readonly steps: readonly DecisionStep[];
}

interface Question {
  readonly question: string;
  readonly branch: Branch;
  readonly isYes: (figures: DecisionFigures) => boolean;
  readonly because: (figures: DecisionFigures) => string;
}

export function isLarge({ volumeBytes }: DecisionFigures): boolean {
  return volumeBytes > LARGE_BYTES;
}

export function isSmall({ volumeBytes }: DecisionFigures): boolean {
  return volumeBytes < SMALL_BYTES;
}

export function isHighLoad({ queryLoad, highLoad }: DecisionFigures): boolean {
  return queryLoad > highLoad;
}

const QUESTIONS: readonly Question[] = [
  {
    question: "More than 500 GB, and a high query load?",
    branch: "hotWarm",
    isYes: (figures) => isLarge(figures) && isHighLoad(figures),
    because: (figures) =>
      `${bytesText(figures.volumeBytes)} is ${isLarge(figures) ? "more" : "no more"} than ` +
      `${bytesText(LARGE_BYTES)}; reads need ${rateText(figures.queryLoad)} at the peak, which ` +
      `is ${isHighLoad(figures) ? "more" : "no more"} than ${rateText(figures.highLoad)}.`,
  },
  {
    question: "Analytics across time, and real-time performance?",
    branch: "nearRealTime",
    isYes: ({ needsAnalytics, needsRealTime }) => needsAnalytics && needsRealTime,
    because: ({ needsAnalytics, needsRealTime, recentShare }) =>
      `${needsAnalytics ? "Queries add" : "No query adds"} up over more than the hot data; ` +
      `${percentText(recentShare)} of the reads are about it, and they ` +
      `${needsRealTime ? "have to be served in real time" : "may wait at times"}.`,
  },
  {
    question: "Simple requirements, and less than 100 GB?",
    branch: "single",
    isYes: (figures) => figures.isSimple && isSmall(figures),
    because: (figures) =>
      `${bytesText(figures.volumeBytes)} is ${isSmall(figures) ? "less" : "no less"} than ` +
      `${bytesText(SMALL_BYTES)}; the requirements are ` +
      `${figures.isSimple ? "simple" : "not simple"}.`,
  },
  {
    question: "Several periods that are managed independently?",
    branch: "perPeriod",
    isYes: ({ hasIndependentPeriods }) => hasIndependentPeriods,
    because: ({ hasIndependentPeriods }) =>
      hasIndependentPeriods
        ? "Periods are to be managed one by one. The guides advise against it as a rule."
        : "Nobody manages periods one by one.",
  },
];

export function decide(figures: DecisionFigures): Decision {
  const steps: DecisionStep[] = [];
  for (const { question, branch, isYes, because } of QUESTIONS) {
    const answer = isYes(figures) ? "yes" : "no";
    steps.push({ question, answer, because: because(figures) });
    if (answer === "yes") return { branch, steps };
  }
  return { branch: "reconsider", steps };
}
