/**
 * The way of a change from its request to its answer, step by step, over a journal that the test
 * holds in its hand: a frame is durable, or fails, when the test says so.
 */
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import type { Timer } from "../../base/world.ts";
import { visitRecords } from "../journal/recordVisitor.ts";
import type { FrameView } from "../journal/segment.ts";
import { VisibleState } from "../memory/visibleState.ts";
import type { Committed, WriteGroup } from "../partitionStore.ts";
import { Fenced, StoreFault } from "../partitionStore.ts";
import type { JournalEnd } from "./commitPipeline.ts";
import { CommitPipeline } from "./commitPipeline.ts";
import { toAcquireLease, toClaim, toCommit, toDrop, toSweepLog } from "./draft.ts";

const PART = 1;
const GROWING = { isShrinking: false };
const SHRINKING = { isShrinking: true };
const FULL = new StoreFault("full");
const BROKEN = new StoreFault("broken");

const timer: Timer = { after: () => () => undefined, soon: () => Promise.resolve() };

interface PendingFrame {
  readonly frame: FrameView;
  resolve(): void;
  reject(error: unknown): void;
}

/** A journal whose frames wait for the test, and a disk that is as the test says. */
class HeldJournal implements JournalEnd {
  /** Frames that are durable, each as the parts whose heads it moves. */
  readonly durable: string[] = [];
  /** How often it was asked whether a change may begin. */
  admissionCount = 0;
  /** What the disk is in the way of: of what grows, or of everything. */
  obstacle: "none" | "full" | "broken" = "none";
  reserveSteps = 0;
  #pending: PendingFrame | undefined;

  readonly health: JournalEnd["health"] = {
    refusalOf: (isShrinking) => {
      this.admissionCount++;
      if (this.obstacle === "broken") return BROKEN;
      return this.obstacle === "full" && !isShrinking ? FULL : undefined;
    },
    meet: async (error) => {
      this.obstacle = error === "full" ? "full" : "broken";
      return this.obstacle === "full" ? FULL : BROKEN;
    },
    makesRoom: () => this.obstacle === "full" && this.reserveSteps-- > 0,
    deletionRefused: (cause) => new StoreFault("no room for deletions either", { cause }),
    fault: undefined,
  };

