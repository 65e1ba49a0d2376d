/**
 * The performance table: predicted beside measured, on one physical partition and on several. The
 * partitions that are hit are predicted exactly. Of request units a prediction may be off by five
 * percent: it knows how many articles are declared, not which ones there are.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FeedVolume, generateItems } from "../generate.ts";
import { loadItems } from "../load.ts";
import { setUpFeeds } from "../setUp.ts";
import { noWait, openStage, type Stage } from "../stage.fake.ts";
import { measureTable, predictTable, type TableRow, tableText } from "./table.ts";

const OFF_MAX = 0.05;

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

interface Case {
  readonly volume: FeedVolume;
  readonly rateMax: number;
  readonly providerId: string;
}

const CASES: Readonly<Record<string, Case>> = {
  "one physical partition, late in a month": {
    volume: volumeOf("2026-03-01", "2026-06-20T12:00:00Z", { itemsPerDay: 10, itemBytes: 1500 }),
    rateMax: 4000,
    providerId: "meridian-wire",
  },
  "several, early in a month": {
    volume: volumeOf("2026-01-01", "2026-05-04T06:00:00Z", { itemsPerDay: 8, itemBytes: 3000 }),
    rateMax: 40_000,
    providerId: "northgate",
  },
};

function volumeOf(
  from: string,
  to: string,
  others: Pick<FeedVolume, "itemsPerDay" | "itemBytes">,
): FeedVolume {
  return { from: new Date(from), to: new Date(to), seed: 5, ...others };
}

describe.each(Object.entries(CASES))("on %s", (name, setting) => {
  let rows: readonly TableRow[];
  beforeAll(async () => {
    const { rateMax, volume } = setting;
    const id = name.replaceAll(/\W/g, "-");
    const container = await setUpFeeds(stage.database, { id, rateMax });
    await loadItems(container, generateItems(volume), { wait: noWait });
    rows = await measureTable(container, predictTable(setting));
  });

  test("partitions are predicted exactly", () => {
    const hitBy = ({ logicalPartitions, physicalPartitions }: TableRow["predicted"]): string =>
      `${logicalPartitions} in ${physicalPartitions}`;
    expect(rows.map(({ id, predicted }) => [id, hitBy(predicted)])).toEqual(
      rows.map(({ id, measured }) => [id, hitBy(measured)]),
    );
  });

  test("request units are predicted to five percent", () => {
    const off = rows.filter(
      ({ predicted, measured }) => Math.abs(predicted.ru - measured.ru) > OFF_MAX * measured.ru,
    );
    expect(off.map(({ id, predicted, measured }) => [id, predicted.ru, measured.ru])).toEqual([]);
  });

  test("as many partitions are hit as the guide says", () => {
    expect(rows.map(({ id, verdict }) => [id, verdict.partitions])).toEqual(
      rows.map(({ id }) => [id, "within"]),
    );
  });

  test("the composite index makes the same answer cheaper", () => {
    const rowOf = (id: string): TableRow => rows.find((row) => row.id === id)!;
    for (const id of ["recent", "provider"]) {
      const [plain, indexed] = [rowOf(id), rowOf(`${id}-indexed`)];
      expect(indexed.measured.rowCount).toBe(plain.measured.rowCount);
      expect(indexed.measured.ru).toBeLessThan(plain.measured.ru);
    }
  });
});

test("a row says what the guide says, what was predicted, what was measured, and the verdict", () => {
  const row: TableRow = {
    id: "recent",
    name: "Recent feeds",
    guide: { partitions: { min: 1, max: 2 }, ru: { min: 200 } },
    predicted: { logicalPartitions: 2, physicalPartitions: 1, ru: 110 },
    measured: { logicalPartitions: 3, physicalPartitions: 2, ru: 100, rowCount: 4, pageCount: 5 },
    verdict: { partitions: "above", ru: "below" },
  };
  const [, , line] = tableText([row], undefined).split("\n");
  expect(line?.split(/ {2,}/)).toEqual([
    "Recent feeds",
    "1-2",
    "2 in 1",
    "3 in 2",
    "200+",
    "110.00",
    "100.00",
    "+10.0 %",
    "4",
    "5",
    "above, below",
  ]);
});
