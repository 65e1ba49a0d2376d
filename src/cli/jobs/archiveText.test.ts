/** Archives and restores in words. */
import { describe, expect, test } from "vitest";
import type { ArchiveJobEntry } from "../../model/archiveJob.ts";
import type { Section } from "../terminal/liveTable.ts";
import { archiveLine, archiveRow, findings, inTime, planSections } from "./archiveText.ts";

const PROGRESS = {
  itemCount: 200,
  readCount: 200,
  partitionCount: 2,
  archivedCount: 120,
  rawBytes: 40_000,
  storedBytes: 3000,
  provenCount: 120,
  deletedCount: 120,
  changedCount: 0,
  newCount: 0,
  restoredCount: 0,
  presentCount: 0,
  replacedCount: 0,
  itemsPerSecond: 0,
  readRu: 10,
  writeRu: 10,
};

const ARCHIVE: ArchiveJobEntry = {
  id: "1-a1",
  kind: "archive",
  state: "archived",
  database: "news",
  container: "feeds",
  folder: "winter",
  startedAt: 0,
  asked: {},
  progress: PROGRESS,
  throttle: { sharePercent: 50, effectivePercent: 50, bound: "nothing" },
  events: [],
  nextSteps: [],
};

function linesOf(sections: readonly Section[]): string {
  return sections.flatMap((one) => (one.kind === "lines" ? one.lines : [])).join("\n");
}

test("an archive that is complete is done to the last percent", () => {
  expect(archiveRow(ARCHIVE).cells["done %"]).toBe("100");
  expect(archiveRow({ ...ARCHIVE, state: "kept" }).cells["done %"]).toBe("100");
  expect(archiveRow({ ...ARCHIVE, state: "cancelled" }).cells["done %"]).toBe("");
});

test("one conflict is one", () => {
  const restore = { ...ARCHIVE, kind: "restore", state: "restored" } as const;
  const progress = { ...PROGRESS, itemCount: 3, restoredCount: 2 };
  const conflicts = { count: 1, examples: [] };
  expect(archiveLine({ ...restore, progress, conflicts })).toContain("written, 1 conflict, ");
  expect(archiveLine({ ...restore, progress, conflicts: { count: 2, examples: [] } })).toContain(
    "2 conflicts",
  );
});

test("logical partitions are told in the order of time, whatever their hashes", () => {
  const months = ["2024-10", "2024-09", "2024-11"].map((month) => {
    return { key: [month], itemCount: 1, itemBytes: 9, dateMin: Date.parse(`${month}-01`) };
  });
  const plan = { partitionCount: 3, itemCount: 3, itemBytes: 27, partitions: months };
  const table = planSections({ ...plan, price: { readRu: 1, deleteRu: 1 } }).find(
    (one) => one.kind === "table",
  );
  expect(table?.rows.map(({ cells }) => cells["key"])).toEqual([
    '["2024-09"]',
    '["2024-10"]',
    '["2024-11"]',
  ]);
  const undated = inTime([{ key: ["b"] }, { key: ["a"] }], () => undefined);
  expect(undated.map(({ key }) => key[0])).toEqual(["a", "b"]);
});

describe("what was left out", () => {
  const left = (youngCount: number, undatedCount: number): string =>
    linesOf(findings({ ...ARCHIVE, leftOut: { youngCount, undatedCount, examples: [] } }));

  test("is told where there is any", () => {
    expect(left(0, 0)).toBe("");
    expect(left(1, 0)).toContain("1 logical partition with an item that is not old enough.");
    expect(left(1, 0)).not.toContain("without a date");
    expect(left(2, 1)).toContain("2 logical partitions with an item that is not old enough.");
    expect(left(2, 1)).toContain("1 logical partition with an item without a date.");
  });
});
