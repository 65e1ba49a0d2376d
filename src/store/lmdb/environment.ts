/** How the embedded engine is opened; reader and absorber must agree on it. */

import type { RootDatabase } from "lmdb";
import { open } from "lmdb";

export type Environment = RootDatabase<Buffer, Buffer>;

export function openEnvironment(directory: string): Environment {
  return open<Buffer, Buffer>({
    path: directory,
    keyEncoding: "binary",
    encoding: "binary",
    // A commit that returns is on disk: the journal segment is deleted on the strength of it.
    overlappingSync: false,
    // Keys are hashes and values are opaque: nothing for a decoded-object cache to do.
    cache: false,
  });
}

export const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");
