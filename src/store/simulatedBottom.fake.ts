/**
 * A bottom in memory, over a simulated disk: what the embedded engine is to the real store. It
 * takes a segment in one atomic step and survives a power cut as of its last completed one.
 */
import type { Bottom } from "./bottom.ts";
import type { Disk } from "./disk.ts";
import type { StoreRecord } from "./journal/record.ts";
import { encodeRecord, recordBytes } from "./journal/record.ts";
import { visitRecords } from "./journal/recordVisitor.ts";
import { sealedFrames, segmentName } from "./journal/segment.ts";
import type { LayerEntry, TableName } from "./memory/layer.ts";
import { KEY_MAX } from "./memory/layer.ts";
import { MemoryTable } from "./memory/memoryTable.ts";
import type { TermCursor, TermWalk } from "./memory/termCursor.ts";
import type { MissingFile } from "./missingFile.ts";
import type { Lease, PartHead, StoredItem, Tally } from "./partitionStore.ts";
import { talliesOf } from "./tallies.ts";

export class SimulatedBottom implements Bottom {
  #disk: Disk;
  readonly #table = new MemoryTable({ isBottom: true });
  readonly #heads = new Map<number, PartHead>();
  readonly #leases = new Map<string, Lease>();
  #absorbedSegment = 0;
  #absorbedFrame = 0;

  #lacksTallies: boolean;

  constructor(disk: Disk, options: { readonly lacksTallies?: boolean } = {}) {
    this.#disk = disk;
    this.#lacksTallies = options.lacksTallies ?? false;
  }

  get lacksTallies(): boolean {
    return this.#lacksTallies;
  }

  get absorbedSegment(): number {
    return this.#absorbedSegment;
  }

  get absorbedFrame(): number {
    return this.#absorbedFrame;
  }

  /** After a power cut: the same tables, the journal on the disk that was found. */
  reopenedOn(disk: Disk): this {
    this.#disk = disk;
    return this;
  }

  heads(): ReadonlyMap<number, PartHead> {
    return this.#heads;
  }

  leases(): ReadonlyMap<string, Lease> {
    return this.#leases;
  }

  byKey(part: number, key: string): StoredItem | null | undefined {
    return this.#table.byKey(part, key);
  }

  tally(part: number, family: string): Tally | null | undefined {
    return this.#table.tally(part, family);
  }

  byNumber(part: number, number: number): StoredItem | null | undefined {
    return this.#table.byNumber(part, number);
  }

  entries(
    part: number,
    table: TableName,
    min: string,
    max: string,
    isReverse: boolean,
  ): Iterator<LayerEntry, void, undefined> {
    return this.#table.entries(part, table, min, max, isReverse);
  }

  terms(part: number, walk: TermWalk): TermCursor {
    return this.#table.terms(part, walk);
  }

  async absorb(segment: number, frameEnd: number): Promise<void> {
    const disk = this.#disk;
    const frames = sealedFrames({ segment, frameEnd }, await disk.read(segmentName(segment)));
    // The machine may have lost power while the file was being read.
    if (disk !== this.#disk) return new Promise(() => undefined);
    for (const { bytes, start, end } of frames) {
      this.#table.absorb(bytes, start, end);
      visitRecords(bytes, start, end, {
        head: (part, head) => this.#heads.set(part, head),
        drop: (part) => this.#heads.delete(part),
        lease: (name, lease) => this.#leases.set(name, lease),
      });
    }
    this.#absorbedSegment = segment;
    this.#absorbedFrame = frameEnd - 1;
    return undefined;
  }

  rest(): void {}

  async countTallies(): Promise<void> {
    for (const [part, head] of this.#heads) {
      const record: StoreRecord = {
        kind: "adopt",
        part,
        head,
        versions: [],
        tallies: talliesOf(this.#itemsOf(part)),
      };
      const bytes = Buffer.alloc(recordBytes(record));
      this.#table.absorb(bytes, 0, encodeRecord(record, bytes, 0));
    }
    this.#lacksTallies = false;
  }

  *#itemsOf(part: number): Generator<StoredItem, void, undefined> {
    const entries = this.#table.entries(part, "items", "", KEY_MAX, false);
    for (const { item } of entries) if (item !== undefined) yield item;
  }

  async missing(): Promise<MissingFile | undefined> {
    return undefined;
  }

  async close(): Promise<void> {}
}
