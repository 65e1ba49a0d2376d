/**
 * The checker itself: every way in which a feed can be wrong is planted once, and caught.
 *
 * In the rules `a1` is version 1 of the item a, `-a` its end, `(a1 b2)` a batch, and `?` stands
 * before a commit whose answer was lost. LSNs are counted from 1, in what was seen.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Random } from "../../src/base/world.ts";
import { seededRandom } from "../../src/base/world.ts";
import type { Change, Commit, SeenCommit } from "./feedCheck.ts";
import { checkFull, checkLatest } from "./feedCheck.ts";
import type { Checkpoint } from "./feedRecord.ts";
import { FeedRecord } from "./feedRecord.ts";
import type { FeedMode, MemoryPage } from "./memoryFeed.ts";
import { MemoryFeed, MISTAKES } from "./memoryFeed.ts";

interface Rule {
  readonly rule: string;
  readonly committed: string;
  readonly seen: string;
  /** The first word of the first problem. */
  readonly is: string;
}

const FULL_RULES: readonly Rule[] = [
  { rule: "the same is right", committed: "a1 a2 -a b3", seen: "a1 a2 -a b3", is: "fine" },
  { rule: "nothing of nothing is right", committed: "", seen: "", is: "fine" },
  { rule: "a version is missing", committed: "a1 a2 a3", seen: "a1 a3", is: "missing" },
  { rule: "the last version is missing", committed: "a1 a2", seen: "a1", is: "missing at the end" },
  { rule: "an end is missing", committed: "a1 -a b2", seen: "a1 b2", is: "missing" },
  { rule: "a version comes twice", committed: "a1 b2", seen: "a1 a1 b2", is: "twice" },
  { rule: "a version comes again later", committed: "a1 b2", seen: "a1 b2 a1", is: "twice" },
  { rule: "an end comes twice", committed: "a1 -a", seen: "a1 -a -a", is: "twice" },
  { rule: "two are swapped", committed: "a1 b2 c3", seen: "a1 c3 b2", is: "out of order" },
  { rule: "a version nobody wrote", committed: "a1", seen: "a1 a9", is: "phantom" },
  { rule: "an end nobody asked for", committed: "a1 b2", seen: "a1 -a b2", is: "phantom" },
  {
    rule: "a batch may come in any order",
    committed: "(a1 b2) c3",
    seen: "(b2 a1) c3",
    is: "fine",
  },
  { rule: "half of a batch", committed: "(a1 b2) c3", seen: "a1 c3", is: "torn" },
  { rule: "a batch in two commits", committed: "(a1 b2)", seen: "a1 b2", is: "torn" },
  { rule: "two commits in one", committed: "a1 b2", seen: "(a1 b2)", is: "torn" },
  { rule: "a batch that was rolled back", committed: "c3", seen: "(a1 b2) c3", is: "phantom" },
  { rule: "a lost answer, done", committed: "a1 ?a2 a3", seen: "a1 a2 a3", is: "fine" },
  { rule: "a lost answer, not done", committed: "a1 ?a2 a3", seen: "a1 a3", is: "fine" },
  { rule: "a lost answer in the wrong place", committed: "?a1 a2", seen: "a2 a1", is: "out" },
  { rule: "a lost batch, done by half", committed: "?(a1 b2) c3", seen: "a1 c3", is: "torn" },
  { rule: "of two lost ends the first", committed: "a1 ?-a ?a2 ?-a", seen: "a1 -a a2", is: "fine" },
  { rule: "of two ends the certain one", committed: "a1 ?-a -a b2", seen: "a1 -a b2", is: "fine" },
  {
    rule: "an end must be followed by what followed it",
    committed: "a1 ?-a ?a2 -a b3",
    seen: "a1 -a b3",
    is: "fine",
  },
  {
    rule: "both ends, without a life between",
    committed: "a1 ?-a -a",
    seen: "a1 -a -a",
    is: "LSN",
  },
];

