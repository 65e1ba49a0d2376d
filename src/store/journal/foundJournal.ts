/**
 * What a journal is found to be when it is opened: a value, made by reading alone. Nothing is
 * removed, made or cut before the whole of it is known; `Journal.goingOn` acts on it, and whoever
 * only looks at a data directory leaves it at that.
 *
 * A power cut can damage the last frame of a segment only. So the end of a segment may be torn if
 * the next segment goes on with the very next frame, or if there is no next one. A full disk
 * refuses a frame and may have kept it all the same: the next segment then has the number of that
 * frame again, which takes the refused one back. Anything else is damage.
 */
import type { Bottom } from "../bottom.ts";
import type { ReadableDisk } from "../disk.ts";
import { StoreFault } from "../partitionStore.ts";
import type { FrameView, SealedSegment, SegmentDamage } from "./segment.ts";
import { readSegment, segmentDamageText, segmentName, segmentsIn } from "./segment.ts";

/** Of tables that are not there. */
export const NOTHING_ABSORBED: Absorbed = { absorbedSegment: 0, absorbedFrame: 0 };

/** How far the tables under a journal have come. */
export type Absorbed = Pick<Bottom, "absorbedSegment" | "absorbedFrame">;

/** A segment whose frames count. */
export interface UsableSegment extends SealedSegment {
  /**
   * - `whole`: every byte of it belongs to a frame.
   * - `torn`: bytes lie behind its last whole frame, and were acknowledged to nobody.
   * - `takenBack`: its last frame was refused to its writer, and a later segment has its number.
   */
  readonly kind: "whole" | "torn" | "takenBack";
  /** Without one that was taken back. */
  readonly frames: readonly FrameView[];
  /** The offset behind the last whole frame, one that was taken back included. */
  readonly wholeBytes: number;
  readonly fileBytes: number;
}

/** One segment file, and what opening does with it. */
export type FoundSegment =
  /** The tables have all of it: it is removed unread. */
  | { readonly kind: "absorbed"; readonly segment: number }
  /** The power went while it was being made: it is removed. */
  | { readonly kind: "unmade"; readonly segment: number; readonly fileBytes: number }
  /** It stays as it is until the tables have absorbed it. */
  | UsableSegment;

export type JournalDamage = { readonly segment: number } & (
  | SegmentDamage
  /** The frames before the first of this segment are nowhere. */
  | {
      readonly kind: "frameMissing";
      readonly firstFrame: number;
      readonly expectedFrame: number;
      /** The segment before it; absent if the tables come before it. */
      readonly previous: UsableSegment | undefined;
    }
);

export interface SoundJournal {
  readonly kind: "sound";
  /** In the order of their numbers. */
  readonly segments: readonly FoundSegment[];
  /** The highest number that a segment has or had. */
  readonly lastSegment: number;
  readonly nextFrame: number;
}

export type FoundJournal =
  | SoundJournal
  | { readonly kind: "damaged"; readonly damage: JournalDamage };

/** What lies in a segment behind its last whole frame; a power cut or a full disk left it. */
interface DroppedTail {
  readonly file: string;
  readonly offset: number;
  readonly bytes: number;
}

/** Reads every segment that the tables have not absorbed, and changes nothing. */
export async function findJournal(disk: ReadableDisk, absorbed: Absorbed): Promise<FoundJournal> {
  const segments: FoundSegment[] = [];
  let last = absorbed.absorbedSegment;
  let nextFrame = absorbed.absorbedFrame + 1;
  /** Where among the segments the latest usable one is. */
  let usableAt: number | undefined;
  for (const segment of segmentsIn(await disk.names())) {
    last = Math.max(last, segment);
    if (segment <= absorbed.absorbedSegment) {
      segments.push({ kind: "absorbed", segment });
      continue;
    }
    const bytes = await disk.read(segmentName(segment));
    const fileBytes = bytes.length;
    const read = readSegment(segment, bytes);
    if (read.kind === "damaged") return { kind: "damaged", damage: { segment, ...read.damage } };
    if (read.kind === "unmade") {
      segments.push({ kind: "unmade", segment, fileBytes });
      continue;
    }
    const { firstFrame, frames, wholeBytes } = read;
    let previous = usableAt === undefined ? undefined : (segments[usableAt] as UsableSegment);
    if (previous !== undefined && takesBack(firstFrame, previous)) {
      previous = withoutLastFrame(previous);
      segments[usableAt!] = previous;
      nextFrame = firstFrame;
    }
    if (firstFrame !== nextFrame) {
      const expectedFrame = nextFrame;
      const missing = { kind: "frameMissing", firstFrame, expectedFrame, previous } as const;
      return { kind: "damaged", damage: { segment, ...missing } };
    }
    nextFrame = firstFrame + frames.length;
    const kind = wholeBytes < fileBytes ? "torn" : "whole";
    usableAt = segments.length;
    segments.push({ kind, segment, frames, frameEnd: nextFrame, wholeBytes, fileBytes });
  }
  return { kind: "sound", segments, lastSegment: last, nextFrame };
}

/** Only the last frame of a segment can have been refused. */
function takesBack(firstFrame: number, previous: UsableSegment): boolean {
  return previous.frames.length > 0 && firstFrame === previous.frameEnd - 1;
}

function withoutLastFrame(segment: UsableSegment): UsableSegment {
  const frames = segment.frames.slice(0, -1);
  return { ...segment, kind: "takenBack", frames, frameEnd: segment.frameEnd - 1 };
}

/** What was found, if it can be gone on with; throws `StoreFault`, with the place, if it cannot. */
export function soundJournal(found: FoundJournal): SoundJournal {
  if (found.kind === "sound") return found;
  throw new StoreFault(journalDamageText(found.damage));
}

/** The segments whose frames count, oldest first. */
export function usableSegments({ segments }: SoundJournal): readonly UsableSegment[] {
  return segments.filter(isUsable);
}

export function isUsable(found: FoundSegment): found is UsableSegment {
  return found.kind !== "absorbed" && found.kind !== "unmade";
}

/** What is in the files of a journal and counts for nothing. */
export function droppedTails({ segments }: SoundJournal): readonly DroppedTail[] {
  return segments.flatMap((found) => {
    if (found.kind === "absorbed") return [];
    const offset = found.kind === "unmade" ? 0 : found.wholeBytes;
    const bytes = found.fileBytes - offset;
    return bytes === 0 ? [] : [{ file: segmentName(found.segment), offset, bytes }];
  });
}

export function journalDamageText(damage: JournalDamage): string {
  const { segment } = damage;
  if (damage.kind !== "frameMissing") return segmentDamageText(segment, damage);
  const { firstFrame, expectedFrame, previous } = damage;
  const before =
    previous === undefined
      ? `the tables hold everything up to frame ${expectedFrame - 1}`
      : `${segmentName(previous.segment)} is whole up to offset ${previous.wholeBytes}`;
  return (
    `journal damaged: ${segmentName(segment)} goes on with frame ${firstFrame}, but ` +
    `frame ${expectedFrame} is missing (${before}). Restore a backup, or move ` +
    "the later journal files away to go back to the state before the damage."
  );
}
