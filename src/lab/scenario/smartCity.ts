/** Devices of a city, watched zone by zone. */
import { withRates } from "./change.ts";
import { type Scenario, verdicts } from "./scenario.ts";

export const SMART_CITY: Scenario = {
  name: "smart-city",
  title: "Smart city: 10,000 devices, watched by zone and type",
  workloadText: `\
name: smart-city
title: Infrastructure of a city

item:
  bytes: 600
  example:
    id: event-1
    zone: Z-117
    deviceType: traffic-light
    deviceId: dev-04711
    timestamp: "2026-05-01T10:00:00Z"
    eventType: reading
    payload: {state: 2, lamp: 1, volt: 229.4}

properties:
  /zone: {distinct: 400, items: zipf 0.6}
  /deviceType: {distinct: 25, items: zipf 0.8}
  /deviceId: {distinct: 10000}
  /eventType: {distinct: 5, shares: {reading: 0.98, alarm: 0.005}}
  /timestamp: {time: second}

growth: {itemsPerDay: 14.4 million, retentionDays: 396, peakFactor: 1.5}
throughput: {mode: manual, ratePerSecond: 20000}

indexing:
  excludedPaths: [{path: /payload/*}]
  compositeIndexes:
    - [{path: /zone}, {path: /deviceType}, {path: /timestamp, order: descending}]
    - [{path: /deviceId}, {path: /timestamp, order: descending}]

operations:
  - {id: send, kind: create, rate: 14.4 million/day}
  - id: zone-and-type
    kind: query
    rate: 60
    sql: >-
      SELECT TOP 100 * FROM c WHERE c.zone = @zone AND c.deviceType = @type
      AND c.timestamp >= @from ORDER BY c.zone, c.deviceType, c.timestamp DESC
    params: {"@from": now - 1 day}
    resultItems: 100
  - id: device
    kind: query
    rate: 15
    sql: >-
      SELECT TOP 60 * FROM c WHERE c.zone = @zone AND c.deviceType = @type
      AND c.deviceId = @device AND c.timestamp >= @from ORDER BY c.deviceId, c.timestamp DESC
    params: {"@from": now - 1 day}
    resultItems: 60
  - id: alarms
    kind: query
    rate: 1/min
    sql: SELECT TOP 100 * FROM c WHERE c.eventType = 'alarm' AND c.timestamp >= @from
    params: {"@from": now - 1 hour}
    resultItems: 100

candidates:
  - {id: zone-type-month, key: "concat(/zone, '_', /deviceType, '_', month(/timestamp))"}
  - {id: zone, key: /zone}
  - {id: device-type, key: /deviceType}
  - {id: device-day, key: "concat(/deviceId, '_', day(/timestamp))"}
  - {id: month, key: month(/timestamp)}
`,
  expected: {
    sentence: "Zone, type of device and month together; queries over all zones stay costly.",
    best: ["zone-type-month"],
    verdicts: verdicts(
      ["zone-type-month", "best", "What is looked at lies together, a month at a time."],
      ["zone", "bad", "Without a time it grows until it is full.", "storage-hot"],
      ["device-type", "bad", "Few values.", "low-cardinality", "storage-hot"],
      [
        "device-day",
        ["conditional", "bad"],
        "Right for series of one device; here zones are asked for.",
        "fan-out",
      ],
      ["month", "bad", "All that is written now has one key.", "current-period-hot", "storage-hot"],
    ),
  },
  variants: [
    {
      name: "by-device",
      title: "Devices are looked at one by one, zones hardly ever",
      change: (workload) => withRates(workload, { "zone-and-type": 0.2, device: 75 }),
      expected: {
        sentence: "For series of single devices the guides take device and day.",
        best: ["zone-type-month", "device-day"],
        verdicts: verdicts(
          ["device-day", ["workable", "conditional"], "Series of one device lie together."],
          ["zone-type-month", "workable", "As before."],
          ["zone", "bad", "As before.", "storage-hot"],
          ["device-type", "bad", "As before.", "storage-hot"],
          ["month", "bad", "As before.", "storage-hot"],
        ),
      },
    },
  ],
  errata: [
    "A visit to a partition without relevant data is said to cost about 1 RU. Measured it is " +
      "2.24 to 2.80, so reads that ask everywhere cost more than twice what the guide counts.",
  ],
};
