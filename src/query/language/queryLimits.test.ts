/**
 * How large a query may be, each limit from both sides; and that no text, however made, gets
 * anything but a tree or a problem, soon.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { seededRandom } from "../../base/world.ts";
import { parseQuery } from "./parser.ts";
import { printQuery } from "./printer.ts";
import { randomQuery } from "./randomTree.fake.ts";
import { mapQuery, walkExpressions } from "./visitor.ts";

const times = (count: number, unit: string, separator = ""): string =>
  Array.from({ length: count }, () => unit).join(separator);

type Row = readonly [what: string, text: (count: number) => string, max: number, code: string];

const REFUSED = "refused";
const LIMITS: readonly Row[] = [
  ["ANDs", (count) => `SELECT ${times(count + 1, "a", " AND ")}`, 2_000, REFUSED],
  ["ORs", (count) => `SELECT ${times(count + 1, "a", " OR ")}`, 2_000, REFUSED],
  [
    "ANDs anywhere",
    (count) => `SELECT ${times(count / 2, "(a AND b) AND c", ", ")}`,
    2_000,
    REFUSED,
  ],
  ["items of an IN", (count) => `SELECT a IN (${times(count, "1", ",")})`, 16_000, REFUSED],
  ["joins", (count) => `SELECT 1 FROM c${times(count, " JOIN d IN c.d")}`, 10, "SC3002"],
  [
    "joins in subqueries",
    (count) => `SELECT ${times(count, "(SELECT 1 FROM a JOIN b)", ", ")}`,
    10,
    "SC3002",
  ],
  ["UDF calls", (count) => `SELECT ${times(count, "udf.f(1)", ", ")}`, 10, "SC3005"],
  ["characters", (count) => `SELECT 1${times(count - 8, " ")}`, 262_144, "SC3020"],
  [
    "nested literals",
    (count) => `SELECT ${times(count - 2, "[")}1${times(count - 2, "]")}`,
    250,
    REFUSED,
  ],
  [
    "nested subqueries",
    (count) => `${times(count / 2 - 1, "SELECT (")}SELECT 1${times(count / 2 - 1, ")")}`,
    250,
    REFUSED,
  ],
  ["a long sum", (count) => `SELECT ${times(count + 2, "1", " + ")}`, 2_600, REFUSED],
  ["a long path", (count) => `SELECT c${times(count - 2, ".a")}`, 250, REFUSED],
  ["many signs", (count) => `SELECT ${times(count - 2, "- ")}1`, 250, REFUSED],
  ["a long ??", (count) => `SELECT ${times(count - 1, "1", " ?? ")}`, 250, REFUSED],
  ["a long ? :", (count) => `SELECT ${times(count - 2, "a ? b : ")}c`, 250, REFUSED],
];

describe("limits", () => {
  test.each(LIMITS)("%s", (_what, text, max, code) => {
    expect(parseQuery(text(max))).toMatchObject({ ok: true });
    const error = code === REFUSED ? { kind: REFUSED } : { diagnostics: [{ code }] };
    expect(parseQuery(text(max + 2))).toMatchObject({ ok: false, error });
  });

  test("the eleventh UDF call has its place, too many joins are the whole query's fault", () => {
    const calls = `SELECT ${times(12, "udf.f(1)", ", ")}`;
    expect(parseQuery(calls)).toMatchObject({
      error: { diagnostics: [{ location: { start: 107, end: 115 } }] },
    });
    const joins = `SELECT 1 FROM c${times(11, " JOIN d")} `;
    expect(parseQuery(joins)).toEqual({
      ok: false,
      error: {
        kind: "diagnostics",
        diagnostics: [
          {
            code: "SC3002",
            message: "The SQL query exceeded the maximum number of joins. The allowed limit is 10.",
            location: { start: 0, end: joins.length - 1 },
          },
        ],
      },
    });
  });

  test("a mistake is told before a limit is", () => {
    expect(parseQuery(`SELECT ${times(12, "udf.f(1), ")}FROM c`)).toMatchObject({
      error: { diagnostics: [{ code: "SC1001" }] },
    });
  });

  test("the deepest tree can be walked, printed and mapped", () => {
    const chain = times(2_001, "(c.x = 1)", " AND ");
    const parsed = parseQuery(`SELECT ${times(100, "[")}${chain}${times(100, "]")}`);
    if (!parsed.ok) return expect(parsed).toBeUndefined();
    let count = 0;
    walkExpressions(parsed.value, () => {
      count += 1;
    });
    expect(count).toBe(100 + 2_000 + 2_001 * 4);
    expect(mapQuery(parsed.value, () => undefined)).toBe(parsed.value);
    const printed = printQuery(parsed.value);
    const again = parseQuery(printed);
    expect(again.ok && printQuery(again.value)).toBe(printed);
  });

  /** What the grammar lets stand inside itself, with an @ for the inner one. */
  const NESTS = [
    "[@]",
    "{a: @}",
    "f(@)",
    "c[@]",
    "a + (@)",
    "a OR b AND c = d || e + f * (@)",
    "-(@)",
    "(@).a",
    "a ? @ : b",
    "@ ? a : b",
    "a ?? @",
    "a BETWEEN b AND (@)",
    "(@) BETWEEN a AND b",
    "a IN (@)",
    "(@) IN (1)",
    "a LIKE (@)",
    "(LET x = (@) IN x)",
    "(LET x = 1 IN (@))",
    "(SELECT @)",
    "EXISTS(SELECT 1 FROM (SELECT @) x)",
    "(SELECT 1 WHERE @ ORDER BY 1)",
  ];

  test.each(NESTS)("as deep as it may be, the canonical text is no deeper: %s", (nest) => {
    const [before, after] = nest.split("@") as [string, string];
    let isAccepted = true;
    for (let count = 1; isAccepted; count += 1) {
      const text = `SELECT ${times(count, before)}c${times(count, after)}`;
      isAccepted = parseQuery(text).ok;
      if (isAccepted && count % 5 === 0) expectSound(text);
      if (!isAccepted) {
        const deepest = `SELECT ${times(count - 1, before)}c${times(count - 1, after)}`;
        expectSound(deepest);
        expect(count).toBeGreaterThan(30);
        expect(parseQuery(text)).toMatchObject({ error: { kind: REFUSED } });
      }
    }
  });

  test("parentheses around every link of a chain are no nesting", () => {
    const links = times(2_000, " OR (c.x = 2))");
    const parsed = parseQuery(`SELECT * FROM c WHERE ${times(2_000, "(")}(c.x = 1)${links}`);
    expect(parsed).toMatchObject({ ok: true });
    expect(parseQuery(`SELECT ${times(50_000, "(")}1${times(50_000, ")")}`)).toMatchObject({
      ok: true,
      value: { select: { selection: { items: [{ expression: { kind: "number" } }] } } },
    });
  });
});

