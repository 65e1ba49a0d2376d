/**
 * Where a proof takes place: a throw-away server with the limits of the scale, or one that somebody
 * else runs; the official client in front of it, which tries nothing again; and its admin API.
 */

import type { Container, CosmosClient } from "@azure/cosmos";
import { pause } from "../../base/retry.ts";
import type { Workload } from "../../lab/workload/workload.ts";
import type { Limits } from "../../model/limits.ts";
import type { PartitionKeyDefinition } from "../../model/partitionKey.ts";
import type { JobsAnswer } from "../../protocol/admin.ts";
import { HEADER } from "../../protocol/wire/headerNames.ts";
import { startOrrery } from "../../server/start.ts";
import { realTimer } from "../../server/surroundings/realWorld.ts";
import type { ContainerReport } from "../../statistics/report.ts";
import { AdminClient, routeOf } from "../connect/adminClient.ts";
import { type Answer, ServerConnection } from "../connect/connection.ts";
import type { OfficialClient } from "../connect/officialClient.ts";
import type { ServerAccount } from "../connect/serverOptions.ts";
import { CommandFailure } from "../terminal/failure.ts";

export const DATABASE = "orrery-lab-prove";

/** What a physical partition has counted since it was opened. */
export interface PartitionCount {
  readonly ru: number;
  readonly requests: number;
  readonly throttled: number;
}

export interface MeasuredSize {
  readonly partitionKey?: unknown;
  readonly itemBytes: number;
}

/** As many as the server tells at once. */
const KEYS_MAX = 1000;

interface NewContainer {
  readonly key: PartitionKeyDefinition;
  /** Undefined: everything is indexed. */
  readonly indexing: Workload["indexing"];
  /** RU/s. */
  readonly throughput: number;
  /** Time to live of its items; undefined: none has any. */
  readonly ttlSeconds?: number | undefined;
}

interface GroundSetting {
  readonly official: OfficialClient;
  readonly limits: Limits;
  readonly consistency: ConsistencyText;
  /** Undefined: a server of its own. */
  readonly account: ServerAccount | undefined;
}

export type ConsistencyText =
  | "Strong"
  | "BoundedStaleness"
  | "Session"
  | "ConsistentPrefix"
  | "Eventual";

/** No rate of a scale reaches it, so that splits are by size only. */
const PARTITION_RATE = 1_000_000;

export class ProvingGround {
  readonly #official: OfficialClient;
  readonly #account: ServerAccount;
  readonly #client: CosmosClient;
  readonly #admin: AdminClient;
  readonly #metrics: ServerConnection;
  readonly #stop: () => Promise<void>;
  #isDatabaseOurs = false;

