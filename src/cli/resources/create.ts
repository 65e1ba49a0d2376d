/** `orrery create`: makes a database or a container. */
import { parseArgs } from "node:util";
import { isObject, type JsonObject } from "../../json/value.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { HEADER } from "../../protocol/wire/headerNames.ts";
import { BadOption, readFile } from "../../server/surroundings/options.ts";
import { type Environment, SERVER_HELP, SERVER_OPTIONS } from "../connect/serverOptions.ts";
import { definitionOfPaths } from "../import/placement.ts";
import { jsonOrText } from "../query/queryOptions.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { numberOf } from "../terminal/numberOption.ts";
import { printJson, refuseMore, withClient } from "./commandClient.ts";
import { aboutOf, type ResourceClient } from "./resourceClient.ts";
import type { ContainerTarget, DatabaseTarget } from "./resourcePath.ts";
import { resourcePathOf } from "./resourcePath.ts";

export const CREATE_HELP: string = `usage: orrery create <db> [options]
       orrery create <db>/<container> --partition-key <paths> [options]

Makes a database, or a container and its database if that is not there.

  --partition-key <paths>  /customerId, or /tenantId,/userId for a hierarchical key
  --throughput <n>         RU/s, of the container or, for a database, shared by its containers
                           (default: 400 for a container, if its database shares none)
  --autoscale <n>          or the most that autoscale may reach
  --ttl <seconds>          items are deleted so long after they were written; -1: only those that
                           say so themselves
  --index-policy <file>    the indexing policy, as JSON
  --unique-key <paths>     values that are unique in a logical partition: /email, or /first,/last
                           together; may be repeated
  --if-missing             it is no mistake if it is there already; it is left as it is
  --json                   what the server says, as JSON
${SERVER_HELP}\
Ends with 0 when it was made, with 1 when the server refused or was not there, with 2 when an option
makes no sense.

examples: orrery create shop --throughput 1000
          orrery create shop/orders --partition-key /customerId --autoscale 4000 --ttl 86400
`;

const OPTIONS = {
  ...SERVER_OPTIONS,
  "partition-key": { type: "string" },
  throughput: { type: "string" },
  autoscale: { type: "string" },
  ttl: { type: "string" },
  "index-policy": { type: "string" },
  "unique-key": { type: "string", multiple: true },
  "if-missing": { type: "boolean" },
  json: { type: "boolean" },
} as const;

interface Making {
  readonly body: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
  readonly isMissingOnly: boolean;
  readonly isJson: boolean;
}

export async function runCreate(args: string[], environment: Environment): Promise<void> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
  if (values.help === true) {
    process.stdout.write(CREATE_HELP);
    return;
  }
  const [named, extra] = positionals;
  refuseMore(extra);
  if (named === undefined) throw new BadOption("Name what to make: shop, or shop/orders.");
  const path = resourcePathOf(named);
  if (path.kind === "item") throw new BadOption("An item is written by `orrery put`.");
  const shape = {
    headers: throughputHeaders(values.throughput, values.autoscale),
    isMissingOnly: values["if-missing"] === true,
    isJson: values.json === true,
  };
  if (path.kind === "database") {
    const wrong = (["partition-key", "ttl", "index-policy", "unique-key"] as const).find(
      (name) => values[name] !== undefined,
    );
    if (wrong !== undefined)
      throw new BadOption(`--${wrong} is for a container: <db>/<container>.`);
    const making = { ...shape, body: { id: path.database } };
    await withClient(values, environment, (client) => make(client, path, making));
    return;
  }
  const making = { ...shape, body: containerBody(path.container, values) };
  await withClient(values, environment, async (client) => {
    await makeDatabase(client, path.database);
    await make(client, path, making);
  });
}

function throughputHeaders(
  throughput: string | undefined,
  autoscale: string | undefined,
): Readonly<Record<string, string>> {
  if (throughput !== undefined && autoscale !== undefined) {
    throw new BadOption("--throughput and --autoscale exclude each other.");
  }
  const { rateMax } = SERVICE_LIMITS;
  const rate = numberOf("--throughput", throughput, 1, rateMax);
  const most = numberOf("--autoscale", autoscale, 1, rateMax);
  if (rate !== undefined) return { [HEADER.offerThroughput]: String(rate) };
  if (most === undefined) return {};
  return { [HEADER.autoscaleSettings]: JSON.stringify({ maxThroughput: most }) };
}

