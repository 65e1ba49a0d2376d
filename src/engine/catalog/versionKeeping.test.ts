/** The moment in which versions begin to be kept, or no longer are. */
import { describe, expect, test } from "vitest";
import { lsn } from "../../base/units.ts";
import type { JsonObject } from "../../json/value.ts";
import type { Container } from "../partition/container.ts";
import type { Simulated } from "../simulatedAccount.fake.ts";
import { containerIn, databaseIn, simulatedAccount } from "../simulatedAccount.fake.ts";
import { redefine, write } from "../simulatedRequests.fake.ts";

const kept = (retentionDuration: number): JsonObject => ({
  changeFeedPolicy: { retentionDuration },
});

describe("after three writes and one deletion", () => {
  test.each<
    [rule: string, before: JsonObject, next: Record<string, JsonObject | undefined>, swept: number]
  >([
    ["keeping begins, and what was before is forgotten", {}, kept(10) as never, 4],
    ["keeping ends, and all is forgotten", kept(10), { changeFeedPolicy: undefined }, 4],
    ["keeping ends by a retention of nothing", kept(10), kept(0) as never, 4],
    ["another retention forgets nothing", kept(10), kept(20) as never, 0],
    ["another definition forgets nothing", {}, { defaultTtl: 100 } as never, 0],
  ])("%s", async (_rule, before, next, swept) => {
    const { account, container, store, part } = await opened(before);
    for (const id of ["a", "b", "c"]) await write(account, container, "create", id);
    await write(account, container, "delete", "a");
    await redefine(account, container, next);
    expect(store.head(part)!.sweptLsn).toBe(swept);
  });
});

test.each([
  ["begins", {}, kept(10)],
  ["ends", kept(10), kept(0)],
])(
  "where keeping %s, versions are kept without a gap or not at all",
  async (_rule, before, next) => {
    for (let turns = 0; turns < 60; turns += 3) {
      const { account, container, store, part, trouble } = await opened(before);
      trouble.isDistant = true;
      const writing: Promise<unknown>[] = [];
      const writeSome = async (): Promise<void> => {
        for (let n = 0; n < 20; n++) {
          writing.push(write(account, container, "upsert", `${n % 3}`, { n }));
          for (let turn = 0; turn < 4; turn++) await Promise.resolve();
        }
      };
      const written = writeSome();
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      await redefine(account, container, next as never);
      await written;
      await Promise.all(writing);
      const { lsn: last, sweptLsn } = store.head(part)!;
      const { versions } = store.readVersions(part, lsn(0), { countMax: 1000, bytesMax: 1e9 });
      const all = Array.from({ length: last - sweptLsn }, (_, n) => sweptLsn + 1 + n);
      expect(versions.map((version) => version.lsn)).toEqual(container.keepsVersions ? all : []);
    }
  },
);

async function opened(
  body: JsonObject,
): Promise<Simulated & { readonly container: Container; readonly part: number }> {
  const simulated = await simulatedAccount();
  const { account } = simulated;
  const container = await containerIn(account, await databaseIn(account), undefined, body);
  return { ...simulated, container, part: container.map.entries[0]!.part };
}
