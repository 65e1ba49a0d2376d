/**
 * Who holds a data directory, as its lock file tells it, and what can be known of that holder from
 * here.
 *
 * A process is told apart from every other by its number, when it started, the pid namespace in
 * which it has that number, and the boot of the machine. A number from another namespace means
 * nothing here: about such a holder only the kernel's lock can tell, or its beats.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** A process, as it is known on its machine. */
export interface ProcessIdentity {
  readonly pid: number;
  /** As the system tells it; see `startOf`. */
  readonly startedAt: string;
  /** Of the running kernel; empty where the system has none. */
  readonly boot: string;
  /** In which `pid` is a process; empty where the system has none. */
  readonly namespace: string;
  readonly host: string;
}

export interface Holder extends ProcessIdentity {
  /** Tells two servers of one process apart. */
  readonly nonce: string;
  /** The kernel keeps the lock file locked for as long as the holder runs. */
  readonly isKernelHeld: boolean;
  /** The holder changes its lock file every second for as long as it runs. */
  readonly beats: boolean;
}

/** What versions before the kernel's lock have written. */
export interface FormerHolder {
  readonly pid: number;
  readonly startedAt: string;
}

export function ownIdentity(): ProcessIdentity {
  return {
    pid: process.pid,
    startedAt: startOf(process.pid) ?? "",
    boot: readOrUndefined("/proc/sys/kernel/random/boot_id")?.trim() ?? "",
    namespace: ownNamespace(),
    host: hostname(),
  };
}

/**
 * The text of a lock file. Every beat has as many bytes as the one before it, so that nobody reads
 * half of two.
 */
export function holderText(holder: Holder, beat: number): string {
  return JSON.stringify({ ...holder, beat: String(beat).padStart(12, "0") });
}

/** Undefined for a text that names nobody, as a power cut may leave one. */
export function parseHolder(text: string): Holder | FormerHolder | undefined {
  try {
    const found = JSON.parse(text) as Partial<Holder> | null;
    if (typeof found?.pid !== "number" || typeof found.startedAt !== "string") return undefined;
    return found as Holder | FormerHolder;
  } catch {
    return undefined;
  }
}

/** False for a holder of a former version, which says less of itself. */
export function isFullyNamed(holder: Holder | FormerHolder): holder is Holder {
  return "isKernelHeld" in holder;
}

/** On the same kernel. Without a number of the boot, a machine is told by its name. */
export function isSameBoot(holder: ProcessIdentity, self: ProcessIdentity): boolean {
  return holder.boot === self.boot && (self.boot !== "" || holder.host === self.host);
}

/** Whether a process of this namespace runs. One that has ended and was not yet reaped does not. */
export function isRunning({ pid, startedAt }: FormerHolder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    const isForeign = error instanceof Error && "code" in error && error.code === "EPERM";
    if (!isForeign) return false;
  }
  if (hasEnded(pid)) return false;
  const start = startOf(pid);
  return start === startedAt || start === "" || startedAt === "";
}

/**
 * A process that was killed stays listed until its parent asks for it. Its threads end one by one;
 * as long as one of them is left, a write may be under way.
 */
function hasEnded(pid: number): boolean {
  let threads: readonly string[];
  try {
    threads = readdirSync(`/proc/${pid}/task`);
  } catch {
    return false;
  }
  const states = threads.map((thread) => fieldsOf(`/proc/${pid}/task/${thread}/stat`)?.[0]);
  return states.length > 0 && states.every((state) => state === "Z" || state === "X");
}

/**
 * When a process started, in ticks since the machine did. Where there is no such file, a process
 * that answers to the number is taken for the holder, except this one.
 */
function startOf(pid: number): string | undefined {
  const fields = fieldsOf(`/proc/${pid}/stat`);
  if (fields === undefined) return pid === process.pid ? String(performance.timeOrigin) : "";
  return fields[19];
}

/** What follows the name of a process, which is in parentheses and may hold spaces. */
function fieldsOf(statPath: string): readonly string[] | undefined {
  const stat = readOrUndefined(statPath);
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function ownNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

function readOrUndefined(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
