/**
 * Workloads from diagnostic logs. The rows are made from known rates, so what comes out can be
 * compared with what went in; then every form in which rows are exported, and the bounds.
 */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../json/value.ts";
import { printWorkload } from "../workload/printWorkload.ts";
import type { Workload } from "../workload/workload.ts";
import { readWorkload } from "../workload/workloadText.ts";
import { DiagnosticLogs } from "./diagnosticLogs.ts";
import { KeyShares } from "./keyShares.ts";
import { logRowOf } from "./logRow.ts";
import { QueryTexts } from "./queryTexts.ts";

const MIDNIGHT = Date.UTC(2026, 4, 1);
const HOUR = 3_600_000;
const iso = (at: number): string => new Date(at).toISOString();

interface RequestParts {
  readonly at: number;
  readonly operation: string;
  readonly charge: number;
  readonly status?: number;
  readonly activityId?: string;
  readonly bytes?: number;
  readonly container?: string;
}

/** As Azure Monitor puts it into storage: numbers are texts. */
function request({
  at,
  operation,
  charge,
  status = 200,
  container = "c",
  ...rest
}: RequestParts): JsonObject {
  return {
    time: iso(at),
    resourceId: "/SUBSCRIPTIONS/X",
    category: "DataPlaneRequests",
    operationName: operation,
    properties: {
      activityId: rest.activityId ?? "",
      requestResourceType: "Document",
      statusCode: String(status),
      requestCharge: String(charge),
      requestLength: String(rest.bytes ?? 0),
      databaseName: "db",
      collectionName: container,
    },
  };
}

/** As a row of its own table in Log Analytics. */
function text(at: number, activityId: string, sql: string, queryId?: string): JsonObject {
  return {
    TimeGenerated: iso(at),
    Type: "CDBQueryRuntimeStatistics",
    DatabaseName: "db",
    CollectionName: "c",
    ActivityId: activityId,
    QueryText: JSON.stringify({ query: sql, parameters: [] }),
    ...(queryId === undefined ? {} : { CorrelatedActivityId: queryId }),
  };
}

function keyed(
  at: number,
  key: readonly unknown[],
  charge: number,
  operation = "Read",
): JsonObject {
  return {
    TimeGenerated: iso(at),
    Type: "CDBPartitionKeyRUConsumption",
    DatabaseName: "db",
    CollectionName: "c",
    OperationName: operation,
    PartitionKey: JSON.stringify(key),
    RequestCharge: charge,
  };
}

function workloadOf(rows: Iterable<JsonObject>, options = {}): Workload {
  const logs = new DiagnosticLogs(options);
  for (const row of rows) logs.add(row);
  return logs.result();
}

