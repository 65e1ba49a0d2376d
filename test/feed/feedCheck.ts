/**
 * Decides whether a reader of the change feed saw what was committed in one logical partition.
 *
 * What was committed is known from answers: commits in order, each with the changes that share its
 * LSN. Commits whose answer was lost may or may not be there, but whole. What was seen is the same
 * in the reader's words. A reader of all versions has to see the very same commits; that settles
 * which of the doubtful ones there are. A reader of latest versions sees some of them, in order,
 * and in the end the latest version of every item that lives.
 *
 * Every verdict is a list of problems, in words; none of them means that all is well. How readers
 * go back to older checkpoints is in `feedRecord.ts`.
 */

export type Operation = "create" | "replace" | "delete";

export interface Change {
  readonly id: string;
  /** A number in the item that no other version has; an end has none. */
  readonly marker: number | undefined;
  /** Undefined where the answer that would tell was lost, and in the feed of latest versions. */
  readonly operation: Operation | undefined;
  /** Undefined where nobody was told, and for an end. */
  readonly etag: string | undefined;
  /** The item had lived long enough. */
  readonly isExpiry?: boolean;
}

export interface Commit {
  readonly changes: readonly Change[];
  /** Undefined where no answer told. */
  readonly lsn: number | undefined;
  /** False if its answer was lost. */
  readonly isCertain: boolean;
}

export interface SeenChange extends Change {
  /** Of the version before, if the reader was told: 0 if there was none. */
  readonly previousLsn?: number | undefined;
}

export interface SeenCommit {
  readonly lsn: number;
  readonly changes: readonly SeenChange[];
}

export interface SettledCommit extends Commit {
  readonly lsn: number;
  readonly isCertain: true;
}

interface FullVerdict {
  readonly problems: readonly string[];
  /** What there is for certain, now that a reader has seen it; of use if there is no problem. */
  readonly settled: readonly SettledCommit[];
}

/** A way to explain what was seen so far: the commit that was matched last, and those before. */
interface Way {
  readonly matched: number;
  readonly before: Way | undefined;
}

const START: Way = { matched: -1, before: undefined };

/** All versions and deletes. A reader that has not caught up may lack commits at the end. */
export function checkFull(
  commits: readonly Commit[],
  seen: readonly SeenCommit[],
  { isCaughtUp }: { readonly isCaughtUp: boolean },
): FullVerdict {
  // An end has no marker, so a doubtful one can be mistaken for a later one of the same item: all
  // explanations are followed, and mostly there is one.
  let ways: readonly Way[] = [START];
  for (const [position, found] of seen.entries()) {
    const next = ways.flatMap((way) => stepsFrom(way, commits, found));
    if (next.length === 0) {
      return { problems: [whyNot(commits, ways[0]!.matched, seen, position)], settled: [] };
    }
    ways = distinct(next);
  }
  const isWhole = (way: Way): boolean => nextCertain(commits, way.matched + 1) === undefined;
  const way = isCaughtUp ? ways.find(isWhole) : ways[0];
  if (way === undefined) {
    const missing = nextCertain(commits, ways[0]!.matched + 1)!;
    return { problems: [`missing at the end: ${nameOf(missing)}`], settled: [] };
  }
  const matched = pathTo(way).map((index) => commits[index]!);
  const problems = [...detailsThatDiffer(matched, seen), ...brokenLives(seen)];
  const settled = matched.map((commit, index) => settledAs(commit, seen[index]!));
  return { problems, settled };
}

/**
 * Latest versions. `commits` are settled, or all certain. A reader that starts afresh while nothing
 * is written sees nothing but what is there.
 */
