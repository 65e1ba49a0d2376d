/** `orrery export`: what it writes, where, and that it can be imported again. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Container } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { split } from "../sdk/inside.ts";
import type { Stage, TemporaryDirectory } from "../sdk/stage.ts";
import { openContainer, openStage, temporaryDirectory } from "../sdk/stage.ts";
import type { Item, Ran } from "./importStage.ts";
import { byId, itemsIn, linesOf, orrery, written } from "./importStage.ts";

const ITEMS: readonly Item[] = Array.from({ length: 900 }, (_, n) => ({
  id: `item-${(n * 7919) % 900}`,
  pk: n % 5 === 0 ? null : `pk-${n % 40}`,
  n: n % 9 === 0 ? -0 : n / 3,
  2: "an index is a name",
  nested: { text: `ä "${n}", \n`, deep: { isOdd: n % 2 === 1, list: [n, { a: 1 }] } },
  ...(n % 3 === 0 && { only: `some ${n}` }),
}));

/** Each starts several processes, and the machine may be busy. */
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let stage: Stage;
let directory: TemporaryDirectory;
let source: Container;

beforeAll(async () => {
  stage = await openStage();
  directory = temporaryDirectory();
  source = await openContainer(stage.database);
  await load(source, written(directory.path, "items.ndjson", keepingSigns(ITEMS)));
  await split(stage.server, source);
});

afterAll(async () => {
  directory[Symbol.dispose]();
  await stage[Symbol.asyncDispose]();
});

function keepingSigns(items: readonly Item[]): string {
  return items.map((item) => JSON.stringify(item).replace('"n":0,', '"n":-0,')).join("\n");
}

async function load(container: Container, file: string): Promise<void> {
  const place = ["--endpoint", stage.server.endpoint, "--concurrency", "1"];
  const ran = await orrery(["import", `stage/${container.id}`, file, ...place]);
  expect([ran.code, ran.errors]).toEqual([0, ""]);
}

function exportOf(container: Pick<Container, "id">, args: readonly string[]): Promise<Ran> {
  return orrery(["export", `stage/${container.id}`, "--endpoint", stage.server.endpoint, ...args]);
}

test("numbers keep their digits through import, export, query, and import with changes", async () => {
  const container = await openContainer(stage.database);
  const line =
    '{"id":"a","pk":-0,"big":9007199254740993,"deep":{"l":[-9223372036854775808]},"ten":10.0}';
  const kept = line.replace("10.0", "10");
  await load(container, written(directory.path, "digits.ndjson", line));
  const lines = await exportOf(container, []);
  expect(lines.output).toBe(`${kept}\n`);
  expect((await exportOf(container, ["--format", "json"])).output).toBe(`[\n${kept}\n]\n`);
  expect((await exportOf(container, ["--query", "SELECT VALUE c.big FROM c"])).output).toBe(
    "9007199254740993\n",
  );
  expect((await exportOf(container, ["--format", "csv"])).output).toBe(
    "id,pk,big,deep.l,ten\na,-0,9007199254740993,[-9223372036854775808],10\n",
  );
  const again = await openContainer(stage.database);
  const place = ["--endpoint", stage.server.endpoint, "--set", "/deep/more=/id"];
  const file = written(directory.path, "digitsAgain.ndjson", lines.output);
  const imported = await orrery(["import", `stage/${again.id}`, file, ...place]);
  expect([imported.code, imported.errors]).toEqual([0, ""]);
  const query = ["query", "SELECT c.big, c.deep FROM c", "--container", `stage/${again.id}`];
  const asked = await orrery([...query, "--endpoint", stage.server.endpoint]);
  const due = '{"big":9007199254740993,"deep":{"l":[-9223372036854775808],"more":"a"}}\n';
  expect([asked.code, asked.output]).toEqual([0, due]);
});

