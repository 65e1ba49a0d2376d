/**
 * Procedures and triggers on the engine: rules one by one, then random transactions against what a
 * commit leaves, and many at once against a count of those that succeeded.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assert } from "../../base/assert.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { HIGH_CALLER } from "../../model/caller.ts";
import { pointRange } from "../../partition/epkRange.ts";
import type { Account } from "../account.ts";
import type { Container } from "../partition/container.ts";
import { LIMITED, put, spend } from "../simulatedAccount.fake.ts";
import { KEY, read, write } from "../simulatedRequests.fake.ts";
import type { ProcedureAnswer } from "./scripting.ts";
import { idsIn, item, stage } from "./scriptStage.fake.ts";
import type { SimulatedScript } from "./simulatedScripts.fake.ts";
import { LINK } from "./simulatedScripts.fake.ts";

async function run(account: Account, container: Container, name: string, pk: JsonValue = KEY) {
  const ran = await account.runProcedure(container, {
    name,
    body: name,
    args: [],
    key: [pk as string],
    caller: HIGH_CALLER,
    consistency: "session",
    isLogging: false,
  });
  assert(ran.ok, "the procedure was refused before it was run");
  return ran.value;
}

const kindOf = ({ result }: ProcedureAnswer): string =>
  result.ok ? `done ${result.value}` : result.error.kind;

/** Asks for one operation and says what came of it. */
const asking =
  (operation: Parameters<Parameters<SimulatedScript>[0]>[0]): SimulatedScript =>
  async (ask) => {
    const reply = await ask(operation);
    return reply.kind === "done" ? reply.resource : reply.message;
  };

