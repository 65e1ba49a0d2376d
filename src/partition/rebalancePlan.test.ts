/** Which moves are planned, and that they even things out. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { EndpointWeights } from "./rebalancePlan.ts";
import { rebalancePlan } from "./rebalancePlan.ts";

const MB = 1024 * 1024;

function endpoint(name: string, ...sizes: readonly number[]): EndpointWeights<string> {
  const partitions = sizes.map((itemBytes, at) => ({ partition: `${name}${at}`, itemBytes }));
  return { name, partitions };
}

test.each<[string, readonly EndpointWeights<string>[], readonly string[]]>([
  ["nothing, where it is even", [endpoint("a", MB, MB), endpoint("b", MB, MB)], []],
  ["nothing, where there is one", [endpoint("a", MB, MB)], []],
  ["nothing, where there is nothing", [endpoint("a"), endpoint("b")], []],
  ["half, to one that is new", [endpoint("a", 0, 0, 0, 0), endpoint("b")], ["a0 b", "a1 b"]],
  [
    "a third each, to two that are new",
    [endpoint("a", 0, 0, 0, 0, 0, 0), endpoint("b"), endpoint("c")],
    ["a0 b", "a1 c", "a2 b", "a3 c"],
  ],
  [
    "what is large, and then as many back",
    [endpoint("a", 100 * MB, 100 * MB, MB), endpoint("b", MB, MB, MB)],
    ["a0 b", "b0 a"],
  ],
  ["nothing, where one is all there is", [endpoint("a", 9 * MB), endpoint("b")], []],
])("plans %s", (_what, endpoints, expected) => {
  expect(rebalancePlan(endpoints).map(({ partition, to }) => `${partition} ${to}`)).toEqual(
    expected,
  );
});

test("each partition moves once at most, from where it is, and things are more even then", () => {
  const sizes = fc.array(fc.nat(1000), { maxLength: 12 });
  const fleets = fc.array(sizes, { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fleets, (lists) => {
      const before = lists.map((list, at) => endpoint(`e${at}`, ...list));
      const moves = rebalancePlan(before);
      expect(new Set(moves.map(({ partition }) => partition)).size).toBe(moves.length);
      for (const { partition, from } of moves) expect(partition.startsWith(from)).toBe(true);
      expect(spread(moved(before, moves))).toBeLessThanOrEqual(spread(before));
    }),
  );
});

function moved(
  endpoints: readonly EndpointWeights<string>[],
  moves: ReturnType<typeof rebalancePlan<string>>,
): readonly EndpointWeights<string>[] {
  return endpoints.map(({ name, partitions }) => ({
    name,
    partitions: [
      ...partitions.filter(({ partition }) => !moves.some((move) => move.partition === partition)),
      ...moves.filter(({ to }) => to === name),
    ],
  }));
}

/** Between the one that has most and the one that has least, by the weight of the plan. */
function spread(endpoints: readonly EndpointWeights<string>[]): number {
  const all = endpoints.flatMap(({ partitions }) => partitions);
  const mean = all.reduce((sum, { itemBytes }) => sum + itemBytes, 0) / all.length;
  const loads = endpoints.map(({ partitions }) =>
    partitions.reduce((sum, { itemBytes }) => sum + 1 + (mean > 0 ? itemBytes / mean : 1), 0),
  );
  return Math.round(1e6 * (Math.max(...loads) - Math.min(...loads)));
}
