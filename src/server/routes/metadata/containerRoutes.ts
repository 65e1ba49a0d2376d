/** `/dbs/{database}/colls`, `…/colls/{container}` and `…/colls/{container}/pkranges`. */
import type { Account } from "../../../engine/account.ts";
import type { Database } from "../../../engine/catalog/database.ts";
import { unknownKeyProblem } from "../../../engine/definition/clientEncryptionPolicy.ts";
import {
  definitionBody,
  parseContainerDefinition,
} from "../../../engine/definition/containerDefinition.ts";
import { withSystemKey } from "../../../engine/definition/partitionKeyDefinition.ts";
import type { Container } from "../../../engine/partition/container.ts";
import type { JsonObject } from "../../../json/value.ts";
import { badRequest } from "../../../model/refusal.ts";
import { metadataAnswer } from "../../../protocol/answer/answers.ts";
import { containerBody, feedBody, rangeBodies } from "../../../protocol/answer/bodies.ts";
import { isQuestion, purposeOf } from "../../../protocol/request/purpose.ts";
import { isOld, parseThroughput } from "../../../protocol/request/requestHeaders.ts";
import type { ContainerPlace, DatabasePlace } from "../../../protocol/request/resourcePath.ts";
import { HEADER } from "../../../protocol/wire/headerNames.ts";
import type { WireAnswer } from "../../../protocol/wire/wire.ts";
import { headerOf, isTrue } from "../../../protocol/wire/wire.ts";
import { chargeOf } from "../../../throughput/charge.ts";
import type { GatewayRequest } from "../gateway.ts";
import { refuse, refuseMethod } from "../gateway.ts";
import { isUnchanged, pageOfRecords, unmetCondition } from "./metadata.ts";
import { answerListQuery } from "./metadataQuery.ts";
import { containerQuotaHeaders } from "./quotaHeaders.ts";

const CHARGE = chargeOf({ kind: "metadata" });

export async function answerContainers(
  account: Account,
  request: GatewayRequest,
  place: DatabasePlace,
): Promise<WireAnswer> {
  if (request.method !== "GET" && request.method !== "POST") return refuseMethod(request);
  const database = account.catalog.database(place.database);
  if (database === undefined) return refuse(request, { kind: "ownerNotFound" });
  if (request.method === "GET") return listContainers(account, request, database);
  if (isQuestion(purposeOf(request.headers))) return queryContainers(account, request, database);
  return createContainer(account, request, database);
}

export async function answerContainer(
  account: Account,
  request: GatewayRequest,
  place: ContainerPlace,
): Promise<WireAnswer> {
  const database = account.catalog.database(place.database);
  if (database === undefined) return refuse(request, { kind: "ownerNotFound" });
  const container = account.catalog.container(place.database, place.container);
  if (container === undefined) return refuse(request, { kind: "notFound" });
  switch (request.method) {
    case "GET": {
      const { etag } = container.record;
      if (isUnchanged(request.headers, etag)) {
        return metadataAnswer(304, request.activityId, CHARGE, { etag });
      }
      const more = await statisticsMember(account, request, container);
      return containerAnswer(200, account, request, database, container, more);
    }
    case "PUT":
      return replaceContainer(account, request, database, container);
    case "DELETE": {
      const unmet = unmetCondition(request.headers, container.record.etag);
      if (unmet !== undefined) return refuse(request, unmet);
      const deleted = await account.catalog.deleteContainer(database, container);
      if (!deleted.ok) return refuse(request, deleted.error);
      return metadataAnswer(204, request.activityId, CHARGE, {});
    }
    default:
      return refuseMethod(request);
  }
}

/** Incremental readers ask until they are told that nothing is new: an equal etag must be a 304. */
export function answerRanges(
  account: Account,
  request: GatewayRequest,
  place: ContainerPlace,
): WireAnswer {
  if (request.method !== "GET") return refuseMethod(request);
  const container = account.catalog.container(place.database, place.container);
  if (container === undefined) return refuse(request, { kind: "ownerNotFound" });
  const etag = rangesEtag(container);
  const owner = container;
  const ifNoneMatch = headerOf(request.headers, "if-none-match");
  if (ifNoneMatch === etag || `"${ifNoneMatch}"` === etag) {
    return metadataAnswer(304, request.activityId, CHARGE, { etag, owner });
  }
  const rids = {
    database: container.databaseRid,
    container: container.rid,
    children: container.childRids,
  };
  const lsnOf = (rangeId: string): number => container.partitions.get(rangeId)?.lsn ?? 0;
  const ranges = rangeBodies(container.map, rids, { etag, ts: container.record.ts }, lsnOf);
  const body = feedBody(container.rid, "PartitionKeyRanges", ranges);
  const headers = [HEADER.itemCount, String(ranges.length)];
  return metadataAnswer(200, request.activityId, CHARGE, { body, etag, owner, headers });
}

/** Another one after every split and merge, and for another container of the same name. */
function rangesEtag({ map, record }: Container): string {
  return `"${map.version}-${record.etag.replaceAll('"', "")}"`;
}

