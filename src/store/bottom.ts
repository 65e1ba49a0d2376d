/**
 * What lies under the memory tables of a durable store: ordered tables that take in whole journal
 * segments and remember which they have. A segment counts from one moment on; before it, what the
 * tables have of the segment already is hidden by the memory table above them.
 */

import type { Layer } from "./memory/layer.ts";
import type { MissingFile } from "./missingFile.ts";
import type { Lease, PartHead } from "./partitionStore.ts";

export interface Bottom extends Layer {
  /** Everything of this segment and those before it is in the tables, durably. */
  readonly absorbedSegment: number;
  /** The last journal frame of that segment; the journal goes on with the next. */
  readonly absorbedFrame: number;
  /** True of tables that a version without tallies has made, until they have been counted. */
  readonly lacksTallies: boolean;
  heads(): ReadonlyMap<number, PartHead>;
  leases(): ReadonlyMap<string, Lease>;
  /**
   * Reads a sealed segment from the journal's disk and takes it in. One at a time. Frames from
   * `frameEnd` on are not the journal's: the disk refused them, whatever it kept of them.
   */
  absorb(segment: number, frameEnd: number): Promise<void>;
  /** Nothing is to be absorbed for a while: what only that needs may be let go of. */
  rest(): void;
  /** Counts the tallies of all items there are; one atomic step, like an absorption. */
  countTallies(): Promise<void>;
  /** The file of the tables, if it is no longer where it was opened. */
  missing(): Promise<MissingFile | undefined>;
  close(): Promise<void>;
}
