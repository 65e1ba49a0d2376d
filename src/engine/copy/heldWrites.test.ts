/** What a write meets with while containers change places, and how that is stopped. */
import { expect, it, vi } from "vitest";
import { assert } from "../../base/assert.ts";
import { millis } from "../../base/units.ts";
import type { CopyRun } from "./copyRun.ts";
import { contents, copyStage, started, write } from "./copyStage.fake.ts";

type Stage = Awaited<ReturnType<typeof copyStage>>;

/** A job that is ready, and whose last changes take longer than anybody waits. */
async function slowToDrain({ account, time }: Stage): Promise<CopyRun> {
  const run = await started(account);
  await time.advance(2000);
  const { stream } = run;
  assert(stream !== undefined, "the job follows its source");
  vi.spyOn(stream, "catchUp").mockImplementation(async (isStopped) => {
    while (!isStopped()) {
      await new Promise<void>((resolve) => time.timer.after(millis(50), resolve));
    }
    return false;
  });
  return run;
}

it("waits for a second, and is told to come back until the hold is given up", async () => {
  const stage = await copyStage(20);
  const { account, time, source } = stage;
  const run = await slowToDrain(stage);
  const terms = { isForced: true, deadlineMs: 2500 };
  const done = account.jobs.copying.command(run, "cutOver", terms);
  await time.advance(10);
  const [early, other] = [write(account, source, 100), write(account, source, 101)];
  const told = vi.fn();
  void early.then(told);
  await time.advance(900);
  expect(told).not.toHaveBeenCalled();
  await time.advance(200);
  const refused = { kind: "refused", refusal: { kind: "throttled", retryAfterMs: 1000 } };
  expect(await early).toMatchObject(refused);
  expect(await other).toMatchObject(refused);
  expect(await write(account, source, 100)).toMatchObject(refused);
  await time.advance(3000);
  expect(await done).toMatchObject({ ok: false });
  vi.restoreAllMocks();
  expect((await write(account, source, 100)).kind).toBe("created");
  await time.advance(2000);
  expect(await account.jobs.copying.command(run, "cutOver", { isForced: true })).toEqual({
    ok: true,
    value: undefined,
  });
  expect(account.catalog.container("d", "c")).toBe(run.target);
});

it.each(["cancel", "pause"] as const)("to %s the job ends the hold at once", async (command) => {
  const stage = await copyStage(20);
  const { account, time, source } = stage;
  const run = await slowToDrain(stage);
  const { copying } = account.jobs;
  const done = copying.command(run, "cutOver", { isForced: true, deadlineMs: 600_000 });
  await time.advance(500);
  expect(copying.entryOf(run).state).toBe("holding");
  const waiting = write(account, source, 100);
  const stopped = copying.command(run, command, {});
  await time.advance(100);
  expect(await done).toMatchObject({ ok: false, error: { message: "Somebody has stopped it." } });
  expect((await waiting).kind).toBe("created");
  vi.restoreAllMocks();
  await time.advance(1000);
  expect(await stopped).toEqual({ ok: true, value: undefined });
  const state = command === "cancel" ? "cancelled" : "paused";
  expect(copying.entryOf(copying.find(run.id)!)).toMatchObject({ state });
  expect(account.catalog.container("d", "c")).toBe(source);
});

it("a paused job can be led back", async () => {
  const { account, time, source } = await copyStage(20);
  const { copying } = account.jobs;
  const run = await started(account);
  await time.advance(2000);
  await copying.command(run, "cutOver", { isForced: true });
  await copying.command(run, "pause", {});
  await write(account, account.catalog.container("d", "c")!, 100);
  expect(await copying.command(run, "revert", {})).toEqual({ ok: true, value: undefined });
  expect(account.catalog.container("d", "c")).toBe(source);
  expect(await contents(account, source)).toHaveLength(21);
});