describe("rates", () => {
  test("two days and a half: means over the day, hour by hour", () => {
    const rows: JsonObject[] = [];
    for (let hour = 0; hour < 60; hour++) {
      const isBusy = hour % 24 === 9;
      // Every half minute, and ten times as often at nine.
      for (let second = 0; second < 3600; second += isBusy ? 3 : 30) {
        const at = MIDNIGHT + hour * HOUR + second * 1000;
        rows.push(request({ at, operation: "Read", charge: 1.5 }));
        if (second % 300 === 0) {
          rows.push(request({ at, operation: "Create", charge: 7, status: 201, bytes: 900 }));
        }
      }
    }
    const { operations, growth, item, remarks } = workloadOf(rows);
    const read = operations.find(({ kind }) => kind === "pointRead")!;
    expect(read.ratePerSecond).toBeCloseTo((23 * 120 + 1200) / 86_400, 3);
    expect(read.ru).toBe(1.5);
    expect(read.hours!.at(9)! / read.hours!.at(8)!).toBeCloseTo(10, 1);
    expect(growth.hours?.indexOf(Math.max(...growth.hours))).toBe(9);
    expect(growth.itemsPerDay).toBeCloseTo(12 * 24, -1);
    expect(growth.peakFactor).toBeGreaterThan(5);
    expect(item.bytes).toBe(900);
    expect(operations.map(({ id }) => id)).toEqual(["create", "pointRead"]);
    expect(remarks.some((remark) => remark.startsWith("The logs cover"))).toBe(false);
  });

  test("less than a day has no hours, and says so", () => {
    const rows = Array.from({ length: 601 }, (_, at) =>
      request({
        at: MIDNIGHT + at * 1000,
        operation: "Upsert",
        charge: 9,
        status: at % 2 === 0 ? 201 : 200,
      }),
    );
    const { operations, growth, remarks } = workloadOf(rows);
    expect(operations[0]).toMatchObject({ kind: "upsert", hours: undefined, ru: 9 });
    expect(operations[0]!.ratePerSecond).toBeCloseTo(1, 2);
    // Half of them made an item.
    expect(growth.itemsPerDay).toBeCloseTo(43_200, -3);
    expect(remarks).toContain(
      "The logs cover 0.167 hours, not a whole day; their rates were taken for means over the day.",
    );
  });

  test("attempts and what is no operation are not counted", () => {
    const at = MIDNIGHT;
    const { operations, remarks } = workloadOf([
      request({ at, operation: "Read", charge: 1 }),
      request({ at: at + 10_000, operation: "Read", charge: 1 }),
      request({ at, operation: "Read", charge: 0, status: 429 }),
      request({ at, operation: "Read", charge: 0, status: 503 }),
      request({ at, operation: "ReadFeed", charge: 5 }),
      {
        ...request({ at, operation: "Read", charge: 1 }),
        properties: {
          requestResourceType: "Collection",
          requestCharge: 1,
          databaseName: "db",
          collectionName: "c",
        },
      },
      { time: iso(at), category: "ControlPlaneRequests", properties: {} },
      { nothing: "of this" },
    ]);
    expect(operations).toHaveLength(1);
    expect(operations[0]!.ratePerSecond).toBeCloseTo(0.2, 6);
    const all = remarks.join("\n");
    expect(all).toContain("1 throttled requests were not counted.");
    expect(all).toContain("1 requests that failed with 5xx were not counted.");
    expect(all).toContain("left out: ReadFeed (1), Read of collection (1).");
    expect(all).toContain("1 of 8 rows could not be understood.");
    expect(all).toContain("1 rows are of logs that say nothing about a workload.");
  });

  test("aggregated rows count for as many as they stand for", () => {
    const row = (minute: number): JsonObject => ({
      TimeGenerated: iso(MIDNIGHT + minute * 60_000),
      Type: "CDBDataPlaneRequests5M",
      OperationName: "Read",
      StatusCode: 200,
      AvgRequestCharge: 2,
      SampleCount: 300,
      DatabaseName: "db",
      CollectionName: "c",
    });
    const { operations } = workloadOf([row(0), row(5), row(10)]);
    expect(operations[0]).toMatchObject({ kind: "pointRead", ratePerSecond: 1.5, ru: 2 });
  });
});

