/** The problems that are reported for an order that a query cannot have. */
import type { QueryProblem } from "../problem.ts";
import { refusedQuery } from "../problem.ts";

export const NOT_A_PATH: QueryProblem = {
  kind: "diagnostics",
  diagnostics: [
    {
      code: 2206,
      message:
        "Unsupported ORDER BY clause. ORDER BY item expression could not be mapped to a document " +
        "path.",
    },
  ],
};

export const CORRELATED: QueryProblem = refusedQuery(
  "Order-by over correlated collections is not supported.",
);
