/** Six customers in one container: one has most of the data, another asks most. */
import { withGrowth, withProperty } from "./change.ts";
import { type Scenario, verdicts } from "./scenario.ts";

export const TENANTS: Scenario = {
  name: "tenants",
  title: "Six tenants, one with most of the data and one with most of the requests",
  workloadText: `\
name: tenants
title: Six tenants on 30,000 RU/s

item:
  bytes: 2 KB
  example:
    id: doc-1
    tenantId: A
    userId: A-userId-000001
    dataType: invoice
    createdAt: "2026-05-01T10:00:00Z"
    content: {number: 17, lines: 3, total: 125.5, currency: CHF}

properties:
  /tenantId:
    distinct: 6
    shares: {A: 0.8, B: 0.03, C: 0.02, D: 0.12, E: 0.02, F: 0.01}
    requests: {kind: shares, shares: {A: 0.3, B: 0.06, C: 0.1, D: 0.45, E: 0.05, F: 0.04}}
  /userId:
    distinct: 26000
    within: /tenantId
    distinctWithin: {A: 20000, B: 600, C: 400, D: 4000, E: 600, F: 400}
  /dataType: {distinct: 12, items: zipf 0.8}
  /createdAt: {time: second}

growth: {itemsPerDay: 172000, retentionDays: 365, peakFactor: 1.2}
throughput: {mode: manual, ratePerSecond: 30000}

operations:
  - id: save
    kind: upsert
    rate: 800
    ageDays: 7
    transactionScope: [/tenantId, /userId]
  - {id: read, kind: pointRead, rate: 2000, ageDays: 30}
  - id: mine
    kind: query
    rate: 500
    sql: >-
      SELECT * FROM c WHERE c.tenantId = @tenant AND c.userId = @user
      AND c.createdAt >= @from
    params: {"@from": now - 7 days}
    resultItems: 20
  - id: report
    kind: query
    rate: 2/min
    sql: SELECT c.dataType, COUNT(1) AS n FROM c WHERE c.tenantId = @tenant GROUP BY c.dataType
    resultItems: 12

candidates:
  - {id: tenant, key: /tenantId}
  - {id: tenant-user, key: [/tenantId, /userId]}
  - {id: tenant-user-text, key: "concat(/tenantId, '|', /userId)"}
  - {id: tenant-suffix, key: "suffix(/tenantId, hash(/id), 20)"}
  - {id: data-type, key: /dataType}
  - {id: month, key: month(/createdAt)}
`,
  expected: {
    sentence:
      "The tenant's id cannot scale: one tenant passes 20 GB, another has its 10,000 RU/s and no " +
      "more while the rest lies idle. A key is needed that spreads a tenant over more partitions.",
    best: ["tenant-user"],
    verdicts: verdicts(
      [
        "tenant",
        "bad",
        "A is too large for a logical partition, D too busy for a physical one.",
        "low-cardinality",
        "storage-hot",
        "throughput-hot",
      ],
      ["tenant-user", "best", "Many values, and what a tenant asks for is still found by prefix."],
      ["tenant-user-text", "workable", "The same keys; the report of a tenant visits all."],
      [
        "tenant-suffix",
        ["conditional", "bad"],
        "A suffix spreads a tenant, but then each read tries every one of them.",
        "fan-out",
        "tx-scope-broken",
      ],
      ["data-type", "bad", "A dozen values.", "low-cardinality", "storage-hot"],
      ["month", "bad", "All that is written now has one key.", "current-period-hot"],
    ),
  },
  variants: [
    {
      name: "even",
      title: "5,000 tenants of about the same size",
      change: (workload) => {
        const tenants = {
          distinct: 5000,
          items: { kind: "uniform" },
          requests: undefined,
        } as const;
        const even = withProperty(workload, "/tenantId", tenants);
        return withProperty(even, "/userId", { distinctWithin: undefined });
      },
      expected: {
        sentence:
          "With many tenants of about the same size the tenant's id is a good key: what belongs " +
          "together lies together, and everything asked for names it.",
        best: ["tenant"],
        verdicts: verdicts(
          ["tenant", "best", "Tenants are kept apart, and their queries are cheap."],
          ["tenant-user", "workable", "Not needed."],
          ["tenant-user-text", "workable", "Not needed."],
          ["data-type", "bad", "As before.", "low-cardinality"],
          ["month", "bad", "As before.", "current-period-hot"],
        ),
      },
    },
    {
      name: "small",
      title: "The same six tenants with a hundredth of the data and of the requests",
      change: (workload) => {
        const rates = workload.operations.map((one) => ({
          ...one,
          ratePerSecond: one.ratePerSecond / 100,
        }));
        const small = withGrowth(workload, { itemsPerDay: workload.growth.itemsPerDay / 100 });
        return { ...small, operations: rates, throughput: undefined };
      },
      expected: {
        sentence: "In one physical partition six tenants are no problem yet.",
        best: ["tenant", "tenant-user", "tenant-user-text"],
        verdicts: verdicts(
          ["tenant", "workable", "One physical partition holds and serves all of them."],
          ["tenant-user", "workable", "Works as well."],
          ["tenant-user-text", "workable", "Works as well."],
        ),
      },
    },
  ],
  errata: [
    "Guides say that a logical partition near its limit makes the service add a physical one. " +
      "It does not: a logical partition is never split. At 20 GB its writes are refused (403); " +
      "only below the prefix of a hierarchical key is there more room.",
    "A guide lets tenant C suffer together with D. That is so only if both lie on one " +
      "physical partition, which the hash of their ids decides.",
    "A guide makes suffixes with GetHashCode. In .NET the hash code of a text differs from " +
      "process to process, so that what one wrote another does not find. A suffix needs a hash " +
      "that stays, such as hash() in key expressions.",
  ],
};
