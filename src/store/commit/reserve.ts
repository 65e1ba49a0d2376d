/**
 * Room that is kept back on the disk: a file that holds nothing but its place. When the disk is
 * full it is cut, a step at a time, and what was cut off takes the deletions by which somebody
 * makes room. The last of it is left for starts: a server has to come up on a full disk, too.
 *
 * It is filled again when there is room. Its bytes do not compress, or a file system that does
 * would keep nothing back.
 */
import { statSync, truncateSync } from "node:fs";
import { open, statfs } from "node:fs/promises";
import { join } from "node:path";

export interface Reserve {
  readonly heldBytes: number;
  readonly bytesMax: number;
  /** Makes it whole again; false when there is no room for that, and then it is as it was. */
  fill(): Promise<boolean>;
  /** Gives a step of it back to the disk; false when nothing is left but what starts need. */
  yieldStep(): boolean;
}

const RESERVE_FILE = "reserve";
const BYTES_MAX = 4 * 1024 * 1024;
/** On a small disk no more than this part of it. */
const SHARE_MAX = 1 / 16;
const STEP_BYTES = 1024 * 1024;
/** What deletions leave for starts, and what each of those may take of it. */
const START_BYTES = 256 * 1024;
const START_STEP_BYTES = 64 * 1024;
const BLOCK_BYTES = 64 * 1024;

export async function openReserve(directory: string): Promise<Reserve> {
  const path = join(directory, RESERVE_FILE);
  const bytesMax = await bytesMaxOn(directory);
  let heldBytes = heldIn(path);
  return {
    get heldBytes() {
      return heldBytes;
    },
    bytesMax,
    async fill() {
      if (heldBytes >= bytesMax) return true;
      try {
        await extend(path, heldBytes, bytesMax);
        heldBytes = bytesMax;
        return true;
      } catch {
        cutTo(path, heldBytes);
        return false;
      }
    },
    yieldStep() {
      const left = Math.max(START_BYTES, heldBytes - STEP_BYTES);
      if (left >= heldBytes || !cutTo(path, left)) return false;
      heldBytes = left;
      return true;
    },
  };
}

/**
 * Makes a little room for a start that found none. True if there is some now. Nobody has the data
 * directory yet; if a running server has it after all, that one fills its reserve again.
 */
export function yieldToStart(directory: string): boolean {
  const path = join(directory, RESERVE_FILE);
  const heldBytes = heldIn(path);
  return heldBytes > 0 && cutTo(path, Math.max(0, heldBytes - START_STEP_BYTES));
}

async function bytesMaxOn(directory: string): Promise<number> {
  try {
    const { bsize, blocks } = await statfs(directory);
    const share = Math.floor((bsize * blocks * SHARE_MAX) / BLOCK_BYTES) * BLOCK_BYTES;
    return Math.min(BYTES_MAX, share);
  } catch {
    return BYTES_MAX;
  }
}

async function extend(path: string, from: number, to: number): Promise<void> {
  const file = await open(path, "a", 0o600);
  try {
    const block = incompressibleBlock();
    for (let at = from; at < to; ) {
      const { bytesWritten } = await file.write(block, 0, Math.min(block.length, to - at));
      at += bytesWritten;
    }
  } finally {
    await file.close();
  }
}

function cutTo(path: string, bytes: number): boolean {
  try {
    truncateSync(path, bytes);
    return true;
  } catch {
    return false;
  }
}

function heldIn(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}

/** A linear congruential generator: all that is asked of it is to have no pattern. */
function incompressibleBlock(): Buffer {
  const words = new Uint32Array(BLOCK_BYTES / 4);
  let state = 1;
  for (let index = 0; index < words.length; index++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    words[index] = state;
  }
  return Buffer.from(words.buffer);
}
