/** What a copy between two accounts was asked: which accounts, and what only such a copy has. */
import type { KeyLevels } from "../../keys/expression.ts";
import { isDrawn } from "../../keys/paths.ts";
import type { CopyQuestion } from "../../model/copyJob.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import type { Environment, ServerAccount } from "../connect/serverOptions.ts";
import { numberOf } from "../terminal/numberOption.ts";
import { accountUrl } from "./address.ts";

/** For `parseArgs`. */
export const ACCOUNT_OPTIONS = {
  from: { type: "string" },
  "from-key": { type: "string" },
  to: { type: "string" },
  "to-key": { type: "string" },
  "until-lag": { type: "string" },
  resume: { type: "string" },
  "max-ru": { type: "string" },
  verify: { type: "boolean" },
} as const;

type AccountValues = {
  readonly [Name in keyof typeof ACCOUNT_OPTIONS]?:
    | ((typeof ACCOUNT_OPTIONS)[Name]["type"] extends "boolean" ? boolean : string)
    | undefined;
};

export interface TwoAccounts {
  readonly question: CopyQuestion;
  /** Undefined: the key stays as it is. */
  readonly levels: KeyLevels | undefined;
  readonly from: ServerAccount;
  readonly to: ServerAccount;
  /** A look at all ranges that finds no more changes than these is the last one. */
  readonly untilLag: number | undefined;
  readonly resume: string | undefined;
  /** RU a second that may be spent on the target. */
  readonly ruMax: number | undefined;
  readonly isVerified: boolean;
  /** A file. */
  readonly setAside: string | undefined;
}

export function isBetweenAccounts({ from, to }: AccountValues): boolean {
  return from !== undefined || to !== undefined;
}

/** Each needs the other end, but `--verify`, which a copy inside one server has as well. */
export function checkNoAccounts(values: AccountValues): void {
  const names = Object.keys(ACCOUNT_OPTIONS) as (keyof typeof ACCOUNT_OPTIONS)[];
  const wrong = names.find((name) => name !== "verify" && values[name] !== undefined);
  if (wrong === undefined) return;
  throw new BadOption(
    `--${wrong} is for a copy between two accounts: name one with --from or --to.`,
  );
}

const RATE_MAX = 100_000_000;
const LAG_MAX = 1_000_000_000;

export function twoAccountsOf(
  values: AccountValues & { readonly "set-aside"?: string | undefined },
  asked: {
    readonly question: CopyQuestion;
    readonly levels: KeyLevels | undefined;
    /** The server that stands for the account that is not named. */
    readonly server: () => ServerAccount;
    readonly environment: Environment;
  },
): TwoAccounts {
  const { question, levels, server, environment } = asked;
  const two: TwoAccounts = {
    question,
    levels,
    from: endOf("from", values, environment) ?? server(),
    to: endOf("to", values, environment) ?? server(),
    untilLag: numberOf("--until-lag", values["until-lag"], 0, LAG_MAX),
    resume: values.resume,
    ruMax: numberOf("--max-ru", values["max-ru"], 1, RATE_MAX),
    isVerified: values.verify === true,
    setAside: values["set-aside"],
  };
  checkEnds(two);
  checkTogether(two);
  return two;
}

function endOf(
  end: "from" | "to",
  values: AccountValues,
  environment: Environment,
): ServerAccount | undefined {
  const [text, key] = [values[end], values[`${end}-key`]];
  const variable = `ORRERY_${end.toUpperCase()}_KEY`;
  if (text === undefined) {
    if (key !== undefined) throw new BadOption(`--${end}-key is for the account of --${end}.`);
    return undefined;
  }
  if (/^postgres(ql)?:/i.test(text)) {
    throw new BadOption(
      `--${end} is a database. Containers are copied between accounts; a whole store, to a ` +
        "database or from one, without naming containers: `orrery copy --from <place> --to " +
        "<place>`.",
    );
  }
  const endpoint = accountUrl(`--${end}`, text);
  const found = key ?? environment[variable];
  if (found === undefined || found === "") {
    throw new BadOption(`--${end} needs a key: in ${variable}, or with --${end}-key.`);
  }
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(found)) {
    throw new BadOption(`The key of --${end} is no base64, as the keys of accounts are.`);
  }
  return { endpoint, key: found, keyOption: `--${end}-key or ${variable}` };
}

function checkEnds({ from, to, question: { source, target } }: TwoAccounts): void {
  const isOneAccount = from.endpoint.origin === to.endpoint.origin;
  const isOneName = source.database === target.database && source.container === target.container;
  if (isOneAccount && isOneName) {
    throw new BadOption("Source and target are the same container of the same account.");
  }
}

function checkTogether({ question, levels, untilLag, resume, setAside }: TwoAccounts): void {
  const isOnline = question.mode === "online";
  const queried = question.where !== undefined ? "--where" : "--select";
  const isQueried = question.where !== undefined || question.select !== undefined;
  if (isQueried && isOnline) {
    throw new BadOption(
      `${queried} is answered by a query of the source, and the changes that --online follows ` +
        "are no query. Leave one of them out.",
    );
  }
  if (isQueried && resume !== undefined) {
    throw new BadOption(
      `--resume notes places in the change feed, and with ${queried} none is read.`,
    );
  }
  if (untilLag !== undefined && !isOnline) {
    throw new BadOption("--until-lag is the end of a copy with --online.");
  }
  const { onClash, onMissingKey, onRefused } = question;
  const isSetAside = [onClash, onMissingKey, onRefused].includes("setAside");
  if (isSetAside && setAside === undefined) {
    throw new BadOption(
      "Say with --set-aside <file> where the items that are set aside are to go.",
    );
  }
  if ((levels ?? []).some(isDrawn)) {
    throw new BadOption(
      "random() and turn() give an item another key each time it is copied. Use hash().",
    );
  }
}
