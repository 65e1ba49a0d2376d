/** `orrery import`: what it reads, what it makes of it, and what it says. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Container, PartitionKeyDefinition } from "@azure/cosmos";
import { PartitionKeyKind } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Stage, TemporaryDirectory } from "../sdk/stage.ts";
import { openContainer, openStage, temporaryDirectory } from "../sdk/stage.ts";
import type { Item, Ran } from "./importStage.ts";
import { byId, itemsIn, linesOf, orrery, start, written } from "./importStage.ts";

/** Each starts processes, and the machine may be busy. */
vi.setConfig({ testTimeout: 120_000 });

let stage: Stage;
let directory: TemporaryDirectory;

beforeAll(async () => {
  stage = await openStage();
  directory = temporaryDirectory();
});

afterAll(async () => {
  directory[Symbol.dispose]();
  await stage[Symbol.asyncDispose]();
});

let fileCount = 0;

function file(content: string | Buffer, ending: string): string {
  return written(directory.path, `input-${++fileCount}${ending}`, content);
}

function open(paths: readonly string[] = ["/pk"]): Promise<Container> {
  const kind = paths.length > 1 ? PartitionKeyKind.MultiHash : PartitionKeyKind.Hash;
  const partitionKey: PartitionKeyDefinition = { paths: [...paths], kind, version: 2 };
  return openContainer(stage.database, { partitionKey, throughput: 30_000 });
}

function importTo(
  container: Container | string,
  args: readonly string[],
  input?: string | Buffer,
): Promise<Ran> {
  const name = typeof container === "string" ? container : `stage/${container.id}`;
  return orrery(["import", name, "--endpoint", stage.server.endpoint, ...args], input);
}

const ITEMS: readonly Item[] = Array.from({ length: 250 }, (_, n) => ({
  id: `item-${n}`,
  pk: `pk-${n % 17}`,
  n,
  text: 'ä "quoted" \u2028 text',
  list: [n, null, { deep: -0.5 }],
}));

describe("forms", () => {
  const pretty = JSON.stringify(ITEMS, null, 2);
  const values = ITEMS.map((item) => JSON.stringify(item, null, 1)).join("\n");
  test.each<[string, string, string | Buffer, readonly string[]]>([
    ["a line for each item", ".ndjson", linesOf(ITEMS), []],
    [
      "lines with carriage returns, blanks and a mark of byte order",
      ".ndjson",
      `\uFEFF${linesOf(ITEMS).replaceAll("\n", "\r\n\r\n")}`,
      [],
    ],
    ["lines whose last has no end", ".txt", linesOf(ITEMS).trimEnd(), []],
    ["an array", ".json", pretty, []],
    ["values one after the other", ".json", values, []],
    ["an array whose name says nothing", "", pretty, []],
    ["gzip by its content", ".ndjson", gzipSync(linesOf(ITEMS)), []],
    ["gzip of an array", ".json.gz", gzipSync(pretty), []],
    ["what --format says", ".csv", linesOf(ITEMS), ["--format", "ndjson"]],
  ])("%s", async (_, ending, content, args) => {
    const container = await open();
    const { code, output, errors } = await importTo(container, [file(content, ending), ...args]);
    expect([code, errors]).toEqual([0, ""]);
    expect(output).toMatch(/^created {3}250\ncharge {4}\d+\.\d\d RU, 0 times 429\ntime {6}/);
    expect(await itemsIn(container)).toEqual(byId(ITEMS));
  });

  test("one object", async () => {
    const container = await open();
    const { code } = await importTo(container, [file(JSON.stringify(ITEMS[0], null, 2), ".json")]);
    expect(code).toBe(0);
    expect(await itemsIn(container)).toEqual([ITEMS[0]]);
  });

  test("standard input, zipped or not, and several files", async () => {
    const container = await open();
    const [first, second] = [ITEMS.slice(0, 100), ITEMS.slice(100, 200)];
    const files = [file(linesOf(first), ".ndjson"), file(JSON.stringify(second), ".json")];
    const ran = await importTo(container, [...files, "-"], gzipSync(linesOf(ITEMS.slice(200))));
    expect([ran.code, ran.errors]).toEqual([0, ""]);
    expect(await itemsIn(container)).toEqual(byId(ITEMS));
  });

  test("a pipe that gives a few bytes at a time", async () => {
    const container = await open();
    const place = ["--endpoint", stage.server.endpoint];
    const { child, ended } = start(["import", `stage/${container.id}`, "-", ...place]);
    for (const piece of [" ", "\n", "i", "d,pk", "\n1,a\n2", ",b"]) {
      await new Promise((resolve) => child.stdin!.write(piece, resolve));
    }
    child.stdin!.end();
    expect(await ended).toMatchObject({ code: 0, errors: "" });
    expect(await itemsIn(container)).toEqual([
      { id: "1", pk: "a" },
      { id: "2", pk: "b" },
    ]);
  });

  test("an empty file is no item", async () => {
    const { code, output } = await importTo(await open(), [file("", ".ndjson")]);
    expect(code).toBe(0);
    expect(output).toMatch(/^created {3}0\n/);
  });

  test("numbers and white space go in as they are written", async () => {
    const container = await open();
    const text = '{ "id" : "a" , "pk":-0, "big": 1e300, "long": 0.1000 }\n';
    await importTo(container, [file(text, ".ndjson")]);
    expect(await itemsIn(container)).toEqual([{ id: "a", pk: -0, big: 1e300, long: 0.1 }]);
  });
});

