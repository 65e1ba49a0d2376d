/** Keys of items by a table, and the one rule about missing values against all expressions. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { componentOf, type Draw, type KeyComponent, keyOf, lowerText } from "./component.ts";
import type { KeyExpression } from "./expression.ts";
import { parseKeyExpression, parseKeyLevels } from "./expressionText.ts";
import { valueAt } from "./paths.ts";
import { randomPair } from "./randomExpression.fake.ts";
import { hashBucket } from "./stableHash.ts";
import { timeOf } from "./time.ts";

const draw: Draw = { random: () => 0.5, turn: () => 7 };

function treeOf(text: string): KeyExpression {
  const parsed = parseKeyExpression(text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed.value;
}

const car = {
  id: "c725bd7ed5c4",
  vin: "WVWZZZ1JZXW000001",
  date: "2018-08-09",
  ts: "2020-05-03T10:00:00Z",
  epoch: 1_600_000_000,
  month: "2020-05",
  year: 2018,
  electric: true,
  owner: { name: "ANNA", tags: ["a"] },
  nothing: null,
  seen: new Date(Date.UTC(2021, 0, 1)),
};

describe("the key of an item", () => {
  test.each<[string, KeyComponent]>([
    ["/id", "c725bd7ed5c4"],
    ["/year", 2018],
    ["/electric", true],
    ["/nothing", null],
    ["/missing", undefined],
    ["/owner", undefined],
    ["/owner/name", "ANNA"],
    ["/owner/tags", undefined],
    ["/owner/tags/0", undefined],
    ["/id/length", undefined],
    ["/constructor", undefined],
    ["/seen", "2021-01-01T00:00:00.000Z"],
    ["'all'", "all"],
    ["concat(/id, '-', month(/ts))", "c725bd7ed5c4-2020-05"],
    ["concat(/id, '-', month(/month))", "c725bd7ed5c4-2020-05"],
    ["concat(/year, '-', /electric)", "2018-true"],
    ["concat(/id, '-', /nothing)", undefined],
    ["concat(/id, '-', /missing)", undefined],
    ["concat(/id, '-', /owner)", undefined],
    ["coalesce(/vin, concat('none-', /id))", "WVWZZZ1JZXW000001"],
    ["coalesce(/missing, concat('none-', /id))", "none-c725bd7ed5c4"],
    ["coalesce(/nothing, /owner, /year)", "2018"],
    ["coalesce(/missing, /nothing)", undefined],
    ["concat(coalesce(/missing, 'none'), '-', month(/ts))", "none-2020-05"],
    ["hour(/epoch)", "2020-09-13T12"],
    ["week(/seen)", "2020-W53"],
    ["month(/vin)", undefined],
    ["hash(/vin) % 10", "9"],
    ["hash(/missing) % 10", undefined],
    ["hash(/year) % 10", String(hashBucket("2018", 10))],
    ["suffix(/date, hash(/vin), 400)", "2018-08-09.190"],
    ["suffix(/date, hash(/missing), 400)", undefined],
    ["suffix(/missing, hash(/vin), 400)", undefined],
    ["suffix(/date, random(), 400)", "2018-08-09.201"],
    ["suffix(/date, turn(), 5)", "2018-08-09.3"],
    ["random(50)", "25"],
    ["turn(5)", "2"],
    ["choose(/id, ['c725bd7ed5c4'], month(/ts), quarter(/ts))", "2020-05"],
    ["choose(/id, ['another'], month(/ts), quarter(/ts))", "2020-Q2"],
    ["choose(/missing, ['another'], month(/ts), quarter(/ts))", "2020-Q2"],
    ["choose(/nothing, ['null'], month(/ts), quarter(/ts))", "2020-Q2"],
    ["choose(/year, ['2018'], /year, /id)", "2018"],
    ["lower(/owner/name)", "anna"],
    ["lower(/missing)", undefined],
  ])("%s is %j", (text, key) => expect(componentOf(treeOf(text), car, draw)).toBe(key));

  test("has one component for each level", () => {
    const levels = parseKeyLevels("[/id, month(/ts), /missing]");
    if (!levels.ok) throw new Error(levels.error.message);
    expect(keyOf(levels.value, car, draw)).toEqual(["c725bd7ed5c4", "2020-05", undefined]);
  });

  test("takes own properties only", () => {
    const item = JSON.parse('{"__proto__": "mine"}');
    expect(componentOf(treeOf("/__proto__"), item, draw)).toBe("mine");
    expect(componentOf(treeOf("/__proto__"), {}, draw)).toBeUndefined();
    expect(componentOf(treeOf("/a"), null, draw)).toBeUndefined();
    expect(componentOf(treeOf("/length"), "text", draw)).toBeUndefined();
  });

  test("draws within bounds at the ends of chance and turn", () => {
    for (const random of [0, 0.999999999, 1]) {
      for (const turn of [0, 4, 5, -1, 2 ** 53]) {
        const number = Number(
          componentOf(treeOf("random(5)"), {}, { random: () => random, turn: () => turn }),
        );
        const turned = Number(
          componentOf(treeOf("turn(5)"), {}, { random: () => random, turn: () => turn }),
        );
        expect([0, 1, 2, 3, 4]).toContain(number);
        expect([0, 1, 2, 3, 4]).toContain(turned);
      }
    }
  });

  test("in small letters does not depend on neighbours", () => {
    expect(lowerText("ÀÉÎ ΑΣ STRASSE")).toBe("àéî ασ strasse");
    expect(lowerText("İ")).toBe("İ");
    expect(lowerText("\ud800A")).toBe("\ud800a");
  });
});

test("a key is whole or not there at all", () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const { expression, item } = randomPair(seed);
      const component = componentOf(expression, item, draw);
      if (expression.kind === "path") return;
      expect(typeof component === "string").toBe(hasAll(expression, item));
    }),
    { numRuns: 2000 },
  );
});

/** Whether every needed value is there, said on its own. */
function hasAll(expression: KeyExpression, item: unknown): boolean {
  switch (expression.kind) {
    case "path":
      return ["string", "number", "boolean"].includes(typeof valueAt(item, expression.steps));
    case "text":
    case "random":
    case "turn":
      return true;
    case "period":
      return timeOf(valueAt(item, expression.of.steps)) !== undefined;
    case "concat":
      return expression.parts.every((part) => hasAll(part, item));
    case "coalesce":
      return expression.parts.some((part) => hasAll(part, item));
    case "hash":
    case "lower":
      return hasAll(expression.of, item);
    case "suffix": {
      const by = typeof expression.by === "string" || hasAll(expression.by.hashOf, item);
      return by && hasAll(expression.base, item);
    }
    case "choose": {
      const value = valueAt(item, expression.of.steps);
      const isChosen = typeof value !== "object" && expression.values.includes(String(value));
      return hasAll(isChosen ? expression.chosen : expression.otherwise, item);
    }
  }
}
