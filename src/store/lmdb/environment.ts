/** How the embedded engine is opened; reader and absorber must agree on it. */
import type { RootDatabase } from "lmdb";
import { open } from "lmdb";

/** Keys are latin1 strings, one character per byte, and go into the engine as those bytes. */
export type LmdbEnvironment = RootDatabase<Buffer, string>;

export function openEnvironment(directory: string, isReadOnly = false): LmdbEnvironment {
  return open<Buffer, string>({
    path: directory,
    readOnly: isReadOnly,
    encoding: "binary",
    keyEncoder: { writeKey, readKey },
    // Twice the default: an item and its neighbours on one page, and a tenth less work to write.
    pageSize: 8192,
    // A commit that returns is on disk: the journal segment is deleted on the strength of it.
    overlappingSync: false,
    // Keys are hashes and values are opaque: nothing for a decoded-object cache to do.
    cache: false,
  });
}

/** Byte by byte: for keys of this length a call into native code costs more than the loop. */
function writeKey(key: string, target: Buffer, start: number): number {
  const { length } = key;
  for (let index = 0; index < length; index++) target[start + index] = key.charCodeAt(index);
  return start + length;
}

function readKey(target: Buffer, start: number, end: number): string {
  return target.toString("latin1", start, end);
}
