/**
 * `orrery ls`, `show`, `create`, `rm`, `get` and `put` against a running server: what they print,
 * what they refuse, and that nothing is lost by them. Commands run inside this process, but for the
 * one that a closed pipe ends.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { runCommand } from "../../src/cli/command.ts";
import type { Stage, TemporaryDirectory } from "../sdk/stage.ts";
import { openStage, temporaryDirectory } from "../sdk/stage.ts";
import { written } from "./importStage.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

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

interface Ran {
  readonly code: unknown;
  readonly output: string;
  readonly errors: string;
}

/** As the stage's server is asked; what goes to standard error is told without the charge. */
async function orrery(...words: readonly string[]): Promise<Ran> {
  const [output, errors]: [string[], string[]] = [[], []];
  const spies = [
    vi.spyOn(process.stdout, "write").mockImplementation((told) => output.push(String(told)) > 0),
    vi.spyOn(process.stderr, "write").mockImplementation((told) => errors.push(String(told)) > 0),
  ];
  const before = process.exitCode;
  process.exitCode = undefined;
  try {
    await runCommand([...words, "--connection-string", stage.server.connectionString]);
    const told = errors.join("").replace(/^\d+\.\d\d RU\n/gm, "");
    return { code: process.exitCode ?? 0, output: output.join(""), errors: told };
  } finally {
    process.exitCode = before;
    for (const spy of spies) spy.mockRestore();
  }
}

function file(name: string, content: string): string {
  return written(directory.path, name, content);
}

test("a container is made with its database, as it was asked for, once", async () => {
  const policy = file(
    "policy.json",
    '{"indexingMode": "consistent", "excludedPaths": [{"path": "/x/*"}]}',
  );
  const asked = ["create", "shop/orders", "--partition-key", "/customerId", "--autoscale", "4000"];
  const more = ["--ttl", "3600", "--index-policy", policy, "--unique-key", "/email,/name"];
  const made = await orrery(...asked, ...more);
  expect(made).toEqual({
    code: 0,
    output: "Made container 'shop/orders'.\n",
    errors: "Made database 'shop', too.\n",
  });
  const { resource } = await stage.client.database("shop").container("orders").read();
  expect(resource).toMatchObject({
    defaultTtl: 3600,
    partitionKey: { paths: ["/customerId"], kind: "Hash", version: 2 },
    uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/email", "/name"] }] },
  });
  expect(resource!.indexingPolicy!.excludedPaths).toContainEqual({ path: "/x/*" });
  const again = await orrery(...asked);
  expect([again.code, again.errors]).toEqual([
    1,
    "orrery: There is a container 'shop/orders' already. --if-missing leaves it as it is.\n",
  ]);
  expect((await orrery(...asked, "--if-missing")).code).toBe(0);
});

test("lists and details say what there is", async () => {
  await orrery("create", "lists", "--throughput", "1000");
  await orrery("create", "lists/b", "--partition-key", "/tenant,/user");
  await orrery("create", "lists/a", "--partition-key", "/id", "--throughput", "500", "--ttl", "-1");
  const databases = JSON.parse((await orrery("ls", "--json")).output) as { id: string }[];
  expect(databases.find(({ id }) => id === "lists")).toEqual({
    id: "lists",
    containers: 2,
    throughput: { throughput: 1000 },
  });
  const { output } = await orrery("ls", "lists");
  const rows = output.trimEnd().split("\n").slice(2);
  expect(rows.map((row) => row.split(/ {2,}/))).toEqual([
    ["b", "/tenant, /user", "of its database", "off"],
    ["a", "/id", "500 RU/s", "as items say"],
  ]);
  await orrery("put", "lists/b", file("b.ndjson", '{"id":"1","tenant":"t","user":7}\n'));
  const items = JSON.parse((await orrery("ls", "lists/b", "--json")).output) as object[];
  expect(items).toEqual([{ id: "1", "/tenant": "t", "/user": 7, written: expect.any(String) }]);
  const shown = (await orrery("show", "lists/b")).output;
  expect(shown).toContain("partition key  /tenant, /user (hierarchical)\n");
  expect(shown).toContain("items          1, ");
  const told = JSON.parse((await orrery("show", "lists/b", "--json")).output) as object;
  expect(told).toMatchObject({ id: "b", items: 1, physicalPartitions: 1, throughput: null });
  expect((await orrery("show", "lists")).output).toContain("containers     b, a\n");
});

