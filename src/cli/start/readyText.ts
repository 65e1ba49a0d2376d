/** What a server says when it is ready: to people, to tools, or to programs. */
import type { Limits } from "../../model/limits.ts";
import { changedLimits, limitText } from "../../model/scaledLimits.ts";
import { reportText } from "../../server/seed/initReport.ts";
import type { OrreryServer } from "../../server/start.ts";
import { consistencyNameOf, consistencyOf, limitsOf } from "../../server/surroundings/options.ts";
import type { OrreryOptions } from "../../server/surroundings/orreryOptions.ts";
import { storePlace } from "../../server/surroundings/storeOption.ts";
import { languageLines, linesText } from "../trust/trustLines.ts";

/** One line of JSON. `caPath` is `null` as long as nobody has asked for TLS. */
export function readyJson(server: OrreryServer): string {
  const { endpoint, key, connectionString, caPath, node, init } = server;
  const told = { ready: true, endpoint, key, connectionString, caPath: caPath ?? null, node, init };
  return `${JSON.stringify({ ...told, pid: process.pid })}\n`;
}

/**
 * What tools wait for that start the image of the emulator: each for one of these lines, so all of
 * them are written when requests are served, and no line before them has those words.
 */
export function emulatorLog({ endpoint }: OrreryServer): string {
  return [
    `Now listening on: ${endpoint}`,
    "System is now fully ready to accept requests",
    "Started\r\n",
  ].join("\n");
}

const ORDERS = '{ id: "orders", partitionKey: "/customerId" }';

export function banner(server: OrreryServer, options: OrreryOptions): string {
  const { endpoint, key, data, connectionString, caCertificate, explorer } = server;
  const trust =
    caCertificate === undefined ? "" : `\n  certificate  ${endpoint}/_explorer/emulator.pem`;
  const tls = options.cert === undefined ? trustOf(server) : "";
  const kept =
    options.store === undefined
      ? (data ?? "in memory, gone when this ends")
      : `${storePlace(options.store)}; certificates in ${data}`;
  const page = explorer === undefined ? "" : `\n  page         ${explorer}`;
  const { node, worker } = server;
  const made = server.init ? reportText(server.init) : "left to the node that works";
  const seed = options.init === undefined ? "" : `\n  init         ${made}`;
  const does = worker === node ? "works" : `forwards to ${worker}`;
  const nodes =
    node === undefined ? "" : `\n  node         ${node}, which ${does}; see orrery nodes`;
  return `Orrery is ready.

  endpoint     ${endpoint}${page}
  key          ${key}
  data         ${kept}${nodes}${seed}${trust}
  connection   ${connectionString}
${tls}${peculiarities(options).join("")}
  import { CosmosClient } from "@azure/cosmos";
  const client = new CosmosClient({ endpoint: "${endpoint}", key: "${key}" });
  const { database } = await client.databases.createIfNotExists({ id: "shop" });
  const { container } = await database.containers.createIfNotExists(${ORDERS});
  await container.items.create({ id: "1", customerId: "ada", total: 12.5 });

End it with Ctrl-C.
`;
}

/** What clients are told who come by TLS; where nobody has to, one line that says where it is. */
function trustOf({ caCertificate, caPath }: OrreryServer): string {
  const more = "`orrery trust` says how clients trust its certificate";
  if (caCertificate === undefined) return `  TLS          https:// on the same port; ${more}\n`;
  if (caPath === undefined) return `  trust        ${more}\n`;
  const lines = linesText(languageLines(caPath), " ".repeat(15)).trimStart();
  return `  trust        ${lines}               more: orrery trust\n`;
}

/** How it treats rates, and a line for all else in which it is not like a common account. */
function peculiarities(options: OrreryOptions): readonly string[] {
  const line = (what: string, text: string): string => `  ${what.padEnd(12)} ${text}\n`;
  const consistency = consistencyNameOf(consistencyOf(options));
  const limits = limitsOf(options);
  return [
    line("rates", ratesText(options, limits)),
    ...(consistency === "Session" ? [] : [line("consistency", consistency)]),
    ...changedLimits(limits).map(({ name, unit, value, serviceValue }) =>
      line(
        "limit",
        `${name} ${limitText(value, unit)} (service: ${limitText(serviceValue, unit)})`,
      ),
    ),
  ];
}

function ratesText({ rateLimit, serverless }: OrreryOptions, limits: Limits): string {
  const rate = limitText(limits.serverlessPartitionRateMax, "RU/s");
  const kind = serverless === true ? `serverless, ${rate} a physical partition` : "provisioned";
  return rateLimit === false ? `${kind}, not limited` : `${kind}; beyond them 429`;
}
