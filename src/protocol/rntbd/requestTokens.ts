/**
 * The tokens of requests: one table, by which requests are read and written. What a token says is
 * said over HTTP by a header, so for most of them the table names the header and how its text and
 * the value of the token become each other.
 *
 * The types are those in which the official clients write; readers go by the type on the wire.
 */
import { HEADER } from "../wire/headerNames.ts";
import type { TokenForm } from "./frame.ts";
import type { TokenType, TokenValue } from "./tokenType.ts";

/** How the text of a header and the value of a token become each other. */
interface Coding {
  /** `undefined` where the value says nothing that the header could. */
  textOf(value: TokenValue): string | undefined;
  /** `undefined` where there is no value for the text. */
  valueOf(text: string): TokenValue | undefined;
}

interface HeaderToken extends TokenForm {
  readonly header: string;
  readonly coding: Coding;
}

const TEXT: Coding = { textOf: String, valueOf: (text) => text };
const FLAG: Coding = {
  textOf: (value) => (value === 0 ? "False" : "True"),
  valueOf: (text) => (text.toLowerCase() === "true" ? 1 : 0),
};
const NUMBER: Coding = {
  textOf: String,
  valueOf: (text) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined),
};
/** −1 leaves the number to the server. */
const ANY_NUMBER = 0xffff_ffff;
const COUNT: Coding = {
  textOf: (value) => (value === ANY_NUMBER ? "-1" : String(value)),
  valueOf: (text) => (text === "-1" ? ANY_NUMBER : NUMBER.valueOf(text)),
};

/** Words by their numbers. A number without a word is shown as it is, so that it is refused. */
function wordsFrom(first: number, words: readonly string[]): Coding {
  return {
    textOf: (value) => words[Number(value) - first] ?? String(value),
    valueOf(text) {
      const index = words.findIndex((word) => word.toLowerCase() === text.toLowerCase());
      return index < 0 ? undefined : index + first;
    },
  };
}

const DIRECTIVES = wordsFrom(0, ["Default", "Include", "Exclude"]);
const LEVELS = wordsFrom(0, [
  "Strong",
  "BoundedStaleness",
  "Session",
  "Eventual",
  "ConsistentPrefix",
]);
const PRIORITIES = wordsFrom(1, ["High", "Low"]);
const PREFERENCES = wordsFrom(0, ["return=representation", "return=minimal"]);

function said(id: number, type: TokenType, header: string, coding: Coding): HeaderToken {
  return { id, type, header, coding };
}

/** What is said in one header, by one token. */
export const HEADER_TOKENS: readonly HeaderToken[] = [
  said(0x0001, "string", "authorization", TEXT),
  said(0x0003, "smallString", HEADER.date, TEXT),
  said(0x0004, "ulong", HEADER.maxItemCount, COUNT),
  said(0x0005, "string", HEADER.sessionToken, TEXT),
  said(0x0006, "string", HEADER.continuation, TEXT),
  said(0x0007, "byte", HEADER.indexingDirective, DIRECTIVES),
  said(0x0009, "string", HEADER.preTrigger, TEXT),
  said(0x000a, "string", HEADER.postTrigger, TEXT),
  said(0x0010, "byte", HEADER.consistencyLevel, LEVELS),
  said(0x0028, "smallString", HEADER.version, TEXT),
  said(0x002b, "string", HEADER.partitionKey, TEXT),
  said(0x002c, "string", HEADER.rangeId, TEXT),
  said(0x003e, "byte", HEADER.scriptLogging, FLAG),
  said(0x003f, "string", "a-im", TEXT),
  said(0x0040, "byte", HEADER.populateQuota, FLAG),
  said(0x0042, "byte", HEADER.populateQueryMetrics, FLAG),
  said(0x0044, "byte", HEADER.populateStatistics, FLAG),
  said(0x0047, "string", "if-modified-since", TEXT),
  said(0x0057, "byte", HEADER.excludeSystemProperties, FLAG),
  said(0x0073, "byte", HEADER.isBatchAtomic, FLAG),
  said(0x0074, "byte", HEADER.continueOnError, FLAG),
  said(0x0082, "byte", "prefer", PREFERENCES),
  said(0x009d, "string", HEADER.intendedRid, TEXT),
  said(0x00a9, "byte", HEADER.populateIndexMetrics, FLAG),
  said(0x00b0, "guid", HEADER.correlatedActivityId, TEXT),
  said(0x00b2, "string", HEADER.changeFeedFormat, TEXT),
  said(0x00bf, "byte", HEADER.priorityLevel, PRIORITIES),
  said(0x00c2, "byte", HEADER.populateIndexMetricsV2, FLAG),
  said(0x00db, "byte", HEADER.throughputBucket, NUMBER),
  said(0x00ff, "string", HEADER.queryFeatures, TEXT),
];

type OwnRequestToken =
  | "resourceId"
  | "hasBody"
  | "match"
  | "replicaPath"
  | "databaseName"
  | "containerName"
  | "documentName"
  | "userName"
  | "permissionName"
  | "procedureName"
  | "functionName"
  | "triggerName"
  | "conflictName"
  | "containerRid"
  | "requestId"
  | "effectiveKey"
  | "startEpk"
  | "endEpk"
  | "boundsForm";

/** Tokens that no single header stands for. */
export const REQUEST_TOKEN: Readonly<Record<OwnRequestToken, TokenForm>> = {
  /** The bytes of a rid: of the resource, of the owner of a feed, with names of the container. */
  resourceId: { id: 0x0000, type: "bytes" },
  hasBody: { id: 0x0002, type: "byte" },
  /** If-None-Match of what reads, If-Match of what writes. */
  match: { id: 0x0008, type: "string" },
  replicaPath: { id: 0x0013, type: "string" },
  databaseName: { id: 0x0015, type: "string" },
  containerName: { id: 0x0016, type: "string" },
  documentName: { id: 0x0017, type: "string" },
  userName: { id: 0x0019, type: "string" },
  permissionName: { id: 0x001a, type: "string" },
  procedureName: { id: 0x001b, type: "string" },
  functionName: { id: 0x001c, type: "string" },
  triggerName: { id: 0x001d, type: "string" },
  conflictName: { id: 0x0020, type: "string" },
  containerRid: { id: 0x0035, type: "string" },
  /** The number by which the client finds its request again. */
  requestId: { id: 0x004d, type: "ulong" },
  effectiveKey: { id: 0x005a, type: "bytes" },
  startEpk: { id: 0x0062, type: "bytes" },
  endEpk: { id: 0x0063, type: "bytes" },
  /** What those two are: 2 the bytes of keys, 3 their digits in ASCII. */
  boundsForm: { id: 0x0064, type: "byte" },
};

/** Tokens that would change what a request means, and what they ask for. */
export const UNSUPPORTED_TOKENS: ReadonlyMap<number, string> = new Map([
  [0x0058, "binary ids"],
  [0x0059, "a time to live beside the item"],
  [0x005f, "the first rid of a feed"],
  [0x0060, "the last rid of a feed"],
]);
