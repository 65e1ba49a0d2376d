/**
 * Frames out of bytes that are cut anywhere. What has not come to its end is held, within limits;
 * what comes in one piece is not copied.
 *
 * After a complaint nothing can be read any more: where the next frame begins is not certain.
 */
import type { RntbdFrame } from "./frame.ts";
import { HEAD_BYTES_MIN, LENGTH_BYTES, readHead } from "./frame.ts";

interface FrameLimits {
  readonly headBytesMax: number;
  readonly bodyBytesMax: number;
}

/** A frame, or the head of one whose body was longer than any may be and was let go. */
export interface ComeFrame extends RntbdFrame {
  readonly isTooLarge: boolean;
}

/** Whether a body follows a head. */
type HasBody = (head: Omit<RntbdFrame, "body">) => boolean;

const HELD_BYTES_MIN = 1024;
/** A body so many times the limit is not waited for. */
const LET_GO_LIMITS = 8;

export class FrameReader {
  readonly #limits: FrameLimits;
  readonly #hasBody: HasBody;
  /** What has come of the frame that is not whole; only the first `#heldBytes` of it count. */
  #held: Buffer = Buffer.alloc(0);
  #heldBytes = 0;
  /** The head that has been read, while its body is awaited. */
  #head: Omit<RntbdFrame, "body"> | undefined;
  #bodyBytes: number | undefined;
  /** How much of a body that is too large has still to be let go. */
  #unwanted = 0;
  #complaint: string | undefined;

  constructor(limits: FrameLimits, hasBody: HasBody) {
    this.#limits = limits;
    this.#hasBody = hasBody;
  }

  /** Whether a frame has begun that is not whole. */
  get isWithin(): boolean {
    return this.#heldBytes > 0 || this.#head !== undefined || this.#unwanted > 0;
  }

  /** Whether what is awaited is a body. */
  get isWithinBody(): boolean {
    return this.#head !== undefined || this.#unwanted > 0;
  }

  /** Why nothing can be read any more. */
  get complaint(): string | undefined {
    return this.#complaint;
  }

  /** The frames that are whole with these bytes. Look at `complaint` afterwards. */
  push(bytes: Buffer): readonly ComeFrame[] {
    if (this.#complaint !== undefined) return [];
    const frames: ComeFrame[] = [];
    let rest = this.#withHeld(bytes);
    for (;;) {
      if (this.#unwanted > 0) {
        const gone = Math.min(this.#unwanted, rest.length);
        this.#unwanted -= gone;
        rest = rest.subarray(gone);
        if (this.#unwanted > 0) break;
        frames.push({ ...this.#head!, body: undefined, isTooLarge: true });
        this.#head = undefined;
      }
      const step = this.#step(rest, frames);
      if (step === undefined) break;
      rest = rest.subarray(step);
    }
    this.#hold(this.#complaint === undefined ? rest : NOTHING);
    return frames;
  }

  /** Takes the next part of a frame, if it is whole: how many bytes it has. */
  #step(rest: Buffer, frames: ComeFrame[]): number | undefined {
    const head = this.#head;
    if (head === undefined) return this.#stepHead(rest, frames);
    if (this.#bodyBytes === undefined) {
      if (rest.length < LENGTH_BYTES) return undefined;
      const length = rest.readUInt32LE(0);
      const { bodyBytesMax } = this.#limits;
      if (length > bodyBytesMax * LET_GO_LIMITS) {
        return this.#complain(`A body may have ${bodyBytesMax} bytes, not ${length}.`);
      }
      if (length > bodyBytesMax) this.#unwanted = length;
      else this.#bodyBytes = length;
      return LENGTH_BYTES;
    }
    const length = this.#bodyBytes;
    if (rest.length < length) return undefined;
    frames.push({ ...head, body: rest.subarray(0, length), isTooLarge: false });
    this.#head = undefined;
    this.#bodyBytes = undefined;
    return length;
  }

  #stepHead(rest: Buffer, frames: ComeFrame[]): number | undefined {
    if (rest.length < LENGTH_BYTES) return undefined;
    const length = rest.readUInt32LE(0);
    const { headBytesMax } = this.#limits;
    if (length < HEAD_BYTES_MIN || length > headBytesMax) {
      return this.#complain(`The head of a frame cannot have ${length} bytes.`);
    }
    if (rest.length < length) return undefined;
    const head = readHead(rest.subarray(0, length));
    if (!head.ok) return this.#complain(head.error);
    if (this.#hasBody(head.value)) this.#head = head.value;
    else frames.push({ ...head.value, body: undefined, isTooLarge: false });
    return length;
  }

  #complain(complaint: string): undefined {
    this.#complaint = complaint;
    return undefined;
  }

  /** What is held with what has come, in a buffer that grows by doubling. */
  #withHeld(bytes: Buffer): Buffer {
    if (this.#heldBytes === 0) return bytes;
    const length = this.#heldBytes + bytes.length;
    if (length > this.#held.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#held.length, HELD_BYTES_MIN));
      this.#held.copy(larger, 0, 0, this.#heldBytes);
      this.#held = larger;
    }
    bytes.copy(this.#held, this.#heldBytes);
    return this.#held.subarray(0, length);
  }

  /** Frames that were given out may lie in the buffer, so what is left of it is never moved. */
  #hold(rest: Buffer): void {
    this.#heldBytes = rest.length;
    if (rest.length === 0) this.#held = NOTHING;
    else if (rest.buffer !== this.#held.buffer || rest.byteOffset !== this.#held.byteOffset) {
      this.#held = Buffer.allocUnsafe(Math.max(rest.length, HELD_BYTES_MIN));
      rest.copy(this.#held);
    }
  }
}

const NOTHING = Buffer.alloc(0);
