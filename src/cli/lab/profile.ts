/**
 * `orrery lab profile`: learns from data what the lab has to know of it. The profile goes to
 * standard output or into a file; how far it is, and what could not be read, to standard error.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { INPUT_FORMATS, type InputFormat } from "../../itemFile/itemFormat.ts";
import { type KeysToCount, keysToCount, withCounts } from "../../lab/keysToCount.ts";
import { parsePath } from "../../lab/profile/pathSteps.ts";
import type { Profile } from "../../lab/profile/profile.ts";
import { profileText } from "../../lab/profile/savedProfile.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { isLoopback } from "../../server/surroundings/addresses.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import { realClock } from "../../server/surroundings/realWorld.ts";
import type { Environment } from "../connect/serverOptions.ts";
import { accountOf, containerOf, SERVER_HELP, SERVER_OPTIONS } from "../connect/serverOptions.ts";
import { DrawnLine } from "../terminal/drawnLine.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { LiveTable } from "../terminal/liveTable.ts";
import type { SampleSize } from "./inputItems.ts";
import { startOf } from "./options.ts";
import { type ProfiledSource, ProfileReading, type ReadingWishes } from "./profileReading.ts";
import { profileSections } from "./profileTables.ts";
import { workloadFrom } from "./workloadFrom.ts";

export const LAB_PROFILE_HELP: string = `usage: orrery lab profile <file> [options]
       orrery lab profile --container <db>/<container> [options]
       orrery lab profile --endpoint <url> --key <base64> <db>/<container> [options]

Reads items and says what a partition key can be made of: for every property how many items have
it, its types and how many different values; for every key, one property or a few together, how
many keys there are, the heaviest, how even they are, and how hot one gets within a minute.

<file> is NDJSON, a JSON array or CSV, also with gzip; - is standard input. A container is read
from a running Orrery, or by the official client from the account that --endpoint names.

  --container <name>       read a container of a running Orrery: <database>/<container>
  --sdk                    read it with the official client, on this machine too
  --max-ru <n>             stop reading a container when it has cost so much
  --format <format>        ndjson, json or csv (default: by the name, or by how it begins)
  --sample <n>             read only some items, picked by chance: 10%, or about 100000. Of a
                           container the first ones that it gives
  --time <path>            the property that says when an item came to be (default: found)
  --paths <paths>          also count these one to three paths as a key, such as /a,/b; may be
                           repeated
  --for <workload>         also count every key that advice for this workload would look at; a
                           file is read once more for that
  --json                   the profile as JSON instead of tables
  --save <file>            also write the profile to a file, for \`orrery lab advise --profile\`
  --strict                 stop at the first item that cannot be read
${SERVER_HELP}\
Ctrl-C ends the reading; what was read so far is shown. Ends with 0, with 1 when nothing could be
read or --strict found a problem, with 2 when an option makes no sense.
`;

export async function runLabProfile(args: string[], environment: Environment): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      ...SERVER_OPTIONS,
      container: { type: "string" },
      sdk: { type: "boolean" },
      "max-ru": { type: "string" },
      format: { type: "string" },
      sample: { type: "string" },
      time: { type: "string" },
      paths: { type: "string", multiple: true },
      json: { type: "boolean" },
      save: { type: "string" },
      strict: { type: "boolean" },
      for: { type: "string" },
    },
  });
  if (values.help === true) {
    process.stdout.write(LAB_PROFILE_HELP);
    return;
  }
  const source = sourceOf(values, positionals, environment);
  const options = {
    format: formatIn(values.format),
    sample: sampleIn(values.sample),
    time: values.time === undefined ? undefined : pathIn("--time", values.time),
    keys: (values.paths ?? []).map((text) => pathsIn(text)),
    ruMax: ruIn(values["max-ru"]),
    isStrict: values.strict === true,
  };
  if (source.kind === "file" && values["max-ru"] !== undefined) {
    throw new BadOption("--max-ru is for containers; a file costs nothing.");
  }
  const progress = new DrawnLine(environment);
  const wantedOf = values.for === undefined ? () => NOTHING_MORE : wantedFor(values.for);
  const profile = await profileOfSource(source, options, progress, wantedOf);
  if (values.save !== undefined) saveProfile(values.save, profile);
  showProfile(profile, values.json === true, environment);
  if (options.isStrict && profile.problems.count > 0) process.exitCode = 1;
}

/**
 * For other commands of the lab that take data as it is. `wantedOf`: which keys they will ask for,
 * once they have seen a first profile.
 */
