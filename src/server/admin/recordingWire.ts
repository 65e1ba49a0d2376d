/**
 * Requests about items and their answers as a recorder is told of them. All is read from the wire:
 * what serves a request knows nothing of recordings. Bodies are read once more for that, which
 * costs those alone who record.
 */

import { ok } from "../../base/result.ts";
import { TIME_STAMP } from "../../base/systemProperties.ts";
import { parsePatch } from "../../engine/item/patch.ts";
import type { Container } from "../../engine/partition/container.ts";
import type { JsonValue } from "../../json/value.ts";
import { isObject, property } from "../../json/value.ts";
import type { Limits } from "../../model/limits.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import type { AskedScope } from "../../model/request/itemScope.ts";
import { parseQueryBody } from "../../model/request/queryText.ts";
import type { WriteRequest } from "../../model/request/writeRequest.ts";
import { WIRE_STATUS } from "../../protocol/answer/refusal.ts";
import { parseBatchRows, readResultRows } from "../../protocol/hybridRow/batchRows.ts";
import { isHybridRow } from "../../protocol/hybridRow/recordIo.ts";
import type { BulkOperation } from "../../protocol/request/bulk.ts";
import { parseBulk, parseOperations } from "../../protocol/request/bulk.ts";
import type { AskedRead, ItemRequest } from "../../protocol/request/itemRequest.ts";
import type { AskedBatch, ItemsRequest } from "../../protocol/request/itemsRequest.ts";
import type { PagedRead } from "../../protocol/request/pagedRead.ts";
import type { AskedQueryPage } from "../../protocol/request/queryRequest.ts";
import { HEADER } from "../../protocol/wire/headerNames.ts";
import type { WireAnswer } from "../../protocol/wire/wire.ts";
import type { Answered, Observation } from "../../recording/observation.ts";
import type { Recorder } from "../../recording/recorder.ts";

interface Exchange {
  readonly recorder: Recorder;
  readonly container: Container;
  readonly limits: Limits;
  readonly request: ItemRequest | ItemsRequest;
  readonly answer: WireAnswer;
}

export function noteExchange(exchange: Exchange): void {
  const { recorder, request, answer } = exchange;
  // What was refused for its form alone came to nothing, whatever it was meant to be.
  if (!request.asked.ok) {
    recorder.noteFailed(answeredBy(answer));
    return;
  }
  const asked = request.asked.value;
  switch (asked.kind) {
    case "read":
      noteRead(exchange, asked);
      break;
    case "write":
      noteWriting(exchange, asked.write);
      break;
    case "readFeed":
      notePage(exchange, asked, { kind: "readFeed" });
      break;
    case "query":
      noteQuery(exchange, asked);
      break;
    case "queryPlan":
      notePlan(exchange);
      break;
    case "batch":
      noteBulk(exchange, asked);
      break;
    case "changes": // Who follows the change feed reads every change once, whatever the key is.
  }
}

function noteRead({ recorder, request, answer }: Exchange, { key }: AskedRead): void {
  if (request.kind !== "item") return;
  const { id } = request.path;
  const body = answer.status === 200 ? answer.body : undefined;
  const item = body && ((): JsonValue | undefined => jsonIn(body));
  const writtenAt = body && writtenAtOf(body);
  recorder.note({ kind: "pointRead", id, key, item, writtenAt, ...answeredBy(answer) });
}

function noteWriting(exchange: Exchange, write: WriteRequest): void {
  const { recorder, request, answer } = exchange;
  const answered = answeredBy(answer);
  switch (write.kind) {
    case "patch": {
      const { id, key } = write;
      notePatch(exchange, { id, key, body: jsonIn(request.body), ...answered });
      break;
    }
    case "delete":
      recorder.note({ kind: "delete", id: write.id, key: write.key, ...answered });
      break;
    default: {
      const item = jsonIn(answer.status < 400 ? request.body : undefined);
      noteWrite(exchange, { kind: write.kind, key: write.key, item });
    }
  }
}

function noteWrite(
  { recorder, container, request, answer }: Exchange,
  written: {
    readonly kind: "create" | "upsert" | "replace";
    readonly key: PartitionKey | undefined;
    readonly item: JsonValue | undefined;
  },
): void {
  const { kind, item } = written;
  const key = written.key ?? keyOfItem(container, item);
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

function noteQuery(exchange: Exchange, asked: AskedQueryPage): void {
  const { recorder, request, answer } = exchange;
  const body = jsonIn(request.body);
  // The client is sent to ask each range, and those requests are the query.
  if (Number(answerHeader(answer, HEADER.substatus)) === WIRE_STATUS.queryNotServable.substatus) {
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
  notePage(exchange, asked, { kind: "query", text, parameters, queryId: asked.queryId });
}

function notePage(
  { recorder, answer }: Exchange,
  { scope, countMax, continuation }: PagedRead,
  asked:
    | Pick<Extract<Observation, { kind: "query" }>, "kind" | "text" | "parameters" | "queryId">
    | { readonly kind: "readFeed" },
): void {
  recorder.note({
    ...asked,
    ...answeredBy(answer),
    key: keyOfScope(scope),
    rows: Number(answerHeader(answer, HEADER.itemCount) ?? 0),
    pageSize: countMax,
    isContinued: continuation !== undefined,
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
function noteBulk(exchange: Exchange, { key: requestKey }: AskedBatch): void {
  const { recorder, answer } = exchange;
  const operations = operationsIn(exchange);
  const results = answer.body && resultsIn(answer.body);
  if (operations === undefined || results === undefined) {
    recorder.noteFailed(answeredBy(answer));
    return;
  }
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
    ru: Number(answerHeader(answer, HEADER.requestCharge) ?? 0),
  };
}

function answerHeader({ headers }: WireAnswer, name: string): string | undefined {
  for (let at = 0; at < headers.length; at += 2) if (headers[at] === name) return headers[at + 1];
  return undefined;
}

function keyOfScope(scope: AskedScope): PartitionKey | undefined {
  return "key" in scope ? scope.key : undefined;
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
