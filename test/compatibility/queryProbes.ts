/**
 * The query language: its clauses, operators, aggregates, search, and every function by name.
 *
 * Functions come from the registry, so a new one has a row at once; what each must give comes from
 * the tables of the conformance cases (`test/query/cases`), so it must have a case, too.
 */
import { AGGREGATE_NAMES, BUILT_IN_NAMES } from "../../src/query/functions/registry.ts";
import type { TableLine } from "../query/caseFile.ts";
import { readCaseFiles } from "../query/caseFile.ts";
import type { Area, Probe, Step } from "./probe.ts";
import { create, ONE_DOCS, probe, query, rows, THREE_DOCS } from "./probe.ts";

const ask = `POST ${THREE_DOCS}`;

/** Feature, query, rows. */
type Line = readonly [feature: string, text: string, expected: readonly unknown[]];

const CLAUSES: readonly Line[] = [
  ["`SELECT *`", "SELECT * FROM c WHERE c.id = '1'", [{ id: "1", n: 3 }]],
  ["`SELECT` of properties and aliases", "SELECT c.n AS m FROM c WHERE c.n = 3", [{ m: 3 }]],
  ["`SELECT VALUE`", "SELECT VALUE c.n FROM c WHERE c.n < 2", [1]],
  ["`SELECT DISTINCT`", "SELECT DISTINCT VALUE c.t FROM c ORDER BY c.t", ["x", "y"]],
  ["`SELECT TOP`", "SELECT TOP 2 VALUE c.n FROM c ORDER BY c.n", [1, 2]],
  [
    "objects and arrays made in `SELECT`",
    "SELECT VALUE [c.n, {a: c.t}] FROM c WHERE c.n = 1",
    [[1, { a: "y" }]],
  ],
  ["`FROM` of a path", "SELECT VALUE o.p FROM c.o AS o", [true]],
  ["`FROM … IN`", "SELECT VALUE e FROM e IN c.l WHERE e = 1", [1]],
  [
    "`JOIN … IN`",
    "SELECT VALUE [c.id, e] FROM c JOIN e IN c.l WHERE c.n = 3",
    [
      ["1", 1],
      ["1", 2],
    ],
  ],
  [
    "`WHERE` with AND, OR, NOT",
    "SELECT VALUE c.n FROM c WHERE NOT (c.n = 1 OR c.n = 2) AND true",
    [3],
  ],
  ["comparisons", "SELECT VALUE c.n FROM c WHERE c.n >= 2 AND c.n != 3", [2]],
  ["arithmetic and bits", "SELECT VALUE c.n * 2 + (c.n & 1) FROM c WHERE c.n = 3", [7]],
  [
    "`||`, `??`, `? :`",
    "SELECT VALUE (c.none ?? 'z') || (c.n > 1 ? 'a' : 'b') FROM c WHERE c.n = 1",
    ["zb"],
  ],
  ["`IN`", "SELECT VALUE c.n FROM c WHERE c.n IN (1, 5)", [1]],
  ["`BETWEEN`", "SELECT VALUE c.n FROM c WHERE c.n BETWEEN 3 AND 9", [3]],
  ["`LIKE` with `ESCAPE`", "SELECT VALUE c.t FROM c WHERE c.t LIKE 'y%' ESCAPE '!'", ["y"]],
  ["`ORDER BY … ASC`, `DESC`", "SELECT VALUE c.n FROM c ORDER BY c.n DESC", [3, 2, 1]],
  ["`OFFSET … LIMIT`", "SELECT VALUE c.n FROM c ORDER BY c.n OFFSET 1 LIMIT 1", [2]],
  [
    "`GROUP BY`",
    "SELECT c.t, COUNT(1) AS k FROM c WHERE c.t = 'x' GROUP BY c.t",
    [{ t: "x", k: 2 }],
  ],
  [
    "subqueries: `EXISTS`",
    "SELECT VALUE c.id FROM c WHERE EXISTS(SELECT VALUE e FROM e IN c.l WHERE e = 1)",
    ["1"],
  ],
  [
    "subqueries: `ARRAY`",
    "SELECT VALUE ARRAY(SELECT VALUE e + 1 FROM e IN c.l) FROM c WHERE c.n = 3",
    [[2, 3]],
  ],
  [
    "subqueries: scalar",
    "SELECT VALUE (SELECT VALUE COUNT(1) FROM e IN c.l) FROM c WHERE c.n = 3",
    [2],
  ],
  [
    "subqueries in `JOIN`",
    "SELECT VALUE e FROM c JOIN (SELECT VALUE e FROM e IN c.l WHERE e > 1) AS e WHERE c.n = 1",
    [2],
  ],
];

