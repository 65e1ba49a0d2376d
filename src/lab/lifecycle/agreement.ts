/**
 * The guides' table beside what was computed or measured: for every two approaches and every
 * aspect that has a number here, whether the numbers stand in the order of the guides' words.
 */
import { type Approach, type ApproachId, type Aspect, approachOf, guideRank } from "./approach.ts";

/** A number that an approach has for an aspect; the lower the better. */
export interface AspectMark {
  readonly amount: number;
  /** The amount as people read it, such as "$442 a month". */
  readonly text: string;
  /** What it is made of, as a sentence about the approach. */
  readonly because: string;
}

export interface ApproachStanding {
  readonly id: ApproachId;
  readonly marks: Readonly<Partial<Record<Aspect, AspectMark>>>;
}

export interface Agreement {
  /** Pairs on which the guides have an opinion; those that came out so; and those alike. */
  readonly pairCount: number;
  readonly agreedCount: number;
  readonly alikeCount: number;
  readonly disagreements: readonly Disagreement[];
}

export interface Disagreement {
  readonly aspect: Aspect;
  /** Better by the guides' word, and worse here. */
  readonly praised: ApproachId;
  readonly blamed: ApproachId;
  readonly sentence: string;
}

/** Numbers that are no further apart are alike: neither order is wrong. */
const ALIKE = 1.02;

/** Whether neither of two numbers is better. */
export function areAlike(one: number, other: number): boolean {
  return Math.max(one, other) <= Math.min(one, other) * ALIKE;
}

/** How many orders of two came out, in a sentence. */
export function agreementText({ pairCount, agreedCount, alikeCount }: Agreement): string {
  const alike = alikeCount === 0 ? "" : `, ${alikeCount} are too close to tell`;
  return (
    `Of ${pairCount} orders of two approaches in the guides' table ${agreedCount} come out ` +
    `here${alike}.`
  );
}

const MEASURED: readonly Aspect[] = ["performance", "cost", "maintenance", "scalability"];

export function agreementOf(standings: readonly ApproachStanding[]): Agreement {
  const disagreements: Disagreement[] = [];
  let [pairCount, agreedCount, alikeCount] = [0, 0, 0];
  for (const aspect of MEASURED) {
    for (const praised of standings) {
      for (const blamed of standings) {
        const [one, other] = [praised.marks[aspect], blamed.marks[aspect]];
        if (one === undefined || other === undefined) continue;
        if (guideRank(praised.id, aspect) >= guideRank(blamed.id, aspect)) continue;
        pairCount++;
        if (areAlike(one.amount, other.amount)) alikeCount++;
        else if (one.amount < other.amount) agreedCount++;
        else disagreements.push(disagreementOf(aspect, praised.id, one, blamed.id, other));
      }
    }
  }
  return { pairCount, agreedCount, alikeCount, disagreements };
}

function disagreementOf(
  aspect: Aspect,
  praised: ApproachId,
  one: AspectMark,
  blamed: ApproachId,
  other: AspectMark,
): Disagreement {
  const word = ({ guide }: Approach): string => guide.aspects[aspect];
  const [good, bad] = [approachOf(praised), approachOf(blamed)];
  return {
    aspect,
    praised,
    blamed,
    sentence:
      `${aspect}: the guides call ${good.title} ${word(good)} and ${bad.title} ${word(bad)}; ` +
      `here they come to ${one.text} and ${other.text}. ${one.because} ${other.because}`,
  };
}
