/**
 * Digits that a double does not hold.
 *
 * Numbers are doubles wherever they are compared, indexed, hashed or computed with. But a number
 * that is only carried must not lose digits: an integer beyond 2^53, or the sign of a zero. So the
 * object or array that holds such a number has a *table* beside it, from the member to its digits.
 * Only the functions of this file see the table; all other code sees doubles.
 *
 * What always holds of a value from `parse.ts`:
 * - Digits are those of a JSON number, and `Number` of them is the double at the same place.
 * - An object or array has a table if a number in it, however deep, has digits. Most have none, and
 *   one look at their root tells.
 * - A table is never changed once its container was given out, and a copy of a container has none
 *   unless it is given one (`carryDigits`): digits can be lost by an oversight, but not mixed up.
 *
 * A number by itself has no place for a table. A number with digits that is handed on by itself is
 * a `CarriedNumber`.
 */
import type { JsonObject, JsonValue } from "./value.ts";

/** The size from which not every integer is a double. */
const INTEGERS_MAX = 2 ** 53;

const TABLE: unique symbol = Symbol("digits");

type Table = Map<Member, string>;

/** The name of a property, the index of an element, or the name of a slot or parameter. */
export type Member = string | number;

/** An object, array or map that can have a table. */
type Holder = JsonObject | readonly unknown[] | ReadonlyMap<string, unknown>;

interface Tabled {
  readonly [TABLE]?: Table;
}

/** A number with digits, on its way from one place to another. */
export class CarriedNumber {
  readonly value: number;
  readonly digits: string;

  constructor(value: number, digits: string) {
    this.value = value;
    this.digits = digits;
  }
}

/** A value as it is handed on: like any other, unless it is a number with digits. */
export type Carried = JsonValue | CarriedNumber;

/**
 * True when a double may stand for another number than itself. Few do, so this is checked first.
 */
export function mayHaveDigits(value: number): boolean {
  return value >= INTEGERS_MAX || value <= -INTEGERS_MAX || Object.is(value, -0);
}

/** True when there is a number with digits in the value, at whatever depth. */
export function carriesDigits(value: Carried | undefined): boolean {
  if (typeof value !== "object" || value === null) return false;
  return value instanceof CarriedNumber || (value as Tabled)[TABLE] !== undefined;
}

/** Returns the digits of a number, where it has some. */
export function digitsAt(holder: Holder, member: Member): string | undefined {
  return (holder as Tabled)[TABLE]?.get(member);
}

/** Returns `value`, which is what the holder has at this member, with its digits. */
export function carriedAt<T extends JsonValue | undefined>(
  holder: Holder,
  member: Member,
  value: T,
): T | CarriedNumber {
  if (typeof value !== "number" || !mayHaveDigits(value)) return value;
  const digits = digitsAt(holder, member);
  return digits === undefined ? value : new CarriedNumber(value, digits);
}

/** Returns the double of a number with digits; any other value as it is. */
export function plainOf<T extends JsonValue | undefined>(carried: T | CarriedNumber): T | number {
  return carried instanceof CarriedNumber ? carried.value : carried;
}

/**
 * Notes in the table of a container that is being made what one of its members carries. `carried`
 * is what was put there; digits that were there before are forgotten.
 */
export function noteDigits(holder: Holder, member: Member, carried: Carried | undefined): void {
  const tabled = holder as Tabled;
  if (!carriesDigits(carried)) {
    tabled[TABLE]?.delete(member);
    return;
  }
  const table = tabled[TABLE] ?? newTable(holder);
  if (carried instanceof CarriedNumber) table.set(member, carried.digits);
  else table.delete(member);
}

/**
 * Gives a copy that is being made the digits of the container it is a copy of, or of one of
 * several. `memberOf` says where a member is in the copy, or undefined if it is gone.
 */
export function carryDigits(
  from: Holder,
  to: Holder,
  memberOf: (member: Member) => Member | undefined = same,
): void {
  const table = (from as Tabled)[TABLE];
  if (table === undefined) return;
  const copy = (to as Tabled)[TABLE] ?? newTable(to);
  for (const [member, digits] of table) {
    const place = memberOf(member);
    if (place !== undefined) copy.set(place, digits);
  }
}

function same(member: Member): Member {
  return member;
}

/**
 * Makes a table that is not enumerable: code that copies a container member by member does not copy
 * the table.
 */
function newTable(holder: Holder): Table {
  const table: Table = new Map();
  Object.defineProperty(holder, TABLE, { value: table });
  return table;
}
