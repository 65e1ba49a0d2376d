/** The nodes that share a database, as `GET /_orrery/v1/nodes` tells of them. */

/** `silent` for a node that has not been heard of for a while, or never said that it ended. */
type NodeRole = "works" | "forwards" | "silent";

export interface NodeEntry {
  readonly name: string;
  readonly role: NodeRole;
  /** Since when it works, by its own clock; absent where it does not. */
  readonly worksSince?: number | undefined;
  readonly version: string;
  readonly startedAt: number;
  /** Milliseconds since it was heard of, by the clock of the database. */
  readonly heardMsAgo: number;
  /** Where clients reach it. */
  readonly endpoint: string;
  /** Where other nodes reach it, as host and port. */
  readonly address: string;
  readonly process: number;
  /** Whether the node that answers reaches it there. */
  readonly isReached: boolean;
}

/** `GET nodes` */
export interface NodesAnswer {
  /** The name of the node that answers. */
  readonly answeredBy: string;
  /** The name of the one that works; absent while none does. */
  readonly worker?: string | undefined;
  readonly nodes: readonly NodeEntry[];
}
