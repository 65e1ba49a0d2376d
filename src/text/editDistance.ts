/**
 * Tells whether two words differ by few letters: letters inserted, left out or replaced. Two
 * letters that changed places count as two.
 */
export function isWithinDistance(left: string, right: string, distanceMax: number): boolean {
  // A letter is one or two code units; comparing lengths in units tells most words apart.
  if (isFarLonger(left, right, distanceMax) || isFarLonger(right, left, distanceMax)) return false;
  const a = [...left];
  const b = [...right];
  if (Math.abs(a.length - b.length) > distanceMax) return false;
  let before = b.map((_, at) => at + 1);
  before.unshift(0);
  for (const [row, letter] of a.entries()) {
    const here = [row + 1];
    for (const [column, other] of b.entries()) {
      const taken = before[column]! + (letter === other ? 0 : 1);
      here.push(Math.min(taken, before[column + 1]! + 1, here[column]! + 1));
    }
    if (Math.min(...here) > distanceMax) return false;
    before = here;
  }
  return before.at(-1)! <= distanceMax;
}

function isFarLonger(left: string, right: string, distanceMax: number): boolean {
  return left.length > 2 * (right.length + distanceMax);
}
