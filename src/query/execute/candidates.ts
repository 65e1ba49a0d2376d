/**
 * From lookups to candidates: the item numbers of one source that a filter leaves, found in its
 * index.
 *
 * Candidates come in order of creation whatever the index was asked. So a position among them is an
 * item number and nothing else, and the order of the rows does not depend on how the items were
 * found. A lookup that would take in more than a bounded number of index entries is given up: then
 * the items themselves are looked at.
 */

import type { Run } from "../evaluate/run.ts";
import type { Lookup } from "../plan/lookup.ts";
import type { TermBounds } from "../plan/termBounds.ts";
import { confined, isImpliedExactly } from "./confinedParts.ts";
import type { Gathering } from "./gather.ts";
import { GATHER_MAX, gather, intersection } from "./gather.ts";
import type { Part } from "./lookupParts.ts";
import {
  isAnswer,
  isExactPart,
  isScope,
  isTried,
  partOf,
  rangeCountOf,
  resolve,
  singleTermOf,
} from "./lookupParts.ts";
import { shortestOf } from "./shortest.ts";
import { meeting } from "./termMeeting.ts";

export type Candidates =
  /** Every item has to be looked at. */
  | { readonly kind: "everything" }
  /** The numbers of the candidates: sorted, each once. */
  | { readonly kind: "numbers"; readonly numbers: readonly number[]; readonly isExact: boolean }
  /** The items of one term. The index holds them in order, so they need not be collected. */
  | { readonly kind: "term"; readonly bounds: TermBounds; readonly isExact: boolean };

export type StreamedCandidates =
  | Candidates
  /** The items that have all of these terms. */
  | { readonly kind: "terms"; readonly bounds: readonly TermBounds[] };

/** Number of candidates at which no further lookup is asked: reading so few items is cheaper. */
const FEW = 64;

/** What a filter asks of the index, with the parameters of one execution. */
interface Asked {
  /** Number of term ranges, over all lookups. */
  readonly lookupCount: number;
  /** True when every condition has a lookup, and the lookups alone say which items pass. */
  readonly isAnswered: boolean;
}

export function askedOf(lookups: readonly Lookup[], run: Run): Asked {
  return askedBy(lookups.map((lookup) => resolve(lookup, run)));
}

function askedBy(parts: readonly (Part | undefined)[]): Asked {
  let lookupCount = 0;
  for (const part of parts) if (part !== undefined) lookupCount += rangeCountOf(part);
  const isAnswered = parts.every((part) => part !== undefined && isAnswer(part));
  return { lookupCount, isAnswered };
}

/**
 * Returns the candidates of a conjunction. With `isExactWanted` every lookup is read, for an answer
 * from the index alone; otherwise reading stops as soon as few enough candidates are left.
 */
export async function candidatesOf(
  lookups: readonly Lookup[],
  gathering: Gathering,
  isExactWanted = false,
): Promise<Candidates> {
  const asking = askingOf(lookups, gathering, isExactWanted);
  const single = singleOf(asking);
  if (single !== undefined) return single;
  return isExactWanted ? exactly(asking, gathering) : inTurn(asking, gathering);
}

/**
 * Returns the candidates of a conjunction for somebody who takes a few at a time, so that a long
 * list need not be read before the first of them is given.
 */
export async function streamedCandidatesOf(
  lookups: readonly Lookup[],
  gathering: Gathering,
): Promise<StreamedCandidates> {
  const asking = askingOf(lookups, gathering, false);
  const single = singleOf(asking);
  if (single !== undefined) return single;
  // An item that does not pass costs nothing then, so it does not matter which lookups are read;
  // but values that are tried one by one are paid for, so they are tried where they always were.
  const isFree = asking.isAnswered && !asking.known.some(isTried);
  const found = isFree ? await freely(asking, gathering) : undefined;
  return found ?? inTurn(asking, gathering);
}

function askingOf(
  lookups: readonly Lookup[],
  gathering: Gathering,
  isExactWanted: boolean,
): Asking {
  const { source } = gathering;
  const parts = partsOf(lookups, gathering);
  const found = parts.filter((part) => part !== undefined);
  const { parts: known, implied } = confined(found, source, isExactWanted);
  // Where the scope stands in for lookups that it implies, those lookups are noted as used instead
  // of the scope.
  const markUsed = (part: Part): void => {
    for (const used of implied.length > 0 && isScope(part) ? implied : [part]) {
      noteUse(used, gathering);
    }
  };
  const isWhole = found.length === parts.length;
  const { isAnswered } = askedBy(parts);
  return { known, isWhole, isAnswered, hasImplied: implied.length > 0, markUsed };
}

