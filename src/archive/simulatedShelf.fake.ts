/**
 * Archives in memory, for tests: files that forget what was not synced when the power goes, and
 * operations that can be told to fail. Nothing is compressed; a file begins with a mark instead, so
 * that one can be damaged in a way that a reader notices.
 */
import { createHash } from "node:crypto";
import type {
  ArchiveFolder,
  ArchiveReading,
  ArchiveShelf,
  ArchiveWriter,
  StoredFile,
} from "./archiveFolder.ts";
import { isFolderName, TEMPORARY, UnreadableFile } from "./archiveFolder.ts";

const MARK = Buffer.from("GZ");

interface SimulatedFile {
  bytes: Buffer;
  /** How many of its bytes survive a power cut. */
  syncedBytes: number;
}

export class SimulatedShelf implements ArchiveShelf {
  readonly place = "shelf" as const;
  readonly folders: Map<string, Map<string, SimulatedFile>> = new Map();
  /** Asked before every operation; what it throws is what the operation fails with. */
  before: (operation: string, folder: string, file: string) => void = () => undefined;
  operationCount = 0;

  folder(name: string): ArchiveFolder {
    if (!isFolderName(name)) throw new Error(`'${name}' is no name of a folder`);
    return new SimulatedFolder(this, name);
  }

  async folderNames(): Promise<readonly string[]> {
    this.ask("folderNames", "", "");
    return [...this.folders.keys()];
  }

  ask(operation: string, folder: string, file: string): void {
    this.operationCount++;
    this.before(operation, folder, file);
  }

  /** The power goes: what was not synced is gone, down to the last byte. */
  crash(): void {
    for (const files of this.folders.values()) {
      for (const file of files.values()) file.bytes = file.bytes.subarray(0, file.syncedBytes);
    }
  }

  /** Changes a file behind everybody's back. */
  alter(folder: string, file: string, change: (bytes: Buffer) => Buffer | undefined): void {
    const files = this.folders.get(folder)!;
    const bytes = change(Buffer.from(files.get(file)!.bytes));
    if (bytes === undefined) files.delete(file);
    else files.set(file, { bytes, syncedBytes: bytes.length });
  }
}

class SimulatedFolder implements ArchiveFolder {
  readonly name: string;
  readonly place: string;
  readonly #shelf: SimulatedShelf;

  constructor(shelf: SimulatedShelf, name: string) {
    this.#shelf = shelf;
    this.name = name;
    this.place = `shelf/${name}`;
  }

  async names(): Promise<readonly string[] | undefined> {
    this.#ask("names");
    const files = this.#shelf.folders.get(this.name);
    return files && [...files.keys()];
  }

  async make(): Promise<void> {
    this.#ask("make");
    if (!this.#shelf.folders.has(this.name)) this.#shelf.folders.set(this.name, new Map());
  }

  async create(name: string): Promise<ArchiveWriter> {
    this.#ask("create", name);
    const temporary = { bytes: MARK, syncedBytes: 0 };
    this.#files.set(name + TEMPORARY, temporary);
    return {
      write: async (bytes) => {
        this.#ask("write", name);
        temporary.bytes = Buffer.concat([temporary.bytes, bytes]);
      },
      publish: async () => {
        this.#ask("sync", name);
        temporary.syncedBytes = temporary.bytes.length;
        this.#ask("rename", name);
        this.#files.delete(name + TEMPORARY);
        this.#files.set(name, temporary);
        return storedOf(temporary.bytes);
      },
      discard: async () => {
        this.#ask("discard", name);
        this.#files.delete(name + TEMPORARY);
      },
    };
  }

  async bytesOf(name: string): Promise<number | undefined> {
    this.#ask("bytesOf", name);
    return this.#files.get(name)?.bytes.length;
  }

  async read(name: string): Promise<ArchiveReading> {
    this.#ask("read", name);
    const { bytes } = this.#files.get(name)!;
    const ask = (): void => this.#ask("readOn", name);
    async function* chunks(): AsyncGenerator<Buffer, void, undefined> {
      if (!bytes.subarray(0, MARK.length).equals(MARK)) throw new UnreadableFile("no mark");
      for (let at = MARK.length; at < bytes.length; at += CHUNK) {
        ask();
        yield bytes.subarray(at, at + CHUNK);
      }
    }
    return { chunks: chunks(), stored: () => storedOf(bytes) };
  }

  async readText(name: string): Promise<string | undefined> {
    this.#ask("readText", name);
    return this.#shelf.folders.get(this.name)?.get(name)?.bytes.toString("utf8");
  }

  async writeText(name: string, text: string): Promise<void> {
    this.#ask("writeText", name);
    const bytes = Buffer.from(text);
    this.#files.set(name + TEMPORARY, { bytes, syncedBytes: 0 });
    this.#ask("renameText", name);
    this.#files.delete(name + TEMPORARY);
    this.#files.set(name, { bytes, syncedBytes: bytes.length });
  }

  async appendText(name: string, text: string): Promise<void> {
    this.#ask("appendText", name);
    const file = this.#files.get(name) ?? { bytes: Buffer.alloc(0), syncedBytes: 0 };
    file.bytes = Buffer.concat([file.bytes, Buffer.from(text)]);
    this.#files.set(name, file);
  }

  async remove(name: string): Promise<void> {
    this.#ask("remove", name);
    this.#shelf.folders.get(this.name)?.delete(name);
  }

  async removeFolder(): Promise<void> {
    this.#ask("removeFolder");
    if (this.#shelf.folders.get(this.name)?.size === 0) this.#shelf.folders.delete(this.name);
  }

  #ask(operation: string, file = ""): void {
    this.#shelf.ask(operation, this.name, file);
  }

  get #files(): Map<string, SimulatedFile> {
    const files = this.#shelf.folders.get(this.name);
    if (files === undefined) throw new Error(`there is no folder ${this.name}`);
    return files;
  }
}

const CHUNK = 1000;

function storedOf(bytes: Buffer): StoredFile {
  return {
    storedBytes: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex"),
  };
}
