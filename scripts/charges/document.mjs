/** docs/use/charges.md: what a charge is made of, and how far it is from what was published. */

/** @typedef {import("../charges.mjs").Tried} Tried */
/** @typedef {import("./example.mjs").Example} Example */

/**
 * @param {{ example: Example, points: Tried[], payloads: Tried[], queries: Tried[], old: Tried[] }} all
 * @returns {string}
 */
export function documentOf({ example, points, payloads, queries, old }) {
  return `# Charges

Every answer says what it cost, in request units (RU), in the header \`x-ms-request-charge\`. The price list is a formula of
counted work (\`src/throughput/charge.ts\`) that was fitted to what Microsoft documents and people have measured. The same
request on the same data costs the same each time, on any machine. This page is made by
\`npm run campaign charges -- --write\`, which tries each published figure through the official client; do not edit it by hand.

${summaryOf(points, payloads, queries)}

## Reads and writes

A point read costs by the size of the stored item, its system properties included, in steps: up to 1 KiB, 2 KiB, 4 KiB and
so on to 2 MiB. 1 RU is the price of the first step; the others are in the first table below. Strong and bounded-staleness
reads cost twice as much, as do queries and feeds. An item that is not there costs 1 RU to look for, and so does one that has
not changed (304).

A write costs by the step of its size, and for every index entry it makes or removes. In units of 4/21 RU, with W the price
of the step:

| write          | units                                                                            |
| -------------- | -------------------------------------------------------------------------------- |
| create, delete | W + 3 + 2 for each indexed leaf, composite index and unique key                  |
| replace        | W before + W after + 2 + 2 for each leaf that changed, came or went              |
| upsert         | as a create or a replace, whichever it comes to                                  |
| patch          | as a replace, and 0.40 RU for each operation                                     |
| batch          | the sum of its operations                                                        |

A leaf is a scalar at an indexed path, other than \`id\`; elements of arrays count one by one. With indexing mode \`none\` only W
remains. A request that is refused after a look at an item (409, 412) costs what reading it would; one that is turned away because
the budget is empty (429) costs 0.38 RU. A page of a read feed costs what reading its items one by one would, and 1 RU at
least.

## Queries

A page of a query costs, on each physical partition:

| for                                                                                     | RU             |
| --------------------------------------------------------------------------------------- | -------------- |
| opening it                                                                              | 2.24           |
| the first lookup in its index                                                           | 0.55           |
| each further one: another condition, another value of IN or OR; on the first page       | 0.10           |
| an item found through the index                                                         | 0.0135         |
| an item loaded, and each KiB of it                                                      | 0.011, 0.0062  |
| a KiB of output                                                                         | 0.0119         |
| a KiB of an item beyond 512 KiB, loaded and given out                                   | 0.083          |
| an index entry read for its value: aggregates, DISTINCT, CONTAINS, LIKE '%…'            | 0.0035         |
| an index entry passed by in the order of ORDER BY, when the filter is on something else | 0.0041         |
| evaluating a function that the index does not answer: of a text, any other              | 0.016, 0.005   |

What is found through the index is not read in vain. A condition that the index cannot answer (a path that is not indexed,
UPPER, arithmetic) is tried on items, and each item that has to be loaded for it is paid for, whether it passes or not; with no
other condition that is all of them. The same holds for a filter on a partition key that the policy does not index.

### Why did this cost ${example.charge}?

\`\`\`sql
${example.query}
\`\`\`

finds 220 items of 1 KiB in a container with one physical partition and the default indexing policy:

| what | RU |
| ---- | -: |
${example.pieces.map(({ what, ru }) => `| ${what} | ${ru.toFixed(3)} |`).join("\n")}
| together, rounded | ${example.charge} |

In a container of ${example.partitionCount} physical partitions the same question costs ${example.fanOutCharge}: it says nothing of the partition key, so every
one of them is opened and asked, 2.99 RU each, whatever it finds there. \`x-ms-documentdb-populatequerymetrics\` and
\`orrery query --explain\` tell the counts of any page.

### Pages

A page pays for the way from where it began to where it ended. Every physical partition is opened once; every further page
opens the one it goes on in again, with one lookup. Rows that have to be collected first (sorted, grouped, distinct) are paid
for on the first page. So n pages over p physical partitions pay for n + p - 1 openings at most, whatever the size of the
pages, and for all else exactly once. A page that ends early because its time is up is continued by the next at no extra
charge.

### Search

A vector under an index costs by its dimensions, of which the service publishes 1,536: as much as 60 leaves under \`flat\` and
\`quantizedFlat\`, 140 under \`diskANN\`. That makes about 35 and 65 RU for such an item. A search through the index pays for every fifth
vector as for an index entry read for its value, under \`diskANN\` for 10,000 of them at most, and for the items it gives; it costs
the same whether it was exact or not. Without an index it pays for all items. The words of a full-text index cost nothing when
an item is written, for no figure is published. Conditions on words pay for lookups like others, and \`ORDER BY RANK\` for the
entries or items that its statistics are counted from, and for each item that it scores.

${tableOf("Operations on items", points)}

${tableOf("Operations by size of payload", payloads, WHOLE_NUMBERS)}

${tableOf("Query pages", queries)}

${oldTableOf(old)}
`;
}

