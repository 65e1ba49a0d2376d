/**
 * Failures that a real kernel gives: a file system that turns read-only, and, by way of strace,
 * writes that fail or take very long. Each says whether this machine has what it takes.
 */
import type { ChildProcess } from "node:child_process";
import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const IMAGE_BYTES = 64 * 1024 * 1024;

/** An ext4 file system in a file. */
export class FragileVolume implements Disposable {
  readonly #root: string;
  readonly #image: string;
  readonly directory: string;

  constructor() {
    this.#root = mkdtempSync(join(tmpdir(), "orrery-fragile-"));
    this.#image = join(this.#root, "image");
    this.directory = join(this.#root, "mounted");
    writeFileSync(this.#image, Buffer.alloc(IMAGE_BYTES));
    run("mkfs.ext4", "-q", "-F", this.#image);
    run("mkdir", this.directory);
    this.#mount(this.#image);
  }

  get data(): string {
    return join(this.directory, "data");
  }

  /** As after an error that the kernel has found in it. */
  turnReadOnly(): void {
    const device = run("findmnt", "-n", "-o", "SOURCE", this.directory).trim();
    writeFileSync(`/sys/fs/ext4/${basename(device)}/trigger_fs_error`, "1");
  }

  /** Mends it, as its owner would. Nobody may have a file of it open. */
  mountAnew(): void {
    run("umount", this.directory);
    // A copy: somebody else on this machine may have got hold of the one that is broken.
    const copy = `${this.#image}.copy`;
    copyFileSync(this.#image, copy);
    // It ends with 1 when there was something to mend.
    run("sh", "-c", `e2fsck -f -y "${copy}" || [ $? -le 1 ]`);
    this.#mount(copy);
  }

  #mount(image: string): void {
    run("mount", "-o", "loop,errors=remount-ro", image, this.directory);
  }

  [Symbol.dispose](): void {
    run("umount", "-l", this.directory);
    rmSync(this.#root, { recursive: true, force: true });
  }
}

export function canTurnReadOnly(): boolean {
  try {
    const volume = new FragileVolume();
    try {
      volume.turnReadOnly();
    } finally {
      volume[Symbol.dispose]();
    }
    return true;
  } catch {
    return false;
  }
}

export function hasStrace(): boolean {
  try {
    run("strace", "-V");
    return true;
  } catch {
    return false;
  }
}

/** Makes the writes of a process fail, or wait, until it is called off. */
export async function injectInto(
  pid: number,
  fault: "error=EIO" | "delay_enter=8000000",
): Promise<() => Promise<void>> {
  const inject = ["-e", "trace=pwrite64", "-e", `inject=pwrite64:${fault}`];
  const child = spawn("strace", ["-f", "-p", String(pid), ...inject, "-o", "/dev/null"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  await attached(child);
  const exited = new Promise((resolve) => child.once("exit", resolve));
  return async () => {
    child.kill("SIGINT");
    await exited;
  };
}

function attached(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("exit", () => reject(new Error("strace ended")));
    child.stderr!.on("data", (bytes: Buffer) => {
      if (bytes.toString().includes("attached")) resolve();
    });
  });
}

function run(command: string, ...args: readonly string[]): string {
  return execFileSync(command, args, { encoding: "utf8", stdio: "pipe" });
}
