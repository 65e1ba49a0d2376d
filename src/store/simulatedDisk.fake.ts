/**
 * A disk in memory that can lose power, tear writes and fail, from a seed.
 *
 * It keeps what is durable apart from what was merely written. `powerCut` decides by coin what the
 * platter got of every write that was not yet acknowledged: nothing, all, or some of its 512-byte
 * sectors, the rest zeros or missing. Acknowledged writes and names always survive; that is the
 * one promise a disk makes, and the only one the journal may rely on.
 */
import type { Random } from "../base/world.ts";
import type { Disk, DiskFile } from "./disk.ts";
import type { MissingFile } from "./missingFile.ts";

const SECTOR_BYTES = 512;

/** Called before each disk operation, with its running number; may throw to make it fail. */
type FaultHook = (operation: string, number: number) => void;

interface SimulatedFile {
  durable: Buffer;
  /** Being written when the power goes; undefined between writes. */
  inFlight: Uint8Array | undefined;
}

export class SimulatedDisk implements Disk {
  readonly #random: Random;
  #files = new Map<string, SimulatedFile>();
  #operationCount = 0;
  #isOff = false;
  faultHook: FaultHook | undefined;
  /** What every operation waits for, in a slow disk. */
  delay: (() => Promise<void>) | undefined;
  /** What is said to be gone from its place. */
  gone: MissingFile | undefined;

  constructor(random: Random) {
    this.#random = random;
  }

  get operationCount(): number {
    return this.#operationCount;
  }

  async names(): Promise<readonly string[]> {
    return [...this.#files.keys()];
  }

  async read(name: string): Promise<Buffer> {
    const file = this.#files.get(name);
    if (file === undefined) throw new Error(`no such file: ${name}`);
    return Buffer.from(file.durable);
  }

  async create(name: string, bytes: Uint8Array): Promise<DiskFile> {
    const file: SimulatedFile = { durable: Buffer.alloc(0), inFlight: bytes };
    this.#files.set(name, file);
    await this.#operate("create");
    this.#complete(file);
    return {
      append: async (more) => {
        file.inFlight = more;
        await this.#operate("append");
        this.#complete(file);
      },
      close: async () => undefined,
    };
  }

  async remove(name: string): Promise<void> {
    await this.#operate("remove");
    this.#files.delete(name);
  }

  async trial(): Promise<void> {
    await this.#operate("trial");
  }

  async freeBytes(): Promise<number | undefined> {
    return undefined;
  }

  async missing(): Promise<MissingFile | undefined> {
    return this.gone;
  }

  /** What a machine finds on this disk after losing power now. The old one stops working. */
  powerCut(): SimulatedDisk {
    this.#isOff = true;
    const after = new SimulatedDisk(this.#random);
    for (const [name, file] of this.#files) {
      const survived = this.#survivorsOf(file.inFlight);
      const durable = Buffer.concat([file.durable, survived]);
      // A file whose creation was never acknowledged may not even have its name.
      if (file.durable.length === 0 && this.#random.next() < 0.3) continue;
      after.#files.set(name, { durable, inFlight: undefined });
    }
    return after;
  }

  /** Changes one bit of one file, as rot does. Returns where, or undefined on an empty disk. */
  flipBit(): { readonly name: string; readonly offset: number } | undefined {
    const names = [...this.#files].filter(([, file]) => file.durable.length > 0);
    const chosen = names[Math.floor(this.#random.next() * names.length)];
    if (chosen === undefined) return undefined;
    const [name, file] = chosen;
    const offset = Math.floor(this.#random.next() * file.durable.length);
    file.durable = Buffer.from(file.durable);
    file.durable[offset]! ^= 1 << Math.floor(this.#random.next() * 8);
    return { name, offset };
  }

  async #operate(operation: string): Promise<void> {
    // A turn of the event loop, so that a power cut can fall between start and end of a write.
    await Promise.resolve();
    await Promise.resolve();
    if (this.delay !== undefined) await this.delay();
    if (this.#isOff) return new Promise(() => undefined);
    this.#operationCount++;
    this.faultHook?.(operation, this.#operationCount);
    return undefined;
  }

  #complete(file: SimulatedFile): void {
    file.durable = Buffer.concat([file.durable, file.inFlight ?? Buffer.alloc(0)]);
    file.inFlight = undefined;
  }

  #survivorsOf(inFlight: Uint8Array | undefined): Buffer {
    if (inFlight === undefined || this.#random.next() < 0.3) return Buffer.alloc(0);
    if (this.#random.next() < 0.3) return Buffer.from(inFlight);
    const kept = Buffer.alloc(Math.ceil(this.#random.next() * inFlight.length));
    for (let at = 0; at < kept.length; at += SECTOR_BYTES) {
      if (this.#random.next() < 0.7)
        kept.set(inFlight.subarray(at, Math.min(at + SECTOR_BYTES, kept.length)), at);
    }
    return kept;
  }
}
