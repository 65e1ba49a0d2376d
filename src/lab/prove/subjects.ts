/**
 * Which items operations are about: those that are asked for more often come more often, in even
 * steps rather than by chance, so that a few hundred operations already have the declared shares.
 */
import { DAY_MS } from "../../base/units.ts";
import type { Random } from "../../base/world.ts";
import type { JsonObject } from "../../json/value.ts";
import { timeOf } from "../../keys/time.ts";
import type { PartitionKeyDefinition } from "../../model/partitionKey.ts";
import { epkOf } from "../../partition/epk.ts";
import type { DataFacts, PopulationRow } from "../data/facts.ts";
import { asAskedFor } from "../data/requestView.ts";
import { componentAt } from "../data/sampledKeys.ts";
import { stepsOfPath } from "../profile/pathSteps.ts";
import type { OperationModel } from "../simulate/operationModel.ts";
import { valueIn } from "../workload/pathField.ts";
import type { KeyedItem } from "./keyedItem.ts";

/** The number whose multiples fill a circle most evenly, however many there are. */
const GOLDEN = 0.618_033_988_749_894_9;

export interface StoredItems {
  readonly facts: DataFacts;
  readonly items: readonly JsonObject[];
  /** When all this happens. */
  readonly nowMillis: number;
}

/** The subjects of one operation, one after the other. */
export class TraceSubjects {
  readonly #order: readonly number[];
  readonly #ends: Float64Array;
  #pointer: number;

  /** `ends`: where the weight of each ends, one after the other. */
  constructor(order: readonly number[], ends: Float64Array, start: number) {
    this.#order = order;
    this.#ends = ends;
    this.#pointer = start;
  }

