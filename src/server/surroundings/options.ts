/**
 * What a server can be told, and what it assumes when it is not. Defaults exist here only.
 *
 * The functions called `…Of` turn options into what the server is built from. They refuse what
 * makes no sense, and `checkOptions` calls them all, before anything is opened.
 */
import { readFileSync } from "node:fs";
import type { AlertSettings } from "../../alerts/alertSettings.ts";
import { parseAlertSettings } from "../../alerts/alertSettings.ts";
import { ok } from "../../base/result.ts";
import { DAY_SECONDS } from "../../base/units.ts";
import type { JsonValue } from "../../json/value.ts";
import type { Consistency } from "../../model/consistency.ts";
import { type Limits, SERVICE_LIMITS } from "../../model/limits.ts";
import { parseLimitOverrides, parseScale, scaleLimits } from "../../model/scaledLimits.ts";
import type { RateSetting } from "../../model/throughput.ts";
import { parseKeySet } from "../../protocol/auth/bearerToken.ts";
import type { InitSeed } from "../../seed/initSeed.ts";
import type { Deadlines } from "../connections/patience.ts";
import { isLoopback, isUrl } from "./addresses.ts";
import { storeComplaint } from "./storeOption.ts";
import { parseWebhookUrls } from "./webhookUrls.ts";

/** Options of `startOrrery` and, under the same names, of `orrery start`. */
export interface OrreryOptions {
  /** 0 lets the system choose; the default for embedding. */
  readonly port?: number | undefined;
  /** The address to listen on. */
  readonly host?: string | undefined;
  /** Where data is kept. */
  readonly data?: string | undefined;
  /** Where archives of old logical partitions go; in the data directory if absent. */
  readonly archives?: string | undefined;
  /**
   * Keep data in a PostgreSQL, or in an engine that speaks its protocol, instead: `postgres://…`.
   * Several have some of the physical partitions each, the first one the catalogue. Certificates
   * and keys stay in the data directory.
   */
  readonly store?: string | readonly string[] | undefined;
  /** Serve nobody until it is this node that works on the database. */
  readonly standby?: boolean | undefined;
  /** Where nodes that share the database reach this one: an address of this machine, and a port. */
  readonly nodeHost?: string | undefined;
  readonly nodePort?: number | undefined;
  /** Keep nothing: everything is gone when the server closes. */
  readonly memory?: boolean | undefined;
  /** A seed, or where seeds are: what there is to be before anybody is served. docs/use/seed.md */
  readonly init?: string | InitSeed | undefined;
  /** Account keys, base64. Without one, the well-known emulator key is used on loopback. */
  readonly key?: string | undefined;
  readonly secondaryKey?: string | undefined;
  readonly readOnlyKey?: string | undefined;
  readonly secondaryReadOnlyKey?: string | undefined;
  /**
   * An identity provider whose tokens are accepted, by the name in them. Needs `entraKeys`: a file
   * with its public keys (JWKS), or the URL of one: https, or http on this machine.
   */
  readonly entraIssuer?: string | undefined;
  readonly entraKeys?: string | undefined;
  /** For whom tokens must be meant. By default this account, or `https://cosmos.azure.com`. */
  readonly entraAudience?: readonly string[] | undefined;
  /** The role in a token whose bearer only reads. */
  readonly entraReaderRole?: string | undefined;
  /** Use the well-known emulator key although other machines can reach this server. */
  readonly wellKnownKey?: boolean | undefined;
  /** Serve TLS with a certificate of a local authority, made once and kept. */
  readonly https?: boolean | undefined;
  /** Serve TLS with this file instead: PFX, or PEM with its key in it or in `certKey`. */
  readonly cert?: string | undefined;
  readonly certKey?: string | undefined;
  /** What opens the private key in those files. */
  readonly certSecret?: string | undefined;
  /** A file that the certificate for clients to trust is written to, in PEM, before serving. */
  readonly caFile?: string | undefined;
  /** A second port, for the paths that tell how the server is, by plain HTTP. */
  readonly healthPort?: number | undefined;
  /** Which requests are written to standard error. None unless said otherwise. */
  readonly log?: RequestLogLevel | undefined;
  /** A request on the log as a line to read, or as JSON for programs. */
  readonly logFormat?: RequestLogFormat | undefined;
  /** The address clients are told to use; by default the one they came by. */
  readonly publicEndpoint?: string | undefined;
  /** Host names besides the loopback ones that requests may carry. `*` allows any. */
  readonly allowHosts?: readonly string[] | undefined;
  /** Serve clients in direct mode, on the same port. On unless said otherwise. */
  readonly direct?: boolean | undefined;
  /** Seconds in which the headers of a request have to come. */
  readonly headerTimeout?: number | undefined;
  /** Seconds in which the body of a request has to come; one that drips is cut off earlier. */
  readonly bodyTimeout?: number | undefined;
  /** Seconds for which a connection may be silent between two requests. */
  readonly idleTimeout?: number | undefined;
  /** The most connections at a time; fewer if the system does not let the process have so many. */
  readonly maxConnections?: number | undefined;
  /** Refuse requests beyond the provisioned rate, as the service does. On unless said otherwise. */
  readonly rateLimit?: boolean | undefined;
  /** No rates are provisioned; each physical partition serves what serverless ones do. */
  readonly serverless?: boolean | undefined;
  /** Let physical partitions with a low rate save what they do not spend. */
  readonly burstCapacity?: boolean | undefined;
  /**
   * A new container with a manual rate gets a physical partition for each of this many RU/s. The
   * default is what one can serve, 10,000; the service itself is said to take 6,000.
   */
  readonly manualRatePerPartition?: number | undefined;
  /** What the account promises its readers; it decides what reads cost. Session by default. */
  readonly consistency?: ConsistencyName | undefined;
  /** Shrinks the sizes of partitions: 0.001, or "1/1000". See docs/operate/limits.md. */
  readonly scaleLimits?: number | string | undefined;
  /** Single limits by name, as numbers or sizes: `{ logicalPartitionBytes: "20MB" }`. */
  readonly limits?: Readonly<Record<string, number | string>> | undefined;
  /** Keep statistics of load and storage. On unless said otherwise. */
  readonly statistics?: boolean | undefined;
  /** Settings of alerts, or the path of a JSON file with them. */
  readonly alerts?: string | object | undefined;
  /** Addresses that alerts are sent to. */
  readonly alertWebhook?: readonly string[] | undefined;
  /** Hosts that alerts may be sent to and no others, with or without a port. */
  readonly allowWebhookHosts?: readonly string[] | undefined;
  /** Who may use the admin API: programs on this machine, anybody with a key, or nobody. */
  readonly admin?: AdminAccess | undefined;
  /** Serve the web page at `/_explorer/`. On unless other machines can reach this server. */
  readonly explorer?: boolean | undefined;
}

