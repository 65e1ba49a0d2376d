/**
 * `orrery restore`: makes a data directory of a backup. The files are written beside where they
 * belong and proven first; the directory gets them when all are there and on disk, so a backup that
 * is damaged leaves the directory as it was.
 */

import { accessSync, constants, existsSync, statSync } from "node:fs";
import { mkdir, readdir, rename, rm, rmdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { shortBytesText } from "../base/wording.ts";
import type { CheckReport } from "../server/admin/backupCheck.ts";
import { checkData } from "../server/admin/backupCheck.ts";
import { makeDataDirectory, withDataDirectory } from "../server/directory/dataDirectory.ts";
import { lockData } from "../server/directory/lockData.ts";
import { Unusable, withReason } from "../server/directory/reason.ts";
import { BadOption } from "../server/surroundings/options.ts";
import { JOURNAL_FOLDER, TABLES_FOLDER } from "../store/dataLayout.ts";
import { syncDirectory } from "../store/disk.ts";
import { contentsText } from "./check/contentsText.ts";
import type { ReadBackup } from "./check/extract.ts";
import { extractBackup } from "./check/extract.ts";
import type { Environment } from "./connect/serverOptions.ts";
import { CommandFailure } from "./terminal/failure.ts";
import { ProgressLine } from "./terminal/progressLine.ts";

export const RESTORE_HELP: string = `usage: orrery restore <file> --data <directory>

Makes a data directory of a backup, for \`orrery start --data <directory>\`. The directory must be
empty, or not be there. All checksums are verified before anything gets its place; then the
directory is opened once, and the command says what is in it.

  --data <directory>       where the data goes
  --help                   this text

Ends with 0 when it was done, with 1 when it could not be, with 2 when an option makes no sense.
`;

/** Where the files are until all are there, in the data directory. */
const RESTORE_FOLDER = "restore.tmp";

export async function runRestore(args: string[], environment: Environment): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { data: { type: "string" }, help: { type: "boolean", short: "h" } },
  });
  if (values.help === true) {
    process.stdout.write(RESTORE_HELP);
    return;
  }
  const [file, extra] = positionals;
  if (file === undefined) throw new BadOption("Name the file of the backup.");
  if (extra !== undefined) throw new BadOption(`'${extra}' is one word too many.`);
  if (values.data === undefined) throw new BadOption("Say where the data goes, with --data.");
  if (values.data === "") throw new BadOption("--data is no path; it names a directory.");
  const backup = { what: "The backup", path: resolve(file) };
  await withReason(backup, async () => {
    if (!statSync(backup.path).isFile()) throw new Unusable("it is not a file");
    accessSync(backup.path, constants.R_OK);
  });
  const directory = resolve(values.data);
  const progress = new ProgressLine(environment);
  const { read, report } = await withDataDirectory(directory, () =>
    restored(file, directory, progress),
  );
  progress.clear();
  process.stdout.write(restoredText(file, directory, read, report));
  const damage = report.findings.filter(({ kind }) => kind === "damage");
  for (const { place, text } of damage) process.stderr.write(`damage  ${place}: ${text}\n`);
  if (damage.length === 0) return;
  throw new CommandFailure(
    "The backup was restored as it is, but what was backed up was damaged. `orrery check` tells " +
      "more.",
  );
}

async function restored(
  file: string,
  directory: string,
  progress: ProgressLine,
): Promise<{ readonly read: ReadBackup; readonly report: CheckReport }> {
  const isNew = !existsSync(directory);
  await makeDataDirectory(directory);
  const lock = await lockData(directory);
  const folder = join(directory, RESTORE_FOLDER);
  let isDone = false;
  try {
    await checkEmpty(directory);
    // What a restore has left that was ended in the middle.
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { mode: 0o700 });
    const read = await extractBackup(file, folder, (done, total) =>
      progress.show(() => `${shortBytesText(done)} of ${shortBytesText(total)}`),
    );
    await putInPlace(folder, directory);
    isDone = true;
    const ignore = (): void => undefined;
    const quick = { isQuick: true, onFinding: ignore, onProgress: ignore };
    return { read, report: await checkData(directory, quick) };
  } finally {
    await rm(folder, { recursive: true, force: true });
    lock.release();
    if (isNew && !isDone) await rmdir(directory).catch(() => undefined);
  }
}

async function checkEmpty(directory: string): Promise<void> {
  const names = (await readdir(directory)).filter(
    (name) => name !== RESTORE_FOLDER && name !== "lock" && !name.startsWith("lock."),
  );
  if (names.length === 0) return;
  throw new CommandFailure(
    `${directory} is not empty: it holds ${names.slice(0, 3).join(", ")}` +
      `${names.length > 3 ? " and more" : ""}. Name an empty directory, or one that is not there.`,
  );
}

/**
 * The journal first: a directory with tables and without their journal would open and lack what was
 * written last, one with a journal and without its tables is refused.
 */
async function putInPlace(folder: string, directory: string): Promise<void> {
  const found = await readdir(folder);
  // A backup of a store that was just opened may have no segment.
  if (!found.includes(JOURNAL_FOLDER)) await mkdir(join(folder, JOURNAL_FOLDER), { mode: 0o700 });
  for (const name of [JOURNAL_FOLDER, TABLES_FOLDER]) {
    await rename(join(folder, name), join(directory, name));
    await syncDirectory(directory);
  }
  await syncDirectory(dirname(directory));
}

function restoredText(
  file: string,
  directory: string,
  { manifest, digest }: ReadBackup,
  { contents }: CheckReport,
): string {
  const at = new Date(manifest.at).toISOString();
  return (
    `Restored ${file} to ${directory}.\nIt was taken at ${at} by version ${manifest.version}; ` +
    `SHA-256 ${digest}, verified.\n${contents === undefined ? "" : contentsText(contents)}`
  );
}
