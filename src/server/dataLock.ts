/**
 * One process per data directory. The lock is a file that names its holder; a holder that no longer
 * runs holds nothing, so a killed server never blocks the next one.
 *
 * A process id alone is not enough to tell a holder that died from another program that got the
 * same number (in a container every server is process 1), so the lock also says when its process
 * started.
 */
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Holder {
  readonly pid: number;
  /** As the system tells it; see `startOf`. */
  readonly startedAt: string;
  /** Tells two servers of one process apart. */
  readonly nonce: string;
}

export class DataLocked extends Error {
  override readonly name = "DataLocked";
}

/** Takes the lock or throws `DataLocked`, naming the holder. Returns what gives it back. */
export function lockData(directory: string, nonce: string): () => void {
  const path = join(directory, "lock");
  const self: Holder = { pid: process.pid, startedAt: startOf(process.pid) ?? "", nonce };
  const own = JSON.stringify(self);
  const draft = `${path}.${process.pid}.${nonce}`;
  writeFileSync(draft, own, { mode: 0o600 });
  try {
    // Linking fails if the name is taken: of two that come at once, one gets it.
    for (let attempt = 0; !tryLink(draft, path); attempt++) {
      const text = readOrUndefined(path);
      if (text === undefined) continue;
      const holder = parseHolder(text);
      if ((holder !== undefined && isRunning(holder)) || attempt > 10) {
        throw new DataLocked(
          `The data directory ${directory} is in use by process ${holder?.pid ?? "unknown"}. ` +
            "Stop that server first, or choose another directory with --data.",
        );
      }
      removeStale(path, text, nonce);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  return () => {
    if (readOrUndefined(path) === own) rmSync(path, { force: true });
  };
}

function tryLink(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** Renames before it removes: if somebody else was faster, what was moved is theirs. */
function removeStale(path: string, staleText: string, nonce: string): void {
  const aside = `${path}.stale.${process.pid}.${nonce}`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  if (readOrUndefined(aside) !== staleText) tryLink(aside, path);
  rmSync(aside, { force: true });
}

function isRunning({ pid, startedAt }: Holder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    const isForeign = error instanceof Error && "code" in error && error.code === "EPERM";
    if (!isForeign) return false;
  }
  const start = startOf(pid);
  return start === startedAt || start === "" || startedAt === "";
}

/**
 * When a process started, in ticks since the machine did. Where there is no such file, a process
 * that answers to the number is taken for the holder, except this one.
 */
function startOf(pid: number): string | undefined {
  const stat = readOrUndefined(`/proc/${pid}/stat`);
  if (stat === undefined) return pid === process.pid ? String(performance.timeOrigin) : "";
  // The name in parentheses may hold spaces; the start is the 20th field after it.
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
}

function parseHolder(text: string): Holder | undefined {
  try {
    const holder = JSON.parse(text) as Partial<Holder>;
    return typeof holder.pid === "number" ? (holder as Holder) : undefined;
  } catch {
    return undefined;
  }
}

function readOrUndefined(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
