/**
 * An index that the plan of a query advises, on its way from there to the indexing policy: as text
 * in an address, and added to a policy.
 */
import type { Definition } from "./definitionDraft.ts";

export interface AdvisedIndex {
  readonly index: "path" | "composite";
  /** `/a/?`, or for a composite index `/a ASC`. */
  readonly paths: readonly string[];
}

export function advisedText({ index, paths }: AdvisedIndex): string {
  return JSON.stringify([index, ...paths]);
}

/** `undefined` when the text says no index. */
export function advisedIn(text: string): AdvisedIndex | undefined {
  try {
    const parts: unknown = JSON.parse(text);
    if (!Array.isArray(parts) || !parts.every((part) => typeof part === "string")) return undefined;
    const [index, ...paths] = parts as readonly string[];
    if (paths.length === 0 || !paths.every((path) => path.startsWith("/"))) return undefined;
    return index === "path" || index === "composite" ? { index, paths } : undefined;
  } catch {
    return undefined;
  }
}

/** The policy with the index in it; what is there already is not added again. */
export function withAdvised(policy: Definition, { index, paths }: AdvisedIndex): Definition {
  if (index === "composite") {
    const composite = paths.map((text) => ({
      path: text.replace(/ (ASC|DESC)$/, ""),
      order: text.endsWith(" DESC") ? "descending" : "ascending",
    }));
    return { ...policy, compositeIndexes: added(policy["compositeIndexes"], composite) };
  }
  const included = paths.reduce<readonly unknown[]>(
    (list, path) => added(list, { path }),
    listIn(policy["includedPaths"]),
  );
  const isWanted = (entry: unknown): boolean =>
    paths.includes((entry as { readonly path?: string }).path ?? "");
  const excluded = listIn(policy["excludedPaths"]).filter((entry) => !isWanted(entry));
  return { ...policy, includedPaths: included, excludedPaths: excluded };
}

function added(list: unknown, entry: object): readonly unknown[] {
  const known = listIn(list);
  const text = JSON.stringify(entry);
  return known.some((each) => JSON.stringify(each) === text) ? known : [...known, entry];
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}
