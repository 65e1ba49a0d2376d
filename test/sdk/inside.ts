/**
 * What the admin API says of a server, for tests that look inside or change what is there. It costs
 * nothing and counts in no statistics, so asking moves none of what is asked about.
 */
import type { Container, Database } from "@azure/cosmos";
import { expect } from "vitest";
import type { OrreryServer } from "../../src/index.ts";
import type {
  JobAnswer,
  JobEntry,
  JobsAnswer,
  LocateReport,
  MergeQuestion,
  SplitQuestion,
} from "../../src/protocol/admin.ts";
import { ADMIN_API, METRICS_PATH } from "../../src/protocol/admin.ts";
import type { ContainerReport } from "../../src/statistics/report.ts";

type Place = Pick<OrreryServer, "endpoint">;

/** Fails unless the answer is one of success. */
export async function ask<T>({ endpoint }: Place, path: string, body?: object): Promise<T> {
  const post = { method: "POST", headers: JSON_TYPE, body: JSON.stringify(body) };
  const answer = await fetch(`${endpoint}${ADMIN_API}${path}`, body && post);
  const text = await answer.text();
  expect(answer.ok, `${path}: ${answer.status} ${text}`).toBe(true);
  return JSON.parse(text) as T;
}

const JSON_TYPE = { "content-type": "application/json" };

/** Of a container, below its place in the admin API. */
export function askOf<T>(
  place: Place,
  { id, database }: ContainerPlace,
  path: string,
  body?: object,
): Promise<T> {
  return ask(
    place,
    `containers/${encodeURIComponent(database.id)}/${encodeURIComponent(id)}/${path}`,
    body,
  );
}

type ContainerPlace = Pick<Container, "id"> & {
  readonly database: Pick<Database, "id">;
};

export function reportOf(place: Place, container: ContainerPlace): Promise<ContainerReport> {
  return askOf(place, container, "report");
}

export function locate(
  place: Place,
  container: ContainerPlace,
  ...key: readonly (string | number)[]
): Promise<LocateReport> {
  const text = encodeURIComponent(JSON.stringify(key));
  return askOf(place, container, `locate?key=${text}`);
}

/** Range ids in key order. */
export async function rangeIds(
  place: Place,
  container: ContainerPlace,
): Promise<readonly string[]> {
  return (await reportOf(place, container)).partitions.map(({ id }) => id);
}

/** Range ids of what a physical partition was split into; resolves when it is done. */
export function split(
  place: Place,
  container: ContainerPlace,
  question: SplitQuestion = {},
): Promise<readonly string[]> {
  return reshape(place, container, "split", question);
}

export function merge(
  place: Place,
  container: ContainerPlace,
  ...partitionIds: MergeQuestion["partitionIds"]
): Promise<readonly string[]> {
  return reshape(place, container, "merge", { partitionIds });
}

async function reshape(
  place: Place,
  container: ContainerPlace,
  kind: "split" | "merge",
  question: object,
): Promise<readonly string[]> {
  const { job } = await askOf<JobAnswer>(place, container, kind, question);
  const { outcome } = await endOf(place, job.id);
  expect(outcome).toMatchObject({ state: "done" });
  return outcome?.state === "done" ? outcome.newPartitionIds : [];
}

async function endOf(place: Place, jobId: string): Promise<JobEntry> {
  for (;;) {
    const { jobs } = await ask<JobsAnswer>(place, "jobs");
    const job = jobs.find(({ id }) => id === jobId);
    expect(job, `job ${jobId}`).toBeDefined();
    if (job!.outcome !== undefined) return job!;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** What is measured, by the name of the metric and its labels as they are written. */
type Metrics = ReadonlyMap<string, number>;

/** Fails unless every line is what the format of Prometheus allows. */
export async function metricsOf({ endpoint }: Place): Promise<Metrics> {
  const answer = await fetch(`${endpoint}${METRICS_PATH}`);
  const lines = (await answer.text()).split("\n").filter((line) => line !== "");
  const metrics = new Map<string, number>();
  for (const line of lines) {
    if (/^# (HELP|TYPE) [a-z_]+ ./.test(line)) continue;
    const [, series, value] = SERIES.exec(line) ?? [];
    expect(series, line).toBeDefined();
    expect(metrics.has(series!), `${series} is there once`).toBe(false);
    metrics.set(series!, Number(value));
  }
  return metrics;
}

const LABEL = '[a-z_]+="(?:[^"\\\\\\n]|\\\\[\\\\"n])*"';
const SERIES = new RegExp(`^([a-z_]+(?:\\{${LABEL}(?:,${LABEL})*\\})?) (-?[0-9.e+-]+|NaN|\\+Inf)$`);

/** A counter of each physical partition, by range id; of all kinds together. */
export async function countersOf(
  place: Place,
  { id, database }: ContainerPlace,
  name: "request_units" | "requests" | "throttled_requests",
): Promise<ReadonlyMap<string, number>> {
  const prefix = `orrery_partition_${name}_total{database="${database.id}",container="${id}",`;
  const counters = new Map<string, number>();
  for (const [series, value] of await metricsOf(place)) {
    const [, rangeId] = /partition="(\d+)"/.exec(series) ?? [];
    if (!series.startsWith(prefix) || rangeId === undefined) continue;
    counters.set(rangeId, (counters.get(rangeId) ?? 0) + value);
  }
  return counters;
}
