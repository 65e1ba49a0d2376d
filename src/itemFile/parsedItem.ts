/** From a record to the item in it, or to what is wrong with it and where in the input that is. */
import { Buffer, isUtf8 } from "node:buffer";
import { no, ok, type Result } from "../base/result.ts";
import { isObject, type JsonObject, type JsonValue } from "../json/value.ts";
import { itemOfCells } from "./csvColumns.ts";
import { jsonProblem } from "./jsonProblem.ts";
import type { JsonRecord, RecordPlace, RowRecord } from "./record.ts";

export interface RecordProblem {
  readonly reason: string;
  /** Further right in the same line than the record began, or in a line below. */
  readonly lineShift: number;
  /** Undefined when the problem is about the record as a whole. */
  readonly column: number | undefined;
}

/** `read` parses JSON: with or without the digits that a double does not hold. */
export function itemIn(
  record: JsonRecord | RowRecord,
  read: (text: string) => JsonValue,
): Result<JsonObject, RecordProblem> {
  if (record.kind === "row") return ok(itemOfCells(record.columns, record.cells));
  if (!isUtf8(record.bytes)) return no(ofWhole("it has bytes that are no UTF-8"));
  const text = record.bytes.toString("utf8");
  let value: JsonValue;
  try {
    value = read(text);
  } catch {
    return no(notJson(text));
  }
  if (isObject(value)) return ok(value);
  return no(ofWhole(`it is ${kindOf(value)}, and an item is an object`));
}

export function ofWhole(reason: string): RecordProblem {
  return { reason, lineShift: 0, column: undefined };
}

/** Where in the input a problem of a record is. */
export function placeOf(
  record: RecordPlace,
  { lineShift, column }: RecordProblem,
): Pick<RecordPlace, "line" | "column"> {
  const before = lineShift === 0 ? record.column - 1 : 0;
  return {
    line: record.line + lineShift,
    column: column === undefined ? record.column : before + column,
  };
}

function notJson(text: string): RecordProblem {
  const { at, reason } = jsonProblem(text) ?? { at: 0, reason: "it is no JSON" };
  const before = text.slice(0, at).split("\n");
  const column = Buffer.byteLength(before.at(-1)!) + 1;
  return { reason: `it is no JSON: ${reason}`, lineShift: before.length - 1, column };
}

function kindOf(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return { string: "a text", number: "a number", boolean: "a boolean" }[typeof value as string]!;
}
