/** What `orrery import` was asked: its arguments, checked and complete. */

import { parseArgs } from "node:util";
import { DAY_SECONDS } from "../../base/units.ts";
import { INPUT_FORMATS, type InputFormat } from "../../itemFile/itemFormat.ts";
import type { KeyExpression } from "../../keys/expression.ts";
import { parseKeyExpression } from "../../keys/expressionText.ts";
import { isDrawn } from "../../keys/paths.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import type { ContainerName, Environment, ServerAccount } from "../connect/serverOptions.ts";
import { accountOf, containerOf, SERVER_HELP, SERVER_OPTIONS } from "../connect/serverOptions.ts";
import { numberOf } from "../terminal/numberOption.ts";
import type { Mode } from "./operation.ts";
import { definitionOfPaths } from "./placement.ts";
import type { ImportShape, Setting } from "./shaping.ts";
import type { Creation } from "./target.ts";

const MODES: readonly Mode[] = ["create", "skip", "upsert"];
const CONCURRENCY = 8;
const CONCURRENCY_MAX = 256;
const ERRORS_MAX = 100;
const WAIT_SECONDS = 30;

export const IMPORT_HELP: string = `usage: orrery import <db>/<container> <file|->... [options]

Puts items into a container of a running server: NDJSON, JSON (an array, or values one after the
other) or CSV, also with gzip; - is standard input. Items are sent in bulk, each request to one
physical partition; what is throttled comes again when the server said.

  --mode <mode>            create: an item that is there already is an error (the default, because
                           it never overwrites anything); skip: it is let be; upsert: it is replaced
  --create                 make the database and the container if they are not there
  --partition-key <paths>  with --create: /a, or /a,/b for a hierarchical key
  --throughput <n>         with --create: RU/s of the container (default: the server decides)
  --id <expression>        the id, from other properties: /isbn, concat(/type, '-', /number)
  --set <path>=<expr>      a property from others; may be repeated:
                           --set "/pk=concat(/deviceId, '-', month(/ts))" (see docs/use/keys.md)
  --format <format>        ndjson, json or csv (default: by the name, or by how it begins)
  --csv-delimiter <c>      one character, or tab (default: found in the row of names)
  --csv-strings            leave all cells of CSV as texts
  --limit <n>              stop after so many items
  --max-errors <n>         go on past so many items that cannot go in (default ${ERRORS_MAX})
  --rejects <file>         write what did not go in to a file, as NDJSON, with place and reason
  --resume <file>          note there how far it is, and go on from there next time
  --dry-run                read and check everything, tell where it would go, and send nothing
  --concurrency <n>        requests under way at once (default ${CONCURRENCY}); with 1 items are
                           created in the order of the input
  --wait <seconds>         how long to try again when the server is away (default ${WAIT_SECONDS})
${SERVER_HELP}\
Ends with 0 when everything went in, with 1 when something did not, with 2 when an option makes no
sense, with 130 when it was interrupted.
`;

export interface ImportOptions {
  readonly account: ServerAccount;
  readonly name: ContainerName;
  /** `-` is standard input. */
  readonly files: readonly string[];
  readonly mode: Mode;
  readonly creation: Creation | undefined;
  readonly shape: Omit<ImportShape, "draw">;
  readonly format: InputFormat | undefined;
  readonly delimiter: string | undefined;
  readonly areAllTexts: boolean;
  readonly countMax: number;
  readonly errorsMax: number;
  readonly rejects: string | undefined;
  readonly resume: string | undefined;
  readonly isDry: boolean;
  readonly concurrency: number;
  readonly patienceMs: number;
}

const OPTIONS = {
  ...SERVER_OPTIONS,
  mode: { type: "string" },
  create: { type: "boolean" },
  "partition-key": { type: "string" },
  throughput: { type: "string" },
  id: { type: "string" },
  set: { type: "string", multiple: true },
  format: { type: "string" },
  "csv-delimiter": { type: "string" },
  "csv-strings": { type: "boolean" },
  limit: { type: "string" },
  "max-errors": { type: "string" },
  rejects: { type: "string" },
  resume: { type: "string" },
  "dry-run": { type: "boolean" },
  concurrency: { type: "string" },
  wait: { type: "string" },
} as const;