function listContainers(account: Account, request: GatewayRequest, database: Database): WireAnswer {
  const all = [...database.containers.values()];
  const numberOf = ({ record }: Container): number => record.containerNumber;
  const name = `${database.rid}/DocumentCollections`;
  const page = pageOfRecords(account, request.headers, { name, all, numberOf });
  if (!page.ok) return refuse(request, page.error);
  const { records, continuation } = page.value;
  const body = feedBody(database.rid, "DocumentCollections", records.map(bodyFor(request)));
  const headers = [HEADER.itemCount, String(records.length)];
  if (continuation !== undefined) headers.push(HEADER.continuation, continuation);
  const owner = ownerOf(database);
  return metadataAnswer(200, request.activityId, CHARGE, { body, owner, headers });
}

function queryContainers(
  account: Account,
  request: GatewayRequest,
  database: Database,
): Promise<WireAnswer> {
  const members = [...database.containers.values()].map((container) => ({
    number: container.record.containerNumber,
    body: bodyFor(request)(container),
  }));
  const owner = ownerOf(database);
  return answerListQuery(account, request, { name: "DocumentCollections", owner, members });
}

async function createContainer(
  account: Account,
  request: GatewayRequest,
  database: Database,
): Promise<WireAnswer> {
  const body = account.parseBody(request.body);
  if (!body.ok) return refuse(request, body.error);
  const sent = isOld(request.headers) ? withSystemKey(body.value) : body.value;
  const definition = parseContainerDefinition(sent, undefined, account.limits);
  if (!definition.ok) return refuse(request, badRequest(definition.error));
  const { resources } = account.catalog;
  const unknownKey = unknownKeyProblem(
    definition.value.clientEncryptionPolicy,
    (keyId) => resources.get(database.rid, "clientEncryptionKey", keyId) !== undefined,
  );
  if (unknownKey !== undefined) return refuse(request, badRequest(unknownKey));
  const throughput = parseThroughput(request.headers, account);
  if (!throughput.ok) return refuse(request, throughput.error);
  const created = await account.catalog.createContainer(database, definition.value, {
    throughput: throughput.value,
  });
  if (!created.ok) return refuse(request, created.error);
  return containerAnswer(201, account, request, database, created.value);
}

async function replaceContainer(
  account: Account,
  request: GatewayRequest,
  database: Database,
  container: Container,
): Promise<WireAnswer> {
  const unmet = unmetCondition(request.headers, container.record.etag);
  if (unmet !== undefined) return refuse(request, unmet);
  const body = account.parseBody(request.body);
  if (!body.ok) return refuse(request, body.error);
  const definition = parseContainerDefinition(body.value, container.definition, account.limits);
  if (!definition.ok) return refuse(request, badRequest(definition.error));
  const replaced = await account.catalog.replaceContainer(container, definition.value);
  if (!replaced.ok) return refuse(request, replaced.error);
  return containerAnswer(200, account, request, database, replaced.value);
}

function containerAnswer(
  status: number,
  account: Account,
  request: GatewayRequest,
  database: Database,
  container: Container,
  more: JsonObject = {},
): WireAnswer {
  const body = Buffer.from(JSON.stringify({ ...bodyFor(request)(container), ...more }));
  const { etag } = container.record;
  const owner = ownerOf(database);
  const isQuotaAsked = isTrue(request.headers, HEADER.populateQuota);
  const headers = [
    ...(isQuotaAsked ? containerQuotaHeaders(account, container) : []),
    ...(isQuotaAsked || container.indexProgress < 100 ? progressHeaders(container) : []),
  ];
  return metadataAnswer(status, request.activityId, CHARGE, { body, etag, owner, headers });
}

/** Sizes in KB, as the service counts them; all figures are exact where it takes samples. */
async function statisticsMember(
  account: Account,
  { headers }: GatewayRequest,
  container: Container,
): Promise<JsonObject> {
  if (!isTrue(headers, HEADER.populateStatistics)) return {};
  const statistics = await account.reporting.statisticsOf(container);
  return {
    statistics: statistics.map(({ id, itemCount, itemBytes, logicalPartitionCount, largest }) => ({
      id,
      sizeInKB: kilobytes(itemBytes),
      documentCount: itemCount,
      sampledDistinctPartitionKeyCount: logicalPartitionCount,
      partitionKeys: largest.map(({ key, itemBytes: keyBytes }) => ({
        partitionKey: key,
        sizeInKB: kilobytes(keyBytes),
      })),
    })),
  };
}

function kilobytes(bytes: number): number {
  return Math.ceil(bytes / 1024);
}

/** Whoever changed an indexing policy is told unasked how far the index has got. */
function progressHeaders({ indexProgress }: Container): readonly string[] {
  return [HEADER.indexProgress, String(indexProgress)];
}

/** The owner of a container is its database: a session token must not be kept for it. */
function ownerOf(database: Database): { readonly rid: string; readonly link: string } {
  return { rid: database.rid, link: `dbs/${encodeURI(database.record.id)}` };
}

/** Programs from before there were partition keys see none where nobody gave one. */
function bodyFor({ headers }: GatewayRequest): (container: Container) => JsonObject {
  const isForOld = isOld(headers);
  return (container) => {
    const { definition, databaseRid, rid, record } = container;
    const whole = definitionBody(definition);
    const { partitionKey: _hidden, ...others } = whole;
    const isHidden = isForOld && definition.partitionKey.systemKey === true;
    return containerBody(
      isHidden ? others : whole,
      { database: databaseRid, container: rid },
      record,
    );
  };
}
