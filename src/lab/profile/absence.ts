/**
 * Which components of a key are null or missing: two bits for each, which the hash of a key has in
 * place of its last ones. So nobody has to remember it beside the hash.
 */
export const NULL_BITS = 1;
export const MISSING_BITS = 2;

/** So many components have room for that. */
export const COMPONENTS_MAX = 5;
const ABSENCE_BITS: number = 2 * COMPONENTS_MAX;
export const ABSENCE_MASK: number = (1 << ABSENCE_BITS) - 1;

export type Absence = "value" | "null" | "missing";

/** `absence`: the bits of the component with number `n` are `2 n` places further up. */
export function withAbsence(high: number, absence: number): number {
  return ((high >>> ABSENCE_BITS) << ABSENCE_BITS) | absence;
}

/** For each component what it is; undefined: all of them have values. */
export function absenceOf(bits: number, width: number): readonly Absence[] | undefined {
  if (bits === 0) return undefined;
  return Array.from({ length: width }, (_, at): Absence => {
    const own = (bits >>> (2 * at)) & 3;
    return own === 0 ? "value" : own === NULL_BITS ? "null" : "missing";
  });
}

export function hasMissing(absence: number): boolean {
  return (absence & 0b10_10_10_10_10) !== 0;
}
