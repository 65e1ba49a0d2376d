/**
 * A real engine in memory with generated items, on which the lab's prices are tried: what it
 * charges for a query beside what was predicted from the numbers of items alone.
 */
import { assert } from "../../src/base/assert.ts";
import { millis } from "../../src/base/units.ts";
import { type Random, seededRandom } from "../../src/base/world.ts";
import { Account } from "../../src/engine/account.ts";
import { parseContainerDefinition } from "../../src/engine/definition/containerDefinition.ts";
import type { Container } from "../../src/engine/partition/container.ts";
import { DEFAULT_INDEXING_POLICY, parseIndexingPolicy } from "../../src/index/policy.ts";
import type { JsonObject, JsonValue } from "../../src/json/value.ts";
import { leafCountOf } from "../../src/lab/price/itemPrice.ts";
import type { FoundItems, PriceSetting } from "../../src/lab/price/price.ts";
import { queryPriceOf } from "../../src/lab/price/queryPrice.ts";
import type { Consistency } from "../../src/model/consistency.ts";
import { SERVICE_LIMITS } from "../../src/model/limits.ts";
import type { ItemScope } from "../../src/model/request/itemScope.ts";
import { rangeOfKey } from "../../src/partition/epkRange.ts";
import { realTimer } from "../../src/server/surroundings/realWorld.ts";
import { EmbeddedStore } from "../../src/store/embedded/embeddedStore.ts";

export interface Item extends JsonObject {
  readonly id: string;
  readonly pk: string;
  readonly user: string;
  readonly kind: string;
  readonly status: string;
  readonly ts: number;
  readonly amount: number;
  readonly name: string;
  readonly tags: readonly string[];
  readonly lines: readonly { readonly sku: string; readonly n: number }[];
  readonly place: { readonly city: string; readonly code: number };
  readonly secret: number;
}

export interface Stage {
  readonly account: Account;
  readonly container: Container;
  /** By physical partition. */
  readonly items: ReadonlyMap<string, readonly Item[]>;
  readonly setting: PriceSetting;
}

interface StageOptions {
  readonly itemCount: number;
  readonly bytes: number;
  readonly partitionCount: number;
  /** The first key has this share of the items, the others what is left. */
  readonly keyShare: number;
  readonly policy?: JsonObject;
  readonly seed: number;
  readonly consistency?: Consistency;
}

/** Paths are indexed but one, and one pair of them together. */
export const POLICY: JsonObject = {
  includedPaths: [{ path: "/*" }],
  excludedPaths: [{ path: "/secret/?" }],
  compositeIndexes: [
    [
      { path: "/kind", order: "ascending" },
      { path: "/ts", order: "descending" },
    ],
  ],
};

export async function openAccount(): Promise<Account> {
  return Account.open({
    store: EmbeddedStore.inMemory(realTimer),
    timer: realTimer,
    random: seededRandom(1),
    limits: SERVICE_LIMITS,
    clock: { now: () => millis(0), wallNow: () => 1_700_000_000_000 },
  });
}

let containerCount = 0;

export async function openContainer(
  account: Account,
  policy?: JsonObject,
  partitionCount = 1,
): Promise<Container> {
  const { catalog } = account;
  const database = catalog.database("d") ?? unwrapped(await catalog.createDatabase("d", undefined));
  const id = `c${++containerCount}`;
  const body = { id, partitionKey: { paths: ["/pk"] }, ...(policy && { indexingPolicy: policy }) };
  const definition = unwrapped(parseContainerDefinition(body, undefined, SERVICE_LIMITS));
  await catalog.createContainer(database, definition, { partitionCount, throughput: undefined });
  return catalog.container("d", id)!;
}

