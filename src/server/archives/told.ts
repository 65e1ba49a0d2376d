/** What the system says about a file of an archive, as a sentence that says what to do. */
import { ArchiveFault, UnreadableFile } from "../../archive/archiveFolder.ts";

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full. Make room, and resume the job",
  EDQUOT: "the quota of the disk is used up. Make room, and resume the job",
  EACCES: "the server has no permission. Change that, and resume the job",
  EPERM: "the system does not allow it. Change that, and resume the job",
  EROFS: "the disk can only be read. Make it writable, and resume the job",
  ENOTDIR: "something on its path is no folder",
  ELOOP: "it is a symbolic link, which is not followed",
  ENOENT: "it is not there",
  EIO: "the disk failed. Look at the disk before the job is resumed",
};

/** Does something with a file; whatever the system refuses becomes an `ArchiveFault`. */
export async function told<T>(path: string, what: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw faultOf(path, what, error);
  }
}

/** What the system refused; anything else stays as it is. */
export function faultOf(path: string, what: string, error: unknown): unknown {
  if (error instanceof ArchiveFault || error instanceof UnreadableFile) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
  if (code === undefined) return error;
  return new ArchiveFault(`${path} could not ${what}: ${REASONS[code] ?? code}.`);
}
