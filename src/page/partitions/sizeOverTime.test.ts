/** Sizes over time: each count is good until the next. */
import { expect, test } from "vitest";
import { partition } from "./sampleReport.fake.ts";
import { sizesAtEnds, withSizesNow } from "./sizeOverTime.ts";

const slot = (itemBytes?: number) => ({
  ru: 0,
  requestCount: 0,
  throttledCount: 0,
  normalizedPercent: 0,
  itemBytes,
});

test("a size holds until the next count, and nothing is known before the first", () => {
  const counted = {
    times: [0, 60, 120, 180],
    partitions: [
      { id: "0", min: "", max: "80", slots: [null, slot(10), slot(), slot(30)] },
      { id: "1", min: "80", max: "FF", slots: [null, null, null, null] },
    ],
  };
  const sizes = sizesAtEnds(counted, [0, 60, 120, 180, 240, 300]);
  expect(sizes.get("0")).toEqual([undefined, 10, 10, 30, 30]);
  expect(sizes.get("1")).toEqual([undefined, undefined, undefined, undefined, undefined]);
  // Spans may be longer than what was counted by.
  expect(sizesAtEnds(counted, [0, 180, 240]).get("0")).toEqual([10, 30]);
});

test("the sizes of now are the newest count", () => {
  const now = { ...partition(0, 1), itemBytes: 77 };
  const partitions = [{ id: now.id, min: "", max: "FF", slots: [slot(10), slot(20)] }];
  const heat = { times: [0, 60, 120, 180], cells: [[1], [0], [null]] };
  const counted = withSizesNow({ times: [0, 60], partitions }, [now], heat);
  expect(sizesAtEnds(counted, heat.times).get(now.id)).toEqual([10, 77, 77]);
  // What was counted may have a later slot already, without a size.
  const running = partitions.map((each) => ({ ...each, slots: [slot(10), slot(20), null] }));
  const later = withSizesNow({ times: [0, 60, 120], partitions: running }, [now], heat);
  expect(sizesAtEnds(later, heat.times).get(now.id)).toEqual([10, 77, 77]);
  const gaps = { ...heat, cells: [[null], [null], [null]] };
  expect(withSizesNow({ times: [0, 60], partitions }, [now], gaps).times).toEqual([0, 60]);
});
