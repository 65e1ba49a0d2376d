/** `/dbs` and `/dbs/{database}`. */
import type { Account } from "../../../engine/account.ts";
import type { Database } from "../../../engine/catalog/database.ts";
import { isObject, property } from "../../../json/value.ts";
import { checkName } from "../../../model/ids.ts";
import { badRequest } from "../../../model/refusal.ts";
import { metadataAnswer } from "../../../protocol/answer/answers.ts";
import { databaseBody, feedBody } from "../../../protocol/answer/bodies.ts";
import { isQuestion, purposeOf } from "../../../protocol/request/purpose.ts";
import { parseThroughput } from "../../../protocol/request/requestHeaders.ts";
import type { DatabasePlace } from "../../../protocol/request/resourcePath.ts";
import { HEADER } from "../../../protocol/wire/headerNames.ts";
import type { WireAnswer } from "../../../protocol/wire/wire.ts";
import { chargeOf } from "../../../throughput/charge.ts";
import type { GatewayRequest } from "../gateway.ts";
import { refuse, refuseMethod } from "../gateway.ts";
import { isUnchanged, pageOfRecords, unmetCondition } from "./metadata.ts";
import { answerListQuery } from "./metadataQuery.ts";
import { accountQuotaHeaders } from "./quotaHeaders.ts";

const CHARGE = chargeOf({ kind: "metadata" });

export async function answerDatabases(
  account: Account,
  request: GatewayRequest,
): Promise<WireAnswer> {
  if (request.method === "GET") return listDatabases(account, request);
  if (request.method !== "POST") return refuseMethod(request);
  if (isQuestion(purposeOf(request.headers))) return queryDatabases(account, request);
  return createDatabase(account, request);
}

export async function answerDatabase(
  account: Account,
  request: GatewayRequest,
  place: DatabasePlace,
): Promise<WireAnswer> {
  const database = account.catalog.database(place.database);
  if (request.method !== "GET" && request.method !== "DELETE") return refuseMethod(request);
  if (database === undefined) return refuse(request, { kind: "notFound" });
  const { activityId } = request;
  if (request.method === "GET") {
    const { etag } = database.record;
    if (isUnchanged(request.headers, etag))
      return metadataAnswer(304, activityId, CHARGE, { etag });
    return databaseAnswer(200, account, activityId, database);
  }
  const unmet = unmetCondition(request.headers, database.record.etag);
  if (unmet !== undefined) return refuse(request, unmet);
  const deleted = await account.catalog.deleteDatabase(database);
  if (!deleted.ok) return refuse(request, deleted.error);
  return metadataAnswer(204, activityId, CHARGE, {});
}

function listDatabases(account: Account, request: GatewayRequest): WireAnswer {
  const numberOf = ({ record }: Database): number => record.databaseNumber;
  const all = account.catalog.databases();
  const page = pageOfRecords(account, request.headers, { name: "Databases", all, numberOf });
  if (!page.ok) return refuse(request, page.error);
  const { records, continuation } = page.value;
  const body = feedBody("", "Databases", records.map(bodyOf));
  const headers = [HEADER.itemCount, String(records.length)];
  if (continuation !== undefined) headers.push(HEADER.continuation, continuation);
  return metadataAnswer(200, request.activityId, CHARGE, { body, headers });
}

function queryDatabases(account: Account, request: GatewayRequest): Promise<WireAnswer> {
  const members = account.catalog
    .databases()
    .map((database) => ({ number: database.record.databaseNumber, body: bodyOf(database) }));
  return answerListQuery(account, request, { name: "Databases", owner: undefined, members });
}

async function createDatabase(account: Account, request: GatewayRequest): Promise<WireAnswer> {
  const body = account.parseBody(request.body);
  if (!body.ok) return refuse(request, body.error);
  const id = isObject(body.value) ? property(body.value, "id") : undefined;
  const complaint = checkName(id, account.limits);
  if (complaint !== undefined) return refuse(request, badRequest(complaint));
  const throughput = parseThroughput(request.headers, account);
  if (!throughput.ok) return refuse(request, throughput.error);
  const created = await account.catalog.createDatabase(id as string, throughput.value);
  if (!created.ok) return refuse(request, created.error);
  return databaseAnswer(201, account, request.activityId, created.value);
}

function databaseAnswer(
  status: number,
  account: Account,
  activityId: string,
  database: Database,
): WireAnswer {
  const body = Buffer.from(JSON.stringify(bodyOf(database)));
  const { etag } = database.record;
  const headers = accountQuotaHeaders(account);
  return metadataAnswer(status, activityId, CHARGE, { body, etag, headers });
}

function bodyOf(database: Database): ReturnType<typeof databaseBody> {
  return databaseBody(database.record.id, database.rid, database.record);
}
