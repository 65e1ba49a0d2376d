/**
 * Closing a store that has work left: commits under way, and more sealed segments than it wants to
 * have. Closing ends, every commit gets an answer, and what was acknowledged is found again.
 */
import { expect, test } from "vitest";
import { seededRandom } from "../../src/base/world.ts";
import { EmbeddedStore } from "../../src/store/embedded/embeddedStore.ts";
import { SimulatedBottom } from "../../src/store/simulatedBottom.fake.ts";
import { SimulatedDisk } from "../../src/store/simulatedDisk.fake.ts";
import { microTimer, overriding, ticks } from "./machine.ts";
import { PartHistory, perform } from "./partHistory.ts";
import { KEYS, nextStep } from "./workload.ts";

const LOOK_COUNT_MAX = 10_000;

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  "closing ends after %i00 steps, whatever waits",
  async (time) => {
    const random = seededRandom(time);
    const disk = new SimulatedDisk(random);
    const bottom = new SimulatedBottom(disk);
    const histories = [1, 2].map((part) => new PartHistory(part, KEYS));

    // A first life leaves segments behind that nobody has absorbed.
    const idle = overriding(bottom, { absorb: () => new Promise(() => undefined) });
    const options = { segmentBytesMax: 300, sealedCountMax: 100 };
    const first = await EmbeddedStore.open(microTimer, options, { disk, bottom: idle });
    for (const history of histories) await write(first, history, 12);

    const slow = overriding(bottom, {
      absorb: async (...what) => {
        await ticks(60);
        return bottom.absorb(...what);
      },
    });
    const store = await EmbeddedStore.open(microTimer, watchful(300, 1), { disk, bottom: slow });
    const writing = histories.map((history) => write(store, history, 30));
    await ticks(time * 100);
    await store.close();
    await Promise.all(writing);

    const last = await EmbeddedStore.open(microTimer, options, { disk, bottom });
    for (const history of histories) {
      const verdict = history.verdict(last);
      expect(verdict.kind, JSON.stringify(verdict)).not.toBe("violation");
    }

    /** Steps until the store says that it is closed. */
    async function write(on: EmbeddedStore, history: PartHistory, count: number): Promise<void> {
      for (let index = 0; index < count && !history.isDropped; index++) {
        const step = nextStep(random, history);
        history.begin(step);
        try {
          await perform(on, history.part, step);
        } catch (error) {
          expect(String(error)).toContain("closed");
          return;
        }
        history.acknowledge(step);
      }
    }
  },
);

/** Options that complain when they are looked at for ever: a loop without end would hang us all. */
function watchful(segmentBytesMax: number, sealedCountMax: number) {
  let lookCount = 0;
  return {
    segmentBytesMax,
    get sealedCountMax(): number {
      if (++lookCount > LOOK_COUNT_MAX) throw new Error("a loop without end");
      return sealedCountMax;
    },
  };
}
