/**
 * The bound on the rows of a search by distance or rank over several keys.
 *
 * No range can give out a row before it has seen all of its own, so the service's gateway leaves
 * such a query to clients, and clients refuse a query without a bound, or with a larger bound than
 * this one, unless they are configured otherwise. A query within the bound is answered here. A
 * query beyond it is refused with words that clients look for, which makes them follow the plan and
 * apply their own bound.
 */
import type { JsonValue } from "../../json/value.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { BoundCount, BoundProgram } from "../../query/bind/bound.ts";
import { isVectorBuiltIn } from "../../query/functions/vector.ts";

/** The bound of the official clients. */
const ROW_COUNT_MAX = 50_000;

export function searchBoundProblem(
  { query }: BoundProgram,
  parameters: ReadonlyMap<string, JsonValue>,
): Refusal | undefined {
  const [order] = query.orderBy;
  const isByDistance =
    order?.expression.kind === "call" && isVectorBuiltIn(order.expression.builtIn);
  if (!isByDistance && query.rank === undefined) return undefined;
  const given = (count: BoundCount | undefined): unknown =>
    count?.kind === "parameter" ? parameters.get(count.name) : count?.value;
  const counts = query.top === undefined ? [query.offset, query.limit] : [query.top];
  const values = counts.map(given);
  // Values that are no numbers are refused later, where the number is needed.
  const rowCount = values.reduce<number>(
    (sum, value) => sum + (value === undefined ? Infinity : Number(value)),
    0,
  );
  if (!(rowCount > ROW_COUNT_MAX)) return undefined;
  const message =
    `Cross partition query only supports ORDER BY ${isByDistance ? "VectorDistance" : "RANK"} ` +
    `with TOP or OFFSET LIMIT, for ${ROW_COUNT_MAX} rows at most; ask for fewer rows, or within ` +
    "one partition key.";
  return { kind: "queryRefused", message };
}
