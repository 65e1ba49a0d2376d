/** Plans for groups in FROM: no client merges them; whoever has all of them sorts and cuts them. */
import { describe, expect, test } from "vitest";
import { parseQuery } from "../language/parser.ts";
import { clientPlanOf, type PlanSetting } from "./clientPlan.ts";
import { NOTHING_TO_DO } from "./queryInfo.ts";

const GROUPS = "SELECT * FROM (SELECT c.k, COUNT(1) AS n FROM c GROUP BY c.k) g";
const SORTED = `${GROUPS} ORDER BY g.k DESC OFFSET 0 LIMIT 100`;
const SORTED_OF_KEY = SORTED.replace("FROM c", "FROM c WHERE c.pk = 1");
const ONE_RANGE = { isOneRange: true };

function planned(text: string, setting: Partial<PlanSetting>): ReturnType<typeof clientPlanOf> {
  const parsed = parseQuery(text);
  if (!parsed.ok) throw new Error(`no query: ${text}`);
  return clientPlanOf(parsed.value, {
    partitionKey: { paths: ["/pk"], kind: "Hash", version: 2 },
    parameters: new Map(),
    supportedFeatures: new Set(["OrderBy", "OffsetAndLimit", "GroupBy", "Aggregate"]),
    ...setting,
  });
}

describe("whoever has all groups sorts and cuts them", () => {
  test.each([
    ["a filter names one key", SORTED_OF_KEY, {}],
    ["there is one range", SORTED, ONE_RANGE],
    ["there is one range, and no order", GROUPS, ONE_RANGE],
    [
      "there is one range, and one aggregate",
      "SELECT g.n FROM (SELECT COUNT(1) AS n FROM c) g",
      ONE_RANGE,
    ],
  ])("%s", (_, query, setting) => {
    expect(planned(query, setting)).toMatchObject({ value: { queryInfo: NOTHING_TO_DO } });
  });
});

describe("what no single range has is refused", () => {
  test.each([
    ["groups of several ranges", SORTED, {}],
    [
      "first rows, which one range knows, too",
      "SELECT * FROM (SELECT TOP 3 * FROM c) d",
      ONE_RANGE,
    ],
    ["distinct rows of one range", "SELECT * FROM (SELECT DISTINCT c.k FROM c) d", ONE_RANGE],
  ])("%s", (_, query, setting) => {
    const message = expect.stringContaining("is not supported across partitions");
    expect(planned(query, setting)).toMatchObject({ ok: false, error: { message } });
  });
});
