/**
 * A proof on a server that somebody else runs: with that server's limits, and nothing of it is left
 * there unless somebody wants it.
 */
import * as official from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASE, ProvingGround } from "../../src/cli/lab/proveGround.ts";
import { measureCase } from "../../src/cli/lab/proveRun.ts";
import { runLab } from "../../src/lab/lab.ts";
import type { Measurement } from "../../src/lab/prove/measurement.ts";
import { planOf } from "../../src/lab/prove/plan.ts";
import type { ProofCase } from "../../src/lab/prove/proofCase.ts";
import { readWorkload } from "../../src/lab/workload/workloadText.ts";
import { type Limits, SERVICE_LIMITS } from "../../src/model/limits.ts";
import { type OrreryServer, startOrrery } from "../../src/server/start.ts";

const TEXT = `
name: small
item: {bytes: 500, example: {id: a, user: u, text: t}}
properties: {/user: {distinct: 60}}
growth: {itemsPerDay: 1000, retentionDays: 100}
throughput: 1000
operations:
  - {id: see, kind: pointRead, rate: 20}
  - {id: change, kind: replace, rate: 0.01}
candidates: [/user]
horizonMonths: 6
`;

/** Two physical partitions for what is stored here. */
const PARTITION_BYTES = 150_000;
const KEY_BYTES = 100_000;
const LIMITS: Limits = {
  ...SERVICE_LIMITS,
  physicalPartitionBytesMax: PARTITION_BYTES,
  logicalPartitionBytesMax: KEY_BYTES,
};

let server: OrreryServer;

beforeAll(async () => {
  server = await startOrrery({
    memory: true,
    port: 0,
    limits: { physicalPartitionBytes: PARTITION_BYTES, logicalPartitionBytes: KEY_BYTES },
    alerts: { physicalPartitionFill: { enabled: false } },
  });
});

afterAll(() => server.close());

async function proved(isKept: boolean): Promise<{ proofCase: ProofCase; measured: Measurement }> {
  const read = readWorkload(TEXT, "yaml", "small");
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  const advice = runLab({
    workload: read.value,
    profile: undefined,
    candidates: [],
    onlyNamed: true,
    current: undefined,
    limits: SERVICE_LIMITS,
    startMillis: Date.UTC(2026, 0, 1),
    seed: 1,
  });
  const simulations = advice.candidates.map(({ simulation }) => simulation);
  const plan = planOf({
    workload: read.value,
    simulations,
    limits: SERVICE_LIMITS,
    serverLimits: LIMITS,
    factor: undefined,
    items: 300,
    rate: 20,
    seconds: 1,
    operationCount: 200,
    seed: 1,
  });
  const proofCase = plan.caseOf(simulations[0]!.candidate);
  const ground = await ProvingGround.open({
    official,
    account: { endpoint: new URL(server.endpoint), key: server.key },
    limits: proofCase.limits,
    consistency: "Session",
  });
  try {
    const measured = await measureCase(ground, proofCase, {
      models: plan.models,
      nowMillis: plan.nowMillis,
      provisioned: plan.scale.provisioned,
      keyBytesMax: plan.scale.limits.logicalPartitionBytesMax,
      ...plan.tracesOf(proofCase),
      indexing: undefined,
      containerId: "proof",
      isKept,
      isInterrupted: () => false,
      onProgress: () => {},
    });
    return { proofCase, measured };
  } finally {
    await ground.close();
  }
}

async function containerIds(): Promise<readonly string[] | undefined> {
  const client = new official.CosmosClient({ endpoint: server.endpoint, key: server.key });
  try {
    const { resources: databases } = await client.databases.readAll().fetchAll();
    if (databases.every(({ id }) => id !== DATABASE)) return undefined;
    const { resources } = await client.database(DATABASE).containers.readAll().fetchAll();
    return resources.map(({ id }) => id);
  } finally {
    client.dispose();
  }
}

describe("a proof on somebody else's server", { timeout: 60_000 }, () => {
  it("is predicted with the limits of that server, and leaves nothing there", async () => {
    const { proofCase, measured } = await proved(false);
    const predicted = proofCase.prediction.partitions;
    expect(predicted.length).toBeGreaterThan(1);
    expect(measured.partitions.map(({ bytes }) => bytes)).toEqual(
      predicted.map(({ bytes }) => Math.round(bytes)),
    );
    // What is rare was sent often enough to be seen, and counts by its rate.
    const change = measured.operations.find(({ id }) => id === "change")!;
    expect(change.count).toBe(10);
    const total = measured.partitions.reduce((sum, { rate }) => sum + rate, 0);
    const expected = predicted.reduce((sum, { rates }) => sum + rates[0]!, 0);
    expect(Math.abs(total / expected - 1)).toBeLessThan(0.01);
    expect(await containerIds()).toBeUndefined();
  });

  it("leaves its container where it is told to", async () => {
    await proved(true);
    expect(await containerIds()).toEqual(["proof"]);
  });
});