describe("queries", () => {
  const SQL = "SELECT * FROM c WHERE c.a = @p";
  const OTHER = "SELECT VALUE COUNT(1) FROM c";

  test("requests and texts find each other in any order", () => {
    const rows: JsonObject[] = [];
    for (let at = 0; at < 100; at++) {
      const pair = [
        request({
          at: MIDNIGHT + at * 1000,
          operation: "Query",
          charge: at % 2 === 0 ? 3 : 20,
          activityId: `a${at}`,
        }),
        text(MIDNIGHT + at * 1000, `a${at}`, at % 2 === 0 ? SQL : OTHER),
      ];
      rows.push(...(at % 3 === 0 ? pair.reverse() : pair));
    }
    rows.push(request({ at: MIDNIGHT, operation: "SqlQuery", charge: 8, activityId: "lost" }));
    const { operations } = workloadOf(rows);
    expect(operations.map(({ id, sql, ru }) => [id, sql, ru])).toEqual([
      ["query-1", OTHER, 20],
      ["query-2", SQL, 3],
      ["query-without-text", "SELECT * FROM c", 8],
    ]);
    expect(operations[0]!.ratePerSecond).toBeCloseTo(50 / 99, 4);
  });

  test("pages and partitions of one query are one, where the logs tell", () => {
    const rows: JsonObject[] = [];
    for (let at = 0; at < 40; at++) {
      rows.push(
        request({ at: MIDNIGHT + at * 1000, operation: "Query", charge: 3, activityId: `a${at}` }),
      );
      rows.push(text(MIDNIGHT + at * 1000, `a${at}`, SQL, `q${Math.floor(at / 4)}`));
    }
    const { operations, remarks } = workloadOf(rows);
    expect(operations[0]!.ratePerSecond).toBeCloseTo(10 / 39, 4);
    expect(operations[0]).toMatchObject({ ru: 12, ruPartitions: 4 });
    expect(remarks.join()).not.toContain("once for each page");
  });

  test("texts with values in them become one when there are many", () => {
    const rows: JsonObject[] = [];
    for (let at = 0; at < 500; at++) {
      rows.push(text(MIDNIGHT + at * 1000, `a${at}`, `SELECT * FROM c WHERE c.id = 'item-${at}'`));
    }
    const { operations, remarks } = workloadOf(rows);
    expect(operations.map(({ sql }) => sql)).toEqual(["SELECT *\nFROM c\nWHERE (c.id = @value1)"]);
    expect(operations[0]!.ru).toBe(undefined);
    expect(remarks).toContain("Texts of queries that differ in values only were counted as one.");
  });

  test("a text that cannot be read is shown, and counts as a query without filter", () => {
    const { operations, remarks } = workloadOf([
      text(MIDNIGHT, "a", "SELECT * FROM c WHERE ***"),
      text(MIDNIGHT + 5000, "b", "SELECT * FROM c WHERE ***"),
    ]);
    expect(operations.map(({ id }) => id)).toEqual(["query-without-text"]);
    expect(remarks.join("\n")).toContain("WHERE ***");
  });

  test("what never finds its other half is counted when it has to leave", () => {
    const texts = new QueryTexts(100);
    const base = { at: MIDNIGHT, container: "db/c" };
    for (let at = 0; at < 1000; at++) {
      texts.addRequest({
        ...base,
        kind: "request",
        operation: "query",
        operationName: "Query",
        status: 200,
        charge: 2,
        requestBytes: undefined,
        activityId: `r${at}`,
        count: 1,
      });
      texts.addText({ ...base, kind: "text", sql: SQL, activityId: `t${at}`, queryId: `q${at}` });
    }
    // All but those that may still be waiting.
    expect(texts.withoutText.count).toBeGreaterThanOrEqual(900);
    const tally = texts.close().get(SQL)!;
    expect([tally.count, tally.meanCharge, tally.queryCount]).toEqual([1000, undefined, 1000]);
    expect([texts.withoutText.count, texts.withoutText.meanCharge]).toEqual([1000, 2]);
  });
});

describe("keys", () => {
  test("shares of requests and of creations, level by level", () => {
    const rows: JsonObject[] = [request({ at: MIDNIGHT, operation: "Read", charge: 1 })];
    for (let at = 0; at < 1000; at++) {
      const tenant = at % 10 < 6 ? "A" : at % 10 < 9 ? "B" : "C";
      rows.push(keyed(MIDNIGHT + at * 1000, [tenant, `u${at % 50}`], 2));
      if (tenant === "C") rows.push(keyed(MIDNIGHT + at * 1000, [tenant, "u1"], 10, "Create"));
    }
    const { properties } = workloadOf(rows, { keyPaths: ["/tenantId", "/userId"] });
    expect([...properties.keys()]).toEqual(["/tenantId", "/userId"]);
    const tenant = properties.get("/tenantId")!;
    expect(tenant.distinct).toBe(3);
    expect(tenant.items).toEqual({ kind: "shares", shares: new Map([["C", 1]]) });
    expect(tenant.requests).toEqual({
      kind: "shares",
      shares: new Map([
        ["A", 0.4],
        ["C", 0.4],
        ["B", 0.2],
      ]),
    });
    expect(properties.get("/userId")).toMatchObject({ distinct: 50, within: "/tenantId" });
  });

  test("without its path a key has a name of ours", () => {
    const { properties, remarks } = workloadOf([keyed(MIDNIGHT, ["A"], 1)]);
    expect([...properties.keys()]).toEqual(["/partitionKey"]);
    expect(remarks).toContain(
      "Logs do not name the path of the partition key; it is called /partitionKey here.",
    );
  });

  test("a bounded number of counters tells the heavy ones within its error", () => {
    const shares = new KeyShares();
    const total = 200_000;
    // One in five is heavy; all others are different.
    for (let at = 0; at < total; at++) shares.add(at % 5 === 0 ? `h${at % 20}` : `rare${at}`, 1);
    const heaviest = [...shares.heaviest(4)];
    expect(heaviest.map(([key]) => key).sort()).toEqual(["h0", "h10", "h15", "h5"]);
    expect(shares.errorShare).toBeLessThan(1 / 1024);
    for (const [, share] of heaviest) {
      expect(share).toBeLessThanOrEqual(0.05);
      expect(share).toBeGreaterThanOrEqual(0.05 - shares.errorShare - 1e-9);
    }
    const distinct = total * 0.8 + 4;
    expect(Math.abs(shares.distinct - distinct) / distinct).toBeLessThan(0.1);
  });
});

