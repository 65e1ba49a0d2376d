/**
 * What the container images of the emulator are told, in variables and in arguments, as options of
 * ours. Tools that start an emulator for people set these.
 *
 * Always: each setting is honoured or refused with a reason; none is accepted and ignored. A
 * setting of something that is so anyhow, such as no telemetry, counts as honoured.
 */

import { BadOption, parseConsistency, parsePort, readFile } from "./options.ts";
import type { OrreryOptions } from "./orreryOptions.ts";

type Environment = Readonly<Record<string, string | undefined>>;

interface EmulatorSetting {
  readonly variable: string;
  /** The argument of the image with the same meaning, without its dashes. */
  readonly argument?: string;
  /** For the table of settings in the documents. */
  readonly meaning: string;
  /** `name` is the variable or the argument, for messages. */
  readonly read: (value: string, name: string) => OrreryOptions;
}

const EMULATOR_ARGS = "AZURE_COSMOS_EMULATOR_ARGS";

/** Those of the older image first: what the newer one is told wins. */
export const EMULATOR_SETTINGS: readonly EmulatorSetting[] = [
  {
    variable: EMULATOR_ARGS,
    meaning: "arguments of the older emulator, each honoured or refused",
    read: readArguments,
  },
  {
    variable: "AZURE_COSMOS_EMULATOR_KEY",
    meaning: "the account key",
    read: (key) => ({ key }),
  },
  {
    variable: "AZURE_COSMOS_EMULATOR_PARTITION_COUNT",
    meaning: "how many containers there may be; any number of them is served",
    // Testcontainers for Python says None when its user has not said how many.
    read: (value, name) => (value === "None" ? {} : anyCount(value, name)),
  },
  {
    variable: "AZURE_COSMOS_EMULATOR_ENABLE_DATA_PERSISTENCE",
    meaning: "keep data, as without it; `false` keeps none, like `--memory`",
    read: (value, name) => (isTrue(value, name) ? {} : { memory: true }),
  },
  {
    variable: "AZURE_COSMOS_EMULATOR_IP_ADDRESS_OVERRIDE",
    meaning: "a name that requests may carry; clients are led to the address they came by",
    read: (address) => ({ allowHosts: [address] }),
  },
  {
    variable: "AZURE_COSMOS_EMULATOR_ENABLE_MONGODB_ENDPOINT",
    meaning: "serve the API for MongoDB too, in that version",
    read: (value, name) => {
      throw new BadOption(
        `${name} is ${value}: only the API for NoSQL is served here. Leave ${name} out.`,
      );
    },
  },
  {
    variable: "PORT",
    argument: "port",
    meaning: "the port",
    read: (value, name) => ({ port: parsePort(value, name) }),
  },
  {
    variable: "PROTOCOL",
    argument: "protocol",
    meaning: "`http` serves both on one port; `https` and `https-insecure` serve TLS only",
    read: readProtocol,
  },
  {
    variable: "GATEWAY_PUBLIC_ENDPOINT",
    argument: "gateway-endpoint",
    meaning:
      "the address that clients are told; a name alone is one that requests may carry, and " +
      "clients are led to the address they came by",
    read: (value) => (value.includes("://") ? { publicEndpoint: value } : { allowHosts: [value] }),
  },
  {
    variable: "KEY_FILE",
    argument: "key-file",
    meaning: "a file with the account key",
    read: (path, name) => ({ key: readFile(path, name).trim() }),
  },
  {
    variable: "DATA_PATH",
    argument: "data-path",
    meaning: "where data is kept",
    read: (data) => ({ data, memory: false }),
  },
  {
    variable: "CERT_PATH",
    argument: "cert-path",
    meaning: "the certificate to serve TLS with: PFX, or PEM with its key in the same file",
    read: (cert) => ({ cert }),
  },
  {
    variable: "CERT_SECRET",
    argument: "cert-secret",
    meaning: "what opens the file of the certificate",
    read: (certSecret) => ({ certSecret }),
  },
  {
    variable: "VERBOSE",
    argument: "verbose",
    meaning: "log every request, unless `LOG_LEVEL` says which",
    read: (value, name) => (isTrue(value, name) ? { log: "requests" } : {}),
  },
  {
    variable: "LOG_LEVEL",
    argument: "log-level",
    meaning:
      "`quiet` logs no requests, `error` to `info` those that fail, `debug` and `trace` every one",
    read: readLogLevel,
  },
  {
    variable: "ENABLE_EXPLORER",
    argument: "enable-explorer",
    meaning: "serve the web page",
    read: (value, name) => ({ explorer: isTrue(value, name) }),
  },
  {
    variable: "EXPLORER_PROTOCOL",
    argument: "explorer-protocol",
    meaning: "the page is served by both, or by TLS only, as the rest is",
    read: (value, name) => {
      readProtocol(value, name);
      return {};
    },
  },
  {
    variable: "EXPLORER_PORT",
    argument: "explorer-port",
    meaning: "a port of its own for the page",
    read: (value, name) => {
      parsePort(value, name);
      throw new BadOption(
        `${name} is ${value}: the page has no port of its own here. It is at /_explorer/ of the ` +
          `main port; leave ${name} out.`,
      );
    },
  },
  {
    variable: "QUERY_BUFFER_SIZE_KB",
    argument: "query-buffer-size",
    meaning: "how large the result of a query may be; any is served, page by page",
    read: anyCount,
  },
  {
    variable: "ENABLE_INIT_DATA",
    argument: "enable-init-data",
    meaning: "run scripts of the emulator's shell before requests are served",
    read: unavailable("scripts of the emulator's shell are not run here, but --init takes a seed"),
  },
  {
    variable: "INIT_PATH",
    argument: "init-path",
    meaning: "where scripts for `ENABLE_INIT_DATA` are; by itself it means nothing",
    read: () => ({}),
  },
  {
    variable: "ENABLE_TELEMETRY",
    argument: "enable-telemetry",
    meaning: "send usage to somebody; nothing is ever sent",
    read: unavailable("this server tells nobody about its use"),
  },
  {
    variable: "ENABLE_OTLP_EXPORTER",
    argument: "enable-otlp",
    meaning: "send metrics and traces",
    read: unavailable("metrics are not sent; they are at /_orrery/metrics, for Prometheus"),
  },
  {
    variable: "ENABLE_CONSOLE_EXPORTER",
    argument: "enable-console",
    meaning: "print metrics and traces",
    read: unavailable("metrics are not printed; they are at /_orrery/metrics, for Prometheus"),
  },
];

