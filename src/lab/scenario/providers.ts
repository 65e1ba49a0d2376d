/** Feeds of a few large providers and many small ones: finer periods for the large. */
import { keptFor, scaled } from "./change.ts";
import { type Scenario, verdicts } from "./scenario.ts";

export const PROVIDERS: Scenario = {
  name: "providers",
  title: "Feeds by provider: months for five large ones, quarters for the others",
  workloadText: `\
name: providers
title: Feeds that are read by provider

item:
  bytes: 4 KB
  example:
    id: item-1
    feedProviderId: reuters
    title: A title
    content: A text
    publishedDate: "2025-10-03T08:00:00Z"

properties:
  /feedProviderId:
    distinct: 300
    shares: {reuters: 18 %, ap: 14 %, bbc: 12 %, cnn: 10 %, bloomberg: 8 %}
  /publishedDate: {time: second}

growth: {itemsPerDay: 320000, retentionDays: 200, peakFactor: 2}

indexing:
  excludedPaths: [{path: /content/*}]
  compositeIndexes:
    - [{path: /feedProviderId}, {path: /publishedDate, order: descending}]

operations:
  - {id: store, kind: upsert, rate: 320000/day}
  - id: of-provider
    kind: query
    rate: 40
    sql: >-
      SELECT TOP 50 * FROM c WHERE c.feedProviderId = @provider
      AND c.publishedDate >= @from ORDER BY c.feedProviderId, c.publishedDate DESC
    params: {"@from": now - 7 days}
    resultItems: 50

candidates:
  - id: adaptive
    key: >-
      choose(/feedProviderId, ['reuters', 'ap', 'bbc', 'cnn', 'bloomberg'],
      concat(/feedProviderId, '_', month(/publishedDate)),
      concat(/feedProviderId, '_', quarter(/publishedDate)))
  - {id: provider-quarter, key: "concat(/feedProviderId, '_', quarter(/publishedDate))"}
  - {id: month, key: month(/publishedDate)}
  - {id: year, key: year(/publishedDate)}
  - {id: id, key: /id}
`,
  expected: {
    sentence:
      "Months for providers with much, quarters for those with little: what is asked of one " +
      "provider lies in a key or two, and none outgrows its own. A unique id is not recommended, " +
      "and neither is a container for each year.",
    best: ["adaptive"],
    verdicts: verdicts(
      ["adaptive", "best", "Provider by provider, each with periods of its own length."],
      [
        "provider-quarter",
        "bad",
        "Not weighed; a quarter of the largest provider outgrows its key.",
        "storage-hot",
      ],
      ["month", "bad", "Not weighed; for reads by provider it holds far too much.", "storage-hot"],
      ["year", "bad", "Not weighed; as a key it holds far too much.", "storage-hot"],
      ["id", "bad", "Every query visits all partitions.", "fan-out", "hyperfragmentation"],
    ),
  },
  variants: [
    {
      name: "small",
      title: "A tenth of the items: quarters are enough for all",
      change: (workload) => scaled(workload, 0.1),
      expected: {
        sentence: "Then no provider needs months.",
        best: ["provider-quarter", "adaptive", "month"],
        verdicts: verdicts(
          ["provider-quarter", ["workable", "conditional"], "A quarter has room."],
          ["adaptive", ["workable", "conditional"], "As before."],
          ["year", "bad", "As before.", "storage-hot"],
        ),
      },
    },
    {
      name: "five-years",
      title: "A tenth, kept for five years, and some would like a container for each",
      change: (workload) => keptFor(scaled(workload, 0.1), 5 * 365),
      expected: {
        sentence:
          "The key stays; that a container for each year costs more and answers less is in the " +
          "report, with its figures.",
        best: ["adaptive", "provider-quarter", "month"],
        verdicts: verdicts(
          [
            "adaptive",
            ["best", "workable", "conditional"],
            "Its keys are as large as before, only more.",
          ],
          ["year", "bad", "As before.", "storage-hot"],
          ["id", "bad", "As before.", "fan-out"],
        ),
      },
    },
  ],
  errata: [
    "The guide compares providers in small letters and writes them into the key as they came: " +
      "'Reuters' and 'reuters' get months both, under two keys. The case has to be settled first.",
  ],
};
