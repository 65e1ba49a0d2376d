/** What a seed file may say, and what is said of one that cannot be used. */
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../json/value.ts";
import { readSeed, readSeedValue } from "./readSeed.ts";
import type { ServerSeed } from "./seed.ts";

function read(text: string): ServerSeed {
  const seed = readSeed("seed.yaml", text, "yaml");
  if (!seed.ok) throw new Error(seed.error.join("\n"));
  return seed.value;
}

function container(lines: string): ServerSeed["databases"][number]["containers"][number] {
  const indented = lines.replace(/^/gm, "        ");
  const text = `databases:\n  shop:\n    containers:\n      orders:\n${indented}`;
  return read(text).databases[0]!.containers[0]!;
}

test("names databases, with their throughput and containers", () => {
  const seed = read(
    "databases:\n  shop:\n    throughput: 1000\n  other:\n    autoscale: 4000\n  bare:",
  );
  expect(seed).toEqual({
    name: "seed.yaml",
    databases: [
      {
        id: "shop",
        place: "seed.yaml:3:5 databases.shop",
        throughput: { kind: "manual", ratePerSecond: 1000 },
        containers: [],
      },
      {
        id: "other",
        place: "seed.yaml:5:5 databases.other",
        throughput: { kind: "autoscale", rateMax: 4000 },
        containers: [],
      },
      { id: "bare", place: "seed.yaml:6:8 databases.bare", throughput: undefined, containers: [] },
    ],
  });
});

test.each([
  ["/id", { paths: ["/id"], kind: "Hash", version: 2 }],
  ["[/tenant, /user]", { paths: ["/tenant", "/user"], kind: "MultiHash", version: 2 }],
  ["{ paths: [/id], version: 1 }", { paths: ["/id"], kind: "Hash", version: 1 }],
  ["{ paths: /id }", { paths: ["/id"], kind: "Hash", version: 2 }],
])("a partition key is %s", (written, partitionKey) => {
  expect(container(`partitionKey: ${written}`).body).toEqual({ partitionKey });
});

test("unique keys are paths, alone or together", () => {
  expect(container("uniqueKeys: [/email, [/first, /last]]").body).toEqual({
    uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/email"] }, { paths: ["/first", "/last"] }] },
  });
});

test("policies are the service's", () => {
  const { body } = container(
    "defaultTtl: -1\nindexingPolicy: { includedPaths: [{ path: /a/? }], compositeIndexes: [[{ path: /a, order: ascending }]] }",
  );
  expect(body).toEqual({
    defaultTtl: -1,
    indexingPolicy: {
      includedPaths: [{ path: "/a/?" }],
      compositeIndexes: [[{ path: "/a", order: "ascending" }]],
    },
  });
});

test("items stand there, or are in files", () => {
  expect(container("items: a.ndjson").items).toEqual([
    { place: "seed.yaml:5:16 databases.shop.containers.orders.items", path: "a.ndjson" },
  ]);
  expect(container("items:\n  - { id: '1', at: 2026-01-01 }\n  - b.csv").items).toEqual([
    {
      place: "seed.yaml:6:13 databases.shop.containers.orders.items[0]",
      item: { id: "1", at: "2026-01-01" },
    },
    { place: "seed.yaml:7:13 databases.shop.containers.orders.items[1]", path: "b.csv" },
  ]);
});

test("scripts are code, or the path of a file", () => {
  const { scripts } = container(`\
storedProcedures: { hello: "function hello() {}" }
userDefinedFunctions: { tax: code/tax.js }
triggers:
  stamp: { type: Pre, operation: Create, body: stamp.js }
  note: { type: Post, body: "function note() {} // in no file.js\\n" }`);
  expect(scripts.map(({ kind, id, terms, code }) => [kind, id, terms, code])).toEqual([
    ["storedProcedure", "hello", {}, { text: "function hello() {}" }],
    ["trigger", "stamp", { triggerType: "Pre", triggerOperation: "Create" }, { path: "stamp.js" }],
    [
      "trigger",
      "note",
      { triggerType: "Post", triggerOperation: "All" },
      { text: "function note() {} // in no file.js\n" },
    ],
    ["userDefinedFunction", "tax", {}, { path: "code/tax.js" }],
  ]);
});

describe("what is said of a seed that cannot be used", () => {
  const AT = "databases.shop.containers.orders";
  test.each([
    ["no databases", "{}", ["seed.yaml:1:1 it names no databases."]],
    [
      "a name that is misspelt",
      "database: {}",
      ["seed.yaml:1:11 database: there is no setting 'database'. Did you mean 'databases'?"],
    ],
    [
      "misspelt deep in a policy",
      "databases: { shop: { containers: { orders: { indexingPolicy: { includedPaths: [{ pth: /a }] } } } } }",
      [
        `seed.yaml:1:87 ${AT}.indexingPolicy.includedPaths[0].pth: there is no setting 'pth'. Did you mean 'path'?`,
      ],
    ],
    [
      "two kinds of throughput",
      "databases: { shop: { throughput: 400, autoscale: 4000 } }",
      ["seed.yaml:1:50 databases.shop.autoscale: throughput and autoscale exclude each other."],
    ],
    [
      "unique keys twice",
      "databases: { shop: { containers: { orders: { uniqueKeyPolicy: { uniqueKeys: [] }, uniqueKeys: [] } } } }",
      [`seed.yaml:1:95 ${AT}.uniqueKeys: it stands for uniqueKeyPolicy, which is here, too.`],
    ],
    [
      "all problems at once",
      "databases:\n  shop: { containers: { orders: { items: [3], triggers: { t: {} } } } }",
      [
        `seed.yaml:2:62 ${AT}.triggers.t: a trigger has a type, Pre or Post, and a body.`,
        `seed.yaml:2:43 ${AT}.items[0]: it must be an item, or the path of a file with items.`,
      ],
    ],
    ["no YAML", "databases: [", ["seed.yaml:1:13 Flow sequence in block collection must be"]],
  ])("%s", (_what, text, said) => {
    const seed = readSeed("seed.yaml", text, "yaml");
    const problems = seed.ok ? [] : seed.error;
    expect(problems.map((problem, at) => problem.slice(0, said[at]?.length))).toEqual(said);
  });

  test("of a value there are no lines to tell", () => {
    const value: JsonValue = { databases: { shop: { contaners: {} } } };
    expect(readSeedValue("init", value)).toEqual({
      ok: false,
      error: [
        "init databases.shop.contaners: there is no setting 'contaners'. Did you mean 'containers'?",
      ],
    });
  });
});
