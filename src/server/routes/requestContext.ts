/** What surrounds a request while it is answered, beside what it asks. */
import type { TokenMint } from "./tokenMinting.ts";

export interface RequestContext {
  /** The address by which this client reached us. */
  readonly endpoint: string;
  /** Host and port of all replicas, for clients in direct mode; absent where none are served. */
  readonly replicaHost: string | undefined;
  readonly activityId: string;
  readonly tokens: TokenMint;
  /** What the sender calls itself; nobody asks but where it is to be counted. */
  readonly program: () => string;
  /** Has the client closed its connection? */
  readonly isGone: () => boolean;
}
