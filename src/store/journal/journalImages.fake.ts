/** Journals made for tests: the files of segments by their numbers, and frames that are texts. */
import { seededRandom } from "../../base/world.ts";
import { SimulatedDisk } from "../simulatedDisk.fake.ts";
import { findJournal, NOTHING_ABSORBED, soundJournal } from "./foundJournal.ts";
import { Journal } from "./journal.ts";
import type { FrameView } from "./segment.ts";
import { newFrame, segmentName } from "./segment.ts";

/** Files by segment number. */
export type JournalImage = Record<number, Buffer>;

export function emptyDisk(): SimulatedDisk {
  return new SimulatedDisk(seededRandom(1));
}

export async function diskWith(files: JournalImage): Promise<SimulatedDisk> {
  const disk = emptyDisk();
  for (const [segment, bytes] of Object.entries(files)) {
    await disk.create(segmentName(Number(segment)), bytes);
  }
  return disk;
}

/** The files of a journal that wrote these frames, a list for each segment. */
export async function imageOfFrames(
  ...rows: readonly (readonly string[])[]
): Promise<JournalImage> {
  const disk = emptyDisk();
  const found = soundJournal(await findJournal(disk, NOTHING_ABSORBED));
  const journal = await Journal.goingOn(disk, found);
  for (const [index, row] of rows.entries()) {
    if (index > 0) await journal.seal().closed;
    for (const text of row) await journal.append(textFrame(text));
  }
  const files: JournalImage = {};
  for (const name of await disk.names()) files[Number.parseInt(name, 10)] = await disk.read(name);
  return files;
}

export function textFrame(text: string): FrameView {
  const frame = newFrame(Buffer.byteLength(text));
  frame.bytes.write(text, frame.start);
  return frame;
}

export function textOf({ bytes, start, end }: FrameView): string {
  return bytes.toString("utf8", start, end);
}
