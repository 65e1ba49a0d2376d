/**
 * `orrery lifecycle advise`: the guides' decision framework for data that ages, with one's own
 * figures, and the four approaches simulated side by side.
 */
import { parseArgs } from "node:util";
import { lifecycleAdvice } from "../../lab/lifecycle/advice.ts";
import { adviceJson } from "../../lab/lifecycle/adviceJson.ts";
import { adviceText } from "../../lab/lifecycle/adviceText.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import type { ContainerReport } from "../../statistics/report.ts";
import { AdminClient, routeOf } from "../connect/adminClient.ts";
import {
  ACCOUNT_KEY_HELP,
  accountOf,
  containerOf,
  type Environment,
  PLACE_OPTIONS,
} from "../connect/serverOptions.ts";
import { FIGURE_HELP, FIGURE_OPTIONS } from "../lab/approaches/figureOptions.ts";
import { type KnownFigures, lifecycleSourceOf } from "../lab/approaches/figureSource.ts";
import { LIMIT_HELP, LIMIT_OPTIONS, labLimitsOf, startOf } from "../lab/options.ts";
import { terminalWidth, writeJson } from "../lab/output.ts";
import { DrawnLine } from "../terminal/drawnLine.ts";
import { knownFiguresOf } from "./containerFigures.ts";

export const ADVISE_HELP: string = `usage: orrery lifecycle advise [options]

Says in which containers data that ages is best kept: hot and warm moved in runs, hot and warm moved
in near real time, a single container, or one for each year. It answers the questions of the guides
with your figures, simulates all four with the server's own prices and partitions, and says what
would change the verdict. \`orrery lab approaches\` runs them on the engine.

${FIGURE_HELP}
or from a running server:
  --container <db>/<name>  size, growth and queries from its report; options above count instead
${ACCOUNT_KEY_HELP}
  --start <date>           the day it is looked at, such as 2026-01-31 (default: the first of this
                           month)
  --json                   one JSON value instead of text
${LIMIT_HELP}
Ends with 0, with 1 when something cannot be used, with 2 when an option makes no sense.
`;

const SEED = 1;

export async function adviseCommand(args: string[], environment: Environment): Promise<void> {
  const { values } = parseArgs({
    args,
    allowNegative: true,
    options: {
      ...FIGURE_OPTIONS,
      ...LIMIT_OPTIONS,
      container: { type: "string" },
      ...PLACE_OPTIONS,
      "account-key": { type: "string" },
      start: { type: "string" },
      json: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) {
    process.stdout.write(ADVISE_HELP);
    return;
  }
  const known = await knownOf(values, environment);
  const source = lifecycleSourceOf(values, known);
  const limits = labLimitsOf(values);
  const startMillis = startOf(values.start);
  const progress = new DrawnLine(environment);
  const advice = lifecycleAdvice({
    ...source,
    limits,
    startMillis,
    seed: SEED,
    onProgress: (done, total, what) => progress.show(`${what}: ${done} of ${total}`),
  });
  progress.clear();
  if (values.json === true) writeJson(adviceJson(advice));
  else process.stdout.write(adviceText(advice, terminalWidth()));
}

interface ContainerValues {
  readonly container?: string | undefined;
  readonly workload?: string | undefined;
  readonly scenario?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly "account-key"?: string | undefined;
  readonly "connection-string"?: string | undefined;
}

async function knownOf(
  values: ContainerValues,
  environment: Environment,
): Promise<KnownFigures | undefined> {
  if (values.container === undefined) {
    for (const name of ["endpoint", "account-key"] as const) {
      if (values[name] === undefined) continue;
      throw new BadOption(`--${name} says something with --container only.`);
    }
    return undefined;
  }
  if (values.workload !== undefined || values.scenario !== undefined) {
    throw new BadOption("--container and a workload exclude each other: record one instead.");
  }
  const name = containerOf(values.container, "--container");
  const account = accountOf({ ...values, key: values["account-key"] }, environment);
  const client = new AdminClient({ ...account, keyOption: "--account-key" });
  try {
    return knownFiguresOf(await client.get<ContainerReport>(routeOf(name, "report")));
  } finally {
    client.close();
  }
}
