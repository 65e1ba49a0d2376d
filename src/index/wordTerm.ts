/**
 * Terms of full-text indexes: the words of a text.
 *
 * An index is on one path, in one language. Every text that an item has there gives a term for the
 * stem of each of its words, and one for the number of its words. Stop words give no term. The hash
 * that such terms begin with is made from path and language, so that texts indexed in another
 * language are never taken for these. Terms tell which items have a word, not where in the text.
 */
import { isObject, type JsonObject, type JsonValue, property } from "../json/value.ts";
import type { Language } from "../text/language.ts";
import { proseOf } from "../text/prose.ts";
import { hashOf, type PathHash, pathHashText, stepHash, WORD_SEED } from "./hash.ts";
import { type Term, type TermRange, termOf } from "./term.ts";
import { ofTypes } from "./termRange.ts";

/** A full-text index, prepared for making terms and for lookups. */
export interface WordLayout extends WordPlace {
  readonly path: readonly string[];
}

export interface WordPlace {
  /** The bytes that all terms of the place begin with. */
  readonly hash: PathHash;
  readonly language: Language;
}

export function wordLayoutOf(path: readonly string[], language: Language): WordLayout {
  const hash = pathHashText(path.reduce(stepHash, hashOf(language, WORD_SEED)));
  return { path, language, hash };
}

/** Returns the word terms of an item, each once. */
export function wordTermsOf(layouts: readonly WordLayout[], item: JsonObject): readonly Term[] {
  return layouts.flatMap(({ path, hash, language }) => {
    const text = textAt(item, path);
    if (text === undefined) return [];
    const { words, wordCount } = proseOf(text, language);
    const distinct = new Set(words.filter((word) => word !== undefined));
    return [termOf(hash, wordCount), ...[...distinct].map((word) => termOf(hash, word))];
  });
}

/** Returns the index on exactly this path; undefined when there is none. */
export function wordPlaceOf(
  layouts: readonly WordLayout[],
  path: readonly (string | symbol)[],
): WordPlace | undefined {
  return layouts.find(
    (layout) =>
      layout.path.length === path.length && layout.path.every((name, at) => name === path[at]),
  );
}

/** Returns the range of the terms of all words, and of nothing else. */
export function wordsRange({ hash }: WordPlace): TermRange {
  return ofTypes(hash, ["string"]).ranges[0]!;
}

/** Returns the range of the terms that say how many words texts have. */
export function wordCountsRange({ hash }: WordPlace): TermRange {
  return ofTypes(hash, ["number"]).ranges[0]!;
}

function textAt(item: JsonObject, path: readonly string[]): string | undefined {
  let value: JsonValue | undefined = item;
  for (const name of path) value = isObject(value) ? property(value, name) : undefined;
  return typeof value === "string" ? value : undefined;
}
