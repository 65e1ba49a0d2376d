/**
 * Values that stand for none: what is missing, null, or looks as if somebody had to fill something
 * in. Items that have one share a logical partition that nobody meant to make.
 */
import type { KeyComponent } from "../../model/partitionKey.ts";
import type { Population } from "../data/facts.ts";

type NoValueKind = "missing" | "null" | "default";

const DEFAULTS: ReadonlySet<string> = new Set([
  "",
  "-",
  "0",
  "-1",
  "?",
  "default",
  "empty",
  "n/a",
  "na",
  "nil",
  "none",
  "null",
  "tbd",
  "todo",
  "unassigned",
  "undefined",
  "unknown",
  "unspecified",
]);
/** Ids and dates of nothing: 00000000-0000-0000-0000-000000000000, 0001-01-01, 1970-01-01. */
const EMPTY_FORM = /^[0{}-]{8,}$|^(?:0001|1900|1970)-01-01(?:T00:00:00|$)/;

function noValueKindOf(component: KeyComponent): NoValueKind | undefined {
  if (component === undefined) return "missing";
  if (component === null) return "null";
  if (typeof component === "boolean") return undefined;
  const text = String(component).trim().toLowerCase();
  return DEFAULTS.has(text) || EMPTY_FORM.test(text) ? "default" : undefined;
}

export interface NoValue {
  readonly value: KeyComponent;
  readonly kind: NoValueKind;
  readonly itemShare: number;
}

/** Those among the values at one path, the most frequent first. */
export function noValuesIn({ rows }: Population): readonly NoValue[] {
  const found = new Map<string, NoValue>();
  for (const { values, itemShare, keyCount } of rows) {
    const [value] = values;
    const kind = noValueKindOf(value);
    if (kind === undefined || keyCount > 1) continue;
    const name = `${typeof value} ${String(value)}`;
    found.set(name, { value, kind, itemShare: itemShare + (found.get(name)?.itemShare ?? 0) });
  }
  return [...found.values()].sort((a, b) => b.itemShare - a.itemShare);
}
