/**
 * Prepares one write command against the version that the command finds: its outcome and charge,
 * and the write for the store. The functions here are pure, except that they draw item numbers and
 * etags; nothing is visible until the commit.
 */
import type { Ru } from "../../base/units.ts";
import { changedLeafCount, termsOf } from "../../index/terms.ts";
import type { JsonObject } from "../../json/value.ts";
import { checkNewItemId } from "../../model/ids.ts";
import type { IndexingDirective } from "../../model/indexingDirective.ts";
import type { Limits } from "../../model/limits.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import type { Condition } from "../../model/request/writeRequest.ts";
import { itemRid } from "../../model/rid.ts";
import type { Epk } from "../../partition/epkRange.ts";
import type { ItemDelete, ItemWrite, StoredItem, Superseded } from "../../store/partitionStore.ts";
import type { ChangeWork } from "../../throughput/charge.ts";
import { chargeOf } from "../../throughput/charge.ts";
import type { Container } from "../partition/container.ts";
import { compoundEntriesOf, compoundEntryCountOf } from "./compoundEntries.ts";
import type { ItemDraft, ItemStamp } from "./itemBody.ts";
import {
  draftOfValue,
  etagOf,
  exactObjectOf,
  isUnindexed,
  numbersEtag,
  objectOf,
  stampedBody,
  stampObject,
  unindexedEtag,
} from "./itemBody.ts";
import type { Original, WriteCommand } from "./itemCommand.ts";
import { epkOfKey, itemKeyOf } from "./itemKey.ts";
import { heldTermsOf, itemTermChange, itemTermsOf } from "./itemTerms.ts";
import { applyPatch } from "./patch.ts";
import { endTagOf, ttlTagOf } from "./ttl.ts";
import { vectorEntryCountOf } from "./vectorEntries.ts";

export type Prepared =
  | { readonly kind: "refused"; readonly refusal: Refusal; readonly charge: Ru }
  | {
      readonly kind: "created" | "replaced" | "deleted";
      readonly write: ItemWrite;
      readonly charge: Ru;
      /** The body after the write; absent for a delete. */
      readonly body?: Buffer;
      /** The end of the item under its former id, if the write renamed it. */
      readonly ended?: ItemDelete;
    };

/** The source of new item numbers, etags and the time: the physical partition. */
export interface Stamping {
  nextNumber(): number;
  nextEtag(): string;
  /** Milliseconds since 1970. */
  readonly wallNow: number;
}

export interface PrepareSetting {
  readonly container: Container;
  readonly limits: Limits;
  readonly stamping: Stamping;
}

/**
 * Prepares a command. `found` is the live version of the item; an expired one is passed as
 * undefined.
 */
export function prepare(
  setting: PrepareSetting,
  command: WriteCommand,
  found: StoredItem | undefined,
): Prepared {
  if (found === undefined) return prepareWithout(setting, command);
  // A patch writes the unchanged numbers of the item again, so these must keep their digits.
  const read = command.kind === "patch" ? exactObjectOf : objectOf;
  const before: Before = { found, object: read(found.body) };
  if (!setting.container.isOfKey(before.object, command.key)) {
    return refused({ kind: isNewItem(command) ? "keyHashTaken" : "notFound" }, found);
  }
  const unmet = unmetCondition(command, found);
  if (unmet !== undefined) return refused(unmet, found);
  switch (command.kind) {
    case "create":
      return refused({ kind: "idTaken" }, found);
    case "copy":
      if (found.number !== command.original.number) return refused({ kind: "idTaken" }, found);
      return prepareReplace(setting, command, before, 0);
    case "upsert":
      return prepareReplace(setting, command, before, 0);
    case "replace":
      if (command.draft.id !== command.id) return prepareRename(setting, command, before);
      return prepareReplace(setting, command, before, 0);
    case "patch":
      return preparePatch(setting, command, before);
    case "delete":
      return deletionOf(setting, found, before.object);
  }
}

/** The version that a command finds, both as stored and as an object. */
interface Before {
  readonly found: StoredItem;
  readonly object: JsonObject;
}

/**
 * Prepares a command that finds no version. Conditions are not looked at: replace, patch and delete
 * answer "not found", and an upsert creates.
 */
function prepareWithout(setting: PrepareSetting, command: WriteCommand): Prepared {
  return isNewItem(command) ? prepareCreate(setting, command) : refused({ kind: "notFound" });
}

type NewItem = WriteCommand & { readonly kind: "create" | "upsert" | "copy" };

function isNewItem(command: WriteCommand): command is NewItem {
  return command.kind === "create" || command.kind === "upsert" || command.kind === "copy";
}

