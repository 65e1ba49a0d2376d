/** What an answer to a query says of its work, when it is asked to. */
import type { QueryAnswer } from "../../engine/queryItems.ts";
import { queryMetricsText } from "../../protocol/queryMetrics.ts";
import type { WireHeaders } from "../../protocol/wire.ts";
import { isTrue } from "../../protocol/wire.ts";

/** Names and values in turn. */
export function queryHeaders(headers: WireHeaders, answer: QueryAnswer): readonly string[] {
  const extra: string[] = [];
  if (isTrue(headers, "x-ms-documentdb-populatequerymetrics")) {
    const { work, compileMs } = answer;
    extra.push("x-ms-documentdb-query-metrics", queryMetricsText({ ...work, compileMs }));
  }
  return extra;
}
