/** A lookup of one path of the item: what it is made of, and what it is made from. */
import type { PathHash } from "../../index/hash.ts";
import { pathHashOf } from "../../index/hash.ts";
import type { TermRanges } from "../../index/termRange.ts";
import type { Run } from "../execute/run.ts";
import type { IndexView } from "./indexView.ts";
import type { ItemPath, SlotPaths } from "./itemPaths.ts";
import type { TermLookup } from "./lookup.ts";

export interface LookupSetting {
  readonly index: IndexView;
  readonly paths: SlotPaths;
}

export function lookupAt(
  path: ItemPath,
  what: string,
  resolve: (path: PathHash, run: Run) => TermRanges | undefined,
): TermLookup {
  const hash = pathHashOf(path.segments);
  return {
    kind: "terms",
    path,
    what,
    resolve: (run) => {
      const found = resolve(hash, run);
      if (found === undefined) return undefined;
      return { ...found, isExact: found.isExact && path.isOne, mayRepeat: !path.isOne };
    },
  };
}

export function isIndexed({ segments }: ItemPath, { index }: LookupSetting): boolean {
  return segments.length > 0 && index.isIndexed(segments);
}
