/** `/dbs` and `/dbs/{database}`. */
import type { Account } from "../../../engine/account.ts";
import type { Database } from "../../../engine/catalog/database.ts";
import { isObject, property } from "../../../json/value.ts";
import { checkName } from "../../../model/ids.ts";
import { badRequest } from "../../../model/refusal.ts";
import { pageHeaders, quotaHeaders } from "../../../protocol/answer/answerHeaders.ts";
import { metadataAnswer } from "../../../protocol/answer/answers.ts";
import { databaseBody, feedBody } from "../../../protocol/answer/bodies.ts";
import type {
  DatabaseRequest,
  DatabasesRequest,
} from "../../../protocol/request/metadataRequest.ts";
import type { WireAnswer } from "../../../protocol/wire/wire.ts";
import { chargeOf } from "../../../throughput/charge.ts";
import { accountQuota } from "../quotas.ts";
import { refuse, refuseVerb } from "../refusing.ts";
import type { RequestContext } from "../requestContext.ts";
import { isUnchanged, pageOfRecords, unmetCondition } from "./metadata.ts";
import { answerListQuery, isListQuery } from "./metadataQuery.ts";

const CHARGE = chargeOf({ kind: "metadata" });

export async function answerDatabases(
  account: Account,
  context: RequestContext,
  request: DatabasesRequest,
): Promise<WireAnswer> {
  if (request.operation === "list") return listDatabases(account, context, request);
  if (request.operation === "other") return refuseVerb(context, request);
  if (isListQuery(request)) return queryDatabases(account, context, request);
  return createDatabase(account, context, request);
}

export async function answerDatabase(
  account: Account,
  context: RequestContext,
  request: DatabaseRequest,
): Promise<WireAnswer> {
  const { operation, path } = request;
  const database = account.catalog.database(path.database);
  if (operation !== "read" && operation !== "delete") return refuseVerb(context, request);
  if (database === undefined) return refuse(context, { kind: "notFound" });
  const { activityId } = context;
  if (operation === "read") {
    const { etag } = database.record;
    if (isUnchanged(request, etag)) return metadataAnswer(304, activityId, CHARGE, { etag });
    return databaseAnswer(200, account, activityId, database);
  }
  const unmet = unmetCondition(request, database.record.etag);
  if (unmet !== undefined) return refuse(context, unmet);
  const deleted = await account.catalog.deleteDatabase(database);
  if (!deleted.ok) return refuse(context, deleted.error);
  return metadataAnswer(204, activityId, CHARGE, {});
}

function listDatabases(
  account: Account,
  context: RequestContext,
  request: DatabasesRequest,
): WireAnswer {
  const numberOf = ({ record }: Database): number => record.databaseNumber;
  const all = account.catalog.databases();
  const page = pageOfRecords(account, request.page, { name: "Databases", all, numberOf });
  if (!page.ok) return refuse(context, page.error);
  const { records, continuation } = page.value;
  const body = feedBody("", "Databases", records.map(bodyOf));
  const headers = pageHeaders(records.length, continuation);
  return metadataAnswer(200, context.activityId, CHARGE, { body, headers });
}

function queryDatabases(
  account: Account,
  context: RequestContext,
  request: DatabasesRequest,
): Promise<WireAnswer> {
  const members = account.catalog
    .databases()
    .map((database) => ({ number: database.record.databaseNumber, body: bodyOf(database) }));
  return answerListQuery(account, context, request, {
    name: "Databases",
    owner: undefined,
    members,
  });
}

async function createDatabase(
  account: Account,
  context: RequestContext,
  request: DatabasesRequest,
): Promise<WireAnswer> {
  const body = account.parseBody(request.body);
  if (!body.ok) return refuse(context, body.error);
  const id = isObject(body.value) ? property(body.value, "id") : undefined;
  const complaint = checkName(id, account.limits);
  if (complaint !== undefined) return refuse(context, badRequest(complaint));
  const { throughput } = request;
  if (!throughput.ok) return refuse(context, throughput.error);
  const created = await account.catalog.createDatabase(id as string, throughput.value);
  if (!created.ok) return refuse(context, created.error);
  return databaseAnswer(201, account, context.activityId, created.value);
}

function databaseAnswer(
  status: number,
  account: Account,
  activityId: string,
  database: Database,
): WireAnswer {
  const body = Buffer.from(JSON.stringify(bodyOf(database)));
  const { etag } = database.record;
  const headers = quotaHeaders(accountQuota(account));
  return metadataAnswer(status, activityId, CHARGE, { body, etag, headers });
}

function bodyOf(database: Database): ReturnType<typeof databaseBody> {
  return databaseBody(database.record.id, database.rid, database.record);
}
