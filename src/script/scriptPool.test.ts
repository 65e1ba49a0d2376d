/**
 * Scripts on threads: that they work as they do without, that what no deadline can stop is stopped
 * with its thread, and that nobody else notices. The threads run what was built last.
 */
import { afterAll, describe, expect, test } from "vitest";
import { realClock, realTimer } from "../server/surroundings/realWorld.ts";
import { CONTAINER, fakeHost, runOn } from "./fakeHost.fake.ts";
import { openScriptPool } from "./scriptPool.ts";
import type { ScriptHost, ScriptOutcome, ScriptRunner } from "./scriptRunner.ts";

const pool = openScriptPool({ clock: realClock, timer: realTimer });
afterAll(() => pool.close());

const LIMITS = { timeMsMax: 100, memoryBytesMax: 64 * 1024 * 1024 };
const SCRIPT = {
  kind: "procedure",
  name: "proc",
  args: [],
  container: CONTAINER,
  isLogging: true,
  ...LIMITS,
} as const;

function run(
  body: string,
  timeMsMax = 5000,
  host: ScriptHost = fakeHost(),
  runner: ScriptRunner = pool,
): Promise<ScriptOutcome> {
  return runOn(runner, { ...SCRIPT, body, timeMsMax }, host);
}

const HELLO = "function () { __.response.setBody('hello') }";
const ENDLESS = "function () { for (;;); }";

/** Built-ins that take long in one go, so that the sandbox cannot interrupt them. */
const UNSTOPPABLE: readonly string[] = [
  "Array.prototype.lastIndexOf.call({ length: 2 ** 53 - 1 }, 1)",
  "const a = Array.from({ length: 9999 }, (_, i) => i % 7); for (;;) a.sort()",
  "let a = (1n << 500000n) - 1n; for (;;) a = (a * a) % ((1n << 500000n) - 5n)",
  "const a = Array(999).fill({ a: 1 }); for (;;) JSON.parse(JSON.stringify(a))",
  "let a = ['x']; for (let i = 0; i < 40; i++) a = [a, a]; __.response.setBody(a)",
  "(function f() { try { f() } catch { f() } })()",
];