describe("a procedure, on items a and b", () => {
  const withTwo = async (script: SimulatedScript, body: JsonObject = {}) => {
    const made = await stage({ p: script }, body);
    await write(made.account, made.container, "create", "a", { n: 1, mail: "m" });
    await write(made.account, made.container, "create", "b", { n: 2 });
    return made;
  };

  test.each<[rule: string, script: SimulatedScript, left: string, answer: string]>([
    [
      "writes",
      async (ask) => (await ask({ kind: "create", resource: item("c") })).kind,
      "a b c",
      "done done",
    ],
    [
      "leaves nothing when it throws",
      async (ask) => {
        await ask({ kind: "create", resource: item("c") });
        await ask({ kind: "delete", link: `${LINK}/docs/a` });
        throw new Error("no");
      },
      "a b",
      "scriptFailed",
    ],
    [
      "goes on after a refusal that it deals with",
      async (ask) => {
        const taken = await ask({ kind: "create", resource: item("a") });
        await ask({ kind: "create", resource: item("c") });
        return taken.kind === "refused" ? taken.message : "";
      },
      "a b c",
      "done idTaken",
    ],
    [
      "sees what it did",
      async (ask) => {
        await ask({ kind: "delete", link: `${LINK}/docs/a` });
        await ask({ kind: "upsert", resource: item("c", { n: 3 }) });
        await ask({ kind: "replace", link: `${LINK}/docs/b`, resource: item("b", { n: 9 }) });
        const text = "SELECT VALUE c.n FROM c WHERE c.n > 1 ORDER BY c.n DESC";
        const rows = await ask({ kind: "query", text, parameters: [] });
        return rows.kind === "done" ? rows.resource : rows.message;
      },
      "b c",
      "done [9,3]",
    ],
    [
      "deletes and makes anew",
      async (ask) => {
        await ask({ kind: "delete", link: `${LINK}/docs/a` });
        await ask({ kind: "create", resource: item("a") });
        return "";
      },
      "b a",
      "done ",
    ],
    [
      "renames, unless the name is taken",
      async (ask) => {
        const link = `${LINK}/docs/a`;
        const taken = await ask({ kind: "replace", link, resource: item("b") });
        await ask({ kind: "replace", link, resource: item("z") });
        return taken.kind === "refused" ? taken.message : "";
      },
      "b z",
      "done idTaken",
    ],
    [
      "works on its own partition key only",
      asking({ kind: "create", resource: JSON.stringify({ id: "x", pk: "other" }) }),
      "a b",
      "done badRequest",
    ],
    [
      "works in its own container only",
      asking({ kind: "create", link: "dbs/d/colls/x", resource: item("x") }),
      "a b",
      "done forbidden",
    ],
    ["is told of a link that names no item", asking({ kind: "read" }), "a b", "done badRequest"],
    [
      "is told of what is not there",
      asking({ kind: "read", link: `${LINK}/docs/zz` }),
      "a b",
      "done notFound",
    ],
    [
      "is told of a body that is no JSON",
      asking({ kind: "create", resource: "{" }),
      "a b",
      "done badRequest",
    ],
    [
      "is told of a query that is none",
      asking({ kind: "query", text: "SELECT", parameters: [] }),
      "a b",
      "done badQuery",
    ],
  ])("%s", async (_rule, script, left, answer) => {
    const { account, container } = await withTwo(script);
    expect(kindOf(await run(account, container, "p"))).toBe(answer);
    expect(await idsIn(account, container)).toBe(left);
  });

  test("finds items by their self links, its own too", async () => {
    const { account, container } = await withTwo(async (ask) => {
      const made = await ask({ kind: "create", resource: item("c") });
      assert(made.kind === "done", "no");
      const self = JSON.parse(made.resource!)._self as string;
      const [first] = JSON.parse(
        ((await ask({ kind: "readFeed" })) as { resource: string }).resource,
      );
      await ask({ kind: "delete", link: self });
      await ask({ kind: "delete", link: first._self });
      return "";
    });
    await run(account, container, "p");
    expect(await idsIn(account, container)).toBe("b");
  });

  test("gives an id to an item that has none", async () => {
    const { account, container } = await withTwo(
      asking({ kind: "create", resource: JSON.stringify({ pk: KEY }) }),
    );
    await run(account, container, "p");
    expect((await idsIn(account, container)).split(" ")[2]).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  });

  test("keeps unique keys", async () => {
    const unique = { uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/mail"] }] } };
    const script = asking({ kind: "create", resource: item("c", { mail: "m" }) });
    const { account, container } = await withTwo(script, unique);
    expect(kindOf(await run(account, container, "p"))).toBe("done uniqueKeyTaken");
  });

  test("is charged for what it did, and for being run", async () => {
    const { account, container } = await withTwo(asking({ kind: "create", resource: item("c") }));
    const created = await write(account, container, "create", "z");
    const ran = await run(account, container, "p");
    expect(ran.charge - created.charge).toBeGreaterThan(4);
    expect(ran.charge - created.charge).toBeLessThan(6);
  });

  test.each(["a%20b", "50%25", "100%", "a b"])(
    "in a container '%s' has a link to it",
    async (id) => {
      const links = [`dbs/d/colls/${id}`, `dbs/d/colls/${encodeURIComponent(id)}`];
      const script: SimulatedScript = async (ask) => {
        const [as, encoded] = links as [string, string];
        await ask({ kind: "create", link: as, resource: item("x") });
        await ask({ kind: "upsert", link: encoded, resource: item("y") });
        return "";
      };
      const { account, container } = await stage({ p: script }, { id });
      await run(account, container, "p");
      expect(await idsIn(account, container)).toBe("x y");
    },
  );

  test("is told of an item that is too large as of any other", async () => {
    const script = asking({ kind: "create", resource: item("c", { t: "x".repeat(2_100_000) }) });
    const { account, container } = await withTwo(script);
    expect(kindOf(await run(account, container, "p"))).toBe("done tooLarge");
  });

  test("is told charges in hundredths, whatever it spent before", async () => {
    const charges = new Set<number>();
    const { account, container } = await withTwo(async (ask) => {
      for (let count = 0; count < 50; count++) {
        const reply = await ask({ kind: "query", text: "SELECT c.id FROM c", parameters: [] });
        if (reply.kind === "done") charges.add(reply.charge);
      }
      return "";
    });
    await run(account, container, "p");
    expect(charges.size, "the same work costs the same").toBe(1);
  });

  test("is under one LSN", async () => {
    const { account, container } = await withTwo(async (ask) => {
      for (const id of ["c", "d", "e"]) await ask({ kind: "create", resource: item(id) });
      return "";
    });
    const before = container.ownerOf(routedEpk(account, container)).lsn;
    expect((await run(account, container, "p")).lsn).toBe(before + 1);
  });
});

function routedEpk(account: Account, container: Container) {
  const routed = account.route(container, [KEY]);
  assert(routed.ok, "the key is no key");
  return routed.value.epk;
}

describe("a procedure and others", () => {
  test("runs again when what it read has changed meanwhile, and not for anything else", async () => {
    let isFirst = true;
    const { account, container, runs } = await stage({
      p: async (ask) => {
        const found = await ask({ kind: "read", link: `${LINK}/docs/a` });
        assert(found.kind === "done", "no");
        const { n } = JSON.parse(found.resource!) as { n: number };
        await write(account, container, "upsert", "beside", {});
        if (isFirst) await write(account, container, "upsert", "a", { n: 10 });
        isFirst = false;
        await ask({ kind: "replace", link: `${LINK}/docs/a`, resource: item("a", { n: n + 1 }) });
        return "";
      },
    });
    await write(account, container, "create", "a", { n: 1 });
    await run(account, container, "p");
    expect(runs.length).toBe(2);
    const left = await read(account, container, "a");
    expect(left.kind === "found" && JSON.parse(left.body!.toString()).n).toBe(11);
  });

  test("who scanned is overtaken by anything in his logical partition, and by nothing else", async () => {
    let round = 0;
    const { account, container, runs } = await stage({
      p: async (ask) => {
        const rows = await ask({ kind: "readFeed" });
        if (round++ === 0) await write(account, container, "upsert", "x");
        await write(account, container, "upsert", "y", {}, "other key");
        return rows.kind === "done" ? String(JSON.parse(rows.resource!).length) : "";
      },
    });
    expect(kindOf(await run(account, container, "p"))).toBe("done 1");
    expect(runs.length).toBe(2);
  });

  test("who is overtaken every time has the key for itself in the end; others wait", async () => {
    const writes: Promise<{ readonly kind: string }>[] = [];
    const { account, container, runs } = await stage({
      p: async (ask) => {
        const rows = await ask({ kind: "readFeed" });
        writes.push(write(account, container, "upsert", `x${writes.length}`));
        const elsewhere = write(account, container, "upsert", "y", {}, "other key");
        await elsewhere;
        // Whoever is not held up has been served by now.
        await write(account, container, "upsert", "y", {}, "other key");
        return rows.kind === "done" ? String(JSON.parse(rows.resource!).length) : "";
      },
    });
    const count = 4;
    expect(kindOf(await run(account, container, "p"))).toBe(`done ${count - 1}`);
    expect(runs.length).toBe(count);
    expect((await Promise.all(writes)).map(({ kind }) => kind)).toEqual(
      new Array(count).fill("created"),
    );
    expect(await idsIn(account, container)).toBe("x0 x1 x2 x3");
  });

  test("an error that came of what was overtaken is not told", async () => {
    let round = 0;
    const { account, container } = await stage({
      p: async (ask) => {
        const rows = await ask({ kind: "readFeed" });
        if (round++ === 0) {
          await write(account, container, "upsert", "x");
          throw new Error("half of it");
        }
        return rows.kind === "done" ? "fine" : "";
      },
    });
    expect(kindOf(await run(account, container, "p"))).toBe("done fine");
  });

  test("many at once add up", async () => {
    const { account, container } = await stage({
      p: async (ask) => {
        const found = await ask({ kind: "read", link: `${LINK}/docs/a` });
        assert(found.kind === "done", "no");
        const { n } = JSON.parse(found.resource!) as { n: number };
        await ask({ kind: "upsert", resource: item("a", { n: n + 1 }) });
        return "";
      },
    });
    await write(account, container, "create", "a", { n: 0 });
    const ran = await Promise.all(Array.from({ length: 50 }, () => run(account, container, "p")));
    const doneCount = ran.filter(({ result }) => result.ok).length;
    const left = await read(account, container, "a");
    expect(left.kind === "found" && JSON.parse(left.body!.toString()).n).toBe(doneCount);
    expect(doneCount).toBeGreaterThan(40);
  });

  test("is turned away, and does not begin, when the budget is empty", async () => {
    const { account, container, runs } = await stage({ p: async () => "" }, {}, { rates: LIMITED });
    spend(container, container.map.entries[0]!.id, 100_000);
    expect(kindOf(await run(account, container, "p"))).toBe("throttled");
    expect(runs).toEqual([]);
  });

  test("is told to stop when it has spent what its time earns", async () => {
    const { account, container } = await stage(
      {
        p: async (ask) => {
          for (let count = 1; ; count++) {
            const reply = await ask({ kind: "upsert", resource: item(`i${count}`) });
            if (!reply.isGoingOn) return String(count);
          }
        },
      },
      {},
      { rates: LIMITED },
    );
    const ran = await run(account, container, "p");
    // 400 RU/s for five seconds.
    expect(ran.charge).toBeGreaterThan(2000);
    expect(ran.charge).toBeLessThan(2100);
  });
});

const QUERIES = [
  "SELECT c.id, c.n FROM c",
  "SELECT VALUE c.id FROM c WHERE c.n = 1",
  "SELECT VALUE c.id FROM c WHERE c.n >= 1 AND c.n < 3",
  "SELECT VALUE c.n FROM c ORDER BY c.n",
  "SELECT VALUE c.n FROM c ORDER BY c.n DESC",
  "SELECT c.a, c.n FROM c ORDER BY c.a, c.n DESC",
  "SELECT VALUE COUNT(1) FROM c",
  "SELECT VALUE MIN(c.n) FROM c",
  "SELECT VALUE MAX(c.n) FROM c WHERE c.a = 'x'",
  "SELECT c.n, COUNT(1) AS many FROM c GROUP BY c.n",
  "SELECT DISTINCT VALUE c.a FROM c",
  "SELECT VALUE c.id FROM c WHERE STARTSWITH(c.a, 'x') OR IS_DEFINED(c.b)",
  "SELECT TOP 2 VALUE c.id FROM c WHERE c.n > 0",
];

describe("queries within a transaction", () => {
  const composite = {
    indexingPolicy: {
      compositeIndexes: [
        [
          { path: "/a", order: "ascending" },
          { path: "/n", order: "descending" },
        ],
      ],
    },
  };
  const action = fc.record({
    kind: fc.constantFrom("upsert", "delete"),
    id: fc.constantFrom("a", "b", "c", "d", "e", "f"),
    n: fc.integer({ min: 0, max: 4 }),
    a: fc.constantFrom("x", "xy", "z"),
    pageSize: fc.constantFrom(1, 2, 100),
  });

  test("see what the commit will leave", { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(action, { maxLength: 12 }),
        fc.array(action, { minLength: 1, maxLength: 8 }),
        async (before, within) => {
          const seen: string[][] = [];
          const { account, container } = await stage(
            {
              p: async (ask) => {
                for (const { kind, id, n, a } of within) {
                  if (kind === "delete") await ask({ kind, link: `${LINK}/docs/${id}` });
                  else await ask({ kind: "upsert", resource: item(id, { n, a }) });
                }
                for (const text of QUERIES) {
                  const { pageSize } = within[0]!;
                  seen.push(
                    await allRows((continuation) =>
                      ask({
                        kind: "query",
                        text,
                        parameters: [],
                        options: { pageSize, ...(continuation && { continuation }) },
                      }),
                    ),
                  );
                }
                return "";
              },
            },
            composite,
          );
          for (const { kind, id, n, a } of before) {
            if (kind === "upsert") await put(account, container, { pk: KEY, id, n, a });
            else await write(account, container, "delete", id);
          }
          const ran = await run(account, container, "p");
          expect(ran.result.ok).toBe(true);
          const after = await stageQueries(account, container, QUERIES);
          expect(seen.map(comparable)).toEqual(after.map(comparable));
        },
      ),
      { numRuns: 25, seed: 7 },
    );
  });
});

