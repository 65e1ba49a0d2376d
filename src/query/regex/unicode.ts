/**
 * What Unicode says about characters, asked of the JavaScript engine: which characters have a
 * property, and which are one another's upper and lower case. Both are found once and kept.
 *
 * The engine's own regular expressions are used here on runs of single characters only, which they
 * find in linear time. User patterns never reach them.
 */
import { type CharSet, CODE_POINT_MAX, charSet } from "./charSet.ts";

const SURROGATE_MIN = 0xd800;
const SURROGATE_MAX = 0xdfff;
const BLOCK = 0x1000;

const knownProperties = new Map<string, CharSet>();

/**
 * Returns the characters of a general category (`L`, `Lu`, `L&`) or a script (`Greek`); `undefined`
 * when there is no such name.
 */
export function propertySet(name: string): CharSet | undefined {
  const known = knownProperties.get(name);
  if (known !== undefined) return known;
  const expression = propertyExpression(name === "L&" ? "LC" : name);
  if (expression === undefined) return undefined;
  const found = charSet(runsOf(expression));
  knownProperties.set(name, found);
  return found;
}

function propertyExpression(name: string): RegExp | undefined {
  if (!/^[A-Za-z_]{1,40}$/.test(name)) return undefined;
  for (const property of [`gc=${name}`, `Script=${name}`, name]) {
    try {
      return new RegExp(`\\p{${property}}+`, "gu");
    } catch {
      // The name is not of that kind, so the next kind is tried.
    }
  }
  return undefined;
}

/**
 * Returns the ranges of the characters that an expression finds; the expression matches runs of
 * them.
 */
function runsOf(expression: RegExp): number[] {
  const ranges: number[] = [];
  for (let first = 0; first <= CODE_POINT_MAX; first += BLOCK) {
    if (first > SURROGATE_MIN - BLOCK && first <= SURROGATE_MAX) {
      continue; // Side by side, halves would be read as pairs.
    }
    const width = first > 0xffff ? 2 : 1;
    const block = textOfBlock(first, width);
    for (const { 0: run, index } of block.matchAll(expression)) {
      const low = first + index / width;
      ranges.push(low, low + run.length / width - 1);
    }
  }
  // The block of halves that was left out is tested one by one.
  for (let code = SURROGATE_MIN - (SURROGATE_MIN % BLOCK); code <= SURROGATE_MAX; code++) {
    expression.lastIndex = 0;
    if (expression.test(String.fromCharCode(code))) ranges.push(code, code);
  }
  return ranges;
}

/** Returns all characters of a block in a row; each has as many units as the first. */
function textOfBlock(first: number, width: number): string {
  const units = new Uint16Array(BLOCK * width);
  for (let at = 0; at < BLOCK; at++) {
    const code = first + at;
    if (width === 1) units[at] = code;
    else {
      units[2 * at] = 0xd800 + ((code - 0x10000) >> 10);
      units[2 * at + 1] = 0xdc00 + (code & 0x3ff);
    }
  }
  return Buffer.from(units.buffer).toString("utf16le");
}

interface CaseTable {
  /** All characters that have another case, ascending. */
  readonly cased: readonly number[];
  /** For each character, all that differ from it in case only, itself included. */
  readonly variants: ReadonlyMap<number, readonly number[]>;
}

let keptCaseTable: CaseTable | undefined;

/**
 * Returns the set together with all characters that differ from a member in case only: simple case
 * folding.
 */
export function foldCase(set: CharSet): CharSet {
  keptCaseTable ??= makeCaseTable();
  const { cased, variants } = keptCaseTable;
  const ranges = [...set];
  for (let at = 0; at < set.length; at += 2) {
    for (let next = lowerBound(cased, set[at]!); cased[next]! <= set[at + 1]!; next++) {
      for (const variant of variants.get(cased[next]!)!) ranges.push(variant, variant);
    }
  }
  return charSet(ranges);
}

function makeCaseTable(): CaseTable {
  // The dotless i has an upper case in every language, but has no case folding.
  const DOTLESS_I = 0x131;
  const changing = charSet(runsOf(/\p{Changes_When_Casemapped}+/gu));
  const variants = new Map<number, number[]>();
  for (let at = 0; at < changing.length; at += 2) {
    for (let code = changing[at]!; code <= changing[at + 1]!; code++) {
      if (code === DOTLESS_I) continue;
      const character = String.fromCodePoint(code);
      for (const other of [character.toLowerCase(), character.toUpperCase()]) {
        const otherCode = other.codePointAt(0)!;
        if (String.fromCodePoint(otherCode) === other) join(variants, code, otherCode);
      }
    }
  }
  return { cased: [...variants.keys()].sort((a, b) => a - b), variants };
}

function join(variants: Map<number, number[]>, a: number, b: number): void {
  const ofA = variants.get(a) ?? [a];
  const ofB = variants.get(b) ?? [b];
  if (ofA.includes(b)) return;
  const all = [...ofA, ...ofB];
  for (const code of all) variants.set(code, all);
}

function lowerBound(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