export function checkLatest(
  commits: readonly Commit[],
  seen: readonly SeenCommit[],
  { isCaughtUp, isFresh = false }: { readonly isCaughtUp: boolean; readonly isFresh?: boolean },
): readonly string[] {
  const problems: string[] = [];
  const places = new Map<number, { readonly index: number; readonly change: Change }>();
  commits.forEach(({ changes }, index) => {
    for (const change of changes) {
      if (change.marker !== undefined) places.set(change.marker, { index, change });
    }
  });
  const latest = new Map<string, number>();
  const markers = new Set<number>();
  let [reached, reachedLsn] = [-1, 0];
  for (const { lsn, changes } of seen) {
    if (lsn <= reachedLsn) problems.push(`LSN ${lsn} comes after ${reachedLsn}`);
    reachedLsn = lsn;
    const first = reached;
    for (const change of changes) {
      const { id, marker } = change;
      const place = marker === undefined ? undefined : places.get(marker);
      if (marker === undefined || place === undefined || place.change.id !== id) {
        problems.push(`phantom: ${nameOf({ changes: [change], lsn })} was never committed`);
        continue;
      }
      if (markers.has(marker)) problems.push(`twice: ${nameOf({ changes: [change], lsn })}`);
      else if (place.index <= first) {
        problems.push(`out of order: ${nameOf({ changes: [change], lsn })}`);
      }
      markers.add(marker);
      reached = Math.max(reached, place.index);
      latest.set(id, marker);
      const commit = commits[place.index]!;
      problems.push(...differences(place.change, change, commit.lsn, lsn));
    }
  }
  if (isCaughtUp)
    problems.push(...notLatest(liveOf(commits), latest, isFresh ? markers : undefined));
  return problems;
}

/** The markers of the items that live after all commits. */
export function liveOf(commits: readonly Commit[]): ReadonlyMap<string, number> {
  const live = new Map<string, number>();
  for (const { changes } of commits) {
    for (const { id, marker } of changes) {
      if (marker === undefined) live.delete(id);
      else live.set(id, marker);
    }
  }
  return live;
}

function notLatest(
  live: ReadonlyMap<string, number>,
  latest: ReadonlyMap<string, number>,
  onlyThese: ReadonlySet<number> | undefined,
): string[] {
  const problems: string[] = [];
  for (const [id, marker] of live) {
    const last = latest.get(id);
    if (last !== marker) problems.push(`missing: ${id} is at ${marker}, seen last at ${last}`);
  }
  const current = new Set(live.values());
  for (const marker of onlyThese ?? []) {
    if (!current.has(marker)) problems.push(`stale: version ${marker} is no more`);
  }
  return problems;
}

/** Doubtful commits may be passed over, certain ones may not. */
function stepsFrom(way: Way, commits: readonly Commit[], found: SeenCommit): Way[] {
  const steps: Way[] = [];
  for (let index = way.matched + 1; index < commits.length; index++) {
    const commit = commits[index]!;
    if (isSame(commit, found)) steps.push({ matched: index, before: way });
    if (commit.isCertain) break;
  }
  return steps;
}

function distinct(ways: readonly Way[]): readonly Way[] {
  if (ways.length === 1) return ways;
  return [...new Map(ways.map((way) => [way.matched, way])).values()];
}

/** Changes of one commit come in any order. */
function isSame({ changes }: Commit, found: SeenCommit): boolean {
  if (changes.length !== found.changes.length) return false;
  return changes.every((change) => found.changes.some((seen) => isSameChange(change, seen)));
}

function isSameChange(change: Change, seen: Change): boolean {
  return change.id === seen.id && change.marker === seen.marker;
}

function nextCertain(commits: readonly Commit[], start: number): Commit | undefined {
  for (let index = start; index < commits.length; index++) {
    if (commits[index]!.isCertain) return commits[index];
  }
  return undefined;
}

function pathTo(way: Way): readonly number[] {
  const path: number[] = [];
  for (let at: Way | undefined = way; at?.before !== undefined; at = at.before) {
    path.push(at.matched);
  }
  return path.reverse();
}

