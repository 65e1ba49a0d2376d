/** When the files of segments go, and how far each is durable, while a backup holds them. */
import { expect, test } from "vitest";
import { seededRandom } from "../../base/world.ts";
import { SimulatedDisk } from "../simulatedDisk.fake.ts";
import { segmentName } from "./segment.ts";
import { SegmentFiles } from "./segmentFiles.ts";

const HEADER = Buffer.from("h");

function staged(): { disk: SimulatedDisk; files: SegmentFiles } {
  const disk = new SimulatedDisk(seededRandom(1));
  return { disk, files: new SegmentFiles(disk) };
}

test("a segment is removed when it is told to go, or when the hold on it is released", async () => {
  const { disk, files } = staged();
  for (const segment of [1, 2]) await files.create(segment, HEADER);
  await files.remove(1);
  const hold = files.hold();
  await files.remove(2);
  expect(await disk.names()).toEqual([segmentName(2)]);
  await hold.release();
  expect(await disk.names()).toEqual([]);
});

test("once the journal is cut, only the segments of the cut are held", async () => {
  const { disk, files } = staged();
  await files.create(1, HEADER);
  const hold = files.hold();
  expect(hold.cut()).toEqual([{ name: segmentName(1), bytes: 1 }]);
  await files.create(2, HEADER);
  await files.remove(1);
  await files.remove(2);
  expect(await disk.names()).toEqual([segmentName(1)]);
  await hold.release();
  expect(await disk.names()).toEqual([]);
});

test("the cut says how far each file is durable, oldest first", async () => {
  const { files } = staged();
  const file = await files.create(10, Buffer.from("head"));
  await file.append(Buffer.from("frame"));
  const pending = file.append(Buffer.from("not yet"));
  files.note(9, 70);
  const hold = files.hold();
  expect(hold.cut()).toEqual([
    { name: segmentName(9), bytes: 70 },
    { name: segmentName(10), bytes: 9 },
  ]);
  await pending;
  await hold.release();
});

test("a frame that the disk refused is not among the durable bytes", async () => {
  const { disk, files } = staged();
  const file = await files.create(1, HEADER);
  disk.faultHook = () => {
    throw new Error("no space");
  };
  await expect(file.append(Buffer.from("refused"))).rejects.toThrow("no space");
  expect(files.hold().cut()).toEqual([{ name: segmentName(1), bytes: 1 }]);
});

test("the journal cannot be held twice at a time", async () => {
  const { files } = staged();
  const hold = files.hold();
  expect(() => files.hold()).toThrow("held already");
  await hold.release();
  await files.hold().release();
});
