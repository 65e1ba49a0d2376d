/**
 * The patterns of `LIKE`, compiled. `%` is any run of characters, `_` any one character, `[a-f]`
 * one of a set, `[^a-f]` one that is not in the set. Every other character stands for itself, and
 * so does the one behind the escape character. The whole text must match, in the same case.
 *
 * A character is a Unicode code point: a surrogate pair is one. `]` by itself and a `[` that
 * nothing closes are plain. In a set the first `]` closes, `-` at either end is plain, and the
 * escape works as outside. A pattern that ends with the escape character matches nothing.
 *
 * Matching takes at most (length of text) × (length of pattern) steps. `%` cuts a pattern into
 * segments. The first segment is fixed to the start of the text and the last to its end; for those
 * between, the leftmost match behind the segment before is always good enough, so no choice is ever
 * taken back.
 */
import { PatternProblem } from "../regex/problem.ts";
import { STEPS_MAX } from "../regex/steps.ts";

interface LikeMatcher {
  matches(text: string): boolean;
  /** The literal that every match starts with. */
  readonly prefix: string;
  /** True when the pattern has no wildcard: it means equality with `prefix`. */
  readonly isLiteral: boolean;
  /** True when the pattern is `prefix%`: it means that the text starts with `prefix`. */
  readonly isPrefix: boolean;
}

/** What one character of the text is compared with. */
interface Element {
  readonly accepts: (codePoint: number) => boolean;
  /** The only text accepted, if there is just one. */
  readonly literal: string | undefined;
}

interface Segment {
  readonly elements: readonly Element[];
  /** The whole segment as text, if no wildcard is in it. */
  readonly literal: string | undefined;
}

/** The first and the last code point of a range. */
type Range = readonly [number, number];

const ANY: Element = { accepts: () => true, literal: undefined };
const NOT_FOUND = -1;

/** Compiles a pattern. `escapeChar` is one character: the parser refuses a longer text. */
export function compileLike(pattern: string, escapeChar: string | undefined): LikeMatcher {
  if (!hasSign(pattern, escapeChar)) {
    const matches = (text: string): boolean => text === pattern;
    return { matches, prefix: pattern, isLiteral: true, isPrefix: false };
  }
  if (pattern.length > PATTERN_LENGTH_MAX) {
    return { matches: refuseLength, prefix: "", isLiteral: false, isPrefix: false };
  }
  const segments = parsePattern(pattern, escapeChar);
  const [head, ...rest] = segments as [Segment, ...Segment[]];
  const prefix = prefixOf(head);
  const isLiteral = head.literal !== undefined && rest.length === 0;
  const isPrefix =
    head.literal !== undefined && rest.length > 0 && rest.every(({ literal }) => literal === "");
  return { matches: matcherOf(head, rest), prefix, isLiteral, isPrefix };
}

/** A bound of our own, the same as for regular expressions. */
const PATTERN_LENGTH_MAX = 10_000;

/**
 * Thrown when the pattern is matched, not when it is compiled: the planner compiles patterns only
 * to find their prefix.
 */
function refuseLength(): never {
  throw new PatternProblem(
    `The pattern of LIKE has more than ${PATTERN_LENGTH_MAX} characters, which is too many.`,
  );
}

/**
 * True when the pattern needs more than a comparison: it has a wildcard, an escape, or half of a
 * surrogate pair.
 */
