/**
 * Terms of full-text indexes: the words of a text.
 *
 * An index is on one path, in one language. Every text that an item has there gives a term for each
 * of its words, as its stem, and one for the number of its words. Stop words have none. The hash
 * that such terms begin with is one of path and language, so that texts indexed in another language
 * are never taken for these. Terms tell which items have a word, not where in the text.
 */
import { isObject, type JsonObject, type JsonValue, property } from "../json/value.ts";
import type { Language } from "../text/language.ts";
import { proseOf } from "../text/prose.ts";
import { hashOf, type PathHash, pathHashText, stepHash, WORD_SEED } from "./hash.ts";
import { type Term, type TermRange, termOf } from "./term.ts";
import { ofTypes } from "./termRange.ts";

/** A full-text index, ready to be asked. */
export interface WordLayout extends WordPlace {
  readonly path: readonly string[];
}

export interface WordPlace {
  /** What all terms of the place begin with. */
  readonly hash: PathHash;
  readonly language: Language;
}

export function wordLayoutOf(path: readonly string[], language: Language): WordLayout {
  const hash = pathHashText(path.reduce(stepHash, hashOf(language, WORD_SEED)));
  return { path, language, hash };
}

/** No term twice. */
export function wordTermsOf(layouts: readonly WordLayout[], item: JsonObject): readonly Term[] {
  return layouts.flatMap(({ path, hash, language }) => {
    const text = textAt(item, path);
    if (text === undefined) return [];
    const { words, wordCount } = proseOf(text, language);
    const distinct = new Set(words.filter((word) => word !== undefined));
    return [termOf(hash, wordCount), ...[...distinct].map((word) => termOf(hash, word))];
  });
}

/** The index on just this path; undefined when there is none. */
export function wordPlaceOf(
  layouts: readonly WordLayout[],
  path: readonly (string | symbol)[],
): WordPlace | undefined {
  return layouts.find(
    (layout) =>
      layout.path.length === path.length && layout.path.every((name, at) => name === path[at]),
  );
}

/** Where the terms of all words are, and nothing else. */
export function wordsRange({ hash }: WordPlace): TermRange {
  return ofTypes(hash, ["string"]).ranges[0]!;
}

/** Where it says how many words texts have. */
export function wordCountsRange({ hash }: WordPlace): TermRange {
  return ofTypes(hash, ["number"]).ranges[0]!;
}

function textAt(item: JsonObject, path: readonly string[]): string | undefined {
  let value: JsonValue | undefined = item;
  for (const name of path) value = isObject(value) ? property(value, name) : undefined;
  return typeof value === "string" ? value : undefined;
}
