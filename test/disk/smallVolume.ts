/**
 * A small file system of our own, in memory, to be filled up, enlarged and taken away. Needs the
 * rights of an administrator; where mounting is not allowed, `canMount` says so.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MEBIBYTE = 1024 * 1024;

export class SmallVolume implements Disposable {
  readonly directory: string;
  #isMounted = true;
  #fillerCount = 0;

  constructor(mebibytes: number) {
    this.directory = mkdtempSync(join(tmpdir(), "orrery-volume-"));
    run("mount", "-t", "tmpfs", "-o", `size=${mebibytes}m`, "none", this.directory);
  }

  get data(): string {
    return join(this.directory, "data");
  }

  get freeBytes(): number {
    const { bsize, bavail } = statfsSync(this.directory);
    return bsize * bavail;
  }

  /** Takes all room but `leftBytes`, as another program would; who writes meanwhile is faster. */
  fill(leftBytes = 0): void {
    const bytes = this.freeBytes - leftBytes;
    if (bytes <= 0) return;
    try {
      writeFileSync(join(this.directory, `filler${this.#fillerCount++}`), Buffer.alloc(bytes));
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
    }
  }

  /** Gives that room back. */
  empty(): void {
    run("sh", "-c", `rm -f "${this.directory}"/filler*`);
  }

  resize(mebibytes: number): void {
    run("mount", "-o", `remount,size=${mebibytes}m`, this.directory);
  }

  /** Away from its path at once, although files in it are open. */
  detach(): void {
    if (this.#isMounted) run("umount", "-l", this.directory);
    this.#isMounted = false;
  }

  [Symbol.dispose](): void {
    this.detach();
    rmSync(this.data, { recursive: true, force: true });
    rmdirSync(this.directory);
  }
}

export function canMount(): boolean {
  try {
    new SmallVolume(1)[Symbol.dispose]();
    return true;
  } catch {
    return false;
  }
}

export function mebibytes(count: number): number {
  return count * MEBIBYTE;
}

function run(command: string, ...args: readonly string[]): void {
  execFileSync(command, args, { stdio: "pipe" });
}
