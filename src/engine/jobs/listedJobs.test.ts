/**
 * Jobs that people see in a list, of a kind made for this test: a job counts to a number. Those of
 * splits and merges are in `reshape/acceptedReshapes.test.ts`.
 */
import { describe, expect, test } from "vitest";
import { no, ok } from "../../base/result.ts";
import { Fenced, StoreFault } from "../../store/partitionStore.ts";
import { SimulatedTime, settled } from "../simulatedAccount.fake.ts";
import { BackgroundWork } from "./backgroundWork.ts";
import { AGAIN } from "./job.ts";
import type { JobKeeper } from "./jobBook.ts";
import { JobBook } from "./jobBook.ts";
import type { JobChange, JobRecord, JobSummary, KeptOutcome } from "./jobRecord.ts";
import type { JobKind } from "./listedJobs.ts";
import { ListedJobs } from "./listedJobs.ts";

interface Count {
  readonly goal: number;
  at: number;
  isGone?: boolean;
}

interface CountJob extends JobSummary {
  readonly at: number;
  readonly outcome?: KeptOutcome<{ readonly counted: number }> | undefined;
}

interface CountRecord extends JobRecord {
  readonly goal: number;
  readonly job: CountJob;
}

const FULL = new StoreFault("the disk is full");
const OTHER: JobRecord = { job: { id: "x", kind: "other", startedAt: 0 } };

describe("a job that was accepted", () => {
  test("is on disk before its asker is answered, and ends there in the commit that ends it", async () => {
    const { jobs, disk } = stage();
    const accepted = await jobs.accept({ goal: 2, at: 0 });
    expect(accepted).toMatchObject({ ok: true, value: { id: "5-1", kind: "count", at: 0 } });
    expect(disk.records).toMatchObject([{ goal: 2, job: { id: "5-1" } }]);
    await settled();
    const outcome = { state: "done", counted: 2, seconds: 0 };
    expect(disk.records).toMatchObject([{ job: { id: "5-1", outcome } }]);
    expect(disk.commitCount).toBe(2);
    expect(jobs.summaries).toEqual(disk.records.map(({ job }) => job));
  });

  test("goes on after a restart under its id, with the time that has passed", async () => {
    const { jobs, stop, reopen, time } = stage();
    await jobs.accept({ goal: 100, at: 0 });
    await stop();
    time.skip(5000);
    const again = reopen();
    expect(again.jobs.summaries).toMatchObject([{ id: "5-1", at: 0 }]);
    again.jobs.resume();
    await settled();
    const outcome = { state: "done", counted: 100, seconds: 5 };
    expect(again.jobs.summaries).toMatchObject([{ id: "5-1", outcome }]);
    expect(await again.jobs.accept({ goal: 1, at: 0 })).toMatchObject({ value: { id: "6-1" } });
  });

  test("is cancelled if what it is about has gone, now or by the next opening", async () => {
    const { jobs, stop, reopen, disk } = stage();
    const count: Count = { goal: 100, at: 0 };
    await jobs.accept(count);
    count.isGone = true;
    await settled();
    const outcome = { state: "cancelled", reason: "It is gone.", seconds: 0 };
    expect(jobs.summaries).toMatchObject([{ outcome }]);
    await jobs.accept({ goal: 13, at: 0 });
    await stop();
    const again = reopen();
    again.jobs.resume();
    await settled();
    expect(again.jobs.summaries).toMatchObject([{ outcome }, { outcome }]);
    expect(disk.records.every(({ job }) => job.outcome !== undefined)).toBe(true);
  });

  test("is refused if it cannot be kept, or is gone before it is", async () => {
    const { jobs, disk } = stage();
    disk.failure = FULL;
    const refused = { ok: false, error: { kind: "unavailable", message: "the disk is full" } };
    expect(await jobs.accept({ goal: 1, at: 0 })).toEqual(refused);
    disk.failure = undefined;
    const gone = await jobs.accept({ goal: 1, at: 0, isGone: true });
    expect(gone).toEqual({ ok: false, error: { kind: "notFound" } });
    expect(jobs.summaries).toEqual([]);
  });

  test("stays open when the store fails for good, and nobody is told of an outcome", async () => {
    const { jobs, disk, time } = stage();
    await jobs.accept({ goal: 1, at: 0 });
    // Only the work of the job fails: an outcome could be kept.
    disk.workFailure = new Fenced("deposed");
    await time.advance(60_000);
    expect(jobs.summaries).toMatchObject([{ id: "5-1" }]);
    expect(jobs.summaries[0]!.outcome).toBeUndefined();
  });

  test("ends as refused when the disk has room for that, and not before", async () => {
    const { jobs, disk, time } = stage();
    await jobs.accept({ goal: -1, at: 0 });
    disk.failure = FULL;
    await time.advance(10_000);
    expect(jobs.summaries[0]!.outcome).toBeUndefined();
    disk.failure = undefined;
    await time.advance(30_000);
    const outcome = { state: "failed", reason: "below zero" };
    expect(jobs.summaries).toMatchObject([{ outcome }]);
    expect(disk.records).toMatchObject([{ job: { outcome } }]);
  });

  test("is one of a hundred at most that are open, and of a hundred that have ended", async () => {
    const { jobs, disk, time } = stage();
    await jobs.accept({ goal: 0, at: 0 });
    await settled();
    disk.endFailure = FULL;
    for (let count = 0; count < 100; count++) await jobs.accept({ goal: 0, at: 0 });
    const more = await jobs.accept({ goal: 0, at: 0 });
    expect(more).toEqual({ ok: false, error: { kind: "unavailable", message: "Too many." } });
    disk.endFailure = undefined;
    await time.advance(120_000);
    expect(jobs.summaries.length).toBe(100);
    expect(jobs.summaries.some(({ id }) => id === "5-1")).toBe(false);
    expect(disk.records.length).toBe(100);
  });
});

