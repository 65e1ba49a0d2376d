/** What a client is told of a fault names no file of the server. */
import { expect, test } from "vitest";
import { withoutPaths } from "./withoutPaths.ts";

test.each([
  ["the disk is full", "the disk is full"],
  [
    "the store cannot write: ENOSPC: no space left on device, write",
    "the store cannot write: ENOSPC: no space left on device, write",
  ],
  [
    "EROFS: read-only file system, open '/var/lib/orrery/journal/00000001.log'",
    "EROFS: read-only file system, open a file of the server",
  ],
  [
    "ENOENT: no such file, rename '/a b/c' -> '/a b/d'",
    "ENOENT: no such file, rename a file of the server -> a file of the server",
  ],
  [
    "/var/lib/orrery cannot be read: it is gone.",
    "a file of the server cannot be read: it is gone.",
  ],
  ["the directory /data, which is gone", "the directory a file of the server, which is gone"],
  ["EACCES: C:\\Users\\me\\data\\tables", "EACCES: a file of the server"],
  ["in ./data/journal: damaged", "in a file of the server: damaged"],
  ["read and/or write 3/4 of it", "read and/or write 3/4 of it"],
])("%j becomes %j", (message, told) => {
  expect(withoutPaths(message)).toBe(told);
});
