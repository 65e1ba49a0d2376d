/** What takes the steps of jobs, and makes the rounds, in simulated time. */
import { describe, expect, test } from "vitest";
import { millis } from "../../base/units.ts";
import { badRequest } from "../../model/refusal.ts";
import { Fenced, StoreFault } from "../../store/partitionStore.ts";
import { SimulatedTime, settled } from "../simulatedAccount.fake.ts";
import { BackgroundWork } from "./backgroundWork.ts";
import type { Job, JobEnd, JobStep } from "./job.ts";
import { AGAIN, DONE, WAITS } from "./job.ts";
import { oneAfterAnother } from "./turns.ts";

const FULL = new StoreFault("the disk is full");
const REFUSED = { kind: "refused", refusal: badRequest("no") } as const;

describe("a job", () => {
  test.each<[string, readonly JobStep<void>[], JobEnd<void>]>([
    ["is done when a step says so", [DONE], DONE],
    ["is refused when a step says so", [AGAIN, REFUSED], REFUSED],
    ["goes on as long as a step says again", [AGAIN, AGAIN, AGAIN, DONE], DONE],
  ])("%s", async (_rule, steps, end) => {
    const { run, time } = stage();
    const job = run(steps);
    await settled();
    expect(job).toEqual({ stepCount: steps.length, end });
    expect(time.waitingCount).toBe(0);
  });

  test("pauses when a step says that it waits", async () => {
    const { run, time } = stage();
    const job = run([WAITS, WAITS, DONE]);
    await time.advance(99);
    expect(job.stepCount).toBe(1);
    await time.advance(1);
    expect(job.stepCount).toBe(2);
    await time.advance(100);
    expect(job.end).toEqual(DONE);
  });

  test("lets tables that are far behind take a segment, unless somebody waits for it", async () => {
    const { work, run, time, store } = stage();
    let ease = (): void => undefined;
    store.pressure = 2 / 3;
    store.eased = () => new Promise<void>((resolve) => (ease = resolve));
    const job = run([AGAIN, DONE]);
    const awaited = work.run({ isAwaited: true, step: async () => DONE });
    expect(await awaited).toEqual(DONE);
    await time.advance(1000);
    expect(job.stepCount).toBe(0);
    ease();
    await settled();
    expect(job.stepCount).toBe(1);
    store.pressure = 1 / 3;
    ease();
    await settled();
    expect(job.end).toEqual(DONE);
  });

  test("lets others have their turn between two steps", async () => {
    const time = new SimulatedTime();
    let turns = 0;
    const timer = { ...time.timer, soon: async () => void turns++ };
    const work = new BackgroundWork({
      store: { fault: undefined, pressure: 0, eased: async () => undefined },
      timer,
    });
    const steps: JobStep<void>[] = [AGAIN, AGAIN, DONE];
    await work.run({ step: async () => steps.shift()! });
    expect(turns).toBe(2);
  });

  test("shares its row: one step at a time, and one that pauses lets the others go", async () => {
    const { work, time } = stage();
    const inTurn = oneAfterAnother();
    const seen: string[] = [];
    const named = (name: string, steps: readonly JobStep<void>[]): Job<void> => {
      let count = 0;
      const step = async (): Promise<JobStep<void>> => {
        seen.push(`${name} begins`);
        for (let turn = 0; turn < 10; turn++) await Promise.resolve();
        seen.push(`${name} ends`);
        return steps[count++]!;
      };
      return { inTurn, step };
    };
    const one = work.run(named("one", [WAITS, DONE]));
    const other = work.run(named("other", [DONE]));
    await time.advance(100);
    await Promise.all([one, other]);
    const pairs = [0, 2, 4].map((at) => seen.slice(at, at + 2).join(", "));
    expect(pairs).toEqual(["one begins, one ends", "other begins, other ends", pairs[0]]);
  });
});

describe("when the store fails", () => {
  test("in passing, the step is taken again, each time later, and then as before", async () => {
    const { run, time } = stage();
    const job = run([FULL, FULL, FULL, WAITS, FULL, DONE]);
    for (const [pause, stepCount] of [
      [200, 2],
      [400, 3],
      [800, 4],
      [100, 5],
      [200, 6],
    ] as const) {
      await time.advance(pause - 1);
      expect(job.stepCount).toBe(stepCount - 1);
      await time.advance(1);
      expect(job.stepCount).toBe(stepCount);
    }
    expect(job.end).toEqual(DONE);
  });

  test("somebody who waits for the end is told at once", async () => {
    const { run } = stage();
    const job = run([FULL, DONE], { isAwaited: true });
    await settled();
    expect(job).toEqual({ stepCount: 1, end: { kind: "left", failure: FULL } });
  });

  test("because another has taken over, the job is left to the next opening", async () => {
    const { run, time } = stage();
    const deposed = new Fenced("deposed");
    const job = run([deposed, DONE]);
    await time.advance(60_000);
    expect(job).toEqual({ stepCount: 1, end: { kind: "left", failure: deposed } });
  });

  test("for good, the job is left to the next opening", async () => {
    const { run, time, store } = stage();
    const job = run([FULL, FULL, DONE]);
    await settled();
    store.fault = FULL;
    await time.advance(60_000);
    expect(job).toEqual({ stepCount: 2, end: { kind: "left", failure: FULL } });
  });
});

