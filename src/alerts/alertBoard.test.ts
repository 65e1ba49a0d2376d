/** The board over time: what is raised, cleared, forgotten and remembered. */
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../json/value.ts";
import { AlertBoard, type AlertEvent } from "./alertBoard.ts";
import { parseAlertSettings } from "./alertSettings.ts";
import { CONTAINER_RULES } from "./rules/catalogue.ts";
import { GIB, type Sample, sampleReport } from "./sampleReports.fake.ts";

const HOT: Sample = {
  partitions: [{ usePercent: 95 }, { usePercent: 5 }, { usePercent: 5 }],
  topByLoad: [{ key: "tenant-17", ru: 0.9 * 0.95 * 6000 * 300 }],
};
const EVEN: Sample = { partitions: [{ usePercent: 30 }, { usePercent: 30 }, { usePercent: 30 }] };
const FULL: Sample = { topBySize: [{ key: "a", itemBytes: 18 * GIB }] };

describe("a hot partition over time", () => {
  test("it is pending, raised with its evidence, and cleared when load is even again", () => {
    const board = boardOf({});
    expect(board.observe(sampleReport(HOT), 0)).toEqual([]);
    expect(stateOf(board, "hotPartition")).toBe("pending");
    const raised = board.observe(sampleReport(HOT), 60_000);
    expect(raised.map(briefly)).toEqual(["raised hotPartition warning"]);
    expect(raised[0]).toMatchObject({
      at: 60_000,
      alert: {
        id: "hotPartition:AAAA",
        scope: { kind: "container", database: "shop", container: "orders", rid: "AAAA" },
        state: "firing",
        since: 60_000,
        evidence: {
          window: "lastFiveMinutes",
          at: 60_000,
          partitionIds: ["0"],
          partitionKeys: [["tenant-17"]],
          thresholds: { sharePercent: 80 },
        },
      },
    });
    expect(board.observe(sampleReport(EVEN), 70_000)).toEqual([]);
    const cleared = board.observe(sampleReport(EVEN), 130_000);
    expect(cleared.map(briefly)).toEqual(["cleared hotPartition"]);
    expect(cleared[0]?.alert).toMatchObject({ state: "normal", todo: [] });
    expect(cleared[0]?.alert.says).toContain("33.3 %");
    expect(board.history()).toEqual([...cleared, ...raised]);
  });

  test("it is cleared when nobody asks for anything any more, and is then noData", () => {
    const board = boardOf({ hotPartition: { forSeconds: 0, clearSeconds: 0 } });
    board.observe(sampleReport(HOT), 0);
    const cleared = board.observe(sampleReport({}), 10_000);
    expect(cleared.map(briefly)).toEqual(["cleared hotPartition"]);
    expect(cleared[0]?.alert.state).toBe("noData");
  });

  test("every alert is a value that JSON can hold", () => {
    const board = boardOf({});
    const events = board.observe(sampleReport({ ...HOT, ...FULL }), 0);
    const alerts = board.alerts();
    expect(JSON.parse(JSON.stringify({ alerts, events }))).toEqual({ alerts, events });
  });
});

describe("containers", () => {
  test("each has alerts of its own", () => {
    const board = boardOf({});
    board.observe(sampleReport({ ...FULL, rid: "one" }), 0);
    board.observe(sampleReport({ ...EVEN, rid: "two" }), 0);
    const firing = board.alerts().filter(({ state }) => state === "firing");
    expect(firing.map(({ id }) => id)).toEqual(["largeLogicalPartition:one"]);
    expect(board.alerts()).toHaveLength(2 * CONTAINER_RULES.length);
  });

  test("one that is deleted clears its alerts and is forgotten", () => {
    const board = boardOf({});
    board.observe(sampleReport({ ...FULL, rid: "one" }), 0);
    board.observe(sampleReport({ ...FULL, rid: "two" }), 0);
    board.observeServer({}, 0);
    const events = board.keepOnly(new Set(["two"]), 5);
    expect(events.map(briefly)).toEqual(["cleared largeLogicalPartition"]);
    expect(events[0]?.alert).toMatchObject({
      says: "The container was deleted.",
      scope: { rid: "one" },
    });
    expect(board.alerts().some(({ scope }) => scope.kind === "server")).toBe(true);
    expect(board.alerts().some(({ id }) => id.endsWith(":one"))).toBe(false);
    expect(board.keepOnly(new Set(["two"]), 6)).toEqual([]);
  });
});

