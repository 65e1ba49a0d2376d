/**
 * Full-text functions: whether a text has words or phrases, and how well it answers them.
 *
 * Each function takes one argument more than is written: the language of the text, which binding
 * adds as the last one. A value that is no string has no words, and makes the functions undefined.
 * `FullTextScore` and `RRF` are not here: they make an order, and are no functions of one item
 * (`bind/ranked.ts`). The functions with an underscore occur in the queries of client plans.
 */
import { isObject, property } from "../../json/value.ts";
import { bm25Of } from "../../text/bm25.ts";
import type { Language } from "../../text/language.ts";
import { DEFAULT_LANGUAGE, languageOf } from "../../text/language.ts";
import type { Prose } from "../../text/prose.ts";
import { proseOf } from "../../text/prose.ts";
import type { SearchTerm } from "../../text/searchTerm.ts";
import { countInProse, DISTANCE_MAX, isInProse, searchTermOf } from "../../text/searchTerm.ts";
import type { BuiltIn, CallContext, Value } from "./builtIn.ts";
import { allOf, anyOf, isArray, isNumber, isString } from "./define.ts";

export const FULL_TEXT_FUNCTIONS: readonly BuiltIn[] = [
  ofText("FULLTEXTCONTAINS", 2, 2, contains(anyOf)),
  ofText("FULLTEXTCONTAINSALL", 2, Infinity, contains(allOf)),
  ofText("FULLTEXTCONTAINSANY", 2, Infinity, contains(anyOf)),
  ofText("_FULLTEXTWORDCOUNT", 1, 1, ({ prose }) => prose.wordCount),
  ofText("_FULLTEXTSCORE", 5, 5, (text) => scoreOf(text)),
];

/** The message for a rank whose search term is none: a rank has to know what to count. */
export const NO_SEARCH_TERM: string =
  "A term of FullTextScore must be a string, or an object with a string 'term' and a 'distance' " +
  "of 1 or 2.";

/** Reads a word or phrase, or `{term, distance}`; undefined when the value is neither. */
export function parseSearchTerm(value: Value, language: Language): SearchTerm | undefined {
  if (isString(value)) return searchTermOf(value, 0, language);
  if (!isObject(value)) return undefined;
  const term = property(value, "term");
  const distance = property(value, "distance") ?? 0;
  const isFine = Number.isInteger(distance) && isNumber(distance) && distance >= 0;
  if (!isString(term) || !isFine || distance > DISTANCE_MAX) return undefined;
  return searchTermOf(term, distance, language);
}

/**
 * Returns the language that binding added; the default one if the path of a query has no language.
 */
export function languageArgument(value: Value): Language {
  return (isString(value) ? languageOf(value) : undefined) ?? DEFAULT_LANGUAGE;
}

interface Text {
  readonly prose: Prose;
  /** The arguments between the text and its language. */
  readonly others: readonly Value[];
  readonly language: Language;
  readonly context: CallContext;
}

function ofText(
  name: string,
  argMin: number,
  argMax: number,
  answer: (text: Text) => Value,
): BuiltIn {
  const call = (args: readonly Value[], context: CallContext): Value => {
    const [subject] = args;
    if (!isString(subject)) return undefined;
    const language = languageArgument(args.at(-1));
    const prose = proseOf(subject, language);
    return answer({ prose, others: args.slice(1, -1), language, context });
  };
  return { name, argMin, argMax, isPure: true, takesLanguage: true, call };
}

function contains(join: (values: Iterable<boolean | undefined>) => boolean | undefined) {
  return ({ prose, others, language, context }: Text): Value =>
    join(
      others.map((value) => {
        const term = rememberedTerm(value, language, context);
        return term && isInProse(prose, term);
      }),
    );
}

function rememberedTerm(
  value: Value,
  language: Language,
  context: CallContext,
): SearchTerm | undefined {
  if (!isString(value)) return parseSearchTerm(value, language);
  return context.memo(`full text ${language}`, value, () => searchTermOf(value, 0, language));
}

function scoreOf({ prose, others, language, context }: Text): Value {
  const [list, documentCount, totalWordCount, hits] = others;
  if (!isArray(list) || !isArray(hits)) return undefined;
  if (!isNumber(documentCount) || !isNumber(totalWordCount) || !hits.every(isNumber)) {
    return undefined;
  }
  const counts: number[] = [];
  for (const value of list) {
    const term = rememberedTerm(value, language, context);
    if (term === undefined) return undefined;
    counts.push(countInProse(prose, term));
  }
  return bm25Of(counts, prose.wordCount, { documentCount, totalWordCount, hitCounts: hits });
}
