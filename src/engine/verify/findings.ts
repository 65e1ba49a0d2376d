/**
 * The findings of a check of a data directory, each with its place.
 *
 * Damage is a state that no crash and no version of this program leaves behind. A notice is a state
 * that may look strange and is in order.
 */

export interface Finding {
  readonly kind: "damage" | "notice";
  /** A file and offset, or a container, a physical partition and an item. */
  readonly place: string;
  readonly text: string;
}

/** Number of findings that are kept; a broken disk can make millions, which nobody reads. */
const KEPT_COUNT_MAX = 1_000;

export class Findings {
  readonly #kept: Finding[] = [];
  readonly #onFinding: (finding: Finding) => void;
  #damageCount = 0;

  /** `onFinding` is called with each finding that is kept, as soon as it is found. */
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

  /** The first findings, at most `KEPT_COUNT_MAX`. */
  get kept(): readonly Finding[] {
    return this.#kept;
  }

  /** Number of all damages, also of those that were not kept. */
  get damageCount(): number {
    return this.#damageCount;
  }

  #keep(finding: Finding): void {
    if (this.#kept.length >= KEPT_COUNT_MAX) return;
    this.#kept.push(finding);
    this.#onFinding(finding);
  }
}
