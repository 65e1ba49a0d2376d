/** Against the plainest model: a map, sorted when asked. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RunEntry } from "./sortedRuns.ts";
import { SortedRuns } from "./sortedRuns.ts";

type Step =
  | { readonly kind: "set"; readonly key: string; readonly isPresent: boolean }
  | {
      readonly kind: "scan";
      readonly min: string;
      readonly max: string;
      readonly isReverse: boolean;
    };

const anyKey = fc.string({ unit: fc.constantFrom("a", "b", "\x00", "\xff"), maxLength: 4 });
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("set"), key: anyKey, isPresent: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("scan"),
      min: anyKey,
      max: anyKey,
      isReverse: fc.boolean(),
    }),
  },
) as fc.Arbitrary<Step>;

describe("sorted runs", () => {
  test("the last word on a key counts, across scans", () => {
    const runs = new SortedRuns(false);
    runs.set("b", true);
    runs.set("a", true);
    expect(keysOf(runs)).toEqual(["a", "b"]);
    runs.set("a", false);
    expect(all(runs)).toEqual([
      { key: "a", isPresent: false },
      { key: "b", isPresent: true },
    ]);
    runs.set("a", true);
    expect(keysOf(runs)).toEqual(["a", "b"]);
  });

  test("a scan goes from min up to max, or from below max down to min", () => {
    const runs = new SortedRuns(false);
    for (const key of ["a", "b", "c", "d"]) runs.set(key, true);
    expect([...runs.entries("b", "d", false)].map(({ key }) => key)).toEqual(["b", "c"]);
    expect([...runs.entries("b", "d", true)].map(({ key }) => key)).toEqual(["c", "b"]);
    expect([...runs.entries("d", "b", false)]).toEqual([]);
    expect([...runs.entries("d", "b", true)]).toEqual([]);
  });

  test("a scan under way does not see what is set meanwhile", () => {
    const runs = new SortedRuns(false);
    for (const key of ["a", "c"]) runs.set(key, true);
    const scan = runs.entries("", "z", false);
    expect(scan.next().value).toEqual({ key: "a", isPresent: true });
    runs.set("b", true);
    expect(keysOf(runs)).toEqual(["a", "b", "c"]);
    expect([...scan].map(({ key }) => key)).toEqual(["c"]);
  });

  test.each([
    { isBottom: false, what: "says what is gone" },
    { isBottom: true, what: "may forget what is gone" },
  ])("any history: isBottom $isBottom $what", ({ isBottom }) => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 120 }), (steps) => {
        const runs = new SortedRuns(isBottom);
        const model = new Map<string, boolean>();
        for (const step of [...steps, WHOLE_SCAN]) {
          if (step.kind === "set") {
            runs.set(step.key, step.isPresent);
            model.set(step.key, step.isPresent);
          } else {
            const found = [...runs.entries(step.min, step.max, step.isReverse)];
            expect(isBottom ? present(found) : found).toEqual(
              isBottom ? present(modelScan(model, step)) : modelScan(model, step),
            );
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});

const WHOLE_SCAN: Step = { kind: "scan", min: "", max: "\xff".repeat(9), isReverse: false };

function modelScan(model: ReadonlyMap<string, boolean>, step: Step & { kind: "scan" }): RunEntry[] {
  const inside = [...model].filter(([key]) => key >= step.min && key < step.max);
  const entries = inside.map(([key, isPresent]) => ({ key, isPresent }));
  entries.sort((a, b) => (a.key < b.key ? -1 : 1));
  return step.isReverse ? entries.reverse() : entries;
}

function all(runs: SortedRuns): RunEntry[] {
  return [...runs.entries("", "\xff".repeat(9), false)];
}

function present(entries: readonly RunEntry[]): RunEntry[] {
  return entries.filter(({ isPresent }) => isPresent);
}

function keysOf(runs: SortedRuns): string[] {
  return present(all(runs)).map(({ key }) => key);
}
