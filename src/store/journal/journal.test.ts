/**
 * What recovery accepts and what it refuses, case by case; then the same for a journal cut off at
 * every byte. A power cut can damage the end of the last frame only. Everything else is damage.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../base/world.ts";
import type { Disk } from "../disk.ts";
import { StoreFault } from "../partitionStore.ts";
import { SimulatedDisk } from "../simulatedDisk.fake.ts";
import { Journal, newFrame, segmentName } from "./journal.ts";

const HEADER_BYTES = 28;
const FRAME_HEADER_BYTES = 16;
const NOTHING_ABSORBED = { absorbedSegment: 0, absorbedFrame: 0 };

/** Files by segment number. */
type Image = Record<number, Buffer>;

describe("what is found", () => {
  test("nothing on an empty disk, and the first segment is number 1", async () => {
    const disk = newDisk();
    const { journal, found } = await Journal.open(disk, NOTHING_ABSORBED);
    expect(found).toEqual([]);
    await journal.append(frameOf("a"));
    expect(await disk.names()).toEqual([segmentName(1)]);
  });

  test("the frames of all segments, in order", async () => {
    expect(await foundIn(await image(["a", "b"], ["c"]))).toEqual([["a", "b"], ["c"]]);
  });

  test("after opening, the journal goes on in a new segment with the next frame", async () => {
    const disk = diskOf(await image(["a", "b"], ["c"]));
    const { journal } = await Journal.open(await disk, NOTHING_ABSORBED);
    await journal.append(frameOf("d"));
    const again = await Journal.open(await disk, NOTHING_ABSORBED);
    expect(again.found.map(({ segment }) => segment)).toEqual([1, 2, 3]);
    expect(again.found.at(-1)!.frames.map(textOf)).toEqual(["d"]);
  });

  test("a torn end of the last segment is left out", async () => {
    const files = await image(["a", "b"], ["c", "dddd"]);
    files[2] = files[2]!.subarray(0, files[2]!.length - 2);
    expect(await foundIn(files)).toEqual([["a", "b"], ["c"]]);
  });

  test("a torn end of an earlier one too, if the next goes on with that very frame", async () => {
    const files = await image(["a"], ["b"]);
    files[1] = Buffer.concat([files[1]!, Buffer.from("half a frame that was refused")]);
    expect(await foundIn(files)).toEqual([["a"], ["b"]]);
  });

  test("a frame that was refused and is there all the same gives way to its successor", async () => {
    const files = await image(["a", "refused"], ["never read"]);
    const other = await image(["a"], ["b"]);
    expect(await foundIn({ 1: files[1]!, 2: other[2]! })).toEqual([["a"], ["b"]]);
  });

  test("a segment that was being made when the power went is removed", async () => {
    const files = await image(["a"]);
    const disk = await diskOf({ ...files, 2: Buffer.alloc(HEADER_BYTES - 5) });
    const { found } = await Journal.open(disk, NOTHING_ABSORBED);
    expect(found.map(({ segment }) => segment)).toEqual([1]);
    expect(await disk.names()).toEqual([segmentName(1)]);
  });

  test("segments that are absorbed are removed unread, damaged or not", async () => {
    const files = await image(["a"], ["b"], ["c"]);
    const disk = await diskOf({ ...files, 1: Buffer.from("rubbish") });
    const { found } = await Journal.open(disk, { absorbedSegment: 2, absorbedFrame: 2 });
    expect(found.map(({ frames }) => frames.map(textOf))).toEqual([["c"]]);
    expect(await disk.names()).toEqual([segmentName(3)]);
  });

  test("a number is not given twice, even if the segment that had it is gone", async () => {
    const disk = newDisk();
    const { journal } = await Journal.open(disk, { absorbedSegment: 7, absorbedFrame: 70 });
    await journal.append(frameOf("a"));
    expect(await disk.names()).toEqual([segmentName(8)]);
  });

  test("files that are not the journal's are left alone", async () => {
    const disk = await diskOf(await image(["a"]));
    await disk.create("notes.txt", Buffer.from("mine"));
    expect((await Journal.open(disk, NOTHING_ABSORBED)).found).toHaveLength(1);
    expect(await disk.names()).toContain("notes.txt");
  });
});

