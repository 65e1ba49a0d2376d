/** Orders of a shop in the holidays: after every order somebody looks at those of its item. */
import { keptFor } from "./change.ts";
import { type Scenario, verdicts } from "./scenario.ts";

export const ORDERS: Scenario = {
  name: "orders",
  title: "Orders of a shop: 100 million a day, each followed by a look at its item",
  workloadText: `\
name: orders
title: Orders of a shop in the holidays

item:
  bytes: 1 KB
  example:
    id: order-1
    OrderTime: "2026-11-27T14:03:22Z"
    OrderStatus: NEW
    Item: {id: item-000123, Title: A novel, Category: Books, Price: 12.5}
    Customer: {id: cust-91, Level: 2, Email: reader@example.com}
    Quantity: 1

properties:
  /OrderTime: {time: second}
  /Item/Category: {distinct: 8, items: zipf 0.7}
  /Item/id: {distinct: 1 million, items: zipf 0.6}

growth: {itemsPerDay: 100 million, retentionDays: 30, peakFactor: 3}

indexing:
  compositeIndexes:
    - [{path: /Item/id}, {path: /OrderTime, order: descending}]

operations:
  - {id: place, kind: create, rate: 100 million/day}
  - id: inventory
    note: Who asks for an item knows what it is, so its category too.
    kind: query
    rate: 100 million/day
    sql: >-
      SELECT TOP 10 c.id, c.OrderTime, c.Quantity FROM c
      WHERE c.Item.id = @item AND c.OrderTime >= @since ORDER BY c.Item.id, c.OrderTime DESC
    params: {"@since": now - 1 hour}
    knows: [/Item/Category]
    resultItems: 10
  - {id: show, kind: pointRead, rate: 50, ageDays: 7}

candidates:
  - {id: order-time, key: /OrderTime}
  - {id: category, key: /Item/Category}
  - {id: item, key: /Item/id}
  - {id: item-day, key: "concat(/Item/id, '-', day(/OrderTime))"}
  - {id: id, key: /id}
`,
  expected: {
    sentence:
      "The time of the order and the category of the item are no good choices; the id of the " +
      "item is a workable one.",
    best: ["item", "item-day"],
    verdicts: verdicts(
      [
        "order-time",
        "bad",
        "Many values, evenly stored, but orders of one moment come together, and the look at an " +
          "item crosses partitions.",
        "throughput-hot",
        "fan-out",
      ],
      [
        "category",
        "bad",
        "Few values: any of them may outgrow a partition, and the largest limits everything.",
        "low-cardinality",
        "storage-hot",
        "throughput-hot",
      ],
      ["item", "workable", "Many values, asked for alike, and all orders of an item together."],
      ["item-day", "workable", "Not weighed; it bounds what one item can hold."],
      ["id", "bad", "Not weighed; the look at an item would visit all partitions.", "fan-out"],
    ),
  },
  variants: [
    {
      name: "one-year",
      title: "Orders are kept for a year",
      change: (workload) => keptFor(workload, 365),
      expected: {
        sentence: "What is workable for a month of orders is full before the year is over.",
        best: ["item-day", "[/Item/id, /id]"],
        verdicts: verdicts(
          ["order-time", "bad", "As before.", "throughput-hot", "fan-out"],
          ["category", "bad", "As before.", "storage-hot"],
          ["item", "bad", "The best-selling item passes 20 GB.", "storage-hot"],
          ["item-day", ["workable", "conditional"], "A day of the best-selling item stays small."],
          ["id", "bad", "As before.", "fan-out"],
        ),
      },
    },
  ],
  errata: [
    "Guides say that a logical partition near its limit makes the service add a physical one. " +
      "It does not: a logical partition is never split. At 20 GB its writes are refused (403); " +
      "only below the prefix of a hierarchical key is there more room.",
  ],
};