describe("threads", () => {
  test("a procedure with operations, its log and its answer", async () => {
    const host = fakeHost();
    const body =
      "function () { console.log('hi'); for (let i = 0; i < 300; i++) __.createDocument(__.getSelfLink(), { id: '' + i }," +
      " (e, d) => { if (d.id === '299') __.response.setBody(d) }) }";
    expect(await run(body, 30_000, host)).toMatchObject({
      kind: "done",
      responseBody: '{"id":"299"}',
      log: "hi",
    });
    expect(host.items).toHaveLength(300);
  });

  test("functions", async () => {
    const functions = [{ name: "f", body: "(x) => x === undefined ? 'none' : x * 2" }];
    const calls = [1, undefined, 3].map((x) => ({ function: 0, args: [x] }));
    const outcome = await pool.callFunctions({
      page: {},
      functions,
      calls,
      ...LIMITS,
      timeMsMax: 5000,
    });
    expect(outcome).toMatchObject({ kind: "done", values: [2, "none", 6] });
  });

  test("endless loops keep nobody waiting, and the main loop least of all", {
    retry: 3,
  }, async () => {
    const busy = openScriptPool({ clock: realClock, timer: realTimer });
    const before = watchPauses();
    await run(HELLO, 5000, fakeHost(), busy);
    const usualMs = before.longestMs();
    const during = watchPauses();
    let endedCount = 0;
    const loops = [1, 2, 3, 4].map(async () => {
      const { kind } = await run(ENDLESS, 20_000, fakeHost(), busy);
      endedCount++;
      return kind;
    });
    expect(await run(HELLO, 20_000, fakeHost(), busy)).toMatchObject({ kind: "done" });
    expect(endedCount).toBe(0);
    expect(during.longestMs()).toBeLessThan(200 + usualMs);
    await busy.close();
    expect(await Promise.all(loops)).toEqual(["stopped", "stopped", "stopped", "stopped"]);
  });

  test("what cannot be interrupted is ended with its thread", { retry: 3 }, async () => {
    const before = watchPauses();
    await run(HELLO);
    const usualMs = before.longestMs();
    const pauses = watchPauses();
    const outcomes = await Promise.all(
      UNSTOPPABLE.map((body) => run(`function () { ${body} }`, 100)),
    );
    for (const { kind } of outcomes) expect(["outOfTime", "outOfMemory"]).toContain(kind);
    expect(pauses.longestMs()).toBeLessThan(200 + usualMs);
    expect(await run(HELLO)).toMatchObject({ kind: "done" });
  });

  test("functions that do not end fail, and the next ones do not", async () => {
    const batch = (body: string, timeMsMax: number): ReturnType<ScriptRunner["callFunctions"]> =>
      pool.callFunctions({
        page: {},
        functions: [{ name: "f", body }],
        calls: [{ function: 0, args: [] }],
        ...LIMITS,
        timeMsMax,
      });
    expect(await batch("() => { for (;;); }", 50)).toMatchObject({ kind: "outOfTime" });
    expect(await batch("() => [].indexOf.call({ length: 2 ** 53 }, 1)", 50)).toMatchObject({
      kind: "outOfTime",
    });
    expect(await batch("() => 1", 5000)).toMatchObject({ kind: "done", values: [1] });
  });

  test("more scripts than threads wait their turn, and their time begins when they start", async () => {
    const few = openScriptPool({ clock: realClock, timer: realTimer, threadCountMax: 1 });
    const outcomes = await Promise.all([
      run(ENDLESS, 1200, fakeHost(), few),
      run(HELLO, 1000, fakeHost(), few),
      run(HELLO, 1000, fakeHost(), few),
    ]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(["outOfTime", "done", "done"]);
    await few.close();
  });

  test("a host that takes too long costs the script its time", async () => {
    const slow: ScriptHost = {
      perform: async () => {
        await new Promise((resolve) => setTimeout(resolve, 900));
        return { kind: "refused", charge: 0, status: 500, message: "late", isGoingOn: true };
      },
    };
    const body = "function () { __.readDocuments(__.getSelfLink()) }";
    // So long that a busy machine has begun by then: who is late may ask for nothing.
    expect(await run(body, 500, slow)).toMatchObject({ kind: "outOfTime" });
  });

  test("a host that fails is the caller's to know, and the pool goes on", async () => {
    const broken: ScriptHost = { perform: () => Promise.reject(new Error("a defect")) };
    const body = "function () { __.readDocuments(__.getSelfLink()) }";
    await expect(run(body, 5000, broken)).rejects.toThrow("a defect");
    expect(await run(HELLO)).toMatchObject({ kind: "done" });
  });

  test("closing stops what runs and what waits, at once", async () => {
    const closing = openScriptPool({ clock: realClock, timer: realTimer, threadCountMax: 1 });
    await run(HELLO, 5000, fakeHost(), closing);
    // Both have an hour left: who waited for them would not come back before the test ends.
    const running = run(ENDLESS, 3_600_000, fakeHost(), closing);
    const waiting = run(HELLO, 3_600_000, fakeHost(), closing);
    await realTimer.soon();
    await closing.close();
    expect(await running).toMatchObject({ kind: "stopped" });
    expect(await waiting).toMatchObject({ kind: "stopped" });
    expect(await run(HELLO, 5000, fakeHost(), closing)).toMatchObject({ kind: "stopped" });
  });
});

/** Looks, as often as it can, how long this thread was away. */
function watchPauses(): { longestMs: () => number } {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }, 5);
  return {
    longestMs: () => {
      clearInterval(timer);
      return longest;
    },
  };
}

test("one borrower does not get all threads, and who waits is served when one of his is back", async () => {
  const small = openScriptPool({ clock: realClock, timer: realTimer, threadCountMax: 2 });
  const script = { ...SCRIPT, body: HELLO, timeMsMax: 5000 };
  let finish = (): void => undefined;
  const held = small.lend({ owner: "greedy" }, async () => {
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
  });
  let isServed = false;
  const second = small
    .lend({ owner: "greedy" }, (lent) => lent(script, fakeHost()))
    .finally(() => {
      isServed = true;
    });
  expect(await runOn(small, script, fakeHost())).toMatchObject({ kind: "done" });
  expect(isServed).toBe(false);
  finish();
  await held;
  expect(await second).toMatchObject({ kind: "done" });
  await small.close();
  expect(await small.lend({ owner: "late" }, () => Promise.resolve(1))).toBeUndefined();
});

test("one script of an owner leaves room for his others, and who is gone is passed over", async () => {
  const pool = openScriptPool({ clock: realClock, timer: realTimer, threadCountMax: 4 });
  const script = { ...SCRIPT, body: HELLO, timeMsMax: 5000 };
  let finish = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const endless = pool.lend({ owner: "one", script: "endless" }, () => held);
  let isGone = false;
  let hasBegun = false;
  const abandoned = pool.lend(
    { owner: "one", script: "endless", isGone: () => isGone },
    async () => {
      hasBegun = true;
    },
  );
  const other = await pool.lend({ owner: "one", script: "other" }, (lent) =>
    lent(script, fakeHost()),
  );
  expect(other).toMatchObject({ kind: "done" });
  expect(hasBegun).toBe(false);
  isGone = true;
  finish();
  await endless;
  expect(await abandoned).toBeUndefined();
  expect(hasBegun).toBe(false);
  await pool.close();
});
