/** Work in parallel, with a bound. */

/**
 * `action` for each value, at most `concurrency` at a time, results in the order of the values.
 * After a failure nothing new is begun, what is under way is waited for, and the first is thrown.
 */
export async function inParallel<T, R>(
  values: readonly T[],
  concurrency: number,
  action: (value: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(values.length);
  const failures: unknown[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < values.length && failures.length === 0) {
      const index = next++;
      try {
        results[index] = await action(values[index]!, index);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, values.length) }, lane));
  if (failures.length > 0) throw failures[0];
  return results;
}

/** A bound that a user gave, or the usual one. */
export function countOf(name: string, given: number | undefined, usual: number): number {
  const count = given ?? usual;
  if (Number.isSafeInteger(count) && count >= 1) return count;
  throw new TypeError(`${name}: ${count} is not a whole number from 1`);
}