describe("items", () => {
  beforeAll(async () => {
    await orrery("create", "things/parts", "--partition-key", "/kind");
  });

  test("are written from a file, and read as they were written", async () => {
    const lines = '{"id":"1","kind":"a","n":-0,"big":9007199254740993}\n{"id":"2","kind":"a"}\n';
    const put = await orrery("put", "things/parts", file("two.ndjson", lines), "--json");
    const told = put.output
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect(told).toMatchObject([
      { id: "1", partitionKey: ["a"], did: "created", requestCharge: expect.any(Number) },
      { id: "2", did: "created" },
    ]);
    const got = await orrery("get", "things/parts/1", "--partition-key", "a");
    expect(got.output).toBe('{"id":"1","kind":"a","n":-0,"big":9007199254740993}\n');
    expect(got.errors).toMatch(/^etag "/);
    const again = await orrery("put", "things/parts", file("two.ndjson", lines));
    expect(again.output).toMatch(/^replaced 1, etag .*\nreplaced 2, etag .*\n$/);
    expect(again.errors).toBe("0 items created, 2 replaced\n");
  });

  test("are replaced only as the version that was named", async () => {
    const path = "things/parts/v";
    await orrery("put", path, file("v.json", '{"kind":"a","n":1}'));
    const etag = /etag (.*)/.exec((await orrery("get", path)).errors)![1]!;
    const next = file("v.json", '{"id":"v","kind":"a","n":2}');
    expect((await orrery("put", path, next, "--if-match", etag)).code).toBe(0);
    const late = await orrery(
      "put",
      path,
      file("v.json", '{"kind":"a","n":3}'),
      "--if-match",
      etag,
    );
    expect([late.code, late.errors]).toEqual([
      1,
      `orrery: The item '${path}' has another version by now; it was left as it is.\n`,
    ]);
    expect((await orrery("get", path)).output).toBe('{"id":"v","kind":"a","n":2}\n');
    expect((await orrery("rm", path, "--if-match", etag, "--yes")).code).toBe(1);
    expect((await orrery("put", path, next, "--if-missing")).errors).toContain("already");
  });

  test("are found by their id where nobody said the key, unless there are several", async () => {
    const lines = '{"id":"s","kind":5052}\n{"id":"s","kind":"5052"}\n{"id":"n"}\n';
    await orrery("put", "things/parts", file("s.ndjson", lines));
    const several = await orrery("get", "things/parts/s");
    expect(several.errors).toMatch(/^orrery: 2 items .* --partition-key: .*5052/);
    expect((await orrery("get", "things/parts/s", "--partition-key", "5052")).output).toContain(
      '"kind":5052',
    );
    const text = await orrery("get", "things/parts/s", "--partition-key", '"5052"');
    expect(text.output).toContain('"kind":"5052"');
    expect((await orrery("get", "things/parts/n")).output).toBe('{"id":"n"}\n');
    const wrong = await orrery("get", "things/parts/1", "--partition-key", "7");
    expect(wrong.errors).toContain(`that would be --partition-key '"7"'`);
  });

  test("that are none are refused with their place, and what came before stays", async () => {
    const lines = '{"id":"ok","kind":"z"}\n{"id":7,"kind":"z"}\n{"id":"late","kind":"z"}\n';
    const path = file("bad.ndjson", lines);
    const ran = await orrery("put", "things/parts", path);
    expect([ran.code, ran.errors]).toEqual([1, expect.stringContaining(`${path}:2:1: its id is`)]);
    expect((await orrery("get", "things/parts/ok")).code).toBe(0);
    expect((await orrery("get", "things/parts/late")).code).toBe(1);
    const other = await orrery("put", "things/parts/x", file("x.json", '{"id":"y","kind":"z"}'));
    expect(other.errors).toContain(`its id is "y", and the path names 'x'`);
  });
});

describe("deleting", () => {
  test("wants to hear yes, and then deletes what was named only", async () => {
    await orrery("create", "gone/one", "--partition-key", "/pk");
    await orrery("put", "gone/one", file("g.ndjson", '{"id":"1","pk":"p"}\n{"id":"2","pk":"p"}\n'));
    const unasked = await orrery("rm", "gone/one");
    expect([unasked.code, unasked.errors]).toEqual([
      2,
      "orrery: This deletes the container 'gone/one' with its 2 items. Add --yes to say that you " +
        "know.\n",
    ]);
    expect((await orrery("rm", "gone/one/1", "--yes", "--json")).output).toBe(
      '{"deleted":"gone/one/1"}\n',
    );
    expect((await orrery("get", "gone/one/2", "--partition-key", "p")).code).toBe(0);
    expect((await orrery("rm", "gone", "--yes")).output).toBe("Deleted database 'gone'.\n");
    const missing = await orrery("rm", "gone", "--yes");
    expect([missing.code, missing.errors]).toEqual([
      1,
      `orrery: There is no database 'gone' at ${stage.server.endpoint}.\n`,
    ]);
  });
});

test.each([
  [["ls", "a//b"], "'a//b' names nothing"],
  [["ls", "a/b/c"], "'a/b/c' is an item"],
  [["get", "shop"], "'shop' names no item"],
  [["create", "shop/x"], "A container needs --partition-key"],
  [["create", "shop", "--ttl", "5"], "--ttl is for a container"],
  [["create", "s/x", "--partition-key", "id"], "it must be one to 3 paths"],
  [["create", "s", "--throughput", "400", "--autoscale", "4000"], "exclude each other"],
  [["rm", "shop", "--if-match", "x", "--yes"], "are for an item"],
  [["put", "shop"], "Name the container"],
  [["show"], "Name what to show"],
])("%j makes no sense", async (words, said) => {
  const { code, output, errors } = await orrery(...words);
  expect([code, output]).toEqual([2, ""]);
  expect(errors).toContain(said);
});

test("a reader who has seen enough ends an export quietly", async () => {
  const { container } = await stage.database.containers.create({ id: "long", partitionKey: "/pk" });
  const filler = "x".repeat(50_000);
  for (let n = 0; n < 40; n++) await container.items.create({ id: `${n}`, pk: `${n}`, filler });
  const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
  for (const format of ["ndjson", "csv"]) {
    const place = ["--connection-string", stage.server.connectionString, "--format", format];
    const { PATH, HOME } = process.env;
    const env = { PATH, HOME, TMPDIR: directory.path };
    const child = spawn(process.execPath, [cli, "export", "stage/long", ...place], { env });
    const errors = text(child.stderr);
    child.stdout.once("data", () => child.stdout.destroy());
    const [code] = (await once(child, "close")) as [number];
    expect([code, await errors]).toEqual([141, ""]);
  }
});
