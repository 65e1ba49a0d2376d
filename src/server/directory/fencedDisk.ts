/**
 * The journal's disk, for a process that may lose its data directory: nothing is acknowledged, made
 * or removed once the directory is somebody else's.
 *
 * The epochs of parts fence writers of one store from each other; two processes have a store each.
 * What they share is the directory, and its lock file is the one thing that changes hands before
 * anything else is read. So the question is asked after an append is durable and before anybody is
 * told: if our lock was in its place then, whoever comes later reads that append.
 */
import type { Disk, DiskFile } from "../../store/disk.ts";
import { LOST_CODE } from "../../store/faults.ts";

/** The directory is no longer ours. Clients are told this text, so it names no path. */
export class DataLost extends Error {
  override readonly name = "DataLost";
  readonly code: string = LOST_CODE;
  constructor() {
    super("another server has taken over the data directory, or its lock was removed");
  }
}

interface Fence {
  isStillHeld(): boolean;
  /** Called once, when the loss is noticed. */
  onLost(): void;
}

export function fencedDisk(disk: Disk, fence: Fence): Disk {
  let isLost = false;
  const assertHeld = (): void => {
    if (!isLost && fence.isStillHeld()) return;
    if (!isLost) fence.onLost();
    isLost = true;
    throw new DataLost();
  };
  return {
    ...disk,
    // Asked before: a segment that we make would be in the way of the other server's.
    async create(name, bytes): Promise<DiskFile> {
      assertHeld();
      const file = await disk.create(name, bytes);
      return {
        ...file,
        async append(more) {
          await file.append(more);
          assertHeld();
        },
      };
    },
    async remove(name) {
      assertHeld();
      await disk.remove(name);
    },
  };
}
