/**
 * Requests as frames. A frame is read to what the same request would be over HTTP, so that it is
 * admitted, decoded and answered by the same code; and written from that.
 *
 * Invariants
 * - A path is built of names as they are: nothing in a name is an escape or a slash.
 * - Nothing of a frame is left out of account that would change what it asks for.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest, unsupported } from "../../model/refusal.ts";
import { purposeOf } from "../request/purpose.ts";
import type { ResourcePath } from "../request/resourcePath.ts";
import { resourcePathOf } from "../request/resourcePath.ts";
import type { SentRequest } from "../request/sentRequest.ts";
import { HEADER } from "../wire/headerNames.ts";
import type { RntbdFrame, TokenForm, Tokens, WrittenToken } from "./frame.ts";
import { writeFrame } from "./frame.ts";
import type { DirectOperation, ResourceType } from "./operations.ts";
import {
  chainOf,
  OPERATION,
  operationOf,
  resourceTypeOf,
  resourceTypeOfWord,
} from "./operations.ts";
import { HEADER_TOKENS, REQUEST_TOKEN, UNSUPPORTED_TOKENS } from "./requestTokens.ts";
import { segmentsOfRid } from "./ridSegments.ts";

export interface DirectRequest extends SentRequest {
  readonly headers: Record<string, string>;
  /** The path of the address that the client was given, with all that it says. */
  readonly replicaPath: string;
}

/** What the first frame of a connection says of all that follow. */
export interface ConnectionFacts {
  readonly version: string;
  readonly userAgent: string;
}

type Decoded<T> = Result<T, Refusal>;

/** The number of a request, by which its sender finds the answer; absent where it sent none. */
export function requestIdOf({ tokens }: Pick<RntbdFrame, "tokens">): number | undefined {
  const id = tokens.get(REQUEST_TOKEN.requestId.id);
  return typeof id === "number" ? id : undefined;
}

/** Whether a body follows the head of a request. */
export function requestHasBody({ tokens }: Pick<RntbdFrame, "tokens">): boolean {
  return tokens.get(REQUEST_TOKEN.hasBody.id) === 1;
}

export function decodeRequestFrame(
  frame: RntbdFrame,
  facts: ConnectionFacts,
): Decoded<DirectRequest> {
  const { word, tokens } = frame;
  const name = operationOf(word >>> 16);
  const type = resourceTypeOf(word & 0xffff);
  if (name === undefined || type === undefined) {
    return no(unsupported(`DirectOperation ${word >>> 16} on resource type ${word & 0xffff}.`));
  }
  for (const [id, what] of UNSUPPORTED_TOKENS) {
    if (tokens.has(id)) return no(unsupported(`In direct mode, ${what}.`));
  }
  const operation = OPERATION[name];
  const path = pathOf(type, operation, tokens);
  if (path === undefined) return no(badRequest("The request names no resource."));
  const headers = headersOf(operation, tokens, facts);
  if (!headers.ok) return headers;
  const body = frame.body ?? NO_BODY;
  if (name === "sqlQuery") Object.assign(headers.value, QUERY_HEADERS);
  else Object.assign(headers.value, PURPOSE_HEADERS[name]);
  return ok({
    method: operation.verb,
    path,
    headers: headers.value,
    body: name === "sqlQuery" ? queryBody(body) : body,
    replicaPath: textOf(tokens, REQUEST_TOKEN.replicaPath) ?? "",
  });
}

const NO_BODY = Buffer.alloc(0);

/** A range is asked by itself, whatever the query is about. */
const QUERY_HEADERS = {
  [HEADER.isQuery]: "True",
  "content-type": "application/query+json",
  [HEADER.crossPartition]: "True",
};
const PURPOSE_HEADERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  query: QUERY_HEADERS,
  upsert: { [HEADER.isUpsert]: "True" },
  batch: { [HEADER.isBatch]: "True" },
  queryPlan: { ...QUERY_HEADERS, [HEADER.isQueryPlan]: "True" },
};

/** The oldest form of a query is its text alone. */
function queryBody(text: Buffer): Buffer {
  return Buffer.from(JSON.stringify({ query: text.toString() }));
}

function pathOf(
  type: ResourceType,
  { isOfFeed }: DirectOperation,
  tokens: Tokens,
): ResourcePath | undefined {
  if (tokens.has(REQUEST_TOKEN.databaseName.id)) {
    return resourcePathOf(namedSegments(type, isOfFeed, tokens));
  }
  const rid = tokens.get(REQUEST_TOKEN.resourceId.id);
  if (rid === undefined) return isOfFeed ? resourcePathOf([type.word]) : undefined;
  const segments = Buffer.isBuffer(rid) ? segmentsOfRid(type, isOfFeed, rid) : undefined;
  return segments && resourcePathOf(segments);
}

function namedSegments(type: ResourceType, isOfFeed: boolean, tokens: Tokens): readonly string[] {
  const named = chainOf(type).flatMap(({ word, name }) => [word, textOf(tokens, name) ?? ""]);
  return isOfFeed ? named.slice(0, -1) : named;
}

