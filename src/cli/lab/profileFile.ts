/**
 * A profile that was saved, read again. Whatever the file holds, the answer is a whole profile or
 * the first place at which it is none: nothing behind this has to doubt a number.
 */
import { no, ok, type Result } from "../../base/result.ts";
import type { JsonValue } from "../../json/value.ts";
import { isObject, property } from "../../json/value.ts";
import type { Profile } from "../../lab/profile/profile.ts";
import { restoredProfile } from "../../lab/profile/savedProfile.ts";

export function readProfile(text: string): Result<Profile, string> {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    return no(`it is no JSON: ${(error as Error).message}`);
  }
  const version = isObject(value) ? property(value, "formatVersion") : undefined;
  if (version === undefined) return no("it is no profile; `orrery lab profile` makes them");
  if (version !== 1) return no(`its formatVersion is ${JSON.stringify(version)}; 1 is known here`);
  const problem = problemOf(value, PROFILE, "");
  return problem === undefined ? ok(restoredProfile(value as unknown as Profile)) : no(problem);
}

type Shape =
  | "number"
  | "string"
  | "object"
  | "any"
  | { readonly list: Shape }
  | { readonly fields: Readonly<Record<string, Shape>> }
  | { readonly orNull: Shape }
  /** Profiles of earlier versions have it not. */
  | { readonly since: Shape }
  | { readonly either: readonly [text: string, other: Shape] };

const GROWTH: Shape = {
  fields: {
    model: "string",
    evidence: "string",
    newPerItem: "number",
    newPerDay: { orNull: "number" },
    unmet: "number",
    onceShare: "number",
  },
};

const ESTIMATE: Shape = { fields: { value: "number", low: "number", high: "number" } };

const KEY: Shape = {
  fields: {
    paths: { list: "string" },
    expression: { since: "string" },
    presence: "number",
    nullShare: { since: "number" },
    distinct: ESTIMATE,
    sampledKeys: { since: "number" },
    heaviest: {
      list: { fields: { values: { list: "any" }, items: ESTIMATE, bytes: "number" } },
    },
    tail: {
      list: {
        fields: {
          keyCount: "number",
          itemShare: "number",
          bytes: { since: "number" },
          absent: { since: { list: "string" } },
        },
      },
    },
    largestShare: { since: ESTIMATE },
    giniItems: "number",
    giniError: { since: "number" },
    entropy: "number",
    effectiveKeys: "number",
    hottestShare: {
      orNull: { fields: { minute: "number", hour: "number", day: "number" } },
    },
    growth: { since: GROWTH },
  },
};

const PROFILE: Shape = {
  fields: {
    source: "string",
    itemCount: "number",
    coverage: { either: ["all", { fields: { sampledShare: "number" } }] },
    problems: {
      fields: {
        count: "number",
        first: { list: { fields: { place: "string", problem: "string" } } },
      },
    },
    itemBytes: { fields: { mean: "number", p50: "number", p99: "number", max: "number" } },
    leafCountMean: "number",
    time: {
      orNull: {
        fields: {
          path: "string",
          first: "string",
          last: "string",
          itemsPerDay: "number",
          hourShares: { list: "number" },
          minutePeakFactor: "number",
          growthPerMonth: { orNull: "number" },
        },
      },
    },
    properties: {
      list: {
        fields: {
          path: "string",
          presence: "number",
          types: "object",
          distinct: ESTIMATE,
          bytesMean: "number",
          bytesMax: "number",
          time: { orNull: { fields: { form: "string", resolution: "string" } } },
          monotonicity: { orNull: "number" },
          mutability: { orNull: "number" },
          examples: { list: "any" },
        },
      },
    },
    keys: { list: KEY },
    expressions: { since: { list: KEY } },
    sample: { list: "object" },
  },
};

/** Undefined: none. */
function problemOf(value: JsonValue | undefined, shape: Shape, place: string): string | undefined {
  if (shape === "any") return value === undefined ? `${place} is missing` : undefined;
  if (typeof shape === "string") {
    const isRight = shape === "object" ? isObject(value) : typeof value === shape;
    return isRight ? undefined : `${place} must be ${shape === "object" ? "an" : "a"} ${shape}`;
  }
  if ("since" in shape) {
    return value === undefined ? undefined : problemOf(value, shape.since, place);
  }
  if ("orNull" in shape) return value === null ? undefined : problemOf(value, shape.orNull, place);
  if ("either" in shape) {
    const [text, other] = shape.either;
    return value === text ? undefined : problemOf(value, other, place);
  }
  if ("list" in shape) {
    if (!Array.isArray(value)) return `${place} must be a list`;
    const elements = value as readonly JsonValue[];
    return first(elements, (element, at) => problemOf(element, shape.list, `${place}[${at}]`));
  }
  if (!isObject(value)) return `${place || "it"} must be an object`;
  return first(Object.entries(shape.fields), ([name, field]) =>
    problemOf(property(value, name), field, place === "" ? name : `${place}.${name}`),
  );
}

function first<T>(
  values: readonly T[],
  problemAt: (value: T, at: number) => string | undefined,
): string | undefined {
  for (const [at, value] of values.entries()) {
    const problem = problemAt(value, at);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