export async function openStage(account: Account, options: StageOptions): Promise<Stage> {
  const { itemCount, partitionCount, policy, seed, consistency = "session" } = options;
  const container = await openContainer(account, policy, partitionCount);
  const random = seededRandom(seed);
  const items = Array.from({ length: itemCount }, (_, n) => itemOf(n, options, random));
  await Promise.all(
    items.map((body) =>
      unwrapped(account.writeItem(container, { kind: "create", key: [body.pk], body })),
    ),
  );
  const parsed =
    policy === undefined ? DEFAULT_INDEXING_POLICY : unwrapped(parseIndexingPolicy(policy));
  const setting: PriceSetting = {
    itemBytes: meanOf(items, (item) => JSON.stringify(item).length),
    leafCount: meanOf(items, (item) => leafCountOf(item, parsed)),
    example: items[7]!,
    consistency,
    policy: parsed,
  };
  const byPartition = new Map<string, Item[]>(container.map.entries.map(({ id }) => [id, []]));
  for (const item of items) {
    const { partition } = unwrapped(account.route(container, [item.pk]));
    byPartition.get(partition.entry.id)!.push(item);
  }
  return { account, container, items: byPartition, setting };
}

function itemOf(n: number, { bytes, keyShare }: StageOptions, random: Random): Item {
  const below = (count: number): number => Math.floor(random.next() * count);
  const pk = random.next() < keyShare ? "p0" : `p${1 + below(40)}`;
  const item = {
    id: `item-${String(n).padStart(6, "0")}`,
    pk,
    user: `user-${below(30)}`,
    kind: ["order", "invoice", "visit", "visit"][below(4)]!,
    status: ["open", "paid", "sent", "lost", "done"][below(5)]!,
    ts: 1_700_000_000 + below(1_000_000),
    amount: below(10_000) / 100,
    name: `name ${below(900)} of ${["ash", "birch", "cedar"][below(3)]}`,
    tags: Array.from({ length: 1 + below(3) }, () => `tag${below(12)}`),
    lines: Array.from({ length: 1 + below(3) }, () => ({ sku: `s${below(50)}`, n: below(9) })),
    place: { city: `city${below(20)}`, code: below(99_999) },
    secret: below(10),
  };
  const rest = bytes - JSON.stringify(item).length - ',"pad":""'.length + below(40) - 20;
  return rest > 0 ? { ...item, pad: "x".repeat(rest) } : item;
}

export interface QueryCase {
  readonly sql: string;
  readonly parameters?: Readonly<Record<string, JsonValue>>;
  readonly where?: (item: Item) => boolean;
  /** Groups or different rows of the whole answer; without it each match is a row. */
  readonly rows?: (matches: readonly Item[]) => number;
  /** Rows of one match, if not one. */
  readonly rowsOf?: (item: Item) => number;
  /** Conditions that the index answers, if it does not answer all. */
  readonly candidates?: (item: Item) => boolean;
  /** The condition on the path of the order. */
  readonly ordered?: (item: Item) => boolean;
  /** At a path that is tried value by value. */
  readonly tried?: (item: Item) => JsonValue;
}

export interface Asking {
  /** One logical partition, named in the request. */
  readonly key?: string;
  /** Or in the filter, one or several. */
  readonly filterKeys?: readonly string[];
  readonly pageSize?: number;
}

export interface Comparison {
  readonly what: string;
  readonly charged: number;
  readonly predicted: number;
  /** Of the whole query. */
  readonly error: number;
  /** The largest of a physical partition, as a share of what the whole query costs. */
  readonly partitionError: number;
}

export async function compare(
  stage: Stage,
  { name, ...query }: QueryCase & { readonly name: string },
  asking: Asking,
): Promise<Comparison> {
  const charged = await chargesOf(stage, query, asking);
  const found = foundBy(stage, query, asking);
  const parameters = new Map(Object.entries(query.parameters ?? {}));
  const price = unwrapped(queryPriceOf(query.sql, parameters, stage.setting));
  const predicted = price.ruOfVisits(found.map(([, each]) => each));
  const total = sumOf([...charged.values()]);
  const predictedTotal = sumOf(predicted);
  const differences = found.map(([id], index) =>
    Math.abs((charged.get(id) ?? 0) - predicted[index]!),
  );
  return {
    what: name,
    charged: total,
    predicted: predictedTotal,
    error: Math.abs(predictedTotal - total) / total,
    partitionError: Math.max(...differences) / total,
  };
}

