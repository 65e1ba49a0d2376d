/** Making copies be what they are to be, while others do the same beside it. */
import { expect, it } from "vitest";
import type { PartitionStore } from "../../store/partitionStore.ts";
import type { Simulated } from "../simulatedAccount.fake.ts";
import { put } from "../simulatedAccount.fake.ts";
import type { CopyRun } from "./copyRun.ts";
import { contents, copyStage, remove, started } from "./copyStage.fake.ts";
import { CopyTally } from "./copyTally.ts";
import type { Wanted } from "./copyWriter.ts";
import { CopyWriter } from "./copyWriter.ts";

/** A writer that reads where copies are; then `meanwhile` happens, and then it goes on. */
function writerOf(
  { store }: Simulated,
  run: CopyRun,
  meanwhile: () => Promise<unknown>,
): CopyWriter {
  const hooked = new Proxy<PartitionStore>(store, {
    get: (_store, name) => {
      const member: unknown = Reflect.get(store, name, store);
      if (typeof member !== "function") return member;
      if (name !== "itemsByNumber") return member.bind(store) as unknown;
      return async (...args: Parameters<PartitionStore["itemsByNumber"]>) => {
        const items = await store.itemsByNumber(...args);
        await meanwhile();
        return items;
      };
    },
  });
  const { source, target, mapping } = run.stream!.terms;
  return new CopyWriter({
    store: hooked,
    source,
    target,
    mapping,
    pace: run.pace,
    tally: new CopyTally(run.record.counts),
  });
}

it("does not take away what has got the place of an item meanwhile", async () => {
  const stage = await copyStage(0);
  const { account, time, source, store } = stage;
  await put(account, source, { pk: "a", id: "same", tenant: "one" });
  const run = await started(account);
  await time.advance(2000);
  await account.jobs.copying.command(run, "pause", {});
  const [gone] = (await store.scanItems(source.map.entries[0]!.part, 0, ALL)).items;
  await remove(account, source, "a", "same");
  await put(account, source, { pk: "b", id: "same", tenant: "one" });
  const [come] = (await store.scanItems(source.map.entries[0]!.part, 0, ALL)).items;
  const { mapping } = run.stream!.terms;
  const copy = mapping.copyOf(come!);
  const wanted: Wanted = {
    sourceNumber: come!.number,
    isFirst: true,
    ...(copy.kind === "copy" && { copy }),
  };
  const other = writerOf(stage, run, () => Promise.resolve());
  const slow = writerOf(stage, run, () => other.write([wanted]));
  expect(await slow.write([{ sourceNumber: gone!.number, isFirst: false }])).toEqual([]);
  expect(await contents(account, run.target!)).toEqual(await contents(account, source));
});

const ALL = { countMax: 10, bytesMax: 1_000_000 };
