/** `orrery show`: everything about a database, a container or an item. */
import { parseArgs } from "node:util";
import { shortBytesText } from "../../base/wording.ts";
import { isObject, type JsonObject, type JsonValue, property } from "../../json/value.ts";
import { HEADER } from "../../protocol/wire/headerNames.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import { type Environment, SERVER_HELP, SERVER_OPTIONS } from "../connect/serverOptions.ts";
import { numberText } from "../terminal/liveTable.ts";
import { printJson, refuseMore, withClient } from "./commandClient.ts";
import { readItem } from "./get.ts";
import { indentedJson } from "./indentedJson.ts";
import { KEY_HELP } from "./itemPlace.ts";
import { ttlText } from "./ls.ts";
import { aboutOf, type ResourceClient } from "./resourceClient.ts";
import type { ContainerTarget, DatabaseTarget } from "./resourcePath.ts";
import { resourcePathOf } from "./resourcePath.ts";
import { throughputJson, throughputs, throughputText } from "./throughput.ts";

export const SHOW_HELP: string = `usage: orrery show <db>[/<container>[/<id>]] [options]

Shows everything about a database, a container (its key, rate, policies and how much is in it) or an
item (with what the server adds to it).

${KEY_HELP}\
  --json                   what the server says, as JSON
${SERVER_HELP}\
Ends with 0, with 1 when there is no such thing or no server, with 2 when an option makes no sense.
`;

export async function runShow(args: string[], environment: Environment): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      ...SERVER_OPTIONS,
      "partition-key": { type: "string" },
      json: { type: "boolean" },
    },
  });
  if (values.help === true) {
    process.stdout.write(SHOW_HELP);
    return;
  }
  const [named, extra] = positionals;
  refuseMore(extra);
  if (named === undefined) throw new BadOption("Name what to show: shop, shop/orders or an item.");
  const path = resourcePathOf(named);
  const key = values["partition-key"];
  if (key !== undefined && path.kind !== "item") {
    throw new BadOption("--partition-key is for an item.");
  }
  const isJson = values.json === true;
  await withClient(values, environment, async (client) => {
    if (path.kind === "item") {
      const { body } = await readItem(client, path, key);
      process.stdout.write(isJson ? `${body}\n` : indentedJson(body));
    } else if (path.kind === "database") await showDatabase(client, path, isJson);
    else await showContainer(client, path, isJson);
  });
}

async function showDatabase(
  client: ResourceClient,
  path: DatabaseTarget,
  isJson: boolean,
): Promise<void> {
  const database = await client.json({ method: "GET", of: path }, aboutOf(path));
  const told = (await throughputs(client))(database);
  const list = { method: "GET", of: path, list: "colls" } as const;
  const containers = await client.listed(list, "DocumentCollections", aboutOf(path));
  const names = containers.map((container) => String(property(container, "id")));
  if (isJson) {
    printJson({ ...database, throughput: throughputJson(told), containers: names });
    return;
  }
  printLines([
    ["database", path.database],
    ["throughput", throughputText(told, "of each container")],
    ["containers", names.length === 0 ? "none" : names.join(", ")],
    ["rid", String(property(database, "_rid"))],
  ]);
}

async function showContainer(
  client: ResourceClient,
  path: ContainerTarget,
  isJson: boolean,
): Promise<void> {
  const headers = { [HEADER.populateQuota]: "true" };
  const answer = await client.ask({ method: "GET", of: path, headers });
  if (answer.status >= 300) throw client.refusal(answer, aboutOf(path));
  const container = client.bodyOf(answer);
  const told = (await throughputs(client))(container);
  const usage = usageIn(String(answer.headers[HEADER.resourceUsage] ?? ""));
  const ranges = await client.json({ method: "GET", of: path, list: "pkranges" }, aboutOf(path));
  const partitions = property(ranges, "PartitionKeyRanges");
  const partitionCount = Array.isArray(partitions) ? partitions.length : 0;
  if (isJson) {
    const more = { throughput: throughputJson(told), ...usage, physicalPartitions: partitionCount };
    printJson({ ...container, ...more });
    return;
  }
  const key = property(container, "partitionKey");
  const paths = isObject(key) ? ((property(key, "paths") ?? []) as readonly string[]) : [];
  printLines([
    ["container", `${path.database}/${path.container}`],
    ["partition key", `${paths.join(", ")}${paths.length > 1 ? " (hierarchical)" : ""}`],
    ["throughput", throughputText(told, "of its database")],
    ["partitions", numberText(partitionCount)],
    ["items", `${numberText(usage.items)}, ${shortBytesText(usage.bytes)}`],
    ["ttl", ttlText(property(container, "defaultTtl"))],
    ["unique keys", uniqueText(container)],
    ["rid", String(property(container, "_rid"))],
  ]);
  for (const name of POLICIES) {
    const policy = property(container, name);
    if (policy === undefined) continue;
    process.stdout.write(`\n${name} ${indentedJson(JSON.stringify(policy))}`);
  }
}

/** Each is shown as it is written to the server. */
const POLICIES = [
  "indexingPolicy",
  "computedProperties",
  "conflictResolutionPolicy",
  "changeFeedPolicy",
  "vectorEmbeddingPolicy",
  "fullTextPolicy",
] as const;

function uniqueText(container: JsonObject): string {
  const policy = property(container, "uniqueKeyPolicy");
  const keys = isObject(policy) ? property(policy, "uniqueKeys") : undefined;
  if (!Array.isArray(keys) || keys.length === 0) return "none";
  const pathsOf = (key: JsonValue): string =>
    isObject(key) ? String((property(key, "paths") ?? "") as readonly string[]) : "";
  return (keys as readonly JsonValue[]).map(pathsOf).join("; ");
}

/** `documentsCount=7;documentsSize=12` of a header, the size in KB. */
function usageIn(header: string): { readonly items: number; readonly bytes: number } {
  const parts = new Map(header.split(";").map((part) => part.split("=") as [string, string]));
  const kilobytes = Number(parts.get("documentsSize") ?? 0);
  return { items: Number(parts.get("documentsCount") ?? 0), bytes: kilobytes * 1024 };
}

function printLines(lines: readonly (readonly [string, string])[]): void {
  process.stdout.write(lines.map(([name, text]) => `${name.padEnd(14)} ${text}\n`).join(""));
}
