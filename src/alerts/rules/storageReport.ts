/**
 * What rules about the storage of the server may look at: what is wrong with it now, and what was
 * found to be wrong since the server started. The words are those of whoever noticed it.
 */
import type { Severity } from "./alertRule.ts";

export interface StorageReport {
  /** When it was made, in milliseconds since 1970, as all times here. */
  readonly at: number;
  readonly troubles: readonly StorageTrouble[];
  /** Ends of the journal that were dropped when the server started. */
  readonly droppedTails: readonly StorageIncident[];
  readonly damages: readonly StorageIncident[];
  /** Of all damage, told or not. */
  readonly damageCount: number;
}

/** Something that lasts. */
export interface StorageTrouble {
  readonly kind: string;
  readonly severity: Severity;
  readonly since: number;
  readonly says: string;
  readonly todo: readonly string[];
}

/** Something that happened. */
export interface StorageIncident {
  readonly at: number;
  readonly says: string;
}