describe("CSV", () => {
  const TEXT =
    "id,pk,n,isOn,zip,address.city,address.geo.lat,note\n" +
    '1,a,1.5,true,01067,Dresden,51.05,"a ""b"", c\nd"\n' +
    "2,b,,false,10115,,,\n" +
    "3,c,-7,true,04109,Leipzig,,x\n";

  test("has numbers, booleans, nested objects, and nothing where a cell is empty", async () => {
    const container = await open();
    const { code, errors } = await importTo(container, [file(TEXT, ".csv")]);
    expect([code, errors]).toEqual([0, ""]);
    expect(await itemsIn(container)).toEqual([
      {
        ...{ id: "1", pk: "a", n: 1.5, isOn: true, zip: "01067" },
        ...{ address: { city: "Dresden", geo: { lat: 51.05 } }, note: 'a "b", c\nd' },
      },
      { id: "2", pk: "b", isOn: false, zip: "10115" },
      {
        id: "3",
        pk: "c",
        n: -7,
        isOn: true,
        zip: "04109",
        address: { city: "Leipzig" },
        note: "x",
      },
    ]);
  });

  test("is all texts with --csv-strings", async () => {
    const container = await open();
    await importTo(container, ["-", "--csv-strings"], "id,pk,n,isOn\n1,a,1.5,true\n");
    expect(await itemsIn(container)).toEqual([{ id: "1", pk: "a", n: "1.5", isOn: "true" }]);
  });

  test.each<[string, readonly string[], string]>([
    ["a semicolon that is found", [], "id;pk;n\n1;a,b;2\n"],
    ["a tab that is found", [], "id\tpk\tn\n1\ta,b\t2\n"],
    ["a delimiter that is given", ["--csv-delimiter", "^"], "id^pk^n\n1^a,b^2\n"],
  ])("with %s", async (_, args, text) => {
    const container = await open();
    await importTo(container, [file(text, ".csv"), ...args]);
    expect(await itemsIn(container)).toEqual([{ id: "1", pk: "a,b", n: 2 }]);
  });

  test("rows that do not fit are told with their places", async () => {
    const container = await open();
    const path = file('id,pk\n1,a\n2\n3,c,d\n4,"d\n5,e\n', ".csv");
    const { code, errors } = await importTo(container, [path]);
    expect(code).toBe(1);
    expect(errors).toBe(
      `${path}:3:1: it has 1 cells where the first row has 2\n` +
        `${path}:4:1: it has 3 cells where the first row has 2\n` +
        `${path}:5:3: its quote is never closed\n`,
    );
    expect(await itemsIn(container)).toEqual([
      { id: "1", pk: "a" },
      { id: "5", pk: "e" },
    ]);
  });

  test.each([
    ["id,a,a\n1,2,3\n", "there are two columns of the name 'a'"],
    ["id,a,a.b\n1,2,3\n", "'a.b' would be inside of 'a', which is a column by itself"],
    ["id,,b\n1,2,3\n", "column 2 has no name, or one with an empty part"],
  ])("whose names make no sense is refused: %s", async (text, reason) => {
    const path = file(text, ".csv");
    const { code, errors } = await importTo(await open(), [path]);
    expect(code).toBe(1);
    expect(errors).toContain(`orrery: ${path}:1: ${reason}.\n`);
  });
});

