/**
 * Places in an item as text: `/address/city`, `/address/"zip code"`, `/tags/[]`. The form is that
 * of partition keys and indexing policies.
 */

/** Names from the item down; a number stands for any element of an array. */
export type ShapePath = readonly (string | number)[];

const PLAIN = /^[\p{L}\p{N}_$.:@-]+$/u;
const SEGMENT = /\/(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^/"']*))/y;

export function pathText(path: ShapePath): string {
  return path.map(segmentText).join("");
}

function segmentText(segment: string | number): string {
  if (typeof segment === "number") return "/[]";
  return PLAIN.test(segment) ? `/${segment}` : `/${JSON.stringify(segment)}`;
}

/**
 * Returns undefined when the text is no path. The `/?` or `/*` at the end of a policy's path is
 * accepted.
 */
export function parseItemPath(text: string): ShapePath | undefined {
  const path: (string | number)[] = [];
  const wanted = text.replace(/\/[?*]$/, "");
  for (let at = 0; at < wanted.length; at = SEGMENT.lastIndex) {
    SEGMENT.lastIndex = at;
    const match = SEGMENT.exec(wanted);
    if (match === null) return undefined;
    const [, double, single, plain = ""] = match;
    const quoted = double ?? single;
    if (quoted === undefined && plain === "") return undefined;
    if (quoted !== undefined) path.push(quoted.replace(/\\(.)/g, "$1"));
    else path.push(plain === "[]" ? 0 : plain);
  }
  return path.length === 0 ? undefined : path;
}
