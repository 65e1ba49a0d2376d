/**
 * Names in sight. Scopes nest: a subquery sees the sources of the queries around it, and a source
 * sees the sources to its left. Every name of a program gets a slot of its own.
 */

export interface Scope {
  /** Returns the slot of a name, or undefined when nothing in sight has that name. */
  find(name: string): number | undefined;
}

export const NOTHING_IN_SIGHT: Scope = { find: () => undefined };

/** Returns a scope with one more name, which hides an outer one that is the same. */
export function withName(outer: Scope, name: string, slot: number): Scope {
  return { find: (sought) => (sought === name ? slot : outer.find(sought)) };
}

/** Gives out slots, each once over the whole program. */
export class SlotNumbers {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  next(): number {
    return this.#count++;
  }
}