const AGGREGATES: Readonly<Record<string, readonly [text: string, rows: readonly unknown[]]>> = {
  AVG: ["SELECT VALUE AVG(c.n) FROM c", [2]],
  COUNT: ["SELECT VALUE COUNT(1) FROM c", [3]],
  COUNTIF: ["SELECT VALUE COUNTIF(c.n > 1) FROM c", [2]],
  MAKELIST: ["SELECT VALUE MAKELIST(c.n) FROM c WHERE c.n = 1", [[1]]],
  MAKESET: ["SELECT VALUE MAKESET(c.t) FROM c WHERE c.t = 'x'", [["x"]]],
  MAX: ["SELECT VALUE MAX(c.n) FROM c", [3]],
  MIN: ["SELECT VALUE MIN(c.n) FROM c", [1]],
  SUM: ["SELECT VALUE SUM(c.n) FROM c", [6]],
};

const MIXED = ["x3", "y1", "x2"].map((id) => create({ id, t: id[0], n: Number(id[1]) }));

const clauses: readonly Probe[] = [
  ...CLAUSES.map(([feature, text, expected]) => probe(feature, [rows(text, expected, { ask })])),
  probe("parameters", [
    query("", {
      ask,
      body: {
        query: "SELECT VALUE c.n FROM c WHERE c.t = @t",
        parameters: [{ name: "@t", value: "y" }],
      },
      has: { Documents: [1] },
    }),
  ]),
  probe("a parameter that is not in the list is undefined", [
    query("", {
      ask,
      body: { query: "SELECT VALUE IS_DEFINED(@t)", parameters: [] },
      has: { Documents: [false] },
    }),
  ]),
  probe("a parameter that names a property", [
    query("", {
      ask,
      body: {
        query: "SELECT VALUE c[@name] FROM c WHERE c[@t] = 'y'",
        parameters: [
          { name: "@name", value: "n" },
          { name: "@t", value: "t" },
        ],
      },
      has: { Documents: [1] },
    }),
  ]),
  probe(
    "`ORDER BY` of two properties with a composite index",
    [...MIXED, rows("SELECT VALUE c.n FROM c ORDER BY c.t, c.n DESC", [3, 2, 1])],
    {
      container: {
        indexingPolicy: {
          compositeIndexes: [[{ path: "/t" }, { path: "/n", order: "descending" }]],
        },
      },
    },
  ),
  probe(
    "across physical partitions, without a plan of the client's",
    [
      create({ id: "1", n: 1 }),
      create({ id: "2", n: 2, pk: "b" }, { headers: { "x-ms-documentdb-partitionkey": '["b"]' } }),
      rows("SELECT VALUE c.n FROM c ORDER BY c.n DESC", [2, 1]),
      rows("SELECT VALUE SUM(c.n) FROM c", [3]),
    ],
    { containerHeaders: { "x-ms-offer-throughput": "30000" } },
  ),
  probe("an error of syntax has a code and a place", [
    query("SELECT * FORM c", { status: 400, says: /SC\d{4}|"errors"/ }),
  ]),
];

const aggregates: readonly Probe[] = [...AGGREGATE_NAMES].toSorted().map((name) => {
  const [text, expected] = AGGREGATES[name] ?? ["", []];
  return probe(`\`${name}\``, [rows(text, expected, { ask })]);
});

/** Functions that a table of constant expressions cannot show. */
const BEYOND_TABLES: Readonly<Record<string, string>> = {
  DOCUMENTID: "IS_NUMBER(DOCUMENTID(c))",
  GETCURRENTDATETIME: "IS_DATETIME(GetCurrentDateTime())",
  GETCURRENTDATETIMESTATIC: "IS_DATETIME(GetCurrentDateTimeStatic())",
  GETCURRENTTICKS: "GetCurrentTicks() > 0",
  GETCURRENTTICKSSTATIC: "GetCurrentTicksStatic() > 0",
  GETCURRENTTIMESTAMP: "GetCurrentTimestamp() > 0",
  GETCURRENTTIMESTAMPSTATIC: "GetCurrentTimestampStatic() > 0",
  NOW: "IS_DEFINED(NOW())",
  RAND: "RAND() < 1",
};

/** Functions with an area of their own: they need indexes. */
const OF_SEARCH = /^_?(FULLTEXT|VECTOR|RRF)/;

const LINES_PER_FUNCTION = 5;

/** Lines of tables about a function: it is what the whole expression calls. */
function linesAbout(name: string, lines: readonly TableLine[]): readonly TableLine[] {
  const called = lines.filter(
    ({ expression, expected }) =>
      expected !== undefined && expression.toUpperCase().startsWith(`${name}(`),
  );
  return called.slice(0, LINES_PER_FUNCTION);
}

