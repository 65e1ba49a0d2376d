/**
 * An application with the official JavaScript client that knows nothing of a switch: it goes by the
 * key `/pk` all the time, and by what its client has learnt of the container at the beginning.
 */
import type { Container, ItemDefinition } from "@azure/cosmos";
import { BulkOperationType, ChangeFeedStartFrom } from "@azure/cosmos";

interface Item extends ItemDefinition {
  readonly id: string;
  readonly pk: string;
  readonly tenant: string;
  readonly n: number;
}

export class JavaScriptClient {
  readonly #container: Container;
  readonly #changes: ReturnType<Container["items"]["getChangeFeedIterator"]>;
  /** What was acknowledged, by id. */
  readonly expected: Map<string, Item> = new Map<string, Item>();
  readonly seen: Set<string> = new Set<string>();
  readonly failures: string[] = [];
  #round = 0;

  constructor(container: Container) {
    this.#container = container;
    const changeFeedStartFrom = ChangeFeedStartFrom.Beginning();
    this.#changes = container.items.getChangeFeedIterator({ changeFeedStartFrom });
  }

  async rounds(count: number): Promise<void> {
    for (let done = 0; done < count; done++) await this.#oneRound(this.#round++);
  }

  /** Reads changes until there are none. */
  async readChanges(): Promise<void> {
    for (let idle = 0; idle < IDLE_MAX; ) {
      const page = await this.#try("change feed", () => this.#changes.readNext());
      if (page === undefined) return;
      for (const { id } of page.result as unknown as readonly Item[]) this.seen.add(id);
      idle = page.count === 0 ? idle + 1 : 0;
    }
  }

  async #oneRound(round: number): Promise<void> {
    const { items } = this.#container;
    const item = itemOf(`a${round}`, round, 0);
    const at = this.#container.item(item.id, item.pk);
    await this.#write("create", item, () => items.create(item));
    await this.#same("read", item, async () => [(await at.read<Item>()).resource]);
    await this.#write("replace", { ...item, n: 1 }, () => at.replace({ ...item, n: 1 }));
    await this.#write("upsert", { ...item, n: 2 }, () => items.upsert({ ...item, n: 2 }));
    const patched = { ...item, n: 3 };
    await this.#write("patch", patched, () => at.patch([{ op: "incr", path: "/n", value: 1 }]));
    await this.#queries(patched);
    const passing = itemOf(`b${round}`, round, 0);
    await this.#write("create", passing, () => items.create(passing));
    await this.#try("delete", () => this.#container.item(passing.id, passing.pk).delete());
    this.expected.delete(passing.id);
    await this.#same("read what is deleted", undefined, async () => [
      (await this.#container.item(passing.id, passing.pk).read<Item>()).resource,
    ]);
    await this.#together(round);
    if (round % 5 === 0) await this.#wholeQuery();
  }

  async #queries(item: Item): Promise<void> {
    const query = {
      query: "SELECT * FROM c WHERE c.id = @id",
      parameters: [{ name: "@id", value: item.id }],
    };
    const { items } = this.#container;
    const inKey = { partitionKey: item.pk };
    await this.#same("query by key", item, async () => {
      return (await items.query<Item>(query, inKey).fetchAll()).resources;
    });
    await this.#same("query across partitions", item, async () => {
      return (await items.query<Item>(query).fetchAll()).resources;
    });
    const filtered = {
      query: "SELECT * FROM c WHERE c.tenant = @tenant AND c.id = @id ORDER BY c.n",
      parameters: [...query.parameters, { name: "@tenant", value: item.tenant }],
    };
    await this.#same("query by the other property", item, async () => {
      return (await items.query<Item>(filtered).fetchAll()).resources;
    });
  }

  /** Two items in a transaction, and two in bulk; they have both keys in common. */
  async #together(round: number): Promise<void> {
    const { items } = this.#container;
    for (const [name, isBulk] of [
      ["batch", false],
      ["bulk", true],
    ] as const) {
      // The client waits a second before it sends what may still become more.
      if (isBulk && round % 4 !== 0) continue;
      const pair = ["x", "y"].map((side) => itemOf(`${name}${round}${side}`, round, 7));
      const operations = pair.map((resourceBody) => {
        const partitionKey = resourceBody.pk;
        return { operationType: BulkOperationType.Create, partitionKey, resourceBody } as const;
      });
      const done = await this.#try(name, async () => {
        if (isBulk) {
          const results = await items.executeBulkOperations(operations as never);
          return results.map(({ response, error }) => response?.statusCode ?? error?.code);
        }
        const { result } = await items.batch(operations as never, pair[0]!.pk);
        return (result ?? []).map(({ statusCode }) => statusCode);
      });
      if (done === undefined) continue;
      if (done.length === 2 && done.every((status) => status === 201)) {
        for (const item of pair) this.expected.set(item.id, item);
      } else this.failures.push(`${name}: ${done.join(" ")}`);
    }
  }

  async #wholeQuery(): Promise<void> {
    const rows = await this.#try("ORDER BY across partitions", () =>
      this.#container.items.query<string>("SELECT VALUE c.id FROM c ORDER BY c.id").fetchAll(),
    );
    const due = [...this.expected.keys()].sort();
    if (rows !== undefined && rows.resources.join() !== due.join()) {
      this.failures.push(`ORDER BY across partitions: ${rows.resources.length} of ${due.length}`);
    }
  }

  async #write(name: string, item: Item, run: () => Promise<unknown>): Promise<void> {
    if ((await this.#try(name, run)) !== undefined) this.expected.set(item.id, item);
  }

  async #same(
    name: string,
    item: Item | undefined,
    run: () => Promise<readonly (Item | undefined)[]>,
  ): Promise<void> {
    const found = await this.#try(name, run);
    if (found === undefined) return;
    const isSame = found.length === 1 && found[0]?.id === item?.id && found[0]?.n === item?.n;
    if (!isSame) this.failures.push(`${name}: ${JSON.stringify(found).slice(0, 200)}`);
  }

  async #try<T>(name: string, run: () => Promise<T>): Promise<T | undefined> {
    try {
      return await run();
    } catch (problem) {
      const { code, message } = problem as { readonly code?: unknown; readonly message?: string };
      this.failures.push(`${name}: ${String(code)} ${String(message).slice(0, 300)}`);
      return undefined;
    }
  }
}

/** So many pages without a change in turn: one for each range there may be. */
const IDLE_MAX = 4;

function itemOf(id: string, round: number, n: number): Item {
  return { id, pk: `p${round % 5}`, tenant: `t${round % 7}`, n };
}
