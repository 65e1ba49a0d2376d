/**
 * `orrery lab scenario`: worked cases of the guides. Each is run like any workload, and what the
 * guides say of its keys stands beside what was computed.
 */
import { parseArgs } from "node:util";
import { runLab } from "../../lab/lab.ts";
import { compareWithGuide } from "../../lab/report/guide.ts";
import { scaled } from "../../lab/scenario/change.ts";
import type { Scenario, ScenarioVariant } from "../../lab/scenario/scenario.ts";
import { scenarioWorkload } from "../../lab/scenario/scenario.ts";
import { scenarios as allScenarios } from "../../lab/scenario/scenarios.ts";
import { textTable } from "../../lab/wording/textTable.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import type { Environment } from "../connect/serverOptions.ts";
import { DrawnLine } from "../terminal/drawnLine.ts";
import {
  LIMIT_HELP,
  LIMIT_OPTIONS,
  labLimitsOf,
  OUTPUT_HELP,
  OUTPUT_OPTIONS,
  startOf,
  TOPS,
  wholeOf,
} from "./options.ts";
import { terminalWidth, writeAdvice, writeJson } from "./output.ts";

export const SCENARIO_HELP: string = `usage: orrery lab scenario [<name>] [options]

Runs a worked case of the guides through the lab, and puts their verdicts beside the computed ones.
Without a name it lists the cases.

  --list                   list the cases and their variants
  --variant <name>         the same case with something changed, such as its scale
  --scale <factor>         that many times the items, the requests and the throughput; what the
                           guides say is of the case as it is, so verdicts may differ then
  --enumerate              let the lab look for other keys as well, beside those of the guides
  --strict                 end with 1 when a verdict differs from that of the guides
${OUTPUT_HELP}${LIMIT_HELP}\
  --help                   this text
`;

/** The same run on every day. */
export const SCENARIO_START = "2026-01-01";
const SEED = 1;

export async function runLabScenario(
  args: string[],
  environment: Environment,
  scenarios: readonly Scenario[] = allScenarios,
): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      ...OUTPUT_OPTIONS,
      ...LIMIT_OPTIONS,
      list: { type: "boolean" },
      variant: { type: "string" },
      scale: { type: "string" },
      enumerate: { type: "boolean" },
      strict: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) {
    process.stdout.write(SCENARIO_HELP);
    return;
  }
  const [name, extra] = positionals;
  if (extra !== undefined) throw new BadOption(`'${extra}' is one word too many.`);
  if (name === undefined || values.list === true) {
    list(scenarios, values.json === true);
    return;
  }
  const top = wholeOf("--top", values.top, TOPS);
  const limits = labLimitsOf(values);
  const scenario = scenarioNamed(name, scenarios);
  const variant = variantNamed(values.variant, scenario);
  const factor = factorOf(values.scale);
  const progress = new DrawnLine(environment);
  const advice = runLab({
    workload: scaled(scenarioWorkload(scenario, variant), factor),
    profile: undefined,
    candidates: [],
    onlyNamed: values.enumerate !== true,
    current: undefined,
    limits,
    startMillis: startOf(SCENARIO_START),
    seed: SEED,
    onProgress: (done, total, what) => progress.show(`${what}: ${done} of ${total}`),
  });
  progress.clear();
  const guide = compareWithGuide(
    advice,
    (variant ?? scenario).expected,
    scenario.errata,
    variant !== undefined,
  );
  const isJson = values.json === true;
  writeAdvice(advice, { isJson, htmlFile: values.html, top, current: undefined, limits, guide });
  if (values.strict === true && !guide.agrees) process.exitCode = 1;
}

const FACTOR_MIN = 1e-6;
const FACTOR_MAX = 1e6;

function factorOf(text: string | undefined): number {
  if (text === undefined) return 1;
  const factor = Number(text);
  if (text.trim() !== "" && factor >= FACTOR_MIN && factor <= FACTOR_MAX) return factor;
  throw new BadOption(
    `--scale is '${text}'; it must be a number from ${FACTOR_MIN} to ${FACTOR_MAX}, such as 20.`,
  );
}

function list(scenarios: readonly Scenario[], isJson: boolean): void {
  if (isJson) {
    writeJson(
      scenarios.map(({ name, title, variants }) => ({
        name,
        title,
        variants: variants.map((variant) => ({ name: variant.name, title: variant.title })),
      })),
    );
    return;
  }
  const rows = scenarios.flatMap(({ name, title, variants }) => [
    { name, variant: "", title },
    ...variants.map((variant) => ({ name: "", variant: variant.name, title: variant.title })),
  ]);
  const column = (of: "name" | "variant" | "title"): Parameters<typeof textTable>[0][number] => ({
    name: of,
    isRight: false,
    cells: rows.map((row) => row[of]),
  });
  const lines = textTable([column("name"), column("variant"), column("title")], terminalWidth());
  process.stdout.write(`${lines.join("\n")}\n`);
}

export function scenarioNamed(
  name: string,
  scenarios: readonly Scenario[] = allScenarios,
): Scenario {
  const found = scenarios.find((scenario) => scenario.name === name);
  if (found !== undefined) return found;
  const names = scenarios.map((scenario) => scenario.name).join(", ");
  throw new BadOption(`There is no scenario '${name}'; there are ${names}.`);
}

export function variantNamed(
  name: string | undefined,
  scenario: Scenario,
): ScenarioVariant | undefined {
  if (name === undefined) return undefined;
  const found = scenario.variants.find((variant) => variant.name === name);
  if (found !== undefined) return found;
  const names = scenario.variants.map((variant) => variant.name).join(", ");
  throw new BadOption(
    `${scenario.name} has no variant '${name}'${names === "" ? "" : `; it has ${names}`}.`,
  );
}
