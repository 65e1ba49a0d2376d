/**
 * Whether values grow (or fall) in the order of time: the rank correlation (Spearman), from 1
 * (always growing) through 0 (no order) to -1 (always falling).
 */

/** Compares only texts or only numbers, whichever are more. */
export function monotonicityOf(values: readonly unknown[]): number | null {
  const step = Math.ceil(values.length / COUNT_MAX);
  const some = values.filter((_, at) => at % step === 0);
  const texts = some.filter((value) => typeof value === "string");
  const numbers = some.filter((value) => typeof value === "number");
  return texts.length >= numbers.length ? correlation(texts) : correlation(numbers);
}

const COUNT_MIN = 10;
/** Number of values that are compared; with so many the correlation is known to within 0.06. */
const COUNT_MAX = 1000;

function correlation<T extends string | number>(values: readonly T[]): number | null {
  if (values.length < COUNT_MIN) return null;
  const ranks = ranksOf(values);
  const middle = (values.length - 1) / 2;
  let [together, ofRanks, ofOrder] = [0, 0, 0];
  ranks.forEach((rank, order) => {
    together += (rank - middle) * (order - middle);
    ofRanks += (rank - middle) ** 2;
    ofOrder += (order - middle) ** 2;
  });
  return ofRanks === 0 ? null : together / Math.sqrt(ofRanks * ofOrder);
}

/** Returns the ranks; equal values share the middle of their ranks. */
function ranksOf<T extends string | number>(values: readonly T[]): Float64Array {
  const order = values.map((_, at) => at).sort((a, b) => compare(values[a]!, values[b]!));
  const ranks = new Float64Array(values.length);
  for (let from = 0; from < order.length; ) {
    let end = from + 1;
    while (end < order.length && values[order[end]!] === values[order[from]!]) end++;
    for (let at = from; at < end; at++) ranks[order[at]!] = (from + end - 1) / 2;
    from = end;
  }
  return ranks;
}

function compare<T extends string | number>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
