/** In which order a job follows the physical partitions of its source. */
import { assert, expect, it } from "vitest";
import type { AccountSetting } from "../account.ts";
import { LIMITED } from "../simulatedAccount.fake.ts";
import type { CopyRun } from "./copyRun.ts";
import { contents, copyStage, started, write } from "./copyStage.fake.ts";

type Stage = Awaited<ReturnType<typeof copyStage>> & { readonly run: CopyRun };

/** A paused copy of a container with two physical partitions, both of which have changes for it. */
async function behindTwice(more: Partial<AccountSetting> = {}): Promise<Stage> {
  const stage = await copyStage(60, more);
  const { account, time, source } = stage;
  const [whole] = source.partitions.values();
  const half = { kind: "split", partitionId: whole!.entry.id, at: "median" } as const;
  expect((await account.reshaping.accept(source, half)).ok).toBe(true);
  await time.advance(3000);
  expect(source.partitions.size).toBe(2);
  const run = await started(account, { sharePercent: 100 });
  await time.advance(10_000);
  expect(run.record.phase).toBe("ready");
  await account.jobs.copying.command(run, "pause", {});
  await time.advance(1000);
  for (let index = 0; index < 20; index++) await write(account, source, index, { round: 2 });
  return { ...stage, run };
}

it("applies the changes of several partitions together while writers wait for the end", async () => {
  const { account, run, source, trouble } = await behindTwice();
  const asked: string[] = [];
  trouble.fault = (operation) => void asked.push(operation);
  expect(await run.stream!.catchUp(() => false, false)).toBe(true);
  const firstCommit = asked.indexOf("commit");
  assert(firstCommit >= 0, "changes were applied");
  expect(asked.slice(0, firstCommit).filter((one) => one === "readLog")).toHaveLength(2);
  expect(await contents(account, run.target!)).toEqual(await contents(account, source));
});

it("says what went wrong when all that it began has ended", async () => {
  const { account, run, source, trouble } = await behindTwice();
  const parts = source.map.entries.map(({ part }) => part);
  trouble.fault = (operation, part) =>
    operation === "readLog" && part === parts[0] ? new Error("away") : undefined;
  await expect(run.stream!.catchUp(() => false, false)).rejects.toThrow("away");
  const [first, second] = source.map.entries.map(({ range }) => range);
  const { positions } = run.stream!.terms;
  expect(positions.of(second!)).toBe(source.partitions.get(source.map.entries[1]!.id)!.lsn);
  expect(positions.of(first!)).toBeLessThan(source.partitions.get(source.map.entries[0]!.id)!.lsn);
  trouble.fault = undefined;
  expect(await run.stream!.catchUp(() => false, false)).toBe(true);
  expect(await contents(account, run.target!)).toEqual(await contents(account, source));
});

it("reads another partition while it owes the first one", async () => {
  const { account, run, source, time } = await behindTwice({ rates: LIMITED });
  const [first, second] = [...source.partitions.values()];
  run.pace.spend(first!, 60 * first!.spending.purse.ratePerSecond);
  await account.jobs.copying.command(run, "resume", {});
  await time.advance(20_000);
  const { positions } = run.stream!.terms;
  expect(positions.of(second!.entry.range)).toBe(second!.lsn);
  expect(positions.of(first!.entry.range)).toBeLessThan(first!.lsn);
  await time.advance(60_000);
  expect(await contents(account, run.target!)).toEqual(await contents(account, source));
});
