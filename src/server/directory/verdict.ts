/**
 * Whether the holder that a lock file names still has the directory: a function of what was found,
 * and of nothing else. Where it cannot be known, the directory counts as held; a server that does
 * not start does less harm than two.
 */
import type { FormerHolder, Holder } from "./holder.ts";
import { isFullyNamed } from "./holder.ts";

export interface LockFindings {
  /** Undefined for a lock file that names nobody. */
  readonly holder: Holder | FormerHolder | undefined;
  /** Whether the kernel gave us the lock of that file; undefined where it keeps none. */
  readonly hasKernelLock: boolean | undefined;
  /** Whether the kernel lists somebody else's lock of that file; undefined where it has no list. */
  readonly isListed: boolean | undefined;
  readonly isSameBoot: boolean;
  readonly isSameNamespace: boolean;
  /** The file system belongs to this machine alone. */
  readonly isLocal: boolean;
  /** Whether such a process runs in our namespace. */
  readonly runs: () => boolean;
}

/** `watch`: only its beats can tell, or their absence. `unknown`: nothing can. */
export type LockVerdict = "held" | "free" | "watch" | "unknown";

export function verdictOf(findings: LockFindings): LockVerdict {
  const { holder, hasKernelLock, isListed, isSameBoot, runs } = findings;
  if (hasKernelLock === false) return "held";
  if (hasKernelLock === undefined && isListed === true) return "held";
  if (holder === undefined) return "free";
  if (!isFullyNamed(holder)) return runs() ? "held" : "free";
  // The kernel would have kept the file from us, whatever else runs under that number.
  if (isSameBoot && holder.isKernelHeld && hasKernelLock === true) return "free";
  if (isSameBoot && findings.isSameNamespace) return runs() ? "held" : "free";
  if (holder.beats) return "watch";
  // A holder that does not beat saw a file system of its own machine, held by the kernel there.
  if (isSameBoot) return isListed === false ? "free" : "unknown";
  return findings.isLocal ? "free" : "unknown";
}
