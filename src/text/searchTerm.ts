/**
 * A term that is looked for in a text: a word, a phrase (words in order, as far apart as they are
 * written), or a word that may be misspelled by one or two letters.
 *
 * A phrase counts as one term. A term of stop words alone is found nowhere. A misspelled word is
 * compared by its stem, like all words.
 */
import { isWithinDistance } from "./editDistance.ts";
import type { Language } from "./language.ts";
import type { Prose } from "./prose.ts";
import { proseOf } from "./prose.ts";

export interface SearchTerm {
  /**
   * The stems of the term; undefined where any word may be, which is neither the first nor the
   * last.
   */
  readonly words: readonly (string | undefined)[];
  /** How many letters of each word may be wrong. */
  readonly distance: number;
}

export const DISTANCE_MAX = 2;

export function searchTermOf(text: string, distance: number, language: Language): SearchTerm {
  const { words } = proseOf(text, language);
  const first = words.findIndex((word) => word !== undefined);
  if (first === -1) return { words: [], distance };
  const last = words.findLastIndex((word) => word !== undefined);
  return { words: words.slice(first, last + 1), distance };
}

/** Returns the words that a text must have to contain the term. */
export function wordsOfTerm({ words }: SearchTerm): readonly string[] {
  return [...new Set(words.filter((word) => word !== undefined))];
}

export function isInProse(prose: Prose, term: SearchTerm): boolean {
  return nextPlace(prose, term, 0) !== -1;
}

/** Counts how often the term is in the text; places of a phrase may overlap. */
export function countInProse(prose: Prose, term: SearchTerm): number {
  let count = 0;
  let place = nextPlace(prose, term, 0);
  while (place !== -1) {
    count++;
    place = nextPlace(prose, term, place + 1);
  }
  return count;
}

export function isSameWord(word: string, sought: string, distance: number): boolean {
  return distance === 0 ? word === sought : isWithinDistance(word, sought, distance);
}

/** Returns the next place from `from` on at which the term begins, or -1. */
function nextPlace({ words }: Prose, term: SearchTerm, from: number): number {
  const last = words.length - term.words.length;
  if (term.words.length === 0) return -1;
  for (let place = from; place <= last; place++) {
    const isHere = term.words.every((sought, at) => {
      if (sought === undefined) return true;
      const word = words[place + at];
      return word !== undefined && isSameWord(word, sought, term.distance);
    });
    if (isHere) return place;
  }
  return -1;
}
