/**
 * Copies of one server that cannot be made as they were asked for, as people run them: which item
 * it is and why is told, what may be set aside is, and the source is as it was.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Container } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SetAsideItem } from "../../src/model/copyJob.ts";
import type { Stage, TemporaryDirectory } from "../sdk/stage.ts";
import { openContainer, openStage, temporaryDirectory } from "../sdk/stage.ts";
import { type Item, itemsIn, orrery, type Ran } from "./importStage.ts";

let stage: Stage;
let folder: TemporaryDirectory;

beforeAll(async () => {
  stage = await openStage({ memory: true, limits: { logicalPartitionBytes: "20KB" } });
  folder = temporaryDirectory();
});
afterAll(async () => {
  folder[Symbol.dispose]();
  await stage[Symbol.asyncDispose]();
});

async function filled(items: readonly Item[]): Promise<Container> {
  const container = await openContainer(stage.database);
  for (const item of items) await container.items.create(item);
  return container;
}

let targetCount = 0;

async function copied(source: Container, ...more: string[]): Promise<Ran & { target: string }> {
  const target = `copy-${++targetCount}`;
  const names = [`stage/${source.id}`, `stage/${target}`];
  const ran = await orrery(["copy", ...names, ...more, "--endpoint", stage.server.endpoint]);
  return { ...ran, target };
}

function samples(count: number, more: (n: number) => Item = () => ({})): readonly Item[] {
  return Array.from({ length: count }, (_, n) => {
    return { id: `i${n}`, pk: `p${n % 7}`, tenant: `t${n % 3}`, ...more(n) };
  });
}

async function hasContainer(id: string): Promise<boolean> {
  const { resources } = await stage.database.containers.readAll().fetchAll();
  return resources.some((one) => one.id === id);
}

/** What is in the way, which items, under which key, and what is said of it. */
const BAD = [
  {
    what: "two items with one new key and id",
    items: [...samples(10), { id: "i1", pk: "other", tenant: "t1" }],
    args: ["--key", "/tenant"],
    stops: /1 item has the new key and the id of another one, such as 'i1'/,
    aside: ["--on-clash", "set-aside"],
    reason: /Another item with the id 'i1', of the key \["p1"\], has the same new key/,
  },
  {
    what: "an item without the key",
    items: samples(10, (n) => (n === 4 ? { tenant: undefined } : {})),
    args: ["--key", "/tenant"],
    stops: /1 item has no value for the new key, such as 'i4'/,
    aside: ["--on-missing-key", "set-aside"],
    reason: /no value for \/tenant/,
  },
  {
    what: "an item that an expression does not fit",
    items: samples(10, (n) => ({ at: n === 5 ? "soon" : "2024-03-01T00:00:00Z" })),
    args: ["--key", "concat(/tenant,'-',month(/at))"],
    stops: /such as 'i5'/,
    aside: ["--on-missing-key", "set-aside", "--on-refused", "set-aside"],
    reason: /./,
  },
  {
    what: "a key that would be full",
    items: samples(30, () => ({ tenant: "big", pad: "x".repeat(1000) })),
    args: ["--key", "/tenant"],
    stops: /logical partition \["big"\] would have \d+ bytes, more than one may/,
    aside: ["--on-refused", "set-aside"],
    reason: /would have more than 20480 bytes/,
  },
] as const;

describe.each(BAD)("$what", ({ items, args, stops, aside, reason }) => {
  test("stops the copy before the first write", async () => {
    const source = await filled(items);
    const before = await itemsIn(source);
    const ran = await copied(source, ...args);
    expect(ran.code).toBe(1);
    expect(ran.errors).toMatch(stops);
    expect(await hasContainer(ran.target)).toBe(false);
    expect(await itemsIn(source)).toEqual(before);
  });

  test("is set aside when told so, with the item and the reason", async () => {
    const source = await filled(items);
    const before = await itemsIn(source);
    const file = join(folder.path, `${source.id}.ndjson`);
    const ran = await copied(source, ...args, ...aside, "--set-aside", file);
    expect([ran.code, ran.errors]).toEqual([0, expect.any(String)]);
    const lines = readFileSync(file, "utf8").trim().split("\n");
    const rows = lines.map((line) => JSON.parse(line) as SetAsideItem);
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) {
      expect(row.reason).toMatch(reason);
      expect(before).toContainEqual(expect.objectContaining({ id: row.id }));
      expect(row.document).toMatchObject({ id: row.id });
    }
    const target = await itemsIn(stage.database.container(ran.target));
    expect(target.length + rows.length).toBe(before.length);
    expect(await itemsIn(source)).toEqual(before);
  });

  test("stops it when there is too much of it, and says such an item", async () => {
    const source = await filled(items);
    const file = join(folder.path, "most.ndjson");
    const ran = await copied(
      source,
      ...args,
      ...aside,
      "--set-aside",
      file,
      "--set-aside-max",
      "0",
    );
    expect(ran.code).toBe(1);
    expect(ran.errors).toMatch(/0 may be/);
  });
});

test("a source under another job is refused by the name of that job", async () => {
  const source = await filled(samples(5));
  const first = await copied(source, "--key", "/tenant", "--online", "--detach");
  const id = /Job (\S+) was started/.exec(first.output + first.errors)![1]!;
  const ran = await copied(source, "--key", "/id");
  expect(ran.code).toBe(1);
  expect(ran.errors).toContain(`belongs to the copy job ${id}`);
  expect(await itemsIn(source)).toHaveLength(5);
});

test("a target that is deleted in the middle ends the job, and the source is untouched", async () => {
  const source = await filled(samples(20));
  const before = await itemsIn(source);
  const { target } = await copied(source, "--key", "/tenant", "--online", "--detach");
  await expect.poll(() => hasContainer(target)).toBe(true);
  await stage.database.container(target).delete();
  await source.items.create({ id: "late", pk: "p", tenant: "t" });
  const { endpoint } = stage.server;
  const jobs = async (): Promise<string> =>
    (await orrery(["jobs", "list", "--json", "--endpoint", endpoint])).output;
  await expect.poll(jobs, { timeout: 60_000 }).toMatch(/"The target was deleted."/);
  expect(await itemsIn(source)).toHaveLength(before.length + 1);
});
