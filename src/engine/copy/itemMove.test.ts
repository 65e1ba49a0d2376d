/** Writes by the old key that change what the new key is made of. */
import { expect, it } from "vitest";
import { assert } from "../../base/assert.ts";
import { seededRandom } from "../../base/world.ts";
import type { JsonObject } from "../../json/value.ts";
import { StoreFault } from "../../store/partitionStore.ts";
import type { Account } from "../account.ts";
import type { ItemOutcome } from "../item/itemCommand.ts";
import type { Container } from "../partition/container.ts";
import { stopped } from "../simulatedAccount.fake.ts";
import { contents, copyStage, remove, started, write } from "./copyStage.fake.ts";

type Stage = Awaited<ReturnType<typeof copyStage>>;

/** After the switch: items have the key `/tenant`, and clients still go by `/pk`. */
async function switchedStage(
  count = 20,
  body: JsonObject = {},
): Promise<Stage & { readonly now: Container }> {
  const stage = await copyStage(count, {}, body);
  const { account, time } = stage;
  const run = await started(account);
  await time.advance(2000);
  await account.jobs.copying.command(run, "cutOver", { isForced: true });
  return { ...stage, now: run.target! };
}

function replace(
  account: Account,
  container: Container,
  index: number,
  more: JsonObject,
  ifMatch?: string,
): Promise<ItemOutcome> {
  const body = { pk: `p${index % 7}`, id: `i${index}`, tenant: `t${index % 11}`, ...more };
  const request = { kind: "replace", key: [body.pk], id: body.id, body, ifMatch } as const;
  const written = account.writeItem(container, request);
  assert(written.ok, "a write is taken");
  return written.value;
}

async function named(account: Account, container: Container, id: string): Promise<JsonObject[]> {
  return (await contents(account, container)).filter((item) => item["id"] === id);
}

it("a replace moves the item, and the old container has the same", async () => {
  const { account, time, now, source } = await switchedStage();
  expect(await replace(account, now, 5, { tenant: "new", n: 1 })).toMatchObject({
    kind: "replaced",
  });
  expect(await named(account, now, "i5")).toMatchObject([{ tenant: "new", n: 1 }]);
  expect((await write(account, now, 6, { tenant: "new" })).kind).toBe("replaced");
  await time.advance(3000);
  expect(await contents(account, source)).toEqual(await contents(account, now));
  const [run] = account.jobs.copying.runs;
  expect(run!.record.setAside).toEqual([]);
  expect(run!.record.moves ?? []).toEqual([]);
  expect(await account.jobs.copying.command(run!, "revert", {})).toMatchObject({ ok: true });
  expect(await named(account, source, "i5")).toMatchObject([{ pk: "p5", tenant: "new" }]);
});

it("a replace whose condition does not hold changes nothing", async () => {
  const { account, now } = await switchedStage();
  const before = await contents(account, now);
  const refused = await replace(account, now, 5, { tenant: "new" }, '"other"');
  expect(refused).toMatchObject({ kind: "refused", refusal: { kind: "preconditionFailed" } });
  expect(await contents(account, now)).toEqual(before);
  const etag = String(before.find(({ id }) => id === "i5")!["_etag"]);
  expect((await replace(account, now, 5, { tenant: "new" }, etag)).kind).toBe("replaced");
});

it("the id of an item that has expired is free, under any new key", async () => {
  const { account, time, now, source } = await switchedStage(20, { defaultTtl: -1 });
  await write(account, now, 5, { ttl: 1 });
  await write(account, now, 6, { ttl: 1 });
  // Both have expired, and nobody has swept them away.
  await time.advance(1500);
  const body = { pk: "p5", id: "i5", tenant: "new", n: 1 };
  const created = account.writeItem(now, { kind: "create", key: ["p5"], body });
  assert(created.ok, "a write is taken");
  expect((await created.value).kind).toBe("created");
  expect(await replace(account, now, 6, { tenant: "new" })).toMatchObject({
    kind: "refused",
    refusal: { kind: "notFound" },
  });
  await time.advance(60_000);
  expect(await named(account, now, "i5")).toMatchObject([{ tenant: "new", n: 1 }]);
  expect(await contents(account, source)).toEqual(await contents(account, now));
});

it("a replace is refused whose place another item has", async () => {
  const { account, now } = await switchedStage();
  const other = { id: "i5", pk: "elsewhere", tenant: "taken" };
  const made = account.writeItem(now, { kind: "create", key: ["taken"], body: other });
  assert(made.ok && (await made.value).kind === "created", "the other item is made");
  const refused = await replace(account, now, 5, { tenant: "taken" });
  expect(refused).toMatchObject({ kind: "refused", refusal: { kind: "idTaken" } });
  const both = await named(account, now, "i5");
  expect(both.map(({ tenant }) => tenant).sort()).toEqual(["t5", "taken"]);
});

