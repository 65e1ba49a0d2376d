/**
 * The tables of a directory that must stay as it is. Opening an environment of the embedded engine
 * makes a lock file beside its data, even for a reader; so it is opened through a folder of its own
 * in the system's place for temporary ones, which has a link to the data and takes the lock file.
 *
 * The engine trusts its pages: from a damaged file it may take the whole process down. Whoever
 * looks for damage does that in a process that may end.
 */
import { copyFileSync, existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { LmdbEnvironment } from "./environment.ts";
import { openEnvironment } from "./environment.ts";
import { LmdbBottom } from "./lmdbBottom.ts";

const DATA_FILE = "data.mdb";

export interface ReadOnlyTables {
  readonly environment: LmdbEnvironment;
  readonly bottom: LmdbBottom;
  close(): Promise<void>;
}

/** `undefined` when there are none. Nobody may write to them meanwhile. */
export function openReadOnlyTables(directory: string): ReadOnlyTables | undefined {
  const data = join(resolve(directory), DATA_FILE);
  if (!existsSync(data)) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "orrery-tables-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    linkOrCopy(data, join(folder, DATA_FILE));
    const environment = openEnvironment(folder, true);
    removeEarly(remove);
    const bottom = LmdbBottom.reading(directory, environment);
    const close = async (): Promise<void> => {
      await bottom.close();
      remove();
    };
    return { environment, bottom, close };
  } catch (error) {
    remove();
    throw error;
  }
}

/**
 * What is open needs no name, and a process that the engine takes down tidies nothing up. Windows
 * disagrees; there the folder goes when the tables are closed.
 */
function removeEarly(remove: () => void): void {
  try {
    remove();
  } catch {
    // Later then.
  }
}

/** Not every system lets everybody make links. */
function linkOrCopy(data: string, link: string): void {
  try {
    symlinkSync(data, link);
  } catch {
    copyFileSync(data, link);
  }
}
