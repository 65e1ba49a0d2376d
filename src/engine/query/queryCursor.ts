/**
 * The text form of a query position, handed to clients between two pages. `cursorKey.ts` binds the
 * text to its question (`queryQuestion.ts`) and makes sure that nobody altered it.
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
  // The values are too large for a header, so the cursor holds the number of rows given so far.
  const { skip, take, cut, suspended, given = 0 } = position;
  return cursors.sign(fieldsOf({ kind: "ordinal", done: given, skip, take, cut, suspended }));
}

/** Characters that a cursor may have; clients accept 16 KB of headers in all. */
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
 * Puts a value into an array, because JSON has no undefined: the empty array stands for it. JSON
 * has no numbers that are not finite either: such a number is written by name, after a null.
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

/**
 * True when a position can be used for the scope that is asked. A number of rows of a range says
 * nothing about a part of it; values of an order say nothing about a larger range.
 */
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