/** Rows without ORDER BY may come in any order. */
function comparable(rows: readonly string[], query: number): readonly string[] {
  return QUERIES[query]!.includes("ORDER BY") ? rows : [...rows].sort();
}

async function allRows(
  ask: (continuation: string | undefined) => Promise<{ kind: string }>,
): Promise<string[]> {
  const rows: string[] = [];
  for (
    let continuation: string | undefined, isFirst = true;
    isFirst || continuation;
    isFirst = false
  ) {
    const reply = (await ask(continuation)) as {
      kind: string;
      resource?: string;
      continuation?: string;
    };
    assert(reply.kind === "done", `the query was refused: ${JSON.stringify(reply)}`);
    for (const row of JSON.parse(reply.resource!) as JsonValue[]) rows.push(JSON.stringify(row));
    continuation = reply.continuation;
  }
  return rows;
}

async function stageQueries(
  account: Account,
  container: Container,
  queries: readonly string[],
): Promise<string[][]> {
  const all: string[][] = [];
  for (const text of queries) {
    const answer = await account.queryItems(container, {
      text,
      parameters: new Map(),
      parameterNames: new Set(),
      scope: { kind: "key", range: pointRange(routedEpk(account, container)) },
      isFanOutAllowed: true,
      continuation: undefined,
      countMax: 1000,
    });
    assert(answer.ok, "the query was refused");
    all.push(answer.value.rows.map((row) => JSON.stringify(JSON.parse(row.toString()))));
  }
  return all;
}
