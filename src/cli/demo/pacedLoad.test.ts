/** Loads on simulated time: who is counted where, what is not sent, what ends them. */
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../base/world.ts";
import type { LoadStage, Sender } from "./pacedLoad.ts";
import { arrivalsOf, pacedLoad, sumOf } from "./pacedLoad.ts";
import type { DemoAnswer } from "./stage.ts";

class Refused extends Error {
  readonly code: number;
  readonly headers: DemoAnswer["headers"];

  constructor(code: number, headers: DemoAnswer["headers"]) {
    super(String(code));
    this.code = code;
    this.headers = headers;
  }
}

/** Time passes in pauses only, and everything that was answered meanwhile has its turn in them. */
function simulatedStage(seed = 1): LoadStage & { elapsedSeconds: number } {
  return {
    random: seededRandom(seed),
    elapsedSeconds: 0,
    async pause(milliseconds) {
      this.elapsedSeconds += milliseconds / 1000;
      await new Promise((resolve) => setImmediate(resolve));
    },
    refusalOf(error) {
      if (!(error instanceof Refused)) throw error;
      return { code: error.code, substatus: 0, headers: error.headers };
    },
  };
}

const answer = (rangeId: string, ru: number): DemoAnswer => ({
  headers: {
    "x-ms-documentdb-partitionkeyrangeid": rangeId,
    "x-ms-request-charge": String(ru),
  },
});

const sender = (name: string, perSecond: number, send: Sender["send"]): Sender => ({
  name,
  perSecond,
  send,
});

describe("arrivals", () => {
  const silent = async (): Promise<DemoAnswer> => answer("0", 1);

  test("come in the order of time, each sender at its pace and counted from zero", () => {
    const senders = [sender("often", 90, silent), sender("seldom", 10, silent)];
    const arrivals = arrivalsOf(seededRandom(7), senders);
    const taken = Array.from({ length: 10_000 }, () => arrivals.next().value);
    const times = taken.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times.at(-1)! / 100).toBeGreaterThan(0.95);
    expect(times.at(-1)! / 100).toBeLessThan(1.05);
    const often = taken.filter((arrival) => arrival.sender === senders[0]);
    expect(often.length / taken.length).toBeCloseTo(0.9, 1);
    expect(often.map(({ count }) => count)).toEqual(often.map((_, at) => at));
  });

  test("are the same for the same seed, and others for another", () => {
    const times = (seed: number): readonly number[] => {
      const arrivals = arrivalsOf(seededRandom(seed), [sender("a", 5, silent)]);
      return Array.from({ length: 5 }, () => arrivals.next().value.at);
    };
    expect(times(3)).toEqual(times(3));
    expect(times(3)).not.toEqual(times(4));
  });
});

describe("a load", () => {
  test("is booked by sender and physical partition, what was throttled without its charge", async () => {
    const result = await pacedLoad(
      simulatedStage(),
      [
        sender("a", 50, async (count) => answer(count % 2 === 0 ? "0" : "1", 10)),
        sender("b", 50, async (count) => {
          if (count % 5 === 0) throw new Refused(429, answer("1", 0.38).headers);
          return answer("1", 20);
        }),
      ],
      { seconds: 20 },
    );
    expect(result.seconds).toBeCloseTo(20, 1);
    const places = result.tallies.map(({ sender: who, rangeId }) => `${who} ${rangeId}`);
    expect(places.toSorted()).toEqual(["a 0", "a 1", "b 1"]);
    const a = sumOf(result, ({ sender: who }) => who === "a");
    expect(a.throttledCount).toBe(0);
    expect(a.ruPerSecond).toBeCloseTo((a.servedCount * 10) / result.seconds);
    expect(a.servedCount).toBeGreaterThan(850);
    expect(a.servedCount).toBeLessThan(1150);
    const b = sumOf(result, ({ sender: who }) => who === "b");
    expect(b.throttledShare).toBeCloseTo(0.2, 2);
    expect(b.ruPerSecond).toBeCloseTo((b.servedCount * 20) / result.seconds);
    const second = sumOf(result, ({ rangeId }) => rangeId === "1");
    expect(second.servedCount).toBeGreaterThan(b.servedCount);
  });

  test("is not counted while it warms up", async () => {
    let sentCount = 0;
    const send = async (): Promise<DemoAnswer> => {
      sentCount++;
      return answer("0", 1);
    };
    const terms = { seconds: 10, warmUpSeconds: 5 };
    const result = await pacedLoad(simulatedStage(), [sender("a", 100, send)], terms);
    const { servedCount } = sumOf(result, () => true);
    expect(servedCount / sentCount).toBeGreaterThan(0.4);
    expect(servedCount / sentCount).toBeLessThan(0.6);
    expect(result.seconds).toBeCloseTo(5, 1);
  });

  test("sends no more to somebody who does not answer than forty", async () => {
    let sentCount = 0;
    const answers: (() => void)[] = [];
    const send = (): Promise<DemoAnswer> => {
      sentCount++;
      return new Promise((resolve) => answers.push(() => resolve(answer("0", 1))));
    };
    const stage = simulatedStage();
    const load = pacedLoad(stage, [sender("a", 1000, send)], { seconds: 1 });
    while (stage.elapsedSeconds < 1) await stage.pause(0);
    expect(sentCount).toBe(40);
    for (const give of answers) give();
    await load;
    expect(sentCount).toBe(40);
  });

  test.each([
    ["no longer than it was told when there is enough", () => true, 2],
    ["until there is enough", (elapsed: number) => elapsed > 10, 10],
    ["but not for ever", () => false, 32],
  ])("goes on %s", async (_rule, isEnough, seconds) => {
    const stage = simulatedStage();
    const send = async (): Promise<DemoAnswer> => answer("0", 1);
    const overtime = { seconds: 30, isEnough: () => isEnough(stage.elapsedSeconds) };
    const terms = { seconds: 2, overtime };
    const result = await pacedLoad(stage, [sender("a", 1, send)], terms);
    expect(result.seconds).toBeCloseTo(seconds, 1);
  });

  test.each([
    ["another refusal", new Refused(403, {})],
    ["a failure of the client", new Error("socket hang up")],
  ])("ends with %s, and sends nothing more", async (_rule, failure) => {
    let sentCount = 0;
    const send = async (): Promise<DemoAnswer> => {
      if (++sentCount === 10) throw failure;
      return answer("0", 1);
    };
    const stage = simulatedStage();
    await expect(pacedLoad(stage, [sender("a", 10, send)], { seconds: 60 })).rejects.toBe(failure);
    expect(sentCount).toBeLessThan(15);
    expect(stage.elapsedSeconds).toBeLessThan(30);
  });

  test("of which nothing was meant comes to nothing", () => {
    expect(sumOf({ seconds: 1, tallies: [] }, () => true)).toEqual({
      servedCount: 0,
      throttledCount: 0,
      throttledShare: 0,
      ruPerSecond: 0,
    });
  });
});
