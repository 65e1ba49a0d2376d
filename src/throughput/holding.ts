/**
 * What a budget has left or owes, as a value, and what becomes of it when physical partitions are
 * split or merged. Neither gains anything nor forgives a debt, so neither is a way to spend more.
 */

export interface Holding {
  /** The balance in RU; negative is debt. */
  readonly balance: number;
  readonly savings: number;
  /** What may be spent at once out of savings; absent where nothing is saved. */
  readonly pace?: number | undefined;
  /** Balances by the id of the throughput bucket. */
  readonly buckets: ReadonlyMap<number, number>;
}

/** Returns what one of several successors begins with, by its share of the keys. */
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

/** Returns what the successor of merged physical partitions begins with. */
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
