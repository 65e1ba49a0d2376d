/**
 * What a store tells whoever runs it, beside what it answers its callers: troubles with the disk
 * when they begin and when they end, ends of the journal that were dropped, damage that was found.
 *
 * Each trouble is told once when it begins and once when it ends, however many writes it refuses.
 * Notices hold facts; `server/faultBook.ts` has the words, and brings them to log and alerts.
 */

/**
 * - `full`: there is no room for what grows. It passes.
 * - `readOnly`: the file system takes no writes. It passes.
 * - `lost`: files are no longer where they were opened. It lasts until a restart.
 * - `failed`: the disk failed otherwise, and nobody knows what it holds. It lasts as well.
 * - `stalled`: a write has been under way for very long. Nothing is refused; it passes.
 * - `unreachable`: the database behind the server does not answer. It passes.
 */
export type TroubleKind = "full" | "readOnly" | "lost" | "failed" | "stalled" | "unreachable";

export interface DiskTrouble {
  readonly kind: TroubleKind;
  readonly activity: StoreActivity;
  /** The name of the file that it was about, where there is one. */
  readonly file?: string | undefined;
  /** Where in that file. */
  readonly offset?: number | undefined;
  /** Which of several databases it is about. */
  readonly place?: string | undefined;
  /** How long it has been so already when it is told. */
  readonly lastedMs?: number | undefined;
  /** As the system has it. May name paths: for the log of the server, not for clients. */
  readonly reason: string;
}

/** What the store was doing when it met a trouble. */
export type StoreActivity =
  | "writing the journal"
  | "absorbing a segment"
  | "looking for its files"
  | "making its reserve"
  | "reaching the database";

/** A stored value whose checksum does not fit it. */
export interface Damage {
  readonly file: string;
  /** Absent when it concerns the file as a whole. */
  readonly part: number | undefined;
  /** What is damaged, such as "item 12" or "a block of the index". */
  readonly what: string;
}

export type StoreNotice =
  | { readonly kind: "began"; readonly trouble: DiskTrouble }
  | { readonly kind: "ended"; readonly trouble: DiskTrouble }
  /** What lies behind `offset` in a segment was acknowledged to nobody, and is not read. */
  | {
      readonly kind: "tailDropped";
      readonly file: string;
      readonly offset: number;
      readonly bytes: number;
    }
  | { readonly kind: "damaged"; readonly damage: Damage };

export type Notify = (notice: StoreNotice) => void;
