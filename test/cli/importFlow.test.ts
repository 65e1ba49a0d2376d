/**
 * `orrery import` when things happen meanwhile: throttling, splits, Ctrl-C, a server that goes away.
 * Whatever happens, every item is there once in the end, as it was in the input.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Container } from "@azure/cosmos";
import { describe, expect, test, vi } from "vitest";
import { startServer } from "../crash/serverProcess.ts";
import { rangeIds, split } from "../sdk/inside.ts";
import { clientOf, openContainer, openStage, temporaryDirectory } from "../sdk/stage.ts";
import type { Item, Ran } from "./importStage.ts";
import { byId, eventually, itemsIn, linesOf, orrery, start, written } from "./importStage.ts";

function samples(count: number): readonly Item[] {
  return Array.from({ length: count }, (_, n) => ({ id: `item-${n}`, pk: `pk-${n % 50}`, n }));
}

async function countIn(container: Container): Promise<number> {
  // Asked while the server comes and goes, when a client that merges may wait for ever.
  const initialHeaders = { "x-orrery-merge-query": "true" };
  const { resources } = await container.items
    .query("SELECT VALUE COUNT(1) FROM c", { initialHeaders })
    .fetchAll();
  return resources[0] as number;
}

function doneBytesIn(file: string): number {
  if (!existsSync(file)) return 0;
  const { inputs } = JSON.parse(readFileSync(file, "utf8")) as {
    readonly inputs: readonly { readonly doneBytes: number }[];
  };
  return inputs[0]!.doneBytes;
}

/** The numbers of a summary, by their names. */
function summaryOf({ output }: Ran): Readonly<Record<string, number>> {
  const rows = output.matchAll(/^(\w+) +([\d,]+)/gm);
  return Object.fromEntries(
    [...rows].map(([, name, count]) => [name!, Number(count!.replaceAll(",", ""))]),
  );
}

/** Some wait for a rate on purpose, and the machine may be busy besides. */
vi.setConfig({ testTimeout: 120_000 });

const SLOW = { memory: true, rateLimit: true } as const;

describe("an import goes on", () => {
  test("when it is throttled, as fast as the rate allows", async () => {
    await using stage = await openStage(SLOW);
    using directory = temporaryDirectory();
    const container = await openContainer(stage.database, { throughput: 400 });
    const items = samples(250);
    const path = written(directory.path, "a.ndjson", linesOf(items));
    const place = ["--endpoint", stage.server.endpoint];
    const ran = await orrery(["import", `stage/${container.id}`, path, ...place]);
    expect([ran.code, ran.errors.includes("rejected")]).toEqual([0, false]);
    expect(ran.output).toMatch(/^created {3}250\n/);
    expect(Number(/(\d+) times 429/.exec(ran.output)?.[1])).toBeGreaterThan(0);
    await container.items.query("SELECT 1").fetchAll();
    expect(await itemsIn(container)).toEqual(byId(items));
  });

  test("when physical partitions are split, and sorts anew", async () => {
    await using stage = await openStage();
    const container = await openContainer(stage.database);
    const items = samples(3000);
    const place = ["--endpoint", stage.server.endpoint];
    const { child, ended } = start(["import", `stage/${container.id}`, "-", ...place]);
    child.stdin!.write(linesOf(items.slice(0, 1000)));
    await eventually(async () => (await countIn(container)) === 1000);
    await split(stage.server, container);
    child.stdin!.write(linesOf(items.slice(1000, 2000)));
    await eventually(async () => (await countIn(container)) === 2000);
    await split(stage.server, container);
    child.stdin!.end(linesOf(items.slice(2000)));
    const ran = await ended;
    expect([ran.code, ran.errors]).toEqual([0, ""]);
    expect(summaryOf(ran)["created"]).toBe(3000);
    expect((await rangeIds(stage.server, container)).length).toBe(3);
    expect(await itemsIn(container)).toEqual(byId(items));
  });

  test("when the server is killed and comes back, without an item twice", async () => {
    using directory = temporaryDirectory();
    const data = join(directory.path, "data");
    const args: readonly string[] = [];
    const first = await startServer(data, { args });
    const port = Number(new URL(first.endpoint).port);
    const items = samples(250);
    const path = written(directory.path, "a.ndjson", linesOf(items));
    const { ended } = start([
      ...["import", "d/c", path, "--endpoint", first.endpoint],
      ...["--create", "--partition-key", "/pk", "--throughput", "400"],
    ]);
    const client = clientOf(first, { connectionPolicy: { enableEndpointDiscovery: false } });
    const container = client.database("d").container("c");
    await eventually(async () => (await countIn(container).catch(() => 0)) > 20);
    await first.kill();
    const second = await startServer(data, { port, args });
    const ran = await ended;
    const { created = 0, present = 0 } = summaryOf(ran);
    expect([ran.code, created + present]).toEqual([0, 250]);
    expect(await itemsIn(container)).toEqual(byId(items));
    client.dispose();
    await second.end();
  });
});

