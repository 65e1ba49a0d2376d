/** `orrery start`: runs the server until it is told to end. */
import { parseArgs } from "node:util";
import type { OrreryServer } from "../server/start.ts";
import { startOrrery } from "../server/start.ts";
import {
  EMULATOR_FLAGS,
  EMULATOR_SETTINGS,
  optionsFromArguments,
  optionsFromEnvironment,
} from "../server/surroundings/emulatorSettings.ts";
import {
  BadOption,
  DEFAULT_DATA,
  DEFAULT_PORT,
  parseConsistency,
  parsePort,
} from "../server/surroundings/options.ts";
import type {
  AdminAccess,
  OrreryOptions,
  RequestLogFormat,
  RequestLogLevel,
} from "../server/surroundings/orreryOptions.ts";
import { configFileFor } from "./config/findConfig.ts";
import { overSettings } from "./config/overSettings.ts";
import type { Environment } from "./connect/serverOptions.ts";
import { banner, emulatorLog, readyJson } from "./start/readyText.ts";
import { openBrowser } from "./terminal/openBrowser.ts";

export const START_HELP: string = `usage: orrery start [options]

Runs the server until SIGTERM or Ctrl-C. Data is on disk before a write is answered.

  --port <n>               port to listen on (default ${DEFAULT_PORT}; 0 lets the system choose)
  --host <address>         address to listen on (default 127.0.0.1)
  --data <directory>       where data is kept (default ./${DEFAULT_DATA})
  --archives <directory>   where archives of old logical partitions go (default: the folder
                           archives in the data directory)
  --store <url>            keep data in a PostgreSQL instead: postgres://user@host:5432/database;
                           with a password better in ORRERY_STORE (docs/operate/database.md). May
                           be repeated: each database has some of the physical partitions.
                           Several servers on the same databases are nodes: one works, the others
                           forward to it and take over when it ends (docs/operate/clusters.md)
  --node-host <address>    where other nodes reach this one (default: that of --host)
  --node-port <n>          the port for them (default 0: the system chooses)
  --standby                serve nobody until it is this node that works
  --memory                 keep nothing; for tests
  --init <file>            a seed, or a folder of seeds: databases, containers, items and scripts
                           that are made before anybody is served, unless they are there; also in
                           ORRERY_INIT (docs/use/seed.md)
  --https                  serve TLS only; without it the port serves both HTTP and TLS. A local
                           certificate authority is made once and kept, its certificate is at
                           /_explorer/emulator.pem
  --cert <file>            serve TLS only, with this certificate instead: PFX, or PEM with its
                           chain, and with its key unless --cert-key names that
  --cert-key <pem>         the private key of --cert
  --cert-secret <text>     what opens the file with the key
  --ca-file <pem>          write the certificate that clients have to trust to this file
  --health-port <n>        tell /alive, /ready and /status by plain HTTP on a port of its own, from
                           before the data is opened; they are on the main port, too
  --key <base64>           account key (default on loopback: the well-known emulator key)
  --secondary-key <base64> second account key, for rotation
  --read-only-key <base64> key that may read but not write
  --secondary-read-only-key <base64>
                           second one of these; \`orrery keys\` shows and makes keys
  --well-known-key         accept the well-known emulator key although other machines can
                           reach this server
  --public-endpoint <url>  address to tell clients (default: the one they came by)
  --allow-host <name>      host name that requests may carry besides the loopback ones, and those
                           without a dot if --host is 0.0.0.0; may be repeated, * allows any
  --no-direct              serve no clients in direct mode; they are told to use gateway mode

Tokens of an identity provider, as Entra issues them (docs/use/authorization.md):

  --entra-issuer <text>    accept bearer tokens of this issuer
  --entra-keys <where>     its public keys (JWKS): a file, an https URL, or http on this machine
  --entra-audience <text>  for whom tokens must be meant; may be repeated (default: this account,
                           or https://cosmos.azure.com)
  --entra-reader-role <role>
                           who has this role in a token only reads

Clients that are slow or gone (docs/operate/limits.md):

  --header-timeout <s>     seconds in which the headers of a request have to come (default 10)
  --body-timeout <s>       seconds in which its body has to come (default 60); a body that drips
                           is cut off earlier
  --idle-timeout <s>       seconds for which a connection may be silent between two requests
                           (default 130)
  --max-connections <n>    connections at a time (default 20,000, or what the system's limit of
                           open files leaves)

Throughput and limits, as an account of the service has them:

  --no-rate-limit          serve requests beyond the provisioned rate; for tests that want speed
  --serverless             provision no rates; every physical partition serves 5,000 RU/s
  --burst-capacity         let physical partitions with a low rate save what they do not spend
  --manual-rate-per-partition <n>
                           a new container with a manual rate gets a physical partition for
                           each n RU/s (default 10,000; the service is said to take 6,000)
  --consistency <level>    Strong, BoundedStaleness, Session (default), ConsistentPrefix or
                           Eventual; the first two double what reads cost
  --scale-limits <1/n>     shrink the storage of partitions, such as 20 GB, to 1/n of it
  --limit <name>=<value>   set one limit, such as logicalPartitionBytes=20MB or
                           partitionRate=1000; may be repeated; docs/operate/limits.md has the names

Watching it:

  --log <which>            write requests to standard error, each with status, charge, time and
                           activity id, and why it was refused: requests (all of them), errors
                           (from 400 on) or none (default); the page and GET
                           /_orrery/v1/requests have the last thousand anyhow
  --log-format <form>      line (default) or json

  --no-statistics          keep no statistics of load and storage
  --alerts <json>          file with settings of alerts
  --alert-webhook <url>    where to send alerts; may be repeated
  --allow-webhook-host <name>
                           host that alerts may be sent to, and no other; may be repeated
  --admin <who>            who may use the admin API: loopback (default), any or off
  --open                   open the web page in a browser; it is at /_explorer/
  --explorer               serve the web page although other machines can reach this server;
                           whoever opens it there needs an account key
  --no-explorer            serve no web page

  --config <file>          settings (default: orrery.config.yaml where it is; docs/use/command.md)
  --json                   print one line of JSON when ready, nothing else
  --emulator-log           print the lines that Testcontainers waits for when ready, nothing else
  --help                   this text

What the emulator's images are told, in variables such as PORT, PROTOCOL, KEY_FILE, DATA_PATH,
CERT_PATH, CERT_SECRET, LOG_LEVEL, ENABLE_EXPLORER, GATEWAY_PUBLIC_ENDPOINT and
AZURE_COSMOS_EMULATOR_ARGS, or in arguments such as --protocol, --key-file, --data-path,
--cert-path, --log-level and --enable-explorer, is honoured where no option says otherwise, or
refused with a reason; docs/use/emulatorSettings.md has all of them.
`;

