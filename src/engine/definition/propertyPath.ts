/**
 * Paths that name one property of an item, such as `/address/zip` or `/"first name"/given`: the
 * paths of partition keys, unique keys, vectors and full text.
 *
 * A bare name consists of letters, digits and `_`; anything else goes in quotes. There are no
 * wildcards, no array positions and no trailing slash. Every accepted path can be read by
 * `parseKeyPath`, which decides what the names are.
 */
import { parseKeyPath } from "../../partition/partitionKeyOf.ts";

/** Where the path stops making sense, counted from one; `undefined` when all of it does. */
export function faultPositionOf(path: string): number | undefined {
  const step = /\/(?:[\p{L}\p{N}_]+|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')(?=\/|$)/suy;
  let offset = 0;
  do {
    step.lastIndex = offset;
    if (!step.test(path)) return positionAfterName(path, offset);
    offset = step.lastIndex;
  } while (offset < path.length);
  return parseKeyPath(path) === undefined ? path.length : undefined;
}

interface HasPath {
  readonly path: string;
}

/** Do two paths name the same property? Quotes are not part of a name. Both make sense. */
export function samePlace(left: HasPath, right: HasPath): boolean {
  return placeOf(left) === placeOf(right);
}

/** The path that names what an earlier one names already. */
export function placeNamedTwice(entries: readonly HasPath[]): string | undefined {
  const places = entries.map(placeOf);
  return entries.find((_, index) => places.indexOf(places[index]!) < index)?.path;
}

function placeOf({ path }: HasPath): string {
  return JSON.stringify(parseKeyPath(path));
}

/** The step at `offset` is broken; what is right of it is blamed on the first wrong character. */
function positionAfterName(path: string, offset: number): number {
  const beginning = /\/?[\p{L}\p{N}_]*/uy;
  beginning.lastIndex = offset;
  beginning.test(path);
  return path[offset] === "/" ? beginning.lastIndex + 1 : offset + 1;
}
