/** What a router has to know of an item, whatever its caller wants of it. */
import type { KeyComponent } from "../keys/component.ts";

/** What is known of the version of an item that one container has. */
export interface ItemVersion {
  readonly id: string;
  /** The components of its key by level; one that the item lacks is missing. */
  readonly key: Readonly<Record<string, KeyComponent>>;
  /** When it was written, in seconds. */
  readonly ts: number;
  /** What it is ordered by. */
  readonly by?: unknown;
  readonly date?: unknown;
  /** True if the lifecycle has marked it as moved. */
  readonly mark?: unknown;
}

/** A version that was asked for by its id. */
export interface KnownVersion extends ItemVersion {
  /** True if the query finds it, as far as the server can tell. */
  readonly fits?: unknown;
}

/** A version with the row that was asked for; no row if the item has nothing there. */
export interface Envelope<Row> extends ItemVersion {
  readonly row?: Row;
}

/** Different items have different names. */
export function nameOf({ id, key }: ItemVersion): string {
  const levels = Object.keys(key).sort();
  return JSON.stringify([id, ...levels.map((level) => [level, key[level]])]);
}
