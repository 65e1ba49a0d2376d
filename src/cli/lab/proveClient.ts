/** The requests of a proof through the official client, each with what it cost and met. */
import type { Container, PartitionKey, PatchOperation } from "@azure/cosmos";
import type { JsonObject } from "../../json/value.ts";
import type { KeyedItem, KeyTuple } from "../../lab/prove/keyedItem.ts";
import type { ProofRequest, QueryRequest } from "../../lab/prove/requests.ts";
import { stepsOf } from "../../lab/workload/pathField.ts";

/** Of one operation, all its requests together. The pages of a query are one answer. */
interface Sent {
  ru: number;
  answers: number;
  /** Of the answers, those that said 429. */
  throttled: number;
}

export function nothingSent(): Sent {
  return { ru: 0, answers: 0, throttled: 0 };
}

const TOO_MANY_REQUESTS = 429;
/** One turn, with no key. */
const EVERYWHERE: readonly (readonly undefined[])[] = [[undefined]];

export class ProofClient {
  readonly #container: Container;
  readonly #storedById: (id: string) => KeyedItem | undefined;

  constructor(container: Container, storedById: (id: string) => KeyedItem | undefined) {
    this.#container = container;
    this.#storedById = storedById;
  }

  /** Being throttled is an answer like any other; what else is refused is thrown. */
  async send(request: ProofRequest, sent: Sent): Promise<void> {
    if (request.kind === "query") await this.#query(request, sent);
    else await this.#answered(sent, async () => void note(sent, await this.#act(request)));
  }

  #act(request: Exclude<ProofRequest, QueryRequest>): Promise<{ readonly requestCharge: number }> {
    switch (request.kind) {
      case "create":
        return this.#container.items.create(request.item);
      case "pointRead":
        return this.#item(request).read();
      case "delete":
        return this.#item(request).delete();
      case "patch":
        return this.#item(request).patch(patchesOf(request.changes));
      case "replace":
        return this.#item(request).replace(this.#changed(request));
      case "upsert":
        return this.#container.items.upsert(this.#changed(request));
    }
  }

  /** Undefined when it was throttled. */
  async #answered<T>(sent: Sent, act: () => Promise<T>): Promise<T | undefined> {
    sent.answers++;
    try {
      return await act();
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== TOO_MANY_REQUESTS) throw error;
      sent.throttled++;
      return undefined;
    }
  }

  #item({
    id,
    key,
  }: {
    readonly id: string;
    readonly key: KeyTuple;
  }): ReturnType<Container["item"]> {
    return this.#container.item(id, partitionKeyOf(key));
  }

  #changed(request: Extract<ProofRequest, { readonly changes: unknown }>): Record<string, unknown> {
    const item: JsonObject = this.#storedById(request.id)?.item ?? { id: request.id };
    const copy = structuredClone(item) as Record<string, unknown>;
    for (const [path, value] of request.changes) {
      const steps = stepsOf(path) ?? [];
      let place = copy;
      for (const step of steps.slice(0, -1)) {
        place[step] ??= {};
        place = place[step] as Record<string, unknown>;
      }
      place[steps.at(-1)!] = value;
    }
    return copy;
  }

  async #query(request: QueryRequest, sent: Sent): Promise<void> {
    const { keys, enough } = request;
    const ask = (key: KeyTuple | undefined): Promise<number | undefined> =>
      this.#answered(sent, () => this.#pages(request, key, sent));
    let rows = 0;
    for (const turn of keys ?? EVERYWHERE) {
      const found = await Promise.all(turn.map(ask));
      rows += found.reduce<number>((sum, count) => sum + (count ?? 0), 0);
      if (enough !== undefined && rows >= enough) break;
    }
    if (request.andThen !== undefined) await this.send(request.andThen, sent);
  }

  /** Gives the number of rows. */
  async #pages(request: QueryRequest, key: KeyTuple | undefined, sent: Sent): Promise<number> {
    const iterator = this.#container.items.query(
      {
        query: request.text,
        parameters: request.parameters.map(({ name, value }) => ({ name, value })) as never,
      },
      {
        maxItemCount: request.pageSize,
        ...(key === undefined ? {} : { partitionKey: partitionKeyOf(key) }),
      },
    );
    let rows = 0;
    while (iterator.hasMoreResults() && rows < request.rowsMax) {
      const page = await iterator.fetchNext();
      note(sent, page);
      rows += page.resources?.length ?? 0;
    }
    return rows;
  }
}

function note(sent: Sent, { requestCharge }: { readonly requestCharge: number }): void {
  sent.ru += requestCharge;
}

/** What has no value is told apart from null. */
export function partitionKeyOf(key: KeyTuple): PartitionKey {
  const components = key.map((component) => (component === undefined ? {} : component));
  return (components.length === 1 ? components[0] : components) as PartitionKey;
}

/** A path of the lab has its names as they are; one of a patch has them escaped. */
function patchesOf(
  changes: Extract<ProofRequest, { readonly changes: unknown }>["changes"],
): PatchOperation[] {
  return changes.map(([path, value]) => {
    const steps = stepsOf(path) ?? [];
    const escaped = steps.map((step) => step.replaceAll("~", "~0").replaceAll("/", "~1"));
    return { op: "set", path: `/${escaped.join("/")}`, value } as PatchOperation;
  });
}
