/**
 * Whether a path still leads to the file it led to. A process may go on writing to a file that was
 * deleted, or whose directory was renamed or replaced: the system takes the bytes, and nobody finds
 * them again.
 */
import { fstatSync } from "node:fs";
import { stat } from "node:fs/promises";
import { codeOf } from "./faults.ts";

/** A file or directory that is no longer where it was opened. */
export interface MissingFile {
  /** In words that go into a sentence, such as "the directory of the journal". */
  readonly what: string;
  /** For the log of the server, not for clients. */
  readonly path: string;
}

/**
 * Tells it if nothing is at `path`, or something else than `file`, a descriptor. The two are asked
 * about now, because some file systems number a file anew when nobody has it open.
 */
export async function missingAt(
  path: string,
  file: number | undefined,
  what: string,
): Promise<MissingFile | undefined> {
  try {
    const found = await stat(path);
    if (file === undefined) return undefined;
    const { dev, ino } = fstatSync(file);
    return found.dev === dev && found.ino === ino ? undefined : { what, path };
  } catch (error) {
    // Any other failure tells nothing about where the file is.
    const code = codeOf(error);
    return code === "ENOENT" || code === "ENOTDIR" ? { what, path } : undefined;
  }
}
