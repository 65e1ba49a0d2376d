/** Documents of a company, by department and type. */
import { scaled } from "./change.ts";
import { type Scenario, verdicts } from "./scenario.ts";

export const DOCUMENTS: Scenario = {
  name: "documents",
  title: "Documents of a company: filed and looked for by department and type",
  workloadText: `\
name: documents
title: Documents of a company

item:
  bytes: 12 KB
  example:
    id: doc-1
    department: legal
    documentType: contract
    title: Lease of the north building
    author: emp-0123
    createdDate: "2026-05-01T10:00:00Z"
    tags: [lease, building]
    text: The parties agree

properties:
  /department: {distinct: 40, items: zipf 0.9}
  /documentType: {distinct: 25, items: zipf 0.6}
  /author: {distinct: 20000, items: zipf 0.5}
  /createdDate: {time: second}

growth: {initialItems: 10 million, itemsPerDay: 12000, peakFactor: 4}
horizonMonths: 36
indexing:
  excludedPaths: [{path: /text/?}]
  compositeIndexes:
    - [{path: /department}, {path: /documentType}, {path: /createdDate, order: descending}]

operations:
  - {id: file, kind: create, rate: 12000/day}
  - {id: open, kind: pointRead, rate: 150}
  - {id: correct, kind: replace, rate: 2}
  - id: list
    kind: query
    rate: 40
    sql: >-
      SELECT TOP 50 c.id, c.title, c.author, c.createdDate FROM c
      WHERE c.department = @department AND c.documentType = @type
      ORDER BY c.department, c.documentType, c.createdDate DESC
    resultItems: 50
  - id: by-author
    kind: query
    rate: 0.5
    sql: SELECT TOP 50 c.id, c.title FROM c WHERE c.author = @author
    resultItems: 50

candidates:
  - {id: department-type, key: "concat(/department, '_', /documentType)"}
  - id: department-type-month
    key: "concat(/department, '_', /documentType, '_', month(/createdDate))"
  - {id: department, key: /department}
  - {id: type, key: /documentType}
  - {id: author, key: /author}
  - {id: id, key: /id}
`,
  expected: {
    sentence: "Department and type of the document together.",
    best: ["department-type"],
    verdicts: verdicts(
      ["department-type", "best", "Lists by department and type find one key."],
      ["department-type-month", "workable", "Not needed yet."],
      [
        "department",
        "bad",
        "The largest department outgrows it.",
        "low-cardinality",
        "storage-hot",
      ],
      ["type", "bad", "Few values as well.", "low-cardinality", "storage-hot"],
      ["author", ["conditional", "bad"], "Lists would visit all partitions.", "fan-out"],
      ["id", ["conditional", "bad"], "Lists would visit all partitions.", "fan-out"],
    ),
  },
  variants: [
    {
      name: "times-8",
      title: "Eight times the documents",
      change: (workload) => scaled(workload, 8),
      expected: {
        sentence: "The guides foresee it: departments differ, and the largest needs another key.",
        best: ["department-type-month"],
        verdicts: verdicts(
          ["department-type-month", "best", "The newest of a pair are in one key or two."],
          ["department-type", "bad", "The largest pair outgrows it.", "storage-hot"],
          ["department", "bad", "As before.", "storage-hot"],
          ["type", "bad", "As before.", "storage-hot"],
        ),
      },
    },
  ],
  errata: [
    "A guide keeps department and type together and foresees rebalancing. A key cannot be " +
      "rebalanced: it cannot be changed at all, so the room has to be in it from the start.",
  ],
};