  append(frame: FrameView): Promise<void> {
    expect(this.#pending).toBeUndefined();
    return new Promise((resolve, reject) => {
      this.#pending = { frame, resolve, reject };
    });
  }

  doing(): ReturnType<JournalEnd["doing"]> {
    return { activity: "writing the journal", offset: this.durable.length };
  }

  /** Waits until a frame is being written. */
  async writing(): Promise<FrameView> {
    for (let turn = 0; turn < 20 && this.#pending === undefined; turn++) await settled();
    return this.#take("look").frame;
  }

  async finish(): Promise<void> {
    await this.writing();
    const { frame, resolve } = this.#take("done");
    this.durable.push(partsIn(frame));
    resolve();
    await settled();
  }

  async fail(how: "full" | "broken"): Promise<void> {
    await this.writing();
    if (how === "broken") Object.assign(this.health, { fault: BROKEN });
    this.#take("done").reject(how);
    await settled();
  }

  get isWriting(): boolean {
    return this.#pending !== undefined;
  }

  #take(step: "look" | "done"): PendingFrame {
    const pending = this.#pending;
    expect(pending, "no frame is being written").toBeDefined();
    if (step === "done") this.#pending = undefined;
    return pending!;
  }
}

let journal: HeldJournal;
let state: VisibleState;
let pipeline: CommitPipeline;

beforeEach(async () => {
  journal = new HeldJournal();
  state = new VisibleState(undefined);
  pipeline = new CommitPipeline({ timer, state, journal });
  const claimed = pipeline.write(toClaim(PART, 1), GROWING);
  await journal.finish();
  await claimed;
  journal.admissionCount = 0;
});

describe("a change", () => {
  test("is admitted once, and goes with all that came in the same turn", async () => {
    const first = [commit("a"), commit("b")];
    await journal.writing();
    const later = [commit("c"), commit("d")];
    await journal.finish();
    await Promise.all(first);
    await journal.finish();
    await Promise.all(later);
    expect(journal.durable).toEqual(["1", "1 1", "1 1"]);
    expect(journal.admissionCount).toBe(4);
  });

  test("is visible when it is durable, not before, and answered after that", async () => {
    const seen: string[] = [];
    const answered = commit("a").then(() => seen.push(`answered, ${keysSeen()}`));
    await journal.writing();
    await settled();
    seen.push(`written, ${keysSeen()}`);
    await journal.finish();
    await answered;
    expect(seen).toEqual(["written, ", "answered, a"]);
  });

  test("is computed on those before it in its frame", async () => {
    const commits = Promise.all([commit("a"), commit("b", "c")]);
    const swept = pipeline.write(toSweepLog(PART, 1, 2 as never), SHRINKING);
    await journal.finish();
    const [first, second] = await commits;
    expect([first?.lsns, second?.lsns]).toEqual([[1], [2, 3]]);
    expect([first?.head.lsn, second?.head.itemCount]).toEqual([1, 3]);
    expect(await swept).toEqual(state.head(PART));
    expect(state.head(PART)).toMatchObject({ lsn: 3, itemCount: 3, sweptLsn: 2 });
  });

  test("that is refused leaves the others of its frame alone", async () => {
    const outcomes = Promise.allSettled([
      commit("a"),
      pipeline.write(toCommit(PART, 7, [[putOf("b")]], {}), GROWING),
      commit("c"),
    ]);
    await journal.finish();
    const [, refused] = await outcomes;
    expect(refused).toMatchObject({ status: "rejected", reason: expect.any(Fenced) });
    expect([keysSeen(), state.head(PART)?.lsn]).toEqual(["a c", 2]);
  });

  test("with nothing to write is answered without a frame", async () => {
    await pipeline.write(toDrop(99), SHRINKING);
    expect(journal.isWriting).toBe(false);
    const held = pipeline.write(toAcquireLease("l", "me", 0, 100), GROWING);
    await journal.finish();
    await held;
    expect(await pipeline.write(toAcquireLease("l", "you", 50, 100), GROWING)).toBeUndefined();
    expect(journal.isWriting).toBe(false);
  });
});

describe("a frame that fails", () => {
  test("leaves nothing behind, and what it would have been is made anew", async () => {
    const refused = expect(commit("a")).rejects.toBe(FULL);
    await journal.fail("full");
    await refused;
    expect([keysSeen(), state.head(PART)?.lsn]).toEqual(["", 0]);
    journal.obstacle = "none";
    const again = commit("b");
    await journal.finish();
    await again;
    expect([keysSeen(), state.head(PART)?.lsn]).toEqual(["b", 1]);
  });

  test("on a full disk is tried again with what makes room, out of the reserve", async () => {
    const item = commit("a");
    await journal.finish();
    await item;
    journal.reserveSteps = 1;
    const outcomes = Promise.allSettled([commit("b"), remove("a"), commit("c")]);
    await journal.fail("full");
    await journal.finish();
    expect((await outcomes).map(({ status }) => status)).toEqual([
      "rejected",
      "fulfilled",
      "rejected",
    ]);
    expect([keysSeen(), state.head(PART)?.lsn]).toEqual(["", 2]);
  });

  test("and for which the reserve has nothing refuses deletions, too", async () => {
    const item = commit("a");
    await journal.finish();
    await item;
    const refused = expect(remove("a")).rejects.toThrow("no room for deletions either");
    await journal.fail("full");
    await refused;
    expect(keysSeen()).toBe("a");
  });

  test("for good refuses everything, also parts that were to be taken over", async () => {
    const outcomes = Promise.allSettled([
      commit("a"),
      remove("nothing"),
      pipeline.write(toClaim(PART, 2), SHRINKING),
    ]);
    await journal.fail("broken");
    expect((await outcomes).map(({ status }) => status)).toEqual([
      "rejected",
      "rejected",
      "rejected",
    ]);
    expect(state.head(PART)).toMatchObject({ epoch: 1, lsn: 0 });
    await expect(commit("b")).rejects.toBe(BROKEN);
  });
});

describe("a part that is taken over while there is no room", () => {
  test("is so at once, and its record goes in front of the next frame", async () => {
    const claimed = pipeline.write(toClaim(PART, 2), SHRINKING);
    await journal.fail("full");
    expect(await claimed).toMatchObject({ epoch: 2 });
    expect(state.head(PART)).toMatchObject({ epoch: 2 });
    expect(journal.durable).toEqual(["1"]);
    journal.obstacle = "none";
    const committed = pipeline.write(toCommit(PART, 2, [[putOf("a")]], {}), GROWING);
    await journal.finish();
    await committed;
    expect(journal.durable).toEqual(["1", "1 1"]);
  });

  test("is written as soon as there is room, also when nobody writes", async () => {
    const claimed = pipeline.write(toClaim(PART, 2), SHRINKING);
    await journal.fail("full");
    await claimed;
    pipeline.writeClaims();
    await journal.finish();
    pipeline.writeClaims();
    await settled();
    expect([journal.durable, journal.isWriting]).toEqual([["1", "1"], false]);
  });

  test("that was not there before is refused: there is nothing to go on with", async () => {
    const refused = expect(pipeline.write(toClaim(PART + 1, 1), SHRINKING)).rejects.toThrow(
      "no room for deletions either",
    );
    await journal.fail("full");
    await refused;
    expect(state.parts()).toEqual([PART]);
  });
});

describe("a pipeline", () => {
  test("asks a disk that is in the way for nothing", async () => {
    journal.obstacle = "full";
    await expect(commit("a")).rejects.toBe(FULL);
    expect(journal.isWriting).toBe(false);
  });

  test("that is closed answers those who were admitted, and admits nobody", async () => {
    const admitted = commit("a");
    const closed = pipeline.close();
    await expect(commit("b")).rejects.toThrow("the store is closed");
    await journal.finish();
    await Promise.all([admitted, closed]);
    expect(keysSeen()).toBe("a");
  });

  test("without a journal publishes at once", async () => {
    state = new VisibleState(undefined);
    pipeline = new CommitPipeline({ timer, state });
    await pipeline.write(toClaim(PART, 1), GROWING);
    await commit("a");
    expect(keysSeen()).toBe("a");
  });
});

test("whatever fails, all that was acknowledged is visible, and nothing else", async () => {
  const anyStep = fc.record({ count: fc.integer({ min: 1, max: 4 }), fails: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 12 }), async (steps) => {
      journal = new HeldJournal();
      state = new VisibleState(undefined);
      pipeline = new CommitPipeline({ timer, state, journal });
      const claimed = pipeline.write(toClaim(PART, 1), GROWING);
      await journal.finish();
      await claimed;
      const acknowledged: string[] = [];
      for (const [at, { count, fails }] of steps.entries()) {
        const keys = Array.from({ length: count }, (_, index) => `k${at}.${index}`);
        const outcomes = Promise.allSettled(keys.map((key) => commit(key)));
        await (fails ? journal.fail("full") : journal.finish());
        for (const [index, { status }] of (await outcomes).entries()) {
          if (status === "fulfilled") acknowledged.push(keys[index]!);
        }
        journal.obstacle = "none";
        expect(keysSeen()).toBe(acknowledged.join(" "));
        expect(state.head(PART)?.lsn).toBe(acknowledged.length);
      }
    }),
    { numRuns: 50 },
  );
});

