/** Progress in the key space as members of a cursor, for feeds and for queries. */
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { property } from "../../json/value.ts";
import type { EpkRange } from "../../partition/epkRange.ts";
import { parseEpk } from "../../partition/epkRange.ts";
import type { Mark, Progress } from "../../query/execute/marks.ts";

export function progressFields({ range, number, earlier }: Progress): JsonObject {
  return {
    min: range.min,
    max: range.max,
    n: number,
    ...(earlier && { m: earlier.map((mark) => [mark.range.min, mark.range.max, mark.number]) }),
  };
}

/** Returns `undefined` when the members are missing or invalid. */
export function parseProgress(fields: JsonObject): Progress | undefined {
  const range = rangeIn(fields);
  const number = countIn(fields, "n");
  if (range === undefined || number === undefined) return undefined;
  if (property(fields, "m") === undefined) return { range, number };
  const earlier = marksIn(property(fields, "m"));
  return earlier && { range, number, earlier };
}

/** Returns the member if it is a whole number from zero up. */
export function countIn(fields: JsonObject, name: string): number | undefined {
  const value = property(fields, name);
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function rangeIn(fields: JsonObject): EpkRange | undefined {
  const [min, max] = ["min", "max"].map((name) => {
    const bound = property(fields, name);
    return typeof bound === "string" ? parseEpk(bound) : undefined;
  });
  return min !== undefined && max !== undefined && min < max ? { min, max } : undefined;
}

function marksIn(list: JsonValue | undefined): readonly Mark[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const marks = (list as readonly JsonValue[]).map(markIn);
  return marks.every((mark) => mark !== undefined) ? marks : undefined;
}

function markIn(entry: JsonValue): Mark | undefined {
  const [min, max, n] = Array.isArray(entry) ? (entry as readonly JsonValue[]) : [];
  if (min === undefined || max === undefined || n === undefined) return undefined;
  const range = rangeIn({ min, max });
  const number = countIn({ n }, "n");
  return range === undefined || number === undefined ? undefined : { range, number };
}
