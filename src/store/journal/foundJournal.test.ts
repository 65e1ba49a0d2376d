/**
 * What a journal can be found to be, case by case: the table has a row for every kind of segment
 * and of damage, and one without a row does not compile. Reading never changes the disk.
 */
import { describe, expect, test } from "vitest";
import { StoreFault } from "../partitionStore.ts";
import type { Absorbed, FoundSegment, JournalDamage } from "./foundJournal.ts";
import {
  droppedTails,
  findJournal,
  NOTHING_ABSORBED,
  soundJournal,
  usableSegments,
} from "./foundJournal.ts";
import { Journal } from "./journal.ts";
import type { JournalImage } from "./journalImages.fake.ts";
import { diskWith, imageOfFrames, textFrame, textOf } from "./journalImages.fake.ts";
import { segmentHeader, segmentName } from "./segment.ts";

const HEADER_BYTES = 28;
const FRAME_BYTES = 16 + 1;

interface SegmentCase {
  readonly what: string;
  files(): Promise<JournalImage>;
  readonly absorbed?: Absorbed;
  /** What segment 2 is found to be; the other segments are as they should be. */
  readonly found: object;
  /** The frames of all segments that count. */
  readonly frames: string;
  /** Segments that are on the disk when the journal has gone on with one more frame. */
  readonly left: readonly number[];
  readonly dropped: readonly object[];
}

const SEGMENTS: Readonly<Record<FoundSegment["kind"], SegmentCase>> = {
  absorbed: {
    what: "the tables have all of it: it is removed, whatever it holds",
    files: async () => ({ ...(await imageOfFrames(["a"], ["b"], ["c"])), 2: Buffer.from("rot") }),
    absorbed: { absorbedSegment: 2, absorbedFrame: 2 },
    found: { segment: 2 },
    frames: "c",
    left: [3, 4],
    dropped: [],
  },
  unmade: {
    what: "it has no whole header and no frame: it is removed, and its bytes are told",
    files: async () => ({ ...(await imageOfFrames(["a"])), 2: Buffer.from("ORRERYJ1") }),
    found: { segment: 2, fileBytes: 8 },
    frames: "a",
    left: [1, 3],
    dropped: [{ file: segmentName(2), offset: 0, bytes: 8 }],
  },
  whole: {
    what: "every byte of it belongs to a frame: it stays",
    files: () => imageOfFrames(["a"], ["b", "c"]),
    found: { segment: 2, frameEnd: 4, wholeBytes: HEADER_BYTES + 2 * FRAME_BYTES },
    frames: "abc",
    left: [1, 2, 3],
    dropped: [],
  },
  torn: {
    what: "bytes lie behind its last whole frame: it stays as it is, and they are told",
    files: async () => {
      const files = await imageOfFrames(["a"], ["b", "c"]);
      return { ...files, 2: files[2]!.subarray(0, -3) };
    },
    found: {
      segment: 2,
      frameEnd: 3,
      wholeBytes: HEADER_BYTES + FRAME_BYTES,
      fileBytes: HEADER_BYTES + 2 * FRAME_BYTES - 3,
    },
    frames: "ab",
    left: [1, 2, 3],
    dropped: [{ file: segmentName(2), offset: HEADER_BYTES + FRAME_BYTES, bytes: FRAME_BYTES - 3 }],
  },
  takenBack: {
    what: "its last frame was refused, and the next segment has that number: it stays",
    files: async () => {
      const refused = await imageOfFrames(["a"], ["b", "x"]);
      const taken = await imageOfFrames(["a"], ["b"], ["c"]);
      return { ...refused, 3: taken[3]! };
    },
    found: { segment: 2, frameEnd: 3, wholeBytes: HEADER_BYTES + 2 * FRAME_BYTES },
    frames: "abc",
    left: [1, 2, 3, 4],
    dropped: [],
  },
};

describe("a segment that is found", () => {
  test.each(rowsOf(SEGMENTS))(
    "%s: %s",
    async (kind, _, { files, absorbed = NOTHING_ABSORBED, found, frames, left, dropped }) => {
      const disk = await diskWith(await files());
      const { operationCount } = disk;
      const journal = soundJournal(await findJournal(disk, absorbed));
      expect(disk.operationCount).toBe(operationCount);
      const second = journal.segments.find(({ segment }) => segment === 2);
      expect(second).toMatchObject({ kind, ...found });
      const texts = usableSegments(journal).flatMap((one) => one.frames.map(textOf));
      expect(texts.join("")).toBe(frames);
      expect(droppedTails(journal)).toEqual(dropped);

      const goingOn = await Journal.goingOn(disk, journal);
      await goingOn.append(textFrame("z"));
      expect([...(await disk.names())].sort()).toEqual(left.map(segmentName));
      const again = usableSegments(soundJournal(await findJournal(disk, absorbed)));
      expect(again.flatMap((one) => one.frames.map(textOf)).join("")).toBe(`${frames}z`);
    },
  );
});

