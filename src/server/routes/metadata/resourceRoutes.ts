/**
 * Users, permissions, scripts and client encryption keys: `/dbs/{database}/users/{user}` and the
 * like. They are alike but for their contents (`protocol/resourceBodies.ts`), and but for
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
import type { Owner } from "../../../protocol/answer/answers.ts";
import { metadataAnswer } from "../../../protocol/answer/answers.ts";
import { feedBody } from "../../../protocol/answer/bodies.ts";
import {
  parseResource,
  RESOURCE_FEEDS,
  resourceBody,
} from "../../../protocol/answer/resourceBodies.ts";
import { mayBeToken } from "../../../protocol/auth/resourceToken.ts";
import { isQuestion, purposeOf } from "../../../protocol/request/purpose.ts";
import { parseExpirySeconds } from "../../../protocol/request/requestHeaders.ts";
import type { OwnedPlace } from "../../../protocol/request/resourcePath.ts";
import { HEADER } from "../../../protocol/wire/headerNames.ts";
import type { WireAnswer } from "../../../protocol/wire/wire.ts";
import { headerOf } from "../../../protocol/wire/wire.ts";
import { chargeOf } from "../../../throughput/charge.ts";
import type { GatewayRequest } from "../gateway.ts";
import { refuse, refuseMethod } from "../gateway.ts";
import { answerProcedure, procedureOf } from "../script/procedureRoutes.ts";
import { isUnchanged, pageOfRecords } from "./metadata.ts";
import { answerListQuery } from "./metadataQuery.ts";
import { accountQuotaHeaders, scriptQuotaHeaders } from "./quotaHeaders.ts";

const CHARGE = chargeOf({ kind: "metadata" });

/** Whose resources a request is about, and of which kind. */
interface Scene {
  readonly account: Account;
  readonly request: GatewayRequest;
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
  request: GatewayRequest,
  place: OwnedPlace,
): Promise<WireAnswer> {
  if (request.method !== "GET" && request.method !== "POST") return refuseMethod(request);
  const found = sceneOf(account, request, place);
  if (!found.ok) return refuse(request, found.error);
  const scene = found.value;
  if (request.method === "GET") return list(scene);
  const purpose = purposeOf(request.headers);
  if (isQuestion(purpose)) return query(scene);
  if (purpose === "batch") return refuse(request, badRequest("Only items are written in batches."));
  return create(scene, purpose === "upsert");
}

export async function answerResource(
  account: Account,
  request: GatewayRequest,
  place: OwnedPlace & { readonly id: string },
): Promise<WireAnswer> {
  const found = sceneOf(account, request, place);
  if (!found.ok) return refuse(request, found.error);
  const scene = found.value;
  const resource = account.catalog.resources.get(scene.owner.rid, scene.kind, place.id);
  if (request.method === "POST") return callProcedure(scene, resource, place);
  if (resource === undefined) return refuse(request, { kind: "notFound" });
  switch (request.method) {
    case "GET": {
      const { etag } = resource.record;
      if (!isUnchanged(request.headers, etag)) return resourceAnswer(200, scene, resource);
      return metadataAnswer(304, request.activityId, CHARGE, { etag, owner: scene.told });
    }
    case "PUT":
      return replace(scene, resource);
    case "DELETE":
      return remove(scene, resource);
    default:
      return refuseMethod(request);
  }
}

function callProcedure(
  { account, request }: Scene,
  resource: Resource | undefined,
  place: OwnedPlace & { readonly id: string },
): MaybePromise<WireAnswer> {
  if (place.resource !== "storedProcedure") {
    return resource === undefined ? refuse(request, { kind: "notFound" }) : refuseMethod(request);
  }
  const procedure = procedureOf(resource, place.id);
  if (procedure === undefined) return refuse(request, { kind: "notFound" });
  const container = account.catalog.container(place.database, place.container);
  if (container === undefined) return refuse(request, { kind: "ownerNotFound" });
  return answerProcedure(account, request, container, procedure);
}