/** What is wrong with the first commit that cannot be explained. */
function whyNot(
  commits: readonly Commit[],
  reached: number,
  seen: readonly SeenCommit[],
  position: number,
): string {
  const found = seen[position]!;
  const name = nameOf(found);
  const before = seen.slice(0, position);
  const isRepeated = before.some((earlier) => isSame({ ...earlier, isCertain: true }, found));
  const isEnd = found.changes.every(({ marker }) => marker === undefined);
  if (isRepeated && !isEnd) return `twice: ${name}`;
  const later = commits.findIndex((commit, index) => index > reached && isSame(commit, found));
  if (later >= 0) {
    const skipped = nextCertain(commits, reached + 1)!;
    const isLate = seen.slice(position).some((other) => isSame(skipped, other));
    return isLate
      ? `out of order: ${name} comes before ${nameOf(skipped)}`
      : `missing: ${nameOf(skipped)}, before ${name}`;
  }
  if (isRepeated) return `twice: ${name}`;
  if (commits.some((commit) => isSame(commit, found))) return `out of order: ${name} comes late`;
  const torn = commits.find(({ changes }) =>
    changes.some((change) => found.changes.some((other) => isSameChange(change, other))),
  );
  if (torn !== undefined) return `torn: ${name} is part of ${nameOf(torn)}`;
  return `phantom: ${name} was never committed`;
}

function detailsThatDiffer(commits: readonly Commit[], seen: readonly SeenCommit[]): string[] {
  const problems: string[] = [];
  let reachedLsn = 0;
  commits.forEach((commit, index) => {
    const { lsn, changes } = seen[index]!;
    if (lsn <= reachedLsn) problems.push(`LSN ${lsn} comes after ${reachedLsn}`);
    reachedLsn = lsn;
    for (const change of commit.changes) {
      const found = changes.find((other) => isSameChange(change, other))!;
      problems.push(...differences(change, found, commit.lsn, lsn));
    }
  });
  return problems;
}

function differences(
  change: Change,
  seen: Change,
  committedLsn: number | undefined,
  lsn: number,
): string[] {
  const problems: string[] = [];
  const compare = (what: string, expected: unknown, found: unknown): void => {
    if (expected === undefined || found === undefined || expected === found) return;
    problems.push(`${change.id} at LSN ${lsn} has the ${what} ${found}, not ${expected}`);
  };
  compare("LSN", committedLsn, lsn);
  compare("etag", change.etag, seen.etag);
  compare("operation", change.operation, seen.operation);
  if (seen.operation !== undefined) {
    compare("expiry", change.isExpiry === true, seen.isExpiry === true);
  }
  if (seen.marker !== undefined && seen.etag === undefined) {
    problems.push(`${change.id} at LSN ${lsn} has no etag`);
  }
  return problems;
}

/** Created once while it is not there, changed and deleted only while it is. */
function brokenLives(seen: readonly SeenCommit[]): string[] {
  const problems: string[] = [];
  const lsns = new Map<string, number>();
  for (const { lsn, changes } of seen) {
    for (const { id, operation, previousLsn } of changes) {
      const before = lsns.get(id) ?? 0;
      if (operation !== undefined && (operation === "create") !== (before === 0)) {
        const state = before === 0 ? "not there" : "there";
        problems.push(`LSN ${lsn} is a ${operation} of ${id}, which is ${state}`);
      }
      if (previousLsn !== undefined && previousLsn !== before) {
        problems.push(`LSN ${lsn} says ${id} was at ${previousLsn}, seen at ${before}`);
      }
      if (operation === "delete") lsns.delete(id);
      else lsns.set(id, lsn);
    }
  }
  return problems;
}

function settledAs({ changes }: Commit, seen: SeenCommit): SettledCommit {
  const told = changes.map((change) => {
    const found = seen.changes.find((other) => isSameChange(change, other))!;
    return { ...change, operation: found.operation, etag: found.etag };
  });
  return { changes: told, lsn: seen.lsn, isCertain: true };
}

function nameOf({ changes, lsn }: Pick<Commit, "changes" | "lsn">): string {
  const parts = changes.map(({ id, marker }) =>
    marker === undefined ? `the end of ${id}` : `${id} at ${marker}`,
  );
  return lsn === undefined ? parts.join(" and ") : `${parts.join(" and ")} (LSN ${lsn})`;
}
