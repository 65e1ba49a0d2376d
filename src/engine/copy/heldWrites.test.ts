/** What a write meets with while containers change places. */
import { expect, it, vi } from "vitest";
import { assert } from "../../base/assert.ts";
import { millis } from "../../base/units.ts";
import { copyStage, started, write } from "./copyStage.fake.ts";

it("waits for a second, and is told to come back until the hold is given up", async () => {
  const { account, time, source } = await copyStage(20);
  const run = await started(account);
  await time.advance(2000);
  const { stream } = run;
  assert(stream !== undefined, "the job follows its source");
  const never = (): Promise<boolean> =>
    new Promise((resolve) => time.timer.after(millis(3000), () => resolve(false)));
  vi.spyOn(stream, "catchUp").mockImplementation(never);
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