describe("a job that somebody waits for", () => {
  test("resolves with what it has come to, and is not on disk", async () => {
    const { jobs, disk } = stage();
    const { job, result } = jobs.start({ goal: 3, at: 0 }, { isAwaited: true });
    expect(job).toMatchObject({ id: "5-1", at: 0 });
    expect(jobs.subjects).toHaveLength(1);
    expect(await result).toEqual(ok({ counted: 3 }));
    expect(jobs.subjects).toEqual([]);
    expect(jobs.summaries).toMatchObject([{ outcome: { state: "done", counted: 3 } }]);
    expect(disk.records).toEqual([]);
  });

  test("says what it leaves behind when the store fails", async () => {
    const { jobs, disk } = stage();
    disk.failure = FULL;
    const { result } = jobs.start({ goal: 0, at: 0 }, { isAwaited: true });
    const message = "Nothing is counted: the disk is full";
    expect(await result).toEqual(no({ kind: "unavailable", message }));
    expect(jobs.summaries).toMatchObject([{ outcome: { state: "failed", reason: message } }]);
  });

  test("says that the server closes", async () => {
    const { jobs, stop } = stage();
    const { result } = jobs.start({ goal: 100, at: 0 }, { isAwaited: true });
    await stop();
    expect(await result).toEqual(no({ kind: "unavailable", message: "The server is closing." }));
  });

  test("is told of a defect, and the list says so", async () => {
    const { jobs, work } = stage();
    const { result } = jobs.start({ goal: Number.NaN, at: 0 }, { isAwaited: true });
    await expect(result).rejects.toThrow("not a number");
    const reason = "TypeError: not a number";
    expect(jobs.summaries).toMatchObject([{ outcome: { state: "failed", reason } }]);
    await expect(work.stop()).rejects.toThrow("not a number");
  });

  test.each([FULL, new Fenced("deposed"), new TypeError("a defect")])(
    "stays done if something fails after the commit that ended it: %s",
    async (failure) => {
      const { jobs, disk } = stage();
      disk.failureAfter = failure;
      const { result } = jobs.start({ goal: 0, at: 0 }, { isAwaited: true });
      const told = await result.catch((error: unknown) => error);
      expect(told).toEqual(failure instanceof TypeError ? failure : ok({ counted: 0 }));
      expect(jobs.summaries).toMatchObject([{ outcome: { state: "done" } }]);
    },
  );
});