const WHOLE_NUMBERS = `Items are {id, payloadId, payload}, and only payloadId is indexed. These were published as whole numbers: a charge that
rounds to the number meets it.`;

/**
 * @param {Tried[]} points
 * @param {Tried[]} payloads
 * @param {Tried[]} queries
 */
function summaryOf(points, payloads, queries) {
  const lines = [
    ["operations on items", points],
    ["operations by payload", payloads],
    ["query pages", queries],
  ].map(([name, rows]) => {
    const all = /** @type {Tried[]} */ (rows).filter(({ ours }) => ours !== undefined);
    const errors = all.map((row) => Math.abs(errorOf(row) ?? 0));
    const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
    return `| ${name} | ${all.length} | ${mean.toFixed(1)} % | ${Math.max(...errors).toFixed(1)} % |`;
  });
  const skipped = [...points, ...payloads, ...queries].filter(({ ours }) => ours === undefined);
  return [
    "| published figures | tried | mean error | worst |",
    "| ----------------- | ----: | ---------: | ----: |",
    ...lines,
    ...(skipped.length === 0
      ? []
      : ["", `**${skipped.length} figures were left out of this run (\`--quick\`).**`]),
  ].join("\n");
}

/**
 * In per cent; 0 when a whole number is met.
 * @param {Tried} row
 * @returns {number | undefined}
 */
function errorOf({ ours, published, isWhole }) {
  if (ours === undefined) return undefined;
  if (isWhole === true && Math.round(ours) === published) return 0;
  return (100 * (ours - published)) / published;
}

/** @param {Tried} row */
function errorText(row) {
  const error = errorOf(row);
  if (error === undefined) return "not tried";
  if (row.isWhole === true && error === 0) return "met";
  return `${error > 0 ? "+" : ""}${error.toFixed(1)} %`.replace(/^[+-]0\.0 %/, "0.0 %");
}

/** @param {number | undefined} ours */
function oursText(ours) {
  return ours === undefined ? "–" : ours.toFixed(2);
}

/**
 * @param {string} title
 * @param {Tried[]} rows
 * @param {string} [text]
 */
function tableOf(title, rows, text) {
  const errors = rows.map(errorOf).filter((error) => error !== undefined);
  const sizes = errors.map(Math.abs);
  const mean = sizes.reduce((sum, error) => sum + error, 0) / sizes.length;
  const worst = Math.max(...sizes);
  return [
    `## ${title}`,
    "",
    ...(text === undefined ? [] : [text, ""]),
    ...linesOf(rows),
    "",
    `Mean error ${mean.toFixed(1)} %, worst ${worst.toFixed(1)} %.`,
  ].join("\n");
}

/** @param {Tried[]} rows */
function linesOf(rows) {
  return [
    "| what | published | ours | error | source |",
    "| ---- | --------: | ---: | ----: | ------ |",
    ...rows.map((row) => {
      const note = row.note === undefined ? "" : ` (${row.note})`;
      const cells = [
        row.what + note,
        row.published,
        oursText(row.ours),
        errorText(row),
        row.source,
      ];
      return `| ${cells.join(" | ")} |`;
    }),
  ];
}

/** @param {Tried[]} rows */
function oldTableOf(rows) {
  return [
    "## Figures that are not met",
    "",
    "Published, but of older engines, or without the sizes it takes to try them as they were; ours",
    "are beside them with the sizes that were taken. Not tried are the examples of stored procedures,",
    "of a JOIN over three arrays (167.62, and 22.17 with subqueries: the number of items is not known)",
    "and the queries of the blogging example, whose data is not published.",
    "",
    ...linesOf(rows),
  ].join("\n");
}