function containerBody(
  id: string,
  values: {
    readonly "partition-key"?: string | undefined;
    readonly ttl?: string | undefined;
    readonly "index-policy"?: string | undefined;
    readonly "unique-key"?: readonly string[] | undefined;
  },
): JsonObject {
  const paths = values["partition-key"];
  if (paths === undefined) {
    throw new BadOption("A container needs --partition-key, such as /customerId or /tenant,/user.");
  }
  const definition = definitionOfPaths(paths);
  if (definition === undefined || definition.paths.length > SERVICE_LIMITS.keyLevelsMax) {
    const most = SERVICE_LIMITS.keyLevelsMax;
    throw new BadOption(`--partition-key is '${paths}'; it must be one to ${most} paths: /a,/b.`);
  }
  const ttl = values.ttl === "-1" ? -1 : numberOf("--ttl", values.ttl, 1, 2 ** 31 - 1, ", or -1");
  const policyFile = values["index-policy"];
  const unique = values["unique-key"]?.map((text) => ({ paths: uniquePaths(text) }));
  const { kind, version } = definition;
  return {
    id,
    partitionKey: { paths: definition.paths, kind, version },
    ...(ttl !== undefined && { defaultTtl: ttl }),
    ...(policyFile !== undefined && { indexingPolicy: policyIn(policyFile) }),
    ...(unique !== undefined && { uniqueKeyPolicy: { uniqueKeys: unique } }),
  };
}

function uniquePaths(text: string): readonly string[] {
  const paths = text.split(",").map((path) => path.trim());
  if (paths.every((path) => /^\/[^/]/.test(path))) return paths;
  throw new BadOption(`--unique-key is '${text}'; it must be paths, such as /email or /a,/b.`);
}

function policyIn(file: string): JsonObject {
  const policy = jsonOrText(readFile(file, "--index-policy"));
  if (isObject(policy)) return policy;
  throw new BadOption(`--index-policy names ${file}, which is no JSON object.`);
}

async function makeDatabase(client: ResourceClient, database: string): Promise<void> {
  const of: DatabaseTarget = { kind: "database", database };
  const found = await client.ask({ method: "GET", of });
  if (found.status === 200) return;
  if (found.status !== 404) throw client.refusal(found, aboutOf(of));
  const body = JSON.stringify({ id: database });
  const answer = await client.ask({ method: "POST", of: "account", body });
  // Somebody else may have made it meanwhile, which is as good.
  if (answer.status >= 300 && answer.status !== 409) throw client.refusal(answer, aboutOf(of));
  if (answer.status === 201) process.stderr.write(`Made database '${database}', too.\n`);
}

async function make(
  client: ResourceClient,
  path: DatabaseTarget | ContainerTarget,
  { body, headers, isMissingOnly, isJson }: Making,
): Promise<void> {
  const isContainer = path.kind === "container";
  const of = isContainer ? ({ kind: "database", database: path.database } as const) : "account";
  const list = isContainer ? ({ list: "colls" } as const) : {};
  const text = JSON.stringify(body);
  const answer = await client.ask({ method: "POST", of, ...list, headers, body: text });
  if (answer.status === 409) {
    if (!isMissingOnly) {
      throw new CommandFailure(
        `There is a ${aboutOf(path)} already. --if-missing leaves it as it is.`,
      );
    }
    if (isJson) printJson(await client.json({ method: "GET", of: path }, aboutOf(path)));
    else process.stdout.write(`There is a ${aboutOf(path)} already; it was left as it is.\n`);
    return;
  }
  if (answer.status >= 300) throw client.refusal(answer, aboutOf(path));
  if (isJson) process.stdout.write(`${answer.body}\n`);
  else process.stdout.write(`Made ${aboutOf(path)}.\n`);
}
