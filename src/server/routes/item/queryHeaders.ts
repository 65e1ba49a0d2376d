/** What an answer to a query says of its work, when it is asked to. */
import {
  type ChargeExplained,
  chargeExplained,
  type PartitionShare,
} from "../../../engine/query/chargeExplained.ts";
import type { QueryAnswer } from "../../../engine/query/queryItems.ts";
import type { JsonObject } from "../../../json/value.ts";
import { queryHeadersOf } from "../../../protocol/answer/answerHeaders.ts";
import { utilizationText } from "../../../protocol/answer/indexUtilization.ts";
import { queryMetricsText } from "../../../protocol/answer/queryMetrics.ts";
import type { ToldOfQuery, UtilizationForm } from "../../../protocol/request/queryRequest.ts";
import { headerJson } from "../../../protocol/wire/headerJson.ts";
import type { Detail } from "../../../query/explain/explain.ts";
import { explain } from "../../../query/explain/explain.ts";
import { utilizationOf } from "../../../query/explain/utilization.ts";

/** Names and values in turn. */
export function queryHeaders(told: ToldOfQuery, answer: QueryAnswer): readonly string[] {
  return queryHeadersOf({
    metrics: told.isMeasured ? metricsOf(answer) : undefined,
    utilization: told.utilization && utilizationIn(answer, told.utilization),
    explained: told.isExplained ? explainText(answer) : undefined,
  });
}

function metricsOf({ work, compileMs }: QueryAnswer): string {
  const { itemCount, itemBytes, missCount } = work;
  return queryMetricsText({ ...work, itemCount, itemBytes, missCount, compileMs });
}

function utilizationIn({ work, prepared }: QueryAnswer, form: UtilizationForm): string {
  return utilizationText(utilizationOf(prepared.plan, prepared.index, work), form);
}

/** Clients give up on answers with more than 16 KiB of headers, and these are not alone. */
const EXPLAIN_LENGTH_MAX = 6 * 1024;

/** How much is explained, from the best to what always fits. */
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
function told(charge: ChargeExplained, { textMax, countMax }: Detail): JsonObject {
  const { ru, parts, advice, partitions } = charge;
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
    partitions: sharesTold(partitions, countMax),
  };
}

/** Those beyond the room there is are one entry, so that the shares still add up to the charge. */
function sharesTold(shares: readonly PartitionShare[], countMax: number): JsonObject[] {
  const shown = shares.slice(0, countMax).map((share) => ({ ...share }));
  const others = shares.slice(countMax);
  if (others.length === 0) return shown;
  const sum = (of: (share: PartitionShare) => number): number =>
    others.reduce((total, share) => total + of(share), 0);
  return [
    ...shown,
    {
      others: others.length,
      ru: rounded(
        sum((share) => share.ru),
        100,
      ),
      items: sum(({ items }) => items),
      misses: sum(({ misses }) => misses),
      rows: sum(({ rows }) => rows),
      ms: rounded(
        sum(({ ms }) => ms),
        100,
      ),
    },
  ];
}

function rounded(amount: number, steps: number): number {
  return Math.round(amount * steps) / steps;
}
