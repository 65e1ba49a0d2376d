/** `orrery lab advise`: which partition key a container should have, and why. */
import { parseArgs } from "node:util";
import { adviceHtml } from "../../lab/report/html.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import type { Environment } from "../connect/serverOptions.ts";
import { DrawnLine } from "../terminal/drawnLine.ts";
import { migrate } from "./migrate/migrate.ts";
import { MIGRATE_HELP, MIGRATE_OPTIONS, migrateWishOf } from "./migrate/options.ts";
import { OUTPUT_HELP, OUTPUT_OPTIONS, TOPS, wholeOf } from "./options.ts";
import { writeAdvice, writePage } from "./output.ts";
import { RANKING_HELP, RANKING_OPTIONS, rankingOf } from "./ranking.ts";
import { workloadIn } from "./sources.ts";

export const ADVISE_HELP: string = `usage: orrery lab advise --workload <file> [options]

Simulates partition keys month by month on the engine's own hash, splits, prices and budgets, ranks
them, and says why, with the number behind each sentence.

${RANKING_HELP}${OUTPUT_HELP}\
  --help                   this text

${MIGRATE_HELP}\
Ends with 0 when there is advice, whatever it is; with 1 when the workload or the data cannot be
used, or when the verdict cannot be carried out; with 2 when an option makes no sense.
`;

export async function runLabAdvise(args: string[], environment: Environment): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      ...RANKING_OPTIONS,
      ...OUTPUT_OPTIONS,
      ...MIGRATE_OPTIONS,
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
  const top = wholeOf("--top", values.top, TOPS);
  const workload = workloadIn(values.workload);
  const wish = migrateWishOf(values, values.workload, workload, environment);
  const progress = new DrawnLine(environment);
  try {
    if (wish !== undefined) {
      const { advice, current, limits } = await migrate(values, workload, wish, progress);
      if (values.html !== undefined) {
        writePage(values.html, adviceHtml(advice, { limits, current }));
      }
      return;
    }
    const { advice, current, limits } = await rankingOf(values, workload, {
      progress,
      whatIfs: true,
    });
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
