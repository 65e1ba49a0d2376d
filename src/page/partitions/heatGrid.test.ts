/** Heat as it is drawn: turned, held against allotments, with gaps that stay gaps. */
import { describe, expect, test } from "vitest";
import type { HeatReport } from "../../protocol/admin.ts";
import { cellRows } from "./cellRows.ts";
import {
  cellAt,
  columnSums,
  cursorAfter,
  heatGridOf,
  heatSummary,
  lookOf,
  ownerOfRow,
  rowPlaceOf,
  sizeSummary,
  stretchText,
  warmestOf,
} from "./heatGrid.ts";
import { rowLabels } from "./heatLabels.ts";
import {
  pinIn,
  pinnedCell,
  pinText,
  SPANS,
  spanIn,
  zoomAfter,
  zoomIn,
  zoomText,
} from "./heatSpan.ts";
import { keyLineOf } from "./keyPlace.ts";
import { logical, partition } from "./sampleReport.fake.ts";

const TIMES = [0, 60_000, 120_000, 180_000];
const BOUNDS = ["", "10000000", "20000000", "30000000", "FF"];

function heat(metric: "ru" | "throttled", cells: HeatReport["cells"]): HeatReport {
  return { metric, times: TIMES, bounds: BOUNDS, cells };
}

/** Two physical partitions of 1,000 RU/s: 60,000 RU are all that one may spend in a minute. */
const TWO = [partition(0, 2), partition(1, 2)];
const PAIR = {
  ru: heat("ru", [
    [0, 6000, 0, 60_000],
    [null, null, null, null],
    [0, 0, 600, 30_000],
  ]),
  throttled: heat("throttled", [
    [0, 0, 0, 12],
    [null, null, null, null],
    [0, 0, 0, 0],
  ]),
};
const GRID = heatGridOf(PAIR, TWO);

describe("the grid", () => {
  test("keys are rows and times are columns", () => {
    expect([GRID.rowCount, GRID.columnCount]).toEqual([4, 3]);
    expect(GRID.cell(3, 0)).toEqual({ ru: 60_000, throttledCount: 12, share: 1 });
    expect(GRID.cell(1, 0)).toEqual({ ru: 6000, throttledCount: 0, share: 0.1 });
    expect(GRID.cell(1, 1)).toBeUndefined();
  });

  test.each([
    ["spent to the end of the allotment and refused", 3, 0, "share", 9, true],
    ["half of the allotment", 3, 2, "share", 5, false],
    ["a little is not nothing", 2, 2, "share", 1, false],
    ["nothing", 0, 0, "share", 0, false],
    ["nobody counted", 0, 1, "share", undefined, false],
    ["the most in view", 3, 0, "ru", 9, false],
    ["refused requests", 3, 0, "throttled", 9, false],
    ["none refused", 3, 2, "throttled", 0, false],
  ] as const)("%s", (_case, row, column, metric, step, isBeyond) => {
    expect(lookOf(GRID, row, column, metric)).toEqual({ step, isBeyond });
  });

  test("a row that covers several partitions is held against all of them", () => {
    const eight = Array.from({ length: 8 }, (_, index) => partition(index, 8));
    expect(heatGridOf(PAIR, eight).cell(3, 0)!.share).toBeCloseTo(0.5);
    expect(ownerOfRow(heatGridOf(PAIR, eight), 3)!.id).toBe("7");
  });

  test("boundaries lie between rows where the key space says so", () => {
    const line = keyLineOf(TWO);
    expect(rowPlaceOf(BOUNDS, "", line)).toBe(0);
    expect(rowPlaceOf(BOUNDS, "18000000", line)).toBe(1.5);
    expect(rowPlaceOf(BOUNDS, "FF", line)).toBe(4);
    expect(GRID.spans.map(({ from, to }) => [from, to])).toEqual([
      [0, 2],
      [2, 4],
    ]);
    const old = keyLineOf([
      { id: "0", min: "", max: "05C1A" },
      { id: "1", min: "05C1A", max: "FF" },
    ]);
    expect(rowPlaceOf(["", "05C10", "05C1F", "FF"], "05C1A", old)).toBe(1.5);
  });

  test("the table has every cell that is not simply nothing, and one row for a gap", () => {
    const rows = cellRows(GRID, "share");
    expect(rows.map(({ column, row, cell }) => [column, row, cell?.ru])).toEqual([
      [2, 2, 600],
      [2, 3, 30_000],
      [1, undefined, undefined],
      [0, 1, 6000],
      [0, 3, 60_000],
    ]);
    const drawn = rows.reduce((sum, { cell }) => sum + (cell?.ru ?? 0), 0);
    const sums = columnSums(GRID).reduce<number>((sum, each) => sum + (each ?? 0), 0);
    expect(drawn).toBe(sums);
    expect(columnSums(GRID)[1]).toBeUndefined();
  });

  test("is summed up in words", () => {
    expect(heatSummary(GRID, "last hour")).toBe(
      "In the last hour the keys from 75 % to 100 %, on partition 1, took 93 % of all RU. Nobody " +
        "counted in 1 of 3 spans.",
    );
    const none = [
      [null, null, null, null],
      [null, null, null, null],
      [null, null, null, null],
    ];
    const gap = { ru: heat("ru", none), throttled: heat("throttled", none) };
    expect(heatSummary(heatGridOf(gap, TWO), "last hour")).toBe("Nobody counted in the last hour.");
    const zero = none.map((row) => row.map(() => 0));
    const still = { ru: heat("ru", zero), throttled: heat("throttled", zero) };
    expect(heatSummary(heatGridOf(still, TWO), "last hour")).toBe(
      "Nothing was spent in the last hour.",
    );
    const even = none.map((row) => row.map(() => 5));
    const spread = { ru: heat("ru", even), throttled: heat("throttled", zero) };
    expect(heatSummary(heatGridOf(spread, TWO), "last hour")).toBe(
      "In the last hour the load was spread: none of 4 stretches of keys took more than 25 % of all RU.",
    );
  });
});

