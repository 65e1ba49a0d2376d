/**
 * One byte of the journal changes while nobody looks. Opening either refuses and names the file,
 * or what is answered is what was written. There is one exception, and it is told apart: damage in
 * the very last frame looks like a torn write, so that frame may be left out, whole.
 *
 * A store that is running has everything in memory until it is absorbed: it notices and stops.
 */
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../src/base/world.ts";
import type { EmbeddedStore } from "../../src/store/embeddedStore.ts";
import { readSegment } from "../../src/store/journal.ts";
import type { SimulatedDisk } from "../../src/store/simulatedDisk.ts";
import type { Wiring } from "./machine.ts";
import { Machine, overriding, ticks } from "./machine.ts";
import { PartHistory, perform } from "./partHistory.ts";
import { KEYS, nextStep, pick } from "./workload.ts";

const IMAGE_COUNT = process.env["ORRERY_CRASH"] === "full" ? 5_000 : 300;
const FRAME_HEADER_BYTES = 16;

type Outcome = "refused" | "unharmed" | "lastFrameDropped";

describe("a flipped byte", () => {
  test(`${IMAGE_COUNT} images: refused, unharmed, or the last frame left out`, async () => {
    const counts: Record<Outcome, number> = { refused: 0, unharmed: 0, lastFrameDropped: 0 };
    for (let seed = 1; seed <= IMAGE_COUNT; seed++) counts[await outcomeOf(seed)]++;
    // Each of them has to occur, or the images show less than they should.
    expect(Math.min(...Object.values(counts)), JSON.stringify(counts)).toBeGreaterThan(0);
    expect(counts.refused).toBeGreaterThan(IMAGE_COUNT / 2);
  });
});

test("a byte that flips while the store runs makes it answer nothing else", async () => {
  const outcomes = new Set<string>();
  for (let seed = 1; seed <= 60; seed++) outcomes.add(await runningOutcomeOf(seed));
  expect([...outcomes].sort()).toEqual(["stopped", "went on"]);
});

/** The flip happens to segments that are sealed and wait to be absorbed. */
async function runningOutcomeOf(seed: number): Promise<"stopped" | "went on"> {
  const random = seededRandom(seed);
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const options = { segmentBytesMax: 900, sealedCountMax: 100 };
  const machine = new Machine(random, options, {
    bottom: (bottom) =>
      overriding(bottom, { absorb: async (...what) => gate.then(() => bottom.absorb(...what)) }),
  });
  const histories = [1, 2, 3].map((part) => new PartHistory(part, KEYS));
  const store = await machine.boot();
  for (let step = 0; step < 20; step++) {
    await Promise.all(histories.map((history) => advance(store, history, random)));
  }
  machine.disk.flipByte();
  open();
  await ticks(4000);
  for (const history of histories) {
    const verdict = history.verdict(store);
    expect(verdict.kind, `seed ${seed}: ${JSON.stringify(verdict)}`).toBe("asAcknowledged");
  }
  return store.fault === undefined ? "went on" : "stopped";
}

async function outcomeOf(seed: number): Promise<Outcome> {
  const random = seededRandom(seed);
  const machine = new Machine(
    random,
    { segmentBytesMax: 900, sealedCountMax: 100 },
    {
      ...onlyAbsorbing(pick(random, 4)),
    },
  );
  const histories = [1, 2, 3].map((part) => new PartHistory(part, KEYS));
  const store = await machine.boot();
  for (let step = 0; step < 20; step++) {
    await Promise.all(histories.map((history) => advance(store, history, random)));
  }
  machine.cutPower();
  const lastFrame = await lastFrameOf(machine.disk);
  const flip = machine.disk.flipByte()!;
  const isInLastFrame = flip.name === lastFrame.name && flip.offset >= lastFrame.offset;

  const reopened = await machine.boot().catch((error: unknown) => String(error));
  if (typeof reopened === "string") {
    expect(reopened, `seed ${seed}`).toContain(flip.name);
    return "refused";
  }
  return compare(seed, reopened, histories, isInLastFrame);
}

/** In its first life the store absorbs a few segments and removes all of these but the last. */
function onlyAbsorbing(count: number): Wiring {
  let life = 0;
  return {
    disk: (disk) => {
      const isFirstLife = ++life === 1;
      let removedCount = 0;
      return overriding(disk, {
        remove: (name) =>
          isFirstLife && ++removedCount >= count ? new Promise(() => undefined) : disk.remove(name),
      });
    },
  };
}

function compare(
  seed: number,
  store: EmbeddedStore,
  histories: readonly PartHistory[],
  isInLastFrame: boolean,
): Outcome {
  const harmed = histories.filter((history) => history.verdict(store).kind !== "asAcknowledged");
  if (harmed.length === 0) return "unharmed";
  expect(isInLastFrame, `seed ${seed}: acknowledged steps are gone`).toBe(true);
  for (const history of harmed) {
    expect(history.isWithoutLast(store), `seed ${seed}: half a frame is left`).toBe(true);
  }
  return "lastFrameDropped";
}

async function advance(
  store: EmbeddedStore,
  history: PartHistory,
  random: Parameters<typeof nextStep>[0],
): Promise<void> {
  if (history.isDropped) return;
  const step = nextStep(random, history);
  await perform(store, history.part, step);
  history.acknowledge(step);
}

/** Where the last frame of the journal starts. */
async function lastFrameOf(disk: SimulatedDisk): Promise<{ name: string; offset: number }> {
  for (const name of [...(await disk.names())].sort().reverse()) {
    const read = readSegment(Number.parseInt(name, 10), await disk.read(name));
    const last = read?.frames.at(-1);
    if (last !== undefined) return { name, offset: last.start - FRAME_HEADER_BYTES };
  }
  throw new Error("the journal is empty");
}