/** Arguments of the image, besides those that are options of ours, for a parser of arguments. */
export const EMULATOR_FLAGS = {
  protocol: { type: "string" },
  "gateway-endpoint": { type: "string" },
  "key-file": { type: "string" },
  "data-path": { type: "string" },
  "cert-path": { type: "string" },
  "log-level": { type: "string" },
  verbose: { type: "string" },
  "query-buffer-size": { type: "string" },
  "enable-init-data": { type: "string" },
  "init-path": { type: "string" },
  "enable-explorer": { type: "string" },
  "explorer-protocol": { type: "string" },
  "explorer-port": { type: "string" },
  "enable-telemetry": { type: "string" },
  "enable-otlp": { type: "string" },
  "enable-console": { type: "string" },
} as const;

/** What an environment says, in the words of our options. */
export function optionsFromEnvironment(environment: Environment): OrreryOptions {
  return optionsOf((setting) => setting.variable, environment);
}

/** What arguments of the image say, by their names without dashes. */
export function optionsFromArguments(given: Environment): OrreryOptions {
  return optionsOf(({ argument }) => argument, given, "--");
}

function optionsOf(
  nameOf: (setting: EmulatorSetting) => string | undefined,
  given: Environment,
  dashes = "",
): OrreryOptions {
  let options: OrreryOptions = {};
  for (const setting of EMULATOR_SETTINGS) {
    const name = nameOf(setting);
    const value = name === undefined ? undefined : given[name];
    // An empty variable is how compose files leave one out.
    if (name === undefined || value === undefined || value === "") continue;
    const more = setting.read(value, `${dashes}${name}`);
    const hosts = [...(options.allowHosts ?? []), ...(more.allowHosts ?? [])];
    options = { ...options, ...more, ...(hosts.length > 0 && { allowHosts: hosts }) };
  }
  return options;
}

