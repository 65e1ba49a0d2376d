/** What settings say, and what is complained about. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../json/value.ts";
import { defaultAlertSettings, parseAlertSettings } from "./alertSettings.ts";
import { ALL_RULES } from "./rules/catalogue.ts";

test("what is not said stays as the catalogue has it", () => {
  const parsed = parseAlertSettings({
    hotPartition: { sharePercent: 70, forSeconds: 5 },
    unevenKeys: { enabled: false },
  });
  if (!parsed.ok) throw new Error(parsed.error.join());
  const usual = defaultAlertSettings();
  const before = usual.get("hotPartition")!;
  expect(parsed.value.get("hotPartition")).toEqual({
    ...before,
    forSeconds: 5,
    values: { ...before.values, sharePercent: 70 },
  });
  expect(parsed.value.get("unevenKeys")).toEqual({ ...usual.get("unevenKeys"), isEnabled: false });
  expect(parsed.value.get("storageSkew")).toEqual(usual.get("storageSkew"));
});

test("nothing said is the catalogue itself", () => {
  expect(parseAlertSettings({})).toEqual({ ok: true, value: defaultAlertSettings() });
});

describe("complaints", () => {
  const rows: readonly (readonly [JsonValue, RegExp])[] = [
    [[], /^Alert settings must be an object/],
    [null, /^Alert settings must be an object/],
    [{ hotPartitoin: {} }, /^There is no rule 'hotPartitoin'\. The rules are hotPartition, /],
    [JSON.parse('{"__proto__":{}}'), /^There is no rule '__proto__'/],
    [{ hotPartition: true }, /^The settings of 'hotPartition' must be an object\.$/],
    [
      { hotPartition: { share: 1 } },
      /^'hotPartition' has no setting 'share'\. Its settings are enabled, forSeconds, clearSeconds, sharePercent,/,
    ],
    [JSON.parse('{"hotPartition":{"__proto__":1}}'), /has no setting '__proto__'/],
    [
      { hotPartition: { sharePercent: "80" } },
      /^The setting 'sharePercent' of 'hotPartition' must be a number from 0 to 100 \(percent\)\.$/,
    ],
    [{ hotPartition: { sharePercent: 101 } }, /from 0 to 100/],
    [{ hotPartition: { sharePercent: null } }, /from 0 to 100/],
    [{ hotPartition: { requestCountMin: -1 } }, /must be a number not below 0 \(requests\)/],
    [{ hotPartition: { forSeconds: -1 } }, /'forSeconds' .* must be a number from 0 to 31536000/],
    [{ hotPartition: { enabled: 1 } }, /^The setting 'enabled' of 'hotPartition' must be true or/],
    [
      { largeLogicalPartition: { warningPercent: 90 } },
      /^The setting 'warningPercent' of 'largeLogicalPartition' is 90; it must not be above 'criticalPercent', which is 80\.$/,
    ],
  ];
  test.each(rows)("%j", (json, complaint) => {
    const parsed = parseAlertSettings(json);
    expect(parsed.ok).toBe(false);
    if (parsed.ok) return;
    expect(parsed.error).toHaveLength(1);
    expect(parsed.error[0]).toMatch(complaint);
  });

  test("all of them come at once", () => {
    const parsed = parseAlertSettings({ nothing: {}, diskSpace: { freeGib: "1", more: 2 } });
    expect(parsed.ok ? [] : parsed.error).toHaveLength(3);
  });
});

test("whatever is given, it is taken whole or complained about, and never thrown at", () => {
  const anyRule = fc.constantFrom(...ALL_RULES.map(({ id }) => id), "constructor", "__proto__");
  const anyValue = fc.oneof(fc.jsonValue(), fc.double(), fc.boolean());
  const anySettings = fc.dictionary(
    anyRule,
    fc.oneof(fc.dictionary(fc.string(), anyValue), anyValue),
  );
  fc.assert(
    fc.property(anySettings, (json) => {
      const parsed = parseAlertSettings(json as JsonValue);
      if (parsed.ok) expect(parsed.value.size).toBe(ALL_RULES.length);
      else expect(parsed.error.length).toBeGreaterThan(0);
    }),
  );
});

describe("the catalogue", () => {
  test("ids differ, and what must ascend does", () => {
    expect(new Set(ALL_RULES.map(({ id }) => id)).size).toBe(ALL_RULES.length);
    for (const { thresholds, ascending = [] } of ALL_RULES) {
      const values = ascending.map((name) => thresholds[name]!.value);
      expect(values).toEqual(values.toSorted((one, other) => one - other));
    }
  });

  test("a platform limit names the page it is documented on", () => {
    for (const { thresholds } of ALL_RULES) {
      for (const { origin, page } of Object.values(thresholds)) {
        if (origin === "platformLimit") expect(page?.url).toMatch(/^https:\/\//);
      }
    }
  });

  test("a rule's description names every threshold that a user would look for, and no other", () => {
    for (const { id, fires, thresholds } of ALL_RULES) {
      for (const [, name] of fires.matchAll(/`(\w+)`/g)) {
        expect(Object.keys(thresholds), `${id} speaks of ${name}`).toContain(name);
      }
    }
  });
});
