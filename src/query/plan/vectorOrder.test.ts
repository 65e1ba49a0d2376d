/** What can be ordered by distance, and when a vector index knows it. */
import { describe, expect, test } from "vitest";
import { bindProgram } from "../bind/bind.ts";
import { ListContainer } from "../execute/listSource.fake.ts";
import { parseQuery } from "../language/parser.ts";
import { planOf } from "./plan.ts";

const list = new ListContainer([
  { id: "far", v: [9, 9], tags: [{ v: [1, 1] }] },
  { id: "near", v: [1, 0] },
  { id: "none" },
]);

function accessOf(order: string): unknown {
  const query = parseQuery(`SELECT TOP 1 * FROM c ORDER BY ${order}`);
  if (!query.ok) throw new Error(order);
  const program = bindProgram(query.value, { computed: new Map() });
  if (!program.ok) throw new Error(order);
  const plan = planOf(program.value, {
    ...list.index,
    vectorPlace: ([first, ...rest]) =>
      first === "v" && rest.length === 0
        ? { segments: ["v"], elementType: "float32", dimensions: 2, isApproximate: false }
        : undefined,
  });
  if (!plan.ok || plan.value.kind !== "items") throw new Error(order);
  return plan.value.order;
}

describe("an order by distance", () => {
  test.each([
    ["VectorDistance(c.v, [1, 2])", true],
    ["VectorDistance(@q, c.v, @b)", true],
    ["VectorDistance(c['v'], @q, true, {distanceFunction: 'dotproduct'})", true],
    ["VectorDistance(c.w, [1, 2])", false],
    ["VectorDistance(c.v, c.w)", false],
    ["VectorDistance(c.v, @q, c.b)", false],
    ["VectorDistance(c.v, @q, true, {dataType: 'int8'})", false],
    ["VectorDistance([1], [2])", false],
  ])("%s: known to the index: %s", (order, isKnown) => {
    const access = accessOf(order) as { readonly kind: string; readonly vector?: unknown };
    expect(access.kind).toBe("sort");
    expect(access.vector !== undefined).toBe(isKnown);
  });

  test.each([
    ["c", "ORDER BY VectorDistance(c.v, [1, 2]), c.id", "cannot be combined"],
    ["c JOIN t IN c.tags", "ORDER BY VectorDistance(t.v, [1, 2])", "correlated"],
    ["c", "ORDER BY VectorDistance(ARRAY_SLICE(c.v, 0), [1, 2])", "mapped to a document path"],
    ["c", "ORDER BY ABS(VectorDistance(c.v, [1, 2]))", "mapped to a document path"],
    ["c", "ORDER BY VectorDistance(c.v, [1, 2]) ASC", "not supported. Leave it out"],
    ["c", "ORDER BY VectorDistance(c.v, [1, 2]) DESC", "not supported. Leave it out"],
  ])("refused: FROM %s %s", (from, order, told) => {
    expect(() => list.plan(`SELECT VALUE 1 FROM ${from} ${order}`)).toThrow(told);
  });

  test("without an index items are sorted: best first, whichever way that is", async () => {
    const euclidean = "VectorDistance(c.v, @q, false, {distanceFunction: 'euclidean'})";
    const rows = async (order: string) => {
      const text = `SELECT VALUE c.id FROM c ORDER BY ${order}`;
      return list.rows(text, { parameters: { "@q": [1, 0] } });
    };
    expect(await rows("VectorDistance(c.v, @q)")).toEqual(["near", "far", "none"]);
    expect(await rows(euclidean)).toEqual(["none", "near", "far"]);
  });

  test("distances are values like any other", async () => {
    const text =
      "SELECT VALUE {id: c.id, d: VectorDistance(c.v, [1, 0])} FROM c " +
      "WHERE VectorDistance(c.v, [0, 0], true, {distanceFunction: 'euclidean'}) < 2";
    expect(await list.rows(text)).toEqual([{ id: "near", d: 1 }]);
  });
});
