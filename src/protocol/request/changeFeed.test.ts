/** Which requests ask for changes, in which mode, and from where on. */
import { expect, test } from "vitest";
import { parseFeedHeaders } from "./changeFeed.ts";

const SINCE = "Tue, 14 Nov 2023 22:13:20 GMT";
const AT = 1_700_000_000_000;

test.each<[rule: string, headers: Record<string, string>, expected: unknown]>([
  ["nothing is said", {}, undefined],
  ["nothing is asked", { "a-im": "" }, undefined],
  ["an etag alone", { "if-none-match": '"5"' }, undefined],
  [
    "from the beginning",
    { "a-im": "Incremental Feed" },
    { mode: "latest", from: { kind: "beginning" } },
  ],
  [
    "in other letters",
    { "a-im": "Incremental feed" },
    { mode: "latest", from: { kind: "beginning" } },
  ],
  ["all versions", { "a-im": "Full-Fidelity Feed" }, { mode: "all", from: { kind: "beginning" } }],
  [
    "from now on",
    { "a-im": "Incremental Feed", "if-none-match": "*" },
    { mode: "latest", from: { kind: "now" } },
  ],
  [
    "from an etag",
    { "a-im": "Full-Fidelity Feed", "if-none-match": '"5"' },
    { mode: "all", from: { kind: "etag", etag: '"5"' } },
  ],
  [
    "from a time",
    { "a-im": "Incremental Feed", "if-modified-since": SINCE },
    { mode: "latest", from: { kind: "time", at: AT } },
  ],
  [
    "from an etag, whatever the time",
    { "a-im": "Incremental Feed", "if-none-match": "5", "if-modified-since": SINCE },
    { mode: "latest", from: { kind: "etag", etag: "5" } },
  ],
  [
    "an empty etag is none",
    { "a-im": "Incremental Feed", "if-none-match": "", "if-modified-since": "" },
    { mode: "latest", from: { kind: "beginning" } },
  ],
  ["another manipulation", { "a-im": "feed" }, "A-IM is neither"],
  ["no date", { "a-im": "Incremental Feed", "if-modified-since": "soon" }, "not a date: 'soon'"],
  [
    "no date, at length",
    { "a-im": "Incremental Feed", "if-modified-since": "x".repeat(5000) },
    `'${"x".repeat(100)}'`,
  ],
])("%s", (_rule, headers, expected) => {
  const parsed = parseFeedHeaders(headers);
  if (expected === undefined) expect(parsed).toEqual({ ok: true, value: undefined });
  else if (typeof expected !== "string")
    expect(parsed).toEqual({ ok: true, value: { isSeparate: false, ...(expected as object) } });
  else
    expect(parsed).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining(expected) },
    });
});

test("who names the format of rows gets the item and its change side by side", () => {
  const headers = {
    "a-im": "Incremental Feed",
    "x-ms-cosmos-changefeed-wire-format-version": "2021-09-15",
  };
  expect(parseFeedHeaders(headers)).toMatchObject({ ok: true, value: { isSeparate: true } });
});
