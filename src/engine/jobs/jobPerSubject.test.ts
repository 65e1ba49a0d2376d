/** At most one job for each subject, and none that is forgotten. */
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../base/world.ts";
import { badRequest } from "../../model/refusal.ts";
import { Fenced } from "../../store/partitionStore.ts";
import { SimulatedTime, settled } from "../simulatedAccount.fake.ts";
import { BackgroundWork } from "./backgroundWork.ts";
import type { JobStep } from "./job.ts";
import { AGAIN, DONE } from "./job.ts";
import { JobPerSubject } from "./jobPerSubject.ts";

describe("a subject that is started", () => {
  test("has one job, which looks once more if it is started again", async () => {
    const { jobs, looks, time } = stage(async () => DONE);
    jobs.start("a");
    jobs.start("a");
    jobs.start("a");
    jobs.start("b");
    await time.advance(0);
    expect(looks).toEqual(["a", "b", "a"]);
  });

  test("has a new job when the one before has ended", async () => {
    const { jobs, looks } = stage(async () => DONE);
    jobs.start("a");
    await settled();
    jobs.start("a");
    await settled();
    expect(looks).toEqual(["a", "a"]);
  });

  test.each<[string, () => Promise<JobStep<void>>]>([
    ["was refused", async () => ({ kind: "refused", refusal: badRequest("no") })],
    ["was left", () => Promise.reject(new Fenced("deposed"))],
    ["had a defect", () => Promise.reject(new TypeError("a defect"))],
  ])("has no other job before the next opening if its job %s", async (_rule, step) => {
    const { jobs, looks } = stage(step);
    jobs.start("a");
    await settled();
    jobs.start("a");
    await settled();
    expect(looks).toEqual(["a"]);
  });
});

test("whatever comes up, and whenever, is seen to", async () => {
  const random = seededRandom(7);
  // What is to be done for each subject; a step does one of it, and takes a while for that.
  const due = new Map<string, number>();
  const { jobs, time } = stage(async (subject) => {
    const count = due.get(subject) ?? 0;
    if (count === 0) return DONE;
    due.set(subject, count - 1);
    for (let turn = random.next() * 5; turn > 0; turn--) await Promise.resolve();
    return AGAIN;
  });
  for (let round = 0; round < 200; round++) {
    for (let count = 0; count < 10; count++) {
      const subject = `subject ${Math.floor(random.next() * 3)}`;
      due.set(subject, (due.get(subject) ?? 0) + 1);
      jobs.start(subject);
      for (let turn = random.next() * 12; turn > 0; turn--) await Promise.resolve();
    }
    await time.advance(0);
    expect([...due.values()].every((count) => count === 0)).toBe(true);
  }
});

/** `looks`: the subjects of all steps that were taken. */
function stage(step: (subject: string) => Promise<JobStep<void>>) {
  const time = new SimulatedTime();
  const work = new BackgroundWork({
    store: { fault: undefined, pressure: 0, eased: async () => undefined },
    timer: time.timer,
  });
  const looks: string[] = [];
  const jobs = new JobPerSubject<string>(work, (subject) => {
    looks.push(subject);
    return step(subject);
  });
  return { time, work, looks, jobs };
}
