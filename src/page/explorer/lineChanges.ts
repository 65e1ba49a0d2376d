/** Two texts line by line: what stays, what goes, what comes, in the order of reading. */
export interface LineChange {
  readonly kind: "same" | "gone" | "new";
  readonly text: string;
}

/** As few lines as possible go and come: the longest common sequence stays. */
export function lineChanges(before: string, after: string): readonly LineChange[] {
  const old = before.split("\n");
  const fresh = after.split("\n");
  const common = commonLengths(old, fresh);
  const changes: LineChange[] = [];
  let [at, to] = [0, 0];
  while (at < old.length || to < fresh.length) {
    if (at < old.length && to < fresh.length && old[at] === fresh[to]) {
      changes.push({ kind: "same", text: old[at]! });
      at++;
      to++;
    } else if (
      to === fresh.length ||
      (at < old.length && common[at + 1]![to]! >= common[at]![to + 1]!)
    ) {
      changes.push({ kind: "gone", text: old[at]! });
      at++;
    } else {
      changes.push({ kind: "new", text: fresh[to]! });
      to++;
    }
  }
  return changes;
}

/** `[i][j]`: how many lines the texts from line i and from line j on can have in common. */
function commonLengths(old: readonly string[], fresh: readonly string[]): readonly Uint32Array[] {
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint32Array(fresh.length + 1));
  for (let at = old.length - 1; at >= 0; at--) {
    for (let to = fresh.length - 1; to >= 0; to--) {
      lengths[at]![to] =
        old[at] === fresh[to]
          ? lengths[at + 1]![to + 1]! + 1
          : Math.max(lengths[at + 1]![to]!, lengths[at]![to + 1]!);
    }
  }
  return lengths;
}
