/**
 * What every statement has to be like, so that an engine of several nodes sends it to one of
 * them, and so that it means the same on all engines. Each rule is shown to find a breach.
 */
import { describe, expect, test } from "vitest";
import { NODES } from "./nodeBook.ts";
import { MIGRATIONS, TABLES } from "./schema.ts";
import { READS, REMOVALS, TENURES, WRITES } from "./statements.ts";

const ALL = [READS, WRITES, TENURES, REMOVALS, NODES].flatMap((some) => Object.values(some));

interface Rule {
  readonly name: string;
  isBrokenBy(text: string): boolean;
  readonly breach: string;
}

const RULES: readonly Rule[] = [
  {
    name: "binds every table that it touches to its one part",
    isBrokenBy: (text) => unboundTables(text).length > 0,
    breach: "SELECT 1 FROM item AS i JOIN term AS t ON t.number = i.number WHERE i.part = $1",
  },
  {
    name: "touches a table at all",
    isBrokenBy: (text) => scopesOf(text).every((scope) => tablesIn(scope).length === 0),
    breach: "SELECT 1",
  },
  {
    name: "has no common table expression",
    isBrokenBy: (text) => /\bWITH\b(?! TIES)/i.test(text),
    breach: "WITH h AS (SELECT 1) INSERT INTO item SELECT part = $1",
  },
  {
    name: "evaluates no rows but beside the head of the part",
    isBrokenBy: (text) =>
      /^INSERT .*\bunnest\(/.test(text) && !/FROM head AS h CROSS JOIN/.test(text),
    breach: "INSERT INTO term SELECT $1, t FROM unnest($2::bytea[]) AS t",
  },
  {
    name: "calls nothing that differs from call to call",
    isBrokenBy: (text) => /\b(clock_timestamp|random|nextval|gen_random_uuid)\s*\(/i.test(text),
    breach: "UPDATE lease SET until_ms = clock_timestamp() WHERE part = $1",
  },
  {
    name: "compares no text, whose order depends on the database",
    isBrokenBy: (text) => /::text|\bLIKE\b|\bCOLLATE\b/i.test(text),
    breach: "SELECT 1 FROM item WHERE part = $1 AND key::text > $2",
  },
  {
    name: "takes no lock that is not in a table",
    isBrokenBy: (text) => /advisory|LISTEN|NOTIFY/i.test(text),
    breach: "SELECT pg_advisory_lock($1) WHERE part = $1",
  },
];

/**
 * A statement as its queries, each without those in brackets inside it: what one WHERE is about.
 */
function scopesOf(text: string): readonly string[] {
  const inner: string[] = [];
  let outer = text;
  for (let before = ""; before !== outer; ) {
    before = outer;
    outer = outer.replace(/\(([^()]*)\)/g, (_, inside: string) => {
      if (!/\b(SELECT|FROM)\b/.test(inside)) return `[${inside}]`;
      inner.push(inside);
      return "[]";
    });
  }
  return [outer, ...inner].flatMap((scope) => scope.split("UNION ALL"));
}

interface TableUse {
  readonly name: string;
  /** What its columns are called by; the table itself if it has no other name. */
  readonly alias: string;
  readonly isTarget: boolean;
}

const USE = new RegExp(
  `\\b(FROM|JOIN|USING|UPDATE|INTO)\\s+(${TABLES.join("|")})\\b(?:\\s+AS\\s+(\\w+))?`,
  "g",
);

function tablesIn(scope: string): readonly TableUse[] {
  return [...scope.matchAll(USE)].map(([, verb, name, alias]) => {
    return { name: name!, alias: alias ?? name!, isTarget: verb === "INTO" };
  });
}

/** Tables of which rows of other parts could be meant. */
function unboundTables(text: string): readonly string[] {
  return scopesOf(text).flatMap((scope) => {
    const tables = tablesIn(scope);
    const isAlone = tables.length === 1;
    const unbound = tables.filter(({ alias, isTarget }) => {
      if (isTarget) return !/\[part, [^\]]*\] (VALUES \[\$1\b|SELECT h\.part\b)/.test(scope);
      if (new RegExp(`\\b${alias}\\.part = \\$1(?!\\d)`).test(scope)) return false;
      return !isAlone || !/(?<![.\w])part = \$1(?!\d)/.test(scope);
    });
    return unbound.map(({ name }) => name);
  });
}

test.each([
  ["DELETE FROM term AS t USING head AS h WHERE h.part = $1 AND h.part = $1", ["term"]],
  ["SELECT 1 FROM item WHERE part = $10", ["item"]],
  ["SELECT 1 FROM (SELECT number FROM item WHERE lsn > $2) AS one WHERE part = $1", ["item"]],
  [
    "INSERT INTO term (part, term) SELECT u.part, u.term FROM head AS h WHERE h.part = $1",
    ["term"],
  ],
  ["SELECT 1 FROM item WHERE part = $1 UNION ALL SELECT 1 FROM ended WHERE lsn = $2", ["ended"]],
])("finds what is not bound in %s", (text, tables) => {
  expect(unboundTables(text)).toEqual(tables);
});

describe.each(RULES)("a statement $name", ({ isBrokenBy, breach }) => {
  test.each(ALL)("$name", ({ text }) => {
    expect(isBrokenBy(text), text).toBe(false);
  });

  test("a breach is found", () => {
    expect(isBrokenBy(breach)).toBe(true);
  });
});

test("no two statements have one name, by which the server keeps them", () => {
  expect(new Set(ALL.map(({ name }) => name)).size).toBe(ALL.length);
});

test("writes of rows are in vain for whoever does not hold the epoch", () => {
  const rows = Object.entries(WRITES).filter(([, { text }]) => text.includes("unnest"));
  const unguarded = rows.filter(([, { text }]) => !text.includes("h.epoch = $2"));
  // What it takes away says nothing, whoever does it.
  expect(unguarded.map(([name]) => name)).toEqual(["removeTallies"]);
});

test("every table begins with its part, and has no text for a key", () => {
  const made = Object.values(MIGRATIONS).flat();
  for (const text of made) {
    if (text.startsWith("CREATE TABLE"))
      expect(text).toMatch(/PRIMARY KEY \(part|part bigint PRIMARY/);
    else expect(text).toMatch(/ ON \w+ \(part, /);
    expect(text).not.toMatch(/\b(text|varchar|serial|uuid|jsonb?)\b/);
  }
});