  /** The same from another place: who asks for both would not go in even steps along either. */
  from(start: number): TraceSubjects {
    return new TraceSubjects(this.#order, this.#ends, start);
  }

  /** The index of an item. */
  next(): number {
    this.#pointer = (this.#pointer + GOLDEN) % 1;
    const place = this.#pointer * this.#ends.at(-1)!;
    let [low, high] = [0, this.#ends.length - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#ends[middle]! > place) high = middle;
      else low = middle + 1;
    }
    return this.#order[low]!;
  }
}

/**
 * Items in the order of their keys: even steps along it are even steps over the physical
 * partitions, wherever they are cut.
 */
export function keyOrder(
  items: readonly KeyedItem[],
  definition: PartitionKeyDefinition,
): readonly number[] {
  const places = items.map(({ key }) => epkOf(definition, key));
  return items
    .map((_, index) => index)
    .sort((a, b) => (places[a]! < places[b]! ? -1 : places[a]! > places[b]! ? 1 : a - b));
}

/**
 * The same items in another order, any beginning of which lies evenly along the first one: while
 * they are stored one by one, half of what there is lies where half of all will.
 */
export function evenlyTaken(order: readonly number[]): readonly number[] {
  const turnOf = (rank: number): number => (rank * GOLDEN) % 1;
  return order
    .map((index, rank) => ({ index, turn: turnOf(rank) }))
    .sort((a, b) => a.turn - b.turn)
    .map(({ index }) => index);
}

/** So many of them, in even steps along their order; in any order. */
export function evenlyChosen(
  order: readonly number[],
  count: number,
  random: Random,
): readonly number[] {
  const start = random.next();
  const chosen = Array.from(
    { length: count },
    (_, at) => order[Math.floor(((at + start) * order.length) / count)]!,
  );
  for (let at = chosen.length - 1; at > 0; at--) {
    const other = Math.floor(random.next() * (at + 1));
    [chosen[at], chosen[other]] = [chosen[other]!, chosen[at]!];
  }
  return chosen;
}

export function subjectsOf(
  model: OperationModel,
  stored: StoredItems,
  order: readonly number[],
  start: number,
): TraceSubjects {
  const weights = weightsOf(model, stored);
  const eligible = order.filter((index) => weights[index]! > 0);
  const asked = eligible.length > 0 ? eligible : order;
  const ends = new Float64Array(asked.length);
  let end = 0;
  asked.forEach((index, at) => {
    end += weights[index]!;
    ends[at] = end;
  });
  return new TraceSubjects(asked, ends, start);
}

/** How often each item is asked for: so that the values of every property come to their shares. */
function weightsOf(model: OperationModel, stored: StoredItems): readonly number[] {
  const { items, facts } = stored;
  const wanted = [...facts.properties.values()]
    .filter(({ time }) => time === undefined)
    .flatMap(({ path }) => {
      const factorOf = factorsOf(path, model, facts);
      if (factorOf === undefined) return [];
      const values = items.map((item) => String(valueIn(item, path)));
      return [{ values, shares: sharesOf(values, factorOf) }];
    });
  const isYoung = youngIn(model, stored);
  const isNamed = namedIn(model);
  const weights = items.map((item): number => (isYoung(item) && isNamed(item) ? 1 : 0));
  // One property after the other is set right, which puts those before a little wrong again.
  for (let round = 0; round < ROUNDS; round++) {
    for (const { values, shares } of wanted) {
      const sums = new Map<string, number>();
      values.forEach((value, at) => {
        sums.set(value, (sums.get(value) ?? 0) + weights[at]!);
      });
      values.forEach((value, at) => {
        const sum = sums.get(value)!;
        weights[at] = sum === 0 ? 0 : (weights[at]! * shares.get(value)!) / sum;
      });
    }
  }
  return weights.some((weight) => weight > 0) ? weights : items.map(() => 1);
}

const ROUNDS = 6;

function sharesOf(values: readonly string[], factorOf: FactorOf): ReadonlyMap<string, number> {
  const shares = new Map<string, number>();
  for (const value of values) shares.set(value, (shares.get(value) ?? 0) + factorOf(value));
  return shares;
}

/** Whether an item is as young as what is asked for. */
function youngIn(
  { operation }: OperationModel,
  { facts, nowMillis }: StoredItems,
): (item: JsonObject) => boolean {
  const time = [...facts.properties.values()].find((property) => property.time !== undefined);
  const { ageDays } = operation;
  if (ageDays === undefined || time === undefined) return () => true;
  const oldest = nowMillis - ageDays * DAY_MS;
  return (item) => (timeOf(valueIn(item, time.path)) ?? nowMillis) >= oldest;
}

/**
 * Nobody names a value that is not there, so whoever asks by value asks for an item that has one.
 */
function namedIn({ operation, access }: OperationModel): (item: JsonObject) => boolean {
  const paths = operation.kind === "query" ? [...access.equal.keys()] : [];
  const steps = paths.map(stepsOfPath);
  return (item) => steps.every((each) => componentAt(item, each) !== undefined);
}

type FactorOf = (value: unknown) => number;

/** Of requests over that of items, by value; undefined where both are the same. */
function factorsOf(
  path: string,
  { access, operation }: OperationModel,
  facts: DataFacts,
): FactorOf | undefined {
  const name = access.equal.get(path)?.parameter;
  const distribution =
    name === undefined ? undefined : operation.parameters.get(name)?.distribution;
  const population = facts.populationOf([path]);
  const { rows } =
    distribution === undefined ? population : asAskedFor(population, [{ path, distribution }]);
  const isSame = rows.every(
    ({ requestShare, itemShare, values }) =>
      values[0] === undefined || Math.abs(requestShare - itemShare) < 1e-9,
  );
  if (isSame) return undefined;
  const byName = new Map(rows.map((row) => [String(row.values[0]), ratioOf(row)]));
  const byRank = rows
    .map((row) => ({ rank: rankOf(row.values[0]), ratio: ratioOf(row) }))
    .filter(({ rank }) => !Number.isNaN(rank))
    .sort((a, b) => a.rank - b.rank);
  return (value) => {
    const known = byName.get(String(value));
    if (known !== undefined) return known;
    const rank = rankOf(value);
    return byRank.findLast((each) => each.rank <= rank)?.ratio ?? 1;
  };
}

function ratioOf({ requestShare, itemShare }: PopulationRow): number {
  return itemShare === 0 ? 0 : requestShare / itemShare;
}

/** Values that were made up end in their rank. */
function rankOf(value: unknown): number {
  const digits = /-(\d+)$/.exec(String(value))?.[1];
  return digits === undefined ? Number.NaN : Number(digits);
}
