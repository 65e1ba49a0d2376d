/** A file in the words of other tools is read as it is, and means what it would in ours. */
import { expect, test } from "vitest";
import { accessOf } from "./access.ts";
import { readWorkload } from "./workloadText.ts";

const FOREIGN = {
  schemaVersion: 1,
  id: "fleet",
  title: "A fleet of cars",
  source: { facts: ["one", "two"] },
  document: {
    type: "telemetry",
    avgBytes: 1024,
    example: { id: "…", car: "x1", model: "M", ts: "2020-05-03T08:11:02Z", month: "2020-05" },
  },
  properties: {
    "/model": { distinct: 24, distribution: { kind: "zipf", s: 0.8 } },
    "/month": { distinct: 36, distribution: "uniform over time, all writes to the newest" },
    "/car": { distinct: 100_000, distribution: "99 % at 90 min/day, 1 % at 360 min/day" },
    "/tags": { note: "array: not usable" },
  },
  growth: { docsPerDay: 8_640_000, retentionDays: 1095, peakFactor: 2 },
  throughput: { mode: "manual", ruPerSec: 20_000 },
  operations: [
    { id: "ingest", kind: "create", ratePerSec: 100, ru: 5.5 },
    {
      id: "history",
      kind: "query",
      ratePerSec: 10,
      sql: "SELECT * FROM c WHERE c.car = @car AND c.ts >= @from AND c.ts < @to",
      params: { "@car": "x1" },
      equalityFilters: ["/car"],
      rangeFilters: ["/ts"],
      resultDocs: 60,
    },
    { id: "save", kind: "upsert", ratePerSec: 2, transactionScope: ["/car"] },
  ],
  readWriteMix: { readPct: 5 },
  candidates: [
    { id: "model", paths: ["/model"], facts: { distinctKeys: 24, pins: [], nullShare: 0 } },
    { id: "both", paths: ["/model", "/car"], kind: "hierarchical" },
    { id: "car-month", synthetic: "concat(/car, '-', month(/ts))", note: "best" },
  ],
  expected: { best: "car-month" },
  limits: { logicalPartitionGB: 20 },
};

test("other spellings", () => {
  const outcome = readWorkload(JSON.stringify(FOREIGN, null, "\t"), "json", "fleet.json");
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.error));
  const workload = outcome.value;
  expect(workload).toMatchObject({
    name: "fleet",
    item: { bytes: 1024 },
    growth: { itemsPerDay: 8_640_000, retentionDays: 1095, peakFactor: 2 },
    throughput: { mode: "manual", ratePerSecond: 20_000 },
    horizonMonths: 36,
  });
  expect(
    [...workload.properties].map(([path, { time, items }]) => [path, time, items.kind]),
  ).toEqual([
    ["/model", undefined, "zipf"],
    ["/month", "month", "uniform"],
    ["/car", undefined, "classes"],
    ["/tags", undefined, "uniform"],
    ["/ts", "second", "uniform"],
  ]);
  const [ingest, history, save] = workload.operations;
  expect(ingest).toMatchObject({ kind: "create", ratePerSecond: 100, ru: 5.5 });
  expect(history).toMatchObject({ resultItems: 60, knows: undefined });
  expect([...accessOf(history!).equal.keys()]).toEqual(["/car"]);
  expect(save?.transactionScope).toEqual(["/car"]);
  expect(workload.candidates.map(({ id, levels }) => [id, levels])).toEqual([
    ["model", ["/model"]],
    ["both", ["/model", "/car"]],
    ["car-month", ["concat(/car, '-', month(/ts))"]],
  ]);
  expect(workload.remarks).toEqual([
    expect.stringContaining("properties./month.distribution is a sentence"),
    expect.stringContaining("/month was taken for the time of writing, by the month"),
    expect.stringContaining("it was taken as classes of values: 99 % with weight 90"),
    expect.stringContaining("/ts was taken for the time of writing, by the second"),
    "How far back 'history' looks in /ts is not known; a parameter such as `now - 7 days` would say it.",
    "Members that say nothing here were left out: document.type, candidates[0].facts.nullShare, source, readWriteMix, expected, limits.",
  ]);
});