describe("what cannot go in", () => {
  const BROKEN = [
    '{"id":"a","pk":"1"}',
    '{"id":"b","pk":"2",}',
    "[1]",
    '{"pk":"3"}',
    '{"id":7,"pk":"3"}',
    '{"id":"","pk":"3"}',
    '{"id":"e","pk":"4"',
    '{"id":"ä","pk": tru}',
    '{"id":"f","pk":"5"}',
  ].join("\n");
  const REASONS = [
    `2:20: it is no JSON: there is '}' where a name in double quotes must come`,
    "3:1: it is an array, and an item is an object",
    "4:1: it has no id; --id makes one from its other properties",
    "5:1: its id is a number; --id /id makes a text of it",
    "6:1: The input name '' is invalid. Ensure to provide a unique non-empty string less than " +
      "'1024' characters.",
    "7:19: it is no JSON: it ends in the middle, where ',' or '}' must come",
    "8:18: it is no JSON: there is 't' where a value must come",
  ];

  test("is told with its place and the reason, and everything else goes in", async () => {
    const container = await open();
    const path = file(BROKEN, ".ndjson");
    const rejects = join(directory.path, "rejects.ndjson");
    const { code, output, errors } = await importTo(container, [path, "--rejects", rejects]);
    expect(code).toBe(1);
    const told = REASONS.map((reason) => `${path}:${reason}\n`).join("");
    expect(errors).toBe(`${told}rejects: ${rejects}\n`);
    expect(output).toMatch(/^created {3}2\nrejected {2}7\n/);
    expect((await itemsIn(container)).map(({ id }) => id)).toEqual(["a", "f"]);
    const rows = readFileSync(rejects, "utf8").trimEnd().split("\n");
    expect(rows.map((row) => JSON.parse(row))[1]).toEqual({
      ...{ file: path, line: 3, column: 1, text: "[1]" },
      reason: "it is an array, and an item is an object",
    });
    expect(rows.length).toBe(REASONS.length);
  });

  test("has its place in an array over many lines, too", async () => {
    const path = file('[\n  {"id": "a"},\n  {\n    "id": oops\n  },\n  5\n]\n', ".json");
    const { errors } = await importTo(await open(), [path]);
    expect(errors).toBe(
      `${path}:4:11: it is no JSON: there is 'o' where a value must come\n` +
        `${path}:6:3: it is a number, and an item is an object\n`,
    );
  });

  test("ends the import at the first with --max-errors 0", async () => {
    const container = await open();
    const lines = BROKEN.split("\n");
    const many = ITEMS.map((item) => JSON.stringify(item));
    const path = file([...lines.slice(0, 2), ...many].join("\n"), ".ndjson");
    const { code, errors } = await importTo(container, [path, "--max-errors", "0"]);
    expect(code).toBe(1);
    expect(errors).toContain("Stopped: more than 0 items cannot go in.");
    expect((await itemsIn(container)).length).toBeLessThan(ITEMS.length);
  });

  test("is a line that is too long, without the others suffering", async () => {
    const container = await open();
    const long = JSON.stringify({ id: "long", pk: "p", text: "x".repeat(9 * 1024 * 1024) });
    const large = JSON.stringify({ id: "large", pk: "p", text: "x".repeat(3 * 1024 * 1024) });
    const fits = { id: "fits", pk: "p", text: "x".repeat(2 * 1024 * 1024 - 40) };
    const path = file(`${long}\n${large}\n${JSON.stringify(fits)}\n${linesOf(ITEMS)}`, ".ndjson");
    const { errors } = await importTo(container, [path]);
    expect(errors).toBe(
      `${path}:1:1: it is longer than 8 MB\n${path}:2:1: it is larger than the 2 MB of an item\n`,
    );
    expect((await itemsIn(container)).length).toBe(ITEMS.length + 1);
  });

  test("is one item that spoils a request, and not its neighbours", async () => {
    const container = await open();
    const deep = `{"id":"deep","pk":"p","a":${"[".repeat(200)}${"]".repeat(200)}}`;
    const path = file(`${linesOf(ITEMS)}${deep}\n`, ".ndjson");
    const { code, errors } = await importTo(container, [path]);
    expect(code).toBe(1);
    expect(errors).toMatch(/:251:1: .*nests deeper than the 128 levels allowed\.\n$/);
    expect(await itemsIn(container)).toEqual(byId(ITEMS));
  });

  test("is bytes that are no UTF-8, and gzip that ends in the middle", async () => {
    const container = await open();
    const bad = Buffer.concat([Buffer.from('{"id":"'), Buffer.from([0xff]), Buffer.from('"}\n')]);
    const path = file(Buffer.concat([bad, Buffer.from(linesOf(ITEMS))]), ".ndjson");
    const first = await importTo(container, [path]);
    expect(first.errors).toBe(`${path}:1:1: it has bytes that are no UTF-8\n`);
    expect(await itemsIn(container)).toEqual(byId(ITEMS));
    const cut = file(gzipSync(linesOf(ITEMS)).subarray(0, -200), ".ndjson.gz");
    const second = await importTo(await open(), [cut]);
    expect([second.code, second.errors]).toEqual([
      1,
      expect.stringContaining("the gzip data ends in the middle"),
    ]);
  });
});