describe("an import that was ended goes on from there", () => {
  test("after Ctrl-C", async () => {
    await using stage = await openStage(SLOW);
    using directory = temporaryDirectory();
    const container = await openContainer(stage.database, { throughput: 400 });
    const items = samples(400);
    const path = written(directory.path, "a.ndjson", linesOf(items));
    const notes = join(directory.path, "notes.json");
    const command = ["import", `stage/${container.id}`, path, "--resume", notes];
    command.push("--endpoint", stage.server.endpoint);
    const { child, ended } = start(command);
    await eventually(() => doneBytesIn(notes) > 0);
    child.kill("SIGINT");
    const ran = await ended;
    expect(ran.code).toBe(130);
    expect(ran.errors).toContain(
      `Interrupted. The same command goes on from here: ${notes} knows how far it is.\n`,
    );
    expect(doneBytesIn(notes)).toBeLessThan(linesOf(items).length);
    const before = summaryOf(ran)["created"]!;
    expect(await countIn(container)).toBe(before);

    const again = await orrery(command);
    const { created = 0, present = 0 } = summaryOf(again);
    expect(again.code).toBe(0);
    // What went in behind a gap is found to be there.
    expect(created).toBe(400 - before);
    expect(present).toBeLessThanOrEqual(before);
    expect(doneBytesIn(notes)).toBe(linesOf(items).length);
    expect(await itemsIn(container)).toEqual(byId(items));

    const third = await orrery(command);
    expect([third.code, summaryOf(third)["created"]]).toEqual([0, 0]);
  });

  test("after the server stayed away", async () => {
    using directory = temporaryDirectory();
    const data = join(directory.path, "data");
    const args: readonly string[] = [];
    const first = await startServer(data, { args });
    const port = Number(new URL(first.endpoint).port);
    const items = samples(300);
    const path = written(directory.path, "a.ndjson", linesOf(items));
    const notes = join(directory.path, "notes.json");
    const command = [
      ...["import", "d/c", path, "--endpoint", first.endpoint, "--resume", notes, "--wait", "1"],
      ...["--create", "--partition-key", "/pk", "--throughput", "400"],
    ];
    const { ended } = start(command);
    await eventually(() => doneBytesIn(notes) > 0);
    await first.kill();
    const ran = await ended;
    expect(ran.code).toBe(1);
    expect(ran.errors).toContain("The server has not answered for 1 s");
    expect(ran.errors).toContain(`The same command goes on from here: ${notes}`);

    const second = await startServer(data, { port, args });
    const again = await orrery(command);
    expect(again.code).toBe(0);
    const client = clientOf(second);
    expect(await itemsIn(client.database("d").container("c"))).toEqual(byId(items));
    client.dispose();
    await second.end();
  });

  test("but not with another file, another container, or a file of something else", async () => {
    await using stage = await openStage();
    using directory = temporaryDirectory();
    const [one, two] = [await openContainer(stage.database), await openContainer(stage.database)];
    const path = written(directory.path, "a.ndjson", linesOf(samples(5)));
    const notes = join(directory.path, "notes.json");
    const run = ({ id }: Container, resume: string): Promise<Ran> =>
      orrery([
        ...["import", `stage/${id}`, path, "--resume", resume],
        ...["--endpoint", stage.server.endpoint],
      ]);
    expect((await run(one, notes)).code).toBe(0);
    expect((await run(two, notes)).errors).toMatch(/is about .*, not .* Name another file/);
    written(directory.path, "a.ndjson", linesOf(samples(6)));
    expect((await run(one, notes)).errors).toContain("has changed since");
    expect((await run(one, path)).errors).toContain("is no file that --resume has written");
  });
});
