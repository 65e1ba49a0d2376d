/** Which keys a reader visits, by a table; then that no item is missed, for any expression. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { componentOf, type KeyComponent, keyOf } from "./component.ts";
import type { KeyExpression, KeyLevels } from "./expression.ts";
import { parseKeyLevels } from "./expressionText.ts";
import { pathsOf, pathText, periodsIn, valueAt, visitParts } from "./paths.ts";
import { randomPair } from "./randomExpression.fake.ts";
import { timeOf } from "./time.ts";
import { type Known, VISITS_MAX, visitsFor, visitsForLevels } from "./visits.ts";

function levelsOf(text: string): KeyLevels {
  const parsed = parseKeyLevels(text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed.value;
}

function known(
  values: Readonly<Record<string, KeyComponent | readonly KeyComponent[]>>,
  range?: readonly [path: string, from: string, to: string],
): Known {
  const lists = Object.entries(values).map(([path, value]): [string, readonly KeyComponent[]] => [
    path,
    Array.isArray(value) ? value : [value],
  ]);
  return {
    values: new Map(lists),
    range: range && { path: range[0], from: Date.parse(range[1]), to: Date.parse(range[2]) },
  };
}

describe("a reader visits", () => {
  test.each<[string, Known, readonly KeyComponent[] | undefined]>([
    ["/tenantId", known({ "/tenantId": "a" }), ["a"]],
    ["/tenantId", known({ "/tenantId": ["a", 5, null, "a"] }), ["a", 5, null]],
    ["/tenantId", known({}), undefined],
    ["/tenantId", known({ "/other": "a" }), undefined],
    ["/tenantId", known({ "/tenantId": [] }), []],
    ["'all'", known({}), ["all"]],
    ["month(/ts)", known({ "/ts": "2025-10-03" }), ["2025-10"]],
    [
      "month(/ts)",
      known({}, ["/ts", "2025-11-30", "2026-01-01"]),
      ["2025-11", "2025-12", "2026-01"],
    ],
    ["month(/ts)", known({}, ["/other", "2025-11-30", "2026-01-01"]), undefined],
    ["month(/ts)", known({}, ["/ts", "2026-01-01", "2025-11-30"]), []],
    ["/ts", known({}, ["/ts", "2025-11-30", "2026-01-01"]), undefined],
    [
      "concat(/d, '-', month(/ts))",
      known({ "/d": ["a", "b"] }, ["/ts", "2025-10-31", "2025-11-01"]),
      ["a-2025-10", "a-2025-11", "b-2025-10", "b-2025-11"],
    ],
    ["concat(/d, '-', month(/ts))", known({ "/d": "a" }), undefined],
    ["coalesce(/a, concat('none-', /id))", known({ "/a": "x" }), ["x"]],
    ["coalesce(/a, concat('none-', /id))", known({ "/a": ["x", null], "/id": 5 }), ["x", "none-5"]],
    ["coalesce(/a, concat('none-', /id))", known({ "/a": null }), undefined],
    ["coalesce(/a, concat('none-', /id))", known({ "/id": 5 }), undefined],
    ["coalesce(hash(/a) % 2, 'none')", known({}), ["0", "1", "none"]],
    ["hash(/id) % 3", known({ "/id": "42" }), ["2"]],
    ["hash(/id) % 3", known({}), ["0", "1", "2"]],
    ["hash(month(/ts)) % 3", known({}, ["/ts", "1970-01-01", "2369-12-31"]), ["2", "0", "1"]],
    [
      "suffix(/date, hash(/vin), 400)",
      known({ "/date": "2018-08-09", "/vin": "42" }),
      ["2018-08-09.190"],
    ],
    [
      "suffix(/date, hash(/vin), 3)",
      known({ "/date": "2018-08-09" }),
      ["2018-08-09.1", "2018-08-09.2", "2018-08-09.3"],
    ],
    ["suffix(/date, random(), 2)", known({ "/date": ["x", "y"] }), ["x.1", "x.2", "y.1", "y.2"]],
    ["suffix(/date, turn(), 2)", known({ "/date": "x", "/id": "1" }), ["x.1", "x.2"]],
    ["random(2)", known({}), ["0", "1"]],
    ["random(10000)", known({}), Array.from({ length: 10_000 }, (_, index) => String(index))],
    ["random(10001)", known({}), undefined],
    ["concat(random(101), '-', turn(100))", known({}), undefined],
    ["hour(/ts)", known({}, ["/ts", "2020-01-01", "2025-01-01"]), undefined],
    ["lower(/name)", known({ "/name": ["Anna", "ANNA"] }), ["anna"]],
    [
      "choose(/s, ['a'], month(/ts), quarter(/ts))",
      known({ "/s": "a", "/ts": "2025-10-03" }),
      ["2025-10"],
    ],
    [
      "choose(/s, ['a'], month(/ts), quarter(/ts))",
      known({ "/s": "b", "/ts": "2025-10-03" }),
      ["2025-Q4"],
    ],
    [
      "choose(/s, ['a'], month(/ts), quarter(/ts))",
      known({ "/ts": "2025-10-03" }),
      ["2025-10", "2025-Q4"],
    ],
    ["choose(/s, ['a'], month(/ts), /s)", known({ "/ts": "2025-10-03" }), undefined],
    // A value that is known to be missing.
    ["concat(/a, '-', /b)", known({ "/a": [undefined, "x"], "/b": "y" }), [undefined, "x-y"]],
    ["month(/ts)", known({ "/ts": "no time" }), [undefined]],
    // The same value in two places, and the same time in two periods.
    ["concat(/a, '.', hash(/a) % 10)", known({ "/a": ["42", "a"] }), ["42.9", "a.5"]],
    [
      "concat(year(/ts), '/', month(/ts))",
      known({}, ["/ts", "2025-12-31", "2026-01-01"]),
      ["2025/2025-12", "2026/2026-01"],
    ],
    [
      "concat(month(/ts), '/', week(/ts))",
      known({}, ["/ts", "2025-09-29", "2025-10-06"]),
      ["2025-09/2025-W40", "2025-10/2025-W40", "2025-10/2025-W41"],
    ],
    // Times that are known, and are also in a range.
    [
      "day(/ts)",
      known({ "/ts": ["2025-10-03", "2025-10-09"] }, ["/ts", "2025-10-01", "2025-10-05"]),
      ["2025-10-03"],
    ],
  ])("for %s", (text, what, keys) => {
    expect(visitsFor(levelsOf(text)[0]!, what)).toEqual(keys);
  });
});

describe("with levels, a reader visits", () => {
  test.each<[string, Known, readonly (readonly KeyComponent[])[] | undefined, boolean?]>([
    ["[/t, /u]", known({ "/t": "a", "/u": "b" }), [["a", "b"]], false],
    ["[/t, /u]", known({ "/t": ["a", "c"] }), [["a"], ["c"]], true],
    ["[/t, /u]", known({ "/u": "b" }), undefined],
    ["[/t, /u, /v]", known({ "/t": "a", "/v": "c" }), [["a"]], true],
    [
      "[/t, hash(/u) % 2, /v]",
      known({ "/t": "a" }),
      [
        ["a", "0"],
        ["a", "1"],
      ],
      true,
    ],
    ["[/t, random(20000)]", known({ "/t": "a" }), [["a"]], true],
    [
      "[/t, concat(/t, '-', /u)]",
      known({ "/t": ["a", "b"], "/u": "x" }),
      [
        ["a", "a-x"],
        ["b", "b-x"],
      ],
      false,
    ],
    [
      "[/t, month(/ts)]",
      known({ "/t": 5 }, ["/ts", "2025-01-31", "2025-02-01"]),
      [
        [5, "2025-01"],
        [5, "2025-02"],
      ],
      false,
    ],
    ["/t", known({ "/t": "a" }), [["a"]], false],
  ])("%s", (text, what, keys, isPrefix) => {
    const visits = visitsForLevels(levelsOf(text), what);
    expect(visits?.keys).toEqual(keys);
    expect(visits?.isPrefix).toBe(isPrefix);
  });
});

describe("for any expression and item", () => {
  const draw = { random: () => 0.3, turn: () => 2 };
  const all = fc.record({
    seed: fc.integer(),
    mask: fc.nat(0xffff),
    before: fc.nat(40 * 86_400_000),
    after: fc.nat(40 * 86_400_000),
  });

  test("the key of the item is among those visited", () => {
    let reached = 0;
    fc.assert(
      fc.property(all, ({ seed, mask, before, after }) => {
        const levels = [randomPair(seed).expression, randomPair(seed + 1).expression];
        const { item } = randomPair(seed);
        const values = new Map<string, readonly KeyComponent[]>();
        levels.flatMap(pathsOf).forEach((path, index) => {
          if ((mask >> (index % 16)) % 2 === 0) return;
          values.set(pathText(path), ["decoy", componentOf(path, item, draw)]);
        });
        const time = levels.flatMap(periodsIn)[0]?.of;
        const at = time && timeOf(valueAt(item, time.steps));
        const range =
          time && at !== undefined
            ? { path: pathText(time), from: at - before, to: at + after }
            : undefined;
        const key = keyOf(levels, item, draw);
        const visits = visitsForLevels(levels, { values, range });
        // An item that lacks what its key needs, and the reader does not know, is not promised.
        if (visits === undefined || key.includes(undefined)) return;
        reached++;
        const length = visits.isPrefix ? visits.keys[0]!.length : levels.length;
        const visited = new Set(visits.keys.map((visit) => JSON.stringify(visit)));
        expect(visited).toContain(JSON.stringify(key.slice(0, length)));
        expect(visits.keys.length).toBeLessThanOrEqual(VISITS_MAX);
      }),
      { numRuns: 500 },
    );
    expect(reached).toBeGreaterThan(50);
  });

  test("there is one key when everything is known and nothing is drawn", () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const { expression, item } = randomPair(seed);
        if (isDrawn(expression)) return;
        const values = new Map(
          pathsOf(expression).map((path) => [pathText(path), [componentOf(path, item, draw)]]),
        );
        expect(visitsFor(expression, { values })).toEqual([componentOf(expression, item, draw)]);
      }),
      { numRuns: 1000 },
    );
  });

  function isDrawn(expression: KeyExpression): boolean {
    let found = false;
    visitParts(expression, (part) => {
      found ||= part.kind === "random" || part.kind === "turn";
      found ||= part.kind === "suffix" && typeof part.by === "string";
    });
    return found;
  }
});
