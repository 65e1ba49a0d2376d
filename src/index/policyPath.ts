/**
 * Paths as indexing policies spell them: `/a/b/?`, `/a/*`, `/tags/[]/?`, `/"a-b"/?`.
 *
 * A name of letters, digits, `_` and `$` stands bare; any other is quoted and escaped as in JSON.
 * `[]` stands for the elements of an array, whatever their position. `/` alone is an old spelling
 * of `/*`. A tuple, `/events/[]/{name, kind}/?`, indexes several properties of one element
 * together; it is recognised, but no terms are made for it.
 *
 * Not here: which ends are allowed where (`policy.ts`), and which path wins (`compiledPolicy.ts`).
 */
import { no, ok, type Result } from "../base/result.ts";

/** The place of every element of an array. A property that is called `[]` is a string instead. */
export const ELEMENTS: unique symbol = Symbol("[]");

/** One step down into an item. */
export type PathSegment = string | typeof ELEMENTS;

export interface PolicyPath {
  readonly segments: readonly PathSegment[];
  /**
   * How the path ends. `/?` is the value at this place; `/*` is that value and everything below;
   * with `none` the path just stops.
   */
  readonly end: "scalar" | "subtree" | "none";
  readonly isTuple: boolean;
}

/** Parses a path; the error is the offset near which the text stops being a path. */
export function parsePolicyPath(text: string): Result<PolicyPath, number> {
  if (text === "/") return ok({ segments: [], end: "subtree", isTuple: false });
  const segments: PathSegment[] = [];
  let offset = 0;
  while (offset < text.length) {
    if (text[offset] !== "/") return no(offset);
    const rest = text.slice(offset);
    if (rest === "/?") return ok({ segments, end: "scalar", isTuple: false });
    if (rest === "/*") return ok({ segments, end: "subtree", isTuple: false });
    if (TUPLE.test(rest)) return ok({ segments, end: "scalar", isTuple: true });
    const step = parseSegment(text, offset + 1);
    if (step === undefined) return no(offset + 1);
    segments.push(step.segment);
    offset = step.endOffset;
  }
  return segments.length > 0 ? ok({ segments, end: "none", isTuple: false }) : no(0);
}

/**
 * Returns one text for all spellings of a path, so that `/a/?` and `/"a"/?` are seen to be the
 * same.
 */
export function canonicalPolicyPath(text: string, path: PolicyPath): string {
  if (path.isTuple) return text;
  const steps = path.segments.map((segment) =>
    segment === ELEMENTS ? "/[]" : `/${JSON.stringify(segment)}`,
  );
  const ends = { scalar: "/?", subtree: "/*", none: "" };
  return steps.join("") + ends[path.end];
}

const BARE_NAME = /[\p{L}\p{N}_$]+/uy;
const QUOTED_NAME = /"(?:[^"\\]|\\.)*"/uy;
const TUPLE_MEMBER = /\s*[\p{L}\p{N}_$]+(?:\/[\p{L}\p{N}_$]+)*\s*/u.source;
const TUPLE = new RegExp(`^/\\{${TUPLE_MEMBER}(?:,${TUPLE_MEMBER})*\\}/\\?$`, "u");

interface Step {
  readonly segment: PathSegment;
  readonly endOffset: number;
}

function parseSegment(text: string, offset: number): Step | undefined {
  if (text.startsWith("[]", offset)) return { segment: ELEMENTS, endOffset: offset + 2 };
  const bare = matchAt(BARE_NAME, text, offset);
  if (bare !== undefined) return { segment: bare, endOffset: offset + bare.length };
  const quoted = matchAt(QUOTED_NAME, text, offset);
  if (quoted === undefined) return undefined;
  const name = unquote(quoted);
  return name === undefined ? undefined : { segment: name, endOffset: offset + quoted.length };
}

function matchAt(pattern: RegExp, text: string, offset: number): string | undefined {
  pattern.lastIndex = offset;
  return pattern.exec(text)?.[0];
}

function unquote(quoted: string): string | undefined {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return undefined;
  }
}
