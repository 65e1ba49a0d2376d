/**
 * What a budget has left or owes, as a value: what becomes of it when physical partitions are split
 * or merged. Nothing is gained and nothing forgiven by either, so neither is a way to spend more.
 */

export interface Holding {
  /** Negative is debt. */
  readonly balance: number;
  readonly savings: number;
  /** What may be spent at once out of savings; absent where nothing is saved. */
  readonly pace?: number | undefined;
  /** By the id of the throughput bucket. */
  readonly buckets: ReadonlyMap<number, number>;
}

/** What each of several begins with that replace one, by its share of the keys. */
export function partOfHolding(
  { balance, savings, pace, buckets }: Holding,
  share: number,
): Holding {
  return {
    balance: balance * share,
    savings: savings * share,
    pace: pace === undefined ? undefined : pace * share,
    buckets: new Map([...buckets].map(([id, held]) => [id, held * share])),
  };
}

/** What the one that replaces them begins with. */
export function mergedHolding(parents: readonly Holding[]): Holding {
  const buckets = new Map<number, number>();
  for (const parent of parents) {
    for (const [id, balance] of parent.buckets) buckets.set(id, (buckets.get(id) ?? 0) + balance);
  }
  const paces = parents.flatMap(({ pace }) => pace ?? []);
  return {
    balance: sumOf(parents.map(({ balance }) => balance)),
    savings: sumOf(parents.map(({ savings }) => savings)),
    pace: paces.length === 0 ? undefined : sumOf(paces),
    buckets,
  };
}

function sumOf(amounts: readonly number[]): number {
  return amounts.reduce((sum, amount) => sum + amount, 0);
}
