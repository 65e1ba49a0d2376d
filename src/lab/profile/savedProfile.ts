/**
 * A profile as text that can be saved, and its restoration: JSON has no word for "no value", which
 * a key may have, so it is written as `{}`, as clients of the service write it.
 *
 * Not here: whether a file is a profile at all, which is checked where files are read.
 */
import type { KeyComponent } from "../../model/partitionKey.ts";
import { exactly } from "../counting/estimate.ts";
import type { KeyProfile, Profile, TailClass } from "./profile.ts";

export function profileText(profile: Profile): string {
  const written = (value: KeyComponent): unknown => (value === undefined ? {} : value);
  const keys = withValues(profile.keys, written);
  const expressions = withValues(profile.expressions, written);
  return `${JSON.stringify({ ...profile, keys, expressions })}\n`;
}

/** A key as earlier versions saved it, without members that were added later. */
type SavedKey = Omit<KeyProfile, Later | "tail"> &
  Partial<Pick<KeyProfile, Later>> & {
    readonly tail: readonly (Omit<TailClass, "bytes"> & Partial<Pick<TailClass, "bytes">>)[];
  };
type Later = "nullShare" | "largestShare" | "giniError" | "growth";
type SavedProfile = Omit<Profile, "keys" | "expressions"> & {
  readonly keys: readonly SavedKey[];
  readonly expressions?: readonly SavedKey[] | undefined;
};

/** `saved` is the parsed text, which has all required members. */
export function restoredProfile(saved: SavedProfile): Profile {
  const whole = (keys: readonly SavedKey[]): readonly KeyProfile[] =>
    withValues(
      keys.map((key) => completed(key, saved)),
      componentOf,
    );
  return { ...saved, keys: whole(saved.keys), expressions: whole(saved.expressions ?? []) };
}

/** The error of the sketches of earlier versions. */
const FORMER_GINI_ERROR = 0.03;

function completed(key: SavedKey, { itemCount, itemBytes }: SavedProfile): KeyProfile {
  const [heaviest] = key.heaviest;
  const total = Math.max(1, itemCount);
  const isExact = key.distinct.low === key.distinct.high;
  const [first] = key.tail;
  const share = heaviest === undefined ? shareOfOne(first) : heaviest.items.value / total;
  return {
    nullShare: 1 - key.presence,
    // In profiles of earlier versions, keys of a class differed by a factor of two.
    largestShare: {
      ...exactly(share),
      high: Math.min(1, heaviest === undefined ? 2 * share : share),
    },
    giniError: isExact ? 0 : FORMER_GINI_ERROR,
    growth: {
      model: "fixed",
      evidence: "The profile was saved before this was looked at.",
      newPerItem: 0,
      newPerDay: null,
      unmet: 0,
      onceShare: 0,
    },
    ...key,
    tail: key.tail.map((each) => ({
      ...each,
      bytes: each.bytes ?? each.itemShare * itemCount * itemBytes.mean,
    })),
  };
}

function shareOfOne(
  tail: { readonly keyCount: number; readonly itemShare: number } | undefined,
): number {
  return tail === undefined ? 0 : tail.itemShare / Math.max(1, tail.keyCount);
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
