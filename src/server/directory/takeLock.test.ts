/**
 * Who gets a data directory, by the state in which it is found: with the kernel's lock and without,
 * in a time that passes only when somebody waits.
 */
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { millis } from "../../base/units.ts";
import type { DataLock } from "./dataLock.ts";
import { DataLocked } from "./dataLocked.ts";
import type { Holder } from "./holder.ts";
import { holderText, ownIdentity } from "./holder.ts";
import { loadKernelLock } from "./kernelLock.ts";
import type { LockWorld } from "./takeLock.ts";
import { takeLock } from "./takeLock.ts";

const kernel = await loadKernelLock();
let root: string;
let directory: string;
let now: number;
const held: DataLock[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "orrery-lock-"));
  directory = join(root, "data");
  mkdirSync(directory);
  now = 0;
});

afterEach(() => {
  for (const lock of held.splice(0)) lock.release();
  rmSync(root, { recursive: true, force: true });
});

/** There are none for Linux with another library than glibc. */
const hasBinary = !existsSync("/etc/alpine-release");
test.runIf(hasBinary)("the binding has a binary for this machine", () => {
  expect(kernel).toBeDefined();
});

/** Differs from ours in a way that a pid cannot be looked up. */
const OTHER_CONTAINER = { namespace: "pid:[1]", pid: 1, startedAt: "1" };
const OTHER_MACHINE = { ...OTHER_CONTAINER, boot: "another", host: "elsewhere" };

