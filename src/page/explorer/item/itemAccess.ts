/** One item read, written and deleted at the data plane, with its etag. */
import type { OverviewRow } from "../../../protocol/admin.ts";
import type { Server, ServerReply } from "../../session/server.ts";
import { containerPath, keyHeader } from "../data/dataPlane.ts";
import { indented } from "../data/rawJson.ts";
import { isObject, keyValues } from "../data/tableColumns.ts";

export interface ItemPlace {
  readonly keys: readonly unknown[];
  readonly id: string;
}

/** A version of the item, and its etag; a new item has none. */
export interface HeldItem {
  readonly text: string;
  readonly etag?: string | undefined;
}

export async function readItem(
  server: Server,
  row: OverviewRow,
  { keys, id }: ItemPlace,
): Promise<ServerReply<HeldItem>> {
  const path = pathOf(row, id);
  const answer = await server.data({ method: "GET", path, headers: keyHeader(keys) });
  if (answer.ok) return { ok: true, value: heldOf(answer.value) };
  const isGone = answer.error.status === 404;
  const message = isGone
    ? "The item is not there; it may have been deleted."
    : answer.error.message;
  return { ok: false, error: { ...answer.error, message } };
}

interface Written {
  readonly place: ItemPlace | undefined;
  readonly text: string;
  readonly etag?: string | undefined;
}

export async function writeItem(
  server: Server,
  row: OverviewRow,
  { place, text, etag }: Written,
): Promise<ServerReply<HeldItem>> {
  const now = placeOf(text, row);
  if (place !== undefined && JSON.stringify(now) !== JSON.stringify(place)) {
    const message =
      "The id or the partition key was changed. An item keeps both for life: create a new item, " +
      "then delete this one.";
    return { ok: false, error: { kind: "refused", message } };
  }
  const answer = await server.data({
    method: place === undefined ? "POST" : "PUT",
    path: place === undefined ? `${containerPath(row)}/docs` : pathOf(row, place.id),
    headers: { ...keyHeader(now.keys), ...(etag !== undefined && { "if-match": etag }) },
    body: text,
  });
  return answer.ok ? { ok: true, value: heldOf(answer.value) } : answer;
}

function heldOf({ text, headers }: { readonly text: string; readonly headers: Headers }): HeldItem {
  return { text: indented(text), etag: headers.get("etag") ?? undefined };
}

function pathOf(row: OverviewRow, id: string): string {
  return `${containerPath(row)}/docs/${encodeURIComponent(id)}`;
}

/** Where the item of this text lies; the text is JSON. */
export function placeOf(text: string, { partitionKeyPaths }: OverviewRow): ItemPlace {
  const item: unknown = JSON.parse(text);
  const id = isObject(item) ? item["id"] : undefined;
  return { keys: keyValues(item, partitionKeyPaths), id: typeof id === "string" ? id : "" };
}

export function deleteItem(
  server: Server,
  row: OverviewRow,
  { keys, id }: ItemPlace,
): Promise<ServerReply<unknown>> {
  return server.data({ method: "DELETE", path: pathOf(row, id), headers: keyHeader(keys) });
}
