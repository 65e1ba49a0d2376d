/**
 * The journal's disk, with a hold: while a backup is under way, segments that were absorbed stay
 * where they are, because the copy of the tables may be older than their absorption.
 *
 * It knows of every segment how far it is durable. What lies behind that, such as a frame that the
 * disk refused, was promised to nobody and is not given out.
 *
 * A hold lasts until it is released, and concerns all segments only until the journal is cut: from
 * then on those of the cut. However slowly a backup is fetched, later segments come and go.
 */
import { assert } from "../../base/assert.ts";
import type { Disk, DiskFile } from "../disk.ts";
import type { MissingFile } from "../missingFile.ts";

export interface DurableFile {
  readonly name: string;
  /** How many bytes of it are durable. */
  readonly bytes: number;
}

export interface Hold {
  /** The segments as they are now, oldest first. */
  cut(): readonly DurableFile[];
  /** Removes what was to be removed meanwhile. */
  release(): Promise<void>;
}

export class HoldingDisk implements Disk {
  readonly #disk: Disk;
  /** Durable bytes by name. */
  readonly #files = new Map<string, number>();
  readonly #postponed = new Set<string>();
  #isHeld: ((name: string) => boolean) | undefined;

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  names(): Promise<readonly string[]> {
    return this.#disk.names();
  }

  async read(name: string): Promise<Buffer> {
    const bytes = await this.#disk.read(name);
    // One that was there before: all of it survived.
    if (!this.#files.has(name)) this.#files.set(name, bytes.length);
    return bytes;
  }

  async create(name: string, bytes: Uint8Array): Promise<DiskFile> {
    const file = await this.#disk.create(name, bytes);
    this.#files.set(name, bytes.length);
    return {
      append: async (more) => {
        await file.append(more);
        this.#files.set(name, this.#files.get(name)! + more.length);
      },
      close: () => file.close(),
    };
  }

  async remove(name: string): Promise<void> {
    if (this.#isHeld?.(name) === true) {
      this.#postponed.add(name);
      return;
    }
    this.#files.delete(name);
    await this.#disk.remove(name);
  }

  trial(): Promise<void> {
    return this.#disk.trial();
  }

  freeBytes(): Promise<number | undefined> {
    return this.#disk.freeBytes();
  }

  missing(): Promise<MissingFile | undefined> {
    return this.#disk.missing();
  }

  /** One at a time. */
  hold(): Hold {
    assert(this.#isHeld === undefined, "the journal is held already");
    this.#isHeld = () => true;
    return {
      cut: () => {
        const files = [...this.#files].map(([name, bytes]) => ({ name, bytes }));
        const names = new Set(this.#files.keys());
        this.#isHeld = (name) => names.has(name);
        return files.sort((a, b) => (a.name < b.name ? -1 : 1));
      },
      release: async () => {
        this.#isHeld = undefined;
        const postponed = [...this.#postponed];
        this.#postponed.clear();
        for (const name of postponed) await this.remove(name);
      },
    };
  }
}
