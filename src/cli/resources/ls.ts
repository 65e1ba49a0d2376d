/** `orrery ls`: databases, the containers of one, or the items of one. */
import { parseArgs } from "node:util";
import type { Carried } from "../../json/digits.ts";
import { isObject, type JsonObject, type JsonValue, property } from "../../json/value.ts";
import { HEADER } from "../../protocol/wire/headerNames.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import { type Environment, SERVER_HELP, SERVER_OPTIONS } from "../connect/serverOptions.ts";
import { rowsOfPage } from "../query/pageRows.ts";
import { numberOf } from "../terminal/numberOption.ts";
import { tableOf } from "../terminal/table.ts";
import { printJson, refuseMore, withClient } from "./commandClient.ts";
import { definitionOf, keyMembers } from "./itemPlace.ts";
import { aboutOf, type ResourceClient } from "./resourceClient.ts";
import { type ContainerTarget, type DatabaseTarget, resourcePathOf } from "./resourcePath.ts";
import { throughputJson, throughputs, throughputText } from "./throughput.ts";

const LIMIT = 100;

export const LS_HELP: string = `usage: orrery ls [<db>[/<container>]] [options]

Lists the databases, the containers of a database, or the items of a container by id and partition
key.

  --limit <n>              items at most (default ${LIMIT})
  --json                   one list of JSON instead of a table
${SERVER_HELP}\
Ends with 0, with 1 when there is no such thing or no server, with 2 when an option makes no sense.

examples: orrery ls
          orrery ls shop
          orrery ls shop/orders --limit 20 --json
`;

export async function runLs(args: string[], environment: Environment): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { ...SERVER_OPTIONS, limit: { type: "string" }, json: { type: "boolean" } },
  });
  if (values.help === true) {
    process.stdout.write(LS_HELP);
    return;
  }
  const [named, extra] = positionals;
  refuseMore(extra);
  const path = named === undefined ? undefined : resourcePathOf(named);
  if (path?.kind === "item") {
    throw new BadOption(`'${named}' is an item: \`orrery get\` prints it, \`orrery show\` too.`);
  }
  if (values.limit !== undefined && path?.kind !== "container") {
    throw new BadOption("--limit is for the items of a container.");
  }
  const countMax = numberOf("--limit", values.limit, 1, 1e9) ?? LIMIT;
  const isJson = values.json === true;
  await withClient(values, environment, async (client) => {
    if (path === undefined) await listDatabases(client, isJson);
    else if (path.kind === "database") await listContainers(client, path, isJson);
    else await listItems(client, path, { countMax, isJson });
  });
}

async function listDatabases(client: ResourceClient, isJson: boolean): Promise<void> {
  const question = { method: "GET", of: "account" } as const;
  const databases = await client.listed(question, "Databases", "list of databases");
  const told = await throughputs(client);
  const rows = await Promise.all(
    databases.map(async (database) => {
      const id = idOf(database);
      const of: DatabaseTarget = { kind: "database", database: id };
      const containers = await containersOf(client, of);
      const throughput = told(database);
      return isJson
        ? { id, containers: containers.length, throughput: throughputJson(throughput) }
        : { id, containers: containers.length, throughput: throughputText(throughput, "") };
    }),
  );
  print(rows, isJson, "There are no databases. `orrery create <db>` makes one.");
}

async function listContainers(
  client: ResourceClient,
  path: DatabaseTarget,
  isJson: boolean,
): Promise<void> {
  const containers = await containersOf(client, path);
  const told = await throughputs(client);
  const rows = containers.map((container): JsonObject => {
    const [key, ttl] = [property(container, "partitionKey"), property(container, "defaultTtl")];
    const paths = isObject(key) ? ((property(key, "paths") ?? []) as readonly string[]) : [];
    const throughput = told(container);
    if (isJson) {
      const shown = { id: idOf(container), partitionKey: paths, defaultTtl: ttl ?? null };
      return { ...shown, throughput: throughputJson(throughput) };
    }
    return {
      id: idOf(container),
      "partition key": paths.join(", "),
      throughput: throughputText(throughput, "of its database"),
      ttl: ttlText(ttl),
    };
  });
  const more = `There are no containers in '${path.database}'. \`orrery create\` makes one.`;
  print(rows, isJson, more);
}

export function ttlText(ttl: JsonValue | undefined): string {
  if (ttl === undefined || ttl === null) return "off";
  return ttl === -1 ? "as items say" : `${String(ttl)} s`;
}

async function containersOf(
  client: ResourceClient,
  path: DatabaseTarget,
): Promise<readonly JsonObject[]> {
  const question = { method: "GET", of: path, list: "colls" } as const;
  return await client.listed(question, "DocumentCollections", aboutOf(path));
}

async function listItems(
  client: ResourceClient,
  path: ContainerTarget,
  { countMax, isJson }: { readonly countMax: number; readonly isJson: boolean },
): Promise<void> {
  const definition = await definitionOf(client, path);
  const rows: JsonObject[] = [];
  let continuation: string | undefined;
  do {
    const answer = await client.ask({
      method: "POST",
      of: path,
      list: "docs",
      headers: {
        "content-type": "application/query+json",
        [HEADER.isQuery]: "True",
        [HEADER.mergeQuery]: "true",
        [HEADER.crossPartition]: "true",
        [HEADER.maxItemCount]: String(Math.min(countMax - rows.length, 1000)),
        ...(continuation !== undefined && { [HEADER.continuation]: continuation }),
      },
      body: JSON.stringify({ query: "SELECT * FROM c", parameters: [] }),
    });
    if (answer.status !== 200) throw client.refusal(answer, aboutOf(path));
    const page = rowsOfPage(answer.body) ?? [];
    for (const item of page as readonly JsonObject[]) {
      const written = new Date(Number(property(item, "_ts")) * 1000).toISOString();
      rows.push({ id: idOf(item), ...keyMembers(item, definition), written });
    }
    const next = answer.headers[HEADER.continuation];
    continuation = typeof next === "string" && next !== "" ? next : undefined;
  } while (continuation !== undefined && rows.length < countMax);
  const name = `${path.database}/${path.container}`;
  print(rows, isJson, `There are no items in '${name}'. \`orrery put\` writes some.`);
  if (continuation !== undefined) process.stderr.write("There are more; --limit shows them.\n");
}

function idOf(resource: JsonObject): string {
  return String(property(resource, "id"));
}

/** `none` is said to people where a table would be empty. */
function print(rows: readonly JsonObject[], isJson: boolean, none: string): void {
  if (isJson) printJson(rows);
  else if (rows.length === 0) process.stderr.write(`${none}\n`);
  else {
    const width = process.stdout.columns || undefined;
    process.stdout.write(tableOf(rows as readonly Carried[], width));
  }
}