/** By physical partition, all pages. */
async function chargesOf(
  { account, container, setting }: Stage,
  { sql, parameters = {} }: QueryCase,
  { key, pageSize = 100 }: Asking,
): Promise<ReadonlyMap<string, number>> {
  const charges = new Map<string, number>();
  const { partitionKey } = container.definition;
  const scope: ItemScope =
    key === undefined
      ? { kind: "container" }
      : { kind: "key", range: rangeOfKey(partitionKey, [key]) };
  let continuation: string | undefined;
  do {
    const page = unwrapped(
      await account.queryItems(container, {
        text: sql,
        parameters: new Map(Object.entries(parameters)),
        parameterNames: new Set(Object.keys(parameters)),
        scope,
        isFanOutAllowed: true,
        countMax: pageSize,
        consistency: setting.consistency,
        continuation,
      }),
    );
    for (const [{ entry }, charge] of page.charges) {
      charges.set(entry.id, (charges.get(entry.id) ?? 0) + charge);
    }
    ({ continuation } = page);
  } while (continuation !== undefined);
  return charges;
}

/** What there is to be found, physical partition by physical partition. */
function foundBy(
  { items }: Stage,
  query: QueryCase,
  { key, filterKeys, pageSize }: Asking,
): readonly (readonly [string, FoundItems])[] {
  const { where = () => true } = query;
  const keys = key === undefined ? filterKeys : [key];
  const isAsked = ({ pk }: Item): boolean => keys?.includes(pk) ?? true;
  const asked = [...items].filter(([, all]) => all.some(isAsked));
  const allMatches = asked.flatMap(([, all]) => all.filter((item) => isAsked(item) && where(item)));
  const rowCount = query.rows?.(allMatches);
  return asked.map(([id, all]) => {
    const held = all.filter(isAsked);
    const matches = held.filter(where);
    const { candidates, ordered, tried, rowsOf = one } = query;
    return [
      id,
      {
        matchCount: matches.length,
        rowCount: rowCount === undefined ? sumOf(matches.map(rowsOf)) : rowCount / asked.length,
        heldItems: held.length,
        pageSize,
        partitionItems: keys === undefined ? undefined : all.length,
        candidateCount: candidates && held.filter(candidates).length,
        orderedShare: ordered && all.filter(ordered).length / all.length,
        heldOrderedShare: ordered && held.filter(ordered).length / Math.max(1, held.length),
        triedValueCount: tried && new Set(all.map(tried)).size,
      },
    ] as const;
  });
}

const one = (): number => 1;

export function medianOf(list: readonly number[]): number {
  const sorted = [...list].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}

export function tableOf(comparisons: readonly Comparison[]): string {
  return comparisons
    .map(({ what, charged, predicted, error, partitionError }) =>
      [
        charged.toFixed(2).padStart(9),
        predicted.toFixed(2).padStart(9),
        `${(100 * error).toFixed(2)} %`.padStart(9),
        `${(100 * partitionError).toFixed(2)} %`.padStart(9),
        `  ${what}`,
      ].join(""),
    )
    .join("\n");
}

function sumOf(list: readonly number[]): number {
  return list.reduce((sum, each) => sum + each, 0);
}

function meanOf<T>(list: readonly T[], of: (each: T) => number): number {
  return sumOf(list.map(of)) / list.length;
}

export function unwrapped<T>(
  result:
    | { readonly ok: true; readonly value: T }
    | { readonly ok: false; readonly error: unknown },
): T {
  assert(result.ok, `refused: ${result.ok ? "" : JSON.stringify(result.error)}`);
  return result.value;
}
