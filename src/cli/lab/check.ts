/** `orrery lab check`: the validator of the guides for one named key, three scores. */
import { parseArgs } from "node:util";
import { nearestName } from "../../base/nearestName.ts";
import type { KeyLevels } from "../../keys/expression.ts";
import { printKeyLevels } from "../../keys/expressionText.ts";
import { pathsOf, pathText } from "../../keys/paths.ts";
import { checkKey } from "../../lab/advise/check.ts";
import type { Candidate } from "../../lab/candidate/candidate.ts";
import type { DataFacts } from "../../lab/data/facts.ts";
import { profileFacts } from "../../lab/data/profileFacts.ts";
import { keysOfCandidate } from "../../lab/keysToCount.ts";
import { candidateOf, factsOf, simulateOne } from "../../lab/lab.ts";
import type { Profile } from "../../lab/profile/profile.ts";
import { checkJson, checkText } from "../../lab/report/check.ts";
import type { StatedFacts, Workload } from "../../lab/workload/workload.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import type { Environment } from "../connect/serverOptions.ts";
import { DrawnLine } from "../terminal/drawnLine.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { keyLevelsOf, LIMIT_HELP, LIMIT_OPTIONS, labLimitsOf, startOf } from "./options.ts";
import { terminalWidth, writeJson } from "./output.ts";
import { profileOf, SOURCE_HELP, SOURCE_OPTIONS, workloadIn } from "./sources.ts";

export const CHECK_HELP: string = `usage: orrery lab check --key <key> [options]

Scores one partition key as the guides do: how many values it has (at least 100), how evenly items
are distributed over them (entropy, at least 0.7 of 1), and how many reads name it (at least 0.8 of
1). And warns where items without a value share one key, updates change it, all current writes have
one key, its largest key outgrows a logical partition (with the date), or its hottest is too hot.
The workload, the data, or both have to be there; what one of them cannot tell is called unknown.

  --key <key>              the key, such as /tenantId or "[/tenantId, /userId]"
${SOURCE_HELP}\
  --start <date>           when the horizon begins (default: the first of this month)
  --strict                 end with 1 when a check warns
  --json                   one JSON value instead of text
${LIMIT_HELP}\
  --help                   this text

Ends with 0, with 1 when something cannot be used (and under --strict when a check warns), with 2
when an option makes no sense.
`;

export async function runLabCheck(args: string[], environment: Environment): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      ...SOURCE_OPTIONS,
      ...LIMIT_OPTIONS,
      key: { type: "string" },
      start: { type: "string" },
      strict: { type: "boolean" },
      json: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) {
    process.stdout.write(CHECK_HELP);
    return;
  }
  if (values.key === undefined) throw new BadOption("Name the key with --key, such as /tenantId.");
  const levels = keyLevelsOf("--key", values.key);
  const limits = labLimitsOf(values);
  const workload = values.workload === undefined ? undefined : workloadIn(values.workload);
  const progress = new DrawnLine(environment);
  const candidate: Candidate = {
    id: printKeyLevels(levels),
    levels,
    origin: "named",
    stated: workload && statedOf(levels, workload),
  };
  const profile = await profileOf(values, progress, (first) => {
    refuseMissing(levels, first);
    return keysOfCandidate(first, knownFacts(workload, first), candidate);
  });
  progress.clear();
  if (profile !== undefined) refuseMissing(levels, profile);
  const check = checkKey({
    workload,
    facts: knownFacts(workload, profile),
    simulation:
      workload &&
      simulateOne(
        {
          workload,
          profile,
          candidates: [],
          onlyNamed: true,
          current: undefined,
          limits,
          startMillis: startOf(values.start),
          seed: 1,
        },
        candidate,
      ),
    candidate,
    limits,
    startMillis: startOf(values.start),
  });
  if (values.json === true) writeJson(checkJson(check));
  else process.stdout.write(checkText(check, terminalWidth()));
  if (values.strict === true && !check.isPassed) process.exitCode = 1;
}

/** A path that no item has is a slip of the pen, and its score would say nothing. */
function refuseMissing(levels: KeyLevels, { properties, keys, source }: Profile): void {
  const listed = [...properties.map(({ path }) => path), ...keys.flatMap(({ paths }) => paths)];
  const known = [...new Set(listed)];
  for (const path of levels.flatMap(pathsOf).map(pathText)) {
    if (known.includes(path)) continue;
    const nearest = nearestName(path, known);
    const hint = nearest === undefined ? `There are ${known.join(", ")}.` : `Is it ${nearest}?`;
    throw new CommandFailure(`--key: no item of ${source} has a value at ${path}. ${hint}`);
  }
}

function knownFacts(workload: Workload | undefined, profile: Profile | undefined): DataFacts {
  if (workload !== undefined) return factsOf({ workload, profile });
  if (profile !== undefined) return profileFacts(profile, undefined);
  throw new BadOption("There is nothing to check it with: give --workload, --profile or --data.");
}

/** What the workload states of this very key counts here, too. */
function statedOf(levels: KeyLevels, workload: Workload): StatedFacts | undefined {
  const text = printKeyLevels(levels);
  return workload.candidates.find((named) => {
    const read = candidateOf(named);
    return read.ok && printKeyLevels(read.value.levels) === text;
  })?.facts;
}
