/**
 * Users, permissions, scripts and client encryption keys: `/dbs/{database}/users/{user}` and the
 * like. They are alike but for their contents (`protocol/answer/resourceBodies.ts`), and but for
 * permissions, whose every answer carries a token, and procedures, to which a POST is a call.
 */
import type { MaybePromise, Result } from "../../../base/result.ts";
import { no, ok } from "../../../base/result.ts";
import type { Account } from "../../../engine/account.ts";
import type { Resource, ResourceOwner } from "../../../engine/catalog/resourceRecords.ts";
import type { ResourceDraft } from "../../../engine/catalog/resources.ts";
import { Container } from "../../../engine/partition/container.ts";
import type { JsonObject } from "../../../json/value.ts";
import type { Refusal } from "../../../model/refusal.ts";
import { badRequest } from "../../../model/refusal.ts";
import { pageHeaders, quotaHeaders } from "../../../protocol/answer/answerHeaders.ts";
import type { Owner } from "../../../protocol/answer/answers.ts";
import { metadataAnswer } from "../../../protocol/answer/answers.ts";
import { feedBody } from "../../../protocol/answer/bodies.ts";
import {
  parseResource,
  RESOURCE_FEEDS,
  resourceBody,
} from "../../../protocol/answer/resourceBodies.ts";
import type {
  ResourceRequest,
  ResourcesRequest,
} from "../../../protocol/request/metadataRequest.ts";
import type { OwnedPlace } from "../../../protocol/request/resourcePath.ts";
import type { WireAnswer } from "../../../protocol/wire/wire.ts";
import { chargeOf } from "../../../throughput/charge.ts";
import { accountQuota, scriptQuota } from "../quotas.ts";
import { refuse, refuseVerb } from "../refusing.ts";
import type { RequestContext } from "../requestContext.ts";
import { answerProcedure, procedureOf } from "../script/procedureRoutes.ts";
import { isUnchanged, pageOfRecords } from "./metadata.ts";
import { answerListQuery, isListQuery } from "./metadataQuery.ts";

const CHARGE = chargeOf({ kind: "metadata" });

/** Whose resources a request is about, and of which kind. */
interface Scene {
  readonly account: Account;
  readonly context: RequestContext;
  readonly kind: OwnedPlace["resource"];
  readonly owner: ResourceOwner;
  /** Who the owner is, as clients are told. */
  readonly told: Owner;
  /** The self link of the owner, which is made of rids. */
  readonly ownerSelf: string;
  /** For how long the tokens are good that this answer carries. */
  readonly expirySeconds: number;
}

export async function answerResources(
  account: Account,
  context: RequestContext,
  request: ResourcesRequest,
): Promise<WireAnswer> {
  const { operation } = request;
  if (operation === "other") return refuseVerb(context, request);
  const found = sceneOf(account, context, request);
  if (!found.ok) return refuse(context, found.error);
  const scene = found.value;
  if (operation === "list") return list(scene, request);
  if (isListQuery(request)) return query(scene, request);
  if (operation === "batch")
    return refuse(context, badRequest("Only items are written in batches."));
  return create(scene, request);
}

export async function answerResource(
  account: Account,
  context: RequestContext,
  request: ResourceRequest,
): Promise<WireAnswer> {
  const { path, operation } = request;
  const found = sceneOf(account, context, request);
  if (!found.ok) return refuse(context, found.error);
  const scene = found.value;
  const resource = account.catalog.resources.get(scene.owner.rid, scene.kind, path.id);
  if (operation === "call") return callProcedure(scene, resource, request);
  if (resource === undefined) return refuse(context, { kind: "notFound" });
  switch (operation) {
    case "read": {
      const { etag } = resource.record;
      if (!isUnchanged(request, etag)) return resourceAnswer(200, scene, resource);
      return metadataAnswer(304, context.activityId, CHARGE, { etag, owner: scene.told });
    }
    case "replace":
      return replace(scene, resource, request);
    case "delete":
      return remove(scene, resource, request);
    default:
      return refuseVerb(context, request);
  }
}

function callProcedure(
  { account, context }: Scene,
  resource: Resource | undefined,
  request: ResourceRequest,
): MaybePromise<WireAnswer> {
  const { path, call } = request;
  if (path.resource !== "storedProcedure" || call === undefined) {
    return resource === undefined
      ? refuse(context, { kind: "notFound" })
      : refuseVerb(context, request);
  }
  const procedure = procedureOf(resource, path.id);
  if (procedure === undefined) return refuse(context, { kind: "notFound" });
  const container = account.catalog.container(path.database, path.container);
  if (container === undefined) return refuse(context, { kind: "ownerNotFound" });
  return answerProcedure(account, context, container, { procedure, call, request });
}