type ConsistencyName = "Strong" | "BoundedStaleness" | "Session" | "ConsistentPrefix" | "Eventual";

export type RequestLogFormat = "line" | "json";
export type RequestLogLevel = "requests" | "errors" | "none";

export type AdminAccess = "loopback" | "any" | "off";

const CONSISTENCY_LEVELS: Readonly<Record<ConsistencyName, Consistency>> = {
  Strong: "strong",
  BoundedStaleness: "boundedStaleness",
  Session: "session",
  ConsistentPrefix: "consistentPrefix",
  Eventual: "eventual",
};

/** The key every Cosmos DB emulator uses, published in its documentation. */
export const WELL_KNOWN_KEY =
  "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";

export const DEFAULT_PORT = 8081;
export const DEFAULT_HOST = "127.0.0.1";
export const DEFAULT_DATA = ".orrery";
const DEFAULT_CONSISTENCY: ConsistencyName = "Session";
const DEFAULT_ADMIN: AdminAccess = "loopback";
const ADMIN_ACCESS: readonly AdminAccess[] = ["loopback", "any", "off"];
const LOG_FORMATS: readonly RequestLogFormat[] = ["line", "json"];
const LOG_LEVELS: readonly RequestLogLevel[] = ["requests", "errors", "none"];
const DEFAULT_HEADER_TIMEOUT = 10;
const DEFAULT_BODY_TIMEOUT = 60;
/** Longer than the SDKs keep their idle connections, so that the client closes first. */
const DEFAULT_IDLE_TIMEOUT = 130;
const DEFAULT_MAX_CONNECTIONS = 20_000;
/** What is longer was meant for milliseconds. */
const TIMEOUT_MAX = DAY_SECONDS;
/** Rates come in hundreds. */
const RATE_PER_PARTITION_MIN = 100;

/** An option that makes no sense; the message says what would. */
export class BadOption extends Error {
  override readonly name = "BadOption";
}

export function parsePort(text: string, name: string): number {
  const port = Number(text);
  if (text.trim() !== "" && Number.isInteger(port) && port >= 0 && port <= 65535) return port;
  throw new BadOption(`${name} is '${text}'; it must be a number from 0 to 65535.`);
}

