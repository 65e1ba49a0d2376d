/** `/dbs/{database}/colls`, `…/colls/{container}` and `…/colls/{container}/pkranges`. */
import { createHash } from "node:crypto";
import type { Account } from "../../../engine/account.ts";
import type { Database } from "../../../engine/catalog/database.ts";
import { unknownKeyProblem } from "../../../engine/definition/clientEncryptionPolicy.ts";
import {
  definitionBody,
  parseContainerDefinition,
} from "../../../engine/definition/containerDefinition.ts";
import { withSystemKey } from "../../../engine/definition/partitionKeyDefinition.ts";
import { viewMembers } from "../../../engine/definition/viewDefinition.ts";
import type { Container } from "../../../engine/partition/container.ts";
import type { JsonObject } from "../../../json/value.ts";
import { badRequest } from "../../../model/refusal.ts";
import {
  indexProgressHeaders,
  pageHeaders,
  quotaHeaders,
} from "../../../protocol/answer/answerHeaders.ts";
import { metadataAnswer } from "../../../protocol/answer/answers.ts";
import { containerBody, feedBody, rangeBodies } from "../../../protocol/answer/bodies.ts";
import type {
  ContainerRequest,
  ContainersRequest,
  RangesRequest,
} from "../../../protocol/request/metadataRequest.ts";
import type { WireAnswer } from "../../../protocol/wire/wire.ts";
import { chargeOf } from "../../../throughput/charge.ts";
import { containerQuota } from "../quotas.ts";
import { refuse, refuseVerb } from "../refusing.ts";
import type { RequestContext } from "../requestContext.ts";
import { isOldMeant } from "../session.ts";
import { isUnchanged, pageOfRecords, unmetCondition } from "./metadata.ts";
import { answerListQuery, isListQuery } from "./metadataQuery.ts";

const CHARGE = chargeOf({ kind: "metadata" });

/** A request about a container, and the database that was found for it. */
interface Scene {
  readonly account: Account;
  readonly context: RequestContext;
  readonly request: ContainersRequest | ContainerRequest;
  readonly database: Database;
}

export async function answerContainers(
  account: Account,
  context: RequestContext,
  request: ContainersRequest,
): Promise<WireAnswer> {
  if (request.operation === "other") return refuseVerb(context, request);
  const database = account.catalog.database(request.path.database);
  if (database === undefined) return refuse(context, { kind: "ownerNotFound" });
  if (request.operation === "list") return listContainers(account, context, request, database);
  if (isListQuery(request)) return queryContainers(account, context, request, database);
  return createContainer(account, context, request, database);
}

export async function answerContainer(
  account: Account,
  context: RequestContext,
  request: ContainerRequest,
): Promise<WireAnswer> {
  const { path } = request;
  const database = account.catalog.database(path.database);
  if (database === undefined) return refuse(context, { kind: "ownerNotFound" });
  const container = account.catalog.container(path.database, path.container);
  if (container === undefined) return refuse(context, { kind: "notFound" });
  switch (request.operation) {
    case "read": {
      const etag = etagOf(account, container);
      if (isUnchanged(request, etag)) {
        return metadataAnswer(304, context.activityId, CHARGE, { etag });
      }
      const more = await statisticsMember(account, request, container);
      return containerAnswer(200, { account, context, request, database }, container, more);
    }
    case "replace":
      return replaceContainer({ account, context, request, database }, container);
    case "delete": {
      const unmet = unmetCondition(request, etagOf(account, container));
      if (unmet !== undefined) return refuse(context, unmet);
      const deleted = await account.catalog.deleteContainer(database, container);
      if (!deleted.ok) return refuse(context, deleted.error);
      return metadataAnswer(204, context.activityId, CHARGE, {});
    }
    default:
      return refuseVerb(context, request);
  }
}

/**
 * Incremental readers ask until they are told that nothing is new: an equal etag must be a 304. A
 * client that means the container of before a switch goes on by the ranges of that one, to which
 * the continuations that it has belong.
 */
export function answerRanges(
  account: Account,
  context: RequestContext,
  request: RangesRequest,
): WireAnswer {
  const { path, ifNoneMatch } = request;
  if (request.operation !== "list") return refuseVerb(context, request);
  const named = account.catalog.container(path.database, path.container);
  if (named === undefined) return refuse(context, { kind: "ownerNotFound" });
  const container = isOldMeant(request, named) ? named.former!.old : named;
  const etag = rangesEtag(container);
  const owner = container;
  if (ifNoneMatch === etag || `"${ifNoneMatch}"` === etag) {
    return metadataAnswer(304, context.activityId, CHARGE, { etag, owner });
  }
  const rids = {
    database: container.databaseRid,
    container: container.rid,
    children: container.childRids,
  };
  const lsnOf = (rangeId: string): number => container.partitions.get(rangeId)?.lsn ?? 0;
  const ranges = rangeBodies(container.map, rids, { etag, ts: container.record.ts }, lsnOf);
  const body = feedBody(container.rid, "PartitionKeyRanges", ranges);
  const headers = pageHeaders(ranges.length);
  return metadataAnswer(200, context.activityId, CHARGE, { body, etag, owner, headers });
}

/**
 * The etag of the ranges. It differs after every split and merge, and for another container of the
 * same name.
 */
function rangesEtag({ map, record }: Container): string {
  return `"${map.version}-${record.etag.replaceAll('"', "")}"`;
}

