/** Where items fall under a key, first by rules and then against a naive count. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../json/value.ts";
import { parseKeyLevels } from "../../keys/expressionText.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { epkOf } from "../../partition/epk.ts";
import { assertTiles, epkRange, parseEpk } from "../../partition/epkRange.ts";
import type { KeyPlacement } from "./placement.ts";
import { PILES_MAX, placementOf } from "./placement.ts";
import { placementFindings } from "./placementCheck.ts";

function placed(items: readonly JsonObject[], key: string, ratePerSecond = 400): KeyPlacement {
  const levels = parseKeyLevels(key);
  if (!levels.ok) throw new Error(levels.error.message);
  let turn = 0;
  return placementOf({
    items,
    bytes: items.map((item) => JSON.stringify(item).length),
    levels: levels.value,
    ratePerSecond,
    limits: SERVICE_LIMITS,
    draw: { random: () => 0.5, turn: () => turn++ },
  });
}

const ITEMS: readonly JsonObject[] = [
  { id: "1", tenant: "a", at: "2026-05-01T10:00:00Z" },
  { id: "2", tenant: "a", at: "2026-06-01T10:00:00Z" },
  { id: "3", tenant: "b", at: "2026-05-02T10:00:00Z" },
  { id: "4", at: "2026-05-03T10:00:00Z" },
  { id: "5", tenant: null, at: "2026-05-03T10:00:00Z" },
];

const pilesOf = ({ partitions }: KeyPlacement): string[] =>
  partitions
    .flatMap(({ piles }) => piles)
    .map(({ key, isNone, itemCount }) => `${isNone ? "none" : JSON.stringify(key)} ${itemCount}`)
    .sort();

describe("placement", () => {
  test.each([
    ["/tenant", ['["a"] 2', '["b"] 1', "[null] 1", "none 1"], ["/tenant"], false, 1],
    ["/id", ["1", "2", "3", "4", "5"].map((id) => `["${id}"] 1`), ["/id"], false, 0],
    [
      "concat(/tenant, '_', month(/at))",
      ['["a_2026-05"] 1', '["a_2026-06"] 1', '["b_2026-05"] 1', "none 2"],
      ["/partitionKey"],
      true,
      2,
    ],
    [
      "[/tenant, /id]",
      ['["a","1"] 1', '["a","2"] 1', '["b","3"] 1', '[null,"5"] 1', "none 1"],
      ["/tenant", "/id"],
      false,
      1,
    ],
  ])("%s", (key, piles, paths, isMadeUp, missingCount) => {
    const placement = placed(ITEMS, key);
    expect(pilesOf(placement)).toEqual([...piles].sort());
    expect(placement).toMatchObject({ paths, isMadeUp, missingCount, keyCount: piles.length });
  });

  test("a rate of three partitions makes three, and each key is where its hash is", () => {
    const items = Array.from({ length: 300 }, (_, n) => ({ id: String(n), tenant: `t${n % 40}` }));
    const { partitions } = placed(items, "/tenant", 25_000);
    expect(partitions.map(({ id }) => id)).toEqual(["0", "1", "2"]);
    const definition = { paths: ["/tenant"], kind: "Hash", version: 2 } as const;
    for (const { min, max, piles } of partitions) {
      for (const { key, epk } of piles) {
        expect(epk).toBe(epkOf(definition, key as string[]));
        expect(epk >= min && epk < max).toBe(true);
      }
    }
  });

  test("more keys than anybody looks at are counted, and not listed", () => {
    const items = Array.from({ length: PILES_MAX + 50 }, (_, n) => ({ id: String(n) }));
    const [partition] = placed(items, "/id").partitions;
    expect(partition).toMatchObject({ keyCount: PILES_MAX + 50, itemCount: PILES_MAX + 50 });
    expect(partition!.piles).toHaveLength(PILES_MAX);
  });

  test("every item lies in one pile, and partitions tile the key space", () => {
    const anyItem = fc.record({ id: fc.string(), k: fc.oneof(fc.string(), fc.integer()) });
    fc.assert(
      fc.property(
        fc.array(anyItem, { maxLength: 80 }),
        fc.integer({ min: 400, max: 60_000 }),
        (items, rate) => {
          const { partitions, keyCount } = placed(items, "/k", rate);
          assertTiles(partitions.map(({ min, max }) => epkRange(parseEpk(min)!, parseEpk(max)!)));
          const indexes = partitions.flatMap(({ piles }) => piles.flatMap((p) => p.itemIndexes));
          expect(indexes.toSorted((a, b) => a - b)).toEqual(items.map((_, index) => index));
          expect(keyCount).toBe(new Set(items.map(({ k }) => k)).size);
        },
      ),
    );
  });
});

describe("the check of a few items", () => {
  const findings = async (items: readonly JsonObject[], key: string): Promise<string[]> => {
    const levels = parseKeyLevels(key);
    if (!levels.ok) throw new Error(levels.error.message);
    const found = await placementFindings({
      items,
      bytes: items.map((item) => JSON.stringify(item).length),
      levels: levels.value,
      limits: SERVICE_LIMITS,
      startMillis: Date.UTC(2026, 0, 1),
    });
    return found.map(({ check, outcome }) => `${check} ${outcome}`);
  };

  test("few values and missing ones are warned about, reads are unknown", async () => {
    const items = Array.from({ length: 200 }, (_, n) => ({
      id: String(n),
      ...(n % 4 === 0 ? {} : { status: n % 3 === 0 ? "open" : "closed" }),
    }));
    const found = await findings(items, "/status");
    expect(found).toContain("cardinality warning");
    expect(found).toContain("no-value warning");
    expect(found).toContain("alignment unknown");
  });

  test("many even values pass", async () => {
    const items = Array.from({ length: 500 }, (_, n) => ({ id: String(n), user: `u${n % 250}` }));
    const found = await findings(items, "/user");
    expect(found).toContain("cardinality passed");
    expect(found).toContain("distribution passed");
  });

  test("without items nothing is said", async () => {
    expect(await findings([], "/user")).toEqual([]);
  });
});
