/** What `orrery lab prove` can be told, and what it must look like. */
import { parseArgs } from "node:util";
import { parseScale } from "../../model/scaledLimits.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import type { ServerValues } from "../connect/serverOptions.ts";
import { TOPS, wholeOf } from "./options.ts";
import { RANKING_HELP, RANKING_OPTIONS, type RankingFlags } from "./ranking.ts";
import { SCENARIO_START } from "./scenario.ts";

export const LAB_PROVE_HELP: string = `usage: orrery lab prove --workload <file> [options]

Makes the workload small, puts candidates on the engine, sends the same operations to each with the
official client, and shows what was measured beside what the simulator predicted for that scale. It
needs the official client: npm install @azure/cosmos

Keys are ranked as \`orrery lab advise\` ranks them with the same options. The first of them are
proved, and those that you named. With a profile or data, items are those that it has.

${RANKING_HELP}\
  --scenario <name>        a worked case instead of a workload, with the keys that
                           \`orrery lab scenario\` judges, which also lists the cases
  --variant <name>         of the case: the same with something changed
  --enumerate              of the case: with the keys that the lab finds as well
  --top <n>                how many of the first are proved, beside your own (default 5)
  --only <key>             prove this one of them only, by its id or expression; may be repeated
  --items <n>              how many items are stored (default 8000)
  --rate <n>               operations a second (default 120)
  --scale <1/n>            both from one factor of the real thing instead
  --seconds <n>            how long operations are sent at that rate (default 12)
  --operations <n>         how many are sent before that without a limit, to see what they ask
                           for (default 3000)
  --quick                  about ten seconds a candidate: less of everything, and rougher
  --endpoint <url>         an Orrery server that runs already, with its own limits (default: one in
                           this process, in memory, with limits of the scale)
  --key <base64>           its key (default: the well-known emulator key)
  --connection-string <s>  both of these in one
  --keep                   leave the containers there, in database orrery-lab-prove
  --json                   one JSON value instead of text
  --html <file>            also write a page with the same, complete in itself
  --strict                 end with 1 when one of the three verdicts is that it failed: RU/s of a
                           partition (median) beyond 5 %, another ranking, or 429s beyond 3 points
                           and what chance explains
  --help                   this text

Ends with 0 when it was measured, with 1 when something went wrong or is not described, with 2 when
an option makes no sense, with 130 after Ctrl-C.
`;

export interface ProveOptions {
  readonly workload: string | undefined;
  readonly scenario: string | undefined;
  readonly variant: string | undefined;
  /** What decides the order of keys, as for the advice. */
  readonly ranking: RankingFlags;
  readonly top: number;
  readonly only: readonly string[];
  readonly factor: number | undefined;
  readonly items: number;
  readonly rate: number;
  readonly seconds: number;
  readonly operationCount: number;
  /** The server that is named; undefined for one of this process. */
  readonly server: ServerValues | undefined;
  readonly isKept: boolean;
  readonly isJson: boolean;
  readonly htmlFile: string | undefined;
  readonly isStrict: boolean;
}

/** Of the ranking, if nobody says. */
const TOP = 5;
const NORMAL = { items: 8000, rate: 120, seconds: 12, operations: 3000 };
const QUICK = { items: 2500, rate: 120, seconds: 6, operations: 1000 };

/** Undefined: only help is wanted. */
export function proveOptionsOf(args: string[]): ProveOptions | undefined {
  const { values } = parseArgs({
    args,
    options: {
      ...RANKING_OPTIONS,
      scenario: { type: "string" },
      variant: { type: "string" },
      enumerate: { type: "boolean" },
      top: { type: "string" },
      only: { type: "string", multiple: true },
      items: { type: "string" },
      rate: { type: "string" },
      scale: { type: "string" },
      seconds: { type: "string" },
      operations: { type: "string" },
      quick: { type: "boolean" },
      endpoint: { type: "string" },
      key: { type: "string" },
      "connection-string": { type: "string" },
      keep: { type: "boolean" },
      json: { type: "boolean" },
      html: { type: "string" },
      strict: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) return undefined;
  const { workload, scenario, scale } = values;
  const isNamed = (values.endpoint ?? values["connection-string"]) !== undefined;
  if ((workload === undefined) === (scenario === undefined)) {
    throw new BadOption("Name one of --workload <file> and --scenario <name>.");
  }
  if (scale !== undefined && (values.items ?? values.rate) !== undefined) {
    throw new BadOption("--scale says how many items and how often; leave out --items and --rate.");
  }
  if (values.only !== undefined && values.top !== undefined) {
    throw new BadOption("--only and --top exclude each other.");
  }
  if (scenario === undefined && (values.variant ?? values.enumerate) !== undefined) {
    throw new BadOption("--variant and --enumerate are for a case that --scenario names.");
  }
  if (values.keep === true && !isNamed) {
    throw new BadOption("--keep needs --endpoint: a server of this process ends with it.");
  }
  if (values.key !== undefined && !isNamed) {
    throw new BadOption("--key is for a server that --endpoint names.");
  }
  const usual = values.quick === true ? QUICK : NORMAL;
  return {
    workload,
    scenario,
    variant: values.variant,
    ranking: scenario === undefined ? values : { ...values, ...caseFlags(values) },
    top: wholeOf("--top", values.top, TOPS) ?? TOP,
    only: values.only ?? [],
    factor: scale === undefined ? undefined : factorOf(scale),
    items: wholeOf("--items", values.items, { min: 200, max: 200_000 }) ?? usual.items,
    rate: wholeOf("--rate", values.rate, { min: 5, max: 2000 }) ?? usual.rate,
    seconds: wholeOf("--seconds", values.seconds, { min: 1, max: 600 }) ?? usual.seconds,
    operationCount:
      wholeOf("--operations", values.operations, { min: 100, max: 1_000_000 }) ?? usual.operations,
    server: isNamed ? values : undefined,
    isKept: values.keep === true,
    isJson: values.json === true,
    htmlFile: values.html,
    isStrict: values.strict === true,
  };
}

/** A case is judged as `orrery lab scenario` does. */
function caseFlags(flags: {
  readonly enumerate?: boolean | undefined;
  readonly start?: string | undefined;
}): Pick<RankingFlags, "only-mine" | "start"> {
  return { "only-mine": flags.enumerate !== true, start: flags.start ?? SCENARIO_START };
}

function factorOf(text: string): number {
  const factor = parseScale(text);
  if (factor.ok) return factor.value;
  throw new BadOption(`--scale is '${text}'; it must be a fraction such as 1/10000.`);
}