/** Refuses combinations and values that could only be mistakes. */
export function checkOptions(options: OrreryOptions): void {
  checkKeys(options);
  entraOf(options);
  if (options.memory === true && options.data !== undefined) {
    throw new BadOption("memory and data exclude each other: a store is kept or thrown away.");
  }
  const complaint = storeComplaint(options);
  if (complaint !== undefined) throw new BadOption(complaint);
  for (const name of ["data", "archives"] as const) {
    if (options[name] !== "" && options[name]?.includes("\0") !== true) continue;
    throw new BadOption(`${name} is no path; it names the directory for that.`);
  }
  if (options.cert === undefined && (options.certKey ?? options.certSecret) !== undefined) {
    throw new BadOption(
      "certKey and certSecret are about the certificate in cert, which is absent.",
    );
  }
  requestLogLevelOf(options);
  requestLogFormatOf(options);
  const { publicEndpoint } = options;
  if (publicEndpoint !== undefined && !URL.canParse(publicEndpoint)) {
    throw new BadOption(`publicEndpoint is '${publicEndpoint}'; it must be a URL.`);
  }
  rateSettingOf(options, limitsOf(options));
  consistencyOf(options);
  deadlinesOf(options);
  connectionsMaxOf(options);
  adminAccessOf(options);
  alertSettingsOf(options);
  checkWebhooks(options);
}

function checkKeys(options: OrreryOptions): void {
  const seen = new Map<string, string>();
  for (const name of ["key", "secondaryKey", "readOnlyKey", "secondaryReadOnlyKey"] as const) {
    const key = options[name];
    if (key === undefined) continue;
    if (!isKey(key)) throw new BadOption(`${name} is not a base64 text of at least 16 bytes.`);
    const other = seen.get(key);
    if (other !== undefined) throw new BadOption(`${name} and ${other} are the same key.`);
    seen.set(key, name);
  }
}

/** An identity provider that is trusted. */
interface EntraSetting {
  readonly issuer: string;
  readonly keys: string;
  /** Absent when a token may be meant for the account itself. */
  readonly audiences: readonly string[] | undefined;
  readonly readerRole: string | undefined;
}

export function entraOf(options: OrreryOptions): EntraSetting | undefined {
  const { entraIssuer: issuer, entraKeys: keys, entraReaderRole: readerRole } = options;
  const hasMore = options.entraAudience !== undefined || readerRole !== undefined;
  if (issuer === undefined && keys === undefined && !hasMore) return undefined;
  if (issuer === undefined || keys === undefined) {
    throw new BadOption("entraIssuer and entraKeys go together; the other ones need both.");
  }
  checkKeySource(keys);
  const audiences = options.entraAudience?.map((audience) => audience.replace(/\/$/, ""));
  return { issuer, keys, audiences, readerRole };
}

/** Whoever can change the keys on their way here can make tokens. */
function checkKeySource(source: string): void {
  if (!isUrl(source)) {
    const keys = parseKeySet(readFile(source, "entraKeys"));
    if (!keys.ok) throw new BadOption(`entraKeys names ${source}, which ${keys.error}.`);
    return;
  }
  const url = URL.canParse(source) ? new URL(source) : undefined;
  const isSafe =
    url?.protocol === "https:" ||
    (url !== undefined && isLoopback(url.hostname.replace(/^\[(.*)\]$/, "$1")));
  if (!isSafe) {
    throw new BadOption("entraKeys must be a file, an https URL, or an http URL of this machine.");
  }
}

/** Whether the web page is served: on other addresses than loopback only if somebody wants it. */
export function hasPage({ explorer, host = DEFAULT_HOST }: OrreryOptions): boolean {
  return explorer ?? isLoopback(host);
}

/** The limits of the service, smaller where the options say so. */
export function limitsOf({ scaleLimits: scale, limits: named = {} }: OrreryOptions): Limits {
  const factor = scale === undefined ? ok(1) : parseScale(scale);
  if (!factor.ok) throw new BadOption(factor.error);
  const limits = parseLimitOverrides(scaleLimits(SERVICE_LIMITS, factor.value), named);
  if (!limits.ok) throw new BadOption(limits.error);
  return limits.value;
}

export function rateSettingOf(options: OrreryOptions, limits: Limits): RateSetting {
  const { rateLimit = true, serverless = false, burstCapacity = false } = options;
  const rateMax = limits.partitionRateMax;
  const { manualRatePerPartition = rateMax } = options;
  if (serverless && options.manualRatePerPartition !== undefined) {
    throw new BadOption("serverless and manualRatePerPartition exclude each other.");
  }
  if (burstCapacity && (serverless || !rateLimit)) {
    throw new BadOption("burstCapacity is about provisioned rates, and only if they are limited.");
  }
  const isWhole = Number.isInteger(manualRatePerPartition);
  const isEnough = manualRatePerPartition >= RATE_PER_PARTITION_MIN;
  if (!isWhole || !isEnough || manualRatePerPartition > rateMax) {
    throw new BadOption(
      `manualRatePerPartition is ${manualRatePerPartition}; it must be a whole number of RU/s ` +
        `from ${RATE_PER_PARTITION_MIN} to ${rateMax}, which is what one partition can serve.`,
    );
  }
  return {
    isLimited: rateLimit,
    isServerless: serverless,
    hasBurst: burstCapacity,
    manualRatePerPartition,
  };
}

