/**
 * Orders of a shop that does not exist, for whoever has no data at hand: the same ones every time.
 * Toys sell best by far, so a key by category shows what an uneven key does.
 */
import type { JsonObject } from "../../../json/value.ts";

const SEED = 2026;
const FIRST_AT = Date.UTC(2026, 0, 5, 8);
const MINUTES_BETWEEN = 7;

/** How many of a hundred orders are of each category. */
const CATEGORIES: readonly (readonly [name: string, weight: number])[] = [
  ["Toys", 41],
  ["Books", 17],
  ["Electronics", 13],
  ["Kitchen", 11],
  ["Sport", 8],
  ["Garden", 5],
  ["Music", 3],
  ["Pets", 2],
];
const CITIES = ["Graz", "Lyon", "Oslo", "Porto", "Rome", "Turku"];
const STATES = ["new", "paid", "sent"];

export function exampleOrders(count: number): readonly JsonObject[] {
  const draw = drawFrom(SEED);
  const oneOf = (list: readonly string[]): string => list[draw(list.length)]!;
  return Array.from({ length: count }, (_, at) => ({
    id: `order-${String(at + 1).padStart(5, "0")}`,
    customerId: `customer-${1 + draw(Math.max(8, Math.ceil(count / 6)))}`,
    category: categoryAt(draw(100)),
    item: { id: `item-${1 + draw(60)}`, price: (199 + draw(9000)) / 100 },
    quantity: 1 + draw(4),
    status: oneOf(STATES),
    city: oneOf(CITIES),
    orderedAt: new Date(FIRST_AT + at * MINUTES_BETWEEN * 60_000).toISOString(),
  }));
}

function categoryAt(percent: number): string {
  let upTo = 0;
  for (const [name, weight] of CATEGORIES) {
    upTo += weight;
    if (percent < upTo) return name;
  }
  return CATEGORIES[0]![0];
}

/** Whole numbers below what is asked for, the same ones for a seed: the generator "mulberry32". */
function drawFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}
