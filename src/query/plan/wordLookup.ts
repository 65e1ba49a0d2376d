/**
 * Conditions on the words of a text: `FullTextContains` and its kin. The index tells which items
 * have a word; whether the words of a phrase stand side by side is evaluated on the item. A word
 * that may be misspelled is compared with all words of the index.
 */
import { PATH_HASH_BYTES } from "../../index/hash.ts";
import { decodeValue } from "../../index/term.ts";
import { equalTo } from "../../index/termRange.ts";
import type { WordPlace } from "../../index/wordTerm.ts";
import { wordsRange } from "../../index/wordTerm.ts";
import type { SearchTerm } from "../../text/searchTerm.ts";
import { isSameWord, wordsOfTerm } from "../../text/searchTerm.ts";
import type { Bound } from "../bind/bound.ts";
import { isConstant } from "../bind/boundTrees.ts";
import { compile } from "../evaluate/compile.ts";
import type { Run } from "../evaluate/run.ts";
import { languageArgument, parseSearchTerm } from "../functions/fullText.ts";
import type { ItemPath } from "./itemPaths.ts";
import { itemPathOf } from "./itemPaths.ts";
import type { Lookup, ResolvedTerms, TermLookup } from "./lookup.ts";
import type { LookupSetting } from "./termLookup.ts";

/** Returns a lookup for each term; undefined when the index cannot answer all of them. */
export function wordLookups(
  { builtIn, args }: Extract<Bound, { readonly kind: "call" }>,
  setting: LookupSetting,
): readonly Lookup[] | undefined {
  const text = args[0]!;
  const language = args.at(-1)!;
  const terms = args.slice(1, -1);
  const path = itemPathOf(text, setting.paths);
  if (path === undefined || !path.isOne || !terms.every(isConstant)) return undefined;
  const place = setting.index.wordPlace?.(path.segments);
  if (place === undefined) return undefined;
  const languageOf = compile(language);
  return terms.map((term) => {
    const termValueOf = compile(term);
    const asked: Asked = {
      path,
      place,
      what: builtIn.name,
      isSpoken: (run) => languageArgument(languageOf([], run)) === place.language,
      termOf: (run) => parseSearchTerm(termValueOf([], run), place.language),
    };
    return termLookup(asked);
  });
}

interface Asked {
  readonly path: ItemPath;
  readonly place: WordPlace;
  readonly what: string;
  /** True when the index is in the language that the text is read in. */
  isSpoken(run: Run): boolean;
  termOf(run: Run): SearchTerm | undefined;
}

/** Number of words of a phrase that are looked up: the longest ones, which tend to be rare. */
const PHRASE_WORDS_MAX = 4;

/**
 * Returns a lookup for one term. Only the parameters tell whether it is a word or a phrase, so the
 * lookup has a form for each.
 */
function termLookup(asked: Asked): Lookup {
  const first = lookupBy(asked, (term) => {
    const [word, ...others] = term === undefined ? [] : wordsOfTerm(term);
    // A value that is no term, or a term without a word, is in no text.
    if (term === undefined || word === undefined) return NOTHING;
    return others.length > 0 || term.words.length > 1 ? undefined : resolveWord(asked, term, word);
  });
  const others = Array.from({ length: PHRASE_WORDS_MAX }, (_, at) =>
    lookupBy(asked, (term) => {
      const words = term === undefined ? [] : wordsOfTerm(term);
      const word = words.toSorted((a, b) => b.length - a.length)[at];
      if (word === undefined || term === undefined) return undefined;
      return { ...resolveWord(asked, term, word), isExact: false };
    }),
  );
  return { kind: "prefer", first, others };
}

const NOTHING: ResolvedTerms = { ranges: [], isExact: true, mayRepeat: false };

function lookupBy(
  { path, what, isSpoken, termOf }: Asked,
  resolve: (term: SearchTerm | undefined) => ResolvedTerms | undefined,
): TermLookup {
  return {
    kind: "terms",
    path,
    what,
    isOfParts: true,
    resolve: (run) => (isSpoken(run) ? resolve(termOf(run)) : undefined),
  };
}

function resolveWord({ place }: Asked, { distance }: SearchTerm, word: string): ResolvedTerms {
  if (distance === 0) return { ...equalTo(place.hash, word), mayRepeat: false };
  const test = (term: string): boolean => {
    const known = decodeValue(term.slice(PATH_HASH_BYTES));
    return typeof known !== "string" || isSameWord(known, word, distance);
  };
  return { ranges: [wordsRange(place)], isExact: false, mayRepeat: true, test };
}
