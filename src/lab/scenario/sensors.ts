/** Readings of sensors, for those that send often and those that do not. */
import { DAY_SECONDS } from "../../base/units.ts";
import { withGrowth, withProperty, withRates } from "./change.ts";
import { type Scenario, verdicts } from "./scenario.ts";

export const SENSORS: Scenario = {
  name: "sensors",
  title: "Vibration sensors: ten readings a second each, looked at machine by machine",
  workloadText: `\
name: sensors
title: Readings of vibration sensors

item:
  bytes: 1 KB
  example:
    id: reading-1
    deviceId: dev-0042
    sensorType: vibration
    timestamp: "2026-05-01T10:00:00Z"
    value: 0.172
    location: hall-7
    spectrum: [0.1, 0.4, 0.2, 0.05, 0.02, 0.01]

properties:
  /deviceId: {distinct: 200}
  /sensorType: {distinct: 4, items: zipf 1}
  /timestamp: {time: second}

growth: {itemsPerDay: 172.8 million, retentionDays: 45, peakFactor: 1.2}
throughput: {mode: manual, ratePerSecond: 120000}

indexing:
  compositeIndexes:
    - [{path: /deviceId}, {path: /timestamp, order: descending}]

operations:
  - {id: send, kind: create, rate: 172.8 million/day}
  - id: latest
    kind: query
    rate: 20
    sql: SELECT TOP 1 * FROM c WHERE c.deviceId = @device ORDER BY c.deviceId, c.timestamp DESC
    resultItems: 1
  - id: window
    kind: query
    rate: 5
    sql: SELECT * FROM c WHERE c.deviceId = @device AND c.timestamp >= @from
    params: {"@from": now - 1 minute}
    resultItems: 600
  - id: trend
    kind: query
    rate: 1/min
    sql: >-
      SELECT TOP 100 c.timestamp, c["value"] FROM c
      WHERE c.deviceId = @device AND c.timestamp >= @from
    params: {"@from": now - 30 days}
    resultItems: 100

candidates:
  - {id: device-day, key: "concat(/deviceId, '_', day(/timestamp))"}
  - {id: device-month, key: "concat(/deviceId, '_', month(/timestamp))"}
  - {id: device, key: /deviceId}
  - {id: day, key: day(/timestamp)}
  - {id: sensor-type, key: /sensorType}
`,
  expected: {
    sentence: "Device and time; a day for devices that send often, more than 1,000 times a day.",
    best: ["device-day"],
    verdicts: verdicts(
      ["device-day", "best", "For devices that send often."],
      [
        "device-month",
        "bad",
        "For devices that send rarely; here a month is too much.",
        "storage-hot",
      ],
      ["device", "bad", "Without a time it grows until it is full.", "storage-hot"],
      ["day", "bad", "All that is written now has one key.", "current-period-hot"],
      ["sensor-type", "bad", "Four values.", "low-cardinality", "storage-hot", "throughput-hot"],
    ),
  },
  variants: [
    {
      name: "slow",
      title: "A reading every ten minutes, from 20,000 devices, kept for two years",
      change: (workload) => {
        const perDay = 20_000 * 144;
        const slow = withGrowth(workload, { itemsPerDay: perDay, retentionDays: 730 });
        const rates = withRates(slow, { send: perDay / DAY_SECONDS, window: 2, trend: 40 });
        const devices = withProperty(rates, "/deviceId", { distinct: 20_000 });
        return { ...devices, throughput: undefined, horizonMonths: 24 };
      },
      expected: {
        sentence: "Device and month for devices that send up to 1,000 times a day.",
        best: ["device-month", "device"],
        verdicts: verdicts(
          ["device-day", "conditional", "A month would be 31 keys.", "fan-out"],
          ["device-month", "workable", "A month is one key or two, and small."],
          ["device", "workable", "Not weighed; two years of a slow device are small as well."],
          ["day", "bad", "As before.", "current-period-hot"],
          ["sensor-type", "bad", "As before.", "low-cardinality", "storage-hot"],
        ),
      },
    },
  ],
  errata: [
    "A guide takes a day for each key above 1,000 readings a day. Nothing breaks there: at 1 " +
      "KB a reading, a month stays below 20 GB up to half a million readings a day. A finer " +
      "period than needed costs more keys to be asked for longer spans.",
  ],
};