describe("a defect", () => {
  const DEFECT = new TypeError("a defect");

  test("ends the job, and is told to who waits for it and to who stops", async () => {
    const { run, work, time } = stage();
    const job = run([DEFECT, DONE]);
    await time.advance(60_000);
    expect(job).toEqual({ stepCount: 1, defect: DEFECT });
    await expect(work.stop()).rejects.toBe(DEFECT);
  });

  test("stays one while the store has a fault", async () => {
    const { run, store, work } = stage();
    store.fault = FULL;
    const job = run([DEFECT]);
    await settled();
    expect(job.defect).toBe(DEFECT);
    await expect(work.stop()).rejects.toBe(DEFECT);
  });

  test("ends the rounds, and none of the others", async () => {
    const { work, time } = stage();
    const seen: string[] = [];
    work.every(millis(1000), async () => {
      seen.push("defect");
      throw DEFECT;
    });
    work.every(millis(1000), async () => void seen.push("round"));
    await time.advance(3000);
    expect(seen).toEqual(["defect", "round", "round", "round"]);
    await expect(work.stop()).rejects.toBe(DEFECT);
  });
});

describe("rounds", () => {
  test("begin when the interval has passed since the one before has ended", async () => {
    const { work, time } = stage();
    const began: number[] = [];
    const ends: (() => void)[] = [];
    work.every(millis(1000), () => {
      began.push(time.clock.now());
      return new Promise((resolve) => ends.push(resolve));
    });
    await time.advance(2500);
    expect(began).toEqual([1000]);
    ends[0]!();
    await time.advance(1000);
    expect(began).toEqual([1000, 3500]);
  });

  test("go on when the store failed one, even for good", async () => {
    const { work, time, store } = stage();
    let count = 0;
    store.fault = FULL;
    work.every(millis(1000), async () => {
      count++;
      throw FULL;
    });
    await time.advance(3000);
    expect(count).toBe(3);
    await work.stop();
  });
});

describe("stopping", () => {
  test("waits for nobody who only waits, and leaves nothing behind", async () => {
    const { work, run, time } = stage();
    const jobs = [run([WAITS, DONE]), run([FULL, DONE])];
    work.every(millis(1000), async () => undefined);
    await settled();
    expect(time.waitingCount).toBe(3);
    // Time stands still: whatever waits for it would never end.
    await work.stop();
    for (const job of jobs) expect(job).toEqual({ stepCount: 1, end: { kind: "left" } });
    expect(time.waitingCount).toBe(0);
  });

  test("waits for the step that is under way, which is told", async () => {
    const { work } = stage();
    let isOver = false;
    const end = work.run({
      step: async (isStopped) => {
        while (!isStopped()) await Promise.resolve();
        await settled();
        isOver = true;
        return AGAIN;
      },
    });
    await settled();
    await work.stop();
    expect(isOver).toBe(true);
    expect(await end).toEqual({ kind: "left" });
  });

  test("waits for the round that is under way", async () => {
    const { work, time } = stage();
    let end = (): void => undefined;
    work.every(millis(1000), () => new Promise((resolve) => (end = resolve)));
    await time.advance(1000);
    let isStopped = false;
    const stopped = work.stop().then(() => (isStopped = true));
    await settled();
    expect(isStopped).toBe(false);
    end();
    await stopped;
  });

  test("takes no step of a job that still waits for its turn, nor of one that comes later", async () => {
    const { work, run } = stage();
    const inTurn = oneAfterAnother();
    let end = (): void => undefined;
    void inTurn(() => new Promise<void>((resolve) => (end = resolve)));
    const waiting = run([DONE], { inTurn });
    await settled();
    const stopped = work.stop();
    const late = run([DONE]);
    end();
    await stopped;
    for (const job of [waiting, late]) expect(job).toEqual({ stepCount: 0, end: { kind: "left" } });
  });
});

/** `run` takes steps from a row, an error among them being thrown. */
function stage() {
  const time = new SimulatedTime();
  const store = {
    fault: undefined as StoreFault | undefined,
    pressure: 0,
    eased: (): Promise<void> => Promise.resolve(),
  };
  const work = new BackgroundWork({ store, timer: time.timer });
  const run = (
    steps: readonly (JobStep<void> | Error)[],
    more: Omit<Job<void>, "step"> = {},
  ): { stepCount: number; end?: JobEnd<void>; defect?: unknown } => {
    const seen: { stepCount: number; end?: JobEnd<void>; defect?: unknown } = { stepCount: 0 };
    const step = async (): Promise<JobStep<void>> => {
      const next = steps[seen.stepCount++]!;
      if (next instanceof Error) throw next;
      return next;
    };
    work.run({ ...more, step }).then(
      (end) => {
        seen.end = end;
      },
      (defect: unknown) => {
        seen.defect = defect;
      },
    );
    return seen;
  };
  return { time, store, work, run };
}
