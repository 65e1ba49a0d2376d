/**
 * Paths that name one property of an item, such as `/address/zip` or `/"first name"/given`: the
 * paths of partition keys, unique keys, vectors and full text.
 *
 * A bare name consists of letters, digits and `_`; anything else goes in quotes. There are no
 * wildcards, no array positions and no trailing slash. Every accepted path can be read by
 * `parseKeyPath`, which decides what the names are.
 */
import { parseKeyPath } from "../../partition/partitionKeyOf.ts";

/** Returns the first position at which the path is invalid, counted from one. */
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

/** True when two valid paths name the same property. Quotes are not part of a name. */
export function samePlace(left: HasPath, right: HasPath): boolean {
  return placeOf(left) === placeOf(right);
}

/** Returns the first path that names the same property as an earlier one. */
export function placeNamedTwice(entries: readonly HasPath[]): string | undefined {
  const places = entries.map(placeOf);
  return entries.find((_, index) => places.indexOf(places[index]!) < index)?.path;
}

function placeOf({ path }: HasPath): string {
  return JSON.stringify(parseKeyPath(path));
}

/** Returns the position of the first wrong character in the step at `offset`, which is invalid. */
function positionAfterName(path: string, offset: number): number {
  const beginning = /\/?[\p{L}\p{N}_]*/uy;
  beginning.lastIndex = offset;
  beginning.test(path);
  return path[offset] === "/" ? beginning.lastIndex + 1 : offset + 1;
}