test("one works at a time, in the order in which they came", async () => {
  const { jobs, work } = stage();
  const counts: readonly Count[] = [
    { goal: 5, at: 0 },
    { goal: 5, at: 0 },
  ];
  for (const count of counts) void jobs.start(count, { isAwaited: true }).result;
  while (counts[1]!.at < 5) {
    await Promise.resolve();
    expect(counts[0]!.at - counts[1]!.at).toBeOneOf([0, 1]);
  }
  await work.stop();
});

test("records of other kinds are left alone", async () => {
  const { jobs, disk } = stage([OTHER]);
  jobs.resume();
  await settled();
  expect(jobs.summaries).toEqual([]);
  expect(disk.records).toEqual([OTHER]);
});

/** A disk that keeps records of jobs, and fails when it is told to. */
class Disk implements JobKeeper {
  records: readonly JobRecord[];
  commitCount = 0;
  failure: Error | undefined;
  /** Only for commits that end a job. */
  endFailure: Error | undefined;
  /** Only for what a job works on. */
  workFailure: Error | undefined;
  /** Comes when a commit is over. */
  failureAfter: Error | undefined;

  constructor(records: readonly JobRecord[]) {
    this.records = records;
  }

  get atOpening(): readonly JobRecord[] {
    return this.records;
  }

  readonly change: JobKeeper["change"] = async (decide) => {
    await Promise.resolve();
    const change = decide();
    if (!change.ok) return change;
    await this.commit(change.value);
    return ok(undefined);
  };

  async commit({ puts, removals, apply }: JobChange): Promise<void> {
    const isEnd = puts.some(({ job }) => job.outcome !== undefined);
    const failure = this.failure ?? (isEnd ? this.endFailure : undefined);
    if (failure !== undefined) throw failure;
    this.commitCount++;
    const isPut = ({ job }: JobRecord): boolean => puts.some((put) => put.job.id === job.id);
    const kept = this.records.filter((record) => !isPut(record) && !removals.includes(record));
    this.records = [...kept, ...puts];
    apply();
    if (this.failureAfter !== undefined) throw this.failureAfter;
  }
}

/** Counts on by one in each step; a goal below 0 is refused. */
function counting(disk: Disk): JobKind<Count, CountJob, { readonly counted: number }> {
  return {
    goneReason: ({ isGone }) => (isGone ? "It is gone." : undefined),
    step: async (count, { ending }) => {
      if (Number.isNaN(count.goal)) throw new TypeError("not a number");
      if (count.goal < 0)
        return { kind: "refused", refusal: { kind: "badRequest", message: "below zero" } };
      if (disk.workFailure !== undefined) throw disk.workFailure;
      if (count.at < count.goal) {
        count.at++;
        return AGAIN;
      }
      const value = { counted: count.at };
      await disk.commit(ending(value));
      return { kind: "done", value };
    },
    summaryOf: ({ at }, job) => ({ ...job, kind: "count", at }),
    recordOf: ({ goal }, job): CountRecord => ({ goal, job }),
    isOwn: (record): record is CountRecord => record.job.kind === "count",
    subjectOf: (record) => {
      const { goal } = record as CountRecord;
      return goal === 13 ? no("It is gone.") : ok({ goal, at: 0 });
    },
    leftBehind: "Nothing is counted",
    tooMany: "Too many.",
  };
}

function stage(records: readonly JobRecord[] = []) {
  const time = new SimulatedTime();
  const disk = new Disk(records);
  const open = (epoch: number) => {
    const { clock, timer } = time;
    const work = new BackgroundWork({
      store: { fault: undefined, pressure: 0, eased: async () => undefined },
      timer,
    });
    const jobs = new ListedJobs({ clock, work, book: new JobBook(disk), epoch }, counting(disk));
    return { work, jobs, stop: () => work.stop() };
  };
  return { ...open(5), time, disk, reopen: () => open(6) };
}
