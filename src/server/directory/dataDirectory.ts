/**
 * A data directory that is there, or one sentence with its path and the reason why it is not.
 *
 * Directories are made one by one: node's own way of making a whole path never comes back from
 * file systems that take no directories, such as /proc. The name of each is made durable in the
 * directory above it: what is acknowledged must be found again after a power cut.
 */
import { lstatSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { syncDirectory } from "../../store/disk.ts";
import { isCode } from "./lockFile.ts";
import { shown, Unusable, withReason } from "./reason.ts";

/** Makes the directory and what is missing above it, or throws a `BadOption` that says why. */
export function makeDataDirectory(directory: string): Promise<void> {
  return withDataDirectory(directory, async () => {
    for (const made of makeMissing(directory, directory)) await syncDirectory(dirname(made));
  });
}

/** For commands that read a directory which has to be there. */
export function findDataDirectory(directory: string): Promise<void> {
  return withDataDirectory(directory, async () => {
    if (!isDirectory(directory, directory)) throw new Unusable("it does not exist");
  });
}

/** Does something with it; what the system says about its files is told with its path. */
export function withDataDirectory<T>(
  directory: string | undefined,
  action: () => Promise<T>,
): Promise<T> {
  if (directory === undefined) return action();
  return withReason({ what: "The data directory", path: directory }, action);
}

/** Returns those it made, uppermost first. */
function makeMissing(directory: string, asked: string): readonly string[] {
  if (isDirectory(directory, asked)) return [];
  const above = makeMissing(dirname(directory), asked);
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    // Somebody else may have come first.
    if (isCode(error, "EEXIST") && isDirectory(directory, asked)) return above;
    if (isCode(error, "ENOENT")) throw new Unusable("its file system takes no new directories");
    throw error;
  }
  return [...above, directory];
}

/** False when nothing is there. Throws for anything that is there and is no directory. */
function isDirectory(path: string, asked: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return true;
  if (found !== undefined) throw new Unusable(`${nameOf(path, asked)} is not a directory`);
  const named = lstatSync(path, { throwIfNoEntry: false });
  if (named === undefined) return false;
  throw new Unusable(`${nameOf(path, asked)} is a symbolic link to what does not exist`);
}

function nameOf(path: string, asked: string): string {
  return path === asked ? "it" : shown(path);
}
