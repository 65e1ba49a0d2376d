/**
 * Requests about items and their answers as a recorder is told of them. All is read from the wire:
 * what serves a request knows nothing of recordings. Bodies are read once more for that, which
 * costs those alone who record.
 */

import { ok } from "../../base/result.ts";
import { TIME_STAMP } from "../../base/systemProperties.ts";
import { parsePatch } from "../../engine/item/patch.ts";
import type { Container } from "../../engine/partition/container.ts";
import { parseQueryBody } from "../../engine/query/queryItems.ts";
import type { JsonValue } from "../../json/value.ts";
import { isObject, property } from "../../json/value.ts";
import type { Limits } from "../../model/limits.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import type { BulkOperation } from "../../protocol/bulk.ts";
import { parseBulk, parseOperations } from "../../protocol/bulk.ts";
import { parseBatchRows, readResultRows } from "../../protocol/hybridRow/batchRows.ts";
import { isHybridRow } from "../../protocol/hybridRow/recordIo.ts";
import { purposeOf } from "../../protocol/purpose.ts";
import { WIRE_STATUS } from "../../protocol/refusal.ts";
import { parseKey, parsePageCount } from "../../protocol/requestHeaders.ts";
import type { WireAnswer } from "../../protocol/wire.ts";
import { headerOf } from "../../protocol/wire.ts";
import type { Answered, Observation } from "../../recording/observation.ts";
import type { Recorder } from "../../recording/recorder.ts";
import type { GatewayRequest } from "../routes/gateway.ts";

export interface Exchange {
  readonly recorder: Recorder;
  readonly container: Container;
  readonly limits: Limits;
  readonly request: GatewayRequest;
  readonly answer: WireAnswer;
}

export function noteExchange(exchange: Exchange): void {
  const { request, answer } = exchange;
  const { path, method } = request;
  if (path.kind === "item") noteItem(exchange, path.id);
  // Who follows the change feed reads every change once, whatever the key is.
  else if (headerOf(request.headers, "a-im") !== undefined) return;
  else if (method === "GET") notePage(exchange, { kind: "readFeed" });
  else if (method === "POST") {
    const purpose = purposeOf(request.headers);
    if (purpose === "batch") noteBulk(exchange);
    else if (purpose === "queryPlan") notePlan(exchange);
    else if (purpose === "query") noteQuery(exchange);
    else noteWrite(exchange, purpose, jsonIn(answer.status < 400 ? request.body : undefined));
  }
}

function noteItem(exchange: Exchange, id: string): void {
  const { recorder, request, answer } = exchange;
  const answered = answeredBy(answer);
  const key = keyOf(request);
  switch (request.method) {
    case "GET": {
      const body = answer.status === 200 ? answer.body : undefined;
      const item = body && ((): JsonValue | undefined => jsonIn(body));
      const writtenAt = body && writtenAtOf(body);
      recorder.note({ kind: "pointRead", id, key, item, writtenAt, ...answered });
      break;
    }
    case "PUT":
      noteWrite(exchange, "replace", jsonIn(answer.status < 400 ? request.body : undefined));
      break;
    case "PATCH":
      notePatch(exchange, { id, key, body: jsonIn(request.body), ...answered });
      break;
    case "DELETE":
      recorder.note({ kind: "delete", id, key, ...answered });
  }
}

function noteWrite(
  { recorder, container, request, answer }: Exchange,
  kind: "create" | "upsert" | "replace",
  item: JsonValue | undefined,
): void {
  const key = keyOf(request) ?? keyOfItem(container, item);
  const bytes = request.body.length;
  recorder.note({ kind, key, item, bytes, ...answeredBy(answer) });
}

