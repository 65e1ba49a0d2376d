/** Conditions of patches: what is met, what is not, and what is no condition. */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../json/value.ts";
import { parseCondition } from "./patchCondition.ts";

const ITEM: JsonObject = {
  id: "1",
  n: 3,
  text: "word",
  tags: ["a", "b"],
  deep: { yes: true },
  until: 1_000_000,
  _ts: 1000,
};
const SETTING = { wallNow: 1_500_000, geometry: "Geography" } as const;

const RULES: readonly (readonly [condition: string, outcome: boolean | "refused"])[] = [
  ["from c where c.n = 3", true],
  ["FROM c WHERE c.n = 4", false],
  ["from root where root.text = 'word'", true],
  ["from c i where i.deep.yes", true],
  ["from c as i where i.n > 1 and i.n < 5", true],
  // Only true is met: neither undefined nor a value that is no boolean.
  ["from c where c.missing = 1", false],
  ["from c where not (c.missing = 1)", false],
  ["from c where c.n", false],
  ["from c where is_defined(c.missing)", false],
  ["from c where ARRAY_CONTAINS(c.tags, 'b')", true],
  ["from c where EXISTS(SELECT VALUE t FROM t IN c.tags WHERE t = 'z')", false],
  ["from c where c._ts = 1000", true],
  ["from c where c.until < GetCurrentTimestamp()", true],
  ["from c where GetCurrentTimestampStatic() = 1500000", true],
  ["from c where REGEXMATCH(c.text, '^w.+d$')", true],
  ["from c where REGEXMATCH(c.text, '(')", "refused"],
  ["from c where RAND() >= 0", "refused"],
];

const NO_CONDITIONS: readonly (readonly [condition: string, what: string])[] = [
  ["", "nothing"],
  ["c.n = 3", "no FROM"],
  ["where c.n = 3", "no FROM either"],
  ["from c", "no WHERE"],
  ["from c where", "no expression"],
  ["select * from c where c.n = 3", "a whole query"],
  ["from c where c.n = 3 order by c.n", "more than a filter"],
  ["from c where d.n = 3", "another name"],
  ["from c where FOO(c.n)", "an unknown function"],
  ["from c where c.n = @n", "a parameter"],
  ["from c where COUNT(1) > 0", "an aggregate"],
  ["from t in c.tags where t = 'a'", "an iteration"],
];

describe("a condition", () => {
  test.each(RULES)("%s: %s", (text, outcome) => {
    const condition = parseCondition(text);
    if (!condition.ok) throw new Error(JSON.stringify(condition.error));
    const met = condition.value(ITEM, SETTING);
    expect(met.ok ? met.value : "refused").toBe(outcome);
    if (!met.ok) expect(met.error.kind).toBe("queryRefused");
  });

  test.each(NO_CONDITIONS)("%s is refused: %s", (text) => {
    expect(parseCondition(text)).toMatchObject({ ok: false });
  });
});
