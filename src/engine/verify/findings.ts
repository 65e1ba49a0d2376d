/**
 * What a check of a data directory has found, each with its place.
 *
 * Damage is what no crash and no version of this program leaves behind. A notice is what may look
 * strange and is in order.
 */

export interface Finding {
  readonly kind: "damage" | "notice";
  /** Where: a file and offset, or a container, a physical partition and an item. */
  readonly place: string;
  readonly text: string;
}

/** One broken disk makes millions of them, and nobody reads so many. */
const KEPT_COUNT_MAX = 1_000;

export class Findings {
  readonly #kept: Finding[] = [];
  readonly #onFinding: (finding: Finding) => void;
  #damageCount = 0;

  /** `onFinding` is told of each that is kept, as it is found. */
  constructor(onFinding: (finding: Finding) => void = () => undefined) {
    this.#onFinding = onFinding;
  }

  damage(place: string, text: string): void {
    this.#damageCount++;
    this.#keep({ kind: "damage", place, text });
  }

  notice(place: string, text: string): void {
    this.#keep({ kind: "notice", place, text });
  }

  /** The first thousand. */
  get kept(): readonly Finding[] {
    return this.#kept;
  }

  /** All of them, also those that were not kept. */
  get damageCount(): number {
    return this.#damageCount;
  }

  #keep(finding: Finding): void {
    if (this.#kept.length >= KEPT_COUNT_MAX) return;
    this.#kept.push(finding);
    this.#onFinding(finding);
  }
}
