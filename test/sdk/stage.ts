/**
 * A server of its own and the official client in front of it, for one test or one file of tests.
 *
 * Whatever is opened here is given back when it is disposed: the server, the client's timers and
 * the directories. Nothing is shared between two stages, so no test sees another one's data.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type {
  Container,
  CosmosClientOptions,
  Database,
  ItemDefinition,
  PartitionKeyDefinition,
  QueryIterator,
} from "@azure/cosmos";
import { CosmosClient, ErrorResponse } from "@azure/cosmos";
import type { OrreryOptions, OrreryServer } from "../../src/index.ts";
import { startOrrery } from "../../src/index.ts";

export interface Stage extends AsyncDisposable {
  readonly server: OrreryServer;
  readonly client: CosmosClient;
  /** Made anew for each stage. */
  readonly database: Database;
}

/** A throw-away server unless the options say otherwise; likewise it does not limit rates. */
export async function openStage(options: OrreryOptions = { memory: true }): Promise<Stage> {
  const server = await startOrrery({ rateLimit: false, ...options });
  const client = clientOf(server);
  const { database } = await client.databases.createIfNotExists({ id: "stage" });
  return {
    server,
    client,
    database,
    async [Symbol.asyncDispose]() {
      client.dispose();
      await server.close();
    },
  };
}

export function clientOf(
  { endpoint, key }: Pick<OrreryServer, "endpoint" | "key">,
  options: CosmosClientOptions = {},
): CosmosClient {
  return new CosmosClient({ endpoint, key, ...options });
}

let containerCount = 0;

/** A container with a name of its own. */
export async function openContainer(
  database: Database,
  options: {
    readonly partitionKey?: PartitionKeyDefinition;
    readonly throughput?: number;
    readonly defaultTtl?: number;
  } = {},
): Promise<Container> {
  const id = `container-${++containerCount}`;
  const partitionKey = options.partitionKey ?? { paths: ["/pk"] };
  const { container } = await database.containers.create({ id, ...options, partitionKey });
  return container;
}

export interface TemporaryDirectory extends Disposable {
  readonly path: string;
}

export function temporaryDirectory(): TemporaryDirectory {
  const path = mkdtempSync(join(tmpdir(), "orrery-test-"));
  return {
    path,
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** What the client says when the service says no. Fails when the service does not. */
export async function refusalOf(
  attempt: Promise<unknown>,
): Promise<{ readonly status: unknown; readonly substatus: unknown; readonly message: string }> {
  const outcome = await attempt.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome === undefined) throw new Error("the service was expected to refuse, and did not");
  // Around a batch the client wraps what the service said.
  const answer = outcome instanceof Error ? (outcome.cause ?? outcome) : outcome;
  if (!(answer instanceof ErrorResponse)) throw outcome;
  const { code, substatus, message } = answer;
  return { status: code, substatus, message };
}

/** All pages of an iterator, as the client hands them out. */
export async function pagesOf<T>(iterator: QueryIterator<T>): Promise<readonly (readonly T[])[]> {
  const pages: T[][] = [];
  while (iterator.hasMoreResults()) pages.push((await iterator.fetchNext()).resources);
  return pages;
}

/** An item without what the service adds to it. */
export function ownPart(item: ItemDefinition | undefined): Record<string, unknown> {
  const { _rid, _self, _etag, _attachments, _ts, ...own } = item ?? {};
  return own;
}

/** Rids are base64 with a minus for the slash. */
export function ridBytes(rid: string): Buffer {
  return Buffer.from(rid.replaceAll("-", "/"), "base64");
}

/** The range id an answer names: the physical partition that gave it. */
export function rangeIdOf(answer: { readonly headers: Readonly<Record<string, unknown>> }): string {
  return String(answer.headers["x-ms-documentdb-partitionkeyrangeid"]);
}