describe.each([
  ["with the kernel's lock", kernel],
  ["without the kernel's lock", undefined],
])("%s, a data directory", (_, kernelLock) => {
  const world = (nonce: string, more: Partial<LockWorld> = {}): LockWorld =>
    worldOf(nonce, { kernel: kernelLock, ...more });

  test("goes to the first who asks, and says whose it is", async () => {
    await take(world("a"));
    expect(holder()).toMatchObject({ pid: process.pid, nonce: "a" });
    await expect(takeLock(directory, world("b"))).rejects.toThrow(DataLocked);
    await expect(takeLock(directory, world("b"))).rejects.toThrow(`process ${process.pid}`);
    expect(readdirSync(directory)).toEqual(["lock"]);
  });

  test("is waited for three seconds and no longer", async () => {
    await take(world("a"));
    await expect(takeLock(directory, world("b"))).rejects.toThrow(DataLocked);
    expect(now).toBeGreaterThanOrEqual(3000);
    expect(now).toBeLessThan(3200);
  });

  test("goes to who waits when its holder goes meanwhile", async () => {
    const first = await take(world("a"));
    const second = takeLock(
      directory,
      world("b", { timer: timerWith(1000, () => first.release()) }),
    );
    held.push(await second);
    expect(holder()).toMatchObject({ nonce: "b" });
    expect(now).toBeLessThan(1200);
  });

  test("is free again when it is given back", async () => {
    const lock = await take(world("a"));
    expect(lock.isStillHeld()).toBe(true);
    lock.release();
    expect(lock.isStillHeld()).toBe(false);
    expect(readdirSync(directory)).toEqual([]);
    await take(world("b"));
    expect(holder()).toMatchObject({ nonce: "b" });
  });

  test.each([
    ["removed", (path: string) => rmSync(path)],
    ["replaced", (path: string) => renameSync(leaveLock({}, 0, "other"), path)],
    ["moved with its directory", () => renameSync(directory, `${directory}2`)],
    ["removed with its directory", () => rmSync(directory, { recursive: true })],
  ])("is known to be lost when its lock was %s, and is not given back", async (_, lose) => {
    const lock = await take(world("a"));
    lose(join(directory, "lock"));
    const left = existsSync(directory) ? readdirSync(directory) : [];
    expect(lock.isStillHeld()).toBe(false);
    lock.release();
    expect(existsSync(directory) ? readdirSync(directory) : []).toEqual(left);
  });

  test.each([
    ["a process that is gone", { pid: 2 ** 22 - 1, startedAt: "1", nonce: "x" }],
    ["an earlier process with our number", { pid: process.pid, startedAt: "1", nonce: "x" }],
    ["nobody who can be read", "half a lo"],
    ["nobody, after a power cut", ""],
    ["something else altogether", [null]],
  ])("is free at once when its lock names %s", async (_, content) => {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    writeFileSync(join(directory, "lock"), text);
    await take(world("a"));
    expect(holder()).toMatchObject({ pid: process.pid, nonce: "a" });
    expect(readdirSync(directory)).toEqual(["lock"]);
    expect(now).toBeLessThanOrEqual(100);
  });

  test("of a running server of a former version is refused", async () => {
    const { pid, startedAt } = ownIdentity();
    writeFileSync(join(directory, "lock"), JSON.stringify({ pid, startedAt, nonce: "x" }));
    await expect(takeLock(directory, world("a"))).rejects.toThrow(`process ${pid}`);
  });

  test("with a holder elsewhere is free after five seconds without a beat", async () => {
    leaveLock({ ...OTHER_MACHINE, beats: true });
    await take(world("a"));
    expect(now).toBeGreaterThanOrEqual(5000);
  });

  test("with a holder elsewhere that beats is refused, and says where it is", async () => {
    leaveLock({ ...OTHER_MACHINE, beats: true });
    const beat = timerWith(1000, () => leaveLock({ ...OTHER_MACHINE, beats: true }, 1));
    const refused = takeLock(directory, world("a", { timer: beat }));
    await expect(refused).rejects.toThrow("process 1 of the machine elsewhere");
  });

  test("on a disk of one machine is free at once after that was started again", async () => {
    leaveLock({ ...OTHER_MACHINE, isKernelHeld: true });
    await take(world("a", { isLocal: () => true }));
    expect(now).toBeLessThanOrEqual(100);
  });

  test("with a holder that nothing can tell of is refused, with advice", async () => {
    leaveLock({ ...OTHER_MACHINE, isKernelHeld: true });
    const refused = takeLock(directory, world("a", { isLocal: () => false }));
    await expect(refused).rejects.toThrow(/cannot be told.*machine elsewhere.*remove .*lock/);
  });

  test("by way of a symbolic link, another name or a hard link of its lock is the same", async () => {
    await take(world("a"));
    symlinkSync(directory, join(root, "link"));
    await expect(takeLock(join(root, "link"), world("b"))).rejects.toThrow(DataLocked);
    mkdirSync(join(root, "twin"));
    linkSync(join(directory, "lock"), join(root, "twin", "lock"));
    await expect(takeLock(join(root, "twin"), world("b"))).rejects.toThrow(DataLocked);
    renameSync(directory, join(root, "renamed"));
    await expect(takeLock(join(root, "renamed"), world("b"))).rejects.toThrow(DataLocked);
  });

  test("in which something else is called lock is refused at once", async () => {
    mkdirSync(join(directory, "lock"));
    await expect(takeLock(directory, world("a"))).rejects.toThrow("lock is not a plain file");
    rmSync(join(directory, "lock"), { recursive: true });
    symlinkSync("nowhere", join(directory, "lock"));
    await expect(takeLock(directory, world("a"))).rejects.toThrow("lock is not a plain file");
    expect(readdirSync(directory)).toEqual(["lock"]);
    expect(now).toBe(0);
  });

  test("is swept of what those left who were killed while they asked", async () => {
    for (const name of ["lock.7.left", "lock.8.fresh"]) writeFileSync(join(directory, name), "{}");
    utimesSync(join(directory, "lock.7.left"), 1, 1);
    await take(world("a"));
    expect(readdirSync(directory).sort()).toEqual(["lock", "lock.8.fresh"]);
  });
});

