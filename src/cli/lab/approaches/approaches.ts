/**
 * `orrery lab approaches`: the guides' four ways of keeping data that ages, each run on the engine
 * with the same items and the same questions, and what the guides say of them beside it.
 *
 * Ctrl-C ends it at the next step; the server is stopped all the same.
 */
import { parseArgs } from "node:util";
import { comparisonOf } from "../../../lab/lifecycle/comparison.ts";
import { comparisonJson } from "../../../lab/lifecycle/comparisonJson.ts";
import { comparisonText } from "../../../lab/lifecycle/comparisonText.ts";
import type { ApproachMeasurement } from "../../../lab/lifecycle/measured.ts";
import { type RunPlan, runPlanOf, unsupportedIn } from "../../../lab/lifecycle/runPlan.ts";
import { SERVICE_LIMITS } from "../../../model/limits.ts";
import { BadOption } from "../../../server/surroundings/options.ts";
import { type OfficialClient, officialClient } from "../../connect/officialClient.ts";
import type { Environment } from "../../connect/serverOptions.ts";
import { DrawnLine } from "../../terminal/drawnLine.ts";
import { CommandFailure } from "../../terminal/failure.ts";
import { startOf, wholeOf } from "../options.ts";
import { terminalWidth, writeJson } from "../output.ts";
import { ProvingGround } from "../proveGround.ts";
import { measureApproach, PARTITION_RATE } from "./approachRun.ts";
import { FIGURE_HELP, FIGURE_OPTIONS } from "./figureOptions.ts";
import { lifecycleSourceOf } from "./figureSource.ts";
import { ClientMover } from "./mover.ts";

export const APPROACHES_HELP: string = `usage: orrery lab approaches [options]

Runs the guides' four ways of keeping data that ages on a throw-away server: hot and warm moved in
runs, hot and warm moved in near real time, a single container, and one for each year. The same
items and the same questions go to each, at a scale that is told; it takes about a minute. It needs
the official client: npm install @azure/cosmos. \`orrery lifecycle advise\` predicts the same at
full size.

${FIGURE_HELP}
How it is run:
  --items <n>              how many items there are (default 4000, from 400 to 100000)
  --reads <n>              how many reads of each kind are asked, one by one (default 12)
  --seconds <n>            how long requests come at their real pace, to see what is refused
                           (default 4, at most 30; 0 leaves it out)
  --date <day>             when it is, in the time of the items (default 2026-03-01)
  --seed <n>               decides names and which items are asked for (default 1)
  --json                   one JSON value instead of text
  --help                   this text

Without figures it is the feed of the guides: --volume 800GB --queries-per-second 50 --analytics.
Ends with 0, with 1 when an item was lost or something went wrong, with 2 when an option makes no
sense.
`;

const ITEMS = { min: 400, max: 100_000 };
const READS = { min: 1, max: 1000 };
const SECONDS = { min: 0, max: 30 };
const SEEDS = { min: 0, max: 0xffff_ffff };
const DEFAULTS = { items: 4000, reads: 12, seconds: 4, date: "2026-03-01", seed: 1 };
/** Requests a second that a laptop sends and answers beside everything else. */
const RATE_MAX = 60;

/** What the guides have in mind. */
const GUIDES = { volume: "800GB", "queries-per-second": "50", analytics: true } as const;

export async function runLabApproaches(args: string[], environment: Environment): Promise<void> {
  const { values } = parseArgs({
    args,
    allowNegative: true,
    options: {
      ...FIGURE_OPTIONS,
      items: { type: "string" },
      reads: { type: "string" },
      seconds: { type: "string" },
      date: { type: "string" },
      seed: { type: "string" },
      json: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) {
    process.stdout.write(APPROACHES_HELP);
    return;
  }
  const isDescribed =
    (values.workload ?? values.scenario ?? values.volume ?? values["items-per-day"]) !== undefined;
  const source = lifecycleSourceOf(isDescribed ? values : { ...GUIDES, ...values });
  const [unsupported] = unsupportedIn(source.workload);
  if (unsupported !== undefined) {
    throw new BadOption(
      `${unsupported}; a run has stores, point reads and queries only. Leave it out of the ` +
        "workload.",
    );
  }
  refuseIdle(values);
  const plan = runPlanOf(
    {
      ...source,
      limits: SERVICE_LIMITS,
      startMillis: startOf(values.date ?? DEFAULTS.date),
      seed: wholeOf("--seed", values.seed, SEEDS) ?? DEFAULTS.seed,
    },
    {
      items: wholeOf("--items", values.items, ITEMS) ?? DEFAULTS.items,
      reads: wholeOf("--reads", values.reads, READS) ?? DEFAULTS.reads,
    },
  );
  const comparison = comparisonOf(
    plan,
    await measured(plan, {
      official: await officialClient(process.cwd()),
      seconds: wholeOf("--seconds", values.seconds, SECONDS) ?? DEFAULTS.seconds,
      environment,
    }),
  );
  if (values.json === true) writeJson(comparisonJson(comparison));
  else process.stdout.write(comparisonText(comparison, terminalWidth()));
  const isLost = comparison.rows.some(
    ({ outcome }) => outcome.measured.foundCount !== outcome.measured.itemCount,
  );
  if (isLost) process.exitCode = 1;
}

/** The framework is asked by the advice, not by a run. */
function refuseIdle(values: Readonly<Record<string, unknown>>): void {
  for (const name of ["real-time", "simple", "independent-periods", "high-load"]) {
    if (values[name] === undefined) continue;
    throw new BadOption(`--${name} is for \`orrery lifecycle advise\`: a run has no use for it.`);
  }
}

interface RunTerms {
  readonly official: OfficialClient;
  readonly seconds: number;
  readonly environment: Environment;
}

export async function measured(
  plan: RunPlan,
  { official, seconds, environment }: RunTerms,
): Promise<readonly ApproachMeasurement[]> {
  const progress = new DrawnLine(environment);
  let isInterrupted = false;
  const interrupt = (): void => {
    if (isInterrupted) process.exit(130);
    isInterrupted = true;
  };
  process.on("SIGINT", interrupt);
  const ground = await ProvingGround.open({
    official,
    account: undefined,
    limits: { ...SERVICE_LIMITS, partitionRateMax: PARTITION_RATE },
    consistency: "Session",
  });
  try {
    const measurements: ApproachMeasurement[] = [];
    for (const [at, approach] of plan.approaches.entries()) {
      const of = `${at + 1} of ${plan.approaches.length}, ${approach.real.approach.title}`;
      measurements.push(
        await measureApproach(ground, {
          plan,
          approach,
          seconds,
          rateMax: RATE_MAX,
          moverOf: (setting) => new ClientMover(setting),
          isInterrupted: () => isInterrupted,
          onProgress: (what) => progress.show(`${of}: ${what}`),
        }),
      );
    }
    return measurements;
  } catch (error) {
    if (isInterrupted) throw new CommandFailure("Interrupted; everything was taken down.");
    throw error;
  } finally {
    progress.clear();
    process.off("SIGINT", interrupt);
    await ground.close();
  }
}
