/**
 * What a key is called in reports. Keys that nobody has seen have names that were made up so that
 * they can be hashed; a reader who takes those for values would look for them in vain. So a key
 * that stands for many, or has such a name in it, is called one of many; and a value of which only
 * its rank is known (`tenantId-000001`) is called by that.
 */
import type { KeyComponent } from "../../model/partitionKey.ts";
import type { KeyEntry } from "../candidate/keyEntries.ts";
import type { KeyShape } from "../candidate/keyShape.ts";
import type { DataFacts } from "../data/facts.ts";

const ONE_OF_MANY = "(one of many alike)";
/** What a key has in place of a value that is missing, and of one that is null. */
const NO_VALUE = "(none)";
const NULL_VALUE = "(null)";
const BETWEEN = " / ";

/** Tells keys apart; for people there is `keyLabel`. */
export function keyName({ key }: Pick<KeyEntry, "key">): string {
  return key.map(componentName).join(BETWEEN);
}

function componentName(component: KeyComponent): string {
  if (component === undefined) return NO_VALUE;
  return component === null ? NULL_VALUE : String(component);
}

/** Whether a key lacks a value, by its name or by itself. */
export function isMissingName(name: string): boolean {
  return name.split(BETWEEN).some((text) => text === NO_VALUE || text === NULL_VALUE);
}

export function isMissingKey({ key }: Pick<KeyEntry, "key">): boolean {
  return key.some((component) => component === undefined || component === null);
}

export function isOfMany({ keyCount, place }: Pick<KeyEntry, "keyCount" | "place">): boolean {
  return place.kind === "mass" && keyCount > 1;
}

export function keyLabel(
  name: string,
  isMany: boolean,
  { shape, facts }: { readonly shape: KeyShape; readonly facts: DataFacts },
): string {
  const isDeclared = facts.sampleCount === undefined;
  if (isMany || (isDeclared ? VARIED : MADE_UP).test(name)) return ONE_OF_MANY;
  // Beside data, too, requests may be declared for values that only have a rank.
  return ranked(name, shape.staticPaths);
}

/** One of the values that a row stands for: "x~3", or "~3" where only its hash is in the key. */
const VARIED = /~\d+(?=$|\W)/;
/** Besides: a value of an item's own, and a name that was given again. */
const MADE_UP = /~\d+(?=$|\W)|(?<![^\s-])own-\d+(?=$|\W)/;

/** "tenantId-000001" is the heaviest of the declared values at /tenantId. */
function ranked(name: string, paths: readonly string[]): string {
  return paths.reduce((text, path) => {
    const last = path.slice(path.lastIndexOf("/") + 1);
    const made = new RegExp(`${last.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}-(\\d{6,})`, "g");
    return text.replace(made, (_, rank: string) => `${last} no. ${Number(rank)}`);
  }, name);
}
