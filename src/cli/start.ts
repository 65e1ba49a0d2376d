/** `orrery start`: runs the server until it is told to end. */
import { parseArgs } from "node:util";
import type { OrreryOptions } from "../server/options.ts";
import {
  DEFAULT_DATA,
  DEFAULT_PORT,
  optionsFromEnvironment,
  parsePort,
} from "../server/options.ts";
import type { OrreryServer } from "../server/start.ts";
import { startOrrery } from "../server/start.ts";

export const START_HELP: string = `usage: orrery start [options]

Runs the server until SIGTERM or Ctrl-C. Data is on disk before a write is answered.

  --port <n>               port to listen on (default ${DEFAULT_PORT}; 0 lets the system choose)
  --host <address>         address to listen on (default 127.0.0.1)
  --data <directory>       where data is kept (default ./${DEFAULT_DATA})
  --memory                 keep nothing; for tests
  --https                  serve TLS; a local certificate authority is made once and kept,
                           its certificate is at /_explorer/emulator.pem
  --cert <pem>             serve TLS with this certificate (and chain) instead
  --cert-key <pem>         the private key of --cert
  --key <base64>           account key (default on loopback: the well-known emulator key)
  --secondary-key <base64> second account key, for rotation
  --read-only-key <base64> key that may read but not write
  --well-known-key         accept the well-known emulator key although other machines can
                           reach this server
  --public-endpoint <url>  address to tell clients (default: the one they came by)
  --allow-host <name>      host name that requests may carry besides the loopback ones;
                           may be repeated, * allows any
  --json                   print one line of JSON when ready, nothing else
  --help                   this text

The environment variables of the emulator image are honoured where no option says otherwise:
PORT, PROTOCOL (http, https), KEY_FILE, DATA_PATH, GATEWAY_PUBLIC_ENDPOINT.
`;

export async function runStart(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: "string" },
      host: { type: "string" },
      data: { type: "string" },
      memory: { type: "boolean" },
      https: { type: "boolean" },
      cert: { type: "string" },
      "cert-key": { type: "string" },
      key: { type: "string" },
      "secondary-key": { type: "string" },
      "read-only-key": { type: "string" },
      "well-known-key": { type: "boolean" },
      "public-endpoint": { type: "string" },
      "allow-host": { type: "string", multiple: true },
      json: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) {
    process.stdout.write(START_HELP);
    return;
  }
  const environment = optionsFromEnvironment(process.env);
  const data = values.data ?? (values.memory === true ? undefined : environment.data);
  const server = await startOrrery({
    port:
      values.port === undefined
        ? (environment.port ?? DEFAULT_PORT)
        : parsePort(values.port, "--port"),
    host: values.host,
    data,
    memory: values.memory,
    https: values.https ?? environment.https,
    cert: values.cert,
    certKey: values["cert-key"],
    key: values.key ?? environment.key,
    secondaryKey: values["secondary-key"],
    readOnlyKey: values["read-only-key"],
    wellKnownKey: values["well-known-key"],
    publicEndpoint: values["public-endpoint"] ?? environment.publicEndpoint,
    allowHosts: values["allow-host"],
  } satisfies OrreryOptions);
  endOnSignal(server);
  if (values.json === true) {
    const { endpoint, key } = server;
    process.stdout.write(`${JSON.stringify({ ready: true, endpoint, key, pid: process.pid })}\n`);
  } else process.stdout.write(banner(server));
}

const ORDERS = '{ id: "orders", partitionKey: "/customerId" }';

function banner(server: OrreryServer): string {
  const { endpoint, key, data, connectionString, caCertificate } = server;
  const trust =
    caCertificate === undefined ? "" : `\n  certificate  ${endpoint}/_explorer/emulator.pem`;
  return `Orrery is ready.

  endpoint     ${endpoint}
  key          ${key}
  data         ${data ?? "in memory, gone when this ends"}${trust}
  connection   ${connectionString}

  import { CosmosClient } from "@azure/cosmos";
  const client = new CosmosClient({ endpoint: "${endpoint}", key: "${key}" });
  const { database } = await client.databases.createIfNotExists({ id: "shop" });
  const { container } = await database.containers.createIfNotExists(${ORDERS});
  await container.items.create({ id: "1", customerId: "ada", total: 12.5 });

End it with Ctrl-C.
`;
}

/** The first signal ends the server in order, the second at once. */
function endOnSignal(server: OrreryServer): void {
  let isEnding = false;
  const end = (): void => {
    if (isEnding) process.exit(1);
    isEnding = true;
    server.close().then(
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
