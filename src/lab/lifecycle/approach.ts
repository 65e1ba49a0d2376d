/**
 * The four ways of keeping data that ages, as the guides know them, and what the guides say of
 * each. What is said here is nowhere in a calculation: it stands beside what is computed.
 */

export type ApproachId = "hotWarm" | "nearRealTime" | "single" | "perYear";

/** What the guides compare approaches by. */
export type Aspect = "complexity" | "performance" | "cost" | "maintenance" | "scalability";

export const ASPECTS: readonly Aspect[] = [
  "complexity",
  "performance",
  "cost",
  "maintenance",
  "scalability",
];

export interface Approach {
  readonly id: ApproachId;
  readonly title: string;
  /** How it is built, in a sentence. */
  readonly about: string;
  /** 1 is for production, 2 for a smaller scale, 3 to be avoided. */
  readonly tier: 1 | 2 | 3;
  readonly guide: GuideVerdict;
}

interface GuideVerdict {
  readonly verdict: "highly recommended" | "recommended" | "acceptable" | "not recommended";
  /** In the words of the guides' table. */
  readonly aspects: Readonly<Record<Aspect, string>>;
}

export const APPROACHES: readonly Approach[] = [
  {
    id: "hotWarm",
    title: "hot and warm, moved in runs",
    about:
      "Young items in a hot container with a time to live, older ones in a warm container; what " +
      "has come of age is moved in a run at an interval.",
    tier: 1,
    guide: {
      verdict: "highly recommended",
      aspects: aspects("medium", "excellent", "optimal", "low", "excellent"),
    },
  },
  {
    id: "nearRealTime",
    title: "hot and warm, moved in near real time",
    about: "The same two containers; what comes of age is moved in small steps all the time.",
    tier: 1,
    guide: {
      verdict: "recommended",
      aspects: aspects("medium", "very good", "good", "medium", "excellent"),
    },
  },
  {
    id: "single",
    title: "a single container",
    about: "Everything in one container, under a key that has the time in it.",
    tier: 2,
    guide: {
      verdict: "acceptable",
      aspects: aspects("low", "good", "good", "low", "limited"),
    },
  },
  {
    id: "perYear",
    title: "a container for each year",
    about: "A new container every January; a reader asks those of all years it is about.",
    tier: 3,
    guide: {
      verdict: "not recommended",
      aspects: aspects("high", "poor", "expensive", "high", "poor"),
    },
  },
];

function aspects(
  complexity: string,
  performance: string,
  cost: string,
  maintenance: string,
  scalability: string,
): GuideVerdict["aspects"] {
  return { complexity, performance, cost, maintenance, scalability };
}

export function approachOf(id: ApproachId): Approach {
  return APPROACHES.find((approach) => approach.id === id)!;
}

/** How good a word of the guides' table is, 0 the best; only the order within a column counts. */
const RANKS: Readonly<Record<Aspect, readonly string[]>> = {
  complexity: ["low", "medium", "high"],
  performance: ["excellent", "very good", "good", "poor"],
  cost: ["optimal", "good", "expensive"],
  maintenance: ["low", "medium", "high"],
  scalability: ["excellent", "limited", "poor"],
};

/** 0 for the best word that the guides have for this aspect. */
export function guideRank(id: ApproachId, aspect: Aspect): number {
  return RANKS[aspect].indexOf(approachOf(id).guide.aspects[aspect]);
}

interface Tier {
  readonly tier: 1 | 2 | 3;
  readonly title: string;
  readonly about: string;
}

/** The volume up to which the guides find a single container good enough. */
export const SINGLE_BYTES_MAX: number = 1024 ** 4;

export const TIERS: readonly Tier[] = [
  {
    tier: 1,
    title: "for production",
    about: "Hot and warm with a time to live, moved in near real time: for much data that ages.",
  },
  {
    tier: 2,
    title: "for a smaller scale",
    about: "A single container with a hybrid key: below 1 TB; go to tier 1 as it grows.",
  },
  {
    tier: 3,
    title: "to be avoided",
    about: "A container for each period: for rare cases, with much to look after.",
  },
];
