/**
 * `orrery backup`: writes a backup of a running server, or of a directory that no server has open,
 * into one file. Every byte is checked on its way, and the file gets its name only when it is whole
 * and on disk.
 */

import { dirname, resolve } from "node:path";
import { parseArgs } from "node:util";
import { shortBytesText } from "../base/wording.ts";
import { checkData } from "../server/admin/backupCheck.ts";
import { findDataDirectory, withDataDirectory } from "../server/directory/dataDirectory.ts";
import { lockData } from "../server/directory/lockData.ts";
import { withReason } from "../server/directory/reason.ts";
import { BadOption } from "../server/surroundings/options.ts";
import { realClock } from "../server/surroundings/realWorld.ts";
import { VERSION } from "../server/surroundings/version.ts";
import { checkRoom, closedSnapshot, NoRoom } from "../store/backup/backup.ts";
import type { Manifest } from "../store/backup/backupArchive.ts";
import {
  ARCHIVE_FORMAT,
  ArchiveDamage,
  archiveBytesOf,
  readArchive,
  writeArchive,
} from "../store/backup/backupArchive.ts";
import { openDownload } from "./check/backupDownload.ts";
import { SafeFile } from "./check/safeFile.ts";
import type { Environment } from "./connect/serverOptions.ts";
import { accountOf, SERVER_HELP, SERVER_OPTIONS } from "./connect/serverOptions.ts";
import { CommandFailure } from "./terminal/failure.ts";
import { percentText } from "./terminal/liveTable.ts";
import { ProgressLine } from "./terminal/progressLine.ts";

export const BACKUP_HELP: string = `usage: orrery backup [options]

Writes a backup of a running server into one file, while the server goes on serving. Everything that
was acknowledged before the command began is in it, every commit whole or not at all. Keys and
certificates are not. \`orrery restore\` makes a data directory of it, \`orrery check\` checks it.

  --to <file>              where it goes (default: orrery-<date>-<time>.backup)
  --force                  overwrites a file of that name
  --data <directory>       backs up a directory that no server has open, instead of a server
${SERVER_HELP}\
Ends with 0 when the backup was written, with 1 when it could not be, with 2 when an option makes no
sense.
`;

/** Where the bytes of an archive come from. */
interface Source {
  readonly bytes: number;
  readonly stream: AsyncIterable<Buffer>;
}

export async function runBackup(args: string[], environment: Environment): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      ...SERVER_OPTIONS,
      to: { type: "string" },
      force: { type: "boolean" },
      data: { type: "string" },
    },
  });
  if (values.help === true) {
    process.stdout.write(BACKUP_HELP);
    return;
  }
  const server = values.endpoint ?? values.key ?? values["connection-string"];
  if (values.data !== undefined && server !== undefined) {
    throw new BadOption("--data is a directory without a server: it goes with no --endpoint.");
  }
  const path = resolve(values.to ?? defaultName());
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.once("SIGINT", interrupt);
  process.once("SIGTERM", interrupt);
  const progress = new ProgressLine(environment);
  const target = { what: "The file", path };
  const file = await withReason(target, () => SafeFile.open(path, values.force === true));
  const write = (source: Source): Promise<void> =>
    writeBackup(source, { file, path, progress, signal: stop.signal });
  try {
    if (values.data === undefined) {
      process.stderr.write("The server copies its tables.\n");
      await write(await openDownload(accountOf(values, environment), stop.signal));
    } else await backUpDirectory(resolve(values.data), write);
  } catch (error) {
    progress.clear();
    await file.discard();
    throw stop.signal.aborted ? new CommandFailure("Interrupted; nothing was written.") : error;
  } finally {
    process.removeListener("SIGINT", interrupt);
    process.removeListener("SIGTERM", interrupt);
  }
}

async function backUpDirectory(
  directory: string,
  write: (source: Source) => Promise<void>,
): Promise<void> {
  await findDataDirectory(directory);
  const lock = await withDataDirectory(directory, () => lockData(directory));
  try {
    const ignore = (): void => undefined;
    const quick = { isQuick: true, onFinding: ignore, onProgress: ignore };
    const { damageCount, findings } = await checkData(directory, quick);
    if (damageCount > 0) {
      const { place, text } = findings.find(({ kind }) => kind === "damage")!;
      throw new CommandFailure(
        `${directory} is damaged, and a backup would be, too. ${place}: ${text} ` +
          "`orrery check` tells more.",
      );
    }
    const { files, read } = await closedSnapshot(directory);
    const manifest = { format: ARCHIVE_FORMAT, version: VERSION, at: realClock.wallNow(), files };
    await write({ bytes: archiveBytesOf(manifest), stream: writeArchive(manifest, read) });
  } finally {
    lock.release();
  }
}

/** Writes what comes, and reads it at the same time: what is not right is not kept. */
async function writeBackup(
  { bytes, stream }: Source,
  {
    file,
    path,
    progress,
    signal,
  }: {
    readonly file: SafeFile;
    readonly path: string;
    readonly progress: ProgressLine;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  let [written, digest] = [0, ""];
  let manifest: Manifest | undefined;
  async function* kept(): AsyncGenerator<Buffer, void, undefined> {
    for await (const chunk of stream) {
      signal.throwIfAborted();
      await file.write(chunk);
      written += chunk.length;
      progress.show(
        () => `${shortBytesText(written)} of ${shortBytesText(bytes)}, ${share(written, bytes)} %`,
      );
      yield chunk;
    }
  }
  try {
    await checkRoom(dirname(path), bytes);
    for await (const piece of readArchive(kept())) {
      if (piece.kind === "manifest") manifest = piece.manifest;
      else if (piece.kind === "end") digest = piece.digest;
    }
  } catch (error) {
    throw failureOf(error, written, bytes);
  }
  await file.publish();
  progress.clear();
  const segmentCount = (manifest?.files.length ?? 1) - 1;
  process.stdout.write(
    `Wrote ${path}: ${shortBytesText(written)}, the tables and ${segmentCount} journal ` +
      `segment${segmentCount === 1 ? "" : "s"}.\nSHA-256 ${digest}, verified.\n`,
  );
}

function share(part: number, whole: number): string {
  return percentText(whole === 0 ? 1 : part / whole);
}

function failureOf(error: unknown, written: number, bytes: number): unknown {
  if (error instanceof NoRoom) return new CommandFailure(error.message);
  if (error instanceof ArchiveDamage) {
    return new CommandFailure(`What came is not right, and was not kept: ${error.message}.`);
  }
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code !== "ECONNRESET" && code !== "ERR_STREAM_PREMATURE_CLOSE") return error;
  return new CommandFailure(
    `The server broke off after ${written} of ${bytes} bytes; its log says why. Nothing was kept.`,
  );
}

/** In UTC, so that names sort by age. */
function defaultName(): string {
  const stamp = new Date(realClock.wallNow()).toISOString().replace(/[-:]|\..*$/g, "");
  return `orrery-${stamp.replace("T", "-")}.backup`;
}