it("what is written to the old place meanwhile is not lost", async () => {
  const { account, now, trouble } = await switchedStage();
  const { part } = [...now.partitions.values()][0]!.entry;
  let late: Promise<ItemOutcome> | undefined;
  trouble.fault = (operation, asked) => {
    // While the item is put at its new place, somebody who knows the new key writes to the old one.
    if (operation === "commit" && asked === part && late === undefined) {
      const body = { pk: "p5", id: "i5", tenant: "t5", late: true };
      const sent = account.writeItem(now, { kind: "replace", key: ["t5"], id: "i5", body });
      assert(sent.ok, "a write is taken");
      late = sent.value;
    }
    return undefined;
  };
  expect((await replace(account, now, 5, { tenant: "new" })).kind).toBe("replaced");
  expect((await late!).kind).toBe("replaced");
  // The replace came after it, and as a whole.
  const left = await named(account, now, "i5");
  expect(left).toMatchObject([{ tenant: "new" }]);
  expect(left[0]).not.toHaveProperty("late");
});

it.each([
  [1, "t5"],
  [2, "new"],
])("a kill at write %i of a move leaves the item in one place", async (fatal, tenant) => {
  const { account, time, now, source, trouble, reopen } = await switchedStage();
  const { part } = [...now.partitions.values()][0]!.entry;
  let count = 0;
  // From the write that fails on, nothing gets to the disk.
  trouble.fault = (operation, asked) => {
    if (operation === "commit" && asked === part) count++;
    return operation === "commit" && count >= fatal ? new StoreFault("killed") : undefined;
  };
  const outcome = await replace(account, now, 5, { tenant: "new" });
  expect(outcome).toMatchObject({ kind: "refused", refusal: { kind: "unavailable" } });
  await stopped(account).catch(() => undefined);
  trouble.fault = undefined;
  const opened = await reopen();
  const after = opened.catalog.container("d", "c")!;
  await time.advance(3000);
  expect((await named(opened, after, "i5")).map((item) => item["tenant"])).toEqual([tenant]);
  const old = opened.catalog.containerByRid(source.rid)!;
  expect(await contents(opened, old)).toEqual(await contents(opened, after));
  expect(opened.jobs.copying.runs[0]!.record.setAside).toEqual([]);
});

it("a disk that fails for a moment leaves the item in one place", async () => {
  const { account, time, now, source, trouble } = await switchedStage();
  const { part } = [...now.partitions.values()][0]!.entry;
  let count = 0;
  trouble.fault = (operation, asked) => {
    if (operation !== "commit" || asked !== part) return undefined;
    return ++count === 2 ? new StoreFault("busy") : undefined;
  };
  const outcome = await replace(account, now, 5, { tenant: "new" });
  expect(outcome).toMatchObject({ kind: "refused", refusal: { kind: "unavailable" } });
  await time.advance(3000);
  expect(await named(account, now, "i5")).toMatchObject([{ tenant: "new" }]);
  expect(await contents(account, source)).toEqual(await contents(account, now));
});

it("a container of the old key and one of the new key come to the same, whatever happens", async () => {
  for (const seed of [1, 2, 3]) await compareWithModel(seed);
});

async function compareWithModel(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const draw = (count: number): number => Math.floor(random.next() * count);
  const { account, time, source, trouble, reopen } = await switchedStage(15);
  let opened = account;
  const model = new Map<number, string>();
  for (let index = 0; index < 15; index++) model.set(index, `t${index % 11}`);
  for (let step = 0; step < 150; step++) {
    const now = opened.catalog.container("d", "c")!;
    const index = draw(20);
    const kind = draw(20);
    const tenant = `t${draw(11)}`;
    if (kind < 12) {
      const outcome =
        kind < 6
          ? await write(opened, now, index, { tenant, step })
          : await replace(opened, now, index, { tenant, step });
      const isNew = kind < 6 && !model.has(index);
      if (isNew || model.has(index)) model.set(index, tenant);
      const due = isNew ? "created" : model.has(index) ? "replaced" : "refused";
      expect(outcome.kind, `seed ${seed}, step ${step}`).toBe(due);
    } else if (kind < 15) {
      await remove(opened, now, `p${index % 7}`, `i${index}`);
      model.delete(index);
    } else if (kind < 18) await time.advance(draw(300));
    else if (model.has(index)) {
      // Killed while it is written: it is what it was, or what it was to be, and in one place.
      let left = draw(4);
      trouble.fault = (operation) =>
        operation === "commit" && left-- <= 0 ? new StoreFault("killed") : undefined;
      await replace(opened, now, index, { tenant, step }).catch(() => undefined);
      left = 0;
      await stopped(opened).catch(() => undefined);
      trouble.fault = undefined;
      opened = await reopen();
      await time.advance(2000);
      const after = await named(opened, opened.catalog.container("d", "c")!, `i${index}`);
      expect(after, `seed ${seed}, step ${step}`).toHaveLength(1);
      expect([model.get(index), tenant]).toContain(after[0]!["tenant"]);
      model.set(index, String(after[0]!["tenant"]));
    }
  }
  const [run] = opened.jobs.copying.runs;
  expect(await opened.jobs.copying.command(run!, "revert", {})).toMatchObject({ ok: true });
  const back = await contents(opened, opened.catalog.containerByRid(source.rid)!);
  const found = back.map(({ id, tenant }) => [Number(String(id).slice(1)), tenant]);
  const due = [...model].sort(([a], [b]) => (`i${a}` < `i${b}` ? -1 : 1));
  expect(found, `seed ${seed}`).toEqual(due);
}
