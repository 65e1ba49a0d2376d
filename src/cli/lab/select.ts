/** `orrery lab select`: the guides' strategy selector, and what the lab thinks of each rule. */
import { parseArgs } from "node:util";
import { printKeyLevels } from "../../keys/expressionText.ts";
import { type SelectorRule, selectorRules } from "../../lab/advise/select.ts";
import { keysToCount } from "../../lab/keysToCount.ts";
import { factsOf, runLab } from "../../lab/lab.ts";
import type { Profile } from "../../lab/profile/profile.ts";
import { selectJson, selectText } from "../../lab/report/select.ts";
import type { NamedCandidate, Workload } from "../../lab/workload/workload.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import type { Environment } from "../connect/serverOptions.ts";
import { DrawnLine } from "../terminal/drawnLine.ts";
import { LIMIT_HELP, LIMIT_OPTIONS, labLimitsOf, startOf } from "./options.ts";
import { terminalWidth, writeJson } from "./output.ts";
import { profileOf, SOURCE_HELP, SOURCE_OPTIONS, workloadIn } from "./sources.ts";

export const SELECT_HELP: string = `usage: orrery lab select --workload <file> [options]

Goes through the four rules by which the guides select a key (the month, the tenant, a hash of the
id, a default), says which holds and why, and what the simulation makes of the key of each.

${SOURCE_HELP}\
  --start <date>           when the horizon begins (default: the first of this month)
  --json                   one JSON value instead of text
${LIMIT_HELP}\
  --help                   this text
`;

export async function runLabSelect(args: string[], environment: Environment): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      ...SOURCE_OPTIONS,
      ...LIMIT_OPTIONS,
      start: { type: "string" },
      json: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) {
    process.stdout.write(SELECT_HELP);
    return;
  }
  if (values.workload === undefined) {
    throw new BadOption("Name the workload with --workload <file>.");
  }
  const progress = new DrawnLine(environment);
  const given = {
    workload: workloadIn(values.workload),
    onlyNamed: false,
    current: undefined,
    limits: labLimitsOf(values),
    startMillis: startOf(values.start),
    seed: 1,
  };
  const candidatesOf = (profile: Profile | undefined): readonly NamedCandidate[] =>
    candidatesIn(given.workload, selectorRules(given.workload, factsOf({ ...given, profile })));
  const profile = await profileOf(values, progress, (first) =>
    keysToCount({ ...given, profile: first, candidates: candidatesOf(first) }),
  );
  const rules = selectorRules(given.workload, factsOf({ ...given, profile }));
  const advice = runLab({
    ...given,
    profile,
    candidates: candidatesIn(given.workload, rules),
    whatIfs: false,
    onProgress: (done, total, what) => progress.show(`${what}: ${done} of ${total}`),
  });
  progress.clear();
  if (values.json === true) writeJson(selectJson(rules, advice));
  else process.stdout.write(selectText(rules, advice, terminalWidth()));
}

/** What the rules name, unless the workload does. */
function candidatesIn(
  workload: Workload,
  rules: readonly SelectorRule[],
): readonly NamedCandidate[] {
  const known = new Set(workload.candidates.map(({ levels }) => levels.join()));
  return rules.flatMap(({ levels, number }) => {
    const text = levels && printKeyLevels(levels);
    if (text === undefined || known.has(text)) return [];
    return [{ id: text, levels: [text], facts: undefined, place: `rule ${number}` }];
  });
}
