/** What a split or merge would come to, and keys as somebody types them. */
import { describe, expect, test } from "vitest";
import { typedKey } from "../parts/typedKey.ts";
import { mergeSays, neighboursOf, splitPreview } from "./reshapePreview.ts";
import { GB, load, logical, partition, report } from "./sampleReport.fake.ts";

const ONE = report([partition(0, 1, { itemBytes: 4 * GB, lastFiveMinutes: load({ ru: 1000 }) })]);
const [WHOLE] = ONE.partitions;

describe("a split", () => {
  test("leaves a hot key whole on one side", () => {
    const keys = { bySize: [], byLoad: [logical("d", "0", { epk: "30", ru: 900 })] };
    const { left, right, allottedRate } = splitPreview(ONE, WHOLE!, keys, "middle");
    // A tenth is not known and lies evenly.
    expect(left.loadShare).toBeCloseTo(0.05);
    expect(right.loadShare).toBeCloseTo(0.95);
    expect(left.bytesShare).toBeCloseTo(0.5);
    expect(allottedRate).toBe(1000);
  });

  test("at the middle of the data halves the bytes wherever they lie", () => {
    const bySize = ["30", "32", "34", "36"].map((epk) => logical(epk, "0", { epk, itemBytes: GB }));
    const keys = { bySize, byLoad: [] };
    expect(splitPreview(ONE, WHOLE!, keys, "middle").left.bytesShare).toBe(0);
    const median = splitPreview(ONE, WHOLE!, keys, "median");
    expect(median.left.bytesShare).toBeCloseTo(0.5);
    expect(median.knownBytesShare).toBe(1);
  });

  test("divides keys of the first version, too, which have no even scale", () => {
    const old = report([
      partition(0, 2, { max: "05C1A", itemBytes: 2 * GB }),
      partition(1, 2, { min: "05C1A" }),
    ]);
    const bySize = ["05C11", "05C12"].map((epk) => logical(epk, "0", { epk, itemBytes: GB }));
    const { left } = splitPreview(old, old.partitions[0]!, { bySize, byLoad: [] }, "median");
    expect(left.bytesShare).toBeCloseTo(0.5);
  });

  test("says how much it knows", () => {
    const keys = { bySize: [logical("a", "0", { epk: "10", itemBytes: GB })], byLoad: [] };
    const { knownBytesShare, knownLoadShare } = splitPreview(ONE, WHOLE!, keys, "median");
    expect([knownBytesShare, knownLoadShare]).toEqual([0.25, 0]);
  });

  test("keys of other partitions do not count, and what is too much is scaled", () => {
    const two = report([partition(0, 2), partition(1, 2)]);
    const keys = {
      bySize: [
        logical("a", "0", { epk: "01", itemBytes: 2 * GB }),
        logical("b", "1", { epk: "21", itemBytes: GB }),
      ],
      byLoad: [],
    };
    const { left, knownBytesShare } = splitPreview(two, two.partitions[0]!, keys, "middle");
    expect([left.bytesShare, knownBytesShare]).toEqual([1, 1]);
  });
});

describe("a merge", () => {
  const three = report([partition(0, 3), partition(1, 3), partition(2, 3)]);

  test("is with a neighbour", () => {
    const ids = (id: string): readonly string[] => neighboursOf(three, id).map((each) => each.id);
    expect([ids("0"), ids("1"), ids("2")]).toEqual([["1"], ["0", "2"], ["1"]]);
  });

  test("says what it comes to, and whether the server suggests it", () => {
    const [one, other] = three.partitions;
    expect(mergeSays(three, one!, other!, [])).toBe(
      "One physical partition with 2 GB, 4 % of what one may hold; each of 2 would be allotted " +
        "1,000 RU/s. The server does not suggest this merge.",
    );
    const suggestion = {
      partitionIds: ["0", "1"] as const,
      itemBytes: 0,
      allottedRate: 0,
      reason: "Both are nearly empty.",
    };
    expect(mergeSays(three, one!, other!, [suggestion])).toMatch(/Both are nearly empty\.$/);
  });
});

describe("a typed key", () => {
  test.each<[string, readonly string[], string]>([
    ["Toys", ["/a"], '["Toys"]'],
    [' "Toys" ', ["/a"], '["Toys"]'],
    ['["Toys"]', ["/a"], '["Toys"]'],
    ["[5]", ["/a"], "[5]"],
    ["5", ["/a"], '["5"]'],
    ['["a", 1]', ["/a", "/b"], '["a",1]'],
    ['"a"b"', ["/a"], '["\\"a\\"b\\""]'],
  ])("%s", (text, paths, expected) => {
    expect(typedKey(text, paths)).toEqual({ ok: true, value: expected });
  });

  test.each<[string, readonly string[], RegExp]>([
    ["[Toys]", ["/a"], /no JSON array/],
    ["Toys", ["/a", "/b"], /has 2 parts/],
    ['["a", "b"]', ["/a"], /1 parts? at most/],
  ])("%s is refused", (text, paths, problem) => {
    const typed = typedKey(text, paths);
    expect(typed.ok ? "" : typed.error).toMatch(problem);
  });
});
