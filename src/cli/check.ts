/**
 * `orrery check`: looks for damage in a data directory that no server has open, or in a backup, and
 * changes nothing.
 *
 * The embedded engine trusts its file and may take the process down with it, so the directory is
 * read in a process of its own (`--inside`); if that ends without a word, this is what there is to
 * say. A backup is proven by its checksums, unpacked beside its file, and then read likewise.
 */

import { spawn } from "node:child_process";
import { rmSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { shortBytesText } from "../base/wording.ts";
import { withDataDirectory } from "../server/directory/dataDirectory.ts";
import { lockData, lookAtLock } from "../server/directory/lockData.ts";
import { Unusable, withReason } from "../server/directory/reason.ts";
import { BadOption } from "../server/surroundings/options.ts";
import { extractBackup, verifyBackup } from "./check/extract.ts";
import type { CheckOutcome } from "./check/inside.ts";
import { checkInside, outcomeText } from "./check/inside.ts";
import type { Environment } from "./connect/serverOptions.ts";
import { CommandFailure } from "./terminal/failure.ts";
import { ProgressLine } from "./terminal/progressLine.ts";

export const CHECK_HELP: string = `usage: orrery check <directory|file> [options]

Looks for damage in a data directory that no server has open, or in a backup, and changes nothing:
the frames of the journal, the entries of the tables, then for each container its partition map,
its items and where they are kept, their terms, log, tallies and counters, unique keys and kept
versions.

  --quick                  journal, catalogue and counters only, without reading the items; of a
                           backup only its checksums
  --json                   the outcome as one line of JSON
  --help                   this text

Each finding is one line with its place. Ends with 0 when there is no damage, with 1 when there is,
with 2 when nothing could be checked: an option makes no sense, nothing is there, or a server has it
open.
`;

interface CheckOptions {
  readonly isQuick: boolean;
  readonly isJson: boolean;
}

export async function runCheck(args: string[], environment: Environment): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      quick: { type: "boolean" },
      json: { type: "boolean" },
      inside: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) {
    process.stdout.write(CHECK_HELP);
    return;
  }
  const [named, extra] = positionals;
  if (named === undefined) throw new BadOption("Name a data directory or the file of a backup.");
  if (extra !== undefined) throw new BadOption(`'${extra}' is one word too many.`);
  const path = resolve(named);
  const options = { isQuick: values.quick === true, isJson: values.json === true };
  if (values.inside === true) {
    process.exitCode = await checkInside(path, options, new ProgressLine(environment));
    return;
  }
  const kind = await withReason({ what: "What is to be checked,", path }, () => kindOf(path));
  if (kind === "directory") await checkDirectory(path, options);
  else {
    const progress = new ProgressLine(environment);
    const backup = { what: "The backup", path };
    await withReason(backup, () => checkBackup(path, options, progress));
  }
}

async function kindOf(path: string): Promise<"directory" | "file"> {
  const found = statSync(path);
  if (found.isDirectory()) return "directory";
  if (found.isFile()) return "file";
  throw new Unusable("it is neither a directory nor a file");
}

async function checkDirectory(directory: string, options: CheckOptions): Promise<void> {
  const release = await withDataDirectory(directory, () => lockIfPossible(directory));
  try {
    process.exitCode = await checkApart(directory, options);
  } finally {
    release();
  }
}

/** Where we cannot write, a lock has no place; somebody else may be able to, and have it open. */
async function lockIfPossible(directory: string): Promise<() => void> {
  try {
    const lock = await lockData(directory);
    return () => lock.release();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "EROFS" && code !== "EACCES" && code !== "EPERM") throw error;
    return lookAtLock(directory);
  }
}

async function checkBackup(
  file: string,
  options: CheckOptions,
  progress: ProgressLine,
): Promise<void> {
  const onBytes = (done: number, total: number): void =>
    progress.show(() => `checksums: ${shortBytesText(done)} of ${shortBytesText(total)}`);
  if (options.isQuick) {
    const { digest } = await proven(file, options, () => verifyBackup(file, onBytes));
    progress.clear();
    const outcome = { damageCount: 0, findings: [], digest };
    process.stdout.write(outcomeText(outcome, options.isJson));
    return;
  }
  const folder = await mkdtemp(join(dirname(file), ".orrery-check-"));
  const removeAtExit = (): void => rmSync(folder, { recursive: true, force: true });
  // A reader who has seen enough ends the process.
  process.once("exit", removeAtExit);
  try {
    await proven(file, options, () => extractBackup(file, folder, onBytes));
    progress.clear();
    process.exitCode = await checkApart(folder, options);
  } finally {
    process.off("exit", removeAtExit);
    await rm(folder, { recursive: true, force: true });
  }
}

/** In JSON a backup whose checksums are wrong is an outcome like any other. */
async function proven<T>(
  file: string,
  { isJson }: CheckOptions,
  prove: () => Promise<T>,
): Promise<T> {
  try {
    return await prove();
  } catch (error) {
    if (isJson && error instanceof CommandFailure) {
      process.stdout.write(outcomeText(oneDamage(file, error.message), isJson));
    }
    throw error;
  }
}

/** Resolves with the exit code. */
async function checkApart(directory: string, { isQuick, isJson }: CheckOptions): Promise<number> {
  const args = [
    ...process.execArgv,
    process.argv[1]!,
    "check",
    directory,
    "--inside",
    ...(isQuick ? ["--quick"] : []),
    ...(isJson ? ["--json"] : []),
  ];
  // An interruption is for both; this process waits, to clean up after the other.
  const ignore = (): void => undefined;
  process.on("SIGINT", ignore);
  const child = spawn(process.execPath, args, { stdio: "inherit" });
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>(
    (ended, failed) => {
      child.once("error", failed);
      child.once("exit", (...how) => ended(how));
    },
  );
  process.removeListener("SIGINT", ignore);
  if (signal === "SIGINT" || signal === "SIGTERM") throw new CommandFailure("Interrupted.");
  if (signal === null) return code ?? 1;
  const text = `the embedded engine ended with ${signal} while it read them: they are damaged`;
  process.stdout.write(outcomeText(oneDamage("tables", text), isJson));
  return 1;
}

function oneDamage(place: string, text: string): CheckOutcome {
  return { damageCount: 1, findings: [{ kind: "damage", place, text }] };
}
