/**
 * From the files and keys that somebody names to keys in order: the one way there, for whoever
 * shows the order (`advise`) and whoever tries it on the engine (`prove`). The same inputs give the
 * same order.
 */
import type { Advice } from "../../lab/advise/advice.ts";
import { type KeysToCount, keysToCount } from "../../lab/keysToCount.ts";
import { runLab } from "../../lab/lab.ts";
import type { Profile } from "../../lab/profile/profile.ts";
import type { NamedCandidate, Workload } from "../../lab/workload/workload.ts";
import type { Limits } from "../../model/limits.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import type { DrawnLine } from "../terminal/drawnLine.ts";
import { namedKeys } from "./adviseCandidates.ts";
import { LIMIT_HELP, LIMIT_OPTIONS, labLimitsOf, startOf, wholeOf } from "./options.ts";
import { profileOf, SOURCE_HELP, SOURCE_OPTIONS } from "./sources.ts";

/** For `parseArgs`: all that decides the order. */
export const RANKING_OPTIONS: typeof SOURCE_OPTIONS &
  typeof LIMIT_OPTIONS & {
    readonly candidate: { readonly type: "string"; readonly multiple: true };
    readonly "only-mine": { readonly type: "boolean" };
    readonly current: { readonly type: "string" };
    readonly months: { readonly type: "string" };
    readonly start: { readonly type: "string" };
    readonly seed: { readonly type: "string" };
  } = {
  ...SOURCE_OPTIONS,
  ...LIMIT_OPTIONS,
  candidate: { type: "string", multiple: true },
  "only-mine": { type: "boolean" },
  current: { type: "string" },
  months: { type: "string" },
  start: { type: "string" },
  seed: { type: "string" },
};

export const RANKING_HELP: string = `\
${SOURCE_HELP}\
  --candidate <key>        a key of your own, such as "concat(/deviceId, '-', month(/ts))" or
                           "[/tenantId, /userId]"; may be repeated; docs/use/keys.md has the form
  --only-mine              judge no other keys than those named here and in the workload
  --current <key>          the key in use: whether changing it is worth it
  --months <n>             how far to look (default: what the workload says)
  --start <date>           when the horizon begins (default: the first of this month); names of
                           periods are hashed as well
  --seed <n>               decides what is left to chance (default 1)
${LIMIT_HELP}`;

export interface RankingFlags {
  readonly profile?: string | undefined;
  readonly data?: string | undefined;
  readonly candidate?: readonly string[] | undefined;
  readonly "only-mine"?: boolean | undefined;
  readonly current?: string | undefined;
  readonly months?: string | undefined;
  readonly start?: string | undefined;
  readonly seed?: string | undefined;
  readonly "scale-limits"?: string | undefined;
  readonly limit?: readonly string[] | undefined;
}

export interface Ranking {
  /** With the horizon that was asked for. */
  readonly workload: Workload;
  /** Undefined: nothing is known of the data but what the workload declares. */
  readonly profile: Profile | undefined;
  readonly limits: Limits;
  /** The expression of the key in use. */
  readonly current: string | undefined;
  readonly seed: number;
  readonly advice: Advice;
}

const MONTHS = { min: 1, max: 120 };
const SEEDS = { min: 0, max: 4_294_967_295 };

export async function rankingOf(
  flags: RankingFlags,
  given: Workload,
  {
    progress,
    whatIfs,
    chosen,
  }: {
    readonly progress: DrawnLine;
    readonly whatIfs: boolean;
    /** The key that is to be taken whatever the order is; undefined: the best. */
    readonly chosen?: string | undefined;
  },
): Promise<Ranking> {
  const limits = labLimitsOf(flags);
  const months = wholeOf("--months", flags.months, MONTHS);
  const seed = wholeOf("--seed", flags.seed, SEEDS) ?? 1;
  const startMillis = startOf(flags.start);
  const workload = months === undefined ? given : { ...given, horizonMonths: months };
  const { candidates, current } = namedKeys(flags.candidate ?? [], flags.current, workload);
  const onlyNamed = flags["only-mine"] === true;
  checkNamed(onlyNamed, candidates, workload);
  const input = { workload, candidates, onlyNamed, current, limits, startMillis, seed, chosen };
  const wantedOf = (found: Profile): KeysToCount => keysToCount({ ...input, profile: found });
  const profile = await profileOf(flags, progress, wantedOf);
  const advice = runLab({
    ...input,
    profile,
    whatIfs,
    onProgress: (done, total, what) => progress.show(`${what}: ${done} of ${total}`),
  });
  progress.clear();
  return { workload, profile, limits, current, seed, advice };
}

function checkNamed(
  onlyNamed: boolean,
  candidates: readonly NamedCandidate[],
  workload: Workload,
): void {
  if (!onlyNamed || candidates.length > 0 || workload.candidates.length > 0) return;
  throw new BadOption(
    "--only-mine leaves nothing: name a key with --candidate, or candidates in the workload.",
  );
}
