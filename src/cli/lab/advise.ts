/** `orrery lab advise`: which partition key a container should have, and why. */
import { parseArgs } from "node:util";
import { runLab } from "../../lab/lab.ts";
import type { NamedCandidate, Workload } from "../../lab/workload/workload.ts";
import { BadOption } from "../../server/options.ts";
import type { Environment } from "../serverOptions.ts";
import { namedKeys } from "./adviseCandidates.ts";
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
import { ProgressLine, writeAdvice } from "./output.ts";
import { profileOf, SOURCE_HELP, SOURCE_OPTIONS, workloadIn } from "./sources.ts";

export const ADVISE_HELP: string = `usage: orrery lab advise --workload <file> [options]

Simulates partition keys month by month on the engine's own hash, splits, prices and budgets, ranks
them, and says why, with the number behind each sentence.

${SOURCE_HELP}\
  --candidate <key>        a key of your own, such as "concat(/deviceId, '-', month(/ts))" or
                           "[/tenantId, /userId]"; may be repeated; docs/keys.md has the form
  --only-mine              judge no other keys than those named here and in the workload
  --current <key>          the key in use: whether changing it is worth it
  --months <n>             how far to look (default: what the workload says)
  --start <date>           when the horizon begins (default: the first of this month); names of
                           periods are hashed as well
  --seed <n>               decides what is left to chance (default 1)
${OUTPUT_HELP}${LIMIT_HELP}\
  --help                   this text

Ends with 0 when there is advice, whatever it is; with 1 when the workload or the data cannot be
used; with 2 when an option makes no sense.
`;

const MONTHS = { min: 1, max: 120 };
const SEEDS = { min: 0, max: 4_294_967_295 };

export async function runLabAdvise(args: string[], environment: Environment): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      ...SOURCE_OPTIONS,
      ...OUTPUT_OPTIONS,
      ...LIMIT_OPTIONS,
      candidate: { type: "string", multiple: true },
      "only-mine": { type: "boolean" },
      current: { type: "string" },
      months: { type: "string" },
      start: { type: "string" },
      seed: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) {
    process.stdout.write(ADVISE_HELP);
    return;
  }
  if (values.workload === undefined) {
    throw new BadOption(
      "Name the workload with --workload <file>. `orrery lab workload` writes one to begin with.",
    );
  }
  const limits = labLimitsOf(values);
  const months = wholeOf("--months", values.months, MONTHS);
  const top = wholeOf("--top", values.top, TOPS);
  const seed = wholeOf("--seed", values.seed, SEEDS) ?? 1;
  const startMillis = startOf(values.start);
  const workload = workloadIn(values.workload);
  const { candidates, current } = namedKeys(values.candidate ?? [], values.current, workload);
  const onlyNamed = values["only-mine"] === true;
  checkNamed(onlyNamed, candidates, workload);
  const progress = new ProgressLine(environment);
  try {
    const advice = runLab({
      workload: months === undefined ? workload : { ...workload, horizonMonths: months },
      profile: await profileOf(values, progress),
      candidates,
      onlyNamed,
      current,
      limits,
      startMillis,
      seed,
      onProgress: (done, total, what) => progress.show(`${what}: ${done} of ${total}`),
    });
    progress.clear();
    writeAdvice(advice, {
      isJson: values.json === true,
      htmlFile: values.html,
      top,
      current,
      limits,
    });
  } finally {
    progress.clear();
  }
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