function notePatch(
  { recorder, limits }: Exchange,
  patch: Answered & {
    readonly id: string;
    readonly key: PartitionKey | undefined;
    readonly body: JsonValue | undefined;
  },
): void {
  const { body, ...rest } = patch;
  const parsed = body === undefined ? undefined : parsePatch(body, limits);
  if (parsed?.ok !== true) {
    recorder.noteFailed(rest);
    return;
  }
  const pointers = parsed.value.operations.flatMap((each) =>
    each.op === "move" ? [each.from, each.path] : [each.path],
  );
  recorder.note({ kind: "patch", pointers, ...rest });
}

function noteQuery(exchange: Exchange): void {
  const { recorder, request, answer } = exchange;
  const body = jsonIn(request.body);
  // The client is sent to ask each range, and those requests are the query.
  if (Number(answerHeader(answer, "x-ms-substatus")) === WIRE_STATUS.queryNotServable.substatus) {
    const refusal = jsonIn(answer.body);
    const plan = isObject(refusal) ? property(refusal, "additionalErrorInfo") : undefined;
    if (typeof plan === "string") expectRewritten(recorder, body, jsonIn(Buffer.from(plan)));
    return;
  }
  const query = body === undefined ? undefined : parseQueryBody(body);
  if (query?.ok !== true) {
    recorder.noteFailed(answeredBy(answer));
    return;
  }
  const { text, parameters } = query.value;
  const queryId = headerOf(request.headers, "x-ms-cosmos-correlated-activityid");
  notePage(exchange, { kind: "query", text, parameters, queryId });
}

function notePage(
  { recorder, request, answer }: Exchange,
  asked:
    | Pick<Extract<Observation, { kind: "query" }>, "kind" | "text" | "parameters" | "queryId">
    | { readonly kind: "readFeed" },
): void {
  const { headers } = request;
  const count = parsePageCount(headers);
  recorder.note({
    ...asked,
    ...answeredBy(answer),
    key: keyOf(request),
    rows: Number(answerHeader(answer, "x-ms-item-count") ?? 0),
    pageSize: count.ok ? count.value : 0,
    isContinued: (headerOf(headers, "x-ms-continuation") ?? "") !== "",
  });
}

/** Costs nothing and is no operation, but tells which text the next requests are about. */
function notePlan({ recorder, request, answer }: Exchange): void {
  if (answer.status === 200) expectRewritten(recorder, jsonIn(request.body), jsonIn(answer.body));
}

function expectRewritten(
  recorder: Recorder,
  body: JsonValue | undefined,
  plan: JsonValue | undefined,
): void {
  const text = memberOf(body, "query");
  if (typeof text !== "string") return;
  const info = memberOf(plan, "queryInfo");
  const hybrid = memberOf(plan, "hybridSearchQueryInfo");
  const components = memberOf(hybrid, "componentQueryInfos");
  const rewritten = [
    ...[info, ...(Array.isArray(components) ? components : [])].map((each) =>
      memberOf(each, "rewrittenQuery"),
    ),
    memberOf(hybrid, "globalStatisticsQuery"),
  ];
  for (const each of rewritten) if (typeof each === "string") recorder.notePlan(text, each);
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isObject(value) ? property(value, name) : undefined;
}

/** Each operation by itself; a request that was refused as a whole came to nothing. */
function noteBulk(exchange: Exchange): void {
  const { recorder, request, answer } = exchange;
  const operations = operationsIn(exchange);
  const results = answer.body && resultsIn(answer.body);
  if (operations === undefined || results === undefined) {
    recorder.noteFailed(answeredBy(answer));
    return;
  }
  const requestKey = keyOf(request);
  for (const [index, operation] of operations.entries()) {
    const result = results[index];
    if (!isObject(result)) continue;
    const answered = {
      status: Number(property(result, "statusCode")),
      ru: Number(property(result, "requestCharge") ?? 0),
    };
    const stored = property(result, "resourceBody");
    noteOperation(exchange, operation, { key: operation.key ?? requestKey, answered, stored });
  }
}

