/**
 * What needs a process of its own: the driver, which is traced, and the judge, which a damaged file
 * may end. Both are bundled from the sources on the spot, beside the absorber's thread as it was
 * built.
 */
import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Question, Verdict } from "./judge.ts";
import type { Expectation } from "./ledger.ts";
import type { FoundDisk } from "./tracedDisk.ts";

const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));
/** Under the repository's modules, where the engine is found by its name. */
const SCRATCH = join(REPOSITORY, "node_modules/.cache");

/** Resolves with the directory that has `driver.mjs` and `judge.mjs`; to be removed afterwards. */
export async function bundlePrograms(): Promise<string> {
  await mkdir(SCRATCH, { recursive: true });
  const directory = await mkdtemp(join(SCRATCH, "orrery-power-cuts-"));
  await build({
    absWorkingDir: REPOSITORY,
    entryPoints: { driver: "test/powerCuts/driver.ts", judge: "test/powerCuts/judge.ts" },
    outdir: directory,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    platform: "node",
    target: "node20",
    format: "esm",
    packages: "external",
    logLevel: "warning",
  });
  await cp(join(REPOSITORY, "dist/absorber.js"), join(directory, "absorber.js"));
  return directory;
}

/** Asks one question at a time; a judge that fell over is replaced. */
export class Courtroom {
  readonly #program: string;
  readonly #root: string;
  #judge: ChildProcess | undefined;
  #count = 0;

  private constructor(program: string, root: string) {
    this.#program = program;
    this.#root = root;
  }

  /** `programs` as `bundlePrograms` has made them. */
  static async open(programs: string): Promise<Courtroom> {
    const root = await mkdtemp(join(tmpdir(), "orrery-cut-"));
    return new Courtroom(join(programs, "judge.mjs"), root);
  }

  async close(): Promise<void> {
    this.#judge?.kill("SIGKILL");
    await rm(this.#root, { recursive: true, force: true });
  }

  /**
   * What is wrong with what a cut has left, if anything is. `data` is the path of the data directory
   * inside of it.
   */
  async problemOf(
    disk: FoundDisk,
    data: string,
    expectation: Expectation,
  ): Promise<string | undefined> {
    const directory = join(this.#root, String(++this.#count));
    await mkdir(directory);
    const isHere = ([path]: readonly [string, unknown]): boolean => path.startsWith(`${data}/`);
    for (const [path, bytes] of [...disk].filter(isHere)) {
      const place = join(directory, path.slice(data.length + 1));
      if (bytes === undefined) await mkdir(place);
      else await writeFile(place, bytes);
    }
    if (expectation.isReady && !disk.has(data)) return "the data directory is gone";
    const problem = await this.#ask({ directory, expectation });
    await rm(directory, { recursive: true, force: true });
    return problem;
  }

  #ask(question: Question): Promise<string | undefined> {
    this.#judge ??= fork(this.#program, { stdio: ["ignore", "ignore", "ignore", "ipc"] });
    const judge = this.#judge;
    return new Promise((resolve) => {
      const settle = (problem: string | undefined): void => {
        judge.removeAllListeners();
        resolve(problem);
      };
      judge.once("message", ({ problem }: Verdict) => settle(problem));
      judge.once("exit", (code, signal) => {
        this.#judge = undefined;
        settle(`the process that opened it ended with ${signal ?? code}`);
      });
      judge.send(question);
    });
  }
}
