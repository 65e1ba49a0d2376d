/**
 * `orrery snapshot load`: makes in a running server what a seed says: first databases, containers
 * and scripts, then items, some megabytes at a time. The server reads none of the files.
 */
import { parseArgs } from "node:util";
import { jsonText } from "../../json/stringify.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import type { Throughput } from "../../model/throughput.ts";
import type { SeedContainer, SeedScript, ServerSeed } from "../../seed/seed.ts";
import type { InitCounts, InitReport } from "../../server/seed/initReport.ts";
import { noCounts, reportText } from "../../server/seed/initReport.ts";
import { loadSeeds } from "../../server/seed/loadSeeds.ts";
import { itemsOf } from "../../server/seed/seedItems.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import { realClock } from "../../server/surroundings/realWorld.ts";
import { AdminClient, routeOf } from "../connect/adminClient.ts";
import type { Environment } from "../connect/serverOptions.ts";
import { accountOf, SERVER_HELP, SERVER_OPTIONS } from "../connect/serverOptions.ts";

export const SNAPSHOT_LOAD_HELP: string = `usage: orrery snapshot load <file or folder> [options]

Makes in a running server what a snapshot, or any other seed, says and is not there: databases,
containers, scripts and items (docs/use/seed.md). What is there is left as it is. Nothing of it
costs request units.

  --reset                  go back to what the server began with before that; only one that keeps
                           nothing (--memory) does
${SERVER_HELP}\
Ends with 0 when all of it is there, with 1 when the server refused or was not there, with 2 when
the seed or an option makes no sense.
`;

const CHUNK_BYTES = 4 * 1024 * 1024;

export async function runSnapshotLoad(args: string[], environment: Environment): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { ...SERVER_OPTIONS, reset: { type: "boolean" } },
  });
  if (values.help === true) {
    process.stdout.write(SNAPSHOT_LOAD_HELP);
    return;
  }
  const [path, extra] = positionals;
  if (path === undefined || extra !== undefined) throw new BadOption("Name one file or folder.");
  const seeds = loadSeeds(path);
  const client = new AdminClient(accountOf(values, environment));
  const startedAt = realClock.now();
  const sum = new ReportSum();
  try {
    if (values.reset === true) await client.post("reset", {});
    for (const seed of seeds) {
      sum.add(await client.post<InitReport>("seed", definitionsIn(seed)));
      for (const { id, containers } of seed.databases) {
        for (const container of containers) await fill(client, id, container, sum);
      }
    }
  } finally {
    client.close();
  }
  const seconds = (realClock.now() - startedAt) / 1000;
  for (const difference of sum.differences) process.stderr.write(`orrery: ${difference}\n`);
  process.stdout.write(`${reportText(sum)}, in ${seconds.toFixed(1)} s\n`);
}

async function fill(
  client: AdminClient,
  database: string,
  { id, items }: SeedContainer,
  sum: ReportSum,
): Promise<void> {
  const route = routeOf({ database, container: id }, "seedItems");
  let texts: string[] = [];
  let bytes = 0;
  const send = async (): Promise<void> => {
    if (texts.length === 0) return;
    const text = `{"items":[${texts.join(",")}]}`;
    [texts, bytes] = [[], 0];
    // Databases and containers were counted when they were made.
    sum.add(await client.postText<InitReport>(route, text));
  };
  for await (const some of itemsOf(items)) {
    for (const { body } of some) {
      const text = Buffer.isBuffer(body) ? body.toString("utf8") : jsonText(body);
      texts.push(text);
      bytes += text.length;
      if (bytes >= CHUNK_BYTES) await send();
    }
  }
  await send();
}

/** The seed without items, as a value. */
function definitionsIn({ databases }: ServerSeed): object {
  const entries = databases.map(({ id, throughput, containers }) => {
    const members = containers.map((container) => [container.id, definitionOf(container)] as const);
    return [id, { ...rateOf(throughput), containers: Object.fromEntries(members) }] as const;
  });
  return { databases: Object.fromEntries(entries) };
}

function definitionOf({ body, throughput, scripts }: SeedContainer): JsonObject {
  const named = (kind: SeedScript["kind"], value: (script: SeedScript) => JsonValue) =>
    Object.fromEntries(
      scripts.filter((one) => one.kind === kind).map((one) => [one.id, value(one)]),
    );
  return {
    ...body,
    ...rateOf(throughput),
    storedProcedures: named("storedProcedure", codeOf),
    userDefinedFunctions: named("userDefinedFunction", codeOf),
    triggers: named("trigger", (script) => ({
      type: script.terms["triggerType"]!,
      operation: script.terms["triggerOperation"]!,
      body: codeOf(script),
    })),
  };
}

function codeOf({ code }: SeedScript): string {
  return "text" in code ? code.text : "";
}

function rateOf(throughput: Throughput | undefined): JsonObject {
  if (throughput === undefined) return {};
  return throughput.kind === "manual"
    ? { throughput: throughput.ratePerSecond }
    : { autoscale: throughput.rateMax };
}

/** What came of several requests, as of one. */
class ReportSum implements InitReport {
  readonly from: readonly string[] = [];
  readonly made: InitCounts = noCounts();
  readonly found: InitCounts = noCounts();
  readonly differences: string[] = [];
  differingItems = 0;

  add({ made, found, differingItems, differences }: InitReport): void {
    for (const name of ["databases", "containers", "scripts", "items"] as const) {
      this.made[name] += made[name];
      this.found[name] += found[name];
    }
    this.differingItems += differingItems;
    this.differences.push(...differences);
  }
}
