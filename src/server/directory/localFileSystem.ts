/**
 * Whether a directory is on a file system that only this machine can have mounted. A lock of
 * another boot that is found there is from before a restart; anywhere else it may belong to a
 * neighbour.
 */
import { statfsSync } from "node:fs";

/**
 * By the numbers that Linux gives them: those on a disk of one's own, and memory. Network file
 * systems, FUSE (with it what virtual machines share with their host) and layered ones are missing.
 */
const LOCAL_TYPES: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // xfs
  0x9123683e, // btrfs
  0xf2f52010, // f2fs
  0x2fc12fc1, // zfs
  0xca451a4e, // bcachefs
  0x3153464a, // jfs
  0x01021994, // tmpfs
]);

export function isLocalFileSystem(directory: string): boolean {
  return process.platform === "linux" && LOCAL_TYPES.has(statfsSync(directory).type);
}
