/**
 * One bit of the journal changes while nobody looks. Opening either refuses and names the file, or
 * what is answered is what was written. That holds for the very last frame, too: a power cut leaves
 * more than one bit of it wrong.
 *
 * A store that is running has everything in memory until it is absorbed: it notices and stops.
 */
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../src/base/world.ts";
import type { EmbeddedStore } from "../../src/store/embedded/embeddedStore.ts";
import type { Wiring } from "./machine.ts";
import { Machine, overriding, ticks } from "./machine.ts";
import { PartHistory, perform } from "./partHistory.ts";
import { KEYS, nextStep, pick } from "./workload.ts";

const IMAGE_COUNT = process.env["ORRERY_CRASH"] === "full" ? 5_000 : 300;

type Outcome = "refused" | "unharmed";

describe("a flipped bit", () => {
  test(`${IMAGE_COUNT} images: refused or unharmed`, async () => {
    const counts: Record<Outcome, number> = { refused: 0, unharmed: 0 };
    for (let seed = 1; seed <= IMAGE_COUNT; seed++) counts[await outcomeOf(seed)]++;
    // Each of them has to occur, or the images show less than they should.
    expect(Math.min(...Object.values(counts)), JSON.stringify(counts)).toBeGreaterThan(0);
    expect(counts.refused).toBeGreaterThan(IMAGE_COUNT / 2);
  });
});

test("a bit that flips while the store runs makes it answer nothing else", async () => {
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
  machine.disk.flipBit();
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
  const flip = machine.disk.flipBit()!;

  const reopened = await machine.boot().catch((error: unknown) => String(error));
  if (typeof reopened === "string") {
    expect(reopened, `seed ${seed}`).toContain(flip.name);
    return "refused";
  }
  for (const history of histories) {
    const verdict = history.verdict(reopened);
    expect(verdict.kind, `seed ${seed}: ${JSON.stringify(verdict)}`).toBe("asAcknowledged");
  }
  return "unharmed";
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
