/**
 * Where advice draws its lines, each with where it comes from. "The guides" are the documents that
 * teach partition keys; a heuristic says that it is one.
 *
 * Not here: limits of the service (`model/limits.ts`), which may be scaled.
 */
import type { CandidateAdvice } from "./advice.ts";

/** Of the limit of a logical partition: the guides raise an alert at 15 of 20 GB. */
export const ALARM_SHARE = 0.75;
/** The guides raise an alert when bytes are distributed with a Gini coefficient above this. */
export const GINI_ALARM = 0.7;
/** The guides raise an alert when one physical partition gets this share of all load. */
export const PARTITION_LOAD_ALARM = 0.8;
/** The guides raise an alert when this share of the queries names no key. */
export const CROSS_PARTITION_ALARM = 0.5;

/** With more keys than this, one that outgrows its limit is an outlier. Heuristic. */
export const OUTLIER_KEYS_MIN = 10_000;
/** As long as it stays below so many times the limit: then it passes it late. */
export const OUTLIER_LIMITS_MAX = 2;
/** And as long as no more keys than these do. Heuristic: one vehicle in a hundred is an outlier. */
export const OUTLIER_KEY_SHARE_MAX = 0.05;

/** 429s among all answers: up to 5 % is documented as healthy, a sign that what is paid is used. */
export const THROTTLED_HEALTHY = 0.05;
/** With more 429s than this no key has a star: a lower share is chance, a higher one the rate. */
const THROTTLED_UNSTARRED = 0.01;

/** A key whose refusals a higher rate would end is the best one at the rate given, at most. */
export function isShortOfRate({ simulation }: Pick<CandidateAdvice, "simulation">): boolean {
  return simulation.throttling.share > THROTTLED_UNSTARRED;
}
/** Over an even spread: a physical partition with more than this costs the others. Heuristic. */
export const EXCESS_NOTABLE = 1.1;
/**
 * A key with less than this of what a physical partition can fairly have does not make it hot:
 * another layout of the same keys would cure that. Heuristic: four keys fill a partition.
 */
export const KEY_OF_PARTITION_MIN = 0.25;
/**
 * Up to so many times the rate, a hot key is a matter of money, and its price is in the cost; from
 * the second on it is one of the key. Heuristic: partitions half full double the rate already.
 */
export const AFFORDABLE_RATE = 2;
export const HOPELESS_RATE = 3;
/** Of the most that a physical partition serves: a key beyond it has no room to grow. Heuristic. */
export const KEY_RATE_AGAINST = 0.5;
/**
 * A key with less of all load is too hot only because the data needs very many partitions, which
 * leaves little rate for each: a matter of money as well. Heuristic.
 */
export const KEY_LOAD_SHARE_MIN = 0.01;
/** From this share of the writes on, "all that is written now has one key". Heuristic. */
export const PERIOD_WRITES_MIN = 0.5;

/** With so many physical partitions or fewer, a visit to all of them is cheap. The guides. */
export const SMALL_PARTITION_COUNT = 3;
/** From this share of the reads on, a key does not serve them. Heuristic. */
export const EVERYWHERE_AGAINST = 0.9;
/** From this share on it is worth a condition. Heuristic. */
export const EVERYWHERE_NOTABLE = 0.1;
/** Reads with a smaller part than this, by rate and by RU, decide nothing. Heuristic. */
export const READS_NOTABLE = 0.02;
/**
 * Visits a second that find nothing, over the useful RU/s. The guides take such a visit for 1 RU
 * and reject a key when they come to more than the useful work; splits leave physical partitions
 * half full, so that there are up to twice as many as the guides count.
 */
export const IDLE_VISITS_AGAINST = 2;
/** RU/s for further visits over the useful RU/s that are worth a condition. Heuristic. */
export const SURCHARGE_NOTABLE = 0.2;
/** An operation that has to ask so many keys is no longer simple for its caller. Heuristic. */
export const KEYS_ASKED_MANY = 10;
/** Items a key: with fewer than this, every item has its own. Heuristic. */
export const ITEMS_PER_KEY_ONE = 1.5;

/** The guides' validator warns below this many values. */
export const CARDINALITY_MIN = 100;
/** The guides' validator warns when a distribution scores less. */
export const DISTRIBUTION_MIN = 0.7;
/** The guides' validator warns when a smaller share of the reads names its key. */
export const ALIGNMENT_MIN = 0.8;
/** For that, an operation may ask so many keys. Heuristic: two months, and the one it began in. */
export const KEYS_ASKED_FEW = 3;
/** Of what its keys can hold at most: a container nearer to it than this has no room to grow. */
export const ROOM_SHARE_MAX = 0.5;
/** Share of items without a key from which their one logical partition is worth a condition. */
export const MISSING_NOTABLE = 0.05;

/** Costs within this are alike: prices are not better known than that. */
export const COST_TIE = 0.1;
/** A key that the lab found replaces one that the user named when it is cheaper by this. */
export const COST_MATERIAL = 0.2;
/** US dollars a month: for less nobody takes on a more complicated key. */
export const COST_ALIKE = 100;