interface DamageCase {
  readonly what: string;
  files(): Promise<JournalImage>;
  readonly damage: object;
  readonly says: string;
}

const DAMAGES: Readonly<Record<JournalDamage["kind"], DamageCase>> = {
  headerLost: {
    what: "frames follow a header that is not whole",
    files: async () => changed(await imageOfFrames(["a"], ["b"]), 2, 3),
    damage: { segment: 2 },
    says: "has no valid header",
  },
  frameLost: {
    what: "a whole frame follows one that is not",
    files: async () => changed(await imageOfFrames(["a"], ["b", "c"]), 2, HEADER_BYTES + 16),
    damage: { segment: 2, offset: HEADER_BYTES },
    says: `unreadable at offset ${HEADER_BYTES}, and acknowledged writes follow`,
  },
  bitChanged: {
    what: "one bit explains why the last frame is not whole",
    files: async () => changed(await imageOfFrames(["a"], ["b"]), 2, HEADER_BYTES + 16),
    damage: { segment: 2, offset: HEADER_BYTES },
    says: "one bit of it has changed",
  },
  frameMissing: {
    what: "a segment does not go on with the next frame",
    files: async () => {
      const { 1: first, 3: third } = await imageOfFrames(["a"], ["b"], ["c"]);
      return { 1: first!, 3: third! };
    },
    damage: { segment: 3, firstFrame: 3, expectedFrame: 2, previous: { segment: 1 } },
    says: `frame 2 is missing (${segmentName(1)} is whole up to offset`,
  },
};

describe("damage that is found", () => {
  test.each(rowsOf(DAMAGES))(
    "%s: %s, and nothing on the disk is changed",
    async (kind, _, { files, damage, says }) => {
      // A segment that the tables have would be removed if the journal were sound.
      const disk = await diskWith({ ...(await files()), 0: Buffer.from("absorbed long ago") });
      const { operationCount } = disk;
      const names = await disk.names();
      const found = await findJournal(disk, NOTHING_ABSORBED);
      expect(found).toMatchObject({ kind: "damaged", damage: { kind, ...damage } });
      expect(() => soundJournal(found)).toThrow(StoreFault);
      expect(() => soundJournal(found)).toThrow(says);
      expect([disk.operationCount, await disk.names()]).toEqual([operationCount, names]);
    },
  );

  test("frames that the tables should have and that are nowhere are missing, too", async () => {
    const { 2: second } = await imageOfFrames(["a"], ["b"]);
    const found = await findJournal(await diskWith({ 2: second! }), NOTHING_ABSORBED);
    expect(found).toMatchObject({ damage: { kind: "frameMissing", previous: undefined } });
    expect(() => soundJournal(found)).toThrow("the tables hold everything up to frame 0");
  });

  test("a frame that was acknowledged cannot be taken back by a segment after an empty one", async () => {
    const { 1: first } = await imageOfFrames(["a"]);
    const files = { 1: first!, 2: segmentHeader(2, 2), 3: segmentHeader(3, 1) };
    const found = await findJournal(await diskWith(files), NOTHING_ABSORBED);
    expect(found).toMatchObject({ damage: { kind: "frameMissing", segment: 3, firstFrame: 1 } });
  });
});

test("nothing is found on an empty disk, and the first frame is number 1", async () => {
  const found = await findJournal(await diskWith({}), NOTHING_ABSORBED);
  expect(found).toEqual({ kind: "sound", segments: [], lastSegment: 0, nextFrame: 1 });
});

function changed(files: JournalImage, segment: number, offset: number): JournalImage {
  files[segment]![offset]! ^= 4;
  return files;
}

function rowsOf<T extends { readonly what: string }>(
  table: Readonly<Record<string, T>>,
): readonly (readonly [string, string, T])[] {
  return Object.entries(table).map(([kind, row]) => [kind, row.what, row]);
}
