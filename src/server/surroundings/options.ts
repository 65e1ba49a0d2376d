/**
 * What the options of a server come to, and what it assumes where nothing is said. Defaults exist
 * here only.
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
import type { Deadlines } from "../connections/patience.ts";
import { isLoopback, isUrl } from "./addresses.ts";
import type {
  AdminAccess,
  ConsistencyName,
  OrreryOptions,
  RequestLogFormat,
  RequestLogLevel,
} from "./orreryOptions.ts";
import { storeComplaint } from "./storeOption.ts";
import { parseWebhookUrls } from "./webhookUrls.ts";

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
