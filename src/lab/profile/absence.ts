/**
 * Which components of a key are null or missing: two bits for each component, which replace the
 * last bits of the key's hash. So absence need not be stored beside the hash.
 */
export const NULL_BITS = 1;
export const MISSING_BITS = 2;

/** Number of components for which a hash has room. */
export const COMPONENTS_MAX = 5;
const ABSENCE_BITS: number = 2 * COMPONENTS_MAX;
export const ABSENCE_MASK: number = (1 << ABSENCE_BITS) - 1;

type Absence = "value" | "null" | "missing";

/** In `absence`, the bits of the component with number `n` are at position `2 n`. */
export function withAbsence(high: number, absence: number): number {
  return ((high >>> ABSENCE_BITS) << ABSENCE_BITS) | absence;
}

/** Returns what each component is; undefined when all components have values. */
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
