/**
 * What a command of the lab works on: a workload file, and a profile that was saved or is made on
 * the spot from data. What cannot be used is told with all its places, and nothing runs on half of
 * it; broken lines in data are told as well, but what could be read is used.
 */
import type { Profile } from "../../lab/profile/profile.ts";
import { numberText, plural, visible } from "../../lab/wording/plain.ts";
import type { Workload } from "../../lab/workload/workload.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import type { DrawnLine } from "../terminal/drawnLine.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { profileOfFile, type WantedKeys } from "./profile.ts";
import { readProfile } from "./profileFile.ts";
import { harmless, textOf, workloadFrom } from "./workloadFrom.ts";

/** For `parseArgs`. */
export const SOURCE_OPTIONS: {
  readonly workload: { readonly type: "string" };
  readonly profile: { readonly type: "string" };
  readonly data: { readonly type: "string" };
} = {
  workload: { type: "string" },
  profile: { type: "string" },
  data: { type: "string" },
};

export const SOURCE_HELP: string = `\
  --workload <file>        what the container has to hold and to answer, JSON or YAML;
                           \`orrery lab workload\` writes one to begin with
  --profile <file>         what \`orrery lab profile\` found in your data
  --data <file>            the data itself: .ndjson, .json or .csv, or one of them with .gz
`;

export function workloadIn(file: string): Workload {
  return workloadFrom(file, "--workload");
}

/**
 * Undefined: nothing is known of the data but what the workload declares. `wantedOf`: which keys
 * are to be counted, for which the data is read again.
 */
export async function profileOf(
  { profile, data }: { readonly profile?: string | undefined; readonly data?: string | undefined },
  progress: DrawnLine,
  wantedOf: WantedKeys,
): Promise<Profile | undefined> {
  if (profile !== undefined && data !== undefined) {
    throw new BadOption("--profile and --data exclude each other: one is made from the other.");
  }
  if (profile !== undefined) return profileIn(profile);
  if (data === undefined) return undefined;
  const found = await profileOfFile(data, progress, wantedOf);
  progress.clear();
  if (found.problems.count > 0) process.stderr.write(`${harmless(problemLines(data, found))}\n`);
  if (found.itemCount > 0) return found;
  throw new CommandFailure(`${data} has no items that could be read.`);
}

/** What could not be read, as far as it was kept. */
function problemLines(file: string, { problems, itemCount }: Profile): readonly string[] {
  const { count, first } = problems;
  const rest = count - first.length;
  return [
    `${file}: ${plural(count, "problem")}; the other ${plural(itemCount, "item")} are used.`,
    ...first.map(({ place, problem }) => `  ${place}: ${problem}`),
    ...(rest > 0 ? [`  and ${numberText(rest)} more`] : []),
  ];
}

function profileIn(file: string): Profile {
  const profile = readProfile(textOf(file, "--profile"));
  if (profile.ok) return profile.value;
  throw new CommandFailure(`${file} cannot be used: ${visible(profile.error)}`);
}
