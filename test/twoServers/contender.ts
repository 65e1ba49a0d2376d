/**
 * A server that asks for a data directory in a process of its own, perhaps in a pid namespace of
 * its own, by any path, and with or without the package that knows the kernel's lock. It gets the
 * directory or is refused; either is an outcome.
 */
import type { ChildProcess } from "node:child_process";
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Server } from "../crash/serverProcess.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CLI = join(ROOT, "dist", "cli.js");
const KERNEL_LOCK_PACKAGE = "fs-native-extensions";

export interface ContenderOptions {
  /** In a pid namespace of its own, where every server is process 1. */
  readonly isApart?: boolean;
  /** A command line of the shell that is run first, in namespaces of its own for both. */
  readonly mounts?: string;
  /** Behind a shell, in a namespace of its own: there it is not process 1. */
  readonly isBehindShell?: boolean;
  /** Another installation of the command. */
  readonly cli?: string;
}

export interface Winner extends Server {
  readonly kind: "ready";
  /** SIGSTOP and SIGCONT. */
  stop(): void;
  resume(): void;
}

export interface Loser {
  readonly kind: "refused";
  readonly code: number | null;
  readonly complaints: string;
}

type Outcome = Winner | Loser;

/** Ask once, before anything: not every machine lets a test make namespaces. */
export const CAN_MAKE_NAMESPACES: boolean =
  process.platform === "linux" &&
  spawnSync("unshare", ["--mount", "--pid", "--fork", "--mount-proc", "true"]).status === 0;

const running = new Set<ChildProcess>();

/** For the end of a test, however it ended. */
export function endContenders(): void {
  for (const child of running) child.kill("SIGKILL");
  running.clear();
}

export function contend(data: string, options: ContenderOptions = {}): Promise<Outcome> {
  const [command, ...args] = commandLine(data, options);
  const child = spawn(command!, args, { stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  return outcomeOf(child);
}

/** The same, where anything but the directory is a failure of the test. */
export async function winner(data: string, options: ContenderOptions = {}): Promise<Winner> {
  const outcome = await contend(data, options);
  if (outcome.kind === "ready") return outcome;
  throw new Error(`refused with ${outcome.code}: ${outcome.complaints}`);
}

/** An installation without the package, as on machines for which it has no binary. */
export function installWithoutKernelLock(folder: string): string {
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  cpSync(join(ROOT, "dist"), join(folder, "dist"), { recursive: true });
  cpSync(join(ROOT, "package.json"), join(folder, "package.json"));
  for (const name of readdirSync(join(ROOT, "node_modules"))) {
    if (name === KERNEL_LOCK_PACKAGE || name.startsWith(".")) continue;
    symlinkSync(join(ROOT, "node_modules", name), join(folder, "node_modules", name));
  }
  return join(folder, "dist", "cli.js");
}

function commandLine(data: string, options: ContenderOptions): string[] {
  const { isApart, isBehindShell, mounts, cli = CLI } = options;
  if (!existsSync(cli)) throw new Error("dist/cli.js is missing: run `npm run build` first");
  const args = ["start", "--json", "--port", "0", "--data", data, "--no-rate-limit"];
  const server = [process.execPath, cli, ...args];
  // With the outer process the inner one is killed, which is process 1 of its namespace.
  const apart = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child=SIGKILL"];
  if (mounts !== undefined)
    return [...apart, "sh", "-c", `${mounts} && exec "$@"`, "sh", ...server];
  if (isBehindShell === true) return [...apart, "sh", "-c", '"$@"; exit $?', "sh", ...server];
  return isApart === true ? [...apart, ...server] : server;
}

/** The server itself, where it was started by way of others. */
function innermost(pid: number): number {
  if (!CAN_MAKE_NAMESPACES) return pid;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return children === "" ? pid : innermost(Number(children.split(" ")[0]));
}

function outcomeOf(child: ChildProcess): Promise<Outcome> {
  let [output, complaints] = ["", ""];
  const exited = new Promise<number | null>((resolve) =>
    child.once("close", (code) => {
      running.delete(child);
      resolve(code);
    }),
  );
  child.stderr!.on("data", (bytes: Buffer) => {
    complaints += bytes.toString();
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    void exited.then((code) => resolve({ kind: "refused", code, complaints }));
    child.stdout!.on("data", (bytes: Buffer) => {
      output += bytes.toString();
      const end = output.indexOf("\n");
      if (end < 0) return;
      const { endpoint, key } = JSON.parse(output.slice(0, end)) as Server;
      // What starts a namespace passes no signal on, but takes the inside along when it is killed.
      const tell = (signal: NodeJS.Signals): void => {
        process.kill(innermost(child.pid!), signal);
      };
      resolve({
        kind: "ready",
        endpoint,
        key,
        openMs: 0,
        pid: child.pid!,
        kill: async () => {
          child.kill("SIGKILL");
          await exited;
        },
        end: () => {
          tell("SIGTERM");
          return exited;
        },
        stop: () => tell("SIGSTOP"),
        resume: () => tell("SIGCONT"),
        complaints: () => complaints,
      });
    });
  });
}