function functionProbes(): readonly Probe[] {
  const files = readCaseFiles();
  const lines = files
    .filter(({ container }) => Object.keys(container).length === 0)
    .flatMap(({ tables }) => tables.flatMap((table) => table.lines));
  const names = BUILT_IN_NAMES.filter((name) => !OF_SEARCH.test(name));
  return names.toSorted().map((name) => {
    const about = linesAbout(name, lines);
    const beyond = BEYOND_TABLES[name];
    if (about.length === 0 && beyond === undefined) {
      throw new Error(`test/query/cases has no line of a table that starts with ${name}(`);
    }
    const texts = about.length > 0 ? about.map(({ expression }) => expression) : [beyond!];
    const expected = about.length > 0 ? about.map((line) => line.expected) : [true];
    const text = `SELECT VALUE [${texts.join(", ")}] FROM c`;
    return probe(`\`${name}\``, [rows(text, [expected], { ask: `POST ${ONE_DOCS}` })]);
  });
}

const VECTORS: Partial<Probe> = {
  container: {
    vectorEmbeddingPolicy: {
      vectorEmbeddings: [
        { path: "/v", dataType: "float32", dimensions: 2, distanceFunction: "euclidean" },
      ],
    },
    indexingPolicy: { vectorIndexes: [{ path: "/v", type: "flat" }] },
  },
};
const vectors = (...metrics: readonly (readonly [string, string])[]): readonly Probe[] =>
  metrics.map(([distance, expected]) =>
    probe(
      `\`VECTORDISTANCE\`, ${distance}`,
      [
        create({ id: "1", v: [1, 0] }),
        create({ id: "2", v: [0, 2] }),
        rows(
          `SELECT TOP 1 VALUE c.id FROM c ORDER BY VectorDistance(c.v, [0.5, 0.9], false, ` +
            `{distanceFunction: '${distance}'})`,
          [expected],
        ),
      ],
      VECTORS,
    ),
  );

const TEXTS: Partial<Probe> = {
  container: {
    fullTextPolicy: {
      defaultLanguage: "en-US",
      fullTextPaths: [{ path: "/text", language: "en-US" }],
    },
    indexingPolicy: { fullTextIndexes: [{ path: "/text" }] },
  },
};
const BOOKS: readonly Step[] = [
  create({ id: "1", text: "The red bicycle leans on a wall" }),
  create({ id: "2", text: "Mountain bicycles and mountain roads" }),
  create({ id: "3", text: "A wall of stone" }),
];
const texts: readonly Line[] = [
  [
    "`FULLTEXTCONTAINS`",
    "SELECT VALUE c.id FROM c WHERE FullTextContains(c.text, 'bicycle')",
    ["1", "2"],
  ],
  [
    "`FULLTEXTCONTAINSALL`",
    "SELECT VALUE c.id FROM c WHERE FullTextContainsAll(c.text, 'red', 'wall')",
    ["1"],
  ],
  [
    "`FULLTEXTCONTAINSANY`",
    "SELECT VALUE c.id FROM c WHERE FullTextContainsAny(c.text, 'stone', 'road')",
    ["2", "3"],
  ],
  [
    "`ORDER BY RANK FULLTEXTSCORE`",
    "SELECT TOP 1 VALUE c.id FROM c ORDER BY RANK FullTextScore(c.text, 'mountain')",
    ["2"],
  ],
  [
    "`ORDER BY RANK RRF`",
    "SELECT TOP 1 VALUE c.id FROM c ORDER BY RANK RRF(FullTextScore(c.text, 'stone'), FullTextScore(c.text, 'wall'))",
    ["3"],
  ],
];

const search: readonly Probe[] = [
  ...vectors(["euclidean", "1"], ["cosine", "2"], ["dotproduct", "2"]),
  ...texts.map(([feature, text, expected]) =>
    probe(feature, [...BOOKS, rows(text, expected)], TEXTS),
  ),
  probe(
    "hybrid search: the plan for clients that merge",
    [
      query("SELECT TOP 3 * FROM c ORDER BY RANK FullTextScore(c.text, 'stone')", {
        headers: {
          "x-ms-cosmos-is-query-plan-request": "True",
          "x-ms-cosmos-supported-query-features": "HybridSearch, OrderBy, Top, NonStreamingOrderBy",
        },
        says: /"hybridSearchQueryInfo":\{/,
      }),
    ],
    TEXTS,
  ),
];

export const QUERY_AREAS: readonly Area[] = [
  { title: "Queries: clauses and operators", about: "", probes: clauses },
  { title: "Queries: aggregates", about: "", probes: aggregates },
  { title: "Queries: search", about: "", probes: search },
  {
    title: "Queries: functions",
    about: "All names are understood in any case.",
    probes: functionProbes(),
  },
];