function hasSign(pattern: string, escapeChar: string | undefined): boolean {
  if (escapeChar !== undefined && pattern.includes(escapeChar)) return true;
  return /[%_[]/.test(pattern) || !pattern.isWellFormed();
}

function matcherOf(head: Segment, rest: readonly Segment[]): (text: string) => boolean {
  const tail = rest.at(-1);
  if (tail === undefined) return (text) => endOfMatch(head, text, 0) === text.length;
  const between = rest.slice(0, -1);
  return (text) => {
    const steps = new LikeSteps();
    let offset = endOfMatch(head, text, 0);
    if (offset === NOT_FOUND) return false;
    const tailOffset = stepBack(text, tail.elements.length);
    if (tailOffset < offset || endOfMatch(tail, text, tailOffset) === NOT_FOUND) return false;
    for (const segment of between) {
      offset = endOfFirst(segment, text, offset, steps);
      if (offset === NOT_FOUND || offset > tailOffset) return false;
    }
    return true;
  };
}

/**
 * Counts the steps of one match, because a pattern that nearly matches everywhere takes as many as
 * the text times the pattern.
 */
class LikeSteps {
  #left = STEPS_MAX;

  step(): void {
    this.#left--;
    if (this.#left < 0) {
      throw new PatternProblem("The pattern of LIKE needs too much work on this text.");
    }
  }
}

/** Returns where the segment's match at `offset` ends. */
function endOfMatch(
  { elements, literal }: Segment,
  text: string,
  offset: number,
  steps?: LikeSteps,
): number {
  if (literal !== undefined) {
    return text.startsWith(literal, offset) ? offset + literal.length : NOT_FOUND;
  }
  let end = offset;
  for (const element of elements) {
    const codePoint = text.codePointAt(end);
    steps?.step();
    if (codePoint === undefined || !element.accepts(codePoint)) return NOT_FOUND;
    end += unitCountOf(codePoint);
  }
  return end;
}

/** Returns where the segment's first match at or behind `offset` ends. */
function endOfFirst(segment: Segment, text: string, offset: number, steps: LikeSteps): number {
  if (segment.literal !== undefined) {
    const found = text.indexOf(segment.literal, offset);
    return found === -1 ? NOT_FOUND : found + segment.literal.length;
  }
  for (let start = offset; start < text.length; start += unitCountOf(text.codePointAt(start)!)) {
    const end = endOfMatch(segment, text, start, steps);
    if (end !== NOT_FOUND) return end;
  }
  return NOT_FOUND;
}

/** Returns the offset of the last `charCount` characters; negative if the text has fewer. */
function stepBack(text: string, charCount: number): number {
  let offset = text.length;
  for (let left = charCount; left > 0; left -= 1) {
    const isPair = offset >= 2 && text.codePointAt(offset - 2)! > 0xffff;
    offset -= isPair ? 2 : 1;
  }
  return offset;
}

/** Cuts the pattern at each `%`. There is always one segment, which may be empty. */
function parsePattern(pattern: string, escapeChar: string | undefined): Segment[] {
  const chars = charsOf(pattern, escapeChar);
  const lastClosing = chars.findLastIndex((char) => char.sign === "]");
  const segments: Segment[] = [];
  let elements: Element[] = [];
  for (let index = 0; index < chars.length; index += 1) {
    const { text, sign } = chars[index]!;
    if (sign === "%") {
      segments.push(segmentOf(elements));
      elements = [];
    } else if (sign === "[" && index < lastClosing) {
      const start = index + 1;
      while (chars[index]!.sign !== "]") index += 1;
      elements.push(parseSet(chars.slice(start, index)));
    } else {
      elements.push(sign === "_" ? ANY : only(text));
    }
  }
  segments.push(segmentOf(elements));
  return segments;
}

/**
 * One character of a pattern; `sign` is absent unless the character is special, and is absent for
 * an escaped character.
 */
interface PatternChar {
  readonly text: string;
  readonly sign: string | undefined;
}

function charsOf(pattern: string, escapeChar: string | undefined): readonly PatternChar[] {
  const chars: PatternChar[] = [];
  let isEscaped = false;
  for (const text of pattern) {
    if (text === escapeChar && !isEscaped) isEscaped = true;
    else {
      chars.push({ text, sign: isEscaped ? undefined : text });
      isEscaped = false;
    }
  }
  if (isEscaped) chars.push({ text: "", sign: undefined });
  return chars;
}

/** Parses what stands between the brackets. */
function parseSet(chars: readonly PatternChar[]): Element {
  const isNegated = chars[0]?.sign === "^";
  const members = isNegated ? chars.slice(1) : chars;
  if (!isNegated && members.length === 1) return only(members[0]!.text);
  const ranges: Range[] = [];
  for (let index = 0; index < members.length; index += 1) {
    const first = codePointOf(members[index]!.text);
    const isRange = members[index + 1]?.sign === "-" && index + 2 < members.length;
    if (isRange) index += 2;
    ranges.push([first, codePointOf(members[index]!.text)]);
  }
  const includes = inRanges(ranges);
  return {
    accepts: isNegated ? (codePoint) => !includes(codePoint) : includes,
    literal: undefined,
  };
}

function inRanges(ranges: readonly Range[]): (codePoint: number) => boolean {
  // A range that runs backwards holds nothing.
  const sorted = ranges.filter(([first, last]) => first <= last).sort(([a], [b]) => a - b);
  const apart: Range[] = [];
  for (const [first, last] of sorted) {
    const before = apart.at(-1);
    if (before === undefined || before[1] < first) apart.push([first, last]);
    else apart[apart.length - 1] = [before[0], Math.max(before[1], last)];
  }
  return (codePoint) => {
    let low = 0;
    let high = apart.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (apart[middle]![1] < codePoint) low = middle + 1;
      else high = middle;
    }
    return low < apart.length && apart[low]![0] <= codePoint;
  };
}

/**
 * Accepts one character. Half of a surrogate pair has no literal, because a plain search would find
 * it within a pair. The empty text has none either: an escape at the end leaves it, and nothing
 * matches it.
 */
function only(char: string): Element {
  const expected = char.codePointAt(0);
  const isWhole = char !== "" && char.isWellFormed();
  return {
    accepts: (codePoint) => codePoint === expected,
    literal: isWhole ? char : undefined,
  };
}

function segmentOf(elements: readonly Element[]): Segment {
  const literals = elements.map((element) => element.literal);
  return { elements, literal: literals.includes(undefined) ? undefined : literals.join("") };
}

function prefixOf({ elements }: Segment): string {
  const wildcardIndex = elements.findIndex((element) => element.literal === undefined);
  const leading = wildcardIndex === -1 ? elements : elements.slice(0, wildcardIndex);
  return leading.map((element) => element.literal).join("");
}

const codePointOf = (char: string): number => char.codePointAt(0)!;

const unitCountOf = (codePoint: number): number => (codePoint > 0xffff ? 2 : 1);
