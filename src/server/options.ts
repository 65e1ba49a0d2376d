/**
 * What a server can be told, and what it assumes when it is not. Defaults exist here only.
 */
import { existsSync, readFileSync } from "node:fs";
import { isIP } from "node:net";

/** Options of `startOrrery` and, under the same names, of `orrery start`. */
export interface OrreryOptions {
  /** 0 lets the system choose; the default for embedding. */
  readonly port?: number | undefined;
  /** The address to listen on. */
  readonly host?: string | undefined;
  /** Where data is kept. */
  readonly data?: string | undefined;
  /** Keep nothing: everything is gone when the server closes. */
  readonly memory?: boolean | undefined;
  /** Account keys, base64. Without one, the well-known emulator key is used on loopback. */
  readonly key?: string | undefined;
  readonly secondaryKey?: string | undefined;
  readonly readOnlyKey?: string | undefined;
  /** Use the well-known emulator key although other machines can reach this server. */
  readonly wellKnownKey?: boolean | undefined;
  /** Serve TLS with a certificate of a local authority, made once and kept. */
  readonly https?: boolean | undefined;
  /** PEM files to serve TLS with instead. */
  readonly cert?: string | undefined;
  readonly certKey?: string | undefined;
  /** The address clients are told to use; by default the one they came by. */
  readonly publicEndpoint?: string | undefined;
  /** Host names besides the loopback ones that requests may carry. `*` allows any. */
  readonly allowHosts?: readonly string[] | undefined;
}

/** The key every Cosmos DB emulator uses, published in its documentation. */
export const WELL_KNOWN_KEY =
  "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";

export const DEFAULT_PORT = 8081;
export const DEFAULT_HOST = "127.0.0.1";
export const DEFAULT_DATA = ".orrery";

/** An option that makes no sense; the message says what would. */
export class BadOption extends Error {
  override readonly name = "BadOption";
}

/** The environment variables of the emulator's container image, as options. */
export function optionsFromEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): OrreryOptions {
  const { PORT, PROTOCOL, KEY_FILE, DATA_PATH, GATEWAY_PUBLIC_ENDPOINT } = environment;
  const protocol = PROTOCOL?.toLowerCase();
  if (protocol !== undefined && !["http", "https", "https-insecure"].includes(protocol)) {
    throw new BadOption(`PROTOCOL is '${PROTOCOL}'; it can be http or https.`);
  }
  return {
    port: PORT === undefined ? undefined : parsePort(PORT, "PORT"),
    https: protocol === undefined ? undefined : protocol !== "http",
    key: KEY_FILE === undefined ? undefined : readFile(KEY_FILE, "KEY_FILE").trim(),
    data: DATA_PATH,
    publicEndpoint: GATEWAY_PUBLIC_ENDPOINT,
  };
}

export function parsePort(text: string, name: string): number {
  const port = Number(text);
  if (text.trim() !== "" && Number.isInteger(port) && port >= 0 && port <= 65535) return port;
  throw new BadOption(`${name} is '${text}'; it must be a number from 0 to 65535.`);
}

/** Refuses combinations and values that could only be mistakes. */
export function checkOptions(options: OrreryOptions): void {
  for (const name of ["key", "secondaryKey", "readOnlyKey"] as const) {
    const key = options[name];
    if (key !== undefined && !isKey(key)) {
      throw new BadOption(`${name} is not a base64 text of at least 16 bytes.`);
    }
  }
  if (options.memory === true && options.data !== undefined) {
    throw new BadOption("memory and data exclude each other: a store is kept or thrown away.");
  }
  if ((options.cert === undefined) !== (options.certKey === undefined)) {
    throw new BadOption("cert and certKey go together: the certificate and its private key.");
  }
  const { publicEndpoint } = options;
  if (publicEndpoint !== undefined && !URL.canParse(publicEndpoint)) {
    throw new BadOption(`publicEndpoint is '${publicEndpoint}'; it must be a URL.`);
  }
}

/** Only programs on this machine can reach a loopback address. */
export function isLoopback(host: string): boolean {
  if (host === "localhost") return true;
  if (isIP(host) === 4) return host.startsWith("127.");
  return host === "::1";
}

export function readFile(path: string, name: string): string {
  if (!existsSync(path)) throw new BadOption(`${name} names ${path}, which does not exist.`);
  return readFileSync(path, "utf8");
}

function isKey(text: string): boolean {
  const bytes = Buffer.from(text, "base64");
  return bytes.length >= 16 && bytes.toString("base64") === text;
}