describe("all versions and deletes", () => {
  test.each(FULL_RULES)("$rule: $is", ({ committed, seen, is }) => {
    const { problems } = checkFull(commitsOf(committed), seenOf(seen), { isCaughtUp: true });
    expect(problems[0] ?? "fine").toMatch(new RegExp(`^${is}`));
  });

  test("who has not caught up may lack the end", () => {
    const verdict = checkFull(commitsOf("a1 a2"), seenOf("a1"), { isCaughtUp: false });
    expect(verdict.problems).toEqual([]);
  });

  test("what is doubtful is settled by what was seen", () => {
    const { settled } = checkFull(commitsOf("a1 ?a2 ?a3 b4"), seenOf("a1 a3 b4"), {
      isCaughtUp: true,
    });
    expect(settled.map(({ changes, lsn }) => [changes[0]!.marker, lsn])).toEqual([
      [1, 1],
      [3, 2],
      [4, 3],
    ]);
    expect(settled[1]!.changes[0]!.operation).toBe("replace");
  });

  const differing: readonly [string, Partial<SeenCommit["changes"][number]>, RegExp][] = [
    ["etag", { etag: "other" }, /etag other, not etag-1/],
    ["operation", { operation: "replace" }, /operation replace, not create/],
    ["way to end", { isExpiry: true }, /expiry true, not false/],
    ["version before", { previousLsn: 7 }, /was at 7, seen at 0/],
    ["lack of an etag", { etag: undefined }, /no etag/],
  ];
  test.each(differing)("another %s is noticed", (_, change, problem) => {
    const [first] = seenOf("a1") as [SeenCommit];
    const seen = [{ ...first, changes: [{ ...first.changes[0]!, ...change }] }];
    const verdict = checkFull(commitsOf("a1"), seen, { isCaughtUp: true });
    expect(verdict.problems.join()).toMatch(problem);
  });

  test("another LSN than the answer had, and one that falls, are noticed", () => {
    const commits = commitsOf("a1 a2").map((commit, index) => ({ ...commit, lsn: index + 5 }));
    const seen = seenOf("a1 a2").map((commit, index) => ({ ...commit, lsn: 5 - index }));
    const { problems } = checkFull(commits, seen, { isCaughtUp: true });
    expect(problems).toEqual(["LSN 4 comes after 5", "a at LSN 4 has the LSN 4, not 6"]);
  });
});

const LATEST_RULES: readonly Rule[] = [
  { rule: "everything as it happened", committed: "a1 a2 b3", seen: "a1 a2 b3", is: "fine" },
  { rule: "only what is there", committed: "a1 a2 b3 -b", seen: "a2", is: "fine" },
  { rule: "something that was there", committed: "a1 b2 -b c3", seen: "b2 a1", is: "out of order" },
  { rule: "one that ended since", committed: "a1 b2 -b c3", seen: "a1 b2 c3", is: "fine" },
  { rule: "the latest version is missing", committed: "a1 a2", seen: "a1", is: "missing" },
  { rule: "an item is missing", committed: "a1 b2", seen: "b2", is: "missing" },
  { rule: "a version comes twice", committed: "a1 b2", seen: "a1 b2 b2", is: "twice" },
  { rule: "an older version comes after", committed: "a1 a2", seen: "a2 a1", is: "out of order" },
  { rule: "two items are swapped", committed: "a1 b2", seen: "b2 a1", is: "out of order" },
  { rule: "a version nobody wrote", committed: "a1", seen: "a1 b9", is: "phantom" },
  { rule: "an end", committed: "a1 -a", seen: "a1 -a", is: "phantom" },
  { rule: "what is left of a batch", committed: "(a1 b2) a3", seen: "b2 a3", is: "fine" },
  { rule: "a batch that was rolled back", committed: "c3", seen: "(a1 b2) c3", is: "phantom" },
];

describe("latest versions", () => {
  test.each(LATEST_RULES)("$rule: $is", ({ committed, seen, is }) => {
    const problems = checkLatest(commitsOf(committed), latestOf(seen), { isCaughtUp: true });
    expect(problems[0] ?? "fine").toMatch(new RegExp(`^${is}`));
  });

  test("who starts afresh sees nothing that is no more", () => {
    const terms = { isCaughtUp: true, isFresh: true };
    expect(checkLatest(commitsOf("a1 a2 b3 -b"), latestOf("a2"), terms)).toEqual([]);
    const problems = checkLatest(commitsOf("a1 a2 b3 -b"), latestOf("a1 a2 b3"), terms);
    expect(problems).toEqual(["stale: version 1 is no more", "stale: version 3 is no more"]);
  });
});

describe("a record of a reader", () => {
  const event = (id: string, marker: number, lsn: number) => ({
    key: "k",
    lsn,
    id,
    marker,
    operation: "create" as const,
    etag: `etag-${marker}`,
  });

  test("may go back, if the same comes again", () => {
    const record = new FeedRecord();
    record.see([event("a", 1, 1)]);
    const checkpoint = record.checkpoint("1");
    record.see([event("b", 2, 2)]);
    record.goBackTo(checkpoint);
    record.see([event("b", 2, 2), event("c", 3, 3)]);
    expect(record.judgeFull("k", commitsOf("a1 b2 c3")).problems).toEqual([]);
  });

  test("tells when something else comes", () => {
    const record = new FeedRecord();
    const checkpoint = record.checkpoint("0");
    record.see([event("a", 1, 1)]);
    record.goBackTo(checkpoint);
    record.see([event("b", 2, 2)]);
    const { problems } = record.judgeFull("k", commitsOf("?a1 b2"));
    expect(problems).toEqual(["read again from commit 0 on, it was different"]);
  });

  test("tells when a page ends within a batch", () => {
    const record = new FeedRecord();
    record.see([event("a", 1, 1)]);
    record.see([event("b", 2, 1)]);
    expect(record.judgeFull("k", commitsOf("(a1 b2)")).problems[0]).toMatch(/^torn/);
  });

  test("judges what was cut off of latest versions, too", () => {
    const record = new FeedRecord();
    record.see([event("a", 1, 1)]);
    const checkpoint = record.checkpoint("1");
    record.see([event("x", 9, 2)]);
    record.goBackTo(checkpoint);
    record.see([event("b", 2, 2)]);
    expect(record.judgeLatest("k", commitsOf("a1 b2"))[0]).toMatch(/^phantom/);
  });
});

