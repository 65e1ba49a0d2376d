/**
 * Which of many titles somebody means who has typed a few letters: all letters occur in the title
 * in their order, and the better they hang together, at beginnings of words, the earlier it comes.
 */

/** Higher is better; `undefined` when the letters are not in the title. */
function fitOf(typed: string, title: string): number | undefined {
  const letters = typed.toLowerCase().replace(/\s+/g, "");
  const text = title.toLowerCase();
  if (letters === "") return 0;
  const whole = text.indexOf(typed.trim().toLowerCase());
  if (whole >= 0) return 1000 - whole + (isWordStart(text, whole) ? 500 : 0);
  let fit = 0;
  let from = 0;
  for (const letter of letters) {
    const at = text.indexOf(letter, from);
    if (at < 0) return undefined;
    if (isWordStart(text, at)) fit += 3;
    else if (at === from && from > 0) fit += 2;
    fit -= Math.min(3, at - from) / 10;
    from = at + 1;
  }
  return fit;
}

function isWordStart(text: string, at: number): boolean {
  return at === 0 || /[^\p{L}\p{N}]/u.test(text[at - 1]!);
}

/** Those that fit, best first; those that fit alike stay in their order. */
export function ranked<T>(
  typed: string,
  entries: readonly T[],
  titleOf: (entry: T) => string,
): readonly T[] {
  return entries
    .map((entry) => ({ entry, fit: fitOf(typed, titleOf(entry)) }))
    .filter((each): each is { entry: T; fit: number } => each.fit !== undefined)
    .toSorted((one, other) => other.fit - one.fit)
    .map(({ entry }) => entry);
}
