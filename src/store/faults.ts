/** What a failed write means: which failures pass, and what a caller is told of the others. */
import { StoreFault } from "./partitionStore.ts";

export function faultOf(error: unknown): StoreFault {
  const reason = error instanceof Error ? error.message : String(error);
  return new StoreFault(`the store cannot write: ${reason}`, { cause: error });
}

export function isDiskFull(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOSPC" || code === "EDQUOT";
}