describe("the server", () => {
  test("its disk is watched", () => {
    const board = boardOf({ diskSpace: { forSeconds: 0 } });
    const disk = { freeBytes: GIB / 2, totalBytes: 100 * GIB };
    expect(board.observeServer({ disk }, 0).map(briefly)).toEqual(["raised diskSpace critical"]);
    expect(board.alerts()[0]).toMatchObject({ id: "diskSpace:server", scope: { kind: "server" } });
  });
});

describe("jobs", () => {
  test("one that stands still from report to report is told", () => {
    const board = boardOf({ jobStalled: { unchangedSeconds: 20 } });
    const usual = {
      kind: "split",
      reason: "storage",
      state: "copying",
      partitionIds: ["0"],
    } as const;
    const report = (copiedCount: number, at: number) =>
      sampleReport({ jobs: [{ ...usual, copiedCount, totalCount: 9 }], at });
    expect(board.observe(report(1, 0), 0)).toEqual([]);
    expect(board.observe(report(2, 10_000), 10_000)).toEqual([]);
    expect(board.observe(report(2, 20_000), 20_000)).toEqual([]);
    expect(board.observe(report(2, 30_000), 30_000).map(briefly)).toEqual([
      "raised jobStalled warning",
    ]);
    expect(board.observe(report(3, 40_000), 40_000).map(briefly)).toEqual(["cleared jobStalled"]);
  });
});

describe("the list and the history", () => {
  test("firing comes first, the most severe before; then pending, noData and normal", () => {
    const board = boardOf({});
    const partitions = [{ usePercent: 95, itemBytes: 31 * GIB }, { usePercent: 5 }];
    board.observe(sampleReport({ ...FULL, partitions }), 0);
    const order = board.alerts().map(({ state, severity = "" }) => `${state} ${severity}`.trim());
    const firstOfEach = [...new Set(order.filter((name) => !name.startsWith("pending")))];
    expect(firstOfEach).toEqual(["firing critical", "firing info", "noData", "normal"]);
    expect(order.findLastIndex((name) => name.startsWith("pending"))).toBeLessThan(
      order.indexOf("noData"),
    );
  });

  test("a rule that is switched off is neither asked nor listed", () => {
    const board = boardOf({ largeLogicalPartition: { enabled: false } });
    expect(board.observe(sampleReport(FULL), 0)).toEqual([]);
    expect(stateOf(board, "largeLogicalPartition")).toBeUndefined();
  });

  test("the history is bounded, and keeps the newest", () => {
    const settings = { largeLogicalPartition: { clearSeconds: 0 } };
    const board = boardOf(settings, 5);
    for (let at = 0; at < 12; at += 1) {
      board.observe(sampleReport(at % 2 === 0 ? FULL : { figures: { itemCount: 0 } }), at * 1000);
    }
    expect(board.history().map(({ at }) => at)).toEqual([11_000, 10_000, 9000, 8000, 7000]);
  });

  test("it is settled when the same evidence would change nothing", () => {
    const board = boardOf({});
    board.observe(sampleReport({}), 0);
    expect(board.isSettled()).toBe(true);
    board.observe(sampleReport(HOT), 10_000);
    expect(board.isSettled()).toBe(false);
  });
});

function boardOf(json: JsonValue, historyCountMax = 500): AlertBoard {
  const parsed = parseAlertSettings(json);
  if (!parsed.ok) throw new Error(parsed.error.join());
  return new AlertBoard({ settings: parsed.value, gapMaxMs: 60_000, historyCountMax });
}

function stateOf(board: AlertBoard, rule: string): string | undefined {
  return board.alerts().find((alert) => alert.rule === rule)?.state;
}

function briefly({ event, alert }: AlertEvent): string {
  return `${event} ${alert.rule} ${alert.severity ?? ""}`.trim();
}
