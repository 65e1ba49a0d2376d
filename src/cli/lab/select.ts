/** `orrery lab select`: the guides' strategy selector, and what the lab thinks of each rule. */
import { parseArgs } from "node:util";
import { printKeyLevels } from "../../keys/expressionText.ts";
import { selectorRules } from "../../lab/advise/select.ts";
import { factsOf, type LabInput, runLab } from "../../lab/lab.ts";
import { selectJson, selectText } from "../../lab/report/select.ts";
import { BadOption } from "../../server/options.ts";
import type { Environment } from "../serverOptions.ts";
import { LIMIT_HELP, LIMIT_OPTIONS, labLimitsOf, startOf } from "./options.ts";
import { ProgressLine, terminalWidth, writeJson } from "./output.ts";
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
  const progress = new ProgressLine(environment);
  const input: LabInput = {
    workload: workloadIn(values.workload),
    profile: await profileOf(values, progress),
    candidates: [],
    onlyNamed: false,
    current: undefined,
    limits: labLimitsOf(values),
    startMillis: startOf(values.start),
    seed: 1,
    whatIfs: false,
    onProgress: (done, total, what) => progress.show(`${what}: ${done} of ${total}`),
  };
  const rules = selectorRules(input.workload, factsOf(input));
  const named = rules.flatMap(({ levels, number }) =>
    levels === undefined
      ? []
      : [
          {
            id: printKeyLevels(levels),
            levels: [printKeyLevels(levels)],
            facts: undefined,
            place: `rule ${number}`,
          },
        ],
  );
  const known = new Set(input.workload.candidates.map(({ levels }) => levels.join()));
  const candidates = named.filter(({ levels }) => !known.has(levels.join()));
  const advice = runLab({ ...input, candidates });
  progress.clear();
  if (values.json === true) writeJson(selectJson(rules, advice));
  else process.stdout.write(selectText(rules, advice, terminalWidth()));
}
