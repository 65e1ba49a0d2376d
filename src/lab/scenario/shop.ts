/** Orders of a shop in several regions: read by their customer, and by region as they come in. */
import { scaled } from "./change.ts";
import { type Scenario, verdicts } from "./scenario.ts";

export const SHOP: Scenario = {
  name: "shop",
  title: "Orders of a shop in 12 regions: by customer, or by region and month",
  workloadText: `\
name: shop
title: Orders of a shop in several regions

item:
  bytes: 2 KB
  example:
    id: order-1
    customerId: cust-91
    region: emea
    status: pending
    orderDate: "2026-03-02T09:11:00Z"
    items: [{sku: a-1, quantity: 2}]
    totalAmount: 41.5

properties:
  /customerId: {distinct: 2 million, items: zipf 0.4}
  /region: {distinct: 12, items: zipf 0.6}
  /status: {distinct: 5, changes: true}
  /orderDate: {time: second}

growth: {itemsPerDay: 400000, retentionDays: 3 years, peakFactor: 3}

indexing:
  compositeIndexes:
    - [{path: /customerId}, {path: /orderDate, order: descending}]
    - [{path: /region}, {path: /orderDate, order: descending}]

operations:
  - {id: place, kind: create, rate: 400000/day}
  - {id: ship, kind: patch, rate: 400000/day, changes: [/status]}
  - {id: show, kind: pointRead, rate: 60}
  - id: of-customer
    kind: query
    rate: 120
    sql: >-
      SELECT TOP 20 * FROM c WHERE c.customerId = @customer
      ORDER BY c.customerId, c.orderDate DESC
    resultItems: 20
  - id: recent-in-region
    kind: query
    rate: 0.2
    sql: >-
      SELECT TOP 100 * FROM c WHERE c.region = @region AND c.orderDate >= @since
      ORDER BY c.region, c.orderDate DESC
    params: {"@since": now - 1 day}
    resultItems: 100

candidates:
  - {id: customer, key: /customerId}
  - {id: region-month, key: "concat(/region, '_', month(/orderDate))"}
  - {id: customer-status, key: "concat(/customerId, '_', /status)"}
  - {id: status, key: /status}
  - {id: id, key: /id}
`,
  expected: {
    sentence:
      "Orders by customer, or by region and time: which of the two depends on who reads them. " +
      "A status that changes is no key.",
    best: ["customer"],
    verdicts: verdicts(
      ["customer", "best", "Orders of a customer are read by one key, and a customer stays."],
      [
        "region-month",
        ["conditional", "bad"],
        "Not weighed; named beside the customer, it serves whoever reads by region, and these " +
          "reads are by customer.",
      ],
      [
        "customer-status",
        "bad",
        "Not weighed; shown as an example of two properties, and elsewhere called a mistake: the " +
          "status changes.",
        "mutable",
      ],
      ["status", "bad", "It changes with every step of an order.", "mutable"],
      ["id", ["conditional", "bad"], "Not weighed; a customer's orders are scattered.", "fan-out"],
    ),
  },
  variants: [
    {
      name: "by-region",
      title: "A tenth of the orders, and nearly all reads are by region",
      change: (workload) => {
        const fewer = scaled(workload, 0.1);
        const rates: ReadonlyMap<string, number> = new Map([
          ["of-customer", 0.2],
          ["recent-in-region", 30],
          ["show", 1],
        ]);
        return {
          ...fewer,
          operations: fewer.operations.map((one) => ({
            ...one,
            ratePerSecond: rates.get(one.id) ?? one.ratePerSecond,
          })),
        };
      },
      expected: {
        sentence: "Whoever reads by region finds the newest of one in a key or two.",
        best: ["region-month"],
        verdicts: verdicts(
          ["region-month", ["best", "workable", "conditional"], "The newest lie in one key."],
          ["customer", ["conditional", "bad"], "Reads by region ask everywhere.", "fan-out"],
          ["status", "bad", "As before.", "mutable"],
        ),
      },
    },
  ],
  errata: [
    "A guide offers customer and status together as a key. The status of an order changes, and " +
      "a key cannot: the same guide calls that a mistake a few pages on.",
  ],
};