let lastNumber = 0;

function putOf(key: string): WriteGroup[number] {
  const number = ++lastNumber;
  const body = Buffer.from(key);
  const terms = { termsAdded: [], termsRemoved: [] };
  return { kind: "put", key, number, tag: 0, body, before: undefined, ...terms };
}

/** A group for each key. */
function commit(...keys: readonly string[]): Promise<Committed> {
  const groups = keys.map((key) => [putOf(key)]);
  return pipeline.write(toCommit(PART, 1, groups, {}), GROWING);
}

function remove(key: string): Promise<unknown> {
  const found = state.get(PART, key);
  const before = { lsn: found?.lsn ?? (0 as never), bodyBytes: found?.body.length ?? 0 };
  const number = found?.number ?? 0;
  const end = { kind: "delete", key, number, tag: 0, before, termsRemoved: [] } as const;
  return pipeline.write(toCommit(PART, 1, [[end]], {}), SHRINKING);
}

function keysSeen(): string {
  const { items } = state.scanItems(PART, 0, { countMax: 1000, bytesMax: 1e6 });
  return items.map(({ key }) => key).join(" ");
}

/** The parts whose heads a frame moves, in order. */
function partsIn({ bytes, start, end }: FrameView): string {
  const parts: number[] = [];
  visitRecords(bytes, start, end, { head: (part) => parts.push(part) });
  return parts.join(" ");
}

/** Lets everything that can happen now happen. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 30; turn++) await Promise.resolve();
}
