/**
 * What callers of a store rely on, each promise with a way to find out whether it is kept. The
 * tests ask every kind of store, `orrery doctor` any database.
 */
import type { MaybePromise } from "../../base/result.ts";
import type { PartitionStore } from "../partitionStore.ts";

/** Something that may be a store: each opening is empty. */
export interface StoreSubject {
  /** `reopen` is there if the store survives being closed. */
  open(): Promise<{
    readonly store: PartitionStore;
    readonly reopen?: (() => Promise<PartitionStore>) | undefined;
  }>;
}

export interface StorePromise {
  readonly says: string;
  /** What whoever runs a server has of it. */
  readonly meaning: string;
  /** Rejects if it is not kept, with what was found instead. */
  keep(subject: StoreSubject): MaybePromise<void>;
}
