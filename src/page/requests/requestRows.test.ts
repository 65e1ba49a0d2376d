/** The last requests: found by status and by words, and summed up. */
import { expect, test } from "vitest";
import type { RequestEntry } from "../../protocol/admin.ts";
import {
  inGroup,
  requestRows,
  requestsAnswer,
  STATUS_GROUPS,
  statusText,
  withWords,
} from "./requestRows.ts";

const NOW = 1_000_000;

function entry(status: number, changes: Partial<RequestEntry> = {}): RequestEntry {
  const path = "/dbs/shop/colls/orders/docs";
  return { at: NOW, method: "POST", path, status, ms: 1, activityId: `a${status}`, ...changes };
}

const ROWS = requestRows([200, 201, 404, 429, 429, 500].map((status) => entry(status)));

test.each([
  ["all", 6],
  ["done", 2],
  ["refused", 3],
  ["throttled", 2],
  ["failed", 1],
] as const)("%s are %d", (group, count) => {
  expect(inGroup(ROWS, group)).toHaveLength(count);
  expect(STATUS_GROUPS.map(({ value }) => value)).toContain(group);
});

test("requests of one activity id keep their names when newer ones come", () => {
  const older = entry(429);
  const before = requestRows([older]).map(({ key }) => key);
  const now = requestRows([entry(429), older]).map(({ key }) => key);
  expect(now[1]).toBe(before[0]);
  expect(new Set(now).size).toBe(2);
});

test("words are looked for in path, reason and activity id", () => {
  const rows = requestRows([
    entry(404, { path: "/dbs/sh%C3%B6p", reason: "Resource Not Found." }),
    entry(200, { path: "/dbs/%" }),
  ]);
  for (const words of ["shöp", "not found", "A404", "post"]) {
    expect(withWords(rows, words)[0]?.status).toBe(404);
  }
  expect(withWords(rows, "/dbs/%")).toHaveLength(1);
  expect(withWords(rows, "nowhere")).toEqual([]);
});

test.each<[string, readonly RequestEntry[], string]>([
  ["nothing", [], "No client has asked anything since the server started."],
  [
    "good ones",
    [entry(200, { at: NOW - 90_000 })],
    "1 request in the last 90 seconds; none was refused.",
  ],
  ["one refused", [entry(404)], "1 request in the last 1 second: 1 was refused or failed."],
  [
    "only 429s",
    [entry(429), entry(429)],
    "2 requests in the last 1 second: 2 refused, all of them with 429 for their rate.",
  ],
  [
    "several kinds",
    [429, 429, 503, 409, 200].map((status) => entry(status, { at: NOW - 7_200_000 })),
    "5 requests in the last 2 hours: 4 were refused or failed, of which 2 with 429 for their rate, " +
      "1 failed at the server.",
  ],
])("%s in a sentence", (_, entries, wanted) => {
  expect(requestsAnswer(requestRows(entries), NOW)).toBe(wanted);
});

test("a status has its substatus", () => {
  expect(statusText(entry(404, { substatus: 1003 }))).toBe("404/1003");
  expect(statusText(entry(404))).toBe("404");
});