  private constructor(official: OfficialClient, account: ServerAccount, stop: () => Promise<void>) {
    this.#official = official;
    this.#account = account;
    this.#stop = stop;
    this.#admin = new AdminClient(account);
    this.#metrics = new ServerConnection(account);
    this.#client = new official.CosmosClient({
      // The lab predicts one merged answer.
      defaultHeaders: { [HEADER.mergeQuery]: "true" },
      endpoint: account.endpoint.href,
      key: account.key,
      connectionPolicy: {
        enableEndpointDiscovery: false,
        retryOptions: {
          maxRetryAttemptCount: 0,
          fixedRetryIntervalInMilliseconds: 0,
          maxWaitTimeInSeconds: 0,
        },
      },
    });
  }

  static async open(setting: GroundSetting): Promise<ProvingGround> {
    const { official, account, limits, consistency } = setting;
    if (account !== undefined) return new ProvingGround(official, account, async () => {});
    const server = await startOrrery({
      memory: true,
      port: 0,
      consistency,
      alerts: NO_ALERTS,
      manualRatePerPartition: limits.partitionRateMax,
      limits: {
        logicalPartitionBytes: limits.logicalPartitionBytesMax,
        physicalPartitionBytes: limits.physicalPartitionBytesMax,
        partitionRate: PARTITION_RATE,
      },
    });
    const own = { endpoint: new URL(server.endpoint), key: server.key };
    return new ProvingGround(official, own, () => server.close());
  }

  /** A database that was made for this goes with its last container. */
  async close(): Promise<void> {
    if (this.#isDatabaseOurs) await this.#dropIfEmpty().catch(() => undefined);
    this.#client.dispose();
    this.#admin.close();
    this.#metrics.close();
    await this.#stop();
  }

  async #dropIfEmpty(): Promise<void> {
    const database = this.#client.database(DATABASE);
    const { resources } = await database.containers.readAll().fetchAll();
    if (resources.length === 0) await database.delete();
  }

  async create(
    id: string,
    { key, indexing, throughput, ttlSeconds }: NewContainer,
  ): Promise<Container> {
    const { database, statusCode } = await this.#client.databases.createIfNotExists({
      id: DATABASE,
    });
    this.#isDatabaseOurs ||= statusCode === CREATED;
    const { container } = await database.containers.create({
      id,
      partitionKey: { ...key, paths: [...key.paths] } as never,
      throughput,
      ...(indexing === undefined ? {} : { indexingPolicy: indexing as never }),
      ...(ttlSeconds === undefined ? {} : { defaultTtl: ttlSeconds }),
    });
    return container;
  }

  /** Of the container, whatever it takes until the server has it. */
  async setRate(container: Container, ratePerSecond: number): Promise<void> {
    const { resource } = await container.readOffer();
    if (resource === undefined) throw new CommandFailure(`${container.id} has no rate of its own.`);
    const changed = {
      ...resource,
      content: { ...resource.content, offerThroughput: ratePerSecond },
    };
    try {
      await this.#client.offer(resource.id!).replace(changed as never);
    } catch (error) {
      const { code } = this.refusalOf(error);
      const [reason] = (error as Error).message.split("\n");
      throw new CommandFailure(
        `The server refused ${ratePerSecond} RU/s for ${container.id} with ${code}: ${reason} ` +
          "What it asks for grows with what is stored: take fewer --items, or a higher --rate.",
      );
    }
    await this.settled(container);
  }

  /** Until no split is under way. */
  async settled(container: Container): Promise<void> {
    for (;;) {
      const [{ jobs }, report] = await Promise.all([
        this.#admin.get<JobsAnswer>("jobs"),
        this.report(container),
      ]);
      const isBusy = jobs.some(
        ({ container: name, outcome }) => name === container.id && outcome === undefined,
      );
      if (!isBusy && report.jobs.length === 0 && report.throughput.pendingRate === undefined)
        return;
      await pause(realTimer, LOOK_MS);
    }
  }

  report(container: Container): Promise<ContainerReport> {
    const name = { database: DATABASE, container: container.id };
    return this.#admin.get<ContainerReport>(routeOf(name, "report"));
  }

  /** Bytes of the largest logical partitions, the largest first. */
  async largestKeys(container: Container): Promise<readonly MeasuredSize[]> {
    const name = { database: DATABASE, container: container.id };
    const route = routeOf(name, `topKeys?by=size&count=${KEYS_MAX}`);
    return (await this.#admin.get<{ readonly keys: readonly MeasuredSize[] }>(route)).keys;
  }

  /** By range id. */
  async counts(container: Container): Promise<ReadonlyMap<string, PartitionCount>> {
    return countsIn(await this.#metricsText(), container.id);
  }

  /** Of several containers at one moment, each by range id. */
  async countsOf(
    containers: readonly Container[],
  ): Promise<readonly ReadonlyMap<string, PartitionCount>[]> {
    const text = await this.#metricsText();
    return containers.map(({ id }) => countsIn(text, id));
  }

  async #metricsText(): Promise<string> {
    const ask = (headers: Record<string, string>): Promise<Answer> =>
      this.#metrics.ask({ method: "GET", path: "/_orrery/metrics", headers });
    let { status, body } = await ask({});
    // Only a server that is asked from another machine wants the key.
    if (status === 401) {
      ({ status, body } = await ask({ authorization: `Bearer ${this.#account.key}` }));
    }
    if (status !== 200) {
      throw new CommandFailure(`The metrics of ${this.#account.endpoint.origin} say ${status}.`);
    }
    return body;
  }

  /** What the service said when it said no; anything else is thrown on. */
  refusalOf(error: unknown): { readonly code: number; readonly substatus: number } {
    if (!(error instanceof this.#official.ErrorResponse)) throw error;
    return { code: Number(error.code), substatus: error.substatus ?? 0 };
  }
}

const LOOK_MS = 50;
const CREATED = 201;

/** A proof says itself what these would put into the log. */
const NO_ALERTS: object = Object.fromEntries(
  [
    "hotPartition",
    "throttledRequests",
    "crossPartitionQueries",
    "costlyFanOut",
    "overProvisioned",
    "saturatedPartition",
    "uniformSaturation",
    "storageSkew",
    "unevenKeys",
    "largeLogicalPartition",
    "physicalPartitionFill",
  ].map((rule) => [rule, { enabled: false }]),
);

const FAMILIES: ReadonlyMap<string, keyof PartitionCount> = new Map([
  ["orrery_partition_request_units_total", "ru"],
  ["orrery_partition_requests_total", "requests"],
  ["orrery_partition_throttled_requests_total", "throttled"],
]);

/** Of the text that monitoring reads: a line for each series. */
export function countsIn(text: string, container: string): ReadonlyMap<string, PartitionCount> {
  const counts = new Map<string, { ru: number; requests: number; throttled: number }>();
  for (const line of text.split("\n")) {
    const [, family, labels, value] = /^(\w+)\{(.*)\} (\S+)/.exec(line) ?? [];
    const member = FAMILIES.get(family ?? "");
    if (member === undefined || labelIn(labels!, "container") !== container) continue;
    const id = labelIn(labels!, "partition") ?? "";
    const known = counts.get(id) ?? { ru: 0, requests: 0, throttled: 0 };
    known[member] += Number(value);
    counts.set(id, known);
  }
  return counts;
}

function labelIn(labels: string, name: string): string | undefined {
  return new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1];
}
