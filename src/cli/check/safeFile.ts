/**
 * A file that is there whole or not at all: written under a temporary name in the same directory,
 * synced, and only then given its own. Another file of that name is not overwritten unasked.
 */
import { statSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { link, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Unusable } from "../../server/directory/reason.ts";
import { syncDirectory } from "../../store/disk.ts";
import { CommandFailure } from "../terminal/failure.ts";

export class SafeFile {
  readonly #path: string;
  readonly #temporary: string;
  readonly #isForced: boolean;
  readonly #handle: FileHandle;

  /** Throws a `CommandFailure` when the name is taken, and what the system says. */
  static async open(path: string, isForced: boolean): Promise<SafeFile> {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory() === true) throw new Unusable("it is a directory");
    if (!isForced && found !== undefined) throw taken(path);
    const temporary = `${path}.${process.pid}.tmp`;
    return new SafeFile(path, temporary, isForced, await open(temporary, "wx", 0o600));
  }

  private constructor(path: string, temporary: string, isForced: boolean, handle: FileHandle) {
    this.#path = path;
    this.#temporary = temporary;
    this.#isForced = isForced;
    this.#handle = handle;
  }

  async write(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      at += (await this.#handle.write(bytes, at)).bytesWritten;
    }
  }

  /** Gives the file its name. */
  async publish(): Promise<void> {
    await this.#handle.sync();
    await this.#handle.close();
    if (this.#isForced) await rename(this.#temporary, this.#path);
    else await this.#linkOrRename();
    await syncDirectory(dirname(this.#path));
  }

  async discard(): Promise<void> {
    await this.#handle.close();
    await rm(this.#temporary, { force: true });
  }

  /** Unlike a rename, a link never takes the place of a file that came in between. */
  async #linkOrRename(): Promise<void> {
    try {
      await link(this.#temporary, this.#path);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "EEXIST") throw taken(this.#path);
      await rename(this.#temporary, this.#path); // No links on this disk.
    }
    await rm(this.#temporary, { force: true });
  }
}

function taken(path: string): CommandFailure {
  return new CommandFailure(
    `There is a file ${path} already. Choose another name with --to, or overwrite it with --force.`,
  );
}
