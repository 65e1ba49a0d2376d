/**
 * Upper case, lower case and comparison without case, one letter at a time: conversions depend on
 * no language and on no neighbouring letter, and the text keeps its length (`ß` has no single upper
 * case letter and stays). JavaScript's own conversions look at whole words and turn one letter into
 * several.
 */

export function upperCase(text: string): string {
  return isAscii(text) ? text.toUpperCase() : mapLetters(text, upperLetter);
}

export function lowerCase(text: string): string {
  return isAscii(text) ? text.toLowerCase() : mapLetters(text, lowerLetter);
}

/** Two texts have the same folded form exactly when they differ in nothing but case. */
export function foldCase(text: string): string {
  return isAscii(text) ? text.toLowerCase() : mapLetters(text, foldLetter);
}

const isAscii = (text: string): boolean => !/[\u0080-\uffff]/.test(text);

function mapLetters(text: string, map: (letter: string) => string): string {
  let mapped = "";
  for (const letter of text) mapped += map(letter);
  return mapped;
}

/**
 * Returns the upper case letter. The micro sign stays as it is: it is a unit, not the Greek letter
 * that looks like it.
 */
function upperLetter(letter: string): string {
  const upper = letter.toUpperCase();
  return isCounterpart(letter, upper) && letter !== "\u00b5" ? upper : letter;
}

function lowerLetter(letter: string): string {
  const lower = letter.toLowerCase();
  return isCounterpart(letter, lower) ? lower : letter;
}

/**
 * True when one letter may be converted into the other. A dotless `ı` does not become a plain `I`:
 * that would be right in some languages only.
 */
function isCounterpart(letter: string, other: string): boolean {
  return other.length === letter.length && (isAscii(letter) || !isAscii(other));
}

/** Unicode's simple case folding, by way of the upper case: `ς` and `σ` share one. */
function foldLetter(letter: string): string {
  if (letter === "\u0131") return letter;
  const upper = letter.toUpperCase();
  const lower = (upper.length === letter.length ? upper : letter).toLowerCase();
  return lower.length === letter.length ? lower : letter;
}