/** Undefined when only the help is wanted. */
export function importOptionsOf(
  args: string[],
  environment: Environment,
): ImportOptions | undefined {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
  if (values.help === true) return undefined;
  const [named, ...files] = positionals;
  const options: ImportOptions = {
    name: containerOf(named),
    account: accountOf(values, environment),
    files,
    mode: oneOf("--mode", values.mode, MODES) ?? "create",
    creation: creationOf(values),
    shape: {
      id: values.id === undefined ? undefined : expressionOf("--id", values.id),
      settings: (values.set ?? []).map(settingOf),
    },
    format: oneOf("--format", values.format, INPUT_FORMATS),
    delimiter: delimiterOf(values["csv-delimiter"]),
    areAllTexts: values["csv-strings"] === true,
    countMax: numberOf("--limit", values.limit, 1, 1e12) ?? Number.POSITIVE_INFINITY,
    errorsMax: numberOf("--max-errors", values["max-errors"], 0, 1e12) ?? ERRORS_MAX,
    rejects: values.rejects,
    resume: values.resume,
    isDry: values["dry-run"] === true,
    concurrency: numberOf("--concurrency", values.concurrency, 1, CONCURRENCY_MAX) ?? CONCURRENCY,
    patienceMs: (numberOf("--wait", values.wait, 0, DAY_SECONDS) ?? WAIT_SECONDS) * 1000,
  };
  checkTogether(options);
  return options;
}

function checkTogether({ files, resume, isDry, shape }: ImportOptions): void {
  if (files.length === 0) throw new BadOption("Name a file to import, or - for standard input.");
  const twice = files.find((file, index) => files.indexOf(file) !== index);
  if (twice !== undefined) throw new BadOption(`'${twice}' is named twice.`);
  if (resume === undefined) return;
  if (isDry) throw new BadOption("--resume has nothing to note in a --dry-run.");
  if (files.includes("-")) {
    throw new BadOption("--resume needs files: standard input cannot be read a second time.");
  }
  const drawn = [shape.id, ...shape.settings.map(({ expression }) => expression)].find(
    (expression) => expression !== undefined && isDrawn(expression),
  );
  if (drawn === undefined) return;
  throw new BadOption(
    "--resume needs the same items each time; random() and turn() make others. Use hash().",
  );
}

function creationOf(flags: {
  readonly create?: boolean | undefined;
  readonly "partition-key"?: string | undefined;
  readonly throughput?: string | undefined;
}): Creation | undefined {
  const paths = flags["partition-key"];
  if (flags.create !== true) {
    const alone = paths !== undefined ? "--partition-key" : "--throughput";
    if (paths === undefined && flags.throughput === undefined) return undefined;
    throw new BadOption(`${alone} is for a container that is made: add --create.`);
  }
  if (paths === undefined) {
    throw new BadOption("--create needs --partition-key, such as /tenantId or /tenantId,/userId.");
  }
  const definition = definitionOfPaths(paths);
  if (definition === undefined || definition.paths.length > SERVICE_LIMITS.keyLevelsMax) {
    const most = SERVICE_LIMITS.keyLevelsMax;
    throw new BadOption(`--partition-key is '${paths}'; it must be one to ${most} paths: /a,/b.`);
  }
  const { rateMax } = SERVICE_LIMITS;
  return { definition, throughput: numberOf("--throughput", flags.throughput, 1, rateMax) };
}

function expressionOf(option: string, text: string): KeyExpression {
  const expression = parseKeyExpression(text);
  if (expression.ok) return expression.value;
  const { message, at } = expression.error;
  throw new BadOption(`${option} '${text}', at character ${at + 1}: ${message}.`);
}

function settingOf(text: string): Setting {
  const at = text.indexOf("=");
  if (at > 0) {
    const path = parseKeyExpression(text.slice(0, at));
    if (path.ok && path.value.kind === "path") {
      const { steps } = path.value;
      return { steps, expression: expressionOf("--set", text.slice(at + 1)), text };
    }
  }
  throw new BadOption(`--set is '${text}'; it must be <path>=<expression>, such as /pk=/tenant.`);
}

function delimiterOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const character = text === "tab" || text === "\\t" ? "\t" : text;
  if (character.length === 1 && !/["\r\n]/.test(character)) return character;
  throw new BadOption(`--csv-delimiter is '${text}'; it must be one character, or tab.`);
}

function oneOf<T extends string>(
  option: string,
  text: string | undefined,
  known: readonly T[],
): T | undefined {
  const found = known.find((name) => name === text);
  if (text === undefined || found !== undefined) return found;
  throw new BadOption(`${option} is '${text}'; it must be ${known.join(", ")}.`);
}