export function consistencyOf({ consistency = DEFAULT_CONSISTENCY }: OrreryOptions): Consistency {
  return CONSISTENCY_LEVELS[parseConsistency(consistency, "consistency")];
}

export function consistencyNameOf(consistency: Consistency): ConsistencyName {
  const levels = Object.keys(CONSISTENCY_LEVELS) as ConsistencyName[];
  return levels.find((name) => CONSISTENCY_LEVELS[name] === consistency)!;
}

export function deadlinesOf({
  headerTimeout = DEFAULT_HEADER_TIMEOUT,
  bodyTimeout = DEFAULT_BODY_TIMEOUT,
  idleTimeout = DEFAULT_IDLE_TIMEOUT,
}: OrreryOptions): Deadlines {
  for (const [name, seconds] of Object.entries({ headerTimeout, bodyTimeout, idleTimeout })) {
    if (seconds > 0 && seconds <= TIMEOUT_MAX) continue;
    throw new BadOption(
      `${name} is ${seconds}; it must be a number of seconds, above 0 and at most ${TIMEOUT_MAX}.`,
    );
  }
  return { headMs: headerTimeout * 1000, bodyMs: bodyTimeout * 1000, idleMs: idleTimeout * 1000 };
}

export function connectionsMaxOf({ maxConnections }: OrreryOptions): number {
  const most = maxConnections ?? DEFAULT_MAX_CONNECTIONS;
  if (Number.isInteger(most) && most >= 1) return most;
  throw new BadOption(`maxConnections is ${most}; it must be a whole number of at least 1.`);
}

/** Reads a consistency level in any letter case, as people write it. */
export function parseConsistency(text: string, name: string): ConsistencyName {
  const levels = Object.keys(CONSISTENCY_LEVELS) as ConsistencyName[];
  const level = levels.find((known) => known.toLowerCase() === text.toLowerCase());
  if (level !== undefined) return level;
  throw new BadOption(`${name} is '${text}'; it can be ${levels.join(", ")}.`);
}

export function adminAccessOf({ admin = DEFAULT_ADMIN }: OrreryOptions): AdminAccess {
  if (ADMIN_ACCESS.includes(admin)) return admin;
  throw new BadOption(`admin is '${admin}'; it can be ${ADMIN_ACCESS.join(", ")}.`);
}

export function requestLogFormatOf({ logFormat = "line" }: OrreryOptions): RequestLogFormat {
  if (LOG_FORMATS.includes(logFormat)) return logFormat;
  throw new BadOption(`logFormat is '${logFormat}'; it can be ${LOG_FORMATS.join(", ")}.`);
}

export function requestLogLevelOf({ log = "none" }: OrreryOptions): RequestLogLevel {
  if (LOG_LEVELS.includes(log)) return log;
  throw new BadOption(`log is '${log}'; it can be ${LOG_LEVELS.join(", ")}.`);
}

export function alertSettingsOf({ alerts = {} }: OrreryOptions): AlertSettings {
  const given = typeof alerts === "string" ? parseJson(readFile(alerts, "alerts")) : alerts;
  const settings = parseAlertSettings(given as JsonValue);
  if (settings.ok) return settings.value;
  const place = typeof alerts === "string" ? ` in ${alerts}` : "";
  throw new BadOption(`alerts${place}: ${settings.error.join(" ")}`);
}

/** Checks that the webhooks can be called at all, and may be. */
function checkWebhooks({ alertWebhook = [], allowWebhookHosts }: OrreryOptions): void {
  const urls = parseWebhookUrls(alertWebhook, allowWebhookHosts);
  if (!urls.ok) throw new BadOption(`alertWebhook: ${urls.error.join(" ")}`);
}

/** What is no JSON is no settings either, and is told so in the same words. */
function parseJson(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}

export function readFile(path: string, name: string): string {
  return Buffer.from(readBytes(path, name)).toString("utf8");
}

/** A file that an option names. Its owner is told what is wrong with it. */
export function readBytes(path: string, name: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : String(error);
    const is = code === "ENOENT" ? "does not exist" : `cannot be read (${code})`;
    throw new BadOption(`${name} names ${path}, which ${is}.`);
  }
}

export function isKey(text: string): boolean {
  const bytes = Buffer.from(text, "base64");
  return bytes.length >= 16 && bytes.toString("base64") === text;
}