describe("forms of rows", () => {
  test.each([
    ["storage", request({ at: MIDNIGHT, operation: "Read", charge: 1 })],
    [
      "properties as text",
      {
        time: iso(MIDNIGHT),
        category: "DataPlaneRequests",
        operationName: "Read",
        properties:
          '{"requestCharge":"1","statusCode":"200","databaseName":"db","collectionName":"c"}',
      },
    ],
    [
      "the table for everything",
      {
        TimeGenerated: iso(MIDNIGHT),
        Category: "DataPlaneRequests",
        OperationName: "Read",
        requestCharge_s: "1",
        statusCode_s: "200",
        databaseName_s: "db",
        collectionName_s: "c",
        activityId_g: "",
      },
    ],
    [
      "cells of the portal's CSV",
      {
        "TimeGenerated [UTC]": "5/1/2026, 12:00:00.000 AM",
        OperationName: "Read",
        StatusCode: "200",
        RequestCharge: "1",
        DatabaseName: "db",
        CollectionName: "c",
      },
    ],
  ])("%s", (_, row) => {
    expect(logRowOf(row as JsonObject)).toMatchObject({
      kind: "request",
      at: MIDNIGHT,
      container: "db/c",
      operation: "pointRead",
      charge: 1,
      status: 200,
      count: 1,
    });
  });

  test.each([
    [{}],
    [{ time: "yesterday", category: "DataPlaneRequests", operationName: "Read" }],
    [{ time: iso(0), category: "DataPlaneRequests" }],
    [
      {
        time: iso(0),
        category: "PartitionKeyRUConsumption",
        properties: { partitionKey: "A", requestCharge: 1 },
      },
    ],
    [{ time: iso(0), category: null, properties: null }],
  ])("no row: %j", (row) => {
    expect(logRowOf(row as JsonObject)).toBe(undefined);
  });
});

test("the busiest container is taken, or the one that was asked for", () => {
  const rows = [
    ...Array.from({ length: 9 }, (_, at) =>
      request({ at: MIDNIGHT + at, operation: "Read", charge: 1, container: "busy" }),
    ),
    request({ at: MIDNIGHT, operation: "Delete", charge: 6, container: "quiet" }),
  ];
  const busiest = workloadOf(rows);
  expect(busiest.name).toBe("busy");
  expect(busiest.remarks).toContain("The logs hold other containers too: db/quiet (1).");
  expect(workloadOf(rows, { container: "db/quiet" }).operations.map(({ kind }) => kind)).toEqual([
    "delete",
  ]);
});

test("what comes out can be written and read again", () => {
  const rows: JsonObject[] = [
    keyed(MIDNIGHT, ["A", 1], 1),
    keyed(MIDNIGHT, ["B", null], 1, "Create"),
  ];
  for (let at = 0; at < 2000; at++) {
    const sql = `SELECT * FROM c WHERE c["odd: name"] = @p AND c.n = ${at % 7}`;
    rows.push(
      request({
        at: MIDNIGHT + at * 60_000,
        operation: "Query",
        charge: 2.7654321,
        activityId: `a${at}`,
      }),
    );
    rows.push(text(MIDNIGHT + at * 60_000, `a${at}`, sql));
    rows.push(
      request({
        at: MIDNIGHT + at * 60_000,
        operation: "Create",
        charge: 7.5,
        status: 201,
        bytes: 700,
      }),
    );
  }
  const workload = workloadOf(rows);
  const again = readWorkload(printWorkload(workload), "yaml", "logs.yaml");
  expect(again).toEqual({ ok: true, value: workload });
});
