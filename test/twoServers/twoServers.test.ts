/**
 * Two servers and one data directory: whoever is second is refused, whatever the path and the pid
 * namespace it comes by; whoever comes after a death is not; and a server that lost its directory
 * acknowledges nothing more.
 *
 * Namespaces and mounts need rights that not every machine gives to tests; those that were left out
 * are told in one line.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Loser, Winner } from "./contender.ts";
import {
  CAN_MAKE_NAMESPACES,
  contend,
  endContenders,
  installWithoutKernelLock,
  winner,
} from "./contender.ts";
import { Writer } from "./writer.ts";

/** Each of these starts several servers, on machines with much else to do. */
vi.setConfig({ testTimeout: 300_000 });

const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

if (!CAN_MAKE_NAMESPACES) {
  process.stdout.write("two servers: namespaces cannot be made here, their tests are left out\n");
}

let root: string;
let data: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "orrery-two-"));
  data = join(root, "data");
});

afterEach(() => {
  endContenders();
  rmSync(root, { recursive: true, force: true });
});

describe("a second server on one directory", () => {
  test("is refused by way of a link, another name, and hard links of the files", async () => {
    const first = await winner(data);
    const writer = new Writer();
    await Writer.makeContainer(first);
    symlinkSync(data, join(root, "link"));
    // A directory of its own, with the very same files in it but for the lock.
    spawnSync("cp", ["-al", data, join(root, "twin")]);
    rmSync(join(root, "twin", "lock"));
    const paths = [data, join(root, "link"), `${data}/../data/.`, join(root, "twin")];
    const outcomes = await Promise.all(paths.map((path) => contend(path)));
    for (const outcome of outcomes) expectRefused(outcome);
    expect((await writer.write(first)).status).toBe(201);
    expect(await first.end()).toBe(0);
    const next = await winner(data);
    expect(await writer.lostOn(next)).toEqual([]);
  });

  test.runIf(CAN_MAKE_NAMESPACES)(
    "is refused from pid namespaces and bind mounts, and from within them",
    async () => {
      mkdirSync(data);
      mkdirSync(join(root, "mounted"));
      const mounts = `mount --bind '${data}' '${join(root, "mounted")}'`;
      const first = await winner(join(root, "mounted"), { mounts });
      const writer = new Writer();
      await Writer.makeContainer(first);
      const outcomes = await Promise.all([
        contend(data),
        contend(data, { isApart: true }),
        contend(join(root, "mounted"), { mounts }),
      ]);
      for (const outcome of outcomes) expectRefused(outcome);
      expect((await writer.write(first)).status).toBe(201);
      await first.kill();
      const next = await winner(data, { isApart: true });
      expect(await writer.lostOn(next)).toEqual([]);
    },
  );

  test.runIf(CAN_MAKE_NAMESPACES)(
    "is noticed by a check that sees the directory read-only",
    async () => {
      const first = await winner(data);
      mkdirSync(join(root, "seen"));
      const seen = join(root, "seen");
      const mount = `mount --bind '${data}' '${seen}' && mount -o remount,ro,bind '${seen}'`;
      const check = (): { readonly status: number | null; readonly stderr: string } =>
        spawnSync(
          "unshare",
          [
            "--mount",
            "sh",
            "-c",
            `${mount} && exec '${process.execPath}' '${CLI}' check '${seen}'`,
          ],
          { encoding: "utf8" },
        );
      expect(check()).toMatchObject({ status: 2, stderr: expect.stringContaining("in use") });
      await first.kill();
      expect(check()).toMatchObject({ status: 0, stderr: "" });
    },
  );

  test("is refused by the tables when somebody removed the lock, and the first one stops", async () => {
    const first = await winner(data);
    const writer = new Writer();
    await Writer.makeContainer(first);
    expect((await writer.write(first)).status).toBe(201);
    rmSync(join(data, "lock"));
    const refused = await contend(data);
    expectRefused(refused);
    expect(refused).toMatchObject({ complaints: expect.stringContaining("lost its lock file") });
    await expectToBeFenced(first, writer);
    await first.kill();
    const next = await winner(data);
    expect(await writer.lostOn(next)).toEqual([]);
  });

  test("is refused where its directory was moved to, and the first one stops", async () => {
    const first = await winner(data);
    const writer = new Writer();
    await Writer.makeContainer(first);
    renameSync(data, join(root, "moved"));
    expectRefused(await contend(join(root, "moved")));
    await expectToBeFenced(first, writer);
  });
});

