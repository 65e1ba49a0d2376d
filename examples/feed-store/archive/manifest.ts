/**
 * What is known of one archive file. Each file has a manifest of its own beside it, so that nobody
 * rewrites what another one needs, and a file without a manifest counts for nothing: it is what an
 * interrupted run left, and no item was deleted for it.
 *
 * - `copied`: the file was read back and is whole; its items are being deleted from the container.
 * - `archived`: its items are gone from the container, except those that had changed meanwhile.
 * - `restored`: its items are in the container again; the file is only kept.
 */
import { isMonth } from "../months.ts";

export interface Manifest extends FileFacts {
  readonly format: 1;
  /** Whose items these are. */
  readonly database: string;
  readonly container: string;
  readonly partitionKeyPath: string;
  /** The partition key of every item in the file. */
  readonly month: string;
  /** A month has several parts if items came to it after it was archived. */
  readonly part: number;
  readonly state: "copied" | "archived" | "restored";
  readonly copiedAt: string;
  /** Ids that had changed since they were copied: these stayed in the container. */
  readonly changedIds: readonly string[];
}

/** What a file has to be like to be whole. */
export interface FileFacts {
  /** Its name within the folder. */
  readonly file: string;
  readonly fileBytes: number;
  readonly fileSha256: string;
  readonly itemCount: number;
  /** Of the lines in it, before they were compressed. */
  readonly textBytes: number;
  readonly textSha256: string;
  /** The first and the last date of its items. */
  readonly firstPublished: string;
  readonly lastPublished: string;
}

/** An archive file, or its manifest, is missing or not what it was when it was written. */
export class ArchiveDamaged extends Error {
  override readonly name = "ArchiveDamaged";
  constructor(file: string, what: string) {
    super(`The archive file ${file} is damaged: ${what}. Nothing was deleted or restored from it.`);
  }
}

export function parseManifest(file: string, text: string): Manifest {
  let parsed: Partial<Manifest> | null;
  try {
    parsed = JSON.parse(text) as Partial<Manifest> | null;
  } catch {
    throw new ArchiveDamaged(file, "it is no JSON");
  }
  const missing = REQUIRED.find((name) => parsed?.[name] === undefined);
  if (parsed === null || missing !== undefined) {
    throw new ArchiveDamaged(file, `it has no ${missing ?? "members"}`);
  }
  if (parsed.format !== 1) throw new ArchiveDamaged(file, `its format is ${parsed.format}, not 1`);
  if (!isMonth(parsed.month)) throw new ArchiveDamaged(file, `${parsed.month} is no month`);
  return parsed as Manifest;
}

const REQUIRED: readonly (keyof Manifest)[] = [
  "format",
  "database",
  "container",
  "partitionKeyPath",
  "month",
  "part",
  "state",
  "copiedAt",
  "changedIds",
  "file",
  "fileBytes",
  "fileSha256",
  "itemCount",
  "textBytes",
  "textSha256",
];