export function unmetCondition(
  { ifMatch, ifNoneMatch }: Condition,
  found: StoredItem,
): Refusal | undefined {
  const etag = etagOf(found.body);
  if (ifMatch !== undefined && ifMatch !== "*" && !isSameEtag(ifMatch, etag)) {
    return { kind: "preconditionFailed" };
  }
  if (ifNoneMatch !== undefined && (ifNoneMatch === "*" || isSameEtag(ifNoneMatch, etag))) {
    return { kind: "preconditionFailed" };
  }
  return undefined;
}

/** Compares etags. Clients send back the etag that they were given, and some strip its quotes. */
export function isSameEtag(sent: string, etag: string): boolean {
  return sent === etag || `"${sent}"` === etag;
}

/** The new version that a command asks for: the item, and whether it is to be indexed. */
interface Sent {
  readonly draft: ItemDraft;
  readonly indexing?: IndexingDirective | undefined;
  /** Present when the version is a copy. */
  readonly original?: Original | undefined;
}

function prepareCreate(
  setting: PrepareSetting,
  { epk, ...sent }: Sent & { readonly epk: Epk },
): Prepared {
  const { container, limits, stamping } = setting;
  const { draft, original } = sent;
  const complaint = checkNewItemId(draft.id);
  if (complaint !== undefined) return refused(badRequest(complaint));
  const tag = ttlTagOf(draft.object, limits);
  if (!tag.ok) return refused(tag.error);
  const number = original?.number ?? stamping.nextNumber();
  const stamp = stampOf(setting, number, sent);
  const body = stampedBody(draft.text, stamp);
  const { terms, leafCount } = itemTermsOf(container, epk, draft.object, stampObject(stamp));
  const write: ItemWrite = {
    kind: "put",
    key: itemKeyOf(epk, draft.id),
    number,
    tag: tag.value,
    body,
    before: undefined,
    termsAdded: terms,
    termsRemoved: [],
  };
  const charge = chargeOf({
    kind: "create",
    bytes: body.length,
    leafCount,
    compoundEntryCount: isUnindexed(body) ? 0 : entryCountOf(container, draft.object),
    isIndexed: isIndexed(container, body),
  });
  return { kind: "created", write, body, charge };
}

function prepareReplace(
  setting: PrepareSetting,
  sent: Sent,
  { found, object: objectBefore }: Before,
  patchOperationCount: number,
): Prepared {
  const { container, limits } = setting;
  const { draft } = sent;
  const tag = ttlTagOf(draft.object, limits);
  if (!tag.ok) return refused(tag.error);
  const stamp = stampOf(setting, found.number, sent);
  const body = stampedBody(draft.text, stamp);
  const objectAfter = draft.object;
  const epk = epkOfKey(found.key);
  const { removed, added } = itemTermChange(container, epk, objectBefore, {
    item: objectAfter,
    stamp: stampObject(stamp),
  });
  const write: ItemWrite = {
    kind: "put",
    key: found.key,
    number: found.number,
    tag: tag.value,
    body,
    before: supersededBy(container, found),
    termsAdded: added,
    termsRemoved: removed,
  };
  const bytes = { bytesBefore: found.body.length, bytesAfter: body.length };
  const work = {
    ...bytes,
    ...changedCounts(container, found.body, body, objectBefore, objectAfter),
  };
  const charge =
    patchOperationCount > 0
      ? chargeOf({ kind: "patch", ...work, operationCount: patchOperationCount })
      : chargeOf({ kind: "replace", ...work });
  return { kind: "replaced", write, body, charge };
}

/**
 * Prepares a replace that gives the item another id. The store sees two items, one that ends and
 * one that begins under the same LSN. `WriteBatch` checks whether the new id is free. The charge is
 * that of any other replace.
 */
function prepareRename(setting: PrepareSetting, sent: Sent, { found, object }: Before): Prepared {
  const begun = prepareCreate(setting, { ...sent, epk: epkOfKey(found.key) });
  if (begun.kind === "refused") return begun;
  const { container } = setting;
  const body = begun.body!;
  const charge = chargeOf({
    kind: "replace",
    bytesBefore: found.body.length,
    bytesAfter: body.length,
    ...changedCounts(container, found.body, body, object, sent.draft.object),
  });
  return { ...begun, kind: "replaced", charge, ended: deletionOf(setting, found, object).write };
}

function preparePatch(
  setting: PrepareSetting,
  command: WriteCommand & { readonly kind: "patch" },
  before: Before,
): Prepared {
  const { found, object: item } = before;
  const { container, limits, stamping } = setting;
  const { partitionKey, geospatialConfig } = container.definition;
  const { wallNow } = stamping;
  const met = command.patch.condition?.(item, { wallNow, geometry: geospatialConfig.type });
  if (met?.ok === false) return refused(met.error, found);
  if (met?.value === false) return refused({ kind: "patchConditionFailed" }, found);
  const patched = applyPatch(item, command.patch, partitionKey.paths);
  if (!patched.ok) return refused(patched.error, found);
  const draft = draftOfValue(patched.value, limits);
  if (!draft.ok) return refused(draft.error, found);
  const sent = { draft: draft.value, indexing: command.indexing };
  return prepareReplace(setting, sent, before, command.patch.operations.length);
}

