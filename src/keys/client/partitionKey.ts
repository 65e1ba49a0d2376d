/** Partition keys on their way to the client, and into the items that bear them. */
import type { KeyComponent } from "../component.ts";
import { clientKey } from "../strategy.ts";
import type { Item } from "./container.ts";

/** A key, or its components if it has several. */
export type Key = KeyComponent | readonly KeyComponent[];

export function componentsOf(key: Key): readonly KeyComponent[] {
  return isComponents(key) ? key : [key];
}

/** Different keys have different texts: 1 is not "1", and nothing is not null. */
export function keyText(components: readonly KeyComponent[]): string {
  return JSON.stringify(clientKey(components));
}

/** What an item says its id is. */
export function idIn(item: Item): unknown {
  return (item as { readonly id?: unknown }).id;
}

/** Partition key paths as containers spell them, one for each component. */
export function parsedPaths(paths: readonly string[]): readonly (readonly string[])[] {
  if (paths.length === 0) throw new TypeError("paths: at least one partition key path is needed");
  return paths.map((path) => {
    const steps = path.split("/").slice(1);
    if (path.startsWith("/") && steps.every((step) => step !== "")) return steps;
    throw new TypeError(`paths: ${JSON.stringify(path)} is no path; write it as "/tenantId"`);
  });
}

/** A copy of the item with the key in it; the item stays as it was. */
export function withKey(
  item: Item,
  paths: readonly (readonly string[])[],
  components: readonly KeyComponent[],
): { [name: string]: unknown } {
  if (paths.length !== components.length) {
    throw new TypeError(
      `the key has ${components.length} components, the container ${paths.length} paths`,
    );
  }
  return paths.reduce<{ [name: string]: unknown }>(
    (copy, steps, level) => withValue(copy, steps, components[level]),
    { ...item },
  );
}

function withValue(
  owner: { [name: string]: unknown },
  steps: readonly string[],
  value: KeyComponent,
): { [name: string]: unknown } {
  const [name, ...rest] = steps as [string, ...string[]];
  const { [name]: present, ...others } = owner;
  if (rest.length === 0) return value === undefined ? others : own({ ...owner }, name, value);
  if (value === undefined && !isObject(present)) return owner;
  return own({ ...owner }, name, withValue(isObject(present) ? { ...present } : {}, rest, value));
}

/** As an own property even if it is called `__proto__`. */
function own(
  owner: { [name: string]: unknown },
  name: string,
  value: unknown,
): { [name: string]: unknown } {
  return Object.defineProperty(owner, name, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
}

function isComponents(key: Key): key is readonly KeyComponent[] {
  return Array.isArray(key);
}

function isObject(value: unknown): value is { [name: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