function listContainers(
  account: Account,
  context: RequestContext,
  request: ContainersRequest,
  database: Database,
): WireAnswer {
  const all = [...database.containers.values()];
  const numberOf = ({ record }: Container): number => record.containerNumber;
  const name = `${database.rid}/DocumentCollections`;
  const page = pageOfRecords(account, request.page, { name, all, numberOf });
  if (!page.ok) return refuse(context, page.error);
  const { records, continuation } = page.value;
  const body = feedBody(
    database.rid,
    "DocumentCollections",
    records.map(bodyFor(account, request)),
  );
  const headers = pageHeaders(records.length, continuation);
  const owner = ownerOf(database);
  return metadataAnswer(200, context.activityId, CHARGE, { body, owner, headers });
}

function queryContainers(
  account: Account,
  context: RequestContext,
  request: ContainersRequest,
  database: Database,
): Promise<WireAnswer> {
  const members = [...database.containers.values()].map((container) => ({
    number: container.record.containerNumber,
    body: bodyFor(account, request)(container),
  }));
  const owner = ownerOf(database);
  return answerListQuery(account, context, request, {
    name: "DocumentCollections",
    owner,
    members,
  });
}

async function createContainer(
  account: Account,
  context: RequestContext,
  request: ContainersRequest,
  database: Database,
): Promise<WireAnswer> {
  const body = account.parseBody(request.body);
  if (!body.ok) return refuse(context, body.error);
  const sent = request.isOfOldProgram ? withSystemKey(body.value) : body.value;
  const definition = parseContainerDefinition(sent, undefined, account.limits);
  if (!definition.ok) return refuse(context, badRequest(definition.error));
  const { resources } = account.catalog;
  const unknownKey = unknownKeyProblem(
    definition.value.clientEncryptionPolicy,
    (keyId) => resources.get(database.rid, "clientEncryptionKey", keyId) !== undefined,
  );
  if (unknownKey !== undefined) return refuse(context, badRequest(unknownKey));
  const { throughput } = request;
  if (!throughput.ok) return refuse(context, throughput.error);
  const created = await account.catalog.createContainer(database, definition.value, {
    throughput: throughput.value,
  });
  if (!created.ok) return refuse(context, created.error);
  return containerAnswer(201, { account, context, request, database }, created.value);
}

async function replaceContainer(scene: Scene, container: Container): Promise<WireAnswer> {
  const { account, context, request } = scene;
  const unmet = unmetCondition(request, etagOf(account, container));
  if (unmet !== undefined) return refuse(context, unmet);
  const body = account.parseBody(request.body);
  if (!body.ok) return refuse(context, body.error);
  const definition = parseContainerDefinition(body.value, container.definition, account.limits);
  if (!definition.ok) return refuse(context, badRequest(definition.error));
  const replaced = await account.catalog.replaceContainer(container, definition.value);
  if (!replaced.ok) return refuse(context, replaced.error);
  return containerAnswer(200, scene, replaced.value);
}

function containerAnswer(
  status: number,
  { account, context, request, database }: Scene,
  container: Container,
  more: JsonObject = {},
): WireAnswer {
  const body = Buffer.from(JSON.stringify({ ...bodyFor(account, request)(container), ...more }));
  const etag = etagOf(account, container);
  const owner = ownerOf(database);
  const { isQuotaAsked } = request;
  const { indexProgress } = container;
  // Whoever changed an indexing policy is told unasked how far the index has got.
  const headers = [
    ...(isQuotaAsked ? quotaHeaders(containerQuota(account, container)) : []),
    ...(isQuotaAsked || indexProgress < 100 ? indexProgressHeaders(indexProgress) : []),
  ];
  return metadataAnswer(status, context.activityId, CHARGE, { body, etag, owner, headers });
}

/**
 * The statistics that were asked for. Sizes are in KB, as the service counts them; all figures are
 * exact, where the service takes samples.
 */
async function statisticsMember(
  account: Account,
  { areStatisticsAsked }: ContainerRequest,
  container: Container,
): Promise<JsonObject> {
  if (!areStatisticsAsked) return {};
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

/** The owner of a container is its database: a session token must not be kept for it. */
function ownerOf(database: Database): { readonly rid: string; readonly link: string } {
  return { rid: database.rid, link: `dbs/${encodeURI(database.record.id)}` };
}

/** Programs from before there were partition keys see none where nobody gave one. */
function bodyFor(
  account: Account,
  { isOfOldProgram }: Pick<ContainerRequest, "isOfOldProgram">,
): (container: Container) => JsonObject {
  return (container) => {
    const { definition, databaseRid, rid } = container;
    const { ts } = container.record;
    const whole = { ...definitionBody(definition), ...viewBody(account, container) };
    const { partitionKey: _hidden, ...others } = whole;
    const isHidden = isOfOldProgram && definition.partitionKey.systemKey === true;
    return containerBody(
      isHidden ? others : whole,
      { database: databaseRid, container: rid },
      { etag: etagOf(account, container), ts },
    );
  };
}

/**
 * What a container shows of views is part of it: who has read a view while it was built, and asks
 * whether it is another one, is to learn that it is. It changes without a change of the record.
 */
function etagOf(account: Account, container: Container): string {
  const { etag } = container.record;
  const shown = viewBody(account, container);
  if (Object.keys(shown).length === 0) return etag;
  const digest = createHash("sha256").update(JSON.stringify(shown)).digest("hex").slice(0, 8);
  return `"${etag.replaceAll('"', "")}-${digest}"`;
}

/** How far a view is; of a source, which views it has. */
function viewBody({ catalog, jobs }: Account, container: Container): JsonObject {
  const { view } = container.definition;
  if (view !== undefined) return viewMembers(view, jobs.views.statusOf(container));
  const views = catalog.viewsOf(container);
  if (views.length === 0) return {};
  return {
    materializedViews: views.map(({ definition, rid }) => ({ id: definition.id, _rid: rid })),
  };
}
