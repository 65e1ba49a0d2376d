/**
 * What recovery accepts and what it refuses, case by case; then the same for a journal cut off at
 * every byte. A power cut can damage the end of the last frame only. Everything else is damage.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Disk } from "../disk.ts";
import { StoreFault } from "../partitionStore.ts";
import type { Absorbed, UsableSegment } from "./foundJournal.ts";
import { findJournal, NOTHING_ABSORBED, soundJournal, usableSegments } from "./foundJournal.ts";
import { Journal } from "./journal.ts";
import type { JournalImage } from "./journalImages.fake.ts";
import { diskWith, emptyDisk, imageOfFrames, textFrame, textOf } from "./journalImages.fake.ts";
import { segmentName } from "./segment.ts";

const HEADER_BYTES = 28;
const FRAME_HEADER_BYTES = 16;

describe("what is found", () => {
  test("nothing on an empty disk, and the first segment is number 1", async () => {
    const disk = emptyDisk();
    const { journal, found } = await opened(disk);
    expect(found).toEqual([]);
    await journal.append(textFrame("a"));
    expect(await disk.names()).toEqual([segmentName(1)]);
  });

  test("the frames of all segments, in order", async () => {
    expect(await foundIn(await imageOfFrames(["a", "b"], ["c"]))).toEqual([["a", "b"], ["c"]]);
  });

  test("after opening, the journal goes on in a new segment with the next frame", async () => {
    const disk = diskWith(await imageOfFrames(["a", "b"], ["c"]));
    const { journal } = await opened(await disk);
    await journal.append(textFrame("d"));
    const again = await opened(await disk);
    expect(again.found.map(({ segment }) => segment)).toEqual([1, 2, 3]);
    expect(again.found.at(-1)!.frames.map(textOf)).toEqual(["d"]);
  });

  test("a torn end of the last segment is left out", async () => {
    const files = await imageOfFrames(["a", "b"], ["c", "dddd"]);
    files[2] = files[2]!.subarray(0, files[2]!.length - 2);
    expect(await foundIn(files)).toEqual([["a", "b"], ["c"]]);
  });

  test("a torn end of an earlier one too, if the next goes on with that very frame", async () => {
    const files = await imageOfFrames(["a"], ["b"]);
    files[1] = Buffer.concat([files[1]!, Buffer.from("half a frame that was refused")]);
    expect(await foundIn(files)).toEqual([["a"], ["b"]]);
  });

  test("a frame that was refused and is there all the same gives way to its successor", async () => {
    const files = await imageOfFrames(["a", "refused"], ["never read"]);
    const other = await imageOfFrames(["a"], ["b"]);
    expect(await foundIn({ 1: files[1]!, 2: other[2]! })).toEqual([["a"], ["b"]]);
  });

  test("a segment that was being made when the power went is removed", async () => {
    const files = await imageOfFrames(["a"]);
    const disk = await diskWith({ ...files, 2: Buffer.alloc(HEADER_BYTES - 5) });
    const { found } = await opened(disk);
    expect(found.map(({ segment }) => segment)).toEqual([1]);
    expect(await disk.names()).toEqual([segmentName(1)]);
  });

  test("segments that are absorbed are removed unread, damaged or not", async () => {
    const files = await imageOfFrames(["a"], ["b"], ["c"]);
    const disk = await diskWith({ ...files, 1: Buffer.from("rubbish") });
    const { found } = await opened(disk, { absorbedSegment: 2, absorbedFrame: 2 });
    expect(found.map(({ frames }) => frames.map(textOf))).toEqual([["c"]]);
    expect(await disk.names()).toEqual([segmentName(3)]);
  });

  test("a number is not given twice, even if the segment that had it is gone", async () => {
    const disk = emptyDisk();
    const { journal } = await opened(disk, { absorbedSegment: 7, absorbedFrame: 70 });
    await journal.append(textFrame("a"));
    expect(await disk.names()).toEqual([segmentName(8)]);
  });

  test.each(["notes.txt", "copy.journal", "1.journal", "0000000001 (2).journal"])(
    "a file that is not the journal's, such as %s, is left alone",
    async (name) => {
      const disk = await diskWith(await imageOfFrames(["a"]));
      await disk.create(name, Buffer.from("mine"));
      expect((await opened(disk)).found).toHaveLength(1);
      expect(await disk.names()).toContain(name);
    },
  );
});

describe("what is refused, naming the file", () => {
  test("a bad frame with good ones behind it, and where it is", async () => {
    const files = await imageOfFrames(["a", "b", "c"]);
    flip(files[1]!, HEADER_BYTES + FRAME_HEADER_BYTES);
    await expectRefused(files, 1, `offset ${HEADER_BYTES}`);
  });

  test("a bad length does not hide the frames behind it", async () => {
    const files = await imageOfFrames(["a", "b", "c"]);
    flip(files[1]!, HEADER_BYTES);
    await expectRefused(files, 1, `offset ${HEADER_BYTES}`);
  });

  test("a frame that is missing between two segments", async () => {
    const files = await imageOfFrames(["a", "b"], ["c"]);
    flip(files[1]!, files[1]!.length - 1);
    flip(files[1]!, files[1]!.length - 6);
    await expectRefused(files, 1, "frame 2 is missing");
  });

  test("one changed bit in the last frame, wherever it is", async () => {
    const files = await imageOfFrames(["a", "some words"]);
    const whole = Buffer.from(files[1]!);
    const lastAt = whole.length - FRAME_HEADER_BYTES - "some words".length;
    for (let bit = lastAt * 8; bit < whole.length * 8; bit++) {
      whole.copy(files[1]!);
      files[1]![bit >>> 3]! ^= 1 << (bit & 7);
      await expectRefused(files, 1, `at offset ${lastAt}, was whole`);
    }
  });

  test("a whole segment that is missing, in the middle or at the start", async () => {
    const { 1: first, 3: third } = await imageOfFrames(["a"], ["b"], ["c"]);
    await expectRefused({ 1: first!, 3: third! }, 3, "frame 2 is missing");
    await expectRefused({ 3: third! }, 3, "frame 1 is missing");
  });

  test("a segment that takes back more than the one frame that can have been refused", async () => {
    const files = await imageOfFrames(["a", "b", "c"], ["d"]);
    const other = await imageOfFrames(["a"], ["b"]);
    await expectRefused({ 1: files[1]!, 2: other[2]! }, 2, "frame");
  });

  test("a bad header before good frames", async () => {
    for (const offset of [0, 9, 17, 25]) {
      const files = await imageOfFrames(["a"]);
      flip(files[1]!, offset);
      await expectRefused(files, 1, "header");
    }
  });

  test("a bad header, however many frames the journal has seen", async () => {
    const disk = emptyDisk();
    const absorbed = { absorbedSegment: 4, absorbedFrame: 3_000_000 };
    const { journal } = await opened(disk, absorbed);
    await journal.append(textFrame("acknowledged"));
    const bytes = await disk.read(segmentName(5));
    flip(bytes, 0);
    const reopened = opened(await diskWith({ 5: bytes }), absorbed);
    await expect(reopened).rejects.toThrow(segmentName(5));
  });

  test("a segment under another's name", async () => {
    const files = await imageOfFrames(["a"], ["b"]);
    await expectRefused({ 1: files[1]!, 5: files[2]! }, 5, "header");
  });
});

describe("a failed append", () => {
  test("ends the segment; the next one goes on with the same frame", async () => {
    const disk = emptyDisk();
    const { journal } = await opened(disk);
    await journal.append(textFrame("a"));
    disk.faultHook = () => {
      throw new Error("no space");
    };
    await expect(journal.append(textFrame("refused"))).rejects.toThrow("no space");
    disk.faultHook = undefined;
    expect(journal.isTorn).toBe(true);
    await expect(journal.append(textFrame("b"))).rejects.toThrow("torn");
    await journal.seal().closed;
    await journal.append(textFrame("b"));
    const { found } = await opened(disk);
    expect(found.map(({ frames }) => frames.map(textOf))).toEqual([["a"], ["b"]]);
  });
});

test("cut off anywhere, the last segment gives the frames that are whole, and no error", async () => {
  const files = await imageOfFrames(["first"], ["second", "", "the third"]);
  const whole = files[2]!;
  const ends = [0, 6, 6 + 0, 6 + 9].map((bytes, count) => HEADER_BYTES + bytes + count * 16);
  for (let length = 0; length <= whole.length; length++) {
    const found = await foundIn({ ...files, 2: whole.subarray(0, length) });
    const frameCount = ends.filter((end) => end <= length).length - 1;
    const expected = ["second", "", "the third"].slice(0, Math.max(frameCount, 0));
    expect(found, `cut at ${length}`).toEqual(
      length < HEADER_BYTES ? [["first"]] : [["first"], expected],
    );
  }
});

test("any rows of frames are read back as they were written", async () => {
  const anyRows = fc.array(fc.array(fc.string({ maxLength: 40 }), { minLength: 1, maxLength: 5 }), {
    minLength: 1,
    maxLength: 5,
  });
  await fc.assert(
    fc.asyncProperty(anyRows, async (rows) => {
      expect(await foundIn(await imageOfFrames(...rows))).toEqual(rows);
    }),
  );
});

async function foundIn(files: JournalImage): Promise<string[][]> {
  const { found } = await opened(await diskWith(files));
  return found.map(({ frames }) => frames.map(textOf));
}

async function expectRefused(files: JournalImage, segment: number, reason: string): Promise<void> {
  const disk = await diskWith(files);
  const error: unknown = await opened(disk).catch((reason) => reason);
  expect(error).toBeInstanceOf(StoreFault);
  expect(String(error)).toContain(segmentName(segment));
  expect(String(error)).toContain(reason);
}

/** What was found, and the journal that goes on with it. */
async function opened(
  disk: Disk,
  absorbed: Absorbed = NOTHING_ABSORBED,
): Promise<{ readonly journal: Journal; readonly found: readonly UsableSegment[] }> {
  const found = soundJournal(await findJournal(disk, absorbed));
  return { journal: await Journal.goingOn(disk, found), found: usableSegments(found) };
}

function flip(bytes: Buffer, offset: number): void {
  bytes[offset]! ^= 4;
}
