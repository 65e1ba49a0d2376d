/**
 * Leads from a request about one item to the physical partition that owns the item. Everything that
 * can be refused without looking at stored items is refused here.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Limits } from "../../model/limits.ts";
import type { PartitionKey, PartitionKeyDefinition } from "../../model/partitionKey.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import type { BatchRequest, WriteRequest } from "../../model/request/writeRequest.ts";
import { epkOf } from "../../partition/epk.ts";
import type { Epk } from "../../partition/epkRange.ts";
import { sameKey } from "../../partition/partitionKeyOf.ts";
import { draftOfValue, parseItem, parseSent } from "../item/itemBody.ts";
import type { BatchOperation, WriteCommand } from "../item/itemCommand.ts";
import { parsePatch } from "../item/patch.ts";
import type { Container } from "./container.ts";
import type { PhysicalPartition } from "./physicalPartition.ts";

interface RoutedWrite {
  readonly partition: PhysicalPartition;
  readonly command: WriteCommand;
}

export interface RoutedKey {
  readonly partition: PhysicalPartition;
  readonly epk: Epk;
  readonly key: PartitionKey;
}

export function routeWrite(
  container: Container,
  request: WriteRequest,
  limits: Limits,
): Result<RoutedWrite, Refusal> {
  const { ifMatch, ifNoneMatch, indexing } = request;
  const terms = { ifMatch, ifNoneMatch, indexing };
  if (request.kind === "delete") {
    const routed = routeKey(container, request.key, limits);
    if (!routed.ok) return routed;
    const { partition, ...place } = routed.value;
    return ok({ partition, command: { kind: "delete", ...place, id: request.id, ...terms } });
  }
  if (request.kind === "patch") return routePatch(container, request, limits);

  const { body } = request;
  const draft = Buffer.isBuffer(body) ? parseItem(body, limits) : draftOfValue(body, limits);
  if (!draft.ok) return draft;
  const { id, object } = draft.value;
  const key = container.readKey(object);
  if (!key.ok) return no(badRequest(key.error));
  if (request.key !== undefined && !isKeyOf(container, request.key, key.value)) {
    return no({ kind: "keyMismatch", isPrefix: request.key.length < key.value.length });
  }
  const routed = routeKey(container, key.value, limits);
  if (!routed.ok) return routed;
  const { partition, epk } = routed.value;
  if (request.kind === "replace" && request.isNameFixed === true && id !== request.id) {
    return no(NAME_FIXED);
  }
  // A replace whose body has another id than the request renames the item.
  const found = request.kind === "replace" ? request.id : id;
  const command = { kind: request.kind, epk, key: key.value, id: found, draft: draft.value };
  return ok({ partition, command: { ...command, ...terms } });
}

const NAME_FIXED: Refusal = {
  kind: "forbidden",
  message: "A resource token does not allow giving an item another id. Use an account key.",
};

export function routeBatchOperation(
  container: Container,
  request: BatchRequest & { readonly key: PartitionKey },
  limits: Limits,
): Result<BatchOperation, Refusal> {
  if ("id" in request && Buffer.byteLength(request.id) > limits.itemIdBytesMax) {
    return no({ kind: "notFound" });
  }
  if (request.kind === "read") {
    const routed = routeKey(container, request.key, limits);
    if (!routed.ok) return routed;
    const { id, ifNoneMatch } = request;
    return ok({ kind: "read", epk: routed.value.epk, id, ifNoneMatch });
  }
  const write = "resource" in request ? { ...request, body: request.resource } : request;
  const routed = routeWrite(container, write as WriteRequest, limits);
  return routed.ok ? ok(routed.value.command) : routed;
}

/** Finds the owner of a full partition key. */
export function routeKey(
  container: Container,
  key: PartitionKey | undefined,
  limits: Limits,
): Result<RoutedKey, Refusal> {
  const definition = container.definition.partitionKey;
  if (key === undefined) {
    return no(badRequest("PartitionKey value must be supplied for this operation."));
  }
  const problem = keyProblem(definition, key, limits);
  if (problem !== undefined) return no(problem);
  const epk = epkOf(definition, key);
  return ok({ partition: container.ownerOf(epk), epk, key });
}

/**
 * The value of an operation lies three levels deep in the patch, and at least one deep in the item.
 */
export const PATCH_WRAPPING_DEPTH = 2;

function routePatch(
  container: Container,
  request: WriteRequest & { readonly kind: "replace" | "patch" },
  limits: Limits,
): Result<RoutedWrite, Refusal> {
  const sent = request.body;
  const body = Buffer.isBuffer(sent) ? parseSent(sent, limits, PATCH_WRAPPING_DEPTH) : ok(sent);
  if (!body.ok) return body;
  const patch = parsePatch(body.value, limits);
  if (!patch.ok) return patch;
  const routed = routeKey(container, request.key, limits);
  if (!routed.ok) return routed;
  const { partition, ...place } = routed.value;
  const { id, ifMatch, ifNoneMatch, indexing } = request;
  const terms = { ifMatch, ifNoneMatch, indexing };
  return ok({ partition, command: { kind: "patch", ...place, id, patch: patch.value, ...terms } });
}

/**
 * Compares keys. Under a system key, an empty key in the header stands for a key of nothing but
 * none.
 */
function isKeyOf(container: Container, sent: PartitionKey, key: PartitionKey): boolean {
  if (sameKey(sent, key)) return true;
  const isNone = key.every((component) => component === undefined);
  return container.definition.partitionKey.systemKey === true && isNone && sent.length === 0;
}

function keyProblem(
  { paths, version, systemKey }: PartitionKeyDefinition,
  key: PartitionKey,
  limits: Limits,
): Refusal | undefined {
  const isSystemNone = systemKey === true && key.length === 0;
  // A prefix names many logical partitions, but an item is in one.
  if (key.length < paths.length && !isSystemNone) return { kind: "keyMismatch", isPrefix: true };
  if (key.length > paths.length) {
    return badRequest(
      `The partition key has ${key.length} components, the container's key has ${paths.length}.`,
    );
  }
  for (const component of key) {
    if (typeof component !== "string" || version === 1) continue;
    if (component.length * 3 <= limits.partitionKeyBytesMax) continue;
    if (Buffer.byteLength(component) > limits.partitionKeyBytesMax) {
      return badRequest(
        `A partition key value may have at most ${limits.partitionKeyBytesMax} bytes.`,
      );
    }
  }
  return undefined;
}
