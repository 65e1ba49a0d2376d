/**
 * The score of a text for some terms: Okapi BM25, with the usual constants. A rare term weighs more
 * than a frequent one, the second occurrence of a term less than the first, and a word of a long
 * text less than one of a short text. A text with none of the terms scores 0; no score is lower.
 */

/** Statistics of all texts that are compared, whether they have the terms or not. */
export interface TextStatistics {
  readonly documentCount: number;
  readonly totalWordCount: number;
  /** For each term: the number of texts that have it. */
  readonly hitCounts: readonly number[];
}

const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.75;

/** `counts` says how often each term is in the text. */
export function bm25Of(
  counts: readonly number[],
  wordCount: number,
  { documentCount, totalWordCount, hitCounts }: TextStatistics,
): number {
  const averageCount = documentCount > 0 ? totalWordCount / documentCount : 0;
  const length = averageCount > 0 ? wordCount / averageCount : 1;
  const damping = SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * length);
  let score = 0;
  for (const [at, count] of counts.entries()) {
    if (count === 0) continue;
    const weight = rarityOf(hitCounts[at] ?? 0, documentCount);
    score += (weight * (count * (SATURATION + 1))) / (count + damping);
  }
  return score;
}

function rarityOf(hitCount: number, documentCount: number): number {
  // Statistics may be older than the text, so the hits may exceed the documents.
  const others = Math.max(0, documentCount - hitCount);
  return Math.log(1 + (others + 0.5) / (hitCount + 0.5));
}