const FLAGS = {
  port: { type: "string" },
  host: { type: "string" },
  data: { type: "string" },
  archives: { type: "string" },
  store: { type: "string", multiple: true },
  standby: { type: "boolean" },
  "node-host": { type: "string" },
  "node-port": { type: "string" },
  memory: { type: "boolean" },
  init: { type: "string" },
  https: { type: "boolean" },
  cert: { type: "string" },
  "cert-key": { type: "string" },
  "cert-secret": { type: "string" },
  "ca-file": { type: "string" },
  "health-port": { type: "string" },
  log: { type: "string" },
  "log-format": { type: "string" },
  "emulator-log": { type: "boolean" },
  ...EMULATOR_FLAGS,
  key: { type: "string" },
  "secondary-key": { type: "string" },
  "read-only-key": { type: "string" },
  "secondary-read-only-key": { type: "string" },
  "entra-issuer": { type: "string" },
  "entra-keys": { type: "string" },
  "entra-audience": { type: "string", multiple: true },
  "entra-reader-role": { type: "string" },
  "well-known-key": { type: "boolean" },
  "public-endpoint": { type: "string" },
  "allow-host": { type: "string", multiple: true },
  direct: { type: "boolean" },
  "header-timeout": { type: "string" },
  "body-timeout": { type: "string" },
  "idle-timeout": { type: "string" },
  "max-connections": { type: "string" },
  "rate-limit": { type: "boolean" },
  serverless: { type: "boolean" },
  "burst-capacity": { type: "boolean" },
  "manual-rate-per-partition": { type: "string" },
  consistency: { type: "string" },
  "scale-limits": { type: "string" },
  limit: { type: "string", multiple: true },
  statistics: { type: "boolean" },
  alerts: { type: "string" },
  "alert-webhook": { type: "string", multiple: true },
  "allow-webhook-host": { type: "string", multiple: true },
  admin: { type: "string" },
  explorer: { type: "boolean" },
  open: { type: "boolean" },
  config: { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

type Flags = ReturnType<typeof parseFlags>;

export async function runStart(args: string[], environment: Environment): Promise<void> {
  const flags = parseFlags(args);
  if (flags.help === true) {
    process.stdout.write(START_HELP);
    return;
  }
  const file = configFileFor(flags.config, environment, process.cwd());
  const settings =
    file === undefined ? {} : (await import("./config/readConfig.ts")).readConfig(file).start;
  const options = overSettings(
    optionsOf(flags, toldByTools(flags, environment), environment),
    settings,
  );
  const server = await startOrrery(options);
  endOnSignal(server);
  for (const difference of server.init?.differences ?? []) {
    process.stderr.write(`orrery: ${difference}\n`);
  }
  if (flags["emulator-log"] === true) process.stdout.write(emulatorLog(server));
  else if (flags.json === true) {
    process.stdout.write(readyJson(server));
  } else process.stdout.write(banner(server, options));
  if (flags.open === true) openPage(server);
}

/** Arguments count more than the environment. */
function toldByTools(flags: Flags, environment: Environment): OrreryOptions {
  if (flags.json === true && flags["emulator-log"] === true) {
    throw new BadOption("--json and --emulator-log exclude each other: each is for a program.");
  }
  const given = new Map(Object.entries(flags));
  const told = EMULATOR_SETTINGS.flatMap(({ argument = "" }) => {
    const value = given.get(argument);
    return typeof value === "string" ? [[argument, value] as const] : [];
  });
  return {
    ...optionsFromEnvironment(environment),
    ...optionsFromArguments(Object.fromEntries(told)),
  };
}

/** Said on standard error: with --json the other one has one line of JSON and nothing else. */
function openPage({ explorer }: OrreryServer): void {
  const say = (text: string): void => void process.stderr.write(`orrery: ${text}`);
  if (explorer !== undefined) openBrowser(explorer, say);
  else say("There is no page to open: it is off. Start the server with --explorer.\n");
}

/** Negative, so that what an environment switches on can be switched off, and the other way. */
function parseFlags(args: string[]) {
  return parseArgs({ args, allowNegative: true, options: FLAGS }).values;
}

function optionsOf(
  flags: Flags,
  environment: OrreryOptions,
  { ORRERY_STORE: store, ORRERY_INIT: init }: Environment,
): OrreryOptions {
  const { port, consistency, "health-port": healthPort, "node-port": nodePort } = flags;
  return {
    port: port === undefined ? environment.port : parsePort(port, "--port"),
    healthPort: healthPort === undefined ? undefined : parsePort(healthPort, "--health-port"),
    host: flags.host ?? environment.host,
    data: flags.data ?? (flags.memory === true ? undefined : environment.data),
    archives: flags.archives,
    store: flags.store ?? (store || undefined),
    init: flags.init ?? (init || undefined),
    standby: flags.standby,
    nodeHost: flags["node-host"],
    nodePort: nodePort === undefined ? undefined : parsePort(nodePort, "--node-port"),
    memory: flags.memory ?? (flags.data === undefined ? environment.memory : undefined),
    https: flags.https ?? environment.https,
    cert: flags.cert ?? environment.cert,
    certKey: flags["cert-key"],
    certSecret: flags["cert-secret"] ?? environment.certSecret,
    caFile: flags["ca-file"],
    // Any other word is refused with the rest of the options.
    log: (flags.log as RequestLogLevel | undefined) ?? environment.log,
    logFormat: flags["log-format"] as RequestLogFormat | undefined,
    key: flags.key ?? environment.key,
    secondaryKey: flags["secondary-key"],
    readOnlyKey: flags["read-only-key"],
    secondaryReadOnlyKey: flags["secondary-read-only-key"],
    entraIssuer: flags["entra-issuer"],
    entraKeys: flags["entra-keys"],
    entraAudience: flags["entra-audience"],
    entraReaderRole: flags["entra-reader-role"],
    wellKnownKey: flags["well-known-key"],
    publicEndpoint: flags["public-endpoint"] ?? environment.publicEndpoint,
    allowHosts: listed([...(environment.allowHosts ?? []), ...(flags["allow-host"] ?? [])]),
    direct: flags.direct,
    headerTimeout: numberOf(flags["header-timeout"]),
    bodyTimeout: numberOf(flags["body-timeout"]),
    idleTimeout: numberOf(flags["idle-timeout"]),
    maxConnections: numberOf(flags["max-connections"]),
    rateLimit: flags["rate-limit"] ?? environment.rateLimit,
    serverless: flags.serverless,
    burstCapacity: flags["burst-capacity"],
    manualRatePerPartition: numberOf(flags["manual-rate-per-partition"]),
    consistency:
      consistency === undefined
        ? environment.consistency
        : parseConsistency(consistency, "--consistency"),
    scaleLimits: flags["scale-limits"],
    limits: flags.limit && namedLimits(flags.limit),
    statistics: flags.statistics,
    alerts: flags.alerts,
    alertWebhook: flags["alert-webhook"],
    allowWebhookHosts: flags["allow-webhook-host"],
    admin: flags.admin as AdminAccess | undefined,
    explorer: flags.explorer ?? environment.explorer,
  };
}

function listed(texts: readonly string[]): readonly string[] | undefined {
  return texts.length === 0 ? undefined : texts;
}

/** What is no number is refused with the rest of the options. */
function numberOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return text.trim() === "" ? Number.NaN : Number(text);
}

function namedLimits(entries: readonly string[]): Readonly<Record<string, string>> {
  const limits = new Map<string, string>();
  for (const entry of entries) {
    const [name, value] = entry.split(/=(.*)/s) as [string, string | undefined];
    if (value === undefined) {
      throw new BadOption(`--limit is '${entry}'; it must be a name, '=' and a value.`);
    }
    if (limits.has(name)) throw new BadOption(`--limit sets ${name} twice.`);
    limits.set(name, value);
  }
  return Object.fromEntries(limits);
}

/** For clients of other processes, which a busy machine may keep from running for a while. */
const QUIET_MS = 1000;

/**
 * The first signal ends the server in order; the second, too, but clients are not waited for. The
 * third ends the process as it is: every answered write is on disk.
 */
function endOnSignal(server: OrreryServer): void {
  let signalCount = 0;
  const end = (): void => {
    if (++signalCount > 2) process.exit(1);
    server.close({ quietMs: QUIET_MS }).then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`orrery: ${String(error)}\n`);
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", end);
  process.on("SIGINT", end);
}
