/** Telemetry of cars: one reading a second while somebody drives, and a few who drive all day. */
import { keptFor } from "./change.ts";
import { type Scenario, verdicts } from "./scenario.ts";

export const CAR: Scenario = {
  name: "car",
  title: "Connected cars: a reading a second while driving, kept for three years",
  workloadText: `\
name: car
title: Telemetry of connected cars

item:
  bytes: 1 KB
  example:
    id: reading-1
    vin: c725bd7ed5c4
    model: Rodel
    month: 2020-05
    ts: "2020-05-03T08:11:02Z"
    speed: 61.2
    rpm: 2210
    coolant: 88
    position: {lat: 47.37, lon: 8.54}

properties:
  /vin:
    note: 90 minutes a day; one car in a hundred is driven by the hour, 360 minutes a day.
    distinct: 100000
    items: {kind: classes, classes: [{values: 99 %, weight: 90}, {values: 1 %, weight: 360}]}
    requests: uniform
  /model: {distinct: 24, items: zipf 0.8}
  /month: {time: month}
  /ts: {time: second}

growth: {itemsPerDay: 556.2 million, retentionDays: 3 years, peakFactor: 2}

indexing:
  compositeIndexes:
    - [{path: /vin}, {path: /ts, order: descending}]

operations:
  - {id: send, kind: create, rate: 556.2 million/day}
  - id: last-trip
    kind: query
    rate: 100
    sql: SELECT * FROM c WHERE c.vin = @vin AND c.ts >= @from
    params: {"@from": now - 1 hour}
    resultItems: 60
  - id: latest
    kind: query
    rate: 200
    sql: SELECT TOP 1 * FROM c WHERE c.vin = @vin ORDER BY c.vin, c.ts DESC
    resultItems: 1

candidates:
  - {id: model, key: /model}
  - {id: month, key: /month}
  - {id: car, key: /vin}
  - {id: car-month, key: "concat(/vin, '-', month(/ts))"}
`,
  expected: {
    sentence:
      "The model is too coarse, the month makes all that is written now hot, the car alone " +
      "is fine but for a few that drive all day; car and month together have the best of both.",
    best: ["car-month"],
    verdicts: verdicts(
      [
        "model",
        "bad",
        "A couple of dozen values: hot in storage and in throughput.",
        "low-cardinality",
        "storage-hot",
        "throughput-hot",
      ],
      [
        "month",
        "bad",
        "Evenly stored, but all that is written now has the current month.",
        "current-period-hot",
        "storage-hot",
      ],
      [
        "car",
        "conditional",
        "What many choose; a car that is driven by the hour passes 20 GB within three years.",
        "outlier-over-20GB",
      ],
      ["car-month", "best", "As fine as a car, and never more than a month of it."],
    ),
  },
  variants: [
    {
      name: "one-year",
      title: "Readings are kept for one year",
      change: (workload) => keptFor(workload, 365),
      expected: {
        sentence: "No car comes near 20 GB in a year: then the car alone will do.",
        best: ["car", "car-month"],
        verdicts: verdicts(
          ["model", "bad", "As before.", "storage-hot", "throughput-hot"],
          ["month", "bad", "As before.", "current-period-hot"],
          ["car", "workable", "A car that is driven by the hour makes 7.5 GB a year."],
          ["car-month", "workable", "As before."],
        ),
      },
    },
  ],
  errata: [
    "The guide says that 21.09 MB a day are 0.02 GB a month. They are 0.63 GB; that this is " +
      "far below 20 GB stays true.",
    "A visit to a partition without relevant data is said to cost about 1 RU. Measured it is " +
      "2.24 to 2.80, so reads that ask everywhere cost more than twice what the guide counts.",
  ],
};
