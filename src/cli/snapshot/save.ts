/** `orrery snapshot save`: writes what a server has, or a data directory, into a folder. */
import { parseArgs } from "node:util";
import { counted } from "../../base/wording.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { isObject, property } from "../../json/value.ts";
import { findDataDirectory } from "../../server/directory/dataDirectory.ts";
import { startOrrery } from "../../server/start.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import { AdminClient } from "../connect/adminClient.ts";
import type { ContainerName, Environment, ServerAccount } from "../connect/serverOptions.ts";
import { accountOf, SERVER_HELP, SERVER_OPTIONS } from "../connect/serverOptions.ts";
import { withoutSystem } from "../export/itemWriter.ts";
import { pagesOf } from "../export/pages.ts";
import { SnapshotFolder } from "./snapshotFolder.ts";

export const SNAPSHOT_SAVE_HELP: string = `usage: orrery snapshot save <folder> [options]

Writes databases, containers with their policies and throughput, scripts and items of a running
server into a folder: init.yaml, a file of items for each container, and the code of scripts. It is
a seed, so \`orrery start --init <folder>\` begins with it, and \`orrery snapshot load\` loads it.
Items come one by one, so end what writes to them if they have to fit together.

  --database <name>        only this database
  --data <directory>       of this data directory, which no server has open
  --force                  also into a folder that has files already
${SERVER_HELP}\
Ends with 0 when all of it was written, with 1 when it could not be, with 2 when an option makes no
sense.
`;

interface Told {
  readonly seed: { readonly databases: JsonObject };
  readonly left: readonly string[];
}

export async function runSnapshotSave(args: string[], environment: Environment): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      ...SERVER_OPTIONS,
      database: { type: "string" },
      data: { type: "string" },
      force: { type: "boolean" },
    },
  });
  if (values.help === true) {
    process.stdout.write(SNAPSHOT_SAVE_HELP);
    return;
  }
  const [path, extra] = positionals;
  if (path === undefined || extra !== undefined) throw new BadOption("Name one folder.");
  const folder = new SnapshotFolder(path, values.force === true);
  const saving = { folder, database: values.database };
  const { data } = values;
  if (data === undefined) {
    await save(accountOf(values, environment), saving);
    return;
  }
  if ((values.endpoint ?? values["connection-string"] ?? values.key) !== undefined) {
    throw new BadOption("--data is a directory, and goes without what names a server.");
  }
  await findDataDirectory(data);
  const server = await startOrrery({ data, rateLimit: false, direct: false });
  try {
    await save({ endpoint: new URL(server.endpoint), key: server.key }, saving);
  } finally {
    await server.close();
  }
}

async function save(
  account: ServerAccount,
  { folder, database }: { readonly folder: SnapshotFolder; readonly database: string | undefined },
): Promise<void> {
  const client = new AdminClient(account);
  try {
    const { seed, left } = await client.get<Told>("seed");
    const databases = Object.entries(seed.databases).filter(
      ([name]) => database === undefined || name === database,
    );
    if (database !== undefined && databases.length === 0) {
      throw new BadOption(`There is no database '${database}'.`);
    }
    folder.begin();
    let [itemCount, containerCount] = [0, 0];
    const written = new Map<string, JsonValue>();
    for (const [name, value] of databases) {
      const members = value as JsonObject;
      const containers = new Map<string, JsonValue>();
      for (const [id, one] of entriesOf(property(members, "containers"))) {
        const container = { database: name, container: id };
        const items = await saveItems(account, folder, container, one);
        itemCount += items?.count ?? 0;
        containerCount++;
        containers.set(id, folder.withCode(container, one, items?.name));
      }
      const own = containers.size === 0 ? {} : { containers: Object.fromEntries(containers) };
      const whole = { ...members, ...own };
      written.set(name, Object.keys(whole).length === 0 ? null : whole);
    }
    folder.complete({ databases: Object.fromEntries(written) });
    const parts = [
      counted(written.size, "database"),
      counted(containerCount, "container"),
      counted(itemCount, "item"),
    ];
    process.stderr.write(`${parts.join(", ")}\nwritten: ${folder.path}\n`);
    for (const one of left) process.stderr.write(`not in it: ${one}\n`);
  } finally {
    client.close();
  }
}

/** Nothing of a view: what is in it follows from its source. */
async function saveItems(
  account: ServerAccount,
  folder: SnapshotFolder,
  name: ContainerName,
  written: JsonObject,
): Promise<{ readonly name: string; readonly count: number } | undefined> {
  if (property(written, "materializedViewDefinition") !== undefined) return undefined;
  const items = folder.items(name);
  for await (const { rows } of pagesOf({ account, name, query: undefined })) {
    items.write(rows.map(withoutSystem));
  }
  return { name: items.name, count: items.end() };
}

function entriesOf(value: JsonValue | undefined): readonly (readonly [string, JsonObject])[] {
  return isObject(value) ? (Object.entries(value) as [string, JsonObject][]) : [];
}