/** Where there is one lookup only, of one term, its items need not be collected. */
function singleOf({ known, isWhole, hasImplied, markUsed }: Asking): Candidates | undefined {
  const single = known.length === 1 ? singleTermOf(known[0]!) : undefined;
  if (single === undefined) return undefined;
  markUsed(known[0]!);
  return { ...single, isExact: single.isExact && isWhole && !hasImplied };
}

interface Asking {
  readonly known: readonly Part[];
  /** True when every condition has a lookup. */
  readonly isWhole: boolean;
  /** True when these lookups alone say which items pass. */
  readonly isAnswered: boolean;
  /** True when the scope stands in for some lookups. */
  readonly hasImplied: boolean;
  markUsed(part: Part): void;
}

/**
 * Reads the shortest lookup, wherever it stands, and leaves to the filter what it would be dear to
 * look up besides. Undefined where all lookups are long and none can be walked along.
 */
async function freely(
  { known, markUsed }: Asking,
  gathering: Gathering,
): Promise<StreamedCandidates | undefined> {
  const parts = cheapestFirst(known);
  const shortest = await shortestOf(parts, gathering);
  if (shortest !== undefined) {
    let { numbers: best } = shortest;
    markUsed(shortest.part);
    const isOfTerm = singleTermOf(shortest.part) !== undefined;
    for (const part of parts) {
      if (part === shortest.part || (best.length <= FEW && isOfTerm)) continue;
      markUsed(part);
      const bounds = needlessIn(part, gathering) ? undefined : singleTermOf(part)?.bounds;
      if (bounds === undefined || best.length <= FEW) continue;
      best = (await meeting(best, bounds, gathering, gatherMaxOf(gathering))) ?? best;
    }
    return { kind: "numbers", numbers: best, isExact: false };
  }
  const terms = parts.filter((part) => singleTermOf(part) !== undefined);
  if (terms.length === 0) return undefined;
  for (const part of parts) if (part.kind === "terms" && part.test === undefined) markUsed(part);
  const needed = terms.filter((part) => !needlessIn(part, gathering));
  const walked = needed.length > 0 ? needed : terms.slice(0, 1);
  const [bounds, ...others] = walked.map((part) => singleTermOf(part)!.bounds);
  return others.length === 0
    ? { kind: "term", bounds: bounds!, isExact: false }
    : { kind: "terms", bounds: [bounds!, ...others] };
}

/** True of a scope that is all there is. */
function needlessIn(part: Part, { source }: Gathering): boolean {
  return isScope(part) && source.wholeAt?.() !== undefined;
}

function gatherMaxOf({ gatherMax = GATHER_MAX }: Gathering): number {
  return gatherMax;
}

/** Reads lookups one after the other, until few candidates are left. */
async function inTurn({ known, markUsed }: Asking, gathering: Gathering): Promise<Candidates> {
  let best: readonly number[] | undefined;
  let lazy: Part | undefined;
  for (const part of await selectiveFirst(known, gathering)) {
    const numbers = await narrowed(best, part, gathering, false);
    if (numbers === undefined) {
      if (singleTermOf(part) !== undefined) lazy ??= part;
      continue;
    }
    markUsed(part);
    best = numbers;
    if (best.length <= FEW) break;
  }
  if (best !== undefined) return { kind: "numbers", numbers: best, isExact: false };
  if (lazy === undefined) return { kind: "everything" };
  markUsed(lazy);
  return { ...singleTermOf(lazy)!, isExact: false };
}

/**
 * Reads every lookup, for an answer from the index alone. Where all items are in scope, lookups
 * that the scope implies need not be read; should others come meanwhile, they are read after all.
 */