function headersOf(
  { isRead }: DirectOperation,
  tokens: Tokens,
  { version, userAgent }: ConnectionFacts,
): Decoded<Record<string, string>> {
  const headers: Record<string, string> = {
    "user-agent": userAgent,
    [HEADER.version]: version,
  };
  for (const { id, header, coding } of HEADER_TOKENS) {
    const value = tokens.get(id);
    if (value === undefined) continue;
    if (Buffer.isBuffer(value)) return no(badRequest(`The token of ${header} has no text.`));
    const text = coding.textOf(value);
    if (text !== undefined) headers[header] = text;
  }
  const match = textOf(tokens, REQUEST_TOKEN.match);
  if (match !== undefined) headers[isRead ? "if-none-match" : "if-match"] = match;
  return withBounds(headers, tokens);
}

/** EPK bounds are the digits of keys in ASCII, or the bytes that those stand for. */
function withBounds(
  headers: Record<string, string>,
  tokens: Tokens,
): Decoded<Record<string, string>> {
  const form = tokens.get(REQUEST_TOKEN.boundsForm.id);
  if (tokens.has(REQUEST_TOKEN.effectiveKey.id) && headers[HEADER.partitionKey] === undefined) {
    return no(unsupported("In direct mode, an EPK instead of a partition key."));
  }
  for (const [token, header] of BOUNDS) {
    const bytes = tokens.get(token.id);
    if (bytes === undefined) continue;
    if (!Buffer.isBuffer(bytes) || (form !== EPK_BYTES && form !== EPK_DIGITS)) {
      return no(unsupported("In direct mode, bounds of a feed that are no EPKs."));
    }
    headers[header] =
      form === EPK_DIGITS ? bytes.toString("latin1") : bytes.toString("hex").toUpperCase();
  }
  return ok(headers);
}

const EPK_BYTES = 2;
const EPK_DIGITS = 3;
const BOUNDS = [
  [REQUEST_TOKEN.startEpk, HEADER.startEpk],
  [REQUEST_TOKEN.endEpk, HEADER.endEpk],
] as const;

function textOf(tokens: Tokens, { id }: TokenForm): string | undefined {
  const value = tokens.get(id);
  return typeof value === "string" ? value : undefined;
}

/** What a client knows besides the request itself. */
interface SendingTerms {
  readonly activityId: string;
  readonly requestId: number;
  readonly replicaPath: string;
}

/**
 * Writes the frame of a request; `undefined` where direct mode has none for it. Headers that no
 * token stands for are left out.
 */
export function encodeRequestFrame(sent: SentRequest, terms: SendingTerms): Buffer | undefined {
  const { path, body } = sent;
  const type = resourceTypeOfWord(path.resourceType);
  const operation = operationFor(sent);
  const segments = path.segments;
  if (type === undefined || operation === undefined) return undefined;
  if (resourcePathOf(segments) === undefined) return undefined;
  const tokens: WrittenToken[] = [
    { ...REQUEST_TOKEN.hasBody, value: body.length > 0 ? 1 : 0 },
    { ...REQUEST_TOKEN.requestId, value: terms.requestId },
    { ...REQUEST_TOKEN.replicaPath, value: terms.replicaPath },
    ...nameTokens(type, segments),
    ...headerTokens(operation, sent),
  ];
  const word = operation.code * 0x10000 + type.code;
  return writeFrame({ word, activityId: terms.activityId, body }, tokens);
}

function operationFor({ method, path, headers }: SentRequest): DirectOperation | undefined {
  const isFeed = path.segments.length % 2 === 1;
  switch (method) {
    case "GET":
      return isFeed ? OPERATION.readFeed : OPERATION.read;
    case "HEAD":
      return isFeed ? OPERATION.headFeed : OPERATION.head;
    case "PUT":
      return OPERATION.replace;
    case "PATCH":
      return OPERATION.patch;
    case "DELETE":
      return OPERATION.delete;
    case "POST":
      return isFeed ? OPERATION[purposeOf(headers)] : OPERATION.execute;
    default:
      return undefined;
  }
}

function nameTokens(type: ResourceType, segments: readonly string[]): readonly WrittenToken[] {
  return chainOf(type).flatMap(({ name }, index) => {
    const value = segments[2 * index + 1];
    return value === undefined ? [] : [{ ...name, value }];
  });
}

function headerTokens(
  operation: DirectOperation,
  { headers }: SentRequest,
): readonly WrittenToken[] {
  const tokens: WrittenToken[] = [];
  for (const { id, type, header, coding } of HEADER_TOKENS) {
    const text = headers[header];
    const value = typeof text === "string" ? coding.valueOf(text) : undefined;
    if (value !== undefined) tokens.push({ id, type, value });
  }
  const match = headers[operation.isRead ? "if-none-match" : "if-match"];
  if (typeof match === "string") tokens.push({ ...REQUEST_TOKEN.match, value: match });
  for (const [token, header] of BOUNDS) {
    const bound = headers[header];
    if (typeof bound === "string") tokens.push({ ...token, value: Buffer.from(bound, "latin1") });
  }
  if (BOUNDS.some(([, header]) => headers[header] !== undefined)) {
    tokens.push({ ...REQUEST_TOKEN.boundsForm, value: EPK_DIGITS });
  }
  return tokens;
}
