/** What somebody is told who asks for a data directory that has a holder, or may have one. */
import { join } from "node:path";
import type { FormerHolder, Holder, ProcessIdentity } from "./holder.ts";
import { isFullyNamed, isSameBoot, parseHolder } from "./holder.ts";
import { LOCK_NAME } from "./lockFile.ts";
import { shown } from "./reason.ts";
import type { LockVerdict } from "./verdict.ts";

/** The directory has a holder; the message names it. */
export class DataLocked extends Error {
  override readonly name = "DataLocked";
}

export function lockedBy(
  directory: string,
  lockText: string,
  verdict: LockVerdict,
  self: ProcessIdentity,
): DataLocked {
  const holder = parseHolder(lockText);
  const name = holder === undefined ? "another process" : nameOf(holder, self);
  if (verdict !== "unknown") {
    return new DataLocked(
      `The data directory ${shown(directory)} is in use by ${name}. ` +
        "Stop that server first, or choose another directory with --data.",
    );
  }
  const path = shown(join(directory, LOCK_NAME));
  return new DataLocked(
    `It cannot be told from here whether ${name} still uses the data directory ` +
      `${shown(directory)}. If you know that it does not, remove ${path}.`,
  );
}

/** A number of a process is useful only where it is that process. */
function nameOf(holder: Holder | FormerHolder, self: ProcessIdentity): string {
  const process = `process ${holder.pid}`;
  if (!isFullyNamed(holder)) return process;
  const host = shown(String(holder.host));
  if (!isSameBoot(holder, self)) return `${process} of the machine ${host}`;
  if (holder.namespace === self.namespace) return process;
  return `${process} of another container or pid namespace, host name ${host}`;
}
