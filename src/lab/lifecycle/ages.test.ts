/** Workloads cut by age: what each container of an approach holds, and who comes to it. */
import { describe, expect, test } from "vitest";
import { DAY_SECONDS } from "../../base/units.ts";
import type { Operation, Workload } from "../workload/workload.ts";
import { agedItemsOf, slicedWorkload } from "./ages.ts";
import { containersOf, DEFAULT_SETTINGS, MOVING, type PlannedContainer } from "./containers.ts";
import { FEED_DEFAULTS, feedWorkload, itemsPerDayFor, volumeOf } from "./feedWorkload.ts";

const GB = 1024 ** 3;
const FIGURES = {
  ...FEED_DEFAULTS,
  itemsPerDay: 1000,
  queriesPerSecond: 10,
  retentionDays: 730,
};
const WORKLOAD = feedWorkload(FIGURES);

const spans = new Map([
  ["recent", 7],
  ["of-provider", 30],
  ["search", 90],
  ["analytics", 365],
]);
const spanDaysOf = ({ id }: Operation): number | undefined => spans.get(id);

function containers(
  id: Parameters<typeof containersOf>[0],
  changed: { readonly workload?: Workload; readonly dayOfYear?: number } = {},
): readonly PlannedContainer[] {
  const { workload = WORKLOAD, dayOfYear } = changed;
  return containersOf(id, {
    workload,
    items: agedItemsOf(workload),
    agePath: "/publishedDate",
    settings: DEFAULT_SETTINGS,
    spanDaysOf,
    dayOfYear,
  });
}

describe("the workload of a few figures", () => {
  test("comes to the volume that it was made for", () => {
    const itemsPerDay = itemsPerDayFor(800 * GB, FIGURES);
    expect(volumeOf({ ...FIGURES, itemsPerDay })).toBeCloseTo(800 * GB, 0);
    const { itemCount, keptDays } = agedItemsOf(feedWorkload({ ...FIGURES, itemsPerDay }));
    expect(itemCount).toBeCloseTo(itemsPerDay * 730, 3);
    expect(keptDays).toBe(730);
  });

  test("divides queries by their share, and has no remarks of its own", () => {
    const rates = WORKLOAD.operations.map(({ id, ratePerSecond }) => [id, ratePerSecond]);
    expect(rates).toEqual([
      ["store", 1000 / DAY_SECONDS],
      ["recent", 4],
      ["of-provider", 4],
      ["search", expect.closeTo(2, 9)],
      ["analytics", 1 / 60],
    ]);
    expect(WORKLOAD.remarks).toEqual([]);
  });

  test("leaves out what nobody asks", () => {
    const recentOnly = feedWorkload({ ...FIGURES, recentShare: 1, analyticsPerSecond: 0 });
    expect(recentOnly.operations.map(({ id }) => id)).toEqual(["store", "recent", "of-provider"]);
  });
});

describe("where an operation goes", () => {
  test.each<readonly [string, number, number]>([
    ["store", 1, 0],
    ["recent", 1, 0],
    ["of-provider", 1, 0],
    ["search", 1, 1],
    ["analytics", 1, 1],
  ])("%s: hot %d, warm %d", (id, hot, warm) => {
    for (const approach of ["hotWarm", "nearRealTime"] as const) {
      const chances = containers(approach).map((each) => each.chances.get(id));
      expect(chances).toEqual([hot, warm]);
    }
  });

  test("all of it to a single container", () => {
    const [all] = containers("single");
    expect([...all!.chances.values()]).toEqual([1, 1, 1, 1, 1]);
    expect(all!.itemCount).toBeCloseTo(730_000, 3);
  });

  test("to last year's container as often as a range reaches over the turn of the year", () => {
    const [now, last, before] = containers("perYear");
    expect(now!.chances.get("search")).toBe(1);
    expect(last!.chances.get("search")).toBeCloseTo(90 / 365.25, 1);
    expect(last!.chances.get("recent")).toBeCloseTo(7 / 365.25, 1);
    expect(last!.chances.get("analytics")).toBe(1);
    expect(before!.chances.get("analytics")).toBe(0);
  });

  test.each<readonly [number, readonly number[]]>([
    [60, [1, 1, 0]],
    [120, [1, 0, 0]],
  ])("on day %d of the year a search of 90 days goes to %j", (dayOfYear, expected) => {
    const chances = containers("perYear", { dayOfYear }).map((each) => each.chances.get("search"));
    expect(chances).toEqual(expected);
  });
});

describe("what a container holds", () => {
  test("hot holds its days, the wait for the mover and the time after it", () => {
    const [hot, warm] = containers("hotWarm");
    expect(hot!.ages).toEqual({ fromDays: 0, toDays: 31.5 });
    expect(hot!.itemCount).toBeCloseTo(31_500, 3);
    expect(warm!.ages).toEqual({ fromDays: 30, toDays: 730 });
    expect(warm!.itemCount).toBeCloseTo(700_000, 3);
  });

  test("the containers of years hold every item once", () => {
    const count = containers("perYear").reduce((sum, { itemCount }) => sum + itemCount, 0);
    expect(count).toBeCloseTo(730_000, 3);
  });

  test("times of a query are told from the newest item of the container", () => {
    const [hot, warm] = containers("hotWarm");
    const agoIn = ({ workload }: PlannedContainer, id: string): number | undefined =>
      workload.operations.find((each) => each.id === id)?.parameters.get("@from")?.agoDays;
    expect([agoIn(hot!, "search"), agoIn(warm!, "search")]).toEqual([30, 60]);
    expect([agoIn(hot!, "recent"), agoIn(warm!, "recent")]).toEqual([7, undefined]);
  });

  test("items that are gone before they are old enough make no warm container", () => {
    const short = feedWorkload({ ...FIGURES, retentionDays: 20 });
    const [hot, ...none] = containers("hotWarm", { workload: short });
    expect(none).toEqual([]);
    expect(hot!.workload.operations.map(({ id }) => id)).not.toContain(MOVING.find);
  });
});

describe("moving", () => {
  test("is one copy and one mark for each item, and a look for each batch", () => {
    const [hot, warm] = containers("hotWarm");
    const rateOf = (container: PlannedContainer, id: string): number | undefined =>
      container.workload.operations.find((each) => each.id === id)?.ratePerSecond;
    expect(rateOf(warm!, MOVING.copy)).toBeCloseTo(1000 / DAY_SECONDS, 9);
    expect(rateOf(hot!, MOVING.mark)).toBeCloseTo(1000 / DAY_SECONDS, 9);
    expect(rateOf(hot!, MOVING.find)).toBeCloseTo(10 / DAY_SECONDS, 9);
    const [often] = containers("nearRealTime");
    expect(rateOf(often!, MOVING.find)).toBeCloseTo(96 / DAY_SECONDS, 9);
  });
});

test("an aggregate adds up in all containers together what it adds up in one", () => {
  const items = agedItemsOf(WORKLOAD);
  const cut = [30, 200, 500];
  const edges = [0, ...cut, 730];
  const parts = edges
    .slice(1)
    .map((toDays, at) =>
      slicedWorkload(WORKLOAD, items, [{ fromDays: edges[at]!, toDays }], spanDaysOf),
    );
  const maxOf = ({ workload }: { readonly workload: Workload }): number =>
    workload.operations.find(({ id }) => id === "analytics")?.matchesMax ?? 0;
  expect(parts.reduce((sum, part) => sum + maxOf(part), 0)).toBeCloseTo(100_000, 3);
});