describe.runIf(hasBinary)("a holder", () => {
  test("beats without the kernel's lock, and on shared file systems", async () => {
    const beating: (() => void)[] = [];
    const after = (_: number, beat: () => void): (() => void) => {
      beating.push(beat);
      return () => undefined;
    };
    const timer = { after, soon: () => Promise.resolve() };
    const lock = await takeLock(directory, worldOf("a", { kernel: undefined, timer }));
    held.push(lock);
    const before = readFileSync(join(directory, "lock"), "utf8");
    beating.shift()!();
    const beaten = readFileSync(join(directory, "lock"), "utf8");
    expect(beaten).not.toBe(before);
    expect(JSON.parse(beaten)).toMatchObject({ nonce: "a", beats: true });
    expect(beating).toHaveLength(1);
  });

  test("of a local disk with the kernel's lock leaves its file alone", async () => {
    await take(worldOf("a", { isLocal: () => true }));
    expect(holder()).toMatchObject({ isKernelHeld: true, beats: false });
    await take(worldOf("b", { isLocal: () => false }), join(root, "data2"));
    expect(JSON.parse(readFileSync(join(root, "data2", "lock"), "utf8"))).toMatchObject({
      isKernelHeld: true,
      beats: true,
    });
  });

  test("in another container is told by the kernel alone, dead or alive", async () => {
    const lock = await take(worldOf("a", { self: { ...ownIdentity(), ...OTHER_CONTAINER } }));
    await expect(takeLock(directory, worldOf("b"))).rejects.toThrow("another container");
    // The same without our having the binding: the kernel lists the lock.
    if (process.platform === "linux") {
      const bare = worldOf("b", { kernel: undefined });
      await expect(takeLock(directory, bare)).rejects.toThrow("another container");
    }
    // What is left of it after a kill: its file, with nobody who has it open.
    const text = readFileSync(join(directory, "lock"), "utf8");
    lock.release();
    writeFileSync(join(directory, "lock"), text);
    now = 0;
    await take(worldOf("b"));
    expect(now).toBe(0);
  });

  test("has no copy of its directory", async () => {
    await take(worldOf("a"));
    cpSync(directory, join(root, "copy"), { recursive: true });
    await take(worldOf("b"), join(root, "copy"));
    expect(now).toBe(0);
  });

  test("has the tables as well, by whatever path they are reached", async () => {
    const lock = await take(worldOf("a"));
    expect(lock.tryHold("tables.mdb")).toBe(true);
    writeFileSync(join(directory, "tables.mdb"), "");
    expect(lock.tryHold("tables.mdb")).toBe(true);
    mkdirSync(join(root, "twin"));
    linkSync(join(directory, "tables.mdb"), join(root, "twin", "tables.mdb"));
    const twin = await take(worldOf("b"), join(root, "twin"));
    expect(twin.tryHold("tables.mdb")).toBe(false);
    lock.release();
    expect(twin.tryHold("tables.mdb")).toBe(true);
  });

  test("has the tables that take the place of others, too", async () => {
    const lock = await take(worldOf("a"));
    writeFileSync(join(directory, "tables.mdb"), "");
    expect(lock.tryHold("tables.mdb")).toBe(true);
    rmSync(join(directory, "tables.mdb"));
    writeFileSync(join(directory, "tables.mdb"), "anew");
    expect(lock.tryHold("tables.mdb")).toBe(true);
    mkdirSync(join(root, "twin"));
    linkSync(join(directory, "tables.mdb"), join(root, "twin", "tables.mdb"));
    expect((await take(worldOf("b"), join(root, "twin"))).tryHold("tables.mdb")).toBe(false);
  });
});

async function take(world: LockWorld, where: string = directory): Promise<DataLock> {
  mkdirSync(where, { recursive: true });
  const lock = await takeLock(where, world);
  held.push(lock);
  return lock;
}

function worldOf(nonce: string, more: Partial<LockWorld> = {}): LockWorld {
  return {
    self: ownIdentity(),
    nonce,
    kernel,
    isLocal: () => true,
    clock: { now: () => millis(now), wallNow: () => now },
    timer: timerWith(Number.POSITIVE_INFINITY, () => undefined),
    ...more,
  };
}

/** Time passes when somebody waits for it; at an instant of it something happens. */
function timerWith(at: number, event: () => void): LockWorld["timer"] {
  let isDone = false;
  return {
    after(delay, action) {
      // Beats of those who hold come once a second and are not what these tests wait for.
      if (delay >= 1000) return () => undefined;
      const cancel = setImmediate(() => {
        now += delay;
        if (now >= at && !isDone) {
          isDone = true;
          event();
        }
        action();
      });
      return () => clearImmediate(cancel);
    },
    soon: () => Promise.resolve(),
  };
}

function leaveLock(more: Partial<Holder>, beat = 0, name = "lock"): string {
  const holder = { ...ownIdentity(), nonce: "x", isKernelHeld: false, beats: false, ...more };
  writeFileSync(join(directory, name), holderText(holder, beat));
  return join(directory, name);
}

function holder(): unknown {
  return JSON.parse(readFileSync(join(directory, "lock"), "utf8"));
}
