/**
 * A profile as text that can be saved, and what has to be done to it when it is read again: JSON
 * has no word for "no value", which a key may have, so it is written as `{}`, as clients of the
 * service write it.
 *
 * Not here: whether a file is a profile at all, which is asked where files are read.
 */
import type { KeyComponent } from "../../model/partitionKey.ts";
import type { KeyProfile, Profile } from "./profile.ts";

export function profileText(profile: Profile): string {
  const keys = withValues(profile.keys, (value) => (value === undefined ? {} : value));
  return `${JSON.stringify({ ...profile, keys })}\n`;
}

/** `saved`: the text as JSON, all of whose members are there. */
export function restoredProfile(saved: Profile): Profile {
  return { ...saved, keys: withValues(saved.keys, componentOf) };
}

function componentOf(value: unknown): KeyComponent {
  return typeof value === "object" && value !== null ? undefined : (value as KeyComponent);
}

function withValues<T>(
  keys: readonly KeyProfile[],
  change: (value: KeyComponent) => T,
): (Omit<KeyProfile, "heaviest"> & {
  readonly heaviest: (Omit<KeyProfile["heaviest"][number], "values"> & {
    readonly values: readonly T[];
  })[];
})[] {
  return keys.map((key) => ({
    ...key,
    heaviest: key.heaviest.map((heavy) => ({ ...heavy, values: heavy.values.map(change) })),
  }));
}
