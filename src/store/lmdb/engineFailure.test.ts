/** Failures of the embedded engine, and what they are called. */
import { constants } from "node:os";
import { expect, test } from "vitest";
import { failureCodeOf } from "./engineFailure.ts";

const { EIO, ENOSPC, EROFS } = constants.errno;
const ROOM = 1024 ** 3;

test.each([
  ["a full disk", ENOSPC, ROOM, "ENOSPC"],
  ["a full disk that the file system found", "ENOSPC", ROOM, "ENOSPC"],
  ["a write that was cut short for want of room", EIO, 4096, "ENOSPC"],
  ["a device that failed", EIO, ROOM, "EIO"],
  ["a file system that is read-only", EROFS, ROOM, "EROFS"],
  ["a number of the engine's own", -30_000, ROOM, undefined],
])("%s", (_what, code, freeBytes, expected) => {
  const error = Object.assign(new Error("failed"), { code });
  expect(failureCodeOf(error, "anywhere", () => freeBytes)).toBe(expected);
});

test("what is no failure of the system has no name", () => {
  expect(failureCodeOf(new Error("a bug"), "anywhere", () => 0)).toBeUndefined();
});
