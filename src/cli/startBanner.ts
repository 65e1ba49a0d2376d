/** What `orrery start` prints for people when the server is ready. */
import type { Limits } from "../model/limits.ts";
import { changedLimits, limitText } from "../model/scaledLimits.ts";
import type { OrreryServer } from "../server/start.ts";
import type { OrreryOptions } from "../server/surroundings/options.ts";
import { consistencyNameOf, consistencyOf, limitsOf } from "../server/surroundings/options.ts";
import { storePlace } from "../server/surroundings/storeOption.ts";

const ORDERS = '{ id: "orders", partitionKey: "/customerId" }';

export function banner(server: OrreryServer, options: OrreryOptions): string {
  const { endpoint, key, data, connectionString, caCertificate, explorer } = server;
  const trust =
    caCertificate === undefined ? "" : `\n  certificate  ${endpoint}/_explorer/emulator.pem`;
  const kept =
    options.store === undefined
      ? (data ?? "in memory, gone when this ends")
      : `${storePlace(options.store)}; certificates in ${data}`;
  const page = explorer === undefined ? "" : `\n  page         ${explorer}`;
  const { node, worker } = server;
  const does = worker === node ? "works" : `forwards to ${worker}`;
  const nodes =
    node === undefined ? "" : `\n  node         ${node}, which ${does}; see orrery nodes`;
  return `Orrery is ready.

  endpoint     ${endpoint}${page}
  key          ${key}
  data         ${kept}${nodes}${trust}
  connection   ${connectionString}
${peculiarities(options).join("")}
  import { CosmosClient } from "@azure/cosmos";
  const client = new CosmosClient({ endpoint: "${endpoint}", key: "${key}" });
  const { database } = await client.databases.createIfNotExists({ id: "shop" });
  const { container } = await database.containers.createIfNotExists(${ORDERS});
  await container.items.create({ id: "1", customerId: "ada", total: 12.5 });

End it with Ctrl-C.
`;
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
