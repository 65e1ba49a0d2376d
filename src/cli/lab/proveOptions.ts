/** What `orrery lab prove` can be told, and what it must look like. */
import { parseArgs } from "node:util";
import { parseScale } from "../../model/scaledLimits.ts";
import { BadOption } from "../../server/options.ts";
import { wholeOf } from "./options.ts";

export const LAB_PROVE_HELP: string = `usage: orrery lab prove --workload <file> [options]

Makes the workload small, puts candidates on the engine, sends the same operations to each with the
official client, and shows what was measured beside what the simulator predicted for that scale. It
needs the official client: npm install @azure/cosmos

  --workload <file>        what the container has to hold and to answer, JSON or YAML
  --scenario <name>        a worked case instead; \`orrery lab scenario\` lists them
  --candidate <key>        a candidate of the workload by its id, or a key of your own; may be
                           repeated (default: the candidates of the workload)
  --top <n>                the first n of what \`orrery lab advise\` would say instead
  --items <n>              how many items are stored (default 8000)
  --rate <n>               operations a second (default 120)
  --scale <1/n>            both from one factor of the real thing instead
  --seconds <n>            how long operations are sent at that rate (default 12)
  --operations <n>         how many are sent before that without a limit, to see what they ask
                           for (default 3000)
  --quick                  about ten seconds a candidate: less of everything, and rougher
  --seed <n>               decides items and operations (default 1)
  --endpoint <url>         an Orrery server that runs already, with its own limits (default: one in
                           this process, in memory, with limits of the scale)
  --key <base64>           its key (default: the well-known emulator key)
  --keep                   leave the containers there, in database orrery-lab-prove
  --json                   one JSON value instead of text
  --html <file>            also write a page with the same, complete in itself
  --strict                 end with 1 when prediction and run differ by more than 5 % of the RU/s
                           of a partition (median), 3 points of 429s, or in the ranking
  --help                   this text

Ends with 0 when it was measured, with 1 when something went wrong, with 2 when an option makes no
sense, with 130 after Ctrl-C.
`;

export interface ProveOptions {
  readonly workload: string | undefined;
  readonly scenario: string | undefined;
  readonly candidates: readonly string[];
  readonly top: number | undefined;
  readonly factor: number | undefined;
  readonly items: number;
  readonly rate: number;
  readonly seconds: number;
  readonly operationCount: number;
  readonly seed: number;
  readonly endpoint: string | undefined;
  readonly key: string | undefined;
  readonly isKept: boolean;
  readonly isJson: boolean;
  readonly htmlFile: string | undefined;
  readonly isStrict: boolean;
}

const NORMAL = { items: 8000, rate: 120, seconds: 12, operations: 3000 };
const QUICK = { items: 2500, rate: 120, seconds: 6, operations: 1000 };

/** Undefined: only help is wanted. */
export function proveOptionsOf(args: string[]): ProveOptions | undefined {
  const { values } = parseArgs({
    args,
    options: {
      workload: { type: "string" },
      scenario: { type: "string" },
      candidate: { type: "string", multiple: true },
      top: { type: "string" },
      items: { type: "string" },
      rate: { type: "string" },
      scale: { type: "string" },
      seconds: { type: "string" },
      operations: { type: "string" },
      quick: { type: "boolean" },
      seed: { type: "string" },
      endpoint: { type: "string" },
      key: { type: "string" },
      keep: { type: "boolean" },
      json: { type: "boolean" },
      html: { type: "string" },
      strict: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) return undefined;
  const { workload, scenario, scale, endpoint } = values;
  if ((workload === undefined) === (scenario === undefined)) {
    throw new BadOption("Name one of --workload <file> and --scenario <name>.");
  }
  if (scale !== undefined && (values.items ?? values.rate) !== undefined) {
    throw new BadOption("--scale says how many items and how often; leave out --items and --rate.");
  }
  if (values.candidate !== undefined && values.top !== undefined) {
    throw new BadOption("--candidate and --top exclude each other.");
  }
  if (values.keep === true && endpoint === undefined) {
    throw new BadOption("--keep needs --endpoint: a server of this process ends with it.");
  }
  if (values.key !== undefined && endpoint === undefined) {
    throw new BadOption("--key is for a server that --endpoint names.");
  }
  const usual = values.quick === true ? QUICK : NORMAL;
  return {
    workload,
    scenario,
    candidates: values.candidate ?? [],
    top: wholeOf("--top", values.top, { min: 1, max: 12 }),
    factor: scale === undefined ? undefined : factorOf(scale),
    items: wholeOf("--items", values.items, { min: 200, max: 200_000 }) ?? usual.items,
    rate: wholeOf("--rate", values.rate, { min: 5, max: 2000 }) ?? usual.rate,
    seconds: wholeOf("--seconds", values.seconds, { min: 1, max: 600 }) ?? usual.seconds,
    operationCount:
      wholeOf("--operations", values.operations, { min: 100, max: 1_000_000 }) ?? usual.operations,
    seed: wholeOf("--seed", values.seed, { min: 0, max: 4_294_967_000 }) ?? 1,
    endpoint,
    key: values.key,
    isKept: values.keep === true,
    isJson: values.json === true,
    htmlFile: values.html,
    isStrict: values.strict === true,
  };
}

function factorOf(text: string): number {
  const factor = parseScale(text);
  if (factor.ok) return factor.value;
  throw new BadOption(`--scale is '${text}'; it must be a fraction such as 1/10000.`);
}
