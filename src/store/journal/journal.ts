/**
 * The journal: commits on disk, in order, before they are anywhere else.
 *
 * It is a row of segment files (`segment.ts`). A segment starts with a header that names its first
 * frame; frames follow, each with length, checksum and a number that grows by one through all
 * segments. What there is when it is opened is found out first (`foundJournal.ts`), and acted on
 * here: segments that are of no use are removed, and the journal goes on in a new one.
 *
 * A full disk refuses a frame and may have kept it all the same. The writer goes on in a new
 * segment, under the number of the refused frame; a segment's header thus says which frames of the
 * segments before it never were.
 *
 * A segment is immutable once the next one exists; whoever absorbs it reads it from the disk.
 */
import { assert } from "../../base/assert.ts";
import type { Disk, DiskFile } from "../disk.ts";
import type { SoundJournal } from "./foundJournal.ts";
import { isUsable } from "./foundJournal.ts";
import type { FrameView, SealedSegment } from "./segment.ts";
import { numberFrame, segmentHeader, segmentName } from "./segment.ts";
import type { JournalHold } from "./segmentFiles.ts";
import { SegmentFiles } from "./segmentFiles.ts";

export class Journal {
  readonly #files: SegmentFiles;
  #segment: number;
  #nextFrame: number;
  #file: DiskFile | undefined;
  #segmentBytes = 0;
  #isTorn = false;

  private constructor(files: SegmentFiles, segment: number, nextFrame: number) {
    this.#files = files;
    this.#segment = segment;
    this.#nextFrame = nextFrame;
  }

  /**
   * Goes on with what was found on the disk: removes the segments that nobody needs, and leaves the
   * others as they are. The first append makes a new segment.
   */
  static async goingOn(disk: Disk, found: SoundJournal): Promise<Journal> {
    const files = new SegmentFiles(disk);
    for (const one of found.segments) {
      if (isUsable(one)) files.note(one.segment, one.fileBytes);
      else await files.remove(one.segment);
    }
    return new Journal(files, found.lastSegment, found.nextFrame);
  }

  /** Writes a frame made by `newFrame`; durable when the promise resolves. One at a time. */
  async append(frame: FrameView): Promise<void> {
    assert(!this.#isTorn, "the segment was torn by a failed append");
    if (this.#file === undefined) await this.#startSegment();
    numberFrame(frame, this.#nextFrame);
    try {
      await this.#file!.append(frame.bytes);
    } catch (error) {
      // The frame may be there in part. The segment ends before it, and the next one goes on with
      // the same frame number, which is how recovery knows that nothing is missing.
      this.#isTorn = true;
      throw error;
    }
    this.#nextFrame++;
    this.#segmentBytes += frame.bytes.length;
  }

  /** True after a failed append: the segment must be sealed before the next one. */
  get isTorn(): boolean {
    return this.#isTorn;
  }

  /** Bytes in the segment being written; 0 when the next append starts a new one. */
  get segmentBytes(): number {
    return this.#segmentBytes;
  }

  /** Where the next frame goes, or the one that failed went. */
  get place(): { readonly file: string; readonly offset: number } {
    return { file: segmentName(this.#segment), offset: this.#segmentBytes };
  }

  /**
   * Ends the segment being written. It is sealed at once; `closed` tells what the disk thinks of
   * that, which matters to later writes and to nothing in the segment.
   */
  seal(): { readonly sealed: SealedSegment; readonly closed: Promise<void> } {
    assert(this.#file !== undefined, "there is no segment to seal");
    const file = this.#file;
    this.#file = undefined;
    this.#segmentBytes = 0;
    this.#isTorn = false;
    return {
      sealed: { segment: this.#segment, frameEnd: this.#nextFrame },
      closed: file.close(),
    };
  }

  /** Removes a segment that was absorbed, unless it is held: then when it is released. */
  remove(segment: number): Promise<void> {
    return this.#files.remove(segment);
  }

  /** Keeps the segments there are until the hold is released. One at a time. */
  hold(): JournalHold {
    return this.#files.hold();
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }

  async #startSegment(): Promise<void> {
    this.#segment++;
    const header = segmentHeader(this.#segment, this.#nextFrame);
    this.#file = await this.#files.create(this.#segment, header);
    this.#segmentBytes = header.length;
  }
}
