/**
 * The text form of a feed position, handed to clients between two pages. It names the container it
 * belongs to: a container that was deleted and made again is another one. It is JSON, because there
 * are clients that parse it before they pass it on.
 */
import type { JsonObject, JsonValue } from "../json/value.ts";
import { isObject, property } from "../json/value.ts";
import { parseEpk } from "../partition/epkRange.ts";
import type { FeedPosition } from "./itemFeed.ts";
import { countIn, parseProgress, progressFields } from "./progressFields.ts";

export function encodeFeedCursor(containerRid: string, position: FeedPosition): string {
  return JSON.stringify({ c: containerRid, ...placeFields(position) });
}

function placeFields(position: FeedPosition): JsonObject {
  return position.order === "creation"
    ? progressFields(position)
    : { epk: position.afterEpk, n: position.afterNumber };
}

/** `undefined` when the text is not a cursor of this container. */
export function parseFeedCursor(containerRid: string, text: string): FeedPosition | undefined {
  const fields = parseFields(text);
  if (!isObject(fields) || property(fields, "c") !== containerRid) return undefined;
  const epk = property(fields, "epk");
  if (typeof epk !== "string") {
    const progress = parseProgress(fields);
    return progress && { order: "creation", ...progress };
  }
  const afterEpk = parseEpk(epk);
  const afterNumber = countIn(fields, "n");
  if (afterEpk === undefined || afterNumber === undefined) return undefined;
  return { order: "placement", afterEpk, afterNumber };
}

function parseFields(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}
