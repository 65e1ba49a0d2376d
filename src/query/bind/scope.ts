/**
 * Names in sight. Scopes nest: a subquery sees the sources of the queries around it, and a source
 * sees those to its left. Every name of a program gets a slot of its own.
 */

export interface Scope {
  /** The slot of a name, or undefined when nothing in sight is called that. */
  find(name: string): number | undefined;
}

export const NOTHING_IN_SIGHT: Scope = { find: () => undefined };

/** A scope with one more name, which hides an outer one that is called the same. */
export function withName(outer: Scope, name: string, slot: number): Scope {
  return { find: (sought) => (sought === name ? slot : outer.find(sought)) };
}

/** Slots are given out once each, over the whole program. */
export class Slots {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  next(): number {
    return this.#count++;
  }
}
