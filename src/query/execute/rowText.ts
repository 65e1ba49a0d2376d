/** A row as it goes out: JSON, in which there is no way to write a number that is not finite. */
import type { JsonValue } from "../../json/value.ts";
import { QueryFailure } from "./run.ts";

export function rowText(row: JsonValue): Buffer {
  return Buffer.from(JSON.stringify(row, refuseNonFinite));
}

function refuseNonFinite(_key: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new QueryFailure(
      "Error 4001: the result of the query holds a number that is not finite (NaN or Infinity).",
    );
  }
  return value;
}

/** For rows that can only hold what items hold. */
export function plainRowText(row: JsonValue): Buffer {
  return Buffer.from(JSON.stringify(row));
}