describe("keys and ids", () => {
  test("values of every kind, none among them, are placed where clients look for them", async () => {
    const container = await open();
    const keys = ["a", "", 0, -1.5, true, false, null];
    const items = keys.map((pk, n) => ({ id: `i${n}`, pk }));
    const path = file(`${linesOf(items)}{"id":"none"}\n{"id":"object","pk":{"a":1}}\n`, ".ndjson");
    expect((await importTo(container, [path])).code).toBe(0);
    for (const { id, pk } of items) {
      expect((await container.item(id, pk).read()).resource).toMatchObject({ id, pk });
    }
    expect((await container.item("none", undefined).read()).resource).toMatchObject({ id: "none" });
  });

  test("of hierarchical keys every level may be missing", async () => {
    const container = await open(["/tenant", "/user/id"]);
    const items: readonly Item[] = [
      { id: "1", tenant: "t", user: { id: 5 } },
      { id: "2", tenant: "t" },
      { id: "3", user: { id: null } },
      { id: "4" },
    ];
    expect((await importTo(container, [file(linesOf(items), ".ndjson")])).code).toBe(0);
    expect(await itemsIn(container)).toEqual(items);
    expect((await container.item("1", ["t", 5]).read()).resource).toMatchObject({ id: "1" });
    const { resources } = await container.items
      .query("SELECT VALUE c.id FROM c ORDER BY c.id", { partitionKey: ["t"] })
      .fetchAll();
    expect(resources).toEqual(["1", "2"]);
  });

  test("are made by expressions", async () => {
    const container = await open();
    const items = [{ number: 7, deviceId: "d1", ts: "2024-03-05T01:02:03Z" }, { number: 8 }];
    const path = file(linesOf(items), ".ndjson");
    const { errors } = await importTo(container, [
      ...[path, "--id", "/number", "--set", '/pk=concat(/deviceId, "-", month(/ts))'],
      ...["--set", "/made/by=/deviceId"],
    ]);
    expect(errors).toBe(
      `${path}:2:1: --set '/pk=concat(/deviceId, "-", month(/ts))' gives no value for it\n`,
    );
    expect(await itemsIn(container)).toEqual([
      { ...items[0], id: "7", pk: "d1-2024-03", made: { by: "d1" } },
    ]);
  });
});

