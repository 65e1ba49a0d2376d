/**
 * The terms of frames that nobody has asked for yet, read a little at a time: a single frame can
 * hold hundreds of thousands of them, more than anybody should have to wait for in one go.
 *
 * Always: terms are told in the order in which they were written. Between two calls of `read` some
 * writes of a frame may have been read and others not, so whoever scans reads all of it first.
 */
import { visitRecords, visitTerms } from "../journal/recordVisitor.ts";
import type { FrameView } from "../journal/segment.ts";

export interface TermVisitor {
  term(part: number, term: string, number: number, isPresent: boolean): void;
  drop(part: number): void;
}

/** What one write says of its terms, or, without any, that its part is gone. */
interface Step {
  readonly part: number;
  readonly terms?: { readonly number: number; readonly start: number; readonly end: number };
}

export class UnreadTerms {
  readonly #visitor: TermVisitor;
  #frames: FrameView[] = [];
  /** Of the first frame, if it has been begun; from `#at` on they are unread. */
  #begun: { readonly steps: readonly Step[]; at: number; offset: number | undefined } | undefined;
  #bytes = 0;

  constructor(visitor: TermVisitor) {
    this.#visitor = visitor;
  }

  /** Of all frames that are not read to their end. */
  get bytes(): number {
    return this.#bytes;
  }

  add(frame: FrameView): void {
    this.#frames.push(frame);
    this.#bytes += frame.end - frame.start;
  }

  /** Reads about so many bytes; at least something, if there is anything left. */
  read(bytesMax: number): void {
    let left = bytesMax;
    let count = 0;
    while (count < this.#frames.length && left > 0) {
      const frame = this.#frames[count]!;
      const length = frame.end - frame.start;
      left =
        this.#begun === undefined && length <= left
          ? this.#readAll(frame, left)
          : this.#readSome(frame, left);
      if (this.#begun !== undefined) break;
      this.#bytes -= length;
      count++;
    }
    if (count > 0) this.#frames = this.#frames.slice(count);
  }

  #readAll({ bytes, start, end }: FrameView, left: number): number {
    visitRecords(bytes, start, end, this.#visitor);
    return left - (end - start);
  }

  /** Returns how much may still be read. */
  #readSome(frame: FrameView, bytesMax: number): number {
    this.#begun ??= { steps: stepsOf(frame), at: 0, offset: undefined };
    const begun = this.#begun;
    let left = bytesMax;
    while (begun.at < begun.steps.length && left > 0) {
      const { part, terms } = begun.steps[begun.at]!;
      if (terms === undefined) this.#visitor.drop(part);
      else {
        const start = begun.offset ?? terms.start;
        const end = Math.min(terms.end, start + left);
        const through = visitTerms(frame.bytes, start, end, (term, isPresent) =>
          this.#visitor.term(part, term, terms.number, isPresent),
        );
        left -= through - start;
        begun.offset = through < terms.end ? through : undefined;
      }
      if (begun.offset === undefined) begun.at++;
    }
    if (begun.at === begun.steps.length) this.#begun = undefined;
    return left;
  }
}

function stepsOf({ bytes, start, end }: FrameView): readonly Step[] {
  const steps: Step[] = [];
  visitRecords(bytes, start, end, {
    terms: (part, number, termsAt, termsEnd) => {
      if (termsAt < termsEnd)
        steps.push({ part, terms: { number, start: termsAt, end: termsEnd } });
    },
    drop: (part) => steps.push({ part }),
  });
  return steps;
}
