/** The writer against a server of our own that throttles, splits, loses answers and refuses. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Millis, millis } from "../../base/units.ts";
import { type Clock, type Random, seededRandom, type Timer } from "../../base/world.ts";
import { type Answer, LostAnswer } from "../connect/connection.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { InputProgress } from "./inputProgress.ts";
import { type ImportOperation, type Mode, operationOf } from "./operation.ts";
import { PartitionWriter, type WriterOptions } from "./partitionWriter.ts";
import type { RangeMap } from "./placement.ts";

/** Whoever looks at the clock takes time, and timers are a little early, as real ones are. */
const LOOK_MS = 0.05;
const EARLY_MS = 0.1;

/** Time that goes on when nothing else can. */
class Simulated implements Clock, Timer {
  #now = 0;
  #due: { readonly at: number; readonly action: () => void }[] = [];

  now = (): Millis => {
    this.#now += LOOK_MS;
    return millis(this.#now);
  };
  wallNow = (): number => this.#now;
  soon = async (): Promise<void> => undefined;

  after(delay: Millis, action: () => void): () => void {
    const entry = { at: this.#now + delay, action };
    this.#due.push(entry);
    return () => {
      this.#due = this.#due.filter((other) => other !== entry);
    };
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(millis(ms), resolve));
  }

  async run<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const end = (): void => {
      isOver = true;
    };
    work.then(end, end);
    for (;;) {
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
      if (isOver) return work;
      const next = this.#due.sort((a, b) => a.at - b.at).shift();
      if (next === undefined) throw new Error("everybody waits, and nothing will happen");
      this.#now = Math.max(this.#now, next.at - EARLY_MS);
      next.action();
    }
  }
}

interface Troubles {
  /** Chances, from 0 to 1. */
  readonly lost: number;
  readonly throttled: number;
  readonly split: number;
  readonly refused: number;
}

const CALM: Troubles = { lost: 0, throttled: 0, split: 0, refused: 0 };

/** Items by id. A range holds the EPKs that begin with its digit; a split gives it a new id. */
class Server {
  readonly stored = new Map<string, string>();
  readonly #random: Random;
  readonly #time: Simulated;
  readonly #troubles: Troubles;
  readonly #ids = Array.from({ length: 4 }, (_, digit) => `${digit}`);
  #nextId = 4;
  requestCount = 0;
  underWay = 0;
  mostUnderWay = 0;

  constructor(seed: number, time: Simulated, troubles: Troubles) {
    this.#random = seededRandom(seed);
    this.#time = time;
    this.#troubles = troubles;
  }

  get ranges(): RangeMap {
    const rangeIds = [...this.#ids];
    return { rangeIds, rangeIdOf: (epk) => rangeIds[Number(epk[0])]! };
  }

  #happens(chance: number): boolean {
    return this.#random.next() < chance;
  }

