/** Which server and which container a command is about: options that several commands have. */
import { optionsFromEnvironment } from "../../server/surroundings/emulatorSettings.ts";
import {
  BadOption,
  DEFAULT_HOST,
  DEFAULT_PORT,
  WELL_KNOWN_KEY,
} from "../../server/surroundings/options.ts";

export interface ServerAccount {
  readonly endpoint: URL;
  /** Base64. */
  readonly key: string;
  /** How it is given, for whoever gave a wrong one; `--key` if absent. */
  readonly keyOption?: string | undefined;
}

export interface ContainerName {
  readonly database: string;
  readonly container: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** For `parseArgs`. */
export const SERVER_OPTIONS: {
  readonly endpoint: { readonly type: "string" };
  readonly key: { readonly type: "string" };
  readonly help: { readonly type: "boolean"; readonly short: "h" };
} = {
  endpoint: { type: "string" },
  key: { type: "string" },
  help: { type: "boolean", short: "h" },
};

export const SERVER_HELP: string = `\
  --endpoint <url>         the server (default http://${DEFAULT_HOST}:${DEFAULT_PORT})
  --key <base64>           account key (default: the well-known emulator key)
  --help                   this text

PORT, PROTOCOL and KEY_FILE are honoured as by \`orrery start\`.
`;

export function accountOf(
  { endpoint, key }: { readonly endpoint?: string | undefined; readonly key?: string | undefined },
  environment: Environment,
): ServerAccount {
  const told = optionsFromEnvironment(environment);
  const scheme = told.https === true ? "https" : "http";
  const url = endpoint ?? `${scheme}://${DEFAULT_HOST}:${told.port ?? DEFAULT_PORT}`;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new BadOption(`--endpoint is '${url}'; it must be an http or https URL.`);
  }
  return { endpoint: new URL(url), key: key ?? told.key ?? WELL_KNOWN_KEY };
}

/** What another command has to say for the same server; the key is not written down anywhere. */
export function sameServer({ endpoint }: { readonly endpoint?: string | undefined }): string {
  return endpoint === undefined ? "" : ` --endpoint ${endpoint}`;
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