async function exactly(asking: Asking, gathering: Gathering): Promise<Candidates> {
  const { source } = gathering;
  const wholeAt = source.wholeAt?.();
  const needed =
    wholeAt === undefined
      ? asking.known
      : asking.known.filter((part) => !isScope(part) && !isImpliedExactly(part, source));
  if (needed.length > 0 && needed.length < asking.known.length) {
    const found = await allOf(needed, asking, gathering);
    if (source.wholeAt?.() === wholeAt) {
      for (const part of asking.known) if (!needed.includes(part)) asking.markUsed(part);
      return found;
    }
  }
  return allOf(asking.known, asking, gathering);
}

async function allOf(
  parts: readonly Part[],
  { isWhole, markUsed }: Asking,
  gathering: Gathering,
): Promise<Candidates> {
  let best: readonly number[] | undefined;
  let isExact = isWhole;
  for (const part of await selectiveFirst(parts, gathering)) {
    const numbers = await narrowed(best, part, gathering, true);
    if (numbers === undefined) {
      isExact = false;
      continue;
    }
    markUsed(part);
    best = numbers;
    isExact &&= isExactPart(part);
  }
  return best === undefined ? { kind: "everything" } : { kind: "numbers", numbers: best, isExact };
}

/** Those of the numbers that pass one more lookup; undefined when it was given up. */
async function narrowed(
  numbers: readonly number[] | undefined,
  part: Part,
  gathering: Gathering,
  isExactWanted: boolean,
): Promise<readonly number[] | undefined> {
  const bounds = singleTermOf(part)?.bounds;
  if (numbers !== undefined && bounds !== undefined) {
    return meeting(numbers, bounds, gathering, gatherMaxOf(gathering));
  }
  const found = await gather(part, gathering, isExactWanted);
  return numbers === undefined || found === undefined ? found : intersection(numbers, found);
}

/**
 * True when every item in scope passes all of the lookups, so that no index has to be asked which
 * ones do.
 */
export function isScopeAnswer(lookups: readonly Lookup[], gathering: Gathering): boolean {
  const { source } = gathering;
  const parts = partsOf(lookups, gathering);
  const isAnswer = parts.every((part) => part !== undefined && isImpliedExactly(part, source));
  if (!isAnswer) return false;
  for (const part of parts) noteUse(part!, gathering);
  if (parts.length === 0 && source.placement !== undefined) noteUse(SCOPE, gathering);
  return true;
}

const SCOPE: Part = partOf([], false);

/** The lookups as parts, undefined where one cannot be used; the visit is told what was asked. */
function partsOf(
  lookups: readonly Lookup[],
  { source, run, visit, isTryingRefused = false }: Gathering,
): readonly (Part | undefined)[] {
  const parts = lookups
    .map((lookup) => resolve(lookup, run))
    .map((part) => (isTryingRefused && part !== undefined && isTried(part) ? undefined : part));
  if (visit !== undefined) {
    const asked = askedBy(parts);
    visit.lookupCount = asked.lookupCount;
    visit.isAnswered = asked.isAnswered;
    if (asked.lookupCount === 0 && source.placement !== undefined) visit.lookupCount = 1;
  }
  return parts;
}

function noteUse(part: Part, gathering: Gathering): void {
  if (gathering.isTrial === true) return;
  if (part.kind !== "terms") for (const inner of part.parts) noteUse(inner, gathering);
  else if (part.lookup === undefined) gathering.work.isPlacementUsed = true;
  else gathering.work.usedLookups.add(part.lookup);
}

/**
 * Returns the parts in the order in which they are read. Where several of them are single terms,
 * the one with the fewest items comes first.
 */
async function selectiveFirst(
  known: readonly Part[],
  gathering: Gathering,
): Promise<readonly Part[]> {
  const parts = cheapestFirst(known);
  const singles = parts.filter((part) => singleTermOf(part) !== undefined);
  const shortest = singles.length < 2 ? undefined : await shortestOf(singles, gathering);
  if (shortest === undefined) return parts;
  return [shortest.part, ...parts.filter((other) => other !== shortest.part)];
}

/**
 * Orders single terms before ranges, and ranges before lookups whose values are tried one by one.
 */
function cheapestFirst(parts: readonly Part[]): readonly Part[] {
  const cost = (part: Part): number => {
    if (part.kind !== "terms") return 1 + Math.max(...part.parts.map(cost));
    return part.test !== undefined ? 100 : singleTermOf(part) !== undefined ? 0 : 1;
  };
  return [...parts].sort((a, b) => cost(a) - cost(b));
}
