/**
 * The evidence for rules about the storage of the server: its present troubles, and what has been
 * found damaged since the server started. The words are those of the part of the server that
 * noticed it.
 */
import type { Severity } from "./alertRule.ts";

export interface StorageReport {
  /** When the report was made, in milliseconds since 1970, as all times here. */
  readonly at: number;
  readonly troubles: readonly StorageTrouble[];
  /** Ends of the journal that were dropped when the server started. */
  readonly droppedTails: readonly StorageIncident[];
  readonly damages: readonly StorageIncident[];
  /** Number of all damages, also of those that are not listed. */
  readonly damageCount: number;
}

/** A trouble that lasts. */
export interface StorageTrouble {
  readonly kind: string;
  readonly severity: Severity;
  readonly since: number;
  readonly says: string;
  readonly todo: readonly string[];
}

/** An event that is over. */
export interface StorageIncident {
  readonly at: number;
  readonly says: string;
}
