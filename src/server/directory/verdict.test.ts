/** Who counts as gone, one row for each state in which a lock file can be found. */
import { expect, test } from "vitest";
import type { Holder } from "./holder.ts";
import type { LockFindings, LockVerdict } from "./verdict.ts";
import { verdictOf } from "./verdict.ts";

const PROCESS = { pid: 7, startedAt: "1", boot: "b", namespace: "n", host: "h", nonce: "x" };
/** As servers hold a directory of their own machine. */
const BY_KERNEL: Holder = { ...PROCESS, isKernelHeld: true, beats: false };
/** As they hold one that other machines may see. */
const SHARED: Holder = { ...PROCESS, isKernelHeld: true, beats: true };
/** As those do that have no binding for the kernel's lock. */
const BY_BEATS: Holder = { ...PROCESS, isKernelHeld: false, beats: true };
const FORMER = { pid: 7, startedAt: "1" };

const HERE = { isSameBoot: true, isSameNamespace: true };
const OTHER_CONTAINER = { isSameBoot: true, isSameNamespace: false };
const OTHER_MACHINE = { isSameBoot: false, isSameNamespace: false };
/** We have the kernel's lock of the file that was found; it is refused; we have no binding. */
const GIVEN = { hasKernelLock: true };
const REFUSED = { hasKernelLock: false };
const NONE = { hasKernelLock: undefined };

type Row = readonly [rule: string, found: Partial<LockFindings>, verdict: LockVerdict];

const ROWS: readonly Row[] = [
  ["what the kernel refuses is held", { ...REFUSED, holder: BY_KERNEL, ...HERE }, "held"],
  ["also when the file names nobody", { ...REFUSED, holder: undefined }, "held"],
  ["also when that process seems gone", { ...REFUSED, holder: FORMER }, "held"],
  ["a file that names nobody is free", { ...GIVEN, holder: undefined }, "free"],
  ["but not if the kernel lists its lock", { ...NONE, holder: undefined, isListed: true }, "held"],

  [
    "what the kernel kept and gives is free, whoever has the number now",
    { ...GIVEN, holder: BY_KERNEL, ...HERE, runs: () => true },
    "free",
  ],
  ["from another container, too", { ...GIVEN, holder: BY_KERNEL, ...OTHER_CONTAINER }, "free"],
  ["on a shared file system, too", { ...GIVEN, holder: SHARED, ...OTHER_CONTAINER }, "free"],

  ["a former version is known by its process", { ...GIVEN, holder: FORMER }, "free"],
  ["and runs if that does", { ...GIVEN, holder: FORMER, runs: () => true }, "held"],

  ["one without the kernel's lock runs", { ...GIVEN, holder: BY_BEATS, ...HERE }, "free"],
  ["or does not", { ...GIVEN, holder: BY_BEATS, ...HERE, runs: () => true }, "held"],
  [
    "in another container it is watched",
    { ...GIVEN, holder: BY_BEATS, ...OTHER_CONTAINER },
    "watch",
  ],
  [
    "a number there tells nothing",
    { ...NONE, holder: BY_BEATS, ...OTHER_CONTAINER, runs: () => true },
    "watch",
  ],

  ["another machine is watched", { ...GIVEN, holder: SHARED, ...OTHER_MACHINE }, "watch"],
  [
    "on our own disk, too, if it saw a shared one",
    { ...GIVEN, holder: SHARED, ...OTHER_MACHINE, isLocal: true },
    "watch",
  ],
  [
    "on the disk of one machine it is the one before a restart",
    { ...GIVEN, holder: BY_KERNEL, ...OTHER_MACHINE, isLocal: true },
    "free",
  ],
  [
    "but nobody knows when we see it as shared",
    { ...GIVEN, holder: BY_KERNEL, ...OTHER_MACHINE },
    "unknown",
  ],

  [
    "without a binding: our own processes are known",
    { ...NONE, holder: BY_KERNEL, ...HERE, runs: () => true },
    "held",
  ],
  [
    "those of containers are listed",
    { ...NONE, holder: BY_KERNEL, ...OTHER_CONTAINER, isListed: true },
    "held",
  ],
  ["or not", { ...NONE, holder: BY_KERNEL, ...OTHER_CONTAINER, isListed: false }, "free"],
  [
    "or there is no list",
    { ...NONE, holder: BY_KERNEL, ...OTHER_CONTAINER, isListed: undefined },
    "unknown",
  ],
];

test.each(ROWS)("%s", (_, found, verdict) => {
  const nothing: LockFindings = {
    holder: undefined,
    hasKernelLock: undefined,
    isListed: undefined,
    ...OTHER_MACHINE,
    isLocal: false,
    runs: () => false,
  };
  expect(verdictOf({ ...nothing, ...found })).toBe(verdict);
});