function readProtocol(value: string, name: string): OrreryOptions {
  const protocol = value.toLowerCase();
  if (!["http", "https", "https-insecure"].includes(protocol)) {
    throw new BadOption(`${name} is '${value}'; it can be http, https or https-insecure.`);
  }
  return { https: protocol !== "http" };
}

const LOG_LEVELS: ReadonlyMap<string, NonNullable<OrreryOptions["log"]>> = new Map([
  ["quiet", "none"],
  ["error", "errors"],
  ["warn", "errors"],
  ["info", "errors"],
  ["debug", "requests"],
  ["trace", "requests"],
]);

function readLogLevel(value: string, name: string): OrreryOptions {
  const log = LOG_LEVELS.get(value.toLowerCase());
  if (log !== undefined) return { log };
  throw new BadOption(`${name} is '${value}'; it can be ${[...LOG_LEVELS.keys()].join(", ")}.`);
}

/** Of something that is not counted here. */
function anyCount(value: string, name: string): OrreryOptions {
  if (Number.isInteger(Number(value)) && Number(value) >= 1) return {};
  throw new BadOption(`${name} is '${value}'; it must be a whole number of at least 1.`);
}

function isTrue(value: string, name: string): boolean {
  const text = value.toLowerCase();
  if (text === "true" || text === "1") return true;
  if (text === "false" || text === "0") return false;
  throw new BadOption(`${name} is '${value}'; it can be true or false.`);
}

function unavailable(reason: string): EmulatorSetting["read"] {
  return (value, name) => {
    if (!isTrue(value, name)) return {};
    throw new BadOption(`${name} is ${value}: ${reason}. Set it to false, or leave it out.`);
  };
}

type ReadArgument = (value: string, name: string) => OrreryOptions;

const asBefore: ReadArgument = () => ({});

/** By name, in small letters. */
const ARGUMENTS: ReadonlyMap<string, ReadArgument> = new Map<string, ReadArgument>([
  ["port", (value, name) => ({ port: parsePort(value, name) })],
  ["key", (key) => ({ key })],
  ["keyfile", (path, name) => ({ key: readFile(path, name).trim() })],
  ["datapath", (data) => ({ data, memory: false })],
  ["disableratelimiting", () => ({ rateLimit: false })],
  ["enableratelimiting", () => ({ rateLimit: true })],
  ["consistency", (value, name) => ({ consistency: parseConsistency(value, name) })],
  ["noexplorer", () => ({ explorer: false })],
  ["allownetworkaccess", () => ({ host: "0.0.0.0" })],
  // How it is here anyhow: no windows, no firewall rules, nothing sent, all features, any number.
  ["noui", asBefore],
  ["nofirewall", asBefore],
  ["notelemetry", asBefore],
  ["enablepreview", asBefore],
  ["partitioncount", asBefore],
  ["defaultpartitioncount", asBefore],
]);

/** Such as "/DisableRateLimiting /Port=8082". */
function readArguments(text: string, variable: string): OrreryOptions {
  let options: OrreryOptions = {};
  for (const word of text.trim().split(/\s+/)) {
    const [, argument, value = ""] = /^[/-]+(\w+)(?:=(.*))?$/.exec(word) ?? [];
    const read = argument === undefined ? undefined : ARGUMENTS.get(argument.toLowerCase());
    if (read === undefined) {
      throw new BadOption(
        `${variable} has '${word}', which is not served here. It can have ` +
          `${[...ARGUMENTS.keys()].map((name) => `/${name}`).join(", ")}, in any letter case.`,
      );
    }
    options = { ...options, ...read(value, `${variable} /${argument}`) };
  }
  return options;
}