describe("a server after another", () => {
  test("gets the directory right after a kill", async () => {
    const first = await winner(data);
    // Not waiting for the end of the first one.
    const killed = first.kill();
    const next = await winner(data);
    await killed;
    expect(await next.end()).toBe(0);
  });

  test.runIf(process.platform === "linux")(
    "gets the directory of a process that was killed and that nobody has asked for",
    async () => {
      const start = `'${process.execPath}' '${CLI}' start --json --port 0 --data '${data}'`;
      // The shell gives its place to a program that waits for nobody.
      const parent = spawn("sh", ["-c", `${start} & exec sleep 600`], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      try {
        const [line] = (await once(createInterface({ input: parent.stdout! }), "line")) as [string];
        const { pid } = JSON.parse(line) as { pid: number };
        process.kill(pid, "SIGKILL");
        await expect
          .poll(() => readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, "")[0])
          .toBe("Z");
        const next = await winner(data);
        expect(await next.end()).toBe(0);
      } finally {
        parent.kill("SIGKILL");
      }
    },
  );

  test("gets the directory of a former version, and what that left in its lock", async () => {
    const first = await winner(data);
    await first.end();
    const former = { pid: 2 ** 22 - 1, startedAt: "1", nonce: "x" };
    spawnSync("sh", ["-c", `printf '%s' '${JSON.stringify(former)}' > '${join(data, "lock")}'`]);
    const next = await winner(data);
    expect(await next.end()).toBe(0);
  });
});

describe("a server that was taken for dead", () => {
  test.runIf(CAN_MAKE_NAMESPACES)(
    "acknowledges nothing more, and nothing it had acknowledged is lost",
    async () => {
      const cli = installWithoutKernelLock(join(root, "app"));
      const first = await winner(data, { cli, isApart: true });
      expect(lockOf(data)).toMatchObject({ isKernelHeld: false, beats: true });
      const writer = new Writer();
      await Writer.makeContainer(first);
      const writing = writer.writeOn(first);
      await expect.poll(() => writer.acknowledgedCount).toBeGreaterThan(20);
      // Stopped in the middle of its work, it does not beat, and counts as dead after a while.
      first.stop();
      const second = await winner(data, { cli, isBehindShell: true });
      first.resume();
      await writing;
      await expectToBeFenced(first, writer);
      expect(await writer.lostOn(second)).toEqual([]);
      expect((await writer.write(second)).status).toBe(201);
    },
  );
});

/** One line with the directory and the reason, and the code of a wrong option. */
function expectRefused(outcome: Loser | Winner): void {
  expect(outcome).toMatchObject({ kind: "refused", code: 2 });
  const { complaints } = outcome as Loser;
  expect(complaints).toMatch(/^orrery: The (data directory|tables of the data directory) .*in use/);
  expect(complaints.trimEnd().split("\n")).toHaveLength(1);
}

/** Writes are refused with the reason, and the log says it once. */
async function expectToBeFenced(server: Winner, writer: Writer): Promise<void> {
  for (let count = 0; count < 3; count++) {
    const { status, body } = await writer.write(server);
    expect(status).toBe(503);
    expect(body).not.toContain(root);
  }
  const lines = server.complaints().split("\n");
  // Either the fence or the look at the files comes first.
  const told = lines.filter((line) => /"event":"(dataLost|storageFault)"/.test(line));
  expect(told.length, server.complaints()).toBeGreaterThan(0);
  expect(told[0]).toContain("data");
}

function lockOf(directory: string): unknown {
  return JSON.parse(readFileSync(join(directory, "lock"), "utf8"));
}
