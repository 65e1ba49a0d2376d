/**
 * Why the system would not let us use a file or a directory, in words for whoever named it: one
 * line, with the path and the reason, as a `BadOption`.
 */
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { getSystemErrorName } from "node:util";
import { BadOption } from "../surroundings/options.ts";

/** What is wrong with a path, found without the system's help. */
export class Unusable extends Error {
  override readonly name = "Unusable";
}

/** A path that somebody named, and what for: "The data directory". */
interface NamedPath {
  readonly what: string;
  readonly path: string;
}

/**
 * Does something with what the path names. What the system says about that place becomes a
 * `BadOption` with the path and the reason; everything else is thrown as it is.
 */
export async function withReason<T>(
  { what, path }: NamedPath,
  action: () => Promise<T>,
): Promise<T> {
  try {
    return await action();
  } catch (error) {
    const reason = reasonOf(error, path);
    if (reason === undefined) throw error;
    throw new BadOption(`${what} ${shown(path)} cannot be used: ${reason}.`, { cause: error });
  }
}

/** A path may hold anything; a line may not. */
export function shown(path: string): string {
  return path.replace(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1));
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "the system does not permit it",
  EROFS: "its file system is read-only",
  ENOSPC: "no space is left on its disk",
  EDQUOT: "the disk quota is used up",
  ENAMETOOLONG: "its path is too long",
  ELOOP: "its symbolic links lead round in a circle",
  ENOTDIR: "something is a file where a directory belongs",
  EEXIST: "something is a file where a directory belongs",
  EISDIR: "something is a directory where a file belongs",
  EIO: "its disk reports an error",
  ESTALE: "its file system has lost it",
  ENOTCONN: "its file system does not answer",
  EHOSTDOWN: "its file system does not answer",
  ETIMEDOUT: "its file system does not answer",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  ENOTSUP: "its file system lacks what is needed",
  EOPNOTSUPP: "its file system lacks what is needed",
};

/** Undefined for what is not about that path. */
function reasonOf(error: unknown, named: string): string | undefined {
  if (error instanceof Unusable) return error.message;
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  // The embedded engine has the system's number and no path: it has its files in this place only.
  if (typeof error.code === "number") return `tables: ${engineReason(error.code, error.message)}`;
  const at = "path" in error && typeof error.path === "string" ? error.path : undefined;
  if (typeof error.code !== "string" || at === undefined || !isNear(at, named)) return undefined;
  if (error.code === "ENOENT") return missing(at, named);
  const reason = REASONS[error.code] ?? error.message;
  return at === named || isPassing(at) ? reason : `${reason} (${shown(at)})`;
}

function engineReason(code: number, message: string): string {
  const reason = code > 0 ? REASONS[getSystemErrorName(-code)] : undefined;
  return reason === undefined ? message : `${reason} (${message})`;
}

function missing(at: string, named: string): string {
  if (at === named) return "it does not exist";
  const above = dirname(at);
  return existsSync(above)
    ? "its file system takes no new files"
    : `${shown(above)} does not exist`;
}

/** In that place, or on the way to it. */
function isNear(at: string, named: string): boolean {
  const [place, root] = [resolve(at), resolve(named)];
  return place.startsWith(root) || root.startsWith(place);
}

/** Names that we make for a moment tell a user nothing. */
function isPassing(path: string): boolean {
  return /[/\\]lock\.[^/\\]*$|\.tmp$/.test(path);
}
