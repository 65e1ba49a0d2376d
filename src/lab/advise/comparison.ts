/**
 * Why one candidate stands before another, in a few words with their numbers: so that nobody has to
 * guess why a key that costs less comes second, or why the best is surpassed by another.
 */
import { moneyText, percentText } from "../wording/plain.ts";
import type { Reason } from "./advice.ts";
import { clauseOf } from "./clause.ts";
import type { Judgement } from "./judge.ts";
import { beats, type Entry, entryOf, isNotablyLess } from "./preference.ts";
import { COST_ALIKE, COST_MATERIAL } from "./thresholds.ts";

/** What is less of in each aim, the first of which is the cost. */
const AIMS = [
  "it costs less",
  "its hottest key has less of the load",
  "its reads make fewer further visits",
  "its largest key is smaller",
  "it breaks fewer transactions",
] as const;

/** What the second lacks, or why it gives way; undefined: nothing but the order of names. */
export function whyBefore(
  first: Judgement,
  second: Judgement,
  keyBytesMax: number,
): string | undefined {
  const [own, other] = [first, second].map((each) => entryOf(each, keyBytesMax)) as [Entry, Entry];
  const condition = onlyOfSecond(first, second, "condition");
  if (condition !== undefined) return clauseOf(condition);
  if (own.isNamed && !other.isNamed) {
    return `it was found and ${idOf(first)} was named, which gives way to what costs ${percentText(
      COST_MATERIAL,
    )} less or has fewer conditions`;
  }
  if (other.isFallback && !own.isFallback) return "it has a key for each item";
  if (beats(own, other)) return betterIn(other, own);
  if (other.isNearLimit && !own.isNearLimit) return "its largest key comes near the limit";
  const remark = onlyOfSecond(first, second, "remark");
  if (other.blemishCount > own.blemishCount && remark !== undefined) return clauseOf(remark);
  if (isLess(own.complexity, other.complexity)) return "it takes more to make and to ask for";
  return other.cost > own.cost ? AIMS[0].replace("less", "more") : undefined;
}

/** Of a candidate that another beats: by what, and why it stands before that one if it does. */
export function surpassedText(
  own: Judgement,
  by: Judgement,
  isBefore: boolean,
  keyBytesMax: number,
): string {
  const [left, right] = [by, own].map((each) => entryOf(each, keyBytesMax)) as [Entry, Entry];
  const better = AIMS.filter((_, at) => isNotablyLess(left.aims[at]!, right.aims[at]!));
  const cost = Math.abs(left.cost - right.cost) < COST_ALIKE ? costBeside(left, right) : "";
  const why = isBefore ? whyBefore(own, by, keyBytesMax) : undefined;
  const kept = why === undefined ? "" : ` It comes after this one all the same: ${why}.`;
  const what = better.join(", ");
  return `${idOf(by)} surpasses it: ${what}; and it is worse in nothing${cost}.${kept}`;
}

/** Costs that are alike are said, so that nobody has to look them up. */
function costBeside(left: Entry, right: Entry): string {
  return ` (${moneyText(left.cost)} a month, against ${moneyText(right.cost)})`;
}

function betterIn(other: Entry, own: Entry): string | undefined {
  const at = own.aims.findIndex((aim, index) => isNotablyLess(aim, other.aims[index]!));
  return [
    "it costs more",
    "its hottest key has more of the load",
    "its reads make more further visits",
    "its largest key is larger",
    "it breaks more transactions",
  ][at];
}

/** A reason that the first does not have, or not with these figures. */
export function onlyOfSecond(
  first: Pick<Judgement, "reasons">,
  second: Pick<Judgement, "reasons">,
  weight: Reason["weight"],
): Reason | undefined {
  const known = new Set(first.reasons.map(clauseOf));
  return second.reasons.find((each) => each.weight === weight && !known.has(clauseOf(each)));
}

function isLess(left: readonly number[], right: readonly number[]): boolean {
  const at = left.findIndex((each, index) => each !== right[index]);
  return at >= 0 && left[at]! < right[at]!;
}

function idOf({ simulation }: Judgement): string {
  return simulation.candidate.id;
}
