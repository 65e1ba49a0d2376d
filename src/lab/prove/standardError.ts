/**
 * How far a measured rate may be off because only so many operations were sent: what another few of
 * the same kind would have changed.
 *
 * Two things differ from one run to another. Operations of a kind do not all cost the same, which
 * matters the less the more of them come to a partition. And as their subjects are chosen in even
 * steps along the keys, one operation more or less comes to it. A few dear ones make most of it.
 */

/** What the operations of one kind asked of one physical partition. */
interface AskedOfPartition {
  readonly ru: number;
  readonly requests: number;
}

/** Operations of one kind that were sent, each with its charge. */
interface SentCharges {
  readonly count: number;
  readonly ru: number;
  /** The sum of the squares of the charges. */
  readonly ruSquares: number;
}

/** Of the RU that operations of one kind ask of a partition, squared. */
export function askedVariance({ ru, requests }: AskedOfPartition, sent: SentCharges): number {
  if (requests <= 0) return 0;
  const each = ru / requests;
  return each ** 2 * (requests * relativeVariance(sent) + 1);
}

/** Of charges, over the square of their mean. */
function relativeVariance({ count, ru, ruSquares }: SentCharges): number {
  if (count < 2 || ru === 0) return 0;
  const mean = ru / count;
  return Math.max(0, (ruSquares - count * mean ** 2) / (count - 1)) / mean ** 2;
}
