/** Finds what an unknown name was meant to be: the nearest of the known names. */

/** Returns undefined when no known name is near enough for a typing error. */
export function nearestName(written: string, known: Iterable<string>): string | undefined {
  const plain = plainOf(written);
  const reach = plain.length < 5 ? 1 : 2;
  let nearest: string | undefined;
  let least = reach + 1;
  for (const name of known) {
    const distance = distanceOf(plain, plainOf(name));
    if (distance < least) {
      nearest = name;
      least = distance;
    }
  }
  return nearest;
}

/** Removes differences of spelling: case, dashes and underscores. */
function plainOf(name: string): string {
  return name.slice(0, 64).toLowerCase().replace(/[-_ ]/g, "");
}

/** The number of insertions, deletions, replacements and swaps of neighbours. */
function distanceOf(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const cost = one[i - 1] === other[j - 1] ? 0 : 1;
      let distance = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + cost);
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      if (isSwap) distance = Math.min(distance, beforeLast[j - 2]! + 1);
      row.push(distance);
    }
    beforeLast = last;
    last = row;
  }
  return last[other.length]!;
}