describe("what is exported", () => {
  test.each([
    ["lines", "all.ndjson"],
    ["an array", "all.json"],
    ["zipped lines", "all.ndjson.gz"],
    ["a zipped array", "all.json.gz"],
  ])("can be imported again, and is the same bytes then: %s", async (_, name) => {
    const first = join(directory.path, name);
    const ran = await exportOf(source, ["--out", first]);
    expect(ran).toMatchObject({ code: 0, output: "" });
    expect(ran.errors).toMatch(/900 items, .* RU, .* s, .* items\/s\nwritten: .*\n$/);
    const copy = await openContainer(stage.database);
    await load(copy, first);
    expect(await itemsIn(copy)).toEqual(await itemsIn(source));
    const second = join(directory.path, `again-${name}`);
    await exportOf(copy, ["--out", second]);
    // In one physical partition items are in the order in which they came.
    expect(readFileSync(second).equals(readFileSync(first))).toBe(true);
  });

  test("has every item once, without what the server adds", async () => {
    const { code, output } = await exportOf(source, []);
    expect(code).toBe(0);
    const items = output
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Item);
    expect(byId(items)).toEqual(byId(ITEMS.map((item) => JSON.parse(keepingSigns([item])))));
  });

  test("has what the server adds with --system-properties", async () => {
    const { output } = await exportOf(source, ["--system-properties"]);
    const names = ["_rid", "_self", "_etag", "_attachments", "_ts"];
    expect(Object.keys(JSON.parse(output.split("\n")[0]!))).toEqual(expect.arrayContaining(names));
  });

  test("is the rows of a query with --query", async () => {
    const query = "SELECT VALUE c.id FROM c WHERE c.only != null ORDER BY c.id";
    const { output } = await exportOf(source, ["--query", query, "--format", "json"]);
    const ids = ITEMS.filter((item) => "only" in item).map(({ id }) => id as string);
    expect(JSON.parse(output)).toEqual(ids.sort());
    const bad = await exportOf(source, ["--query", "SELEC"]);
    expect([bad.code, bad.errors]).toEqual([1, expect.stringContaining("SELEC")]);
  });

  test("is an empty list of an empty container", async () => {
    const empty = await openContainer(stage.database);
    const forms = ["ndjson", "json", "csv"];
    const told = await Promise.all(forms.map((form) => exportOf(empty, ["--format", form])));
    expect(told.map(({ code, output }) => [code, output])).toEqual([
      [0, ""],
      [0, "[]\n"],
      [0, ""],
    ]);
  });

  test("is zipped on standard output, too", async () => {
    const path = join(directory.path, "one.ndjson.gz");
    await exportOf(source, ["--out", path, "--query", "SELECT TOP 3 c.id FROM c ORDER BY c.id"]);
    const lines = gunzipSync(readFileSync(path)).toString();
    expect(lines).toBe(linesOf([{ id: "item-0" }, { id: "item-1" }, { id: "item-10" }]));
  });
});

test("CSV has a column for each value, and is imported as what it was", async () => {
  const container = await openContainer(stage.database);
  const items: readonly Item[] = [
    { id: "1", pk: "a", n: 1.5, a: { b: "x, y", "c.d": true } },
    { id: "2", pk: "b", n: -2, e: 'say "hi"\nbye' },
  ];
  await load(container, written(directory.path, "csv.ndjson", linesOf(items)));
  const path = join(directory.path, "out.csv");
  await exportOf(container, ["--out", path]);
  expect(readFileSync(path, "utf8")).toBe(
    'id,pk,n,a.b,a.c\\.d,e\n1,a,1.5,"x, y",true,\n2,b,-2,,,"say ""hi""\nbye"\n',
  );
  const copy = await openContainer(stage.database);
  await load(copy, path);
  expect(await itemsIn(copy)).toEqual(items);
  const mixed = [
    { id: "1", pk: "a", v: { w: 1 } },
    { id: "2", pk: "a", v: [5], z: null },
    { id: "3", pk: "a", v: "t" },
  ];
  const other = await openContainer(stage.database);
  await load(other, written(directory.path, "mixed.ndjson", linesOf(mixed)));
  const { output } = await exportOf(other, ["--format", "csv"]);
  expect(output).toBe('id,pk,v\n1,a,"{""w"":1}"\n2,a,[5]\n3,a,t\n');
});

describe("the file", () => {
  test("is not replaced without --force, and appears when it is complete", async () => {
    using own = temporaryDirectory();
    const path = written(own.path, "out.json", "mine");
    const refused = await exportOf(source, ["--out", path]);
    expect([refused.code, refused.errors]).toEqual([
      1,
      `orrery: '${path}' is there already. --force replaces it.\n`,
    ]);
    expect(readFileSync(path, "utf8")).toBe("mine");
    expect((await exportOf(source, ["--out", path, "--force"])).code).toBe(0);
    expect(JSON.parse(readFileSync(path, "utf8"))).toHaveLength(900);
    expect(readdirSync(own.path)).toEqual(["out.json"]);
  });

  test("is not there when the export fails, nor is half of it", async () => {
    using own = temporaryDirectory();
    const { code, errors } = await exportOf({ id: "nobody" }, ["--out", join(own.path, "out")]);
    expect([code, errors]).toEqual([1, expect.stringContaining("There is no container")]);
    expect(readdirSync(own.path)).toEqual([]);
    const nowhere = await exportOf(source, ["--out", join(own.path, "no/where")]);
    expect([nowhere.code, nowhere.errors]).toEqual([
      1,
      expect.stringContaining("cannot be written"),
    ]);
  });
});