describe("what is refused, naming the file", () => {
  test("a bad frame with good ones behind it, and where it is", async () => {
    const files = await image(["a", "b", "c"]);
    flip(files[1]!, HEADER_BYTES + FRAME_HEADER_BYTES);
    await expectRefused(files, 1, `offset ${HEADER_BYTES}`);
  });

  test("a bad length does not hide the frames behind it", async () => {
    const files = await image(["a", "b", "c"]);
    flip(files[1]!, HEADER_BYTES);
    await expectRefused(files, 1, `offset ${HEADER_BYTES}`);
  });

  test("a frame that is missing between two segments", async () => {
    const files = await image(["a", "b"], ["c"]);
    flip(files[1]!, files[1]!.length - 1);
    flip(files[1]!, files[1]!.length - 6);
    await expectRefused(files, 1, "frame 2 is missing");
  });

  test("one changed bit in the last frame, wherever it is", async () => {
    const files = await image(["a", "some words"]);
    const whole = Buffer.from(files[1]!);
    const lastAt = whole.length - FRAME_HEADER_BYTES - "some words".length;
    for (let bit = lastAt * 8; bit < whole.length * 8; bit++) {
      whole.copy(files[1]!);
      files[1]![bit >>> 3]! ^= 1 << (bit & 7);
      await expectRefused(files, 1, `at offset ${lastAt}, was whole`);
    }
  });

  test("a whole segment that is missing, in the middle or at the start", async () => {
    const { 1: first, 3: third } = await image(["a"], ["b"], ["c"]);
    await expectRefused({ 1: first!, 3: third! }, 3, "frame 2 is missing");
    await expectRefused({ 3: third! }, 3, "frame 1 is missing");
  });

  test("a segment that takes back more than the one frame that can have been refused", async () => {
    const files = await image(["a", "b", "c"], ["d"]);
    const other = await image(["a"], ["b"]);
    await expectRefused({ 1: files[1]!, 2: other[2]! }, 2, "frame");
  });

  test("a bad header before good frames", async () => {
    for (const offset of [0, 9, 17, 25]) {
      const files = await image(["a"]);
      flip(files[1]!, offset);
      await expectRefused(files, 1, "header");
    }
  });

  test("a bad header, however many frames the journal has seen", async () => {
    const disk = newDisk();
    const absorbed = { absorbedSegment: 4, absorbedFrame: 3_000_000 };
    const { journal } = await Journal.open(disk, absorbed);
    await journal.append(frameOf("acknowledged"));
    const bytes = await disk.read(segmentName(5));
    flip(bytes, 0);
    const opened = Journal.open(await diskOf({ 5: bytes }), absorbed);
    await expect(opened).rejects.toThrow(segmentName(5));
  });

  test("a segment under another's name", async () => {
    const files = await image(["a"], ["b"]);
    await expectRefused({ 1: files[1]!, 5: files[2]! }, 5, "header");
  });
});

describe("a failed append", () => {
  test("ends the segment; the next one goes on with the same frame", async () => {
    const disk = newDisk();
    const { journal } = await Journal.open(disk, NOTHING_ABSORBED);
    await journal.append(frameOf("a"));
    disk.faultHook = () => {
      throw new Error("no space");
    };
    await expect(journal.append(frameOf("refused"))).rejects.toThrow("no space");
    disk.faultHook = undefined;
    expect(journal.isTorn).toBe(true);
    await expect(journal.append(frameOf("b"))).rejects.toThrow("torn");
    await journal.seal();
    await journal.append(frameOf("b"));
    const { found } = await Journal.open(disk, NOTHING_ABSORBED);
    expect(found.map(({ frames }) => frames.map(textOf))).toEqual([["a"], ["b"]]);
  });
});

test("cut off anywhere, the last segment gives the frames that are whole, and no error", async () => {
  const files = await image(["first"], ["second", "", "the third"]);
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
      expect(await foundIn(await image(...rows))).toEqual(rows);
    }),
  );
});

function newDisk(): SimulatedDisk {
  return new SimulatedDisk(seededRandom(1));
}

async function diskOf(files: Image): Promise<SimulatedDisk> {
  const disk = newDisk();
  for (const [segment, bytes] of Object.entries(files)) {
    await disk.create(segmentName(Number(segment)), bytes);
  }
  return disk;
}

/** The files of a journal that wrote these frames, a list for each segment. */
async function image(...rows: readonly (readonly string[])[]): Promise<Image> {
  const disk: Disk = newDisk();
  const { journal } = await Journal.open(disk, NOTHING_ABSORBED);
  for (const [index, row] of rows.entries()) {
    if (index > 0) await journal.seal();
    for (const text of row) await journal.append(frameOf(text));
  }
  const files: Image = {};
  for (const name of await disk.names()) files[Number.parseInt(name, 10)] = await disk.read(name);
  return files;
}

async function foundIn(files: Image): Promise<string[][]> {
  const { found } = await Journal.open(await diskOf(files), NOTHING_ABSORBED);
  return found.map(({ frames }) => frames.map(textOf));
}

async function expectRefused(files: Image, segment: number, reason: string): Promise<void> {
  const disk = await diskOf(files);
  const error: unknown = await Journal.open(disk, NOTHING_ABSORBED).catch((reason) => reason);
  expect(error).toBeInstanceOf(StoreFault);
  expect(String(error)).toContain(segmentName(segment));
  expect(String(error)).toContain(reason);
}

function frameOf(text: string): ReturnType<typeof newFrame> {
  const frame = newFrame(Buffer.byteLength(text));
  frame.bytes.write(text, frame.start);
  return frame;
}

function textOf({ bytes, start, end }: ReturnType<typeof newFrame>): string {
  return bytes.toString("utf8", start, end);
}

function flip(bytes: Buffer, offset: number): void {
  bytes[offset]! ^= 4;
}
