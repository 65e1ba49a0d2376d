/** Nutrition of foods, by food group: what three physical partitions share out. */
import { withProperty } from "./change.ts";
import { type Scenario, verdicts } from "./scenario.ts";

export const FOOD: Scenario = {
  name: "food",
  title: "Nutrition by food group: 18,000 RU/s over three physical partitions",
  workloadText: `\
name: food
title: Nutrition of foods

item:
  bytes: 3 KB
  example:
    id: food-1
    foodGroup: Beef Products
    description: Beef, chuck
    servings: [{amount: 85, description: oz}]
    nutrients: [{id: 208, value: 277, units: kcal}, {id: 203, value: 26, units: g}]

properties:
  /foodGroup:
    distinct: 25
    items: zipf 0.2
    requests: uniform

growth: {initialItems: 36 million, itemsPerDay: 100, peakFactor: 1.5}
horizonMonths: 12
throughput: {mode: manual, ratePerSecond: 18000}

operations:
  - {id: add, kind: create, rate: 100/day}
  - {id: show, kind: pointRead, rate: 3000}
  - id: group
    kind: query
    rate: 500
    sql: SELECT TOP 50 c.id, c.description FROM c WHERE c.foodGroup = @group
    resultItems: 50

candidates:
  - {id: group, key: /foodGroup}
  - {id: group-food, key: [/foodGroup, /id]}
  - {id: id, key: /id}
`,
  expected: {
    sentence:
      "Each of the three physical partitions has a third, 6,000 RU/s, and the groups that lie on " +
      "one share them; so requests should be spread evenly over the groups.",
    best: ["group", "group-food"],
    verdicts: verdicts(
      ["group", "workable", "It works while requests are spread evenly."],
      ["group-food", "workable", "Not weighed; the same, with room for groups to grow."],
      ["id", ["workable", "conditional"], "Not weighed."],
    ),
  },
  variants: [
    {
      name: "beef-week",
      title: "Four of five requests are for beef",
      change: (workload) =>
        withProperty(workload, "/foodGroup", {
          requests: { kind: "shares", shares: new Map([["foodGroup-000001", 0.8]]) },
        }),
      expected: {
        sentence: "A group can have its partition's 6,000 RU/s and no more; the others lie idle.",
        best: ["group-food", "id"],
        verdicts: verdicts(
          [
            "group",
            "bad",
            "Its partition refuses what the others have to spare.",
            "throughput-hot",
          ],
          ["group-food", "workable", "Foods of one group lie on more than one partition."],
          ["id", ["workable", "conditional"], "Spread evenly."],
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
