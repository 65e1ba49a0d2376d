/** What the reader of one item says besides which item it is. */
import type { Caller } from "../caller.ts";
import type { Consistency } from "../consistency.ts";

export interface ReadTerms {
  /** The etag of the version that the reader has already. */
  readonly ifNoneMatch?: string | undefined;
  readonly caller: Caller;
  readonly consistency: Consistency;
}
