/** What the headers of a feed or a query confine it to: the table says which of them counts. */
import { expect, test } from "vitest";
import type { AskedScope } from "../../model/request/itemScope.ts";
import type { Epk } from "../../partition/epkRange.ts";
import type { WireHeaders } from "../wire/wire.ts";
import { parseScope } from "./askedScope.ts";

const KEY = { "x-ms-documentdb-partitionkey": '["k"]' };
const NO_KEY = { "x-ms-documentdb-partitionkey": "k" };
const RANGE = { "x-ms-documentdb-partitionkeyrangeid": "rid,3" };
const BOUNDS = { "x-ms-start-epk": "10", "x-ms-end-epk": "20" };
const OLD = { "x-ms-version": "2018-06-18" };
const range = { min: "10" as Epk, max: "20" as Epk };

const TABLE: readonly (readonly [says: string, headers: WireHeaders, scope: AskedScope])[] = [
  ["nothing", {}, { kind: "container", isOfOldProgram: false }],
  ["nothing, by an old program", OLD, { kind: "container", isOfOldProgram: true }],
  ["a key", KEY, { kind: "key", key: ["k"] }],
  ["a key, by an old program", { ...KEY, ...OLD }, { kind: "key", key: ["k"] }],
  ["a range id behind a rid", RANGE, { kind: "rangeId", rangeId: "3" }],
  ["a key and a range id", { ...KEY, ...RANGE }, { kind: "keyInRange", key: ["k"], rangeId: "3" }],
  ["bounds", BOUNDS, { kind: "bounds", range, isOfKey: false, key: undefined }],
  [
    "bounds and a range id",
    { ...BOUNDS, ...RANGE },
    { kind: "bounds", range, isOfKey: false, rangeId: "3" },
  ],
  ["bounds and a key", { ...BOUNDS, ...KEY }, { kind: "bounds", range, isOfKey: true, key: ["k"] }],
  ["bounds and what is no key", { ...BOUNDS, ...NO_KEY }, { kind: "bounds", range, isOfKey: true }],
];

test.each(TABLE)("a request that names %s", (_says, headers, scope) => {
  expect(parseScope(headers)).toEqual({ ok: true, value: scope });
});

test.each<[string, WireHeaders]>([
  ["what is no key", NO_KEY],
  ["what is no key beside a range id", { ...NO_KEY, ...RANGE }],
  ["bounds the wrong way round", { "x-ms-start-epk": "20", "x-ms-end-epk": "10" }],
])("a request that names %s is refused", (_says, headers) => {
  expect(parseScope(headers)).toMatchObject({ ok: false, error: { kind: "badRequest" } });
});
