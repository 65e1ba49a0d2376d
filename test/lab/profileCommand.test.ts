/** `orrery lab profile` as it is typed: files, standard input, containers, and what goes wrong. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { LAB_PROFILE_HELP, runLabProfile } from "../../src/cli/lab/profile.ts";
import { progressText } from "../../src/cli/lab/profileReading.ts";
import type { Profile } from "../../src/lab/profile/profile.ts";
import { openContainer, openStage, type Stage } from "../sdk/stage.ts";

const folder = mkdtempSync(join(tmpdir(), "orrery-profile-"));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

function fileOf(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

interface Run {
  readonly out: string;
  readonly err: string;
  readonly failure: string;
  readonly exitCode: unknown;
}

async function run(...args: string[]): Promise<Run> {
  let [out, err, failure] = ["", "", ""];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    out += String(text);
    return true;
  });
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    err += String(text);
    return true;
  });
  try {
    await runLabProfile(args, {});
  } catch (error) {
    failure = `${(error as Error).name}: ${(error as Error).message}`;
  }
  const { exitCode } = process;
  vi.restoreAllMocks();
  process.exitCode = undefined;
  return { out, err, failure, exitCode };
}

async function profileOf(...args: string[]): Promise<Profile> {
  const { out, failure } = await run(...args, "--json");
  expect(failure).toBe("");
  return JSON.parse(out) as Profile;
}

const items = Array.from({ length: 4000 }, (_, index) => ({
  id: `i${index}`,
  tenantId: `t${index % 40}`,
  count: index,
  isNew: index % 2 === 0,
  createdAt: new Date(Date.UTC(2024, 0, 1) + index * 60_000).toISOString(),
}));
const ndjson = items.map((item) => `${JSON.stringify(item)}\n`).join("");
const csv = [
  "id,tenantId,count,isNew,createdAt",
  ...items.map((item) => Object.values(item).join(",")),
].join("\n");

describe("files", () => {
  test.each<[string, string | Uint8Array]>([
    ["lines.ndjson", ndjson],
    ["lines.txt", ndjson],
    ["lines.jsonl.gz", gzipSync(ndjson)],
    ["zipped-without-saying-so", gzipSync(ndjson)],
    ["array.json", JSON.stringify(items)],
    ["pretty.json", JSON.stringify(items, null, 2)],
    ["array.json.gz", gzipSync(JSON.stringify(items))],
    ["rows.csv", csv],
    ["rows.csv.gz", gzipSync(csv)],
    ["rows.dat", csv],
  ])("%s", async (name, content) => {
    const file = fileOf(name, content);
    const profile = await profileOf(file);
    expect(profile).toMatchObject({ source: file, itemCount: 4000, coverage: "all" });
    expect(profile.problems.count).toBe(0);
    expect(profile.time?.path).toBe("/createdAt");
    const mean = items.reduce((sum, item) => sum + JSON.stringify(item).length, 0) / 4000;
    expect(profile.itemBytes.mean).toBeCloseTo(mean, 0);
    const types = Object.fromEntries(profile.properties.map(({ path, types }) => [path, types]));
    expect(types).toMatchObject({ "/count": { number: 1 }, "/isNew": { boolean: 1 } });
  });

  test("objects over several lines, one after the other", async () => {
    const text = items
      .slice(0, 20)
      .map((item) => JSON.stringify(item, null, 2))
      .join("\n");
    expect((await profileOf(fileOf("objects.json", text))).itemCount).toBe(20);
  });

  test("the format can be told", async () => {
    const file = fileOf("rows.ndjson", csv);
    expect((await profileOf(file, "--format", "csv")).itemCount).toBe(4000);
  });

  test("a table for people, and a file for the lab", async () => {
    const file = fileOf("shown.ndjson", ndjson);
    const saved = join(folder, "saved.json");
    const { out, err } = await run(file, "--save", saved, "--paths", "/isNew,/tenantId");
    expect(out).toContain("shown.ndjson: all 4,000 items");
    expect(out).toMatch(/\/tenantId\s+100 %\s+string\s+40/);
    expect(out).toMatch(/\/tenantId \+ \/isNew|\/isNew \+ \/tenantId/);
    expect(err).toBe(`profile: ${saved}\n`);
    expect(JSON.parse(readFileSync(saved, "utf8"))).toMatchObject({ formatVersion: 1 });
  });

  test("standard input", async () => {
    vi.spyOn(process, "stdin", "get").mockReturnValue(
      Readable.from([Buffer.from(ndjson.slice(0, 1000)), Buffer.from(ndjson.slice(1000))]) as never,
    );
    expect(await profileOf("-")).toMatchObject({ source: "standard input", itemCount: 4000 });
  });
});

describe("samples", () => {
  test("a share", async () => {
    const file = fileOf("sampled.ndjson", ndjson);
    const profile = await profileOf(file, "--sample", "25%");
    // Five standard deviations of 4,000 draws.
    expect(Math.abs(profile.itemCount - 1000)).toBeLessThan(140);
    expect(profile.coverage).toEqual({ sampledShare: profile.itemCount / 4000 });
    expect(profile.time!.itemsPerDay).toBeCloseTo(1440, -2);
    expect((await run(file, "--sample", "25%")).out).toMatch(
      /a sample of [\d,]+ items, 2\d(\.\d)? %/,
    );
  });

  test.each([
    ["plain.ndjson", ndjson],
    ["zipped.ndjson.gz", gzipSync(ndjson)],
  ])("a number: %s", async (name, content) => {
    const { itemCount } = await profileOf(fileOf(name, content), "--sample", "400");
    expect(Math.abs(itemCount - 400)).toBeLessThan(100);
  });

  test("a number of what nobody knows how much it is", async () => {
    vi.spyOn(process, "stdin", "get").mockReturnValue(
      Readable.from([Buffer.from(ndjson)]) as never,
    );
    expect((await run("-", "--sample", "10")).failure).toContain(
      "BadOption: --sample needs a share",
    );
  });
});

describe("what goes wrong", () => {
  test("broken lines are told, and the others read", async () => {
    const file = fileOf("broken.ndjson", `${ndjson}{"a":\n[1]\n${ndjson}`);
    const { out, exitCode } = await run(file);
    expect(out).toContain("all 8,000 items");
    expect(out).toContain("2 problems:");
    expect(out).toContain("line 4001, column 6: it is no JSON: it ends in the middle");
    expect(out).toContain("line 4002: it is an array, and an item is an object");
    expect(exitCode).toBeUndefined();
  });

  test("unless they must not be", async () => {
    const file = fileOf("strict.ndjson", `${ndjson}oops\n`);
    const { out, exitCode } = await run(file, "--strict");
    expect(out).toContain("line 4001: it is no JSON");
    expect(exitCode).toBe(1);
  });

  test("a JSON file that ends in the middle", async () => {
    const file = fileOf("cut.json", JSON.stringify(items).slice(0, -50));
    const profile = await profileOf(file);
    expect(profile.itemCount).toBe(3999);
    expect(profile.problems.first).toEqual([
      {
        place: "line 1, column 386684",
        problem: "it is cut off: the input ends in the middle of it",
      },
    ]);
  });

  test("gzip that ends in the middle", async () => {
    const zipped = gzipSync(ndjson);
    const profile = await profileOf(fileOf("cut.gz", zipped.subarray(0, zipped.length - 500)));
    expect(profile.itemCount).toBeGreaterThan(3000);
    expect(profile.problems.first.at(-1)).toEqual({
      place: `byte ${zipped.length - 500}`,
      problem: "the gzip data ends in the middle",
    });
  });

  test.each<[string, readonly string[], string]>([
    ["no file", ["nowhere.ndjson"], "CommandFailure: There is no file 'nowhere.ndjson'."],
    [
      "nothing named",
      [],
      "BadOption: Name a file, - for standard input, or a container with --container.",
    ],
    ["too many words", ["a", "b"], "BadOption: 'b' is one word too many."],
    [
      "a share above all",
      ["x", "--sample", "101%"],
      "BadOption: --sample is '101%'; it must be a share such as 10%, or a number of items.",
    ],
    [
      "no path",
      ["x", "--time", "ts"],
      "BadOption: --time has 'ts', which is no path; it must be one such as /a or /a/b.",
    ],
    [
      "four paths",
      ["x", "--paths", "/a,/b,/c,/d"],
      "BadOption: --paths is '/a,/b,/c,/d'; it must be one to 3 different paths.",
    ],
    [
      "a format nobody knows",
      ["x", "--format", "xml"],
      "BadOption: --format is 'xml'; it must be ndjson, json, csv.",
    ],
    [
      "a price for a file",
      ["x", "--max-ru", "5"],
      "BadOption: --max-ru is for containers; a file costs nothing.",
    ],
    [
      "no container",
      ["--container", "x"],
      "BadOption: 'x' names no container; it must be <database>/<container>.",
    ],
  ])("%s", async (_, args, failure) => {
    expect((await run(...args)).failure).toBe(failure);
  });

  test("an empty file, a folder, and a file without items", async () => {
    const empty = fileOf("empty.ndjson", "");
    expect((await run(empty)).failure).toBe(`CommandFailure: '${empty}' is empty.`);
    expect((await run(folder)).failure).toBe(
      `CommandFailure: '${folder}' is a folder; name a file.`,
    );
    const blank = fileOf("blank.ndjson", "\n\n");
    expect((await run(blank)).failure).toBe(`CommandFailure: There is no item in ${blank}.`);
    const bad = fileOf("bad.ndjson", "1\n2\n");
    expect((await run(bad)).failure).toBe(
      `CommandFailure: No item could be read from ${bad}: line 1: it is a number, and an item is an object, and 1 more problem.`,
    );
  });

  test("Ctrl-C ends the reading, and what was read is shown", async () => {
    const text = ndjson.repeat(12);
    const running = run(fileOf("long.ndjson", text), "--json");
    process.emit("SIGINT");
    const { out, failure } = await running;
    expect(failure).toBe("");
    const profile = JSON.parse(out) as Profile;
    expect(profile.itemCount).toBeGreaterThan(0);
    expect(profile.itemCount).toBeLessThan(48_000);
    const { sampledShare } = profile.coverage as { sampledShare: number };
    expect(sampledShare).toBeCloseTo(profile.itemCount / 48_000, 1);
    expect(profile.remarks).toEqual([expect.stringContaining("this is its beginning only")]);
  });

  test("help", async () => {
    expect((await run("--help")).out).toBe(LAB_PROFILE_HELP);
  });
});

describe("containers", () => {
  let stage: Stage;
  let name: string;
  let server: string[];
  beforeAll(async () => {
    stage = await openStage();
    const container = await openContainer(stage.database, {
      partitionKey: { paths: ["/tenantId"] } as never,
    });
    await container.items.executeBulkOperations(
      items.slice(0, 1500).map((item) => ({
        operationType: "Create",
        partitionKey: item.tenantId,
        resourceBody: item,
      })),
    );
    name = `${stage.database.id}/${container.id}`;
    server = ["--endpoint", stage.server.endpoint, "--key", stage.server.key];
  });
  afterAll(async () => await stage[Symbol.asyncDispose]());

  test.each([
    ["by the client of this program", []],
    ["by the official client", ["--sdk"]],
  ])("are read as they were written, with the price: %s", async (_, flags) => {
    const profile = await profileOf("--container", name, ...server, ...flags);
    expect(profile).toMatchObject({ source: name, itemCount: 1500, coverage: "all" });
    expect(profile.properties.map(({ path }) => path)).toEqual([
      "/count",
      "/createdAt",
      "/id",
      "/isNew",
      "/tenantId",
    ]);
    const mean =
      items.slice(0, 1500).reduce((sum, item) => sum + JSON.stringify(item).length, 0) / 1500;
    expect(profile.itemBytes.mean).toBeCloseTo(mean, 0);
    const price = /Reading took ([\d.]+) RU/.exec(profile.remarks!.join());
    expect(Number(price?.[1])).toBeGreaterThan(10);
  });

  test.each([[[]], [["--sdk"]]])("can be sampled, and paid for, in part: %j", async (flags) => {
    const some = await profileOf(name, ...server, ...flags, "--sample", "10%");
    expect(some).toMatchObject({ itemCount: 150, coverage: { sampledShare: 0.1 } });
    expect(some.remarks).toContainEqual(expect.stringContaining("not items picked by chance"));
    const few = await profileOf(name, ...server, ...flags, "--sample", "7");
    expect(few).toMatchObject({ itemCount: 7 });
    const cheap = await profileOf(name, ...server, ...flags, "--max-ru", "5");
    expect(cheap.itemCount).toBeLessThan(1500);
    expect(cheap.itemCount).toBeGreaterThan(0);
  });

  test.each([
    ["no container", "stage/nothing", [], "There is no container 'stage/nothing' at"],
    ["no container", "stage/nothing", ["--sdk"], "There is no container 'stage/nothing' at"],
  ])("%s: %s %j", async (_, named, flags, failure) => {
    expect((await run(named, ...server, ...flags)).failure).toContain(failure);
  });

  test("the wrong key", async () => {
    const wrong = [
      "--endpoint",
      stage.server.endpoint,
      "--key",
      Buffer.alloc(64).toString("base64"),
    ];
    expect((await run(name, ...wrong)).failure).toContain("refuses the key");
    expect((await run(name, ...wrong, "--sdk")).failure).toContain("refuses the key");
  });
});

describe("progress", () => {
  test("a bar, bytes, items, how fast and how long", () => {
    const half = { readBytes: 512 * 1024, totalBytes: 1024 * 1024, itemCount: 1000, seconds: 4 };
    expect(progressText(half)).toBe(
      "██████████           512 KB of 1 MB, 1,000 items, 250/s, 4 s to go",
    );
    expect(progressText({ ...half, totalBytes: undefined })).toBe(
      "512 KB read, 1,000 items, 250/s",
    );
  });
});

describe("--for", () => {
  const workload = `name: test
growth: { initialItems: 4000, itemsPerDay: 10 }
operations:
  - { id: add, kind: create, rate: 1 }
  - { id: of, kind: query, rate: 5, sql: "SELECT * FROM c WHERE c.shop = @s AND c.buyer = @b" }
candidates: ["concat(/shop, '-', /buyer)", "[/buyer, /shop, /kind]"]
`;
  const lines = Array.from({ length: 4000 }, (_, index) =>
    JSON.stringify({
      id: `i${index}`,
      shop: `s${index % 37}`,
      buyer: `b${(index * 7919) % 900}`,
      kind: `k${index % 3}`,
    }),
  );

  test("counts the keys that advice would look at, in any order of lines", async () => {
    const file = fileOf("shops.ndjson", lines.join("\n"));
    const profile = await profileOf(file, "--for", fileOf("shops.yaml", workload));
    const made = profile.expressions.find(({ expression }) => expression?.includes("/buyer)"));
    const pairs = new Set(lines.map((_, index) => `${index % 37} ${(index * 7919) % 900}`)).size;
    expect(made?.distinct).toEqual({ value: pairs, low: pairs, high: pairs });
    expect(profile.keys.map(({ paths }) => paths.toSorted().join())).toContain(
      "/buyer,/kind,/shop",
    );
    const turned = fileOf("shops.ndjson", lines.toReversed().join("\n"));
    expect(await profileOf(turned, "--for", fileOf("shops.yaml", workload))).toEqual(profile);
  });

  test("a workload that cannot be used is told with its places", async () => {
    const file = fileOf("shops.ndjson", lines.join("\n"));
    const { failure } = await run(file, "--for", fileOf("broken.yaml", "name: 3\n"));
    expect(failure).toContain("broken.yaml has");
  });
});
