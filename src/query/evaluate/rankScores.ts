/**
 * The scores of a rank, ready to be evaluated: how often a text has the terms, or how far a vector
 * is. The score of a text needs statistics of all texts, which are collected first
 * (`execute/textStatistics.ts`).
 */
import type { WordPlace } from "../../index/wordTerm.ts";
import { bm25Of, type TextStatistics } from "../../text/bm25.ts";
import type { Language } from "../../text/language.ts";
import { proseOf } from "../../text/prose.ts";
import type { SearchTerm } from "../../text/searchTerm.ts";
import { countInProse } from "../../text/searchTerm.ts";
import type { Bound, BoundRank, RankComponent } from "../bind/bound.ts";
import type { Value } from "../functions/builtIn.ts";
import { isArray } from "../functions/define.ts";
import { languageArgument, NO_SEARCH_TERM, parseSearchTerm } from "../functions/fullText.ts";
import { compile } from "./compile.ts";
import type { Evaluate, Run, Slots } from "./run.ts";
import { QueryFailure } from "./run.ts";

export interface RankPlan {
  readonly components: readonly RankScore[];
  readonly weights: Evaluate | undefined;
}

type RankScore = TextScore | VectorScore;

export interface TextScore {
  readonly kind: "text";
  readonly text: Evaluate;
  readonly terms: readonly Evaluate[];
  readonly language: Evaluate;
  /** The place whose index has the words of the text; absent when no index has. */
  readonly place: WordPlace | undefined;
}

export interface VectorScore {
  readonly kind: "vector";
  readonly distance: Evaluate;
  readonly isLargerBetter: boolean;
}

export function compileRank(
  { components, weights }: BoundRank,
  placeOf: (text: Bound) => WordPlace | undefined,
): RankPlan {
  return {
    components: components.map((component) => compileScore(component, placeOf)),
    weights: weights && compile(weights),
  };
}

function compileScore(
  component: RankComponent,
  placeOf: (text: Bound) => WordPlace | undefined,
): RankScore {
  if (component.kind === "vector") {
    const { distance, isLargerBetter } = component;
    return { kind: "vector", distance: compile(distance), isLargerBetter };
  }
  const { text, terms, language } = component;
  return {
    kind: "text",
    text: compile(text),
    terms: terms.map(compile),
    language: compile(language),
    place: placeOf(text),
  };
}

/** What a text is searched for, with the parameters of this execution. */
export interface Sought {
  readonly terms: readonly SearchTerm[];
  readonly language: Language;
}

export function soughtBy({ terms, language }: TextScore, run: Run): Sought {
  const spoken = languageArgument(language([], run));
  const values = terms.flatMap((term): readonly Value[] => {
    const value = term([], run);
    return isArray(value) ? value : [value];
  });
  return {
    language: spoken,
    terms: values.map((value) => {
      const term = parseSearchTerm(value, spoken);
      if (term !== undefined) return term;
      throw new QueryFailure(NO_SEARCH_TERM);
    }),
  };
}

/** Returns the score of a text; undefined when the value is not a string. */
export function textScoreOf(
  { text }: TextScore,
  { terms, language }: Sought,
  statistics: TextStatistics,
  slots: Slots,
  run: Run,
): number | undefined {
  const value = text(slots, run);
  if (typeof value !== "string") return undefined;
  const prose = proseOf(value, language);
  run.effort.spend(1 + (value.length >> 6));
  const counts = terms.map((term) => countInProse(prose, term));
  return bm25Of(counts, prose.wordCount, statistics);
}

export function vectorScoreOf(
  { distance }: VectorScore,
  slots: Slots,
  run: Run,
): number | undefined {
  const value = distance(slots, run);
  run.effort.spend(1);
  return typeof value === "number" ? value : undefined;
}

/** Returns one weight for each component. */
export function weightsOf({ weights, components }: RankPlan, run: Run): readonly number[] {
  if (weights === undefined) return components.map(() => 1);
  const values = weights([], run);
  if (!isArray(values) || !values.every(isWeight) || values.length !== components.length) {
    throw new QueryFailure(
      `The weights of RRF must be an array of ${components.length} numbers, one for each score.`,
    );
  }
  return values;
}

function isWeight(value: Value): value is number {
  return Number.isFinite(value);
}
