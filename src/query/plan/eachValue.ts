/**
 * Conditions that the index cannot answer with a range, but that depend on one value of the item:
 * every value that the index has at the path is tried, once each. That is a scan of the index, but
 * not of the items.
 *
 * Only conditions that the service tries in its index are tried here: substrings, patterns and
 * comparisons. For any other function, and for arithmetic, the service looks at the items, and
 * charges for it.
 */
import { PATH_HASH_BYTES } from "../../index/hash.ts";
import { decodeValue, isTruncated } from "../../index/term.ts";
import { defined } from "../../index/termRange.ts";
import type { Bound } from "../bind/bound.ts";
import { isConstant, partsOf, replaced } from "../bind/boundTrees.ts";
import { compile } from "../evaluate/compile.ts";
import type { Slots } from "../evaluate/run.ts";
import type { ItemPath } from "./itemPaths.ts";
import { itemPathOf } from "./itemPaths.ts";
import type { TermLookup } from "./lookup.ts";
import type { LookupSetting } from "./termLookup.ts";
import { isIndexed, lookupAt } from "./termLookup.ts";

/**
 * Returns a lookup for a condition on one path and constants; undefined for any other condition.
 */
export function eachValueLookup(bound: Bound, setting: LookupSetting): TermLookup | undefined {
  if (!isTriedInIndex(bound)) return undefined;
  const reads = onlyPathIn(bound, setting);
  if (reads === undefined || !reads.path.isOne || !isIndexed(reads.path, setting)) return undefined;
  return eachValueOf(bound, reads.bound, reads.path);
}

export function eachValueOf(bound: Bound, reads: Bound, path: ItemPath): TermLookup {
  const slot = { kind: "slot", slot: 0 } as const;
  const text = JSON.stringify(reads);
  const predicate = compile(
    replaced(bound, (part) =>
      part.kind === reads.kind && JSON.stringify(part) === text ? slot : undefined,
    ),
  );
  const lookup = lookupAt(path, "each value", (hash) => defined(hash));
  return {
    ...lookup,
    resolve: (run) => {
      const slots: Slots = [undefined];
      // A condition that holds for a missing value also lets items through that have no term.
      if (predicate(slots, run) === true) return undefined;
      const test = (term: string): boolean => {
        const encoded = term.slice(PATH_HASH_BYTES);
        if (isTruncated(encoded)) return true;
        const value = decodeValue(encoded);
        if (value === undefined) return true;
        slots[0] = value;
        return predicate(slots, run) === true;
      };
      return { ...lookup.resolve(run)!, isExact: false, test };
    },
  };
}

const TRIED_FUNCTIONS: ReadonlySet<string> = new Set([
  "CONTAINS",
  "ENDSWITH",
  "IS_BOOL",
  "IS_DEFINED",
  "IS_FINITE_NUMBER",
  "IS_INTEGER",
  "IS_NULL",
  "IS_NUMBER",
  "IS_PRIMITIVE",
  "IS_STRING",
  "REGEXMATCH",
  "STARTSWITH",
  "STRINGEQUALS",
]);

const TRIED_OPERATORS: ReadonlySet<string> = new Set([
  "AND",
  "OR",
  "NOT",
  "=",
  "!=",
  "<",
  "<=",
  ">",
  ">=",
]);

function isTriedInIndex(bound: Bound): boolean {
  if (isConstant(bound)) return true;
  switch (bound.kind) {
    case "unary":
    case "binary":
      if (!TRIED_OPERATORS.has(bound.operator)) return false;
      break;
    case "call":
      if (!TRIED_FUNCTIONS.has(bound.builtIn.name)) return false;
      break;
    case "conditional":
    case "array":
    case "object":
    case "let":
    case "subquery":
    case "userCall":
      return false;
  }
  return partsOf(bound).every(isTriedInIndex);
}

/** Returns the one path of the item that an expression reads, if it reads nothing else. */
function onlyPathIn(
  bound: Bound,
  setting: LookupSetting,
): { readonly bound: Bound; readonly path: ItemPath } | undefined {
  let found: { readonly bound: Bound; readonly path: ItemPath; readonly text: string } | undefined;
  const isFine = (part: Bound): boolean => {
    if (part.kind === "subquery" || part.kind === "let") return false;
    if (part.kind === "userCall") return false;
    if (part.kind === "call" && !part.builtIn.isPure) return false;
    const path = itemPathOf(part, setting.paths);
    if (path !== undefined) {
      const text = JSON.stringify(part);
      found ??= { bound: part, path, text };
      return found.text === text;
    }
    return part.kind !== "slot" && partsOf(part).every(isFine);
  };
  return isFine(bound) ? found : undefined;
}
