/** What an answer to a query says of its work, when it is asked to. */
import { type ChargeExplained, chargeExplained } from "../../../engine/query/chargeExplained.ts";
import type { QueryAnswer } from "../../../engine/query/queryItems.ts";
import type { JsonObject } from "../../../json/value.ts";
import { utilizationFormOf, utilizationText } from "../../../protocol/answer/indexUtilization.ts";
import { queryMetricsText } from "../../../protocol/answer/queryMetrics.ts";
import { headerJson } from "../../../protocol/wire/headerJson.ts";
import { HEADER } from "../../../protocol/wire/headerNames.ts";
import type { WireHeaders } from "../../../protocol/wire/wire.ts";
import { isTrue } from "../../../protocol/wire/wire.ts";
import type { Detail } from "../../../query/explain/explain.ts";
import { explain } from "../../../query/explain/explain.ts";
import { utilizationOf } from "../../../query/explain/utilization.ts";

/** Names and values in turn. */
export function queryHeaders(headers: WireHeaders, answer: QueryAnswer): readonly string[] {
  const { work, compileMs, prepared } = answer;
  const extra: string[] = [];
  if (isTrue(headers, HEADER.populateQueryMetrics)) {
    const { itemCount, itemBytes, missCount } = work;
    const measured = { ...work, itemCount, itemBytes, missCount, compileMs };
    extra.push(HEADER.queryMetrics, queryMetricsText(measured));
  }
  const form = utilizationFormOf(headers);
  if (form !== undefined) {
    const indexes = utilizationOf(prepared.plan, prepared.index, work);
    extra.push(HEADER.indexUtilization, utilizationText(indexes, form));
  }
  if (isTrue(headers, HEADER.explain)) extra.push(HEADER.explain, explainText(answer));
  return extra;
}

/** Clients give up on answers with more than 16 KiB of headers, and these are not alone. */
const EXPLAIN_LENGTH_MAX = 6 * 1024;

/** From the best to one that fits always. */
const DETAILS: readonly Detail[] = [
  { textMax: 400, countMax: 32 },
  { textMax: 100, countMax: 8 },
  { textMax: 20, countMax: 2 },
];

function explainText(answer: QueryAnswer): string {
  const { prepared, work, compileMs, partitions } = answer;
  const charge = chargeExplained(answer);
  const partitionIds = partitions.map(({ entry }) => entry.id);
  const { query, plan } = prepared;
  let text = "";
  for (const detail of DETAILS) {
    const explained = explain({ query, plan, work, compileMs, partitionIds }, detail);
    text = headerJson({ ...explained, charge: told(charge, detail) });
    if (text.length <= EXPLAIN_LENGTH_MAX) break;
  }
  return text;
}

/** Paths of an advice are cut like all lists and texts; figures never are. */
function told({ ru, parts, advice }: ChargeExplained, { textMax, countMax }: Detail): JsonObject {
  const cut = (texts: readonly string[]): string[] =>
    texts.slice(0, countMax).map((text) => text.slice(0, textMax));
  return {
    ru,
    parts: parts.map(({ part, count, ru: own }) => ({
      part,
      count: rounded(count, 100),
      ru: rounded(own, 10_000),
    })),
    advice: advice.map(({ index, paths, orderBy, ...figures }) => ({
      index,
      paths: cut(paths),
      ...(orderBy && { orderBy: cut(orderBy) }),
      ...figures,
    })),
  };
}

function rounded(amount: number, steps: number): number {
  return Math.round(amount * steps) / steps;
}
