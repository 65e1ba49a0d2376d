/** Items of many feeds: the newest are read most. */
import { scaled, withCandidate } from "./change.ts";
import { type Scenario, verdicts } from "./scenario.ts";

export const FEED: Scenario = {
  name: "feed",
  title: "Feeds of 300 providers: the newest first, on 4,000 RU/s",
  workloadText: `\
name: feed
title: Items of many feeds

item:
  bytes: 4 KB
  example:
    id: item-1
    feedProviderId: reuters
    title: A title
    content: A text
    publishedDate: "2025-10-03T08:00:00Z"
    crawledDate: "2025-10-03T08:01:00Z"
    sourceUrl: https://example.com/1
    tags: [economy]

properties:
  /feedProviderId: {distinct: 300, items: zipf 1}
  /publishedDate: {time: second}

growth: {itemsPerDay: 90000, retentionDays: 2 years, peakFactor: 2}
throughput: {mode: autoscale, ratePerSecond: 4000}

indexing:
  excludedPaths: [{path: /content/*}]
  compositeIndexes:
    - [{path: /feedProviderId}, {path: /publishedDate, order: descending}]
    - [{path: /publishedDate, order: descending}, {path: /crawledDate, order: descending}]

operations:
  - {id: store, kind: upsert, rate: 90000/day}
  - id: recent
    kind: query
    rate: 2
    sql: SELECT TOP 50 * FROM c WHERE c.publishedDate >= @from ORDER BY c.publishedDate DESC
    params: {"@from": now - 7 days}
    resultItems: 50
  - id: of-provider
    kind: query
    rate: 0.5
    sql: >-
      SELECT TOP 50 * FROM c WHERE c.feedProviderId = @provider
      AND c.publishedDate >= @from ORDER BY c.feedProviderId, c.publishedDate DESC
    params: {"@from": now - 30 days}
    resultItems: 50

candidates:
  - {id: month, key: month(/publishedDate)}
  - {id: provider-month, key: "concat(/feedProviderId, '_', month(/publishedDate))"}
  - {id: provider, key: /feedProviderId}
  - {id: provider-day, key: "concat(/feedProviderId, '_', day(/publishedDate))"}
  - {id: id, key: /id}
`,
  expected: {
    sentence:
      "The month alone: recent items are in one or two keys. Provider and month is a second " +
      "choice, a unique id is none.",
    best: ["month"],
    verdicts: verdicts(
      ["month", "best", "Most queries are about the last days; old months are archived whole."],
      [
        "provider-month",
        "conditional",
        "Good for one provider; what is new everywhere is scattered.",
        "fan-out",
      ],
      ["provider", "bad", "Not weighed; the largest provider outgrows it.", "storage-hot"],
      ["id", "bad", "Every query visits all partitions.", "fan-out", "hyperfragmentation"],
    ),
  },
  variants: [
    {
      name: "times-20",
      title: "Twenty times the items, the requests and the throughput",
      change: (workload) =>
        withCandidate(scaled(workload, 20), {
          id: "day-suffix",
          levels: ["suffix(day(/publishedDate), hash(/id), 5)"],
        }),
      expected: {
        sentence: "At this scale a month is far beyond 20 GB and beyond what one partition serves.",
        best: ["day-suffix"],
        verdicts: verdicts(
          ["month", "bad", "A month has no room in a key any more.", "storage-hot"],
          ["provider-month", "bad", "So does the largest provider's.", "storage-hot"],
          ["provider", "bad", "As before.", "storage-hot"],
          ["id", "bad", "As before.", "fan-out"],
          [
            "day-suffix",
            "best",
            "Days in a few parts each: all of them are asked for what is new.",
          ],
        ),
      },
    },
  ],
  errata: [
    "The guide recommends the month as such. It is right for this feed only: a month of it " +
      "has 11 GB, and asks for less than one physical partition is allotted. Twenty times as " +
      "much has no room in a month.",
    "The guide declares a composite index on provider and date, but its query sorts by date " +
      "alone and cannot use it. The provider has to be in ORDER BY, too, as it is here.",
    "The guide's weeks begin anew on 1 January: the week at the turn of the year falls into " +
      "two keys, and its numbers are not those of ISO 8601, which others will expect.",
    "A guide calls a unique id as the key bad in itself, for making tiny partitions. It is " +
      "not: there is no limit to logical partitions, and for point reads and writes nothing is " +
      "better. It is as bad as the reads are that would ask every partition.",
  ],
};
