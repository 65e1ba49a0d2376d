/** When the bottom may rest: after a lull, and never while it absorbs. */
import { expect, test } from "vitest";
import { findJournal, NOTHING_ABSORBED, soundJournal } from "../journal/foundJournal.ts";
import { Journal } from "../journal/journal.ts";
import { emptyDisk } from "../journal/journalImages.fake.ts";
import { frameOf } from "../journal/record.ts";
import { MemoryTable } from "../memory/memoryTable.ts";
import { EMPTY_HEAD } from "../partHead.ts";
import { SimulatedBottom } from "../simulatedBottom.fake.ts";
import { SealedSegments } from "./sealedSegments.ts";

test("the bottom rests when nothing was absorbed for a while", async () => {
  const { seal, passTime, restCount } = await stage();
  await seal();
  expect(restCount()).toBe(0);
  passTime();
  expect(restCount()).toBe(1);
});

test("the next segment comes before the rest", async () => {
  const { seal, passTime, restCount } = await stage();
  await seal();
  await seal();
  passTime();
  expect(restCount()).toBe(1);
});

test("a store that is closed tells nobody to rest", async () => {
  const { sealed, seal, passTime, restCount } = await stage();
  await seal();
  await sealed.close();
  passTime();
  expect(restCount()).toBe(0);
});

async function stage() {
  const disk = emptyDisk();
  const bottom = new SimulatedBottom(disk);
  let restCount = 0;
  bottom.rest = () => {
    restCount++;
  };
  const waiting = new Set<() => void>();
  const timer = {
    after: (_delay: number, action: () => void) => {
      waiting.add(action);
      return () => void waiting.delete(action);
    },
    soon: () => Promise.resolve(),
  };
  const found = soundJournal(await findJournal(disk, NOTHING_ABSORBED));
  const journal = await Journal.goingOn(disk, found);
  const health = { obstacle: undefined, meet: () => Promise.reject(new Error("no trouble")) };
  const sealed = new SealedSegments({
    timer,
    journal,
    bottom,
    health: () => health as never,
    onAbsorbed: () => undefined,
  });
  /** Absorbs a segment of one frame. */
  const seal = async (): Promise<void> => {
    await journal.append(frameOf([{ kind: "head", part: 1, head: { ...EMPTY_HEAD, epoch: 1 } }]));
    const { sealed: segment, closed } = journal.seal();
    sealed.push({ ...segment, table: new MemoryTable({ isBottom: false }) });
    sealed.absorb();
    await closed;
    await sealed.makeRoom(1);
    for (let turn = 0; turn < 50; turn++) await Promise.resolve();
  };
  const passTime = (): void => {
    for (const action of [...waiting]) action();
    waiting.clear();
  };
  return { sealed, seal, passTime, restCount: () => restCount };
}
