/**
 * Reduces words to what their forms have in common: "swims" and "swimming" become "swim". The
 * algorithms are those of the Snowball project; they take ten microseconds a word, so the stems of
 * recent words are remembered, within bounds. Words that the algorithms would not change are not
 * given to them: numbers and keys, of which a text may have any number that never occurred before.
 *
 * Not here: which pieces of a text are words (`prose.ts`).
 */
// @ts-expect-error The package comes without types; what is used of it is `MakeStemmer`.
import { newStemmer } from "snowball-stemmers";
import type { Language } from "./language.ts";

/**
 * Number of remembered words: the vocabulary of a large collection, in a megabyte or two. Our
 * choice.
 */
const REMEMBERED_MAX = 20_000;
/** A longer word is of no language: a key, a hash, encoded bytes. It is left as it is. */
const WORD_CHARS_MAX = 64;

export function stemOf(word: string, language: Language): string {
  if (word.length > WORD_CHARS_MAX || UNCHANGED[language].test(word)) return word;
  const stemmer = stemmerOf(ALGORITHMS[language]);
  const known = stemmer.remembered.get(word);
  if (known !== undefined) return known;
  if (stemmer.remembered.size >= REMEMBERED_MAX) stemmer.remembered.clear();
  const stem = stemmer.stem(word);
  stemmer.remembered.set(word, stem);
  return stem;
}

/**
 * No ending of any language has a digit in it, and no English ending has these letters at its end.
 */
const ENDS_WITH_DIGIT = /^[a-z0-9]*[0-9]$/;
const UNCHANGED: Readonly<Record<Language, RegExp>> = {
  "en-US": /^[a-z0-9]*[abfhjkopquvwxz0-9]$/,
  "de-DE": ENDS_WITH_DIGIT,
  "es-ES": ENDS_WITH_DIGIT,
  "fr-FR": ENDS_WITH_DIGIT,
  "it-IT": ENDS_WITH_DIGIT,
  "pt-BR": ENDS_WITH_DIGIT,
  "pt-PT": ENDS_WITH_DIGIT,
};

const ALGORITHMS: Readonly<Record<Language, string>> = {
  "en-US": "english",
  "de-DE": "german",
  "es-ES": "spanish",
  "fr-FR": "french",
  "it-IT": "italian",
  "pt-BR": "portuguese",
  "pt-PT": "portuguese",
};

type MakeStemmer = (algorithm: string) => { stem(word: string): string };
const makeStemmer: MakeStemmer = newStemmer;

interface RememberingStemmer {
  stem(word: string): string;
  readonly remembered: Map<string, string>;
}

const STEMMERS = new Map<string, RememberingStemmer>();

/** Makes a stemmer when its language first occurs: most servers meet one language only. */
function stemmerOf(algorithm: string): RememberingStemmer {
  const known = STEMMERS.get(algorithm);
  if (known !== undefined) return known;
  const stemmer = makeStemmer(algorithm);
  const made = { stem: (word: string) => stemmer.stem(word), remembered: new Map() };
  STEMMERS.set(algorithm, made);
  return made;
}
