/**
 * What somebody has typed of a container's definition: how it begins, and the definition that is
 * sent to replace the one he saw.
 */
import { no, ok, type Result } from "../../../base/result.ts";

export type Definition = Readonly<Record<string, unknown>>;

/** `noDefault`: only items with a ttl of their own expire. */
export type TtlKind = "off" | "noDefault" | "seconds";

export interface DefinitionDraft {
  /** JSON. */
  readonly policy: string;
  readonly ttl: TtlKind;
  readonly seconds: string;
  /** For which versions and deletes are kept; 0 keeps none. */
  readonly versionMinutes: string;
}

/** An edit, with the definition as it was when the edit began. */
export interface Edit {
  readonly seen: Definition;
  readonly draft: DefinitionDraft;
}

export const DAY_SECONDS_TEXT = "86400";

export function draftOf(definition: Definition): DefinitionDraft {
  const ttl = definition["defaultTtl"];
  const feed = definition["changeFeedPolicy"] as
    | { readonly retentionDuration?: number }
    | undefined;
  const common = {
    policy: jsonText(definition["indexingPolicy"]),
    versionMinutes: String(feed?.retentionDuration ?? 0),
  };
  if (ttl === undefined) return { ...common, ttl: "off", seconds: DAY_SECONDS_TEXT };
  if (ttl === -1) return { ...common, ttl: "noDefault", seconds: DAY_SECONDS_TEXT };
  return { ...common, ttl: "seconds", seconds: String(ttl) };
}

/** True when the draft says something else than what was seen. */
export function isChanged({ seen, draft }: Edit): boolean {
  const made = replacementOf({ seen, draft });
  return !made.ok || definitionText(made.value) !== definitionText(seen);
}

/** What is sent, or a sentence about what is wrong with what was typed. */
export function replacementOf({ seen, draft }: Edit): Result<Definition, string> {
  let indexingPolicy: unknown;
  try {
    indexingPolicy = JSON.parse(draft.policy);
  } catch (error) {
    return no(`The indexing policy is not JSON: ${error instanceof Error ? error.message : ""}`);
  }
  const ttl = ttlMember(draft);
  if (!ttl.ok) return ttl;
  const minutes = wholeNumber(draft.versionMinutes, 0);
  if (minutes === undefined) return no("Versions are kept for a whole number of minutes, or 0.");
  const { defaultTtl: _ttl, changeFeedPolicy, ...others } = ownMembers(seen);
  return ok({
    ...others,
    indexingPolicy,
    ...ttl.value,
    ...((minutes > 0 || changeFeedPolicy !== undefined) && {
      changeFeedPolicy: { ...(changeFeedPolicy as object), retentionDuration: minutes },
    }),
  });
}

/** What a definition has for the time to live. */
export function ttlMember({
  ttl,
  seconds,
}: Pick<DefinitionDraft, "ttl" | "seconds">): Result<Definition, string> {
  if (ttl === "off") return ok({});
  if (ttl === "noDefault") return ok({ defaultTtl: -1 });
  const defaultTtl = wholeNumber(seconds, 1);
  return defaultTtl === undefined
    ? no("The time to live is a whole number of seconds, 1 or more.")
    : ok({ defaultTtl });
}

/** Members in the order of their names, without those that the server sets. */
export function definitionText(definition: Definition): string {
  const own = Object.entries(ownMembers(definition));
  own.sort(([one], [other]) => (one < other ? -1 : 1));
  return jsonText(Object.fromEntries(own));
}

function ownMembers(definition: Definition): Definition {
  return Object.fromEntries(Object.entries(definition).filter(([name]) => !name.startsWith("_")));
}

function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? "";
}

function wholeNumber(text: string, min: number): number | undefined {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  return Number.isSafeInteger(value) && value >= min ? value : undefined;
}
