/**
 * The tokens of answers: one table, by which answers are written and read. .NET reads a token that
 * it knows by the type that it expects, so a wrong type here shifts everything behind it.
 */
import { HEADER } from "../wire/headerNames.ts";
import type { TokenForm } from "./frame.ts";

type OwnAnswerToken =
  | "hasBody"
  | "requestId"
  | "lsn"
  | "localLsn"
  | "ackedLsn"
  | "ackedLocalLsn"
  | "globalCommittedLsn"
  | "itemLsn"
  | "itemLocalLsn"
  | "readRegionCount"
  | "writeQuorum"
  | "replicaSetSize"
  | "sessionToken"
  | "rangeId";

/** What every answer says of the replica that gave it; no header stands for these. */
export const ANSWER_TOKEN: Readonly<Record<OwnAnswerToken, TokenForm>> = {
  hasBody: { id: 0x0000, type: "byte" },
  requestId: { id: 0x0035, type: "ulong" },
  lsn: { id: 0x0013, type: "longLong" },
  localLsn: { id: 0x003a, type: "longLong" },
  ackedLsn: { id: 0x001a, type: "longLong" },
  ackedLocalLsn: { id: 0x003b, type: "longLong" },
  globalCommittedLsn: { id: 0x0029, type: "longLong" },
  itemLsn: { id: 0x0032, type: "longLong" },
  itemLocalLsn: { id: 0x003c, type: "longLong" },
  readRegionCount: { id: 0x0030, type: "ulong" },
  writeQuorum: { id: 0x001e, type: "ulong" },
  replicaSetSize: { id: 0x001f, type: "ulong" },
  /** Without the id of the range, which the client puts in front. */
  sessionToken: { id: 0x003e, type: "string" },
  rangeId: { id: 0x0021, type: "string" },
};

interface AnswerHeaderToken extends TokenForm {
  readonly header: string;
  /** An answer without it is whole: where it is too long for a token it is left out. */
  readonly isDispensable?: true;
}

/** What is said in one header, by one token. */
export const ANSWER_HEADER_TOKENS: readonly AnswerHeaderToken[] = [
  { id: 0x0003, type: "string", header: HEADER.continuation },
  { id: 0x0004, type: "string", header: "etag" },
  { id: 0x000c, type: "ulong", header: HEADER.retryAfter },
  { id: 0x000e, type: "string", header: HEADER.resourceQuota },
  { id: 0x000f, type: "string", header: HEADER.resourceUsage },
  { id: 0x0014, type: "ulong", header: HEADER.itemCount },
  { id: 0x0015, type: "double", header: HEADER.requestCharge },
  { id: 0x0017, type: "string", header: HEADER.altContentPath },
  { id: 0x0018, type: "string", header: HEADER.contentPath },
  { id: 0x001c, type: "ulong", header: HEADER.substatus },
  { id: 0x001d, type: "ulong", header: HEADER.indexProgress },
  { id: 0x0025, type: "string", header: HEADER.scriptLog, isDispensable: true },
  { id: 0x0028, type: "string", header: HEADER.queryMetrics, isDispensable: true },
  { id: 0x0044, type: "string", header: HEADER.indexUtilization, isDispensable: true },
  { id: 0x0051, type: "double", header: HEADER.requestDuration },
];
