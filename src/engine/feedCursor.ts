/**
 * The text form of a feed position, handed to clients between two pages. It names the container it
 * belongs to: a container that was deleted and made again is another one. It is JSON, because there
 * are clients that parse it before they pass it on.
 */
import type { JsonValue } from "../json/value.ts";
import { isObject, property } from "../json/value.ts";
import { parseEpk } from "../partition/epkRange.ts";
import type { FeedPosition } from "./itemFeed.ts";

export function encodeFeedCursor(containerRid: string, position: FeedPosition): string {
  const place =
    position.order === "creation"
      ? { min: position.range.min, max: position.range.max }
      : { epk: position.afterEpk };
  const fields = { c: containerRid, ...place, n: position.afterNumber };
  return JSON.stringify(fields);
}

/** `undefined` when the text is not a cursor of this container. */
export function parseFeedCursor(containerRid: string, text: string): FeedPosition | undefined {
  const fields = parseFields(text);
  if (!isObject(fields) || property(fields, "c") !== containerRid) return undefined;
  const afterNumber = property(fields, "n");
  if (typeof afterNumber !== "number" || !Number.isSafeInteger(afterNumber)) return undefined;
  if (afterNumber < 0) return undefined;
  const [min, max, epk] = ["min", "max", "epk"].map((name) => {
    const bound = property(fields, name);
    return typeof bound === "string" ? parseEpk(bound) : undefined;
  });
  if (epk !== undefined) return { order: "placement", afterEpk: epk, afterNumber };
  if (min === undefined || max === undefined || min >= max) return undefined;
  return { order: "creation", range: { min, max }, afterNumber };
}

function parseFields(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}