/** The write that ends an item, with its charge. */
export interface Deletion {
  readonly kind: "deleted";
  readonly write: ItemDelete;
  readonly charge: Ru;
}

/**
 * Prepares the end of an item that has expired, which is not the end of one that a client deleted.
 */
export function expiryOf(setting: PrepareSetting, expired: StoredItem): Deletion {
  const deletion = deletionOf(setting, expired);
  return { ...deletion, write: { ...deletion.write, isExpiry: true } };
}

export function deletionOf(
  { container, stamping }: PrepareSetting,
  found: StoredItem,
  item: JsonObject = objectOf(found.body),
): Deletion {
  const epk = epkOfKey(found.key);
  const write: ItemDelete = {
    kind: "delete",
    key: found.key,
    number: found.number,
    tag: endTagOf(stamping.wallNow),
    before: supersededBy(container, found),
    termsRemoved: heldTermsOf(container, epk, item),
    ...(container.keepsVersions && { last: found.body }),
  };
  return { kind: "deleted", write, charge: deletionCharge(container, found, item) };
}

/** What it costs to delete the item as it is. */
export function deletionCharge(
  container: Container,
  { body }: StoredItem,
  item: JsonObject = objectOf(body),
): Ru {
  return chargeOf({
    kind: "delete",
    bytes: body.length,
    leafCount: isUnindexed(body) ? 0 : termsOf(container.policy, item).leafCount,
    compoundEntryCount: isUnindexed(body) ? 0 : entryCountOf(container, item),
    isIndexed: isIndexed(container, body),
  });
}

/** Whoever guards the container is told what its items were before. */
function supersededBy({ guard }: Container, { lsn, body }: StoredItem): Superseded {
  const superseded = { lsn, bodyBytes: body.length };
  return guard === undefined ? superseded : { ...superseded, body };
}

function stampOf(
  { container, stamping }: PrepareSetting,
  number: number,
  { draft, indexing, original }: Sent,
): ItemStamp {
  const rid = itemRid(container.childRids, number);
  const self = `${container.itemSelfPrefix}${rid}/`;
  if (original !== undefined) return { rid, self, etag: original.etag, ts: original.ts };
  const etag = numbersEtag(stamping.nextEtag(), draft.carriesDigits);
  return {
    rid,
    self,
    etag: isLeftOut(container, indexing) ? unindexedEtag(etag) : etag,
    ts: Math.floor(stamping.wallNow / 1000),
  };
}

/**
 * True when a version is to be left out of the index. Under indexing mode `none` no version is:
 * queries then look at every item.
 */
function isLeftOut({ definition }: Container, indexing: IndexingDirective | undefined): boolean {
  const { indexingMode, automatic } = definition.indexingPolicy;
  if (indexingMode === "none") return false;
  return indexing === undefined ? !automatic : indexing === "exclude";
}

function isIndexed(container: Container, body: Buffer): boolean {
  return container.definition.indexingPolicy.indexingMode !== "none" && !isUnindexed(body);
}

function entryCountOf({ definition }: Container, item: JsonObject): number {
  return compoundEntryCountOf(definition) + vectorEntryCountOf(definition, item);
}

/**
 * Counts the changed leaves and entries. A version that is left out of the index counts as one
 * without properties.
 */
function changedCounts(
  container: Container,
  bodyBefore: Buffer,
  bodyAfter: Buffer,
  objectBefore: JsonObject,
  objectAfter: JsonObject,
): Pick<ChangeWork, "changedLeafCount" | "changedCompoundEntryCount" | "isIndexed"> {
  const before = isUnindexed(bodyBefore) ? {} : objectBefore;
  const after = isUnindexed(bodyAfter) ? {} : objectAfter;
  return {
    changedLeafCount: changedLeafCount(container.policy, before, after),
    changedCompoundEntryCount: changedEntryCount(container, before, after),
    isIndexed: isIndexed(container, bodyBefore) || isIndexed(container, bodyAfter),
  };
}

function changedEntryCount(container: Container, before: JsonObject, after: JsonObject): number {
  const { definition } = container;
  const vectorCount = vectorEntryCountOf(definition, after, before);
  if (compoundEntryCountOf(definition) === 0) return vectorCount;
  const entriesBefore = compoundEntriesOf(definition, before);
  const entriesAfter = compoundEntriesOf(definition, after);
  const changed = entriesAfter.filter((entry, index) => entry !== entriesBefore[index]);
  return changed.length + vectorCount;
}

function refused(refusal: Refusal, found?: StoredItem): Prepared {
  const examinedBytes = found?.body.length ?? 0;
  return { kind: "refused", refusal, charge: chargeOf({ kind: "refused", examinedBytes }) };
}
