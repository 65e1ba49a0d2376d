/**
 * What one reader of the change feed saw, by logical partition, and where it went back to.
 *
 * A reader takes checkpoints, and may go on from any of them: whatever it had seen after that one
 * is cut off, and has to be judged, too. Of all versions it must come again as it was; of latest
 * versions it must have been right when it was read.
 *
 * Changes of one page with the same LSN are one commit. A page must not end within one.
 */
import { isDeepStrictEqual } from "node:util";
import type { Commit, SeenChange, SeenCommit, SettledCommit } from "./feedCheck.ts";
import { checkFull, checkLatest } from "./feedCheck.ts";

/** One row of a page. */
export interface FeedEvent extends SeenChange {
  /** The logical partition. */
  readonly key: string;
  readonly lsn: number;
}

export interface Checkpoint {
  readonly continuation: string;
  /** How many commits of each logical partition had been seen. */
  readonly counts: ReadonlyMap<string, number>;
}

/** What was seen after a checkpoint, and then once more. */
interface Cut {
  readonly start: number;
  readonly after: SeenCommit | undefined;
  readonly commits: readonly SeenCommit[];
}

interface Track {
  commits: SeenCommit[];
  readonly cuts: Cut[];
}

export class FeedRecord {
  readonly #tracks = new Map<string, Track>();
  eventCount = 0;
  resumeCount = 0;

  see(page: readonly FeedEvent[]): void {
    this.eventCount += page.length;
    const open = new Map<string, { readonly lsn: number; readonly changes: SeenChange[] }>();
    for (const { key, lsn, ...change } of page) {
      let commit = open.get(key);
      if (commit?.lsn !== lsn) {
        commit = { lsn, changes: [] };
        open.set(key, commit);
        this.#track(key).commits.push(commit);
      }
      commit.changes.push(change);
    }
  }

  checkpoint(continuation: string): Checkpoint {
    const counts = [...this.#tracks].map(([key, { commits }]) => [key, commits.length] as const);
    return { continuation, counts: new Map(counts) };
  }

  goBackTo({ counts }: Checkpoint): void {
    this.resumeCount++;
    for (const [key, track] of this.#tracks) {
      const start = counts.get(key) ?? 0;
      const commits = track.commits.splice(start);
      if (commits.length > 0) track.cuts.push({ start, after: track.commits.at(-1), commits });
    }
  }

  get keys(): readonly string[] {
    return [...this.#tracks.keys()];
  }

  /** Of a reader of all versions that has caught up; settles what is doubtful. */
  judgeFull(
    key: string,
    commits: readonly Commit[],
  ): { readonly problems: readonly string[]; readonly settled: readonly SettledCommit[] } {
    const { commits: seen, cuts } = this.#track(key);
    const { problems, settled } = checkFull(commits, seen, { isCaughtUp: true });
    const changed = cuts.filter(({ start, commits: before }) => {
      return !isDeepStrictEqual(before, seen.slice(start, start + before.length));
    });
    const other = changed.map(
      ({ start }) => `read again from commit ${start} on, it was different`,
    );
    return { problems: [...problems, ...other], settled };
  }

  /** Of a reader of latest versions that has caught up. */
  judgeLatest(key: string, commits: readonly Commit[], isFresh = false): readonly string[] {
    const { commits: seen, cuts } = this.#track(key);
    const problems = [...checkLatest(commits, seen, { isCaughtUp: true, isFresh })];
    for (const { after, commits: cut } of cuts) {
      const former = after === undefined ? cut : [after, ...cut];
      problems.push(...checkLatest(commits, former, { isCaughtUp: false }));
    }
    return problems;
  }

  #track(key: string): Track {
    let track = this.#tracks.get(key);
    if (track === undefined) {
      track = { commits: [], cuts: [] };
      this.#tracks.set(key, track);
    }
    return track;
  }
}
