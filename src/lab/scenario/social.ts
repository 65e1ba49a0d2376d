/** Posts of millions of users, among them a few that are programs. */
import { withProperty } from "./change.ts";
import { type Scenario, verdicts } from "./scenario.ts";

export const SOCIAL: Scenario = {
  name: "social",
  title: "Social network: two million posts a day, read as timelines",
  workloadText: `\
name: social
title: Posts of a social network

item:
  bytes: 1.5 KB
  example:
    id: post-1
    userId: user123
    content: What a day
    createdAt: "2026-10-03T08:00:00Z"
    tags: [sun, lake]
    likesCount: 17

properties:
  /userId:
    note: Ten automated accounts post 24,000 times a day each, all others about every third day.
    distinct: 5 million
    items:
      kind: classes
      classes: [{values: 0.000002, weight: 24000}, {values: 0.999998, weight: 0.352}]
    requests: zipf 0.6
  /likesCount: {distinct: 100000, items: zipf 1, changes: true}
  /createdAt: {time: second}

growth: {itemsPerDay: 2 million, retentionDays: 2 years, peakFactor: 2}

indexing:
  excludedPaths: [{path: /content/*}]
  compositeIndexes:
    - [{path: /userId}, {path: /createdAt, order: descending}]

operations:
  - {id: post, kind: create, rate: 2 million/day}
  - {id: like, kind: patch, rate: 400, changes: [/likesCount], ageDays: 0.5}
  - {id: open, kind: pointRead, rate: 5000, ageDays: 3}
  - id: timeline
    kind: query
    rate: 3000
    sql: >-
      SELECT TOP 20 * FROM c WHERE c.userId = @user AND c.createdAt >= @from
      ORDER BY c.userId, c.createdAt DESC
    params: {"@from": now - 30 days}
    resultItems: 20
  - id: hashtag
    kind: query
    rate: 12/min
    sql: SELECT TOP 50 * FROM c WHERE ARRAY_CONTAINS(c.tags, @tag) AND c.createdAt >= @from
    params: {"@from": now - 1 day}
    resultItems: 50

candidates:
  - {id: user-month, key: "concat(/userId, '_', month(/createdAt))"}
  - {id: user, key: /userId}
  - {id: day, key: day(/createdAt)}
  - {id: id, key: /id}
  - {id: likes, key: /likesCount}
`,
  expected: {
    sentence: "User and month together: timelines are cheap, and time spreads what one user has.",
    best: ["user-month"],
    verdicts: verdicts(
      ["user-month", "best", "Timelines find one or two keys; no user outgrows a month."],
      [
        "user",
        "conditional",
        "Fine for people; an account that posts all day outgrows its logical partition.",
        "outlier-over-20GB",
      ],
      ["day", "bad", "All that is written now has one key.", "current-period-hot"],
      [
        "id",
        "bad",
        "Every post by itself: timelines visit all partitions.",
        "fan-out",
        "hyperfragmentation",
      ],
      ["likes", "bad", "It changes with every like.", "mutable"],
    ),
  },
  variants: [
    {
      name: "people-only",
      title: "No automated accounts",
      change: (workload) => withProperty(workload, "/userId", { items: { kind: "zipf", s: 0.5 } }),
      expected: {
        sentence: "Without accounts that post all day the user alone will do.",
        best: ["user", "user-month"],
        verdicts: verdicts(
          ["user-month", "workable", "As before."],
          ["user", "workable", "No user comes near 20 GB."],
          ["day", "bad", "As before.", "current-period-hot"],
          ["id", "bad", "As before.", "fan-out"],
          ["likes", "bad", "As before.", "mutable"],
        ),
      },
    },
  ],
  errata: [
    "A guide calls a unique id as the key bad in itself, for making tiny partitions. It is " +
      "not: there is no limit to logical partitions, and for point reads and writes nothing is " +
      "better. It is as bad as the reads are that would ask every partition.",
  ],
};
