/**
 * What every statement has to be like, so that an engine of several nodes sends it to one of
 * them, and so that it means the same on all engines. Each rule is shown to find a breach.
 */
import { describe, expect, test } from "vitest";
import { NODES } from "./nodeBook.ts";
import { MIGRATIONS } from "./schema.ts";
import { READS, REMOVALS, TENURES, WRITES } from "./statements.ts";

const ALL = [READS, WRITES, TENURES, REMOVALS, NODES].flatMap((some) => Object.values(some));
const TABLES = ["head", "item", "term", "ended", "version", "tally", "lease", "node", "agreed"];

interface Rule {
  readonly name: string;
  isBrokenBy(text: string): boolean;
  readonly breach: string;
}

const RULES: readonly Rule[] = [
  {
    name: "names its one part",
    isBrokenBy: (text) =>
      !/\bpart = \$1(?!\d)/.test(text) && !/\(part, [^)]*\) VALUES \(\$1(?!\d)/.test(text),
    breach: "SELECT key FROM item WHERE lsn > $1",
  },
  {
    name: "names the part of every table that it reads",
    isBrokenBy: (text) => tablesRead(text) > text.split(/\bpart = \$1(?!\d)/).length - 1,
    breach: "SELECT 1 FROM item AS i JOIN term AS t ON t.number = i.number WHERE i.part = $1",
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
 * Tables after FROM, JOIN and USING, and those that are changed; the derived ones have no names.
 */
function tablesRead(text: string): number {
  const names = TABLES.join("|");
  return text.match(new RegExp(`\\b(?:FROM|JOIN|USING|UPDATE) (?:${names})\\b`, "g"))?.length ?? 0;
}

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
