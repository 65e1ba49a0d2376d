/**
 * The order of ORDER BY: nothing, null, false, true, numbers, texts. Arrays and objects come last
 * and count as equal, since no index orders them.
 */
export function compareValues(a: unknown, b: unknown): number {
  const [rankA, rankB] = [rankOf(a), rankOf(b)];
  if (rankA !== rankB) return rankA - rankB;
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") return compareTexts(a, b);
  return 0;
}

function rankOf(value: unknown): number {
  switch (typeof value) {
    case "undefined":
      return 0;
    case "boolean":
      return value ? 3 : 2;
    case "number":
      return 4;
    case "string":
      return 5;
    default:
      return value === null ? 1 : 6;
  }
}

/** By code points, as the service does; units differ beyond the basic plane. */
function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const [unitA, unitB] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (unitA === unitB) continue;
    const [highA, highB] = [isSurrogate(unitA), isSurrogate(unitB)];
    return highA === highB ? unitA - unitB : highA ? 1 : -1;
  }
  return a.length - b.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}
