/**
 * The folder of a server in which its archives lie, on the machine's own disk. A folder of it is
 * one archive (`archiveFile.ts` writes and reads its files).
 *
 * Names come from requests and from manifests, so each is checked before it becomes part of a path,
 * and symbolic links are not followed.
 */
import { lstat, readdir, rmdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { ArchiveFolder, ArchiveShelf } from "../../archive/archiveFolder.ts";
import {
  ArchiveFault,
  isDataName,
  isFolderName,
  LEDGER_NAME,
  MANIFEST_NAME,
  TEMPORARY,
} from "../../archive/archiveFolder.ts";
import { assert } from "../../base/assert.ts";
import { makeDirectory, syncDirectory } from "../../store/disk.ts";
import {
  appendToFile,
  bytesOfFile,
  createCompressed,
  readCompressed,
  readSmall,
  removeFile,
  writeSmall,
} from "./archiveFile.ts";
import { told } from "./told.ts";

export function openShelf(directory: string): ArchiveShelf {
  const path = resolve(directory);
  return {
    place: path,
    folder: (name) => {
      assert(isFolderName(name), "the name of a folder was checked");
      return openArchive(join(path, name), name);
    },
    folderNames: () =>
      told(path, "be read", async () => {
        const entries = await readdir(path, { withFileTypes: true }).catch(absent);
        const folders = (entries ?? []).filter((entry) => entry.isDirectory());
        return folders.map(({ name }) => name).filter(isFolderName);
      }),
  };
}

/** One archive by its path, such as the one that a command was told to look at. */
export function openArchive(path: string, name: string = path): ArchiveFolder {
  const pathOf = (file: string): string => {
    assert(isOwnName(file), "only files of an archive are touched");
    return join(path, file);
  };
  return {
    name,
    place: path,
    names: () =>
      told(path, "be read", async () => {
        const found = await lstat(path).catch(absent);
        if (found === undefined) return undefined;
        if (!found.isDirectory()) throw new ArchiveFault(`${path} is no folder.`);
        return readdir(path);
      }),
    make: () => told(path, "be made", () => makeDirectory(path)),
    create: (file) => createCompressed(path, pathOf(file)),
    bytesOf: (file) => bytesOfFile(pathOf(file)),
    read: (file) => readCompressed(pathOf(file)),
    readText: (file, bytesMax) => readSmall(pathOf(file), bytesMax),
    writeText: (file, text) => writeSmall(path, pathOf(file), text),
    appendText: (file, text) => appendToFile(pathOf(file), text),
    remove: (file) => removeFile(path, pathOf(file)),
    removeFolder: () =>
      told(path, "be removed", async () => {
        await rmdir(path).catch((error: NodeJS.ErrnoException) => {
          if (!["ENOENT", "ENOTEMPTY", "EEXIST"].includes(error.code ?? "")) throw error;
        });
        await syncDirectory(join(path, "..")).catch(absent);
      }),
  };
}

function isOwnName(file: string): boolean {
  const whole = file.endsWith(TEMPORARY) ? file.slice(0, -TEMPORARY.length) : file;
  return whole === MANIFEST_NAME || whole === LEDGER_NAME || isDataName(whole);
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === "ENOENT") return undefined;
  throw error;
}
