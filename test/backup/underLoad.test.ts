/**
 * Backups of a server under load: each of them, restored, holds every write that was acknowledged
 * before it began, and of every batch all or nothing. Segments are sealed and absorbed meanwhile.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Container, OperationInput } from "@azure/cosmos";
import { expect, test } from "vitest";
import { openContainer, openStage, temporaryDirectory } from "../sdk/stage.ts";
import { orrery } from "./command.ts";

const WRITER_COUNT = 4;
const BATCH_COUNT = 4;
const BACKUP_COUNT = process.env["ORRERY_LONG"] !== undefined ? 3 : 2;
/** A segment is full after some hundred batches. */
const PADDING = "x".repeat(40_000);

test("a backup under load has what was acknowledged, and batches whole", async () => {
  using directory = temporaryDirectory();
  const data = join(directory.path, "data");
  await using stage = await openStage({ data });
  const container = await openContainer(stage.database);
  const { endpoint } = stage.server;
  const acknowledged = new Array<number>(WRITER_COUNT).fill(0);
  let isOver = false;
  const writers = acknowledged.map(async (_, writer) => {
    while (!isOver) {
      await writeBatch(container, writer, acknowledged[writer]! + 1);
      acknowledged[writer]!++;
    }
  });
  const total = (): number => acknowledged.reduce((sum, count) => sum + count, 0);
  const promised: number[][] = [];
  try {
    for (let round = 0; round < BACKUP_COUNT; round++) {
      const next = total() + 200;
      while (total() < next) await new Promise((resolve) => setTimeout(resolve, 20));
      promised.push([...acknowledged]);
      const file = `${round}.backup`;
      const backup = await orrery(directory.path, "backup", "--to", file, "--endpoint", endpoint);
      expect(backup).toMatchObject({ code: 0, output: expect.stringContaining("verified") });
      // They went on writing, and were not held up by it.
      expect(total()).toBeGreaterThan(next);
    }
  } finally {
    isOver = true;
    await Promise.all(writers);
  }
  expect(existsSync(join(data, "backup.tmp"))).toBe(false);
  // Some hundred megabytes went through the journal; what was absorbed is gone from it.
  expect(readdirSync(join(data, "journal")).length).toBeLessThan(6);

  for (const [round, before] of promised.entries()) {
    const restored = join(directory.path, `restored-${round}`);
    const args = ["restore", `${round}.backup`, "--data", restored];
    expect(await orrery(directory.path, ...args)).toMatchObject({ code: 0 });
    const check = await orrery(directory.path, "check", restored);
    expect(check).toMatchObject({ code: 0, output: expect.stringContaining("No damage.") });
    await using again = await openStage({ data: restored });
    const found = again.database.container(container.id);
    for (const [writer, atLeast] of before.entries()) {
      expect(await roundOf(found, writer)).toBeGreaterThanOrEqual(atLeast);
    }
  }
}, 240_000);

async function writeBatch(container: Container, writer: number, round: number): Promise<void> {
  const operations: OperationInput[] = Array.from({ length: BATCH_COUNT }, (_, index) => ({
    operationType: "Upsert",
    resourceBody: { id: `i${index}`, pk: `w${writer}`, round, padding: PADDING },
  }));
  const { code, result } = await container.items.batch(operations, `w${writer}`);
  const isDone = code === 200 && result!.every(({ statusCode }) => statusCode < 300);
  if (!isDone) throw new Error(`batch ${round} of ${writer} was answered with ${code}`);
}

/** The round that all items of a writer are at; fails if they are not at the same. */
async function roundOf(container: Container, writer: number): Promise<number> {
  const query = { query: "SELECT VALUE c.round FROM c ORDER BY c.id" };
  const options = { partitionKey: `w${writer}` };
  const { resources } = await container.items.query<number>(query, options).fetchAll();
  const [round] = resources;
  expect(resources).toEqual(new Array(BATCH_COUNT).fill(round));
  return round!;
}
