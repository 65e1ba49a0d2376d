/**
 * Whether the sketches of a table are to be trusted: how much of what a full search finds they
 * leave, tried with some vectors of the table itself. Where few elements differ from zero, or the
 * vectors lie otherwise than sketches assume, they may leave half of it; then an exact search is
 * the better answer, and it costs a few times as much.
 */
import type { VectorQuestion } from "../../query/execute/source.ts";
import { rankingOf } from "./ranking.ts";
import type { Sketches } from "./sketches.ts";
import type { VectorTable } from "./vectorTable.ts";

/** Tried as queries; and so many neighbours of each have to be found again. */
const QUERY_COUNT = 10;
const NEIGHBOUR_COUNT = 10;
/** As promised for a search that may be approximate. */
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
      // It has no vector, or none any more.
      if (near === undefined) continue;
      soughtCount++;
      if (likely.has(near)) foundCount++;
    }
  }
  return foundCount >= RECALL_MIN * soughtCount;
}

/** Evenly spread over the table. */
function* someRows(table: VectorTable): Generator<number> {
  const { rowCount } = table;
  for (let count = 0; count < QUERY_COUNT; count++) {
    const row = Math.floor(((count + 0.5) * rowCount) / QUERY_COUNT);
    if (table.numberAt(row) !== undefined) yield row;
  }
}