function operationsIn({ request, limits }: Exchange): readonly BulkOperation[] | undefined {
  const { body } = request;
  if (isHybridRow(body)) {
    const sent = parseBatchRows(body, (bytes) => ok(jsonIn(bytes) ?? null));
    const parsed = sent.ok ? parseOperations(sent.value, limits) : sent;
    return parsed.ok ? parsed.value : undefined;
  }
  const json = jsonIn(body);
  const parsed = json === undefined ? undefined : parseBulk(json, limits);
  return parsed?.ok === true ? parsed.value : undefined;
}

function resultsIn(body: Buffer): readonly JsonValue[] | undefined {
  if (!isHybridRow(body)) {
    const results = jsonIn(body);
    return Array.isArray(results) ? (results as readonly JsonValue[]) : undefined;
  }
  return readResultRows(body)?.map(({ statusCode, requestCharge, resourceBody }) => {
    const stored = resourceBody && jsonIn(resourceBody);
    return { statusCode, requestCharge, ...(stored !== undefined && { resourceBody: stored }) };
  });
}

function noteOperation(
  exchange: Exchange,
  operation: BulkOperation,
  {
    key,
    answered,
    stored,
  }: {
    readonly key: PartitionKey | undefined;
    readonly answered: Answered;
    readonly stored: JsonValue | undefined;
  },
): void {
  const { recorder, container } = exchange;
  switch (operation.kind) {
    case "read": {
      const writtenAt = isObject(stored) ? property(stored, TIME_STAMP) : undefined;
      recorder.note({
        kind: "pointRead",
        id: operation.id,
        key,
        item: () => stored,
        writtenAt: typeof writtenAt === "number" ? writtenAt : undefined,
        ...answered,
      });
      break;
    }
    case "delete":
      recorder.note({ kind: "delete", id: operation.id, key, ...answered });
      break;
    case "patch":
      notePatch(exchange, { id: operation.id, key, body: operation.resource, ...answered });
      break;
    default: {
      const item = operation.resource;
      const bytes = Buffer.byteLength(JSON.stringify(item));
      const itemKey = key ?? keyOfItem(container, item);
      recorder.note({ kind: operation.kind, key: itemKey, item, bytes, ...answered });
    }
  }
}

function answeredBy(answer: WireAnswer): Answered {
  return {
    status: answer.status,
    ru: Number(answerHeader(answer, "x-ms-request-charge") ?? 0),
  };
}

function answerHeader({ headers }: WireAnswer, name: string): string | undefined {
  for (let at = 0; at < headers.length; at += 2) if (headers[at] === name) return headers[at + 1];
  return undefined;
}

function keyOf({ headers }: GatewayRequest): PartitionKey | undefined {
  const key = parseKey(headers);
  return key.ok ? key.value : undefined;
}

function keyOfItem(container: Container, item: JsonValue | undefined): PartitionKey | undefined {
  const key = isObject(item) ? container.readKey(item) : undefined;
  return key?.ok === true ? key.value : undefined;
}

const STAMP = Buffer.from('"_ts":');
const DIGIT_COUNT_MAX = 12;

/** The stamp is the last thing that the system writes into an item: its digits and a brace. */
function writtenAtOf(body: Buffer): number | undefined {
  let at = body.length - 2;
  let [seconds, weight] = [0, 1];
  for (; body.length - at <= DIGIT_COUNT_MAX + 1; at--) {
    const digit = (body[at] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) break;
    seconds += digit * weight;
    weight *= 10;
  }
  const start = at + 1 - STAMP.length;
  if (weight === 1 || start < 0) return undefined;
  return STAMP.compare(body, start, at + 1) === 0 ? seconds : undefined;
}

/** Undefined where there is none: whoever answered has complained. */
function jsonIn(bytes: Buffer | undefined): JsonValue | undefined {
  if (bytes === undefined) return undefined;
  try {
    return JSON.parse(bytes.toString()) as JsonValue;
  } catch {
    return undefined;
  }
}
