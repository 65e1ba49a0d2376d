/** The container that is copied, made and filled through the command, as a user would. */
import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { CosmosClient } from "@azure/cosmos";
import type { Site } from "../crash/site.ts";
import type { CopiedItems } from "./copiedItems.ts";

const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
/** Two physical partitions to begin with. */
const THROUGHPUT = 20_000;

interface Loading {
  readonly database: string;
  readonly container: string;
  /** For the file that is loaded. */
  readonly folder: string;
}

export async function loadItems(
  { endpoint, key }: Site,
  items: CopiedItems,
  { database: databaseId, container, folder }: Loading,
): Promise<void> {
  const client = new CosmosClient({ endpoint, key });
  const { database } = await client.databases.create({ id: databaseId });
  await database.containers.create({
    id: container,
    partitionKey: { paths: ["/pk"], version: 2 },
    throughput: THROUGHPUT,
    defaultTtl: -1,
  });
  client.dispose();
  const file = join(folder, "items.ndjson");
  const out = createWriteStream(file);
  for (let number = 0; number < items.itemCount; number++) {
    const item = items.itemOf(number, items.loaded(number)!);
    if (!out.write(`${JSON.stringify(item)}\n`)) {
      await new Promise<void>((resolve) => out.once("drain", resolve));
    }
  }
  out.end();
  await finished(out);
  const args = [CLI, "import", `${databaseId}/${container}`, file, "--endpoint", endpoint];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  const code = await new Promise((resolve) => child.once("exit", resolve));
  if (code !== 0) throw new Error(`the import ended with ${String(code)}`);
}
