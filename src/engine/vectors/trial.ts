/**
 * Decides whether the sketches of a table can be trusted, by trying some vectors of the table as
 * queries: how many of the neighbours that a full search finds are among the rows that the sketches
 * leave. Where most elements are zero, or the vectors are distributed otherwise than sketches
 * assume, only half may be left; then an exact search is the better answer, at a few times the
 * cost.
 */
import type { VectorQuestion } from "../../query/execute/source.ts";
import { rankingOf } from "./ranking.ts";
import type { Sketches } from "./sketches.ts";
import type { VectorTable } from "./vectorTable.ts";

/** Number of vectors that are tried as queries, and of neighbours of each that have to be found. */
const QUERY_COUNT = 10;
const NEIGHBOUR_COUNT = 10;
/** The recall that is promised for a search that may be approximate. */
const RECALL_MIN = 0.95;

export async function isTrusty(
  table: VectorTable,
  sketches: Sketches,
  asked: VectorQuestion,
): Promise<boolean> {
  let soughtCount = 0;
  let foundCount = 0;
  for (const row of someRows(table)) {
    const offset = table.offset(row);
    const query = table.block(row).slice(offset, offset + table.dimensions);
    const question = { ...asked, query, countWanted: NEIGHBOUR_COUNT, thoroughness: 1 };
    const likely = new Set(await sketches.near(question));
    const sought = await (await rankingOf(table, question)).next(NEIGHBOUR_COUNT);
    for (const number of sought) {
      const near = table.rowOf(number);
      // The item has no vector, or has none any more.
      if (near === undefined) continue;
      soughtCount++;
      if (likely.has(near)) foundCount++;
    }
  }
  return foundCount >= RECALL_MIN * soughtCount;
}

/** Yields rows that are evenly spread over the table. */
function* someRows(table: VectorTable): Generator<number> {
  const { rowCount } = table;
  for (let count = 0; count < QUERY_COUNT; count++) {
    const row = Math.floor(((count + 0.5) * rowCount) / QUERY_COUNT);
    if (table.numberAt(row) !== undefined) yield row;
  }
}
