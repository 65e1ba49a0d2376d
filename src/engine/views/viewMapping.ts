/**
 * The row that a view has for an item of its source.
 *
 * The id of a row is made up of the key and the id of its item, so that no two items want the same
 * place, whatever the key of the view is; the item's own id is the property `_id`. A row has the
 * number, the time stamp and the etag of its item.
 */
import { createHash } from "node:crypto";
import { SYSTEM_PROPERTIES } from "../../base/systemProperties.ts";
import { carryDigits } from "../../json/digits.ts";
import { stringifyKeepingDigits } from "../../json/stringify.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { shownKey } from "../../model/copyJob.ts";
import type { Limits } from "../../model/limits.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import type { StoredItem } from "../../store/partitionStore.ts";
import { placed } from "../copy/itemMapping.ts";
import type { Mapped, Mapping } from "../copy/mapping.ts";
import type { ViewSelection } from "../definition/viewDefinition.ts";
import { SOURCE_ID } from "../definition/viewDefinition.ts";
import { viewSelection } from "../definition/viewSource.ts";
import { bareEtagOf, exactObjectOf, indexedEtag, tsOf, unindexedEtag } from "../item/itemBody.ts";
import { idOfKey } from "../item/itemKey.ts";
import type { Container } from "../partition/container.ts";

const ROW_ID_CHARACTERS = 32;

export function viewMapping(limits: Limits, source: Container, view: Container): Mapping {
  const selection = viewSelection(view.definition.view!.definition);
  const copyOf = (item: StoredItem): Mapped => {
    const { body, number } = item;
    const whole = exactObjectOf(body);
    const key = source.readKey(whole);
    if (!key.ok) return { kind: "unfit", code: "refused", reason: key.error };
    const sourceId = idOfKey(item.key);
    const id = rowIdOf(key.value, sourceId);
    const object = rowOf(whole, selection, { id, sourceId });
    const text = Buffer.from(stringifyKeepingDigits(object));
    const original = { number, etag: etagIn(view, bareEtagOf(body)), ts: tsOf(body) };
    return placed(limits, view, { id, object, text, original });
  };
  return { copyOf, numberOf: (number) => number, sourceNumberOf: (number) => number };
}

/** The id of the row for an item: the same whenever it is asked for, and no other item's. */
export function rowIdOf(key: PartitionKey, id: string): string {
  const name = JSON.stringify([shownKey(key), id]);
  return createHash("sha256").update(name).digest("hex").slice(0, ROW_ID_CHARACTERS);
}

function rowOf(
  whole: JsonObject,
  selection: ViewSelection,
  { id, sourceId }: { readonly id: string; readonly sourceId: string },
): JsonObject {
  const isTaken = (name: string): boolean =>
    name !== "id" &&
    name !== SOURCE_ID &&
    !SYSTEM_PROPERTIES.has(name) &&
    (selection === "all" || selection.has(name));
  const members: [string, JsonValue][] = Object.entries(whole).filter(([name]) => isTaken(name));
  // Not by assignment: a property may have the name of something that every object has.
  const row: JsonObject = Object.fromEntries([["id", id], [SOURCE_ID, sourceId], ...members]);
  carryDigits(whole, row, (name) => (typeof name === "string" && isTaken(name) ? name : undefined));
  return row;
}

/**
 * What is left out of the index of the source is a row like all others: the view has a policy of
 * its own.
 */
function etagIn({ definition }: Container, etag: string): string {
  const { automatic, indexingMode } = definition.indexingPolicy;
  return automatic || indexingMode === "none" ? indexedEtag(etag) : unindexedEtag(etag);
}