describe("the cursor", () => {
  test("is found by arithmetic, and stays inside", () => {
    expect(cellAt(GRID, 0.5, 0.9)).toEqual({ row: 3, column: 1 });
    expect(cellAt(GRID, 1, -1)).toEqual({ row: 0, column: 2 });
    expect(cursorAfter("ArrowUp", { row: 0, column: 0 }, GRID)).toEqual({ row: 0, column: 0 });
    expect(cursorAfter("PageDown", { row: 0, column: 0 }, GRID)).toEqual({ row: 3, column: 0 });
    expect(cursorAfter("End", { row: 1, column: 0 }, GRID)).toEqual({ row: 1, column: 2 });
    expect(cursorAfter("x", { row: 1, column: 0 }, GRID)).toBeUndefined();
  });

  test("begins where most is", () => {
    expect(warmestOf(GRID, "share")).toEqual({ row: 3, column: 0 });
    expect(stretchText(GRID, 3)).toBe("75 % to 100 %");
  });
});

test("names stand at their rows, the heaviest first, none over another", () => {
  const keys = [
    logical("d", "1", { epk: "3100" }),
    logical("e", "1", { epk: "3200" }),
    logical("a", "0", { epk: "0100" }),
  ];
  expect(rowLabels(GRID, keys, 0.1)).toEqual([
    { text: '"d"', place: 0.875 },
    { text: '"a"', place: 0.125 },
  ]);
});

describe("times in the address", () => {
  test("a zoom is read as it is written", () => {
    expect(zoomIn(zoomText({ from: 5, to: 9 }))).toEqual({ from: 5, to: 9 });
    for (const text of ["", "9-5", "a-b", "5"]) expect(zoomIn(text)).toBeUndefined();
    expect(spanIn("nonsense").id).toBe("1h");
  });

  test("zooming keeps the time under the cursor where it is", () => {
    const hour = { from: 0, to: 3_600_000 };
    expect(zoomAfter("in", hour, 900_000, SPANS[0])).toEqual({ from: 450_000, to: 2_250_000 });
    expect(zoomAfter("out", { from: 450_000, to: 2_250_000 }, 0, SPANS[0])).toBeUndefined();
    expect(zoomAfter("reset", hour, 0, SPANS[0])).toBeUndefined();
    const least = zoomAfter("in", { from: 0, to: 600_000 }, 0, SPANS[0])!;
    expect(least.to - least.from).toBe(600_000);
  });

  test("a pin is a cell as long as it is in view", () => {
    const pin = pinIn(pinText({ at: 60_000, epk: "20000000" }));
    expect(pinnedCell(pin, GRID)).toEqual({ row: 2, column: 1 });
    expect(pinnedCell(pinIn("60000-"), GRID)).toEqual({ row: 0, column: 1 });
    expect(pinnedCell(pinIn("180000-20"), GRID)).toBeUndefined();
    expect(pinnedCell(pinIn("x"), GRID)).toBeUndefined();
  });
});

describe("sizes", () => {
  const slot = (itemBytes: number) => ({
    ru: 0,
    requestCount: 0,
    throttledCount: 0,
    normalizedPercent: 0,
    itemBytes,
  });
  const [first, second] = TWO;
  const sizes = {
    times: [0, 60_000, 120_000],
    partitions: [
      { id: first!.id, min: first!.min, max: first!.max, slots: [null, slot(500), slot(1024)] },
      { id: second!.id, min: second!.min, max: second!.max, slots: [slot(100), null, slot(200)] },
    ],
  };
  const grid = heatGridOf({ ...PAIR, sizes }, TWO);

  test("all stretches of a physical partition have its size, relative to the largest", () => {
    expect(grid.most.bytes).toBe(1024);
    expect([0, 2].map((column) => grid.cell(0, column)?.bytes)).toEqual([undefined, 1024]);
    expect(grid.cell(3, 2)?.bytes).toBe(200);
    expect(lookOf(grid, 0, 0, "bytes").step).toBeUndefined();
    expect(lookOf(grid, 0, 2, "bytes").step).toBe(9);
    expect(lookOf(grid, 3, 2, "bytes").isBeyond).toBe(false);
  });

  test("are said of the largest, and listed for every cell", () => {
    expect(sizeSummary(grid)).toBe(
      `Partition ${first!.id} is the largest with 1 KB, as large as when counting began in the time shown.`,
    );
    expect(sizeSummary(GRID)).toBe("Nobody counted sizes in the time shown.");
    expect(cellRows(grid, "bytes")).toHaveLength(4 + 1 + 4);
  });
});
