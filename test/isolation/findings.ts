/**
 * What can be wrong with a history, and a place to note it: a broken server gives the same kind of
 * anomaly thousands of times, of which all are counted and a few are told.
 */

/** Kind → what it means. The names of cycles are those of the literature (Adya). */
export const ANOMALIES = {
  unwritten: "a list holds a value that nobody appended",
  duplicate: "a list holds a value twice",
  abortedRead: "G1a: a value of a transaction that failed was seen",
  intermediateRead: "G1b: a list was seen between two appends of one transaction",
  incompatibleOrder: "two reads of a list do not agree on the order of its values",
  internal: "a transaction does not see what it read or wrote itself just before",
  lostWrite: "a value that was acknowledged, or seen, is gone",
  tornBatch: "some appends of a transaction are there without the others",
  staleRead: "a read does not see what was over before it began",
  G0: "transactions overwrite each other in a circle",
  G1c: "information flows in a circle",
  "G-single": "one transaction misses a write of another whose effects it sees",
  "G2-item": "transactions miss each other's writes in a circle",
  realTimeCycle: "no order of the transactions agrees with the clock",
} as const;

export type AnomalyKind = keyof typeof ANOMALIES;

export interface Anomaly {
  readonly kind: AnomalyKind;
  readonly count: number;
  /** The first few. */
  readonly examples: readonly string[];
}

const EXAMPLES_MAX = 3;

export class Findings {
  readonly #byKind = new Map<AnomalyKind, { count: number; examples: string[] }>();

  add(kind: AnomalyKind, example: string): void {
    const found = this.#byKind.get(kind) ?? { count: 0, examples: [] };
    this.#byKind.set(kind, found);
    found.count++;
    if (found.examples.length < EXAMPLES_MAX) found.examples.push(example);
  }

  get anomalies(): readonly Anomaly[] {
    return [...this.#byKind].map(([kind, found]) => ({ kind, ...found }));
  }
}
