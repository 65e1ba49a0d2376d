/** Rows as a tree: what is inside of a value, and what a closed branch says of it. */
import { counted } from "../../../base/wording.ts";
import { isObject } from "../data/tableColumns.ts";

interface TreeNode {
  readonly name: string;
  readonly value: unknown;
}

/** More than these are in the JSON. */
export const CHILDREN_MAX = 200;

/** `undefined` for a value that holds nothing. */
export function childrenOf(value: unknown): readonly TreeNode[] | undefined {
  if (Array.isArray(value)) {
    return (value as readonly unknown[]).map((each, index) => ({ name: `${index}`, value: each }));
  }
  if (!isObject(value)) return undefined;
  return Object.entries(value).map(([name, each]) => ({ name, value: each }));
}

export function branchText(value: unknown): string {
  const count = childrenOf(value)?.length ?? 0;
  return Array.isArray(value)
    ? `[${counted(count, "element")}]`
    : `{${counted(count, "property", "properties")}}`;
}

/** What a row is called: its id, or its place. */
export function rowName(row: unknown, index: number): string {
  return isObject(row) && typeof row["id"] === "string" ? row["id"] : `${index + 1}`;
}
