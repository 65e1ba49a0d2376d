/**
 * Who gets a data directory: first by the state it is found in, then two processes that come at
 * the same moment, again and again, to a directory whose last holder died.
 */
import type { ChildProcess } from "node:child_process";
import { fork, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { DataLocked, lockData } from "./dataLock.ts";

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

let directory: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "orrery-lock-"));
});

afterEach(() => {
  system.hidesStarts = false;
  for (const child of children.splice(0)) child.kill("SIGKILL");
  rmSync(directory, { recursive: true, force: true });
});

describe("a data directory", () => {
  test("goes to the first who asks, and says whose it is", () => {
    lockData(directory, "a");
    expect(holder()).toMatchObject({ pid: process.pid, nonce: "a" });
    expect(() => lockData(directory, "b")).toThrow(DataLocked);
    expect(() => lockData(directory, "b")).toThrow(`process ${process.pid}`);
    expect(readdirSync(directory)).toEqual(["lock"]);
  });

  test("is free again when it is given back", () => {
    const unlock = lockData(directory, "a");
    unlock();
    expect(readdirSync(directory)).toEqual([]);
    lockData(directory, "b");
    expect(holder()).toMatchObject({ nonce: "b" });
  });

  test("is not given back by one who no longer holds it", () => {
    const unlock = lockData(directory, "a");
    writeFileSync(join(directory, "lock"), JSON.stringify({ pid: 1, startedAt: "", nonce: "b" }));
    unlock();
    expect(holder()).toMatchObject({ nonce: "b" });
  });

  const deadPid = spawnSync(process.execPath, ["--version"]).pid;
  test.each([
    ["a process that is gone", { pid: deadPid, startedAt: "1", nonce: "x" }],
    ["an earlier process with our number", { pid: process.pid, startedAt: "1", nonce: "x" }],
    ["nobody who can be read", "half a lo"],
    ["nobody, after a power cut", ""],
    ["something else altogether", [null]],
  ])("is free when its lock names %s", (_, content) => {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    writeFileSync(join(directory, "lock"), text);
    lockData(directory, "a");
    expect(holder()).toMatchObject({ pid: process.pid, nonce: "a" });
    expect(readdirSync(directory)).toEqual(["lock"]);
  });

  test("stays with a living process, and is free at once when that is killed", async () => {
    const rival = await startRival(directory);
    expect(await ask(rival, "lock")).toBe("held");
    expect(() => lockData(directory, "a")).toThrow(`process ${rival.pid}`);
    rival.kill("SIGKILL");
    await once(rival, "exit");
    lockData(directory, "a");
    expect(holder()).toMatchObject({ pid: process.pid });
  });

  test("stays with a living process also where nobody tells when it started", () => {
    system.hidesStarts = true;
    const living = spawn(process.execPath, ["-e", "setInterval(() => undefined, 1000)"]);
    children.push(living);
    const text = JSON.stringify({ pid: living.pid, startedAt: "1700000000000.1", nonce: "x" });
    writeFileSync(join(directory, "lock"), text);
    expect(() => lockData(directory, "a")).toThrow(DataLocked);
  });
});

test("of two that come at once to a dead holder's directory, exactly one gets it", async () => {
  const rivals = await Promise.all([startRival(directory), startRival(directory)]);
  const stale = JSON.stringify({ pid: 2 ** 22 - 1, startedAt: "1", nonce: "x" });
  for (let round = 0; round < 150; round++) {
    writeFileSync(join(directory, "lock"), stale);
    const answers = await Promise.all(rivals.map((rival) => ask(rival, "lock")));
    expect(answers.toSorted(), `round ${round}`).toEqual(["held", "refused"]);
    await Promise.all(rivals.map((rival) => ask(rival, "unlock")));
    expect(readdirSync(directory)).toEqual(["rival.mjs"]);
  }
});

function holder(): unknown {
  return JSON.parse(readFileSync(join(directory, "lock"), "utf8"));
}

/** A process that locks and unlocks the directory when told to. */
async function startRival(where: string): Promise<ChildProcess> {
  const source = `
    import { lockData } from ${JSON.stringify(fileURLToPath(new URL("./dataLock.ts", import.meta.url)))};
    let unlock = () => undefined;
    let count = 0;
    process.on("message", (order) => {
      if (order === "unlock") {
        unlock();
        unlock = () => undefined;
        process.send("done");
        return;
      }
      try {
        unlock = lockData(${JSON.stringify(where)}, String(count++));
        process.send("held");
      } catch {
        process.send("refused");
      }
    });
    process.send("ready");`;
  const outfile = join(where, "rival.mjs");
  const stdin = { contents: source, resolveDir: where, loader: "ts" } as const;
  buildSync({ stdin, outfile, bundle: true, platform: "node", format: "esm" });
  const rival = fork(outfile, { execArgv: [] });
  children.push(rival);
  await once(rival, "message");
  return rival;
}

async function ask(rival: ChildProcess, order: "lock" | "unlock"): Promise<unknown> {
  const answer = once(rival, "message");
  rival.send(order);
  return (await answer)[0];
}
