/**
 * Which requests are one query. A client that asks each range by itself sends a request for each
 * range and page, all with the same query id, and often with a text that the server made for it
 * (the plan). Together these are one read of the text that the application wrote.
 */
import type { JsonValue } from "../../json/value.ts";
import { isObject, property } from "../../json/value.ts";
import { RESUME_FILTER } from "../../query/clientPlan/planRewrite.ts";
import type { Query } from "../../query/language/ast.ts";
import { parseQuery } from "../../query/language/parser.ts";
import type { ShapeTally } from "./shapeTally.ts";

const TEXT_COUNT_MAX = 512;
const TEXT_LENGTH_MAX = 16 * 1024;
const OPEN_COUNT_MAX = 1_024;
const QUERY_ID_LENGTH_MAX = 64;

/** The place in a text made for a client where the client puts `true`, or a filter of its own. */
const FILTER_PLACE = RESUME_FILTER.name.slice(1, -1);

export class ClientTexts {
  /** What the application wrote, by the text that was made of it. */
  readonly #written = new Map<string, Query>();
  readonly #open = new Map<string, ShapeTally>();

  /** Makes requests with the texts of the plan count as queries of `text`. */
  expect(text: string, plan: JsonValue): void {
    if (text.length > TEXT_LENGTH_MAX) return;
    const parsed = parseQuery(text);
    if (!parsed.ok) return;
    for (const made of textsIn(plan)) {
      const sent = made.replaceAll(FILTER_PLACE, "true");
      if (sent !== "") keep(this.#written, sent, parsed.value, TEXT_COUNT_MAX);
    }
  }

  /** Returns the query that a text was made of; undefined if the server made no such text. */
  writtenAs(text: string): Query | undefined {
    return this.#written.get(text);
  }

  /** Returns where the query with this id is counted, if one of its requests has come before. */
  openedAs(queryId: string | undefined): ShapeTally | undefined {
    return queryId === undefined ? undefined : this.#open.get(queryId);
  }

  open(queryId: string | undefined, tally: ShapeTally): void {
    if (queryId === undefined || queryId.length > QUERY_ID_LENGTH_MAX) return;
    keep(this.#open, queryId, tally, OPEN_COUNT_MAX);
  }
}

function keep<Value>(kept: Map<string, Value>, name: string, value: Value, countMax: number): void {
  kept.set(name, value);
  if (kept.size <= countMax) return;
  const [oldest] = kept.keys();
  kept.delete(oldest!);
}

function textsIn(plan: JsonValue): readonly string[] {
  const hybrid = memberOf(plan, "hybridSearchQueryInfo");
  const components = memberOf(hybrid, "componentQueryInfos");
  const parts = Array.isArray(components) ? (components as readonly JsonValue[]) : [];
  const infos = [memberOf(plan, "queryInfo"), ...parts];
  const texts = infos.map((info) => memberOf(info, "rewrittenQuery"));
  return [...texts, memberOf(hybrid, "globalStatisticsQuery")].filter(
    (text): text is string => typeof text === "string",
  );
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isObject(value) ? property(value, name) : undefined;
}
