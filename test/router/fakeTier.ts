/**
 * A container in memory that answers the official client's queries: any text, by the naive model of
 * the query language, in pages that go on after the last row and not after a number of rows, as
 * those of a server do. So rows may be written, moved and deleted between two pages.
 *
 * It counts what it is asked, and calls `beforePage` before each page.
 */

import type { JsonObject, JsonValue } from "../../src/json/value.ts";
import { compareValues } from "../../src/keys/client/compareValues.ts";
import type { ClientContainer, QuerySpec } from "../../src/keys/client/container.ts";
import { parseQuery } from "../../src/query/language/parser.ts";
import { naiveRows } from "../query/naive.ts";

export type Stored = { [name: string]: JsonValue };

interface Asked {
  readonly key: string | undefined;
  readonly text: string;
  readonly rowCount: number;
}

interface PageOptions {
  readonly partitionKey?: readonly unknown[];
  readonly maxItemCount?: number;
}

export class FakeTier {
  readonly asked: Asked[] = [];
  readonly #items = new Map<string, Stored>();
  readonly #keyOf: (item: Stored) => unknown;
  beforePage: () => void = () => undefined;
  /** How many turns of other work go by before a page is looked up. */
  turnsPerPage = 1;

  /** `keyProperty`: that of the partition key, which has one level. */
  constructor(keyProperty = "pk") {
    this.#keyOf = (item) => item[keyProperty];
  }

  get container(): Pick<ClientContainer, "items"> {
    const query = (spec: string | QuerySpec, options?: PageOptions) => this.#query(spec, options);
    return { items: { query } as never };
  }

  put(item: Stored): void {
    this.#items.set(this.#nameOf(item), item);
  }

  delete(item: Stored): void {
    this.#items.delete(this.#nameOf(item));
  }

  get(item: Stored): Stored | undefined {
    return this.#items.get(this.#nameOf(item));
  }

  get all(): readonly Stored[] {
    return [...this.#items.values()];
  }

  #nameOf(item: Stored): string {
    return JSON.stringify([this.#keyOf(item), item["id"]]);
  }

  #query(spec: string | QuerySpec, { partitionKey, maxItemCount = 100 }: PageOptions = {}) {
    const { query: text, parameters = [] } = typeof spec === "string" ? { query: spec } : spec;
    const parsed = parseQuery(text);
    if (!parsed.ok) throw new Error(`${text}: ${JSON.stringify(parsed.error)}`);
    const isOrdered = parsed.value.orderBy !== undefined;
    const sign = / DESC$/.test(text) ? -1 : 1;
    const values = Object.fromEntries(parameters.map(({ name, value }) => [name, value]));
    const rowsNow = (): JsonValue[] => {
      const items = this.all.filter(
        (item) => partitionKey === undefined || this.#keyOf(item) === partitionKey[0],
      );
      const outcome = naiveRows(parsed.value, items as JsonObject[], values as never);
      if (outcome.kind === "refused") throw new Error(`${text}: ${outcome.message}`);
      return isOrdered
        ? outcome.rows.toSorted((a, b) => compareRows(a, b, sign))
        : [...outcome.rows];
    };
    let last: JsonValue | undefined;
    let isDone = false;
    return {
      hasMoreResults: () => !isDone,
      fetchNext: async () => {
        for (let turn = 0; turn < this.turnsPerPage; turn++) await Promise.resolve();
        this.beforePage();
        const left = rowsNow().filter(
          (row) => last === undefined || compareRows(row, last, sign) > 0,
        );
        const resources = isOrdered ? left.slice(0, maxItemCount) : left;
        last = resources.at(-1) ?? last;
        isDone = !isOrdered || resources.length === left.length;
        const key = partitionKey === undefined ? undefined : String(partitionKey[0]);
        this.asked.push({ key, text, rowCount: resources.length });
        return { resources, requestCharge: 2 };
      },
    };
  }
}

/** By what rows are ordered by, and then in one order that is always the same. */
function compareRows(a: JsonValue, b: JsonValue, sign: number): number {
  const [one, other] = [a as JsonObject, b as JsonObject];
  const byOrder = compareValues(one["by"], other["by"]) * sign;
  const nameOf = (row: JsonObject): string => JSON.stringify([row["id"], row["key"]]);
  return byOrder !== 0 ? byOrder : compareValues(nameOf(one), nameOf(other));
}
