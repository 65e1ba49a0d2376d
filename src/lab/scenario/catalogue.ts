/** The catalogue of a shop, by category and brand. */
import { scaled } from "./change.ts";
import { type Scenario, verdicts } from "./scenario.ts";

export const CATALOGUE: Scenario = {
  name: "catalogue",
  title: "Catalogue of a large shop: browsed by category and brand",
  workloadText: `\
name: catalogue
title: Catalogue of a shop

item:
  bytes: 4 KB
  example:
    id: product-1
    category: shoes
    brand: acme
    name: Runner
    price: 89.9
    stockLevel: 12
    sizes: [38, 39, 40, 41, 42]
    description: A shoe for every day

properties:
  /category: {distinct: 40, items: zipf 0.9}
  /brand: {distinct: 3000, items: zipf 1.1}
  /stockLevel: {distinct: 1000, items: zipf 1, changes: true}

growth: {initialItems: 40 million, itemsPerDay: 20000, peakFactor: 2}
horizonMonths: 12

operations:
  - {id: add, kind: create, rate: 20000/day}
  - {id: sell, kind: patch, rate: 50, changes: [/stockLevel]}
  - {id: show, kind: pointRead, rate: 4000}
  - id: browse
    kind: query
    rate: 600
    sql: SELECT TOP 24 * FROM c WHERE c.category = @category AND c.brand = @brand
    resultItems: 24

candidates:
  - {id: category-brand, key: "concat(/category, '_', /brand)"}
  - {id: category, key: /category}
  - {id: brand, key: /brand}
  - {id: id, key: /id}
  - {id: stock, key: /stockLevel}
`,
  expected: {
    sentence: "Products by category and brand.",
    best: ["category-brand"],
    verdicts: verdicts(
      ["category-brand", "best", "What customers browse lies together, in many small keys."],
      ["category", "bad", "Few values of very different size.", "low-cardinality", "storage-hot"],
      ["brand", "bad", "Not weighed; the largest brand outgrows it.", "storage-hot"],
      ["id", ["conditional", "bad"], "Fine for one product; browsing visits all.", "fan-out"],
      ["stock", "bad", "It changes with every sale.", "mutable"],
    ),
  },
  variants: [
    {
      name: "small",
      title: "A shop of 20,000 products",
      change: (workload) => scaled(workload, 1 / 2000),
      expected: {
        sentence: "A small container has one physical partition, and the key hardly matters.",
        best: ["category-brand", "category", "brand", "id"],
        verdicts: verdicts(
          ["category-brand", "workable", "Works."],
          ["category", "workable", "Works as well."],
          ["brand", "workable", "Works as well."],
          ["id", "workable", "Works as well: all partitions are one."],
          ["stock", "bad", "As before.", "mutable"],
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
