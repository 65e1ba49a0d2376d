/** Which processes count as running, as the system tells it. */
import type { ChildProcess } from "node:child_process";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Holder } from "./holder.ts";
import {
  holderText,
  isFullyNamed,
  isRunning,
  isSameBoot,
  ownIdentity,
  parseHolder,
} from "./holder.ts";

/** Some systems do not tell when a process started; see the test that sets this. */
const system = vi.hoisted(() => ({ hidesStarts: false }));

vi.mock("node:fs", async (importOriginal) => {
  const actual = await importOriginal<typeof import("node:fs")>();
  const readFile = ((path: string, ...rest: readonly unknown[]) => {
    if (system.hidesStarts && path.startsWith("/proc")) throw new Error("ENOENT");
    return Reflect.apply(actual.readFileSync, undefined, [path, ...rest]);
  }) as typeof actual.readFileSync;
  return { ...actual, readFileSync: readFile };
});

const children: ChildProcess[] = [];

afterEach(() => {
  system.hidesStarts = false;
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

const IDLE = ["-e", "process.stdout.write('.'); setInterval(() => undefined, 1000)"];

describe("a process", () => {
  test("runs if it has that number and started then", () => {
    expect(isRunning(ownIdentity())).toBe(true);
  });

  test("does not run when it is gone", () => {
    const { pid } = spawnSync(process.execPath, ["--version"]);
    expect(isRunning({ pid, startedAt: "1" })).toBe(false);
  });

  test("does not run when another has its number now", () => {
    expect(isRunning({ pid: process.pid, startedAt: "1" })).toBe(false);
  });

  test("runs also where nobody tells when it started", async () => {
    system.hidesStarts = true;
    const living = spawn(process.execPath, IDLE);
    children.push(living);
    expect(isRunning({ pid: living.pid!, startedAt: "1700000000000.1" })).toBe(true);
  });

  test.runIf(process.platform === "linux")(
    "does not run when it was killed and its parent has not asked for it",
    async () => {
      // A shell that waits for nothing leaves its child a zombie.
      const script = `"${process.execPath}" -e 'setInterval(() => undefined, 1000)' & echo $!; exec sleep 600`;
      const parent = spawn("sh", ["-c", script], { stdio: ["ignore", "pipe", "inherit"] });
      children.push(parent);
      const [line] = (await once(parent.stdout!, "data")) as [Buffer];
      const pid = Number(line.toString());
      const startedAt = startOf(pid);
      expect(isRunning({ pid, startedAt })).toBe(true);
      process.kill(pid, "SIGKILL");
      await expect.poll(() => statOf(pid)[0]).toBe("Z");
      expect(startOf(pid)).toBe(startedAt);
      expect(isRunning({ pid, startedAt })).toBe(false);
    },
  );
});

describe("the text of a lock file", () => {
  const holder: Holder = { ...ownIdentity(), nonce: "x", isKernelHeld: true, beats: false };

  test("names its holder, and is as long with every beat", () => {
    expect(parseHolder(holderText(holder, 0))).toMatchObject(holder);
    expect(holderText(holder, 123456)).toHaveLength(holderText(holder, 0).length);
  });

  test("of a former version names less", () => {
    const former = parseHolder(JSON.stringify({ pid: 1, startedAt: "5", nonce: "x" }))!;
    expect(isFullyNamed(former)).toBe(false);
    expect(isFullyNamed(holder)).toBe(true);
  });

  test.each(["", "half a lo", "[null]", "null", '{"pid":"7"}', '{"pid":7}'])(
    "%j names nobody",
    (text) => expect(parseHolder(text)).toBeUndefined(),
  );
});

test.each([
  [{ boot: "b", host: "x" }, { boot: "b", host: "y" }, true],
  [{ boot: "b", host: "x" }, { boot: "c", host: "x" }, false],
  [{ boot: "", host: "x" }, { boot: "", host: "x" }, true],
  [{ boot: "", host: "x" }, { boot: "", host: "y" }, false],
])("%j and %j are one machine: %j", (one, other, isOne) => {
  const process = { pid: 1, startedAt: "1", namespace: "n" };
  expect(isSameBoot({ ...process, ...one }, { ...process, ...other })).toBe(isOne);
});

function statOf(pid: number): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function startOf(pid: number): string {
  return statOf(pid)[19]!;
}
