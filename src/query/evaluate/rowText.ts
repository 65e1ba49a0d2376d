/**
 * The text of a row as it goes out: JSON, which cannot write a number that is not finite. A row may
 * hold one value many times over, so its size is checked before it is written.
 */
import { type Carried, plainOf } from "../../json/digits.ts";
import { jsonText } from "../../json/stringify.ts";
import { isObject, type JsonValue } from "../../json/value.ts";
import { checkSize } from "../functions/valueSize.ts";
import { QueryFailure } from "./run.ts";

export function rowText(row: Carried): Buffer {
  const value = plainOf(row);
  checkSize(value);
  refuseNonFinite(value);
  return Buffer.from(jsonText(row));
}

/**
 * Refuses numbers that are not finite. A walk beforehand is much faster than a check of each value
 * while it is written.
 */
function refuseNonFinite(value: JsonValue): void {
  if (typeof value === "number") {
    if (Number.isFinite(value)) return;
    throw new QueryFailure(
      "Error 4001: the result of the query holds a number that is not finite (NaN or Infinity).",
    );
  }
  if (typeof value !== "object" || value === null) return;
  if (isObject(value)) for (const name of Object.keys(value)) refuseNonFinite(value[name]!);
  else for (const element of value as readonly JsonValue[]) refuseNonFinite(element);
}

/**
 * For rows that can only hold what items hold, each value a few times at most; they need no checks.
 */
export function plainRowText(row: Carried): Buffer {
  return Buffer.from(jsonText(row));
}