function sceneOf(
  account: Account,
  request: GatewayRequest,
  place: OwnedPlace,
): Result<Scene, Refusal> {
  const expirySeconds = parseExpirySeconds(request.headers, account.limits);
  if (!expirySeconds.ok) return expirySeconds;
  const scene = { account, request, kind: place.resource, expirySeconds: expirySeconds.value };
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

function list(scene: Scene): WireAnswer {
  const { account, request, kind, told } = scene;
  const all = account.catalog.resources.list(told.rid, kind);
  const [feed] = RESOURCE_FEEDS[kind];
  const page = pageOfRecords(account, request.headers, {
    name: `${told.rid}/${feed}`,
    all,
    numberOf: ({ record }) => record.number,
  });
  if (!page.ok) return refuse(request, page.error);
  const { records, continuation } = page.value;
  const bodies = records.map((resource) => bodyOf(scene, resource));
  const body = feedBody(told.rid, feed, bodies);
  const headers = [HEADER.itemCount, String(records.length)];
  if (continuation !== undefined) headers.push(HEADER.continuation, continuation);
  return metadataAnswer(200, request.activityId, CHARGE, { body, owner: told, headers });
}

function query(scene: Scene): Promise<WireAnswer> {
  const { account, request, kind, told } = scene;
  const members = account.catalog.resources.list(told.rid, kind).map((resource) => ({
    number: resource.record.number,
    body: bodyOf(scene, resource),
  }));
  return answerListQuery(account, request, {
    name: RESOURCE_FEEDS[kind][0],
    owner: told,
    members,
  });
}

async function create(scene: Scene, isUpsert: boolean): Promise<WireAnswer> {
  const { account, request, kind, owner } = scene;
  const { resources } = account.catalog;
  const draft = draftOf(scene);
  if (!draft.ok) return refuse(request, draft.error);
  if (isUpsert) {
    const ifMatch = headerOf(request.headers, "if-match");
    const written = await resources.upsert(owner, kind, draft.value, ifMatch);
    if (!written.ok) return refuse(request, written.error);
    const { resource, isNew } = written.value;
    return resourceAnswer(isNew ? 201 : 200, scene, resource);
  }
  const created = await resources.create(owner, kind, draft.value);
  if (!created.ok) return refuse(request, created.error);
  return resourceAnswer(201, scene, created.value);
}

async function replace(scene: Scene, resource: Resource): Promise<WireAnswer> {
  const { account, request } = scene;
  const draft = draftOf(scene);
  if (!draft.ok) return refuse(request, draft.error);
  const problem = draft.value.id === resource.record.id ? undefined : renameProblem(scene);
  if (problem !== undefined) return refuse(request, problem);
  const ifMatch = headerOf(request.headers, "if-match");
  const replaced = await account.catalog.resources.replace(resource, draft.value, ifMatch);
  if (!replaced.ok) return refuse(request, replaced.error);
  return resourceAnswer(200, scene, replaced.value);
}

/** Why a resource may not get another id; a token may be about this one script, and no other. */
function renameProblem({ kind, request }: Scene): Refusal | undefined {
  if (kind === "clientEncryptionKey") {
    return badRequest("A client encryption key keeps its id: containers name it.");
  }
  if (!mayBeToken(headerOf(request.headers, "authorization"))) return undefined;
  const message = "A resource token does not allow giving a script another id. Use an account key.";
  return { kind: "forbidden", message };
}

/** What was encrypted with a key could never be read again without it, so keys stay. */
async function remove({ account, request, kind }: Scene, resource: Resource): Promise<WireAnswer> {
  if (kind === "clientEncryptionKey") return refuseMethod(request);
  const ifMatch = headerOf(request.headers, "if-match");
  const deleted = await account.catalog.resources.delete(resource, ifMatch);
  if (!deleted.ok) return refuse(request, deleted.error);
  return metadataAnswer(204, request.activityId, CHARGE, {});
}

function draftOf({ account, request, kind }: Scene): Result<ResourceDraft, Refusal> {
  const body = account.parseBody(request.body);
  if (!body.ok) return body;
  const sent = parseResource(kind, body.value, account.limits);
  return sent.ok ? sent : no(badRequest(sent.error));
}

function resourceAnswer(status: number, scene: Scene, resource: Resource): WireAnswer {
  const { account, request, owner, told } = scene;
  const body = Buffer.from(JSON.stringify(bodyOf(scene, resource)));
  const headers =
    owner instanceof Container ? scriptQuotaHeaders(account, owner) : accountQuotaHeaders(account);
  const { etag } = resource.record;
  return metadataAnswer(status, request.activityId, CHARGE, { body, etag, owner: told, headers });
}

function bodyOf(
  { request, kind, ownerSelf, expirySeconds }: Scene,
  resource: Resource,
): JsonObject {
  const { rid, record } = resource;
  const token =
    kind === "permission" ? request.tokens.mint(rid, record.etag, expirySeconds) : undefined;
  return resourceBody({ ...record, rid, ownerSelf, token });
}
