/** What `orrery query` was asked: its arguments, checked and complete. */
import { text as textOf } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { parseJson } from "../../json/parse.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { BadOption, readFile } from "../../server/surroundings/options.ts";
import type { ContainerName, Environment, ServerAccount } from "../connect/serverOptions.ts";
import { accountOf, containerOf, SERVER_HELP, SERVER_OPTIONS } from "../connect/serverOptions.ts";
import type { RowFormat } from "../terminal/rowWriter.ts";
import { FORMATS } from "../terminal/rowWriter.ts";

export const QUERY_HELP: string = `usage: orrery query <text> --container <db>/<container> [options]

Runs a query on a running server and prints its rows. The text is SQL, or - to read it from
standard input.

  --container <db>/<c>     the database and the container to ask; must be given
  -f, --file <path>        read the text of the query from this file
  --parameter <name>=<v>   a parameter of the query; may be repeated. The value is read as JSON,
                           or else as a string; the name may be given without its @. With a type
                           nothing is guessed: --parameter v:string=5052, or number, boolean, null
                           or json
  --partition-key <v>      ask one logical partition only: its key, read in the same way;
                           a list gives the levels of a hierarchical key
  --format <name>          table, json (one list) or ndjson (a row on each line); the default is
                           table on a terminal and ndjson otherwise
  --max-items <n>          stop after so many rows
  --page-size <n>          rows to ask for at a time (default: the server decides)
  --explain                tell how the query was answered: its plan and the counted work
  --metrics                tell charge, items read, index hits and times
${SERVER_HELP}\
Ends with 0 when all rows were printed, with 1 when the server refused or did not answer, with 2
when an option makes no sense.
`;

export interface QueryOptions {
  readonly account: ServerAccount;
  readonly name: ContainerName;
  readonly text: string;
  readonly parameters: readonly JsonObject[];
  /** The partition key that confines the query. */
  readonly key: readonly JsonValue[] | undefined;
  readonly format: RowFormat;
  /** Rows at most. */
  readonly countMax: number;
  readonly pageSize: number | undefined;
  readonly isExplained: boolean;
  readonly isMeasured: boolean;
}

/** Undefined when only the help is wanted. */
export async function queryOptionsOf(
  args: string[],
  environment: Environment,
): Promise<QueryOptions | undefined> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      ...SERVER_OPTIONS,
      container: { type: "string" },
      file: { type: "string", short: "f" },
      parameter: { type: "string", multiple: true },
      "partition-key": { type: "string" },
      format: { type: "string" },
      "max-items": { type: "string" },
      "page-size": { type: "string" },
      explain: { type: "boolean" },
      metrics: { type: "boolean" },
    },
  });
  if (values.help === true) return undefined;
  const name = containerOf(values.container, "--container");
  const key = values["partition-key"];
  return {
    account: accountOf(values, environment),
    name,
    parameters: (values.parameter ?? []).map(parameterOf),
    key: key === undefined ? undefined : keyOf(key),
    format: formatOf(values.format),
    countMax: countOf(values["max-items"], "--max-items") ?? Number.POSITIVE_INFINITY,
    pageSize: countOf(values["page-size"], "--page-size"),
    isExplained: values.explain === true,
    isMeasured: values.metrics === true,
    text: await queryText(positionals, values.file),
  };
}

async function queryText(
  positionals: readonly string[],
  file: string | undefined,
): Promise<string> {
  const [given, extra] = positionals;
  if (extra !== undefined) {
    throw new BadOption(`'${extra}' is one word too many: quote the query to make it one.`);
  }
  if ((given === undefined) === (file === undefined)) {
    throw new BadOption("Give the query as text, as - for standard input, or with --file.");
  }
  if (given === "-" || file === "-") return textOf(process.stdin);
  return given ?? readFile(file!, "--file");
}

const PARAMETER = /^\s*@?([A-Za-z_][A-Za-z0-9_]*)(?::([a-z]+))?\s*(?:=(.*))?$/s;
const PARAMETER_TYPES = ["string", "number", "boolean", "null", "json"] as const;
type ParameterType = (typeof PARAMETER_TYPES)[number];

function parameterOf(text: string): JsonObject {
  const [, name, typeText, value] = PARAMETER.exec(text) ?? [];
  // Only null needs no value: it has one.
  if (name === undefined || (value === undefined && typeText !== "null")) {
    throw new BadOption(
      `--parameter is '${text}'; it must be <name>=<value>, or <name>:<type>=<value>.`,
    );
  }
  if (typeText === undefined) return { name: `@${name}`, value: jsonOrText(value!) };
  const type = PARAMETER_TYPES.find((known) => known === typeText);
  if (type === undefined) {
    throw new BadOption(`--parameter is '${text}'; its type can be ${PARAMETER_TYPES.join(", ")}.`);
  }
  const typed = typedValue(type, value ?? "");
  if (typed !== undefined) return { name: `@${name}`, value: typed };
  throw new BadOption(`--parameter is '${text}', and '${value}' is no ${type}.`);
}

/** Undefined for a text that is no value of the type. */
function typedValue(type: ParameterType, text: string): JsonValue | undefined {
  if (type === "string") return text;
  if (type === "null" && text === "") return null;
  let value: JsonValue;
  try {
    value = parseJson(text);
  } catch {
    return undefined;
  }
  if (type === "json") return value;
  const found = value === null ? "null" : typeof value;
  return found === type ? value : undefined;
}

function keyOf(text: string): readonly JsonValue[] {
  const key = jsonOrText(text);
  return Array.isArray(key) ? (key as readonly JsonValue[]) : [key];
}

export function jsonOrText(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

function formatOf(text: string | undefined): RowFormat {
  if (text === undefined) return process.stdout.isTTY ? "table" : "ndjson";
  const format = FORMATS.find((name) => name === text);
  if (format !== undefined) return format;
  throw new BadOption(`--format is '${text}'; it can be ${FORMATS.join(", ")}.`);
}

function countOf(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new BadOption(`${name} is '${text}'; it must be a number of at least 1.`);
}