describe("no text brings the parser down", () => {
  const PIECES =
    `SELECT FROM WHERE ( ) [ ] { } , . : ? ?? = <> >>> - NOT AND OR IN BETWEEN LIKE ESCAPE '!' "
     ' \\ /* */ -- 1 1.5 0x1 .5 c x @p udf VALUE TOP ORDER GROUP BY RANK OFFSET LIMIT JOIN AS * LET
     EXISTS ARRAY ALL FIRST é \u0000 ; !`.split(/\s+/);

  test("mutated queries", { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const random = seededRandom(seed);
        const below = (limit: number): number => Math.floor(random.next() * limit);
        const tokens = printQuery(randomQuery(random, 3)).split(/(\s+|\b)/);
        for (let rounds = below(4); rounds >= 0; rounds -= 1) {
          const piece = PIECES[below(PIECES.length)]!;
          tokens.splice(below(tokens.length), below(3), ` ${piece} `, ...tokens.slice(0, below(3)));
        }
        const text = tokens.join("");
        expectSound(text);
        expectSound(text.slice(0, below(text.length)));
      }),
      { numRuns: 4_000, seed: 1 },
    );
  });

  test("heaps of tokens", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PIECES)), (pieces) => {
        expectSound(pieces.join(" "));
        expectSound(`SELECT ${pieces.join("")}`);
      }),
      { numRuns: 2_000, seed: 2 },
    );
  });

  test.each(PIECES)("%j over and over", (piece) => {
    const count = Math.floor(40_000 / (piece.length + 1));
    expectSound(times(count, `${piece} `));
    expectSound(`SELECT ${times(count, `${piece} `)}`);
    expectSound(`SELECT ${times(count / 4, `a ${piece} `)}`);
  });
});

/** A tree whose text is read the same way, or a problem that lies within the text. */
function expectSound(text: string): void {
  const parsed = parseQuery(text);
  if (parsed.ok) {
    const printed = printQuery(parsed.value);
    const again = parseQuery(printed);
    if (again.ok) expect(printQuery(again.value)).toBe(printed);
    // What is canonical is longer, and may be too long; it is never nested too deeply.
    else expect(again.error).toMatchObject({ diagnostics: [{ code: "SC3020" }] });
    return;
  }
  if (parsed.error.kind === "refused") return;
  for (const { location = { start: -1, end: -1 } } of parsed.error.diagnostics) {
    expect(location.start).toBeGreaterThanOrEqual(0);
    expect(location.end).toBeGreaterThanOrEqual(location.start);
    expect(location.end).toBeLessThanOrEqual(text.length);
  }
}
