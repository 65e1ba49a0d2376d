/**
 * The one query that is not a question: `SELECT * FROM c`, which the JavaScript SDK sends to list
 * the items of a container. It is a read feed in other words, and answered as one.
 */
import type { JsonObject, JsonValue } from "../json/value.ts";
import { isObject, property } from "../json/value.ts";

const NAME = "(?!(?:where|join|order|group|offset|in)\\b)[a-z_][a-z0-9_]*";
/** `SELECT * FROM c`, with or without another name for `c`. */
const SELECT_ALL = new RegExp(
  `^\\s*select\\s+\\*\\s+from\\s+${NAME}(?:\\s+(?:as\\s+)?${NAME})?\\s*$`,
  "i",
);

export function isSelectAll(body: JsonValue): boolean {
  const text = isObject(body) ? property(body, "query") : undefined;
  return typeof text === "string" && SELECT_ALL.test(text);
}

/** Nothing to merge, sort or add up, in every range. */
export const SELECT_ALL_PLAN: JsonObject = {
  partitionedQueryExecutionInfoVersion: 2,
  queryInfo: {
    distinctType: "None",
    top: null,
    offset: null,
    limit: null,
    orderBy: [],
    orderByExpressions: [],
    groupByExpressions: [],
    groupByAliases: [],
    aggregates: [],
    groupByAliasToAggregateType: {},
    rewrittenQuery: "",
    hasSelectValue: false,
    dCountInfo: null,
    hasNonStreamingOrderBy: false,
  },
  queryRanges: [{ min: "", max: "FF", isMinInclusive: true, isMaxInclusive: false }],
};
