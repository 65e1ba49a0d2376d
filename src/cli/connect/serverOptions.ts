/**
 * Which server and which container a command is about: options that several commands have.
 *
 * Of a server, what an option says counts more than `ORRERY_CONNECTION_STRING`, and that more than
 * the variables of the emulator's images. A key that belongs to one endpoint is never sent to
 * another: with `--endpoint`, a connection string of the environment is left out whole.
 */
import { optionsFromEnvironment } from "../../server/surroundings/emulatorSettings.ts";
import {
  BadOption,
  DEFAULT_HOST,
  DEFAULT_PORT,
  WELL_KNOWN_KEY,
} from "../../server/surroundings/options.ts";
import { parseConnectionString } from "./connectionString.ts";

export interface ServerAccount {
  readonly endpoint: URL;
  /** Base64. */
  readonly key: string;
  /** How it is given, for whoever gave a wrong one; `--key` if absent. */
  readonly keyOption?: string | undefined;
  /** Whether any certificate of the server is accepted; absent is no. */
  readonly isUnverified?: boolean | undefined;
}

export interface ContainerName {
  readonly database: string;
  readonly container: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** For `parseArgs`: how a server is named, by commands in which `--key` means something else. */
export const PLACE_OPTIONS: {
  readonly endpoint: { readonly type: "string" };
  readonly "connection-string": { readonly type: "string" };
  readonly config: { readonly type: "string" };
} = {
  endpoint: { type: "string" },
  "connection-string": { type: "string" },
  config: { type: "string" },
};

/** For `parseArgs`. */
export const SERVER_OPTIONS: typeof PLACE_OPTIONS & {
  readonly key: { readonly type: "string" };
  readonly help: { readonly type: "boolean"; readonly short: "h" };
} = {
  ...PLACE_OPTIONS,
  key: { type: "string" },
  help: { type: "boolean", short: "h" },
};

/** Without what names the key, and without `--help`. */
const PLACE_HELP = `\
  --connection-string <s>  both in one, AccountEndpoint=…;AccountKey=…; (better in the variable
                           ORRERY_CONNECTION_STRING: other users see what a command was told)
  --config <file>          settings (default: orrery.config.yaml where it is; docs/use/command.md)
`;
const HELP_LINE = "  --help                   this text\n";
const TOLD = "PORT, PROTOCOL and KEY_FILE are honoured as by `orrery start`.\n";

export const SERVER_HELP: string = `\
  --endpoint <url>         the server (default http://${DEFAULT_HOST}:${DEFAULT_PORT})
  --key <base64>           account key (default: the well-known emulator key)
${PLACE_HELP}${HELP_LINE}${TOLD}`;

/** Where `--key` is a partition key. */
export const ACCOUNT_KEY_LINES: string = `\
  --endpoint <url>         the server (default http://${DEFAULT_HOST}:${DEFAULT_PORT})
  --account-key <base64>   its account key (default: the well-known emulator key)
${PLACE_HELP}`;

export const ACCOUNT_KEY_HELP: string = `${ACCOUNT_KEY_LINES}${HELP_LINE}\n${TOLD}`;

export const CONNECTION_VARIABLE = "ORRERY_CONNECTION_STRING";

/** Values of those options. */
export interface ServerValues {
  readonly endpoint?: string | undefined;
  readonly key?: string | undefined;
  readonly "connection-string"?: string | undefined;
}

export function accountOf(values: ServerValues, environment: Environment): ServerAccount {
  const { endpoint, key, "connection-string": option } = values;
  if (option !== undefined && (endpoint ?? key) !== undefined) {
    throw new BadOption("--connection-string has endpoint and key: it goes without those options.");
  }
  const variable =
    endpoint === undefined ? environment[CONNECTION_VARIABLE] || undefined : undefined;
  const text = option ?? variable;
  if (text === undefined) return accountByParts(endpoint, key, environment);
  const source = option === undefined ? CONNECTION_VARIABLE : "--connection-string";
  const connection = parseConnectionString(text, source);
  return {
    endpoint: urlOf(connection.endpoint, `AccountEndpoint of ${source}`),
    key: key ?? connection.key ?? WELL_KNOWN_KEY,
    isUnverified: connection.isUnverified,
  };
}

function accountByParts(
  endpoint: string | undefined,
  key: string | undefined,
  environment: Environment,
): ServerAccount {
  const told = optionsFromEnvironment(environment);
  const scheme = told.https === true ? "https" : "http";
  const url = endpoint ?? `${scheme}://${DEFAULT_HOST}:${told.port ?? DEFAULT_PORT}`;
  return { endpoint: urlOf(url, "--endpoint"), key: key ?? told.key ?? WELL_KNOWN_KEY };
}

function urlOf(text: string, source: string): URL {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return new URL(text);
  throw new BadOption(`${source} is '${text}'; it must be an http or https URL.`);
}

/** What another command has to say for the same server; the key is not written down anywhere. */
export function sameServer(values: Omit<ServerValues, "key">): string {
  if (values["connection-string"] !== undefined) return " --connection-string …";
  return values.endpoint === undefined ? "" : ` --endpoint ${values.endpoint}`;
}

/** `option` is the one that has the name, if it is not an argument by itself. */
export function containerOf(text: string | undefined, option?: string): ContainerName {
  const [database, container, ...rest] = (text ?? "").split("/");
  if (database && container && rest.length === 0) return { database, container };
  const where = option === undefined ? "" : ` with ${option}`;
  throw new BadOption(
    text === undefined
      ? `Name the container${where}: <database>/<container>.`
      : `'${text}' names no container; it must be <database>/<container>.`,
  );
}
