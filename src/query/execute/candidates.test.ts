/** From lookups to candidates: what is read, what is given up, and when the answer is exact. */

import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../json/value.ts";
import { Effort } from "../evaluate/effort.ts";
import { type Candidates, candidatesOf } from "./candidates.ts";
import { cutAt, ListContainer } from "./listSource.fake.ts";
import { QueryWork } from "./work.ts";

const MANY = new ListContainer(
  Array.from({ length: 2_500 }, (_, n): JsonObject => {
    return { n, a: n % 100, s: `${n % 100}`, b: n < 30 ? -1 : 1, l: [n % 2, n % 3] };
  }),
);

interface Setting {
  readonly gatherMax?: number;
  readonly isExactWanted?: boolean;
  readonly isScoped?: boolean;
  readonly work?: QueryWork;
}

function candidates(where: string, setting: Setting = {}): Promise<Candidates> {
  const plan = MANY.plan(`SELECT VALUE 1 FROM c WHERE ${where}`);
  if (plan.kind !== "items") throw new Error("not about items");
  const { isScoped = false, gatherMax, isExactWanted } = setting;
  const ranges = isScoped ? cutAt("02").slice(0, 1) : cutAt();
  const [source] = MANY.sources({ ranges, isScoped });
  const gathering = {
    source: source!,
    run: {
      parameters: new Map(),
      context: {
        wallNow: () => 0,
        startedAt: 0,
        random: () => 0,
        geometry: "Geography",
        memo: <T>(_kind: string, _key: string, make: () => T): T => make(),
      },
      effort: new Effort(),
    } as const,
    work: setting.work ?? new QueryWork(),
    pause: () => undefined,
    ...(gatherMax !== undefined && { gatherMax }),
  };
  return candidatesOf(plan.filter.lookups, gathering, isExactWanted);
}

async function told(where: string, setting?: Setting): Promise<string> {
  const found = await candidates(where, setting);
  if (found.kind === "everything") return "everything";
  const isExact = found.isExact ? ", exactly" : "";
  return found.kind === "term" ? `a term${isExact}` : `${found.numbers.length}${isExact}`;
}

describe("what is read", () => {
  test.each<readonly [string, Setting, string]>([
    ["c.a = 1", {}, "a term, exactly"],
    ["c.a = 1 AND c.n = c.b", {}, "a term, exactly"],
    ["c.n = c.b", {}, "everything"],
    ["c.n >= 2400", {}, "100"],
    ["c.n >= 2490", {}, "10"],
    ["c.n >= 2490", { isExactWanted: true }, "10, exactly"],
    ["c.a = 1 AND c.n > 2000", { isExactWanted: true }, "5, exactly"],
    ["c.a = 1 OR c.a = 2", {}, "50"],
    ["c.a IN (1, 2, 3)", {}, "75"],
    ["ARRAY_CONTAINS(c.l, 1)", { isExactWanted: true }, "1666, exactly"],
    ["CONTAINS(c.s, '9')", {}, "475"],
    ["CONTAINS(ToString(c.a), '9')", {}, "everything"],
    ["c.b = 1 AND c.n >= 0", { gatherMax: 100 }, "a term"],
    ["c.n >= 0", { gatherMax: 100 }, "everything"],
    ["c.n >= 0 AND c.a = 3", { gatherMax: 100, isExactWanted: true }, "25"],
    ["c.n >= 0 OR c.a = 3", { gatherMax: 100 }, "everything"],
    ["c.n >= 0", { isScoped: true }, "21"],
    ["c.n = c.b", { isScoped: true }, "21"],
  ])("%s with %j: %s", async (where, setting, expected) => {
    expect(await told(where, setting)).toBe(expected);
  });

  test.each([
    ["c.b = 1 AND c.n = 2400", "1"],
    ["c.n = 2400 AND c.b = 1", "1"],
    ["c.b = 1 AND c.n = 3", "0, exactly"],
    ["c.b = 1 AND c.n = 2400", "1, exactly"],
    ["c.b = 1 AND c.a = 7", "24, exactly"],
  ])("of long lists no more is read than the shortest needs: %s", async (where, expected) => {
    const work = new QueryWork();
    const setting = { isExactWanted: expected.endsWith("exactly"), work };
    expect(await told(where, setting)).toBe(expected);
    // The list of `c.b = 1` has 2,470 entries.
    expect(work.termCount).toBeLessThan(expected.startsWith("24") ? 2_000 : 300);
  });

  test("numbers are sorted and each is there once", async () => {
    const found = await candidates("c.a IN (9, 3) OR ARRAY_CONTAINS(c.l, 0) OR c.n < 50");
    if (found.kind !== "numbers") throw new Error(found.kind);
    expect(found.numbers).toEqual([...new Set(found.numbers)].sort((a, b) => a - b));
  });

  test("a part that was given up is not exact, however deep it is", async () => {
    const where = "(c.a = 1 AND c.b >= 0) OR c.n = 7";
    const setting = { gatherMax: 100, isExactWanted: true };
    expect(await told(where, setting)).toBe("everything");
    expect(await told(where, { gatherMax: 100 })).toBe("26");
    expect(await told(where, { isExactWanted: true })).toBe("25, exactly");
  });
});
