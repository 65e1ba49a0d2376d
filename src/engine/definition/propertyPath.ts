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

/** The step at `offset` is broken; what is right of it is blamed on the first wrong character. */
function positionAfterName(path: string, offset: number): number {
  const beginning = /\/?[\p{L}\p{N}_]*/uy;
  beginning.lastIndex = offset;
  beginning.test(path);
  return path[offset] === "/" ? beginning.lastIndex + 1 : offset + 1;
}
