/**
 * What the guides' validator says of a key, from a handful of items that somebody has at hand. The
 * items are profiled in memory; what only a workload could tell is called unknown.
 */
import type { JsonObject } from "../../json/value.ts";
import type { KeyLevels } from "../../keys/expression.ts";
import { printKeyLevels } from "../../keys/expressionText.ts";
import type { Limits } from "../../model/limits.ts";
import type { CheckFinding } from "../advise/check.ts";
import { checkKey } from "../advise/check.ts";
import type { Candidate } from "../candidate/candidate.ts";
import { profileFacts } from "../data/profileFacts.ts";
import { keysOfCandidate, withCounts } from "../keysToCount.ts";
import { KeyCounter } from "../profile/keyCounter.ts";
import type { Profile } from "../profile/profile.ts";
import { Profiler } from "../profile/profiler.ts";
import { Survey } from "../profile/survey.ts";

interface PlacementCheckInput {
  readonly items: readonly JsonObject[];
  readonly bytes: readonly number[];
  readonly levels: KeyLevels;
  readonly limits: Limits;
  /** When the horizon begins, in milliseconds since 1970. */
  readonly startMillis: number;
}

export async function placementFindings(
  input: PlacementCheckInput,
): Promise<readonly CheckFinding[]> {
  const { items, bytes, levels, limits, startMillis } = input;
  if (items.length === 0) return [];
  const candidate: Candidate = {
    id: printKeyLevels(levels),
    levels,
    origin: "named",
    stated: undefined,
  };
  const each = (taker: { add(item: JsonObject, bytes: number): void }): void => {
    items.forEach((item, index) => {
      taker.add(item, bytes[index]!);
    });
  };
  const surveying = new Survey();
  each(surveying);
  const survey = surveying.result();
  const profiler = new Profiler({ source: "these items", survey, areSinglesEnough: true });
  each(profiler);
  const first = profiler.result("all");
  const profile = await withCounts(
    first,
    (found: Profile) => keysOfCandidate(found, profileFacts(found, undefined), candidate),
    (wanted, { time }) => {
      const counter = new KeyCounter({ ...wanted, survey, time: time?.path });
      each(counter);
      return Promise.resolve(counter.results());
    },
  );
  const facts = profileFacts(profile, undefined);
  const check = checkKey({
    workload: undefined,
    facts,
    simulation: undefined,
    candidate,
    limits,
    startMillis,
  });
  return check.findings;
}