export async function profileOfFile(
  file: string,
  progress: DrawnLine,
  wantedOf: WantedKeys,
): Promise<Profile> {
  const options = { keys: [], isStrict: false, areSinglesEnough: true };
  return await profileOfSource({ kind: "file", name: file }, options, progress, wantedOf);
}

/** What has to be counted, going by a first profile. */
export type WantedKeys = (profile: Profile) => KeysToCount;

const NOTHING_MORE: KeysToCount = { keys: [], expressions: [] };

function sourceOf(
  flags: {
    readonly container?: string | undefined;
    readonly endpoint?: string | undefined;
    readonly key?: string | undefined;
    readonly "connection-string"?: string | undefined;
    readonly sdk?: boolean | undefined;
  },
  positionals: readonly string[],
  environment: Environment,
): ProfiledSource {
  const [named, extra] =
    flags.container === undefined ? positionals : [flags.container, positionals[0]];
  if (extra !== undefined) throw new BadOption(`'${extra}' is one word too many.`);
  if (named === undefined) {
    throw new BadOption("Name a file, - for standard input, or a container with --container.");
  }
  const { container, endpoint, sdk, "connection-string": text } = flags;
  const isContainer = [container, endpoint, sdk, text].some((flag) => flag !== undefined);
  if (!isContainer) return { kind: "file", name: named };
  containerOf(named);
  const account = accountOf(flags, environment);
  const isOfficial = flags.sdk === true || !isLoopback(account.endpoint.hostname);
  return { kind: "container", name: named, account, isOfficial };
}

async function profileOfSource(
  source: ProfiledSource,
  wishes: ReadingWishes,
  progress: DrawnLine,
  wantedOf: WantedKeys,
): Promise<Profile> {
  const reading = new ProfileReading(source, wishes, progress, realClock);
  // A second one ends the program.
  process.once("SIGINT", reading.stop);
  try {
    const first = await reading.profile();
    if (!reading.isRepeatable) return first;
    return await withCounts(first, wantedOf, (wanted, profile) => reading.count(wanted, profile));
  } finally {
    process.off("SIGINT", reading.stop);
    progress.clear();
  }
}

/** As `lab advise` with this workload and nothing else. */
function wantedFor(file: string): WantedKeys {
  const workload = workloadFrom(file, "--for");
  return (profile) =>
    keysToCount({
      workload,
      profile,
      candidates: [],
      onlyNamed: false,
      current: undefined,
      limits: SERVICE_LIMITS,
      startMillis: startOf(undefined),
      seed: 1,
    });
}

function saveProfile(file: string, profile: Profile): void {
  try {
    writeFileSync(file, profileText(profile));
  } catch (error) {
    throw new CommandFailure(`The profile cannot be written: ${(error as Error).message}`);
  }
  process.stderr.write(`profile: ${file}\n`);
}

function showProfile(profile: Profile, isJson: boolean, environment: Environment): void {
  if (isJson) process.stdout.write(profileText(profile));
  else new LiveTable(process.stdout, environment).print(profileSections(profile));
}

function formatIn(text: string | undefined): InputFormat | undefined {
  const format = INPUT_FORMATS.find((known) => known === text);
  if (text === undefined || format !== undefined) return format;
  throw new BadOption(`--format is '${text}'; it must be ${INPUT_FORMATS.join(", ")}.`);
}

function sampleIn(text: string | undefined): SampleSize | undefined {
  if (text === undefined) return undefined;
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(text)?.[1];
  if (percent !== undefined && Number(percent) > 0 && Number(percent) <= 100) {
    return { share: Number(percent) / 100 };
  }
  if (/^[1-9]\d{0,11}$/.test(text)) return { count: Number(text) };
  throw new BadOption(
    `--sample is '${text}'; it must be a share such as 10%, or a number of items.`,
  );
}

function ruIn(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(text) && Number(text) > 0) return Number(text);
  throw new BadOption(`--max-ru is '${text}'; it must be a number above 0.`);
}

function pathIn(option: string, text: string): string {
  if (parsePath(text) !== undefined) return text;
  throw new BadOption(
    `${option} has '${text}', which is no path; it must be one such as /a or /a/b.`,
  );
}

const PATHS_MAX = 3;

function pathsIn(text: string): readonly string[] {
  const paths = text.split(",").map((path) => pathIn("--paths", path.trim()));
  if (paths.length <= PATHS_MAX && new Set(paths).size === paths.length) return paths;
  throw new BadOption(`--paths is '${text}'; it must be one to ${PATHS_MAX} different paths.`);
}
