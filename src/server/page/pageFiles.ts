/**
 * The files of the web page as the build left them: each with its type, its tag, and its form as
 * compressed by the build, with gzip alone: browsers take nothing better over plain HTTP.
 *
 * The list of files (`files.json`) names everything that may be served; a request's path is only
 * ever looked up in it, so no path can lead elsewhere. A list that is newer than the one that was
 * read last is read again, so a page that was rebuilt is there at once.
 */
import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";

export type ContentCoding = "gzip";

export interface BuiltFile {
  readonly name: string;
  readonly type: string;
  /** Changes with the content. */
  readonly tag: string;
  /** True when the name changes with the content, too, so that browsers may keep the file. */
  readonly isFixed: boolean;
  readonly codings: readonly ContentCoding[];
}

export interface PageFiles {
  /** `undefined` when the page has no such file, or has not been built. */
  find(name: string): Promise<BuiltFile | undefined>;
  /** The bytes of a file, compressed if a coding is named. */
  bytes(file: BuiltFile, coding: ContentCoding | undefined): Promise<Buffer>;
}

const LIST = "files.json";
const COMPRESSED_ENDING = ".gz";

export function openPageFiles(folder: URL = builtPage()): PageFiles {
  let readAt = Number.NaN;
  let files: ReadonlyMap<string, BuiltFile> = new Map();
  let contents = new Map<string, Promise<Buffer>>();
  const refresh = async (): Promise<void> => {
    const list = new URL(LIST, folder);
    const { mtimeMs } = await stat(list);
    if (mtimeMs === readAt) return;
    const text = await readFile(list, "utf8");
    const { files: entries } = JSON.parse(text) as { readonly files: readonly BuiltFile[] };
    files = new Map(entries.map((entry) => [entry.name, entry]));
    contents = new Map();
    readAt = mtimeMs;
  };
  return {
    async find(name) {
      try {
        await refresh();
      } catch (error) {
        if ((error as { readonly code?: string }).code !== "ENOENT") throw error;
        return undefined;
      }
      return files.get(name);
    },
    bytes({ name }, coding) {
      const stored = coding === undefined ? name : name + COMPRESSED_ENDING;
      const kept = contents.get(stored);
      if (kept !== undefined) return kept;
      const read = readFile(new URL(stored, folder));
      contents.set(stored, read);
      // What could not be read this time may be there the next time.
      read.catch(() => contents.delete(stored));
      return read;
    },
  };
}

/** Built, the page lies beside the bundle; from the sources, it is in the last build. */
function builtPage(): URL {
  const beside = new URL("./page/", import.meta.url);
  return existsSync(fileURLToPath(new URL(LIST, beside)))
    ? beside
    : new URL("../../../dist/page/", import.meta.url);
}
