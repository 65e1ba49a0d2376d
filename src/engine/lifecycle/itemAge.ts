/**
 * The age of an item: the date at a path of it, and what follows from that.
 *
 * A date is ISO 8601 text or a number since 1970, as for partition keys (`keys/time.ts`). An item
 * without one has no age and is never due. A date that lies more than a day ahead is a mistake of
 * whoever wrote it, and is told as one; the item becomes due all the same when its time comes.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import { SYSTEM_PROPERTIES } from "../../base/systemProperties.ts";
import { DAY_MS } from "../../base/units.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { isObject, property } from "../../json/value.ts";
import { timeOf } from "../../keys/time.ts";

/** What an item comes to at some moment. */
export type AgeJudgement =
  /** Has to be in warm; dated at `date`. */
  | { readonly kind: "due"; readonly date: number }
  | { readonly kind: "young"; readonly date: number }
  /** Belongs to the book, for this reason. */
  | {
      readonly kind: "odd";
      readonly code: "undated" | "future";
      readonly reason: string;
      readonly date?: number | undefined;
    };

const AHEAD_MS_MAX = DAY_MS;
const VALUE_CHARACTERS = 60;

export class ItemAge {
  readonly path: string;
  readonly segments: readonly string[];
  readonly ageMs: number;

  constructor(path: string, ageSeconds: number) {
    this.path = path;
    this.segments = path.slice(1).split("/");
    this.ageMs = ageSeconds * 1000;
  }

  /** Items dated before it are due. */
  cutoff(wallNow: number): number {
    return wallNow - this.ageMs;
  }

  /** Milliseconds since 1970; `undefined` without a date. */
  dateOf(item: JsonObject): number | undefined {
    return timeOf(this.#valueIn(item));
  }

  judge(item: JsonObject, wallNow: number): AgeJudgement {
    const value = this.#valueIn(item);
    const date = timeOf(value);
    if (date === undefined) return { kind: "odd", code: "undated", reason: this.#noDate(value) };
    if (date < this.cutoff(wallNow)) return { kind: "due", date };
    if (date <= wallNow + AHEAD_MS_MAX) return { kind: "young", date };
    const reason = `Its ${this.path} is ${shown(value!)}, which is in the future.`;
    return { kind: "odd", code: "future", reason, date };
  }

  #valueIn(item: JsonObject): JsonValue | undefined {
    let value: JsonValue | undefined = item;
    for (const name of this.segments) {
      if (!isObject(value)) return undefined;
      value = property(value, name);
    }
    return value;
  }

  #noDate(value: JsonValue | undefined): string {
    if (value === undefined) return `It has no ${this.path}.`;
    return (
      `Its ${this.path} is ${shown(value)}, which is no date: neither ISO 8601 text nor seconds ` +
      "or milliseconds since 1970."
    );
  }
}

function shown(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length <= VALUE_CHARACTERS ? text : `${text.slice(0, VALUE_CHARACTERS)}…`;
}

/** Checks a path as somebody wrote it: names with slashes before them, and none of ours. */
export function checkAgePath(path: string): Result<void, string> {
  const segments = path.slice(1).split("/");
  const isPath = path.startsWith("/") && segments.every((name) => /^[^/*?"'[\]\s]+$/.test(name));
  if (!isPath) {
    return no(`'${path}' is no path of a property; it must be like /publishedDate or /meta/date.`);
  }
  const [first = ""] = segments;
  if (first === "ttl" || first === "id" || SYSTEM_PROPERTIES.has(first)) {
    return no(`The date cannot be ${path}, which is the database's own; name a property of yours.`);
  }
  return ok(undefined);
}
