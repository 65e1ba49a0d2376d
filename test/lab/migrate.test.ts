/**
 * From advice to migration on the command line: the job that the verdict becomes, the container
 * that comes of it, and its load beside what was predicted.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { CosmosClient } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seededRandom } from "../../src/base/world.ts";
import type { CopyJobEntry } from "../../src/model/copyJob.ts";
import { type OrreryServer, startOrrery } from "../../src/server/start.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../sdk/stage.ts";

const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

const WORKLOAD = `\
name: shop
item: {bytes: 280}
properties:
  /customerId: {distinct: 40}
  /status: {distinct: 4, changes: true}
growth: {itemsPerDay: 1000, initialItems: 400, retentionDays: 90}
horizonMonths: 2
operations:
  - {id: see, kind: pointRead, rate: 10}
  - {id: mine, kind: query, rate: 10, sql: "SELECT * FROM c WHERE c.customerId = @c"}
candidates:
  - {id: customer, key: /customerId}
`;

const ITEM_COUNT = 400;
const CUSTOMER_COUNT = 40;

let server: OrreryServer;
let client: CosmosClient;
let folder: TemporaryDirectory;

beforeAll(async () => {
  server = await startOrrery({ memory: true, port: 0 });
  client = new CosmosClient({ endpoint: server.endpoint, key: server.key });
  folder = temporaryDirectory();
  writeFileSync(join(folder.path, "shop.yaml"), WORKLOAD);
  const { database } = await client.databases.createIfNotExists({ id: "shop" });
  const { container } = await database.containers.create({
    id: "orders",
    partitionKey: { paths: ["/status"] },
    throughput: 10_000,
  });
  const random = seededRandom(7);
  for (let number = 0; number < ITEM_COUNT; number++) {
    await container.items.create({
      id: `o${number}`,
      customerId: `c${number % CUSTOMER_COUNT}`,
      status: `s${Math.floor(4 * random.next())}`,
      text: "x".repeat(200),
    });
  }
}, 60_000);

afterAll(async () => {
  client.dispose();
  await server.close();
  folder[Symbol.dispose]();
});

interface Told {
  readonly output: string;
  readonly errors: string;
  readonly code: number | null;
}

async function lab(...args: readonly string[]): Promise<Told> {
  const { PATH, HOME } = process.env;
  const command = [CLI, "lab", ...args, "--endpoint", server.endpoint];
  const child = spawn(process.execPath, command, {
    cwd: folder.path,
    env: { PATH, HOME },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [output, errors] = [text(child.stdout), text(child.stderr)];
  const [code] = (await once(child, "close")) as [number | null];
  return { output: await output, errors: await errors, code };
}

const MIGRATE = ["advise", "--workload", "shop.yaml", "--migrate", "shop/orders"] as const;
const VERIFY = ["verify", "--prediction", "shop.prediction.json", "shop/orders"] as const;

async function admin<T>(route: string, body?: object): Promise<T> {
  const asked = body && {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  return (await (await fetch(`${server.endpoint}/_orrery/v1/${route}`, asked)).json()) as T;
}

describe("a verdict", { timeout: 120_000 }, () => {
  it("is shown as a job, a command and a plan, and nothing is started", async () => {
    const { output, errors, code } = await lab(...MIGRATE);
    expect(errors).toContain("prediction: shop.prediction.json");
    expect(code).toBe(0);
    expect(output).toContain("orrery copy shop/orders shop/orders-by-customerId --key /customerId");
    expect(output).toContain("--online --swap");
    expect(output).toContain(`${CUSTOMER_COUNT} logical partitions`);
    expect(output).toContain("Nothing was started.");
    const { copies } = await admin<{ copies: readonly CopyJobEntry[] }>("jobs");
    expect(copies.map(({ state }) => state)).toEqual(["planned"]);
  });

  it("is a question for programs, and a plan where that is wanted", async () => {
    const { output, code } = await lab(...MIGRATE, "--json", "--to", "shop/other", "--application");
    expect(code).toBe(0);
    expect(JSON.parse(output)).toMatchObject({
      source: { database: "shop", container: "orders" },
      target: { database: "shop", container: "other" },
      key: ["/customerId"],
      mode: "online",
      switchBy: "application",
    });
    const planned = await lab(...MIGRATE, "--json", "--dry-run");
    const { job } = JSON.parse(planned.output) as { job: CopyJobEntry };
    expect(job).toMatchObject({ state: "planned", plan: { copiedCount: ITEM_COUNT } });
  });

  it("is refused in a sentence where there is nothing to carry out", async () => {
    const already = await lab(...MIGRATE, "--key", "/status");
    expect(already).toMatchObject({ code: 1, output: "" });
    expect(already.errors).toContain("has the key /status already");
    const nowhere = await lab("advise", "--workload", "shop.yaml", "--migrate", "shop/none");
    expect(nowhere.code).toBe(1);
    const idle = await lab("advise", "--workload", "shop.yaml", "--yes");
    expect(idle.code).toBe(2);
    expect(idle.errors).toContain("--migrate");
    const early = await lab(...VERIFY);
    expect(early.code).toBe(1);
    expect(early.errors).toContain("was not moved yet");
  });

  it("is carried out, and holds under the load that was predicted", async () => {
    const started = await lab(...MIGRATE, "--yes", "--json");
    expect(started.errors).toContain("prediction: shop.prediction.json");
    const { id } = (JSON.parse(started.output) as { job: CopyJobEntry }).job;
    const state = async () => (await admin<{ job: CopyJobEntry }>(`jobs/${id}`)).job.state;
    await expect.poll(state, { timeout: 60_000 }).toBe("ready");
    await admin(`jobs/${id}/cutOver`, { isForced: true });
    expect(await state()).toBe("switched");
    const quiet = await lab(...VERIFY, "--json");
    expect(JSON.parse(quiet.output)).toMatchObject({ finding: "undecided" });
    expect(quiet.code).toBe(3);
    await admin("containers/shop/orders/recordings", {});
    await sendTraffic(200);
    // What a second has seen counts when it is over.
    const verified = async () => {
      const { output, code } = await lab(...VERIFY, "--json");
      return { code, ...(JSON.parse(output) as Verified) };
    };
    let last: Verified & { code: number | null } = await verified();
    const isDecided = async () => {
      last = await verified();
      return last.code !== 3;
    };
    await expect.poll(isDecided, { timeout: 60_000, interval: 500 }).toBe(true);
    const findings = Object.fromEntries(last.checks.map(({ name, finding }) => [name, finding]));
    expect(findings).toMatchObject({
      ruPerRequest: "held",
      hottestPartition: "held",
      logicalPartitions: "held",
      largestLogicalBytes: "held",
      "ruOf.see": "held",
      "ruOf.mine": "held",
    });
    expect(last).toMatchObject({ code: 0, finding: "held" });
  });

  it("does not hold where something else was predicted", async () => {
    const file = join(folder.path, "shop.prediction.json");
    const prediction = JSON.parse(readFileSync(file, "utf8")) as {
      now: { ruPerSecond: number; hottestPartition: { ruPerSecond: number } };
    };
    prediction.now.ruPerSecond *= 3;
    prediction.now.hottestPartition.ruPerSecond *= 3;
    writeFileSync(join(folder.path, "wrong.json"), JSON.stringify(prediction));
    const { output, code } = await lab("verify", "--prediction", "wrong.json", "shop/orders");
    expect(output).toContain("The prediction does not hold.");
    expect(code).toBe(1);
  });
});

interface Verified {
  readonly finding: string;
  readonly checks: readonly { readonly name: string; readonly finding: string }[];
}

/** As often a read as a query; a new client knows nothing of the old container. */
async function sendTraffic(count: number): Promise<void> {
  const other = new CosmosClient({ endpoint: server.endpoint, key: server.key });
  try {
    const moved = other.database("shop").container("orders");
    for (let number = 0; number < count; number++) {
      const customer = `c${number % CUSTOMER_COUNT}`;
      await moved.item(`o${number % ITEM_COUNT}`, customer).read();
      const query = {
        query: "SELECT * FROM c WHERE c.customerId = @c",
        parameters: [{ name: "@c", value: customer }],
      };
      await moved.items.query(query, { partitionKey: customer }).fetchAll();
    }
  } finally {
    other.dispose();
  }
}
