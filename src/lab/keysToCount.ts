/**
 * Which keys have to be counted on the data for advice to rest on counts: those of all candidates,
 * and whatever else the lab asks populations of. Known once a first profile has shown what the
 * candidates are; then the data is read once more.
 */
import { printKeyLevels } from "../keys/expressionText.ts";
import { pathText } from "../keys/paths.ts";
import type { Candidate } from "./candidate/candidate.ts";
import { keyShapeOf } from "./candidate/keyShape.ts";
import type { DataFacts } from "./data/facts.ts";
import { countedKey } from "./data/profileFacts.ts";
import { candidatesFor, factsOf, type LabInput, settingOf } from "./lab.ts";
import { COMPONENTS_MAX } from "./profile/absence.ts";
import type { ExpressionKey } from "./profile/countedKeys.ts";
import type { KeyProfile, Profile } from "./profile/profile.ts";
import { byPaths } from "./profile/profiler.ts";

export interface KeysToCount {
  /** Paths whose values together are a key. */
  readonly keys: readonly (readonly string[])[];
  /** Keys that an expression makes. */
  readonly expressions: readonly ExpressionKey[];
}

/** Those that the profile has not counted. */
export function keysToCount(input: LabInput & { readonly profile: Profile }): KeysToCount {
  const { facts, asked } = noted(factsOf(input));
  const setting = settingOf(input, input.workload, facts);
  const candidates = candidatesFor(input, setting);
  return uncounted(input.profile, facts, candidates, asked);
}

/** Those of a key that somebody wants to know about, and of nothing else. */
export function keysOfCandidate(
  profile: Profile,
  facts: DataFacts,
  candidate: Candidate,
): KeysToCount {
  return uncounted(profile, facts, [candidate], []);
}

/** The facts, and a list of what is asked of them from now on. */
function noted(facts: DataFacts): { readonly facts: DataFacts; readonly asked: string[][] } {
  const asked: string[][] = [];
  const populationOf = (paths: readonly string[]): ReturnType<DataFacts["populationOf"]> => {
    asked.push([...paths]);
    return facts.populationOf(paths);
  };
  return { facts: { ...facts, populationOf }, asked };
}

function uncounted(
  profile: Profile,
  facts: DataFacts,
  candidates: readonly Candidate[],
  asked: readonly (readonly string[])[],
): KeysToCount {
  const sets = [...asked];
  const expressions = new Map<string, ExpressionKey>();
  for (const candidate of candidates) {
    const { levels } = candidate;
    sets.push(keyShapeOf(candidate, facts).staticPaths);
    const paths = levels.flatMap((level) => (level.kind === "path" ? [pathText(level)] : []));
    if (paths.length === levels.length) sets.push(paths);
    else expressions.set(printKeyLevels(levels), { text: printKeyLevels(levels), levels });
  }
  const known = new Set(profile.expressions.map(({ expression }) => expression));
  const wanted = new Map(
    sets
      .map((paths) => [...new Set(paths)])
      .filter((paths) => paths.length > 0 && paths.length <= COMPONENTS_MAX)
      .filter((paths) => countedKey(profile, paths) === undefined)
      .map((paths) => [[...paths].sort().join("\n"), paths] as const),
  );
  return {
    keys: [...wanted.values()],
    expressions: [...expressions.values()].filter(({ text }) => !known.has(text)),
  };
}

/** Counting may show other candidates than before; so many further passes are worth it. */
const PASSES_MAX = 2;

/**
 * The profile with all keys counted that are wanted of it. `count` reads the data again, from the
 * beginning, and counts these.
 */
export async function withCounts(
  first: Profile,
  wantedOf: (profile: Profile) => KeysToCount,
  count: (wanted: KeysToCount, profile: Profile) => Promise<readonly KeyProfile[]>,
): Promise<Profile> {
  let profile = first;
  for (let pass = 0; pass < PASSES_MAX; pass++) {
    const wanted = wantedOf(profile);
    if (wanted.keys.length + wanted.expressions.length === 0) break;
    const counted = await count(wanted, profile);
    const isExpression = ({ expression }: KeyProfile): boolean => expression !== undefined;
    const keys = [...profile.keys, ...counted.filter((key) => !isExpression(key))];
    profile = {
      ...profile,
      keys: keys.toSorted(byPaths),
      expressions: [...profile.expressions, ...counted.filter(isExpression)],
    };
  }
  return profile;
}
