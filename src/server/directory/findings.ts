/** What can be found out about a lock file and the holder it names; `verdict.ts` judges by it. */
import type { ProcessIdentity } from "./holder.ts";
import { isFullyNamed, isRunning, isSameBoot, parseHolder } from "./holder.ts";
import { isListedByKernel } from "./kernelLock.ts";
import type { LockFindings } from "./verdict.ts";

interface Looked {
  readonly self: ProcessIdentity;
  readonly inode: bigint;
  readonly hasKernelLock: boolean | undefined;
  readonly isLocal: boolean;
}

export function findingsOf(
  lockText: string,
  { self, inode, hasKernelLock, isLocal }: Looked,
): LockFindings {
  const holder = parseHolder(lockText);
  const known = holder !== undefined && isFullyNamed(holder) ? holder : undefined;
  return {
    holder,
    hasKernelLock,
    // Who has the kernel's lock need not look for it in a list.
    isListed: hasKernelLock === undefined ? isListedByKernel(inode) : undefined,
    isSameBoot: known !== undefined && isSameBoot(known, self),
    isSameNamespace: known?.namespace === self.namespace,
    isLocal,
    runs: () => holder !== undefined && isRunning(holder),
  };
}