describe("properties", () => {
  const anySeed = fc.integer();

  test.each(["full", "latest"] as const)("a feed that is right is found right: %s", (mode) => {
    fc.assert(
      fc.property(anySeed, (seed) => {
        const random = seededRandom(seed);
        const feed = new MemoryFeed();
        const ledger = write(feed, random);
        expect(judge(mode, read(feed, mode, random), ledger)).toEqual([]);
      }),
    );
  });

  test.each(MISTAKES)("a feed that %s is found out", (mistake) => {
    fc.assert(
      fc.property(anySeed, (seed) => {
        const random = seededRandom(seed);
        const feed = new MemoryFeed();
        const ledger = write(feed, random);
        fc.pre(feed.spoil(mistake, random));
        expect(judge("full", read(feed, "full", random), ledger)).not.toEqual([]);
      }),
    );
  });
});

const KEYS = ["k0", "k1", "k2"];

/** Of some answers the writer never hears; of what they tell nothing is known then. */
function write(feed: MemoryFeed, random: Random): Map<string, Commit[]> {
  const ledger = new Map<string, Commit[]>(KEYS.map((key) => [key, []]));
  const live = new Set<string>();
  for (let count = 0; count < 60; count++) {
    const key = KEYS[Math.floor(random.next() * KEYS.length)]!;
    const ids = ["a", "b", "c", "d"].filter(() => random.next() < 0.4);
    if (ids.length === 0) ids.push("a");
    const writes = ids.map((id) => {
      const name = `${key} ${id}`;
      const isEnd = live.has(name) && random.next() < 0.3;
      if (isEnd) live.delete(name);
      else live.add(name);
      return { id, isEnd };
    });
    ledger.get(key)!.push(feed.commit(key, writes));
  }
  return ledger;
}

function read(feed: MemoryFeed, mode: FeedMode, random: Random): FeedRecord {
  const record = new FeedRecord();
  let checkpoints: Checkpoint[] = [record.checkpoint("0")];
  let page: MemoryPage = { events: [], continuation: "0" };
  for (let before = "-1"; before !== page.continuation; ) {
    if (random.next() < 0.2) {
      checkpoints = checkpoints.slice(0, 1 + Math.floor(random.next() * checkpoints.length));
      record.goBackTo(checkpoints.at(-1)!);
      page = { events: [], continuation: checkpoints.at(-1)!.continuation };
    }
    before = page.continuation;
    page = feed.page(mode, before, 1 + Math.floor(random.next() * 8));
    record.see(page.events);
    if (random.next() < 0.3) checkpoints.push(record.checkpoint(page.continuation));
  }
  return record;
}

function judge(mode: FeedMode, record: FeedRecord, ledger: Map<string, Commit[]>): string[] {
  return [...ledger].flatMap(([key, commits]) =>
    mode === "full" ? record.judgeFull(key, commits).problems : record.judgeLatest(key, commits),
  );
}

function commitsOf(text: string): Commit[] {
  const live = new Set<string>();
  return parse(text).map(({ changes, isCertain }) => ({
    lsn: undefined,
    isCertain,
    changes: changes.map((change) => told(change, live, isCertain)),
  }));
}

function seenOf(text: string): SeenCommit[] {
  const live = new Set<string>();
  return parse(text).map(({ changes }, index) => ({
    lsn: index + 1,
    changes: changes.map((change) => told(change, live, true)),
  }));
}

/** The feed of latest versions does not say what was done. */
function latestOf(text: string): SeenCommit[] {
  return seenOf(text).map(({ lsn, changes }) => ({
    lsn,
    changes: changes.map((change) => ({ ...change, operation: undefined })),
  }));
}

type Version = Pick<Change, "id" | "marker">;

function told({ id, marker }: Version, live: Set<string>, isCertain: boolean): Change {
  const isThere = live.has(id);
  if (marker === undefined) live.delete(id);
  else live.add(id);
  const operation = marker === undefined ? "delete" : isThere ? "replace" : "create";
  const etag = marker === undefined ? undefined : `etag-${marker}`;
  if (!isCertain) return { id, marker, operation: undefined, etag: undefined };
  return { id, marker, operation, etag };
}

function parse(text: string): { readonly changes: Version[]; readonly isCertain: boolean }[] {
  const commits = text.match(/\??(\([^)]*\)|[^\s()?]+)/g) ?? [];
  return commits.map((commit) => ({
    isCertain: !commit.startsWith("?"),
    changes: [...commit.matchAll(/(-?)([a-z])(\d*)/g)].map(([, end, id, marker]) => ({
      id: id!,
      marker: end === "-" ? undefined : Number(marker),
    })),
  }));
}
