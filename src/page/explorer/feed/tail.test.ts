/** The tail of a change feed: what is kept, what waits, and what is said of it. */
import { describe, expect, test } from "vitest";
import {
  CHANGES_MAX,
  EMPTY_TAIL,
  feedHeaders,
  lsnInSession,
  withPage,
  withRanges,
} from "./tail.ts";

const START = withRanges(EMPTY_TAIL, [{ id: "0" }]);

describe("where a tail begins", () => {
  const latest = (from: string) => feedHeaders({ mode: "latest", from }, undefined);
  test.each([
    ["now", { "if-none-match": "*" }],
    ["beginning", {}],
    ["2026-01-02T03:04:05Z", { "if-modified-since": "Fri, 02 Jan 2026 03:04:05 GMT" }],
    ["nonsense", { "if-none-match": "*" }],
  ])("from %s", (from, headers) => {
    expect(latest(from)).toEqual({ "a-im": "Incremental Feed", ...headers });
  });
  test("goes on after an etag, whatever it began with", () => {
    const headers = feedHeaders({ mode: "latest", from: "beginning" }, '"7"');
    expect(headers["if-none-match"]).toBe('"7"');
  });
});

describe("a page", () => {
  test("puts the newest first, and says how far the range is behind", () => {
    const rows = [
      { id: "a", _lsn: 4, _ts: 10 },
      { id: "b", _lsn: 5, _ts: 11 },
    ];
    const tail = withPage(START, { rangeId: "0", etag: '"5"', rows, endLsn: 8 });
    expect(tail.changes.map(({ id }) => id)).toEqual(["b", "a"]);
    expect(tail.ranges).toEqual([{ rangeId: "0", etag: '"5"', behind: 3 }]);
    const empty = withPage(tail, { rangeId: "0", etag: undefined, rows: [], endLsn: 8 });
    expect(empty.ranges).toEqual([{ rangeId: "0", etag: '"5"', behind: 0 }]);
  });

  test("keeps a limited number of changes", () => {
    const rows = Array.from({ length: CHANGES_MAX + 5 }, (_, at) => ({ id: `i${at}`, _lsn: at }));
    const tail = withPage(START, { rangeId: "0", etag: '"1"', rows, endLsn: undefined });
    expect(tail.changes).toHaveLength(CHANGES_MAX);
    expect(tail.readCount).toBe(CHANGES_MAX + 5);
    expect(tail.changes[0]!.id).toBe(`i${CHANGES_MAX + 4}`);
  });

  test("tells deletions apart, with what the item was", () => {
    const metadata = { operationType: "delete", lsn: 9, crts: 12, id: "a" };
    const rows = [{ current: {}, previous: { id: "a", n: 1 }, metadata }];
    const tail = withPage(START, { rangeId: "0", etag: '"9"', rows, endLsn: 9 });
    expect(tail.changes[0]).toMatchObject({ kind: "deleted", id: "a", lsn: 9, ts: 12 });
  });
});

test("children of a split go on where their parent was", () => {
  const tail = withPage(START, { rangeId: "0", etag: '"3"', rows: [], endLsn: 3 });
  const found = [
    { id: "1", parents: ["0"] },
    { id: "2", parents: ["0"] },
  ];
  expect(withRanges(tail, found).ranges).toEqual([
    { rangeId: "1", etag: '"3"' },
    { rangeId: "2", etag: '"3"' },
  ]);
});

test.each([
  ["0:-1#17", 17],
  ["0:0#12#4=5", 12],
  ["", undefined],
  [null, undefined],
])("the session token %s ends at %s", (text, lsn) => {
  expect(lsnInSession(text)).toBe(lsn);
});
