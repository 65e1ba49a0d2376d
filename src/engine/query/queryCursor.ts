/**
 * The text form of a query position, handed to clients between two pages. What it belongs to
 * (`queryQuestion.ts`), and that nobody altered it, is the affair of `cursorKey.ts`.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { property } from "../../json/value.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { Cut, Position, Remaining } from "../../query/execute/position.ts";
import type { ReadCursor, SignedCursors } from "../cursor/cursorKey.ts";
import { NO_CURSOR } from "../cursor/cursorKey.ts";
import { countIn, parseProgress, progressFields } from "../cursor/progressFields.ts";

type Value = JsonValue | undefined;

export function encodeQueryCursor(cursors: SignedCursors, position: Position): string {
  const text = cursors.sign(fieldsOf(position));
  if (text.length <= CHARACTERS_MAX) return text;
  // Values too large for a header: then how many rows are done has to do.
  const { skip, take, cut, suspended, given = 0 } = position;
  return cursors.sign(fieldsOf({ kind: "ordinal", done: given, skip, take, cut, suspended }));
}

/** Clients take 16 KB of headers in all. */
const CHARACTERS_MAX = 6 * 1024;

function fieldsOf(position: Position): JsonObject {
  return { ...placeFields(position), ...remainingFields(position) };
}

function placeFields(position: Position): JsonObject {
  switch (position.kind) {
    case "items":
      return itemFields(position);
    case "order":
      return { o: position.values.map(boxed), ...itemFields(position) };
    case "values":
      return { v: position.after.map(boxed) };
    case "ordinal":
      return { i: position.done };
    case "start":
      return {};
  }
}

function itemFields(position: Extract<Position, { readonly kind: "items" | "order" }>): JsonObject {
  const { coordinates } = position;
  return { ...progressFields(position), ...(coordinates && { at: coordinates }) };
}

function remainingFields({ skip, take, given, cut, suspended }: Remaining): JsonObject {
  return {
    ...(suspended !== undefined && { p: suspended }),
    ...(skip > 0 && { s: skip }),
    ...(take !== undefined && { t: take }),
    ...(given !== undefined && given > 0 && { g: given }),
    ...(cut !== undefined && { x: [cut.rowCount, cut.rowBytes, cut.ru ?? 0] }),
  };
}

/**
 * Undefined is no JSON: every value is in a box, and an empty one is undefined. Neither is a number
 * that is not finite: it is in the box by name, after a null.
 */
function boxed(value: Value): JsonValue {
  if (typeof value === "number" && !Number.isFinite(value)) return [null, `${value}`];
  return value === undefined ? [] : [value];
}

export function parseQueryCursor(cursors: SignedCursors, text: string): Result<Position, Refusal> {
  const cursor = cursors.read(text);
  if (!cursor.ok) return cursor;
  const { fields, asked } = cursor.value;
  const position = positionIn(fields);
  return position === undefined || !isGoodFor(position, asked) ? no(NO_CURSOR) : ok(position);
}

/** So many rows of a range say nothing of a part of it; values say nothing of what lies before. */
function isGoodFor({ kind }: Position, asked: ReadCursor["asked"]): boolean {
  if (asked === "part") return kind !== "ordinal";
  return asked === "all" || kind === "items";
}

function positionIn(fields: JsonObject): Position | undefined {
  const skip = countIn(fields, "s") ?? 0;
  const given = countIn(fields, "g");
  const cut = cutIn(fields);
  const remaining = {
    skip,
    take: countIn(fields, "t"),
    ...(given !== undefined && { given }),
    ...(cut !== undefined && { cut }),
    ...suspendedIn(fields),
  };
  if (property(fields, "v") !== undefined) {
    const after = unboxed(property(fields, "v"));
    return after && { kind: "values", after, ...remaining };
  }
  const done = countIn(fields, "i");
  if (done !== undefined) return { kind: "ordinal", done, ...remaining };
  const progress = parseProgress(fields);
  if (progress === undefined) {
    return remaining.suspended === undefined ? undefined : { kind: "start", ...remaining };
  }
  const coordinates = coordinatesIn(fields);
  const item = { ...progress, ...(coordinates && { coordinates }), ...remaining };
  if (property(fields, "o") === undefined) return { kind: "items", ...item };
  const values = unboxed(property(fields, "o"));
  return values && { kind: "order", values, ...item };
}

function suspendedIn(fields: JsonObject): Pick<Remaining, "suspended"> {
  const suspended = property(fields, "p");
  return typeof suspended === "string" ? { suspended } : {};
}

function cutIn(fields: JsonObject): Cut | undefined {
  const list = property(fields, "x");
  if (!Array.isArray(list)) return undefined;
  const [rows, bytes, cost] = list as readonly JsonValue[];
  const rowCount = countIn({ rows: rows ?? null }, "rows");
  const rowBytes = countIn({ bytes: bytes ?? null }, "bytes");
  const ru = typeof cost === "number" && cost >= 0 ? cost : 0;
  return rowCount === undefined || rowBytes === undefined ? undefined : { rowCount, rowBytes, ru };
}

function coordinatesIn(fields: JsonObject): readonly number[] | undefined {
  const list = property(fields, "at");
  if (!Array.isArray(list)) return undefined;
  return list.every((at) => typeof at === "number" && Number.isSafeInteger(at))
    ? (list as readonly number[])
    : undefined;
}

function unboxed(list: Value): readonly Value[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const boxes = list as readonly JsonValue[];
  return boxes.every((box) => Array.isArray(box))
    ? boxes.map((box) => unboxedValue(box as readonly JsonValue[]))
    : undefined;
}

function unboxedValue([value, name]: readonly JsonValue[]): Value {
  return typeof name === "string" ? Number(name) : value;
}
