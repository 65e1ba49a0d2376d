/**
 * A real server in a process of its own as the target of a campaign, asked by the official client:
 * one instance for each of the campaign's clients, so that nothing is shared but the server.
 *
 * The client must not send a write again by itself: the second time might be after a kill, and the
 * checker would take the client's doing for the server's. It repeats lost writes only for accounts
 * with more than one region, and looks for those only if it may discover endpoints.
 */
import type { Container, ItemResponse, OperationInput, RequestOptions } from "@azure/cosmos";
import { CosmosClient } from "@azure/cosmos";
import type { Site } from "../crash/site.ts";
import { PROCEDURE, PROCEDURE_ID, sendProcedure } from "./listProcedure.ts";
import type { Answer, Step, StepResult, Target } from "./target.ts";

/** An item as it is stored. */
interface ListItem {
  readonly id: string;
  readonly pk: string;
  readonly list: readonly number[];
}

export class ServerTarget implements Target, Disposable {
  readonly #site: Site;
  readonly #clients: readonly CosmosClient[];
  readonly #containers: readonly Container[];

  private constructor(site: Site, clients: readonly CosmosClient[]) {
    this.#site = site;
    this.#clients = clients;
    this.#containers = clients.map((client) => client.database("isolation").container("lists"));
  }

  /** Makes the container. */
  static async open(site: Site, clientCount: number): Promise<ServerTarget> {
    const { endpoint, key } = site;
    const connectionPolicy = { enableEndpointDiscovery: false };
    const clients = Array.from(
      { length: clientCount },
      () => new CosmosClient({ endpoint, key, connectionPolicy }),
    );
    const { database } = await clients[0]!.databases.create({ id: "isolation" });
    const partitionKey = { paths: ["/pk"] };
    const { container } = await database.containers.create({ id: "lists", partitionKey });
    const body = PROCEDURE;
    await container.scripts.storedProcedures.create({ id: PROCEDURE_ID, body });
    return new ServerTarget(site, clients);
  }

  async run(client: number, partition: string, steps: readonly Step[]): Promise<Answer> {
    const container = this.#containers[client]!;
    const [first] = steps;
    const asked = await this.#site.ask(() =>
      steps.length === 1
        ? sendOne(container, partition, first!)
        : isByProcedure(client)
          ? sendProcedure(container, partition, steps)
          : sendBatch(container, partition, steps),
    );
    if (asked.kind === "answered") return { kind: "answered", results: asked.value };
    if (asked.kind === "lost") return asked;
    // Refusals of operations in a batch are results: a batch is not refused as a whole.
    if (steps.length > 1) throw new Error(`a batch was refused with ${asked.status}`);
    return { kind: "answered", results: [{ status: asked.status }] };
  }

  async readAll(partition: string): Promise<ReadonlyMap<string, readonly number[]>> {
    const { resources } = await this.#containers[0]!.items.readAll<ListItem>({
      partitionKey: partition,
      maxItemCount: 1000,
    }).fetchAll();
    const own = resources.filter(({ pk }) => pk === partition);
    return new Map(own.map(({ id, list }) => [id, list]));
  }

  [Symbol.dispose](): void {
    for (const client of this.#clients) client.dispose();
  }
}

/** Half of the clients send their transactions as calls of a stored procedure. */
function isByProcedure(client: number): boolean {
  return client % 2 === 1;
}

async function sendOne(
  container: Container,
  pk: string,
  step: Step,
): Promise<readonly StepResult[]> {
  const { statusCode, etag, resource } = await respond(container, pk, step);
  return [{ status: statusCode, etag, values: resource?.list }];
}

function respond(container: Container, pk: string, step: Step): Promise<ItemResponse<ListItem>> {
  const item = container.item(step.id, pk);
  const conditions: RequestOptions =
    "ifMatch" in step && step.ifMatch !== undefined
      ? { accessCondition: { type: "IfMatch", condition: step.ifMatch } }
      : {};
  switch (step.kind) {
    case "read":
      return item.read<ListItem>();
    case "delete":
      return item.delete<ListItem>();
    case "push":
      return item.patch<ListItem>([{ op: "add", path: "/list/-", value: step.value }]);
    case "create":
      return container.items.create<ListItem>(bodyOf(pk, step.id, step.values));
    case "upsert":
      return container.items.upsert<ListItem>(bodyOf(pk, step.id, step.values), conditions);
    case "replace":
      return item.replace<ListItem>(bodyOf(pk, step.id, step.values), conditions);
  }
}

async function sendBatch(
  container: Container,
  pk: string,
  steps: readonly Step[],
): Promise<readonly StepResult[]> {
  const response = await container.items.batch(
    steps.map((step) => operationOf(pk, step)),
    pk,
  );
  const { code, result = [] } = response;
  const isDone = result.every(({ statusCode }) => statusCode < 400);
  if (code !== (isDone ? 200 : 207)) throw new Error(`a batch was answered ${code}`);
  return result.map(({ statusCode, eTag, resourceBody }) => ({
    status: statusCode,
    etag: eTag,
    values: (resourceBody as ListItem | undefined)?.list,
  }));
}

function operationOf(pk: string, step: Step): OperationInput {
  const { id } = step;
  switch (step.kind) {
    case "read":
      return { operationType: "Read", id };
    case "delete":
      return { operationType: "Delete", id };
    case "push": {
      const operations = [{ op: "add" as const, path: "/list/-", value: step.value }];
      return { operationType: "Patch", id, resourceBody: { operations } };
    }
    case "create":
      return { operationType: "Create", resourceBody: bodyOf(pk, id, step.values) };
    case "upsert":
      return {
        operationType: "Upsert",
        resourceBody: bodyOf(pk, id, step.values),
        ...ifMatchOf(step),
      };
    case "replace":
      return {
        operationType: "Replace",
        id,
        resourceBody: bodyOf(pk, id, step.values),
        ...ifMatchOf(step),
      };
  }
}

function ifMatchOf({ ifMatch }: { readonly ifMatch?: string }): { ifMatch?: string } {
  return ifMatch === undefined ? {} : { ifMatch };
}

function bodyOf(pk: string, id: string, values: readonly number[]) {
  return { id, pk, list: [...values] };
}
