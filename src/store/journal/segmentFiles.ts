/**
 * The files of the journal's segments: how far each is durable, and when each may go.
 *
 * While a backup is under way its hold keeps segments that were absorbed, because the copy of the
 * tables may be older than their absorption: such a segment is removed when the hold is released.
 * A hold concerns all segments only until the journal is cut, from then on those of the cut.
 * However slowly a backup is fetched, later segments come and go.
 *
 * What lies behind the durable bytes of a file, such as a frame that the disk refused, was promised
 * to nobody and is not given out.
 */
import { assert } from "../../base/assert.ts";
import type { Disk, DiskFile } from "../disk.ts";
import { segmentName } from "./segment.ts";

interface DurableFile {
  readonly name: string;
  /** How many bytes of it are durable. */
  readonly bytes: number;
}

/** Keeps segments from being removed. */
export interface JournalHold {
  /** The segments as they are now, oldest first. */
  cut(): readonly DurableFile[];
  /** Removes what was to be removed meanwhile. */
  release(): Promise<void>;
}

export class SegmentFiles {
  readonly #disk: Disk;
  /** Durable bytes by the number of the segment. */
  readonly #durableBytes = new Map<number, number>();
  /** Segments that a hold has kept from being removed. */
  readonly #postponed = new Set<number>();
  #isHeld: ((segment: number) => boolean) | undefined;

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  /** Takes note of a file that was there before: all of it survived. */
  note(segment: number, fileBytes: number): void {
    this.#durableBytes.set(segment, fileBytes);
  }

  async create(segment: number, header: Uint8Array): Promise<DiskFile> {
    const file = await this.#disk.create(segmentName(segment), header);
    this.#durableBytes.set(segment, header.length);
    return {
      append: async (bytes) => {
        await file.append(bytes);
        this.#durableBytes.set(segment, this.#durableBytes.get(segment)! + bytes.length);
      },
      close: () => file.close(),
    };
  }

  /** Removes a file now, or, if it is held, when it is released. */
  async remove(segment: number): Promise<void> {
    if (this.#isHeld?.(segment) === true) {
      this.#postponed.add(segment);
      return;
    }
    this.#durableBytes.delete(segment);
    await this.#disk.remove(segmentName(segment));
  }

  /** One at a time. */
  hold(): JournalHold {
    assert(this.#isHeld === undefined, "the journal is held already");
    this.#isHeld = () => true;
    return {
      cut: () => {
        const cut = [...this.#durableBytes].sort(([a], [b]) => a - b);
        const segments = new Set(this.#durableBytes.keys());
        this.#isHeld = (segment) => segments.has(segment);
        return cut.map(([segment, bytes]) => ({ name: segmentName(segment), bytes }));
      },
      release: async () => {
        this.#isHeld = undefined;
        const postponed = [...this.#postponed];
        this.#postponed.clear();
        for (const segment of postponed) await this.remove(segment);
      },
    };
  }
}
