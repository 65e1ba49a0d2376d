/** Which logical partitions are archived: by the age of their items, by name, or by both. */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { valueAt } from "../../keys/paths.ts";
import { timeOf } from "../../keys/time.ts";
import type { Limits } from "../../model/limits.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import type { Epk } from "../../partition/epkRange.ts";
import { parseKeyHeader, parseKeyPath, sameKey } from "../../partition/partitionKeyOf.ts";
import type { Container } from "../partition/container.ts";
import { routeKey } from "../partition/itemRouting.ts";
import type { ArchiveRequest } from "./archiveRecord.ts";

/** The instant before which items are old: milliseconds since 1970, or nothing if none was said. */
export function cutoffOf(
  {
    before,
    olderThanSeconds,
  }: { readonly before?: JsonValue | undefined; readonly olderThanSeconds?: number | undefined },
  wallNow: number,
): Result<number | undefined, string> {
  if (before !== undefined && olderThanSeconds !== undefined) {
    return no("Say either 'before' or 'olderThanSeconds'.");
  }
  if (olderThanSeconds !== undefined) return ok(wallNow - olderThanSeconds * 1000);
  if (before === undefined) return ok(undefined);
  const at = timeOf(before);
  if (at !== undefined) return ok(at);
  return no(
    `The member 'before' is ${shortened(JSON.stringify(before))}; it must be a date such as ` +
      "2024-01-01 or 2024-01-01T12:00:00Z, or a number since 1970.",
  );
}

/** What an item says about its logical partition. */
export type PartitionJudgement =
  | { readonly kind: "old"; readonly date?: number | undefined }
  | { readonly kind: "young" | "undated"; readonly reason: string };

export interface ArchiveSelection {
  /** The EPKs of the keys that were named, in order; undefined if all are looked at. */
  readonly epks: readonly Epk[] | undefined;
  /** Whether an item belongs to a key that was named. */
  isMeant(epk: Epk, key: PartitionKey): boolean;
  judge(item: JsonObject): PartitionJudgement;
}

export function selectionOf(
  request: Pick<ArchiveRequest, "keys" | "before" | "ageProperty">,
  container: Container,
  limits: Limits,
): Result<ArchiveSelection, string> {
  const named = keysOf(request.keys, container, limits);
  if (!named.ok) return named;
  const steps = request.ageProperty === undefined ? [] : parseKeyPath(request.ageProperty);
  if (steps === undefined) {
    return no(`The age property '${request.ageProperty}' is no path, such as /publishedDate.`);
  }
  const { before, ageProperty } = request;
  if (before !== undefined && ageProperty === undefined) {
    return no("Name the property that says how old an item is (ageProperty), such as /date.");
  }
  if (before === undefined && named.value === undefined) {
    return no("Say which logical partitions: by age (before, olderThanSeconds), or keys.");
  }
  const keys = named.value;
  return ok({
    epks: keys && [...new Set(keys.map(({ epk }) => epk))].sort(),
    isMeant: (epk, key) =>
      keys === undefined || keys.some((one) => one.epk === epk && sameKey(one.key, key)),
    judge: (item) => judgement(item, steps, before),
  });
}

function judgement(
  item: JsonObject,
  steps: readonly string[],
  before: number | undefined,
): PartitionJudgement {
  if (steps.length === 0) return { kind: "old" };
  const value = valueAt(item, steps) as JsonValue | undefined;
  const date = timeOf(value);
  if (before === undefined) return { kind: "old", date };
  if (date === undefined) {
    const path = `/${steps.join("/")}`;
    const found = value === undefined ? "nothing" : shortened(JSON.stringify(value));
    return { kind: "undated", reason: `It has ${found} at ${path}, which is no date.` };
  }
  if (date < before) return { kind: "old", date };
  return { kind: "young", reason: `It is of ${new Date(date).toISOString()}.` };
}

const SHOWN_MAX = 60;

function shortened(text: string): string {
  return text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}…`;
}

interface NamedKey {
  readonly epk: Epk;
  readonly key: PartitionKey;
}

/** The keys that were named, each one a full key of the container. */
function keysOf(
  keys: readonly JsonValue[] | undefined,
  container: Container,
  limits: Limits,
): Result<readonly NamedKey[] | undefined, string> {
  if (keys === undefined) return ok(undefined);
  if (keys.length === 0) return no("The list of keys is empty.");
  const found: NamedKey[] = [];
  for (const json of keys) {
    const text = JSON.stringify(Array.isArray(json) ? json : [json]);
    const key = parseKeyHeader(text);
    if (!key.ok) return no(`${text} is no partition key.`);
    const routed = routeKey(container, key.value, limits);
    if (!routed.ok) {
      const { paths } = container.definition.partitionKey;
      return no(
        `${text} is no key of the container, whose key is ${paths.join(", ")}: name a whole key, ` +
          "with a value for every level.",
      );
    }
    found.push({ epk: routed.value.epk, key: key.value });
  }
  return ok(found);
}
