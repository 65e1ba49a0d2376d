/** `--verify`: reads an archive on this machine whole, without a server, and changes nothing. */
import { resolve } from "node:path";
import { ArchiveFault } from "../../archive/archiveFolder.ts";
import { verifyArchive, WHAT_TO_DO } from "../../archive/verifyArchive.ts";
import { counted, shortBytesText } from "../../base/wording.ts";
import { openArchive } from "../../server/archives/archiveShelf.ts";
import type { Environment } from "../connect/serverOptions.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { ProgressLine } from "../terminal/progressLine.ts";

export async function verifyFolder(
  path: string,
  isJson: boolean,
  environment: Environment,
): Promise<void> {
  const progress = new ProgressLine(environment);
  let fileCount = 0;
  const looked = verifyArchive(openArchive(resolve(path)), (file) => {
    fileCount++;
    progress.show(() => `${counted(fileCount, "file")} read, the last ${file.name}`);
  });
  const { manifest, damages, strangers } = await looked.catch((error: unknown) => {
    throw error instanceof ArchiveFault ? new CommandFailure(error.message) : error;
  });
  progress.clear();
  const { database, container, totals } = manifest ?? {};
  if (isJson) {
    const of = manifest && { database, container, archive: manifest.archive, totals };
    process.stdout.write(`${JSON.stringify({ ...of, damages, strangers })}\n`);
  } else {
    for (const { message } of damages) process.stdout.write(`damage  ${message}\n`);
    for (const name of strangers) {
      process.stdout.write(`notice  ${name} is in no list of the archive.\n`);
    }
  }
  if (damages.length > 0) {
    throw new CommandFailure(`The archive is damaged. ${WHAT_TO_DO}`);
  }
  if (isJson || totals === undefined) return;
  process.stdout.write(
    `${path} is whole: ${counted(totals.itemCount, "item")} of ${database}/${container} in ` +
      `${counted(totals.fileCount, "file")}, ${shortBytesText(totals.storedBytes)}.\n`,
  );
}
