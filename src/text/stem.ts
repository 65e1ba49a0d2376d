/**
 * Words cut back to what their forms have in common: "swims" and "swimming" are "swim". The
 * algorithms are those of the Snowball project; they take ten microseconds a word, so what they
 * made of the words seen lately is remembered, within bounds. Words that they leave alone are not
 * handed to them: numbers and keys, of which a text may have any number that nobody has seen.
 *
 * Not here: which pieces of a text are words (`prose.ts`).
 */
// @ts-expect-error The package comes without types; what is used of it is `MakeStemmer`.
import { newStemmer } from "snowball-stemmers";
import type { Language } from "./language.ts";

/** Our choice: the vocabulary of a large collection, and a megabyte or two. */
const REMEMBERED_MAX = 20_000;
/** Longer ones are not of any language: keys, hashes, encoded bytes. They stay as they are. */
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

/** No ending of any language has a digit in it, and no English one ends with these letters. */
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

/** Made when a language is first met: most servers meet one. */
function stemmerOf(algorithm: string): RememberingStemmer {
  const known = STEMMERS.get(algorithm);
  if (known !== undefined) return known;
  const stemmer = makeStemmer(algorithm);
  const made = { stem: (word: string) => stemmer.stem(word), remembered: new Map() };
  STEMMERS.set(algorithm, made);
  return made;
}
