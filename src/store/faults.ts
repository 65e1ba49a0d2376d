/**
 * What a failed write means: which trouble it is, and what callers are told of it. Callers may be
 * clients of the server, so no path of the machine is in these words.
 */
import type { MissingFile } from "./missingFile.ts";
import type { StoreActivity, TroubleKind } from "./notice.ts";
import { StoreFault } from "./partitionStore.ts";

/** Of an error that says in words for clients why the data is not the server's any more. */
export const LOST_CODE = "ELOST";

export function troubleKindOf(error: unknown): Exclude<TroubleKind, "stalled" | "unreachable"> {
  const code = codeOf(error);
  if (code === LOST_CODE) return "lost";
  if (code === "ENOSPC" || code === "EDQUOT") return "full";
  return code === "EROFS" ? "readOnly" : "failed";
}

export function faultOf(kind: TroubleKind, { activity, missing, cause }: FaultTerms): StoreFault {
  const lost = missing === undefined ? reasonOf(cause) : `${missing.what} is gone from its place`;
  return new StoreFault(wordsOf(kind, activity, lost), { cause });
}

interface FaultTerms {
  readonly activity: StoreActivity;
  readonly missing?: MissingFile | undefined;
  readonly cause?: unknown;
}

/** Of a deletion that found neither room nor a reserve. */
export const RESERVE_SPENT: string =
  "The disk of the server is full, and so is the room that is reserved for deletions. Writes are " +
  "taken again as soon as there is room; reads go on.";

function wordsOf(kind: TroubleKind, activity: StoreActivity, lost: string): string {
  switch (kind) {
    case "full":
      return (
        "The disk of the server is full: it takes deletions only, and other writes again as " +
        "soon as there is room. Reads go on."
      );
    case "readOnly":
      return (
        "The file system of the server is read-only: it takes writes again as soon as it can. " +
        "Reads go on."
      );
    case "lost":
      return `The server takes no more writes: ${lost}. Reads go on.`;
    case "failed":
      return (
        `The server takes no more writes until it is started again: its disk failed while ` +
        `${activity}. Reads go on.`
      );
    case "stalled":
      return "The disk of the server has not answered for a while.";
    case "unreachable":
      return (
        "The database behind the server cannot be reached at present. What was acknowledged is " +
        "safe; try again in a moment."
      );
  }
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
