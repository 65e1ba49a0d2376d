/** When a segment of the journal ends and the next one begins, and when frames have to wait. */
import { expect, test } from "vitest";
import type { Timer } from "../../base/world.ts";
import { findJournal, NOTHING_ABSORBED, soundJournal } from "../journal/foundJournal.ts";
import { Journal } from "../journal/journal.ts";
import { emptyDisk } from "../journal/journalImages.fake.ts";
import { frameOf } from "../journal/record.ts";
import type { FrameView } from "../journal/segment.ts";
import { segmentName } from "../journal/segment.ts";
import { VisibleState } from "../memory/visibleState.ts";
import { EMPTY_HEAD } from "../partHead.ts";
import { SimulatedBottom } from "../simulatedBottom.fake.ts";
import type { SimulatedDisk } from "../simulatedDisk.fake.ts";
import { Health } from "./health.ts";
import type { RollingOptions } from "./rollingJournal.ts";
import { RollingJournal } from "./rollingJournal.ts";
import { SealedSegments } from "./sealedSegments.ts";

/** A header and one frame fit, a second frame does not. */
const OPTIONS = { segmentBytesMax: 150, sealedCountMax: 1 };

const timer: Timer = { after: () => () => undefined, soon: () => Promise.resolve() };

interface Stage {
  readonly disk: SimulatedDisk;
  readonly rolling: RollingJournal;
  /** Appends a frame that claims a part, and publishes it. */
  append(part: number): Promise<void>;
  /** Lets the bottom absorb. */
  absorb(): void;
  names(): Promise<readonly string[]>;
}

async function stage(options: RollingOptions = OPTIONS): Promise<Stage> {
  const disk = emptyDisk();
  const bottom = new SimulatedBottom(disk);
  let absorb: () => void = () => undefined;
  const allowed = new Promise<void>((resolve) => {
    absorb = resolve;
  });
  const absorbed = bottom.absorb.bind(bottom);
  bottom.absorb = (...what) => allowed.then(() => absorbed(...what));
  const journal = await Journal.goingOn(
    disk,
    soundJournal(await findJournal(disk, NOTHING_ABSORBED)),
  );
  const state = new VisibleState(bottom);
  const sealed = new SealedSegments({
    timer,
    journal,
    bottom,
    health: () => health,
    onAbsorbed: (table) => state.forget(table),
  });
  const health = new Health({
    timer,
    disk,
    bottom,
    notify: () => undefined,
    retry: () => sealed.retry(),
    onPassed: () => undefined,
  });
  const rolling = new RollingJournal({ options, journal, state, sealed, health });
  const append = async (part: number): Promise<void> => {
    const frame = claimOf(part);
    await rolling.append(frame);
    state.publish(frame);
  };
  return { disk, rolling, append, absorb, names: async () => [...(await disk.names())].sort() };
}

test("a frame that would make a segment too long goes into the next one", async () => {
  const { append, names, absorb } = await stage();
  await append(1);
  expect(await names()).toEqual([segmentName(1)]);
  await append(2);
  expect(await names()).toEqual([segmentName(1), segmentName(2)]);
  absorb();
  await settled();
  expect(await names()).toEqual([segmentName(2)]);
});

test("a frame waits while too many sealed segments wait for the bottom", async () => {
  const { append, names, absorb } = await stage();
  await append(1);
  await append(2);
  let isDurable = false;
  const third = append(3).then(() => {
    isDurable = true;
  });
  await settled();
  expect([isDurable, await names()]).toEqual([false, [segmentName(1), segmentName(2)]]);
  absorb();
  await third;
  await settled();
  expect(await names()).toEqual([segmentName(3)]);
});

test("a segment that a failed append has torn ends before the frame, which the next one has", async () => {
  const { disk, rolling, append } = await stage({ ...OPTIONS, segmentBytesMax: 1000 });
  await append(1);
  disk.faultHook = () => {
    throw new Error("no space");
  };
  const { file, offset } = rolling.doing();
  await expect(append(2)).rejects.toThrow("no space");
  expect(rolling.doing()).toEqual({ activity: "writing the journal", file, offset });
  disk.faultHook = undefined;
  await append(2);
  const found = soundJournal(await findJournal(disk, NOTHING_ABSORBED));
  expect(found.segments).toMatchObject([
    { segment: 1, frameEnd: 2 },
    { segment: 2, frameEnd: 3 },
  ]);
});

function claimOf(part: number): FrameView {
  return frameOf([{ kind: "head", part, head: { ...EMPTY_HEAD, epoch: 1 } }]);
}

/** Lets everything that can happen now happen. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}