describe("modes", () => {
  const OLD = { id: "a", pk: "p", is: "old" };
  const NEW = { id: "a", pk: "p", is: "new" };
  const OTHER = { id: "b", pk: "p" };

  test.each<[string, readonly string[], number, Item, RegExp]>([
    ["create", [], 1, OLD, /^created {3}1\nrejected {2}1\n/],
    ["skip", ["--mode", "skip"], 0, OLD, /^created {3}1\nskipped {3}1 \(there already/],
    ["upsert", ["--mode", "upsert"], 0, NEW, /^created {3}1\nreplaced {2}1\n/],
  ])("%s", async (_, args, code, kept, output) => {
    const container = await open();
    await container.items.create(OLD);
    const ran = await importTo(container, [file(linesOf([NEW, OTHER]), ".ndjson"), ...args]);
    expect(ran).toMatchObject({ code, output: expect.stringMatching(output) });
    expect(await itemsIn(container)).toEqual([kept, OTHER]);
  });

  test("with upsert the last of the same id and key has the last word", async () => {
    const container = await open();
    const items = Array.from({ length: 100 }, (_, n) => ({ id: `i${n % 7}`, pk: "p", n }));
    const path = file(linesOf(items), ".ndjson");
    expect((await importTo(container, [path, "--mode", "upsert"])).code).toBe(0);
    expect((await itemsIn(container)).map(({ n }) => n)).toEqual([98, 99, 93, 94, 95, 96, 97]);
  });

  test("skip does not take a violated unique key for an item that is there", async () => {
    const { container } = await stage.database.containers.create({
      ...{ id: "unique", partitionKey: "/pk", throughput: 30_000 },
      uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/email"] }] },
    });
    await container.items.create({ id: "1", pk: "p", email: "a" });
    const path = file(
      linesOf([
        { id: "2", pk: "p", email: "a" },
        { id: "1", pk: "p" },
      ]),
      ".ndjson",
    );
    const { code, output, errors } = await importTo(container, [path, "--mode", "skip"]);
    expect([code, output]).toEqual([1, expect.stringMatching(/skipped {3}1 .*\nrejected {2}1\n/)]);
    expect(errors).toContain(":1:1: Unique index constraint violation");
  });
});

describe("what surrounds it", () => {
  test("--dry-run says where everything would go, and sends nothing", async () => {
    const container = await open();
    const path = file(`${linesOf(ITEMS)}{}\n`, ".ndjson");
    const { code, output } = await importTo(container, [path, "--dry-run"]);
    expect(code).toBe(1);
    expect(output).toMatch(
      /^This was a dry run: nothing was sent\.\nfine {6}250, .*\nrejected {2}1\n/,
    );
    const counts = [...output.matchAll(/^to physical partition \d+: (\d+) items/gm)];
    expect(counts.length).toBe(3);
    expect(counts.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(250);
    expect(await itemsIn(container)).toEqual([]);
  });

  test("--create makes the database and the container once", async () => {
    const path = file(linesOf(ITEMS), ".ndjson");
    const key = ["--create", "--partition-key"];
    const dry = await importTo("fresh/made", [path, ...key, "/pk", "--dry-run"]);
    expect(dry.output).toContain("to a new container: 250 items");
    const first = await importTo("fresh/made", [path, ...key, "/pk,/n", "--throughput", "500"]);
    expect([first.code, first.errors]).toEqual([0, ""]);
    const container = stage.client.database("fresh").container("made");
    expect((await container.read()).resource?.partitionKey?.paths).toEqual(["/pk", "/n"]);
    expect((await container.readOffer()).resource?.content?.offerThroughput).toBe(500);
    expect(await itemsIn(container)).toEqual(byId(ITEMS));
    const again = await importTo("fresh/made", [path, ...key, "/pk,/n", "--mode", "skip"]);
    expect([again.code, again.errors]).toEqual([0, "The container is there already.\n"]);
    const other = await importTo("fresh/made", [path, ...key, "/other"]);
    expect([other.code, other.errors]).toEqual([
      1,
      expect.stringContaining("key /pk,/n, not /other"),
    ]);
  });

  test("--limit takes the first", async () => {
    const container = await open();
    await importTo(container, [file(linesOf(ITEMS), ".ndjson"), "--limit", "120"]);
    expect(await itemsIn(container)).toEqual(byId(ITEMS.slice(0, 120)));
  });

  test("says what is not there", async () => {
    const path = file(linesOf(ITEMS), ".ndjson");
    const missing = await importTo("stage/nobody", [path]);
    expect([missing.code, missing.errors]).toEqual([
      1,
      expect.stringContaining("--create --partition-key"),
    ]);
    const noFile = await importTo("stage/nobody", ["nowhere.ndjson"]);
    expect(noFile.errors).toBe("orrery: There is no file 'nowhere.ndjson'.\n");
    const noServer = await orrery(["import", "d/c", path, "--endpoint", "http://127.0.0.1:1"]);
    expect([noServer.code, noServer.errors]).toEqual([
      1,
      expect.stringContaining("Nobody listens"),
    ]);
  });
});