  async post(mode: Mode, rangeId: string, operations: readonly ImportOperation[]): Promise<Answer> {
    this.requestCount++;
    this.mostUnderWay = Math.max(this.mostUnderWay, ++this.underWay);
    await this.#time.pause(1 + Math.floor(this.#random.next() * 20));
    this.underWay--;
    const { lost, throttled, split, refused } = this.#troubles;
    if (this.#happens(lost)) throw new LostAnswer("cut before");
    if (this.#happens(split)) {
      this.#ids[Math.floor(this.#random.next() * 4)] = `${this.#nextId++}`;
    }
    if (!this.#ids.includes(rangeId)) return answerOf(410, {});
    if (this.#happens(throttled)) return answerOf(429, {}, { "x-ms-retry-after-ms": "30" });
    if (this.#happens(refused)) return answerOf(503, { message: "not now" });
    if (operations.some(({ id }) => id.startsWith("bad"))) {
      return answerOf(400, { message: "one is bad" });
    }
    const results = operations.map((operation) => {
      expect(this.#ids[Number(operation.epk[0])]).toBe(rangeId);
      return this.#happens(throttled)
        ? { statusCode: 429, requestCharge: 0, retryAfterMilliseconds: 10 }
        : this.#one(mode, operation);
    });
    if (this.#happens(lost)) throw new LostAnswer("cut behind");
    return answerOf(207, results);
  }

  #one(mode: Mode, { id, bytes, conflict }: ImportOperation): object {
    const text = bytes.toString();
    const before = this.stored.get(id);
    if (conflict !== undefined) {
      return before === undefined
        ? { statusCode: 404 }
        : { statusCode: 200, requestCharge: 1, resourceBody: { ...JSON.parse(before), _ts: 1 } };
    }
    if (before !== undefined && mode !== "upsert") return { statusCode: 409, message: "There." };
    this.stored.set(id, text);
    return { statusCode: before === undefined ? 201 : 200, requestCharge: 5 };
  }
}

function answerOf(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { status, headers, body: JSON.stringify(body) };
}

interface Stage {
  readonly time: Simulated;
  readonly server: Server;
  readonly writer: PartitionWriter;
  readonly outcomes: Map<ImportOperation, string>;
  operationOf(id: string, n: number): ImportOperation;
  add(id: string, n: number): Promise<ImportOperation>;
}

function stageOf(
  seed: number,
  mode: Mode,
  troubles: Troubles,
  more: Partial<WriterOptions>,
): Stage {
  const time = new Simulated();
  const server = new Server(seed, time, troubles);
  const outcomes = new Map<ImportOperation, string>();
  const input = new InputProgress("input", 0);
  const writer = new PartitionWriter({
    post: (rangeId, operations) => server.post(mode, rangeId, operations),
    ranges: server.ranges,
    readRanges: async () => {
      await time.pause(5);
      return server.ranges;
    },
    refusalOf: (status) => new CommandFailure(`refused: ${status}`),
    rules: { mode, hasUniqueKeys: false },
    concurrency: 3,
    patienceMs: 1e9,
    clock: time,
    timer: time,
    onSettled: (operation, outcome) => {
      expect(outcomes.has(operation)).toBe(false);
      outcomes.set(operation, outcome.kind);
    },
    ...more,
  });
  const made = (id: string, n: number): ImportOperation => {
    const bytes = Buffer.from(JSON.stringify({ id, n }));
    const epk = `${[...id].reduce((sum, unit) => sum + unit.charCodeAt(0), 0) % 4}`;
    const place = { input, line: 1, column: 1, end: n };
    return operationOf({ id, key: [id], bytes }, epk, place, false);
  };
  const add = async (id: string, n: number): Promise<ImportOperation> => {
    const operation = made(id, n);
    if (writer.isUnderWay(operation)) await writer.until(() => !writer.isUnderWay(operation));
    writer.add(operation);
    if (!writer.hasRoom) await writer.until(() => writer.hasRoom);
    return operation;
  };
  return { time, server, writer, outcomes, operationOf: made, add };
}

async function addAll(stage: Stage, ids: readonly string[]): Promise<readonly ImportOperation[]> {
  const added: ImportOperation[] = [];
  for (const [n, id] of ids.entries()) added.push(await stage.add(id, n));
  await stage.writer.until(() => stage.writer.heldCount === 0);
  return added;
}

describe("rules", () => {
  const ids = Array.from({ length: 1000 }, (_, n) => `id-${n}`);

  test("requests are full, and no more of them than may be are under way", async () => {
    const stage = stageOf(1, "create", CALM, {});
    for (const [n, id] of ids.entries()) stage.writer.add(stage.operationOf(id, n));
    await stage.time.run(stage.writer.until(() => stage.writer.heldCount === 0));
    expect(stage.server.stored.size).toBe(1000);
    expect(stage.server.requestCount).toBeLessThanOrEqual(10 + 4);
    expect(stage.server.mostUnderWay).toBe(3);
  });

  test("one that spoils a request is found, and the others go in", async () => {
    const stage = stageOf(2, "create", CALM, {});
    const added = await stage.time.run(addAll(stage, [...ids.slice(0, 99), "bad"]));
    expect(added.map((operation) => stage.outcomes.get(operation))).toEqual([
      ...Array.from({ length: 99 }, () => "created"),
      "refused",
    ]);
  });

  test("a server that stays away is given up at last", async () => {
    const stage = stageOf(3, "create", { ...CALM, lost: 1 }, { patienceMs: 5000 });
    const failure = stage.time.run(addAll(stage, ids));
    await expect(failure).rejects.toThrow(/^The server has not answered for 5 s \(cut before\)/);
    expect(stage.time.now()).toBeGreaterThanOrEqual(5000);
    expect(stage.time.now()).toBeLessThan(9000);
  });

  test("what is added is sent though nobody waits for it", async () => {
    const stage = stageOf(4, "create", CALM, {});
    await stage.add("a", 1);
    await stage.time.run(stage.time.pause(300));
    expect(stage.server.stored.has("a")).toBe(true);
  });

  test("a writer that was stopped sends nothing more", async () => {
    const stage = stageOf(5, "create", CALM, {});
    await stage.add("a", 1);
    await stage.time.run(stage.writer.stop());
    await stage.time.run(stage.time.pause(1000));
    expect(stage.server.requestCount).toBe(0);
  });
});

test("whatever happens, every operation is settled once, and the last one counts", async () => {
  const chance = fc.constantFrom(0, 0.05, 0.3);
  await fc.assert(
    fc.asyncProperty(
      fc.integer(),
      fc.constantFrom<Mode>("create", "upsert", "skip"),
      fc.record({ lost: chance, throttled: chance, split: chance, refused: chance }),
      fc.array(fc.nat(400), { maxLength: 700 }),
      async (seed, mode, troubles, numbers) => {
        const stage = stageOf(seed, mode, troubles, {});
        const ids = numbers.map((n) => `id-${n}`);
        const added = await stage.time.run(addAll(stage, ids));
        expect(stage.outcomes.size).toBe(added.length);
        for (const id of new Set(ids)) {
          const n = mode === "upsert" ? ids.lastIndexOf(id) : ids.indexOf(id);
          expect(JSON.parse(stage.server.stored.get(id)!)).toEqual({ id, n });
          const kinds = added
            .filter((operation) => operation.id === id)
            .map((operation) => stage.outcomes.get(operation)!);
          const [first, ...others] = kinds;
          const fine = { create: ["created", "present"], upsert: ["created", "replaced"] };
          expect(mode === "skip" ? ["created", "skipped"] : fine[mode]).toContain(first);
          const later = { create: "refused", upsert: "replaced", skip: "skipped" }[mode];
          expect(others.every((kind) => kind === later)).toBe(true);
        }
      },
    ),
    { numRuns: 60 },
  );
});
