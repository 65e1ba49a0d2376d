/** What options say of data that ages, and what they are refused for. */
import { describe, expect, test } from "vitest";
import { agedItemsOf } from "../../../lab/lifecycle/ages.ts";
import { volumeOf } from "../../../lab/lifecycle/feedWorkload.ts";
import { BadOption } from "../../../server/surroundings/options.ts";
import type { FigureValues } from "./figureOptions.ts";
import { type KnownFigures, lifecycleSourceOf } from "./figureSource.ts";

const GB = 1024 ** 3;
const LITTLE: FigureValues = { volume: "20GB", "queries-per-second": "5" };

describe("figures of one's own", () => {
  test("two of volume, items a day and retention tell the third", () => {
    const keptBy = (values: FigureValues) => {
      const { workload } = lifecycleSourceOf({ "queries-per-second": "5", ...values });
      const { itemsPerDay, keptDays } = agedItemsOf(workload);
      return { itemsPerDay, keptDays, itemBytes: workload.item.bytes! };
    };
    const all = keptBy({ "items-per-day": "10 k", "item-size": "2KB", retention: "100 days" });
    expect(all).toEqual({ itemsPerDay: 10_000, keptDays: 100, itemBytes: 2048 });
    const bytes = volumeOf({ itemsPerDay: 10_000, retentionDays: 100, itemBytes: 2048 });
    const volume = `${bytes / GB} GB`;
    const byVolume = keptBy({ volume, "item-size": "2KB", retention: "100 days" });
    expect(byVolume.itemsPerDay).toBeCloseTo(10_000, 3);
    const byDay = keptBy({ volume, "item-size": "2KB", "items-per-day": "10000" });
    expect(byDay.keptDays).toBeCloseTo(100, 3);
  });

  test("settings are those of the guides unless told", () => {
    expect(lifecycleSourceOf(LITTLE).settings).toMatchObject({ hotDays: 30, ttlDays: 45 });
    const { settings } = lifecycleSourceOf({ ...LITTLE, "hot-age": "60 days", interval: "1 h" });
    expect(settings).toMatchObject({ hotDays: 60, ttlDays: 90, intervalDays: 1 / 24 });
  });

  test("analytics are asked for, and then at a rate", () => {
    const ids = (values: FigureValues) =>
      lifecycleSourceOf({ ...LITTLE, ...values }).workload.operations.map(({ id }) => id);
    expect(ids({})).not.toContain("analytics");
    expect(ids({ analytics: true })).toContain("analytics");
    const { wishes } = lifecycleSourceOf({ ...LITTLE, analytics: false });
    expect(wishes.needsAnalytics).toBe(false);
  });

  test.each<readonly [string, FigureValues]>([
    ["Say what there is", { "queries-per-second": "5" }],
    ["Say how many queries", { volume: "20GB" }],
    ["--volume is 'much'", { ...LITTLE, volume: "much" }],
    ["--volume is '0GB'", { ...LITTLE, volume: "0GB" }],
    ["--item-size is '3MB'", { ...LITTLE, "item-size": "3MB" }],
    ["--recent-share is '120%'", { ...LITTLE, "recent-share": "120%" }],
    ["--peak is '0.5'", { ...LITTLE, peak: "0.5" }],
    ["--queries-per-second is '-1'", { ...LITTLE, "queries-per-second": "-1" }],
    ["one too many", { ...LITTLE, "items-per-day": "5", retention: "1 year" }],
    ["with --analytics only", { ...LITTLE, "analytics-rate": "1/min" }],
    ["gone before they are moved", { ...LITTLE, "hot-age": "30 days", ttl: "30 days" }],
    ["--key is no key", { ...LITTLE, key: "month(" }],
    ["does not declare as a time", { ...LITTLE, "age-property": "/topic" }],
    ["exclude each other", { workload: "w.yaml", scenario: "feed" }],
    ["--volume says nothing beside a workload", { volume: "20GB", scenario: "feed" }],
    ["There is no scenario 'nonsense'", { scenario: "nonsense" }],
  ])("refuses: %s", (message, values) => {
    expect(() => lifecycleSourceOf(values)).toThrow(BadOption);
    expect(() => lifecycleSourceOf(values)).toThrow(message);
  });
});

test("a worked case brings its age property and its hybrid key", () => {
  const { agePath, candidate } = lifecycleSourceOf({ scenario: "feed" });
  expect(agePath).toBe("/publishedDate");
  expect(candidate.id).toBe("concat(/feedProviderId, '_', month(/publishedDate))");
});

test("a workload without a time cannot age", () => {
  expect(() => lifecycleSourceOf({ scenario: "catalogue" })).toThrow("--age-property");
});

describe("figures of a running container", () => {
  const KNOWN: KnownFigures = {
    itemCount: 100_000,
    itemBytes: 1000,
    itemsPerDay: 1000,
    queriesPerSecond: 3,
    remarks: ["As reported."],
  };

  test("tell how long items are kept, and say where they come from", () => {
    const { workload } = lifecycleSourceOf({}, KNOWN);
    const { itemsPerDay, keptDays } = agedItemsOf(workload);
    expect(itemsPerDay).toBeCloseTo(1000, 6);
    expect(keptDays).toBeCloseTo(100, 6);
    expect(workload.remarks).toContain("As reported.");
  });

  test("without a growth the items came over the retention", () => {
    const { workload } = lifecycleSourceOf(
      { retention: "50 days" },
      { ...KNOWN, itemsPerDay: undefined },
    );
    expect(agedItemsOf(workload).itemsPerDay).toBeCloseTo(2000, 6);
  });

  test.each<readonly [FigureValues, number, number]>([
    [{ "items-per-day": "500" }, 500, 200],
    [{ retention: "50 days" }, 1000, 50],
    [{ "items-per-day": "500", retention: "50 days" }, 500, 50],
  ])("with %j there are %d items a day, for %d days", (values, perDay, days) => {
    const { itemsPerDay, keptDays } = agedItemsOf(lifecycleSourceOf(values, KNOWN).workload);
    expect(itemsPerDay).toBeCloseTo(perDay, 6);
    expect(keptDays).toBeCloseTo(days, 6);
  });

  test("give way to options", () => {
    const { workload } = lifecycleSourceOf({ "queries-per-second": "10" }, KNOWN);
    const reads = workload.operations.filter(({ kind }) => kind === "query");
    expect(reads.reduce((sum, { ratePerSecond }) => sum + ratePerSecond, 0)).toBeCloseTo(10, 9);
  });
});
