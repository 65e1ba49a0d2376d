/**
 * The text form of a position in a read feed, handed to clients between two pages. `cursorKey.ts`
 * binds the text to its question and makes sure that nobody altered it.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { JsonObject } from "../../json/value.ts";
import { property } from "../../json/value.ts";
import type { Refusal } from "../../model/refusal.ts";
import { parseEpk } from "../../partition/epkRange.ts";
import type { CursorScope, Question, SignedCursors } from "../cursor/cursorKey.ts";
import { NO_CURSOR } from "../cursor/cursorKey.ts";
import { countIn, parseProgress, progressFields } from "../cursor/progressFields.ts";
import type { FeedPosition } from "./itemFeed.ts";

export function feedQuestion(containerRid: string, scope: CursorScope | undefined): Question {
  return { kind: "readFeed", owner: containerRid, scope };
}

export function encodeFeedCursor(cursors: SignedCursors, position: FeedPosition): string {
  return cursors.sign(placeFields(position));
}

function placeFields(position: FeedPosition): JsonObject {
  return position.order === "creation"
    ? progressFields(position)
    : { epk: position.afterEpk, n: position.afterNumber };
}

export function parseFeedCursor(
  cursors: SignedCursors,
  text: string,
): Result<FeedPosition, Refusal> {
  const cursor = cursors.read(text);
  if (!cursor.ok) return cursor;
  const { fields, asked } = cursor.value;
  const position = asked === "more" ? undefined : positionIn(fields);
  return position === undefined ? no(NO_CURSOR) : ok(position);
}

function positionIn(fields: JsonObject): FeedPosition | undefined {
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
