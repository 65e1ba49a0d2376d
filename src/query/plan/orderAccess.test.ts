/** Which orders an index has, which have to be sorted, and which are refused. */
import { describe, expect, test } from "vitest";
import { ListContainer, Refused } from "../execute/listSource.fake.ts";

const ASC = "ascending" as const;
const DESC = "descending" as const;
const policy = {
  excludedPaths: [{ path: "/hidden/?" }],
  compositeIndexes: [
    [
      { path: "/a", order: ASC },
      { path: "/b", order: DESC },
    ],
    [
      { path: "/a", order: ASC },
      { path: "/b", order: ASC },
      { path: "/o/c", order: ASC },
    ],
  ],
};
const computed = { low: "LOWER(c.name)" };

/** How the order is come by, or the words of the refusal. */
function told(order: string, from = "c", isIncomplete = false): string {
  const container = new ListContainer([], { policy, computed, isIncomplete });
  try {
    const plan = container.plan(`SELECT VALUE 1 FROM ${from} ORDER BY ${order}`);
    return plan.kind === "items" ? (plan.order?.kind ?? "none") : plan.kind;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { problem } = error;
    return problem.kind === "refused" ? problem.message : `${problem.diagnostics[0]!.code}`;
  }
}

const EXCLUDED = "The index path corresponding to the specified order-by item is excluded.";
const NO_COMPOSITE =
  "The order by query does not have a corresponding composite index that it can be served from.";
const CORRELATED = "Order-by over correlated collections is not supported.";

describe("one path", () => {
  test.each([
    ["c.x", "path"],
    ["c.x DESC", "path"],
    ["c.o.p", "path"],
    ["c['x y']", "path"],
    ["c._ts", "path"],
    ["c.hidden", EXCLUDED],
    ["c.low", "sort"],
    ["c.low DESC", "sort"],
    ["UPPER(c.x)", "2206"],
    ["c.x + 1", "2206"],
    ["1", "2206"],
    ["'x'", "2206"],
    ["c", "2206"],
    ["[c.x]", "2206"],
    ["(SELECT VALUE c.x)", "2206"],
  ])("%s: %s", (order, expected) => expect(told(order)).toBe(expected));
});

describe("several paths need an index of just these, in these directions or all the others", () => {
  test.each([
    ["c.a, c.b DESC", "composite"],
    ["c.a DESC, c.b ASC", "composite"],
    ["c.a, c.b", NO_COMPOSITE],
    ["c.a DESC, c.b DESC", NO_COMPOSITE],
    ["c.b DESC, c.a", NO_COMPOSITE],
    ["c.a, c.b, c.o.c", "composite"],
    ["c.a DESC, c.b DESC, c.o.c DESC", "composite"],
    ["c.a, c.b, c.o.c DESC", NO_COMPOSITE],
    ["c.a, c.b DESC, c.x", NO_COMPOSITE],
    ["c.a, UPPER(c.b)", "2206"],
    ["c.a, c.low", "sort"],
  ])("%s: %s", (order, expected) => expect(told(order)).toBe(expected));
});

describe("other sources", () => {
  test.each([
    ["f.x", "c f", "path"],
    ["o.p", "c.o", "path"],
    ["o", "c.o", "path"],
    ["c.x", "c JOIN t IN c.l", "path"],
    ["t", "c JOIN t IN c.l", CORRELATED],
    ["t.x", "c JOIN t IN c.l", CORRELATED],
    ["t", "t IN c.l", CORRELATED],
    ["x.a", "(SELECT VALUE c FROM c) x", "path"],
    ["x.a", "(SELECT c.a FROM c) x", CORRELATED],
    ["x", "(SELECT DISTINCT VALUE c.a FROM c) x", CORRELATED],
    ["x.a", "(SELECT c.a FROM c GROUP BY c.a) x", "derived"],
    ["x.a, x['n'] DESC", "(SELECT c.a, COUNT(1) AS n FROM c GROUP BY c.a) x", "derived"],
    ["x", "(SELECT VALUE MAX(c.a) FROM c) x", "derived"],
    ["UPPER(x.a)", "(SELECT c.a FROM c GROUP BY c.a) x", "2206"],
    ["t", "(SELECT c.a FROM c GROUP BY c.a) x JOIN t IN x.a", CORRELATED],
  ])("%s from %s: %s", (order, from, expected) => expect(told(order, from)).toBe(expected));
});

describe("while the container is indexed anew everything is sorted", () => {
  test.each([
    ["c.x", "sort"],
    ["c.a, c.b DESC", "sort"],
    ["c.a, c.b", NO_COMPOSITE],
    ["c.hidden", EXCLUDED],
  ])("%s: %s", (order, expected) => expect(told(order, "c", true)).toBe(expected));
});
