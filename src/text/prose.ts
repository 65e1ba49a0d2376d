/**
 * A text as the words it is searched by: in lower case, reduced to their stems, each at its place.
 *
 * A word is a run of letters, marks and digits; everything else separates words. Stop words keep
 * their places, so that a phrase knows how far its words are apart, but no search finds them, and
 * they do not count in the length of a text.
 */
import type { Language } from "./language.ts";
import { stemOf } from "./stem.ts";
import { isStopWord } from "./stopWords.ts";

export interface Prose {
  /** The stems by place; undefined where a stop word is. */
  readonly words: readonly (string | undefined)[];
  /** The number of words without stop words. */
  readonly wordCount: number;
}

export function proseOf(text: string, language: Language): Prose {
  const known = recent.find((entry) => entry.text === text && entry.language === language);
  if (known !== undefined) return known.prose;
  const prose = read(text, language);
  recent[nextRecent] = { text, language, prose };
  nextRecent = (nextRecent + 1) % RECENT_COUNT;
  return prose;
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu;

function read(text: string, language: Language): Prose {
  const words: (string | undefined)[] = [];
  let wordCount = 0;
  for (const [word] of text.normalize("NFC").toLowerCase().matchAll(WORD)) {
    const isStop = isStopWord(word, language);
    words.push(isStop ? undefined : stemOf(word, language));
    if (!isStop) wordCount++;
  }
  return { words, wordCount };
}

/**
 * Number of texts whose words are remembered: a row needs the same text once for each term, and
 * again for its score.
 */
const RECENT_COUNT = 4;
const recent: { readonly text: string; readonly language: Language; readonly prose: Prose }[] = [];
let nextRecent = 0;
