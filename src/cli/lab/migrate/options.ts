/** What `orrery lab advise` can be told about carrying its verdict out, and what it must be. */
import { printKeyLevels } from "../../../keys/expressionText.ts";
import type { Workload } from "../../../lab/workload/workload.ts";
import { BadOption } from "../../../server/surroundings/options.ts";
import {
  ACCOUNT_KEY_LINES,
  accountOf,
  type ContainerName,
  containerOf,
  type Environment,
  PLACE_OPTIONS,
  type ServerAccount,
} from "../../connect/serverOptions.ts";
import { keyLevelsOf } from "../options.ts";

/** For `parseArgs`. As for `orrery copy`, `--key` is a partition key. */
export const MIGRATE_OPTIONS: {
  readonly migrate: { readonly type: "string" };
  readonly to: { readonly type: "string" };
  readonly key: { readonly type: "string" };
  readonly application: { readonly type: "boolean" };
  readonly prediction: { readonly type: "string" };
  readonly "dry-run": { readonly type: "boolean" };
  readonly yes: { readonly type: "boolean" };
  readonly "account-key": { readonly type: "string" };
} & typeof PLACE_OPTIONS = {
  migrate: { type: "string" },
  to: { type: "string" },
  key: { type: "string" },
  application: { type: "boolean" },
  prediction: { type: "string" },
  "dry-run": { type: "boolean" },
  yes: { type: "boolean" },
  ...PLACE_OPTIONS,
  "account-key": { type: "string" },
};

export const MIGRATE_HELP: string = `\
Carrying it out (docs/lab/migrate.md)
  --migrate <db>/<container>  turn the verdict into a copy job of this container: key, indexing
                           policy and throughput as advised, online. Shows the job, the
                           \`orrery copy\` that starts it and what a dry run finds, and asks. The
                           key in use (--current) is that of the container
  --to <db>/<container>    what the copy is called until the switch (default: made from the key)
  --key <key>              this key instead of the best, whatever the verdict on it is
  --application            the application switches to the copy by its name; otherwise the two
                           containers swap their names at the cut-over
  --prediction <file>      where to keep what is predicted, for \`orrery lab verify\` (default: next
                           to the workload, <workload>.prediction.json)
  --dry-run                plan only: nothing is started, nobody is asked
  --yes                    start the job without asking
  --json                   the question for POST /_orrery/v1/copies; with --dry-run or --yes the job
${ACCOUNT_KEY_LINES}
`;

interface MigrateFlags {
  readonly migrate?: string | undefined;
  readonly to?: string | undefined;
  readonly key?: string | undefined;
  readonly application?: boolean | undefined;
  readonly prediction?: string | undefined;
  readonly "dry-run"?: boolean | undefined;
  readonly yes?: boolean | undefined;
  readonly endpoint?: string | undefined;
  readonly "account-key"?: string | undefined;
  readonly "connection-string"?: string | undefined;
  readonly config?: string | undefined;
  readonly json?: boolean | undefined;
}

export interface MigrateWish {
  readonly account: ServerAccount;
  readonly endpoint: string | undefined;
  readonly source: ContainerName;
  readonly target: ContainerName | undefined;
  /** The key as it is printed, or the name of a candidate; undefined: the best. */
  readonly key: string | undefined;
  readonly predictionFile: string;
  readonly policyFile: string;
  readonly switchBy: "application" | "names";
  readonly isDryRun: boolean;
  readonly isStarted: boolean;
  readonly isJson: boolean;
}

/** Undefined: nothing is to be carried out. */
export function migrateWishOf(
  flags: MigrateFlags,
  workloadFile: string,
  workload: Workload,
  environment: Environment,
): MigrateWish | undefined {
  if (flags.migrate === undefined) {
    const names = Object.keys(MIGRATE_OPTIONS) as (keyof typeof MIGRATE_OPTIONS)[];
    const idle = names.find((name) => flags[name] !== undefined);
    if (idle === undefined) return undefined;
    throw new BadOption(`--${idle} belongs to --migrate <database>/<container>.`);
  }
  if (flags["dry-run"] === true && flags.yes === true) {
    throw new BadOption("--dry-run starts nothing, and --yes does: take one of them.");
  }
  const source = containerOf(flags.migrate, "--migrate");
  const target = flags.to === undefined ? undefined : containerOf(flags.to, "--to");
  if (target?.database === source.database && target.container === source.container) {
    throw new BadOption("--to names the container that is to be copied; name another one.");
  }
  const stem = workloadFile.replace(/\.(ya?ml|json)$/i, "");
  const predictionFile = flags.prediction ?? `${stem}.prediction.json`;
  const { endpoint, "connection-string": text, "account-key": key } = flags;
  return {
    account: {
      ...accountOf({ endpoint, key, "connection-string": text }, environment),
      keyOption: "--account-key",
    },
    endpoint,
    source,
    target,
    key: flags.key === undefined ? undefined : wantedKey(flags.key, workload),
    predictionFile,
    policyFile: `${predictionFile.replace(/(\.prediction)?\.json$/i, "")}.indexing.json`,
    switchBy: flags.application === true ? "application" : "names",
    isDryRun: flags["dry-run"] === true,
    isStarted: flags.yes === true,
    isJson: flags.json === true,
  };
}

/** Levels are separated by commas; brackets around all of them may be left out. */
function wantedKey(text: string, { candidates }: Workload): string {
  if (candidates.some(({ id }) => id === text)) return text;
  const isBare = !text.trimStart().startsWith("[");
  const isList = isBare && /,/.test(text.replace(/\([^()]*(\([^()]*\)[^()]*)*\)/g, ""));
  return printKeyLevels(keyLevelsOf("--key", isList ? `[${text}]` : text));
}