function sceneOf(
  account: Account,
  context: RequestContext,
  { path: place, expirySeconds }: ResourcesRequest | ResourceRequest,
): Result<Scene, Refusal> {
  if (!expirySeconds.ok) return expirySeconds;
  const scene = { account, context, kind: place.resource, expirySeconds: expirySeconds.value };
  const database = account.catalog.database(place.database);
  if (database === undefined) return no({ kind: "ownerNotFound" });
  const databaseSelf = `dbs/${database.rid}/`;
  const link = `dbs/${encodeURI(database.record.id)}`;
  if ("container" in place) {
    const owner = account.catalog.container(place.database, place.container);
    if (owner === undefined) return no({ kind: "ownerNotFound" });
    return ok({ ...scene, owner, told: owner, ownerSelf: `${databaseSelf}colls/${owner.rid}/` });
  }
  if ("user" in place) {
    const owner = account.catalog.resources.get(database.rid, "user", place.user);
    if (owner === undefined) return no({ kind: "ownerNotFound" });
    const told = { rid: owner.rid, link: `${link}/users/${encodeURI(owner.record.id)}` };
    return ok({ ...scene, owner, told, ownerSelf: `${databaseSelf}users/${owner.rid}/` });
  }
  const told = { rid: database.rid, link };
  return ok({ ...scene, owner: database, told, ownerSelf: databaseSelf });
}

function list(scene: Scene, { page: asked }: ResourcesRequest): WireAnswer {
  const { account, context, kind, told } = scene;
  const all = account.catalog.resources.list(told.rid, kind);
  const [feed] = RESOURCE_FEEDS[kind];
  const page = pageOfRecords(account, asked, {
    name: `${told.rid}/${feed}`,
    all,
    numberOf: ({ record }) => record.number,
  });
  if (!page.ok) return refuse(context, page.error);
  const { records, continuation } = page.value;
  const bodies = records.map((resource) => bodyOf(scene, resource));
  const body = feedBody(told.rid, feed, bodies);
  const headers = pageHeaders(records.length, continuation);
  return metadataAnswer(200, context.activityId, CHARGE, { body, owner: told, headers });
}

function query(scene: Scene, request: ResourcesRequest): Promise<WireAnswer> {
  const { account, context, kind, told } = scene;
  const members = account.catalog.resources.list(told.rid, kind).map((resource) => ({
    number: resource.record.number,
    body: bodyOf(scene, resource),
  }));
  return answerListQuery(account, context, request, {
    name: RESOURCE_FEEDS[kind][0],
    owner: told,
    members,
  });
}

async function create(scene: Scene, request: ResourcesRequest): Promise<WireAnswer> {
  const { account, context, kind, owner } = scene;
  const { resources } = account.catalog;
  const draft = draftOf(scene, request);
  if (!draft.ok) return refuse(context, draft.error);
  if (request.operation === "upsert") {
    const written = await resources.upsert(owner, kind, draft.value, request.ifMatch);
    if (!written.ok) return refuse(context, written.error);
    const { resource, isNew } = written.value;
    return resourceAnswer(isNew ? 201 : 200, scene, resource);
  }
  const created = await resources.create(owner, kind, draft.value);
  if (!created.ok) return refuse(context, created.error);
  return resourceAnswer(201, scene, created.value);
}

async function replace(
  scene: Scene,
  resource: Resource,
  request: ResourceRequest,
): Promise<WireAnswer> {
  const { account, context, kind } = scene;
  const draft = draftOf(scene, request);
  if (!draft.ok) return refuse(context, draft.error);
  const problem = draft.value.id === resource.record.id ? undefined : renameProblem(kind, request);
  if (problem !== undefined) return refuse(context, problem);
  const { ifMatch } = request;
  const replaced = await account.catalog.resources.replace(resource, draft.value, ifMatch);
  if (!replaced.ok) return refuse(context, replaced.error);
  return resourceAnswer(200, scene, replaced.value);
}

/** Why a resource may not get another id; a token may be about this one script, and no other. */
function renameProblem(
  kind: Scene["kind"],
  { mayBeOfToken }: ResourceRequest,
): Refusal | undefined {
  if (kind === "clientEncryptionKey") {
    return badRequest("A client encryption key keeps its id: containers name it.");
  }
  if (!mayBeOfToken) return undefined;
  const message = "A resource token does not allow giving a script another id. Use an account key.";
  return { kind: "forbidden", message };
}

/** What was encrypted with a key could never be read again without it, so keys stay. */
async function remove(
  { account, context, kind }: Scene,
  resource: Resource,
  request: ResourceRequest,
): Promise<WireAnswer> {
  if (kind === "clientEncryptionKey") return refuseVerb(context, request);
  const deleted = await account.catalog.resources.delete(resource, request.ifMatch);
  if (!deleted.ok) return refuse(context, deleted.error);
  return metadataAnswer(204, context.activityId, CHARGE, {});
}

function draftOf(
  { account, kind }: Scene,
  request: Pick<ResourceRequest, "body">,
): Result<ResourceDraft, Refusal> {
  const body = account.parseBody(request.body);
  if (!body.ok) return body;
  const sent = parseResource(kind, body.value, account.limits);
  return sent.ok ? sent : no(badRequest(sent.error));
}

function resourceAnswer(status: number, scene: Scene, resource: Resource): WireAnswer {
  const { account, context, owner, told } = scene;
  const body = Buffer.from(JSON.stringify(bodyOf(scene, resource)));
  const quota = owner instanceof Container ? scriptQuota(account, owner) : accountQuota(account);
  const headers = quotaHeaders(quota);
  const { etag } = resource.record;
  return metadataAnswer(status, context.activityId, CHARGE, { body, etag, owner: told, headers });
}

function bodyOf(
  { context, kind, ownerSelf, expirySeconds }: Scene,
  resource: Resource,
): JsonObject {
  const { rid, record } = resource;
  const token =
    kind === "permission" ? context.tokens.mint(rid, record.etag, expirySeconds) : undefined;
  return resourceBody({ ...record, rid, ownerSelf, token });
}
