/**
 * A lock that the kernel keeps for an open file: nobody else gets it while the file is open, and it
 * is gone with the process that opened the file, however that ends. The kernel knows no pid
 * namespaces here, and no paths: a container, a symbolic link, a bind mount and a hard link all
 * lead to the same file.
 *
 * Node has no call for it. `fs-native-extensions` has one, with binaries in its package for Linux
 * (with glibc), macOS and Windows; elsewhere the lock file has to do alone (`holder.ts`).
 */
import { readFileSync } from "node:fs";

export interface KernelLock {
  /**
   * Takes an open file: for its opener alone, or shared with others who only look. False when
   * somebody else has it, undefined when its file system keeps no locks. For itself alone the file
   * must be open for writing.
   */
  tryLock(file: number, isShared: boolean): boolean | undefined;
}

interface Binding {
  tryLock(
    file: number,
    offset: number,
    length: number,
    options: { readonly shared: boolean },
  ): boolean;
}

/** What file systems and kernels answer that keep no locks, or not now. */
const NO_LOCKS: readonly unknown[] = ["ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EINVAL", "ENOLCK"];

/**
 * On Windows a locked stretch cannot be read by others, who want to know whose it is: there a byte
 * far behind the end of the file is locked. Elsewhere the lock is about the whole file, and locks
 * nothing but itself.
 */
const WINDOWS_STRETCH = [2 ** 40, 1] as const;
const WHOLE_FILE = [0, 0] as const;

/** Undefined where the package has no binary. */
export async function loadKernelLock(): Promise<KernelLock | undefined> {
  let binding: Binding;
  try {
    // @ts-expect-error The package brings no types; `Binding` is what is used of it.
    binding = ((await import("fs-native-extensions")) as { default: Binding }).default;
  } catch {
    return undefined;
  }
  const [offset, length] = process.platform === "win32" ? WINDOWS_STRETCH : WHOLE_FILE;
  return {
    tryLock(file, isShared) {
      try {
        return binding.tryLock(file, offset, length, { shared: isShared });
      } catch (error) {
        const code = error instanceof Error && "code" in error ? error.code : undefined;
        // Some systems say so when somebody else has it.
        if (code === "EACCES" || code === "EBUSY") return false;
        if (NO_LOCKS.includes(code)) return undefined;
        throw error;
      }
    },
  };
}

/**
 * Whether the kernel of this machine lists a lock like ours on a file: for servers without the
 * package, beside one that has it. Such locks belong to an open file, not to a process, and so are
 * listed in every pid namespace. Undefined where there is no such list.
 */
export function isListedByKernel(inode: bigint): boolean | undefined {
  let locks: string;
  try {
    locks = readFileSync("/proc/locks", "utf8");
  } catch {
    return undefined;
  }
  // "1: OFDLCK ADVISORY WRITE -1 fe:00:1234 0 EOF". Some file systems number their devices in
  // another way for locks than for files, so the file's own number has to do.
  const places = [...locks.matchAll(/OFDLCK .* [0-9a-f]+:[0-9a-f]+:(\d+) /g)];
  return places.some(([, number]) => BigInt(number!) === inode);
}
